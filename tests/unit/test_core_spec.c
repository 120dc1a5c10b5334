// SPDX-License-Identifier: MIT
// The grammar of specs, the entry that a spec names, and suggestions for names that do not exist.

#include <stdlib.h>

#include "core/alloc.h"
#include "core/settings.h"
#include "core/text.h"
#include "ref/fault.h"
#include "ref/naive_spec.h"
#include "test.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

// a registry
static const lgkt_entry *zoo(int32_t i)
{
    static const lgkt_entry entries[] = {{.name = "random"}, {.name = "lg1t"},
                                         {.name = "lg2t"},   {.name = "lg1-2t"},
                                         {.name = "ucrl2"},  {.name = "optimistic-q-learning"}};
    return i >= 0 && i < (int32_t)COUNT(entries) ? &entries[i] : NULL;
}

static const lgkt_registry animals = {
    .what = "learner", .entry = zoo, .left_out = "lg3t|lg1t-rl|ucb"};

// ---- good specs ----

// Compares the pieces of a spec, given as "name|key=value|...".
static void check_pieces(const char *text, const char *expected)
{
    lgkt_error error;
    char pieces[256], found[256];
    snprintf(pieces, sizeof pieces, "%s", expected);
    char *at = strtok(pieces, "|");
    assert_ok(lgkt_spec_name(text, found, sizeof found, &error), error);
    assert_string_equal(found, at);
    while ((at = strtok(NULL, "|")) != NULL) {
        char *value = strchr(at, '=');
        *value++ = '\0';
        assert_ok(lgkt_spec_value(text, at, found, sizeof found, &error), error);
        assert_string_equal(found, value);
    }
}

static void pieces_are_found(void **state)
{
    (void)state;
    check_pieces("random", "random");
    check_pieces("lg2t:threshold=0.9,p=1/2", "lg2t|threshold=0.9|p=1/2");
    check_pieces("a:file=x/y.txt,k=1@0/2@100,e=b=c:d", "a|file=x/y.txt|k=1@0/2@100|e=b=c:d");
}

static void brackets_hold_anything(void **state)
{
    (void)state;
    check_pieces("lg1t-rl:rl=(ucrl2:delta=0.1,x=(a,b)),k=3",
                 "lg1t-rl|rl=ucrl2:delta=0.1,x=(a,b)|k=3");
    // what was in brackets is a spec again
    check_pieces("ucrl2:delta=0.1,x=(a,b)", "ucrl2|delta=0.1|x=a,b");
    check_pieces("a:b=((c))", "a|b=(c)");
}

static void blanks_around_pieces_are_dropped(void **state)
{
    (void)state;
    check_pieces("  a : b = c d ,  e=( f = g ) , h=i  ", "a|b=c d|e=f = g|h=i");
}

static void single_values_are_copied_out(void **state)
{
    (void)state;
    const char *spec = "lg1t-rl:k=3,rl=(ucrl2:delta=0.1)";
    char text[32];
    lgkt_error error;
    assert_ok(lgkt_spec_name(spec, text, sizeof text, &error), error);
    assert_string_equal(text, "lg1t-rl");
    assert_ok(lgkt_spec_value(spec, "rl", text, sizeof text, &error), error);
    assert_string_equal(text, "ucrl2:delta=0.1");
    assert_ok(lgkt_spec_value(spec, "k", text, 2, &error), error);
    assert_string_equal(text, "3");
}

static void single_values_are_refused(void **state)
{
    (void)state;
    const char *spec = "lg1t-rl:k=3,rl=(ucrl2:delta=0.1)";
    char text[32] = "as before";
    lgkt_error e;
    assert_refused(lgkt_spec_value(spec, "delta", text, 32, &e), LGKT_ERR_UNKNOWN_NAME, e,
                   "does not set \"delta\"");
    assert_refused(lgkt_spec_value(spec, "", text, 32, &e), LGKT_ERR_UNKNOWN_NAME, e, "set \"\"");
    assert_refused(lgkt_spec_value(spec, "rl", text, 15, &e), LGKT_ERR_SHAPE, e, "room for 16");
    assert_refused(lgkt_spec_value(spec, "k", text, 0, &e), LGKT_ERR_SHAPE, e, "room for 2");
    assert_refused(lgkt_spec_name(spec, text, 7, &e), LGKT_ERR_SHAPE, e, "room for 8");
    // the whole spec is checked, also behind what was asked for
    assert_refused(lgkt_spec_value("a:k=3,k=4", "k", text, 32, &e), LGKT_ERR_SPEC, e, "twice");
    assert_refused(lgkt_spec_value("a:k=3,b", "k", text, 32, &e), LGKT_ERR_SPEC, e, "missing '='");
    assert_refused(lgkt_spec_name("a:k=3,", text, 32, &e), LGKT_ERR_SPEC, e, "last ','");
    assert_refused(lgkt_spec_value(NULL, "k", text, 32, &e), LGKT_ERR_ARGUMENT, e, "spec is NULL");
    assert_refused(lgkt_spec_value(spec, NULL, text, 32, &e), LGKT_ERR_ARGUMENT, e, "key is NULL");
    assert_refused(lgkt_spec_value(spec, "k", NULL, 32, &e), LGKT_ERR_ARGUMENT, e, "value is NULL");
    assert_refused(lgkt_spec_name(NULL, text, 32, &e), LGKT_ERR_ARGUMENT, e, "spec is NULL");
    assert_refused(lgkt_spec_name(spec, NULL, 32, &e), LGKT_ERR_ARGUMENT, e, "name is NULL");
    assert_int_equal(lgkt_spec_value("", "k", text, 32, NULL), LGKT_ERR_SPEC);
    assert_string_equal(text, "as before");
}

// ---- bad specs ----

static void bad_specs_say_what_is_wrong(void **state)
{
    (void)state;
    const struct {
        const char *spec, *words;
    } cases[] = {{"", "empty name at place 1"},
                 {"   ", "empty name"},
                 {":a=1", "empty name"},
                 {"Lg2t", "name \"Lg2t\" has other characters than a-z, 0-9 and -"},
                 {"lg 2t", "name \"lg 2t\""},
                 {"lg_2t", "name \"lg_2t\""},
                 {"a,b", "name \"a,b\""},
                 {"a=b", "name \"a=b\""},
                 {"a(b)", "name \"a(b)\""},
                 {"a:", "nothing after ':'"},
                 {"a:  ", "nothing after ':'"},
                 {"a:foo", "missing '=' after \"foo\""},
                 {"a:b=1,foo", "missing '=' after \"foo\""},
                 {"a:foo,b=1", "missing '=' after \"foo\""},
                 {"a:foo(x)=1", "missing '=' after \"foo\""},
                 {"a:=1", "empty key at place 3"},
                 {"a:b=1,=2", "empty key at place 7"},
                 {"a:,", "empty key"},
                 {"a:b=1,,c=2", "empty key"},
                 {"a:(b=1)", "empty key"},
                 {"a:B=1", "key \"B\" has other characters"},
                 {"a:b c=1", "key \"b c\""},
                 {"a:b=", "no value after \"b=\""},
                 {"a:b= ,c=1", "no value after \"b=\""},
                 {"a:b=()", "no value after \"b=\""},
                 {"a:b=( )", "no value after \"b=\""},
                 {"a:b=1,", "nothing after the last ','"},
                 {"a:b=1, ", "nothing after the last ','"},
                 {"a:b=(1", "'(' of \"b\" is not closed"},
                 {"a:b=((1)", "'(' of \"b\" is not closed"},
                 {"a:b=(1))", "')' after the ')' of \"b\""},
                 {"a:b=(1)2", "'2' after the ')' of \"b\""},
                 {"a:b=1)", "')' within the value of \"b\""},
                 {"a:b=c(1)", "'(' within the value of \"b\""},
                 {"a:b=)(", "')' within the value of \"b\""},
                 {"a:b=1,c=2,b=3", "\"b\" is set twice"},
                 {"a:b=1,b=1", "\"b\" is set twice"},
                 {"a:b=1\n", "control character (number 10) at place 6"},
                 {"a\t:b=1", "control character (number 9) at place 2"},
                 {"a:b=\x7f", "control character (number 127)"},
                 {"a:b=(\x01)", "control character (number 1)"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char name[16] = "as before";
        lgkt_error error = {0};
        assert_refused(lgkt_spec_name(cases[i].spec, name, sizeof name, &error), LGKT_ERR_SPEC,
                       error, cases[i].words);
        assert_int_equal(error.status, LGKT_ERR_SPEC);
        assert_string_equal(name, "as before");
        assert_int_equal(lgkt_spec_name(cases[i].spec, name, sizeof name, NULL), LGKT_ERR_SPEC);
        lgkt_settings settings = {.index = 99};
        assert_refused(lgkt_settings_read(cases[i].spec, &animals, 1, NULL, &settings, &error),
                       LGKT_ERR_SPEC, error, cases[i].words);
        assert_int_equal(settings.index, 99); // not written
    }
    lgkt_settings settings;
    lgkt_error error;
    assert_refused(lgkt_settings_read(NULL, &animals, 1, NULL, &settings, &error),
                   LGKT_ERR_ARGUMENT, error, "NULL");
}

static void absurd_lengths_are_refused(void **state)
{
    (void)state;
    char *text = calloc(1, 100001), name[4097];
    assert_non_null(text);
    lgkt_error error;
    memset(text, 'x', 4096);
    assert_ok(lgkt_spec_name(text, name, sizeof name, &error), error);
    assert_int_equal(strlen(name), 4096);
    text[4096] = 'x';
    assert_refused(lgkt_spec_name(text, name, sizeof name, &error), LGKT_ERR_SPEC, error,
                   "more than 4096 characters");
    memset(text, '(', 100000);
    assert_refused(lgkt_spec_name(text, name, sizeof name, &error), LGKT_ERR_SPEC, error, "4096");
    // as many pairs as there is room for
    strcpy(text, "a:");
    int pairs = 0;
    while (strlen(text) < 4080)
        snprintf(text + strlen(text), 32, "%sk%d=%d", pairs > 0 ? "," : "", pairs, pairs), pairs++;
    for (int i = 0; i < pairs; i++) {
        char key[16], value[16];
        snprintf(key, sizeof key, "k%d", i);
        assert_ok(lgkt_spec_value(text, key, value, sizeof value, &error), error);
        assert_int_equal(atoi(value), i);
    }
    free(text);
}

// ---- against the slow version ----

static void compare_with_naive(const char *text)
{
    naive_spec expected;
    char found[NAIVE_SPEC_LENGTH];
    const bool good = naive_spec_parse(text, &expected);
    const lgkt_status status = lgkt_spec_name(text, found, sizeof found, NULL);
    if (status != (good ? LGKT_OK : LGKT_ERR_SPEC))
        fail_msg("\"%s\": %s", text, lgkt_status_name(status));
    if (!good)
        return;
    assert_string_equal(found, expected.name);
    for (int i = 0; i < expected.count; i++) {
        assert_int_equal(lgkt_spec_value(text, expected.keys[i], found, sizeof found, NULL),
                         LGKT_OK);
        assert_string_equal(found, expected.values[i]);
    }
}

static void all_short_specs_agree_with_the_slow_version(void **state)
{
    (void)state;
    const char letters[] = "a1=,() :";
    char text[16];
    for (int length = 0; length <= 5; length++) {
        const int total = 1 << (3 * length);
        for (int code = 0; code < total; code++) {
            // once as a whole spec, once behind a name
            for (int i = 0; i < length; i++)
                text[i] = letters[(code >> (3 * i)) & 7];
            text[length] = '\0';
            compare_with_naive(text);
            memmove(text + 4, text, (size_t)length + 1);
            memcpy(text, "a:a=", 4);
            compare_with_naive(text);
        }
    }
}

static void random_specs_agree_with_the_slow_version(void **state)
{
    (void)state;
    const char *parts[] = {"a", "b=", "c=1", ",", "(", ")", "(x,y)", " ", "=", ":", "-", "\t", "A"};
    lgkt_rng rng = lgkt_rng_stream(1, "spec", 0);
    for (int i = 0; i < 50000; i++) {
        char text[NAIVE_SPEC_LENGTH] = "a:b=";
        const int n = lgkt_rng_below(&rng, 10);
        for (int k = 0; k < n; k++)
            strcat(text, parts[lgkt_rng_below(&rng, COUNT(parts))]);
        compare_with_naive(text);
    }
}

// ---- registry ----

static const lgkt_entry *nothing(int32_t i)
{
    (void)i;
    return NULL;
}

static const lgkt_registry no_animals = {
    .what = "environment", .entry = nothing, .left_out = "lake"};

static void entries_are_found_by_name(void **state)
{
    (void)state;
    lgkt_error error;
    for (int32_t i = 0; zoo(i) != NULL; i++) {
        lgkt_settings read;
        assert_ok(lgkt_settings_read(zoo(i)->name, &animals, 1, NULL, &read, &error), error);
        assert_int_equal(read.index, i);
        free(read.text);
    }
}

static void unknown_names_get_a_hint(void **state)
{
    (void)state;
    const struct {
        const char *name, *words;
    } cases[] = {
        {"lg4t", "unknown learner \"lg4t\"; did you mean \"lg1t\"?"},
        {"radnom", "did you mean \"random\"?"},
        {"optimstic-qlerning", "did you mean \"optimistic-q-learning\"?"},
        {"ucrl", "did you mean \"ucrl2\"?"},
        {"zzzzzz", "known: random, lg1t, lg2t, lg1-2t, ucrl2, optimistic-q-learning"},
        {"x", "known: random"},
        // near to others, but known to be missing
        {"lg3t", "learner \"lg3t\" is not in this build; known: random, lg1t, lg2t, lg1-2t, ucrl2, "
                 "optimistic-q-learning"},
        {"lg1t-rl:x=1", "learner \"lg1t-rl\" is not in this build; known: random"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        lgkt_settings read = {.index = -1};
        lgkt_error e;
        assert_refused(lgkt_settings_read(cases[i].name, &animals, 1, NULL, &read, &e),
                       LGKT_ERR_UNKNOWN_NAME, e, cases[i].words);
        assert_int_equal(read.index, -1);
    }
    lgkt_settings read;
    lgkt_error e;
    assert_refused(lgkt_settings_read("a", &no_animals, 1, NULL, &read, &e), LGKT_ERR_UNKNOWN_NAME,
                   e, "unknown environment \"a\"; there are none");
}

// ---- suggestions ----

// The same distance by plain recursion over the first i and j letters.
static int32_t naive_distance(const char *a, const char *b, int i, int j)
{
    if (i == 0 || j == 0)
        return i + j;
    int32_t best = naive_distance(a, b, i - 1, j - 1) + (a[i - 1] != b[j - 1]);
    const int32_t drop = naive_distance(a, b, i - 1, j) + 1;
    const int32_t insert = naive_distance(a, b, i, j - 1) + 1;
    best = drop < best ? drop : best;
    best = insert < best ? insert : best;
    if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        const int32_t swap = naive_distance(a, b, i - 2, j - 2) + 1;
        best = swap < best ? swap : best;
    }
    return best;
}

static void distances_agree_with_the_slow_version(void **state)
{
    (void)state;
    assert_int_equal(lgkt_edit_distance("kitten", "sitting", 99), 3);
    assert_int_equal(lgkt_edit_distance("treshold", "threshold", 99), 1);
    assert_int_equal(lgkt_edit_distance("ab", "ba", 99), 1);
    assert_int_equal(lgkt_edit_distance("ca", "abc", 99), 3); // no letter is edited twice
    assert_int_equal(lgkt_edit_distance("", "abcd", 99), 4);
    assert_int_equal(lgkt_edit_distance("abcdef", "", 3), 3);
    lgkt_rng rng = lgkt_rng_stream(1, "distance", 0);
    for (int t = 0; t < 500; t++) {
        char a[7] = "", b[7] = "";
        for (int i = lgkt_rng_below(&rng, 7); i > 0; i--)
            a[i - 1] = (char)('a' + lgkt_rng_below(&rng, 3));
        for (int i = lgkt_rng_below(&rng, 7); i > 0; i--)
            b[i - 1] = (char)('a' + lgkt_rng_below(&rng, 3));
        assert_int_equal(lgkt_edit_distance(a, b, 99),
                         naive_distance(a, b, (int)strlen(a), (int)strlen(b)));
    }
    char longer[100];
    memset(longer, 'a', 99);
    longer[99] = '\0';
    assert_int_equal(lgkt_edit_distance(longer, "a", 7), 7);
    longer[64] = '\0';
    assert_int_equal(lgkt_edit_distance(longer, "a", 99), 63);
}

static void lists_of_names_are_cut_to_fit(void **state)
{
    (void)state;
    const char *whole = "known: random, lg1t, lg2t, lg1-2t, ucrl2, optimistic-q-learning";
    const size_t enough = strlen(whole) + 1;
    for (size_t size = 12; size <= enough + 3; size++) {
        lgkt_hint hint = {.word = "zzzzzzzz", .size = size};
        memset(hint.text, '#', sizeof hint.text);
        for (int32_t i = 0; zoo(i) != NULL; i++)
            lgkt_hint_add(&hint, zoo(i)->name);
        const char *text = lgkt_hint_text(&hint);
        assert_true(strlen(text) < size);
        assert_int_equal(text[size], '#');
        if (size >= enough) {
            assert_string_equal(text, whole);
        } else {
            // a beginning of the list that ends behind a name, then dots
            const size_t length = strlen(text) - 3;
            assert_string_equal(text + length, "...");
            assert_memory_equal(text, whole, length);
            assert_int_equal(text[length - 1], ' ');
        }
        // no name is left out that had room
        if (size == strlen("known: random, lg1t, lg2t, ...") + 1)
            assert_string_equal(text, "known: random, lg1t, lg2t, ...");
    }
}

// ---- memory ----

static lgkt_status read_with(void *ctx, const lgkt_allocator *hooks, lgkt_error *error)
{
    lgkt_settings read;
    const lgkt_status status = lgkt_settings_read(ctx, &animals, 1, hooks, &read, error);
    if (status == LGKT_OK)
        lgkt_free(hooks, read.text);
    return status;
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    char plain[] = "random";
    assert_true(fault_sweep(read_with, plain) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_found),
        cmocka_unit_test(brackets_hold_anything),
        cmocka_unit_test(blanks_around_pieces_are_dropped),
        cmocka_unit_test(single_values_are_copied_out),
        cmocka_unit_test(single_values_are_refused),
        cmocka_unit_test(bad_specs_say_what_is_wrong),
        cmocka_unit_test(absurd_lengths_are_refused),
        cmocka_unit_test(all_short_specs_agree_with_the_slow_version),
        cmocka_unit_test(random_specs_agree_with_the_slow_version),
        cmocka_unit_test(entries_are_found_by_name),
        cmocka_unit_test(unknown_names_get_a_hint),
        cmocka_unit_test(distances_agree_with_the_slow_version),
        cmocka_unit_test(lists_of_names_are_cut_to_fit),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
