// SPDX-License-Identifier: MIT
// Experiment files: what is read is what was written, what is wrong is named, words find what they
// should, and every experiment that comes with the command can be run.
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/plain/io_folder.h"
#include "ref/learner_run.h"
#include "ref/panel_run.h"

#define COUNT(array) (int32_t)(sizeof array / sizeof *array)

static const char WHOLE[] =
    "{\"title\": \"T\", \"question\": \"Q?\", \"place\": \"figure 1\", \"collection\": \"c\","
    " \"section\": \"s\", \"order\": 7, \"seed\": 9, \"comment\": \"none\","
    " \"horizon\": 500, \"instances\": 40, \"quick\": 50, \"measure\": [\"regret\", \"event:e\"],"
    " \"regret\": {\"k\": 2, \"threshold\": 1.25}, \"events\": {\"e\": \"gap\"},"
    " \"compare\": [10, 20], \"untold\": true,"
    " \"learners\": {"
    "  \"one\": [{\"label\": \"A\", \"spec\": \"lg1t\", \"group\": \"g\", \"section\": \"K = 1\","
    "    \"oracle\": true,"
    "    \"style\": {\"color\": \"#e69f00\", \"dash\": \"short\", \"width\": 2.5}},"
    "   {\"label\": \"B\", \"spec\": \"lg2t\"}],"
    "  \"two\": [{\"label\": \"C\", \"spec\": \"random\", \"style\": {}}]},"
    " \"panels\": ["
    "  {\"name\": \"p\", \"environment\": \"gap\", \"learners\": [\"two\", \"one\"]},"
    "  {\"name\": \"q\", \"title\": \"Q\", \"environment\": \"riverswim\", \"learners\": [\"two\"],"
    "   \"horizon\": 90, \"instances\": 3, \"quick\": 0, \"measure\": \"counter:runs\","
    "   \"checkpoints\": [1, 30], \"compare\": [], \"untold\": false}]}";

static lgkt_status parse(exp_experiment *experiment, const char *text, lgkt_error *error)
{
    return exp_experiment_parse(experiment, text, strlen(text), "some/folder/mine.json", error);
}

static void test_all_fields(void **state)
{
    (void)state;
    exp_experiment e;
    lgkt_error error = {0};
    assert_ok(parse(&e, WHOLE, &error), error);
    const char *const texts[][2] = {{e.name, "mine"},        {e.title, "T"},
                                    {e.question, "Q?"},      {e.place, "figure 1"},
                                    {e.collection, "c"},     {e.section, "s"},
                                    {e.file, "mine.json"},   {e.folder, "some/folder/"},
                                    {e.panels[0].name, "p"}, {e.panels[0].title, "p"},
                                    {e.panels[1].title, "Q"}};
    for (int32_t i = 0; i < COUNT(texts); i++)
        assert_string_equal(texts[i][0], texts[i][1]);
    assert_true(e.order == 7 && e.seed == 9 && e.panel_count == 2 && !e.shipped);

    const exp_panel *p = &e.panels[0];
    assert_string_equal(p->env, "gap");
    assert_true(p->horizon == 500 && p->instances == 40 && p->quick_instances == 40 && p->untold);
    assert_true(p->regret_k == 2 && p->regret_threshold == 1.25 && p->place == 0);
    assert_true(p->measure_count == 2 && p->measures[0].kind == EXP_MEASURE_REGRET &&
                p->measures[1].kind == EXP_MEASURE_EVENT && p->measures[0].name == NULL);
    assert_string_equal(p->measures[1].word, "event:e");
    assert_string_equal(p->measures[1].name, "e");
    assert_true(p->event_count == 1 && strcmp(p->events[0].env, "gap") == 0);
    assert_true(p->times == EXP_TIMES_LOG && p->compare_count == 2 && p->compare[1] == 20);
    assert_int_equal(p->entry_count, 3);
    assert_string_equal(p->entries[0].label, "C");
    assert_string_equal(p->entries[0].group, "two");
    assert_null(p->entries[0].style.color);
    assert_string_equal(p->entries[1].label, "A");
    assert_string_equal(p->entries[1].spec, "lg1t");
    assert_string_equal(p->entries[1].group, "g");
    assert_string_equal(p->entries[1].section, "K = 1");
    assert_string_equal(p->entries[1].style.color, "#e69f00");
    assert_string_equal(p->entries[1].style.dash, "short");
    assert_true(p->entries[1].style.width == 2.5 && p->entries[1].oracle);
    assert_string_equal(p->entries[2].group, "one");
    assert_string_equal(p->entries[2].section, "");
    assert_false(p->entries[2].oracle);

    p = &e.panels[1];
    assert_true(p->horizon == 90 && p->instances == 3 && p->quick_instances == 0 && !p->untold);
    assert_true(p->measure_count == 1 && p->measures[0].kind == EXP_MEASURE_COUNTER);
    assert_string_equal(p->measures[0].name, "runs");
    assert_true(p->times == EXP_TIMES_GIVEN && p->given_count == 2 && p->given_times[1] == 30);
    assert_true(p->compare_count == 0 && p->place == 1 && p->entry_count == 1);

    // a quick run has the first panel only
    exp_experiment_quicken(&e);
    assert_int_equal(e.panel_count, 1);
    assert_string_equal(e.panels[0].name, "p");
    exp_experiment_free(&e);
    exp_experiment_free(&e);
}

static void test_defaults(void **state)
{
    (void)state;
    exp_experiment e;
    lgkt_error error = {0};
    assert_ok(parse(&e,
                    "{\"horizon\": 7, \"instances\": 31, \"learners\": {\"s\": [{\"label\": \"A\","
                    " \"spec\": \"x\"}]}, \"panels\": [{\"name\": \"p\", \"environment\": \"y\","
                    " \"learners\": [\"s\"]}]}",
                    &error),
              error);
    const exp_panel *p = &e.panels[0];
    assert_string_equal(e.title, "mine");
    assert_string_equal(e.section, "mine");
    assert_string_equal(e.question, "");
    assert_true(e.seed == 1 && e.order == 1000 && p->quick_instances == 30 && !p->untold);
    assert_true(p->measure_count == 1 && p->measures[0].kind == EXP_MEASURE_AVERAGE);
    assert_string_equal(p->measures[0].word, "average");
    assert_true(p->times == EXP_TIMES_MIXED && p->compare_count == 5 && p->compare[4] == 100000);
    exp_experiment_free(&e);
}

// a thousand panels of a thousand learners have these once, or they would take 80 MB
static void test_learners_are_shared(void **state)
{
    (void)state;
    exp_experiment e;
    lgkt_error error = {0};
    assert_ok(
        parse(&e,
              "{\"horizon\": 7, \"instances\": 3, \"learners\": {\"s\": [{\"label\": \"A\","
              " \"spec\": \"x\"}], \"t\": [{\"label\": \"B\", \"spec\": \"y\"}]}, \"panels\": ["
              "{\"name\": \"p\", \"environment\": \"y\", \"learners\": [\"s\", \"t\"]},"
              "{\"name\": \"q\", \"environment\": \"z\", \"learners\": [\"s\", \"t\"]},"
              "{\"name\": \"r\", \"environment\": \"z\", \"learners\": [\"t\", \"s\"]},"
              "{\"name\": \"u\", \"environment\": \"z\", \"learners\": [\"t\"]}]}",
              &error),
        error);
    assert_ptr_equal(e.panels[0].entries, e.panels[1].entries);
    assert_int_equal(e.panels[1].entry_count, 2);
    assert_string_equal(e.panels[2].entries[0].label, "B");
    assert_true(e.panels[3].entry_count == 1 && e.panels[3].entries != e.panels[2].entries);
    exp_experiment_free(&e);
}

// ---- what is wrong ----

// WHOLE with its first `from` behind `after` replaced
static char *changed(const char *after, const char *from, const char *to)
{
    const char *at = strstr(strstr(WHOLE, after), from);
    assert_non_null(at);
    char *text = malloc(sizeof WHOLE + strlen(to));
    assert_non_null(text);
    sprintf(text, "%.*s%s%s", (int)(at - WHOLE), WHOLE, to, at + strlen(from));
    return text;
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *after, *from, *to, *words;
    } cases[] = {
        {"{", "title", "titel", "mine.json: unknown field \"titel\"; did you mean \"title\"?"},
        {"{", "\"T\"", "3", "mine.json: title: it must be a text"},
        {"{", "\"T\"", "\"a\\nb\"", "title: it has a control character"},
        {"order", "7", "-1", "order: it is -1; it must be in 0 .. 1000000"},
        {"seed", "9", "\"9\"", "seed: it must be a whole number"},
        {"horizon", "500", "0", "horizon: it is 0; it must be in 1 .. 1000000000000"},
        {"instances", "40", "1.5", "instances: it must be a whole number"},
        {"measure", "regret", "regrets", "measure: unknown measure \"regrets\"; did you mean"},
        {"measure", "event:e", "event:f", "measure: \"events\" has no \"f\""},
        {"measure", "event:e", "regret", "measure: \"regret\" is there twice"},
        {"measure", "event:e", "ratio", "measure: ratio goes with no other measure"},
        {"{", "\"regret\": {", "\"x\": {", "unknown field \"x\""},
        {"regret\": {", "\"k\": 2", "\"k\": 0", "regret.k: it is 0"},
        {"regret\": {", ", \"threshold\": 1.25", "", "regret.threshold: it is missing"},
        {"compare", "20", "10", "compare: entry 1: times are whole numbers from 1 on that"},
        {"untold", "true", "1", "untold: it must be true or false"},
        {"learners", "\"label\": \"A\", ", "", "learners.one[0].label: it is missing"},
        {"learners", "\"A\"", "\"B\"", "panels[0].learners: two of them have the label \"B\""},
        {"style", "#e69f00", "orange", "learners.one[0].style.color: it is \"orange\""},
        {"style", "short", "shrt", "style.dash: unknown \"shrt\"; did you mean \"short\"?"},
        {"style", "2.5", "0", "learners.one[0].style.width: it is 0; it must be in 0.1 .. 20"},
        {"panels", "name", "nam", "panels[0]: unknown field \"nam\"; did you mean \"name\"?"},
        {"panels", "\"environment\": \"gap\", ", "", "panels[0].environment: it is missing"},
        {"panels", "\"one\"", "\"on\"", "no set of learners \"on\"; did you mean \"one\"?"},
        {"panels", "[\"two\", \"one\"]", "[]", "panels[0].learners: it has 0 entries"},
        {"panels", "\"q\"", "\"p\"", "panels[1].name: a second panel \"p\""},
        {"panels", "[1, 30]", "\"often\"", "panels[1].checkpoints: it must be \"mixed\", \"log\""},
        {"panels", "}]}", "}, {}]}", "panels[2].name: it is missing"},
        {"panels", "}]}", "}]", "mine.json:1:"},
        {"{", "\"question\"", "\"title\"", "mine.json:1:"},
    };
    for (int32_t i = 0; i < COUNT(cases); i++) {
        exp_experiment e;
        lgkt_error error = {0};
        char *text = changed(cases[i].after, cases[i].from, cases[i].to);
        assert_refused(parse(&e, text, &error), LGKT_ERR_FORMAT, error, cases[i].words);
        assert_null(e.memory);
        free(text);
    }
    exp_experiment e;
    lgkt_error error = {0};
    const char *const hollow[] = {"", "[]", "3", "{}", "{\"learners\": {\"\": []}}", "\xff"};
    for (int32_t i = 0; i < COUNT(hollow); i++)
        assert_refused(parse(&e, hollow[i], &error), LGKT_ERR_FORMAT, error, "mine.json:");
    assert_refused(exp_experiment_read(&e, "/nowhere.json", &error), LGKT_ERR_NO_FILE, error,
                   "/nowhere.json");
    assert_refused(exp_experiment_parse(&e, WHOLE, strlen(WHOLE), "x/.json", &error),
                   LGKT_ERR_FORMAT, error, "must not begin with a dot");
}

// ---- words ----

static char folder[] = "/tmp/lgkt-experiments-XXXXXX";

static void put(const char *name, const char *collection, int order)
{
    char text[sizeof WHOLE + 100], *path = io_folder_file(folder, name);
    assert_non_null(path);
    const char *rest = strstr(WHOLE, "\"section\"");
    snprintf(text, sizeof text, "{\"collection\": \"%s\", \"order\": %d, %.*s%s", collection, order,
             (int)(strstr(rest, "\"order\"") - rest), rest, strstr(rest, "\"seed\""));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    free(path);
}

// the names of a choice, with blanks between them
static const char *chosen(const char *a, const char *b)
{
    static char names[200];
    const char *const words[] = {a, b};
    exp_choice choice;
    lgkt_error error = {0};
    assert_ok(exp_choose(&choice, words, b != NULL ? 2 : 1, &error), error);
    names[0] = '\0';
    for (int32_t i = 0; i < choice.count; i++)
        sprintf(names + strlen(names), "%s%s", i > 0 ? " " : "", choice.items[i].name);
    exp_choice_free(&choice);
    return names;
}

static void test_words(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("LGKT_EXPERIMENTS", folder, 1);
    put("zebra.json", "paper", 1);
    put("ape.json", "paper", 2);
    put("cat.json", "beyond", 0);
    put("dog.json", "own", 0);
    put("note.txt", "paper", 0);
    char *file = io_folder_file(folder, "dog.json"), deep[100];
    assert_string_equal(chosen("all", NULL), "zebra ape cat dog");
    assert_string_equal(chosen("paper", NULL), "zebra ape");
    assert_string_equal(chosen("own", "ape"), "dog ape");
    assert_string_equal(chosen("ape", "paper"), "ape zebra");
    assert_string_equal(chosen(file, "cat"), "dog cat");
    assert_string_equal(chosen(file, "paper"), "dog zebra ape");
    snprintf(deep, sizeof deep, "%s/sub", folder);
    mkdir(deep, 0777);
    snprintf(deep, sizeof deep, "%s/sub/dog.json", folder);
    put("sub/dog.json", "", 0);

    const struct {
        const char *word;
        lgkt_status status;
        const char *words;
    } bad[] = {{"zebr", LGKT_ERR_UNKNOWN_NAME, "unknown experiment \"zebr\"; did you mean zebra?"},
               {"papr", LGKT_ERR_UNKNOWN_NAME, "did you mean paper?"},
               {"elephants", LGKT_ERR_UNKNOWN_NAME, "see lgkt reproduce list"},
               {"arena", LGKT_ERR_UNKNOWN_NAME, "no experiments that \"arena\" stands for"},
               {"", LGKT_ERR_UNKNOWN_NAME, "unknown experiment \"\""},
               {"no.json", LGKT_ERR_NO_FILE, "no.json"},
               {deep, LGKT_ERR_CONFIG, "two experiments are named dog: "}};
    for (int32_t i = 0; i < COUNT(bad); i++) {
        const char *const words[] = {file, bad[i].word};
        exp_choice choice;
        lgkt_error error = {0};
        assert_refused(exp_choose(&choice, words, 2, &error), bad[i].status, error, bad[i].words);
        assert_true(choice.count == 0 && choice.items == NULL);
    }
    setenv("LGKT_EXPERIMENTS", "/dev/null/nowhere", 1);
    exp_choice choice;
    lgkt_error error = {0};
    assert_refused(exp_choose(&choice, &(const char *){"all"}, 1, &error), LGKT_ERR_NO_FILE, error,
                   "/nowhere");
    unsetenv("LGKT_EXPERIMENTS");
    const char *const made[] = {"zebra.json", "ape.json",     "cat.json", "dog.json",
                                "note.txt",   "sub/dog.json", "sub"};
    for (int32_t i = 0; i < COUNT(made); i++) {
        snprintf(deep, sizeof deep, "%s/%s", folder, made[i]);
        assert_int_equal(remove(deep), 0);
    }
    rmdir(folder);
    free(file);
}

// ---- those that come with the command ----

// Whether this text was not there before.
static bool is_new(const char *text)
{
    static const char *seen[4000];
    static int32_t count;
    for (int32_t i = 0; i < count; i++)
        if (strcmp(seen[i], text) == 0)
            return false;
    assert_true(count < COUNT(seen));
    seen[count++] = text;
    return true;
}

// Every environment once, every learner once on a small model, and whole panels where more than
// rewards is measured.
static void check_panel(const exp_experiment *e, const exp_panel *panel, const lgkt_env *small)
{
    lgkt_error error = {0};
    lgkt_env *env = NULL;
    // names become parts of file names
    assert_int_equal(strspn(panel->name, "abcdefghijklmnopqrstuvwxyz0123456789-."),
                     strlen(panel->name));
    assert_in_range(panel->horizon, 1, 10000000);
    assert_in_range(panel->instances, 1, 2000);
    assert_int_equal(panel->untold, strstr(e->name, "untold") != NULL);
    if (is_new(panel->env) &&
        exp_env_create(&(exp_world){.spec = panel->env}, 1, 0, &env, &error) != LGKT_OK)
        fail_msg("%s %s: %s", e->name, panel->name, error.text);
    lgkt_env_destroy(env);
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const exp_entry *entry = &panel->entries[l];
        exp_run game = {0};
        for (int32_t m = 0; m < l; m++)
            if (strcmp(panel->entries[m].spec, entry->spec) == 0 &&
                panel->entries[m].alone == entry->alone)
                fail_msg("%s %s: %s twice", e->name, panel->name, entry->spec);
        // who knows the model is an oracle, and nobody else is
        assert_int_equal(entry->oracle, learner_run_is_oracle(entry->spec));
        if (is_new(entry->spec) &&
            run_open(&game, entry->spec, 100, 1, small, 0, &error) != LGKT_OK)
            fail_msg("%s %s: %s", e->name, panel->name, error.text);
        exp_run_close(&game);
    }
    if (panel->measure_count > 1 || panel->measures[0].kind > EXP_MEASURE_CUMULATIVE) {
        exp_panel brief = *panel;
        brief.horizon = panel->horizon < 1000 ? panel->horizon : 1000;
        const exp_experiment one = {.name = e->name, .panels = &brief, .panel_count = 1};
        const exp_asked asked = {
            .experiment = &one, .replicates = 1, .seed = 1, .files = &io_true_files};
        exp_tasks tasks;
        if (exp_tasks_make(&tasks, &asked, &error) != LGKT_OK ||
            exp_tasks_check(&tasks, (exp_shard){0}, &error) != LGKT_OK)
            fail_msg("%s %s%s", e->name, panel->name, error.text);
        exp_tasks_free(&tasks);
    }
}

static void test_shipped_experiments(void **state)
{
    (void)state;
    exp_choice choice;
    lgkt_error error = {0};
    lgkt_env *small = NULL;
    int32_t counts[4] = {0};
    assert_ok(exp_choose(&choice, &(const char *){"all"}, 1, &error), error);
    assert_ok(lgkt_env_create("synthetic:states=4,actions=3", NULL, &small, &error), error);
    for (int32_t i = 0; i < choice.count; i++) {
        const exp_experiment *e = &choice.items[i];
        const int group = strncmp(e->name, "beyond-", 7) == 0      ? 1
                          : strncmp(e->name, "arena-", 6) == 0     ? 2
                          : strcmp(e->collection, "practice") == 0 ? 3
                                                                   : 0;
        static const char *const words[] = {"paper", "beyond", "arena", "practice"};
        counts[group]++;
        assert_string_equal(e->collection, words[group]);
        // settings are chosen on other instances than those they are judged on
        const bool second = group == 1 || strcmp(e->name, "tuning") == 0;
        assert_true(group == 3 || e->seed == (second ? 2 : 1));
        assert_true(e->shipped && e->question[0] != '\0' && strcmp(e->title, e->name) != 0);
        assert_string_not_equal(e->name, e->collection);
        for (int32_t p = 0; p < e->panel_count; p++)
            check_panel(e, &e->panels[p], small);
    }
    assert_true(counts[0] >= 17 && counts[1] == 4 && counts[2] == 8);
    assert_string_equal(choice.items[0].name, "synthetic-10");
    lgkt_env_destroy(small);
    exp_choice_free(&choice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_fields),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_learners_are_shared),
        cmocka_unit_test(test_mistakes_are_named),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_shipped_experiments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
