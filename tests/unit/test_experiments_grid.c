// SPDX-License-Identifier: MIT
// Grids of experiment files: the cells are those of nested loops, texts and numbers are what would
// be written by hand, and what is wrong is named before memory is taken for it.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "core/number.h"
#include "experiments/runner/experiment.h"

#define COUNT(array) (int32_t)(sizeof array / sizeof *array)

static lgkt_status parse(exp_experiment *experiment, const char *text, lgkt_error *error)
{
    return exp_experiment_parse(experiment, text, strlen(text), "some/mine.json", error);
}

// A file with one learner, or one panel, of these fields.
static lgkt_status parse_learner(exp_experiment *experiment, const char *fields, lgkt_error *error)
{
    char text[8000];
    snprintf(text, sizeof text,
             "{\"horizon\": 9, \"instances\": 2, \"learners\": {\"s\": [{%s}]},"
             " \"panels\": [{\"name\": \"p\", \"environment\": \"gap\", \"learners\": [\"s\"]}]}",
             fields);
    return parse(experiment, text, error);
}

static lgkt_status parse_panel(exp_experiment *experiment, const char *fields, lgkt_error *error)
{
    char text[8000];
    snprintf(text, sizeof text,
             "{\"horizon\": 9, \"instances\": 20, \"events\": {\"e\": \"{s}\"},"
             " \"learners\": {\"s\": [{\"label\": \"{k}\", \"spec\": \"{s}\"}]},"
             " \"panels\": [{\"name\": \"a\", \"environment\": \"{b}\", \"learners\": [\"s\"]},"
             "  {\"learners\": [\"s\"], %s}]}",
             fields);
    return parse(experiment, text, error);
}

static void assert_value(const exp_cell *cell, int32_t i, const char *name, double number,
                         const char *text)
{
    assert_string_equal(cell->values[i].name, name);
    assert_string_equal(cell->values[i].text, text);
    assert_true(isnan(number) ? isnan(cell->values[i].number) : cell->values[i].number == number);
}

static void test_learners(void **state)
{
    (void)state;
    static const char *const words[] = {"a", "b c"};
    exp_experiment e;
    lgkt_error error = {0};
    assert_ok(parse_learner(&e,
                            "\"label\": \"L{k} {w}\", \"spec\": \"x:{k}={w},{g}{k}{o}}\","
                            " \"group\": \"{o}\", \"oracle\": true, \"style\": {\"width\": 2},"
                            " \"grid\": {\"k\": [1, 2.5, -3e20], \"w\": [\"a\", \"b c\"],"
                            " \"g\": {\"from\": 0.1, \"to\": 0.3, \"count\": 3}, \"o\": [7]}",
                            &error),
              error);
    const exp_panel *panel = &e.panels[0];
    assert_int_equal(panel->entry_count, 3 * 2 * 3);
    assert_null(panel->cell);
    const double k[] = {1, 2.5, -3e20}, g[] = {0.1, 0.2, 0.3};
    static const char *const k_text[] = {"1", "2.5", "-3e+20"}, *const g_text[] = {"0.1", "0.2",
                                                                                   "0.3"};
    for (int32_t i = 0, at = 0; i < 3; i++)
        for (int32_t j = 0; j < 2; j++)
            for (int32_t l = 0; l < 3; l++) {
                const exp_entry *entry = &panel->entries[at++];
                char label[64], spec[64];
                snprintf(label, sizeof label, "L%s %s g=%s", k_text[i], words[j], g_text[l]);
                snprintf(spec, sizeof spec, "x:%s=%s,%s%s7}", k_text[i], words[j], g_text[l],
                         k_text[i]);
                assert_string_equal(entry->label, label);
                assert_string_equal(entry->spec, spec);
                assert_string_equal(entry->group, "7");
                assert_true(entry->oracle && entry->style.width == 2.0);
                assert_string_equal(entry->cell->grid, "L{k} {w}");
                assert_int_equal(entry->cell->count, 4);
                assert_value(entry->cell, 0, "k", k[i], k_text[i]);
                assert_value(entry->cell, 1, "w", NAN, words[j]);
                assert_value(entry->cell, 2, "g", g[l], g_text[l]);
                assert_value(entry->cell, 3, "o", 7, "7");
            }
    exp_experiment_free(&e);
}

static void test_panels(void **state)
{
    (void)state;
    exp_experiment e;
    lgkt_error error = {0};
    assert_ok(parse_panel(&e,
                          "\"name\": \"syn\", \"title\": \"Syn {T}\", \"environment\": \"x:{s}\","
                          " \"events\": {\"f\": \"y:{s}\", \"g\": \"z\"}, \"horizon\": \"{T}\","
                          " \"instances\": \"{n}\", \"quick\": \"{n}\","
                          " \"measure\": \"event:f\", \"checkpoints\": [3],"
                          " \"grid\": {\"s\": [\"a\", 2], \"T\": [10, 20], \"n\": [5]}",
                          &error),
              error);
    // the file and objects without a grid have braces as they are
    assert_int_equal(e.panel_count, 1 + 2 * 2);
    assert_string_equal(e.panels[0].env, "{b}");
    assert_string_equal(e.panels[0].events[0].env, "{s}");
    assert_true(e.panels[0].place == 0 && e.panels[0].cell == NULL);
    for (int32_t i = 0; i < 4; i++) {
        const exp_panel *panel = &e.panels[1 + i];
        const char *s = i < 2 ? "a" : "2";
        const int T = i % 2 == 0 ? 10 : 20;
        char name[40], title[40], env[10], event[10], number[10];
        snprintf(name, sizeof name, "syn s=%s T=%d", s, T);
        snprintf(title, sizeof title, "Syn %d, s = %s", T, s);
        snprintf(env, sizeof env, "x:%s", s);
        snprintf(event, sizeof event, "y:%s", s);
        snprintf(number, sizeof number, "%d", T);
        assert_string_equal(panel->name, name);
        assert_string_equal(panel->title, title);
        assert_string_equal(panel->env, env);
        assert_int_equal(panel->event_count, 2);
        assert_string_equal(panel->events[0].env, event);
        assert_string_equal(panel->events[1].env, "z");
        assert_true(panel->horizon == T && panel->instances == 5 && panel->quick_instances == 5);
        assert_true(panel->place == 1 && panel->given_count == 1);
        assert_int_equal(panel->entry_count, 1);
        assert_string_equal(panel->entries[0].label, "{k}");
        assert_string_equal(panel->entries[0].spec, "{s}");
        assert_null(panel->entries[0].cell);
        assert_string_equal(panel->cell->grid, "syn");
        assert_value(panel->cell, 0, "s", i < 2 ? NAN : 2, s);
        assert_value(panel->cell, 1, "T", T, number);
    }
    exp_experiment_free(&e);

    // without a title it is the name; one value needs no place in it
    assert_ok(parse_panel(&e, "\"name\": \"n\", \"environment\": \"{s}\", \"grid\": {\"s\": [3]}",
                          &error),
              error);
    assert_string_equal(e.panels[1].title, "n");
    exp_experiment_free(&e);
}

static void test_spans(void **state)
{
    (void)state;
    static const struct {
        double from, to;
        int32_t count;
        bool log;
    } spans[] = {{0.1, 0.9, 9, false},  {-0.7, 0.3, 11, false},    {5, -5, 21, false},
                 {0, 1, 1000, false},   {-1e300, 1e300, 7, false}, {1e-9, 1e9, 19, true},
                 {1024, 1, 11, true},   {3, 7, 200, true},         {1e-150, 1e150, 31, true},
                 {0.25, 0.75, 2, false}};
    for (int32_t i = 0; i < COUNT(spans); i++) {
        const double from = spans[i].from, to = spans[i].to;
        const int32_t last = spans[i].count - 1;
        char fields[400];
        exp_experiment e;
        lgkt_error error = {0};
        snprintf(fields, sizeof fields,
                 "\"label\": \"{g}\", \"spec\": \"{g}\", \"grid\": {\"g\": {\"from\": %.17g,"
                 " \"to\": %.17g, \"count\": %d, \"scale\": \"%s\"}}",
                 from, to, (int)last + 1, spans[i].log ? "log" : "linear");
        assert_ok(parse_learner(&e, fields, &error), error);
        assert_int_equal(e.panels[0].entry_count, last + 1);
        for (int32_t j = 0; j <= last; j++) {
            const exp_entry *entry = &e.panels[0].entries[j];
            const exp_value *value = entry->cell->values;
            // with long doubles, and rounded to the digits that a reader would write
            const long double part = (long double)j / last;
            const long double exact = spans[i].log
                                          ? expl(logl(from) + part * (logl(to) - logl(from)))
                                          : (from * (last - j) + (long double)to * j) / last;
            const double error_bound = 1e-11 * fmax(fabs((double)exact), 1e-3 * fabs(from));
            double back = NAN;
            assert_true(fabs(value->number - (double)exact) <= error_bound);
            assert_true(lgkt_number_parse(entry->spec, &back) && back == value->number);
            assert_string_equal(entry->spec, value->text);
            assert_true(strlen(value->text) <= 20 || j == 0 || j == last);
        }
        assert_true(e.panels[0].entries[0].cell->values->number == from);
        assert_true(e.panels[0].entries[last].cell->values->number == to);
        exp_experiment_free(&e);
    }
}

// ---- what is wrong ----

static void test_mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        bool panel;
        const char *fields, *words;
    } cases[] = {
        {false, "\"grid\": {}", "mine.json: learners.s[0].grid: it has 0 names; it must have 1"},
        {false, "\"grid\": 3", "learners.s[0].grid: it must be an object with names"},
        {false, "\"grid\": {\"a b\": [1]}",
         "learners.s[0].grid: the name \"a b\" must have 1 to 16"},
        {false, "\"grid\": {\"k\": 1}", "grid.k: it must be a list of values or {\"from\""},
        {false, "\"grid\": {\"k\": []}", "grid.k: it has 0 entries; it must have 1 to 1000"},
        {false, "\"grid\": {\"k\": [1, true]}", "grid.k: entry 1: it must be a number or a text"},
        {false, "\"grid\": {\"k\": [1, 2, 1.0]}", "grid.k: the value 1 is there twice"},
        {false, "\"grid\": {\"k\": [9007199254740992]}",
         "entry 0: it is 9007199254740992; it must"},
        {false, "\"grid\": {\"k\": {\"from\": 1, \"to\": 2}}", "grid.k.count: it is missing"},
        {false, "\"grid\": {\"k\": {\"from\": 1, \"to\": 1, \"count\": 2}}", "value 1 is there"},
        {false, "\"grid\": {\"k\": {\"from\": 1, \"to\": 2, \"count\": 1}}",
         "k.count: it is 1; it"},
        {false, "\"grid\": {\"k\": {\"from\": 1, \"too\": 2}}",
         "field \"too\"; did you mean \"to\"?"},
        {false, "\"grid\": {\"k\": {\"from\": 0, \"to\": 2, \"count\": 3, \"scale\": \"log\"}}",
         "grid.k.from: it is 0; it must be in 1e-150 .. 1e+150"},
        {false, "\"spec\": \"{dpeth}\", \"grid\": {\"depth\": [1]}",
         "learners.s[0].spec: no name \"dpeth\" in the grid; did you mean \"depth\"?"},
        {false, "\"spec\": \"x\", \"grid\": {\"k\": [1]}",
         "grid.k: \"{k}\" stands nowhere in spec"},
        {false, "\"spec\": \"{k\", \"grid\": {\"k\": [1]}", "s[0].spec: a \"{\" has no \"}\""},
        {false, "\"spec\": \"{k}\", \"grid\": {\"k\": [1]}", "learners.s[0].label: it is missing"},
        {false, "\"spec\": \"{k}\", \"gird\": {\"k\": [1]}", "\"gird\"; did you mean \"grid\"?"},
        {false,
         "\"label\": \"L\", \"spec\": \"{k}\", \"grid\": {\"k\": [1, 2]}},"
         " {\"label\": \"L\", \"spec\": \"{k}\", \"grid\": {\"k\": [2]}",
         "panels[0].learners: grids of \"L\" must have the same names and no cell in common"},
        {false,
         "\"label\": \"L\", \"spec\": \"{k}\", \"grid\": {\"k\": [1, 2]}},"
         " {\"label\": \"L\", \"spec\": \"{j}\", \"grid\": {\"j\": [1, 2]}",
         "panels[0].learners: grids of \"L\" must have the same names and no cell in common"},
        {false,
         "\"label\": \"{k}{j}\", \"spec\": \"{k}{j}\", \"grid\": {\"k\": [1, 11], \"j\": [11, 1]}",
         "panels[0].learners: two of them have the label \"111\""},
        {false,
         "\"label\": \"123456789012345678901234567890123456789012345678901234567890\","
         " \"spec\": \"{k}\", \"grid\": {\"k\": [1, 22]}",
         "learners.s[0].label: it has 65 bytes; it must have 1 to 64"},
        {true, "\"grid\": {\"t\": [1, 2]}",
         "panels[1].grid.t: \"{t}\" stands nowhere in environment, horizon, instances, events"},
        {true, "\"horizon\": \"{t}\", \"grid\": {\"t\": [1, 2.5]}",
         "panels[1].name: it is missing"},
        {true,
         "\"name\": \"n\", \"environment\": \"x\", \"horizon\": \"{t}\", \"grid\": {\"t\": [2.5]}",
         "panels[1].horizon: it is \"2.5\"; it must be a whole number"},
        {true, "\"horizon\": \"{t}0\", \"grid\": {\"t\": [1]}",
         "panels[1].horizon: it is \"{t}0\"; it must be a whole number or one name of the grid"},
        {true,
         "\"name\": \"n\", \"environment\": \"x\", \"horizon\": \"{t}\", \"grid\": {\"t\": [5, 0]}",
         "panels[1].horizon: it is 0; it must be in 1 .. 1000000000000"},
        {true, "\"name\": \"{s}\", \"environment\": \"{s}\", \"grid\": {\"s\": [\"b\", \"a\"]}",
         "panels[1].name: a second panel \"a\""},
        {true,
         "\"name\": \"n\", \"environment\": \"{s}\", \"events\": {\"e\": \"{r}\"},"
         " \"grid\": {\"s\": [1]}",
         "panels[1].events: no name \"r\" in the grid; known: s"},
    };
    for (int32_t i = 0; i < COUNT(cases); i++) {
        exp_experiment e;
        lgkt_error error = {0};
        const lgkt_status status = cases[i].panel ? parse_panel(&e, cases[i].fields, &error)
                                                  : parse_learner(&e, cases[i].fields, &error);
        assert_refused(status, LGKT_ERR_FORMAT, error, cases[i].words);
        assert_null(e.memory);
    }
}

// Adds "NAME": [1, .., count] to the object that a text ends within.
static void put_list(char *text, size_t size, const char *name, int count)
{
    snprintf(text + strlen(text), size - strlen(text), "%s\"%s\": [1",
             text[strlen(text) - 1] == '{' ? "" : ", ", name);
    for (int i = 2; i <= count; i++)
        snprintf(text + strlen(text), size - strlen(text), ", %d", i);
    strcat(text, "]");
}

static void test_limits(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    exp_experiment e;
    lgkt_error error = {0};
    char text[8000] = "\"label\": \"L\", \"spec\": \"{a}{b}{c}{d}{e}{f}\", \"grid\": {";
    // 100^6 cells are refused by their number alone
    const size_t start = strlen(text);
    for (int32_t i = 0; i < COUNT(names); i++)
        put_list(text, sizeof text, names[i], 100);
    strcat(text, "}");
    assert_refused(parse_learner(&e, text, &error), LGKT_ERR_FORMAT, error,
                   "learners.s[0].grid: it has more than 1000 cells");
    // 10^3 are as many as there may be, of learners and of panels
    text[start] = '\0';
    for (int32_t i = 0; i < COUNT(names); i++)
        put_list(text, sizeof text, names[i], i < 3 ? 10 : 1);
    strcat(text, "}");
    assert_ok(parse_learner(&e, text, &error), error);
    assert_int_equal(e.panels[0].entry_count, 1000);
    assert_string_equal(e.panels[0].entries[999].label, "L a=10 b=10 c=10");
    exp_experiment_free(&e);

    strcpy(text, "\"name\": \"n\", \"environment\": \"{a}{b}\", \"grid\": {");
    put_list(text, sizeof text, "a", 37);
    put_list(text, sizeof text, "b", 27);
    strcat(text, "}");
    assert_ok(parse_panel(&e, text, &error), error); // with the first one 1000
    assert_int_equal(e.panel_count, 1000);
    exp_experiment_free(&e);
    strcpy(text, "\"name\": \"n\", \"environment\": \"{a}{b}\", \"grid\": {");
    put_list(text, sizeof text, "a", 40);
    put_list(text, sizeof text, "b", 25);
    strcat(text, "}");
    assert_refused(parse_panel(&e, text, &error), LGKT_ERR_FORMAT, error,
                   "panels: it has 1001 entries with those of grids; it must have 1 to 1000");

    // sets that no panel has are cells, too
    char *many = calloc(1, 20000);
    assert_non_null(many);
    strcpy(many, "{\"horizon\": 9, \"instances\": 2, \"learners\": {");
    for (int i = 0; i < 21; i++)
        sprintf(many + strlen(many),
                "%s\"s%d\": [{\"label\": \"L\", \"spec\": \"{k}\", \"grid\": {\"k\": {\"from\": 1,"
                " \"to\": 1000, \"count\": 1000}}}]",
                i > 0 ? ", " : "", i);
    strcat(many, "}, \"panels\": []}");
    assert_refused(parse(&e, many, &error), LGKT_ERR_FORMAT, error,
                   "learners: grids make more than 20000 of them");
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learners), cmocka_unit_test(test_panels),
        cmocka_unit_test(test_spans),    cmocka_unit_test(test_mistakes_are_named),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
