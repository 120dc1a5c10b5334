// SPDX-License-Identifier: MIT
// From specs to settings and back.

#include <stdlib.h>

#include "core/settings.h"
#include "test.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

// ---- a table with everything in it ----

typedef struct sample {
    int64_t count, seed;
    double threshold, p, scale;
    int ties, sampler;
    const char *note, *inner;
} sample;

#define ROW(field_, type_, fallback_, min_, max_, choices_)                                        \
    {                                                                                              \
        .param = {.name = #field_,                                                                 \
                  .type = LGKT_PARAM_##type_,                                                      \
                  .fallback = fallback_,                                                           \
                  .min = min_,                                                                     \
                  .max = max_,                                                                     \
                  .choices = choices_,                                                             \
                  .help = ""},                                                                     \
        .offset = offsetof(sample, field_)                                                         \
    }

static const lgkt_param_row sample_params[] = {
    ROW(count, INTEGER, "10", 1, 1000, NULL),
    ROW(seed, INTEGER, "@drawn", -9.3e18, 9.3e18, NULL),
    ROW(threshold, REAL, "@from the rewards", -1e9, 1e9, NULL),
    ROW(p, REAL, "1/2", 0, 1, NULL),
    ROW(scale, REAL, "1", 0, (double)INFINITY, NULL),
    ROW(ties, CHOICE, "uniform", 0, 0, "uniform|low|high"),
    ROW(sampler, CHOICE, "@by depth", 0, 0, "ucb|ucbvi"),
    ROW(note, TEXT, "", 0, 0, NULL),
    ROW(inner, TEXT, "@none", 0, 0, NULL),
};

static const lgkt_entry sample_entry = {
    .name = "sample", .params = sample_params, .param_count = COUNT(sample_params)};
static const lgkt_entry bare_entry = {.name = "bare"};

static const lgkt_entry *only; // the registry

static const lgkt_entry *entry_at(int32_t i)
{
    return i == 0 ? only : NULL;
}

// Reads a spec of an entry; the caller frees the text, which is NULL after a failure.
static lgkt_status fill_born(const lgkt_entry *entry, const char *text, int32_t born, char **owned,
                             sample *made, lgkt_error *error)
{
    lgkt_settings read;
    only = entry;
    const lgkt_registry registry = {.what = "thing", .entry = entry_at};
    const lgkt_status status = lgkt_settings_read(text, &registry, born, NULL, &read, error);
    *owned = status == LGKT_OK ? read.text : NULL;
    if (status == LGKT_OK)
        memcpy(made, read.values, sizeof *made);
    return status;
}

static lgkt_status fill(const lgkt_entry *entry, const char *text, char **owned, sample *made,
                        lgkt_error *error)
{
    return fill_born(entry, text, 1, owned, made, error);
}

// ---- filling ----

static void fallbacks_fill_what_is_not_set(void **state)
{
    (void)state;
    char *spec;
    lgkt_error error;
    sample made = {0};
    memset(&made, 0x5a, sizeof made);
    assert_ok(fill(&sample_entry, "sample", &spec, &made, &error), error);
    assert_int_equal(made.count, 10);
    assert_true(made.seed == LGKT_UNSET_INTEGER);
    assert_true(isnan(made.threshold));
    assert_close(made.p, 0.5, 0.0);
    assert_close(made.scale, 1.0, 0.0);
    assert_int_equal(made.ties, 0);
    assert_int_equal(made.sampler, LGKT_UNSET_CHOICE);
    assert_string_equal(made.note, "");
    assert_null(made.inner);
    free(spec);
}

static void values_of_every_type_are_set(void **state)
{
    (void)state;
    char *spec;
    lgkt_error error;
    sample made = {0};
    assert_ok(fill(&sample_entry,
                   "sample:inner=(x:y=(1,2)),note=two words,sampler=ucbvi,ties=high,scale=1e300,"
                   "p=1,threshold=-0.25,seed=-9223372036854775807,count=1e3",
                   &spec, &made, &error),
              error);
    assert_int_equal(made.count, 1000);
    assert_true(made.seed == -INT64_MAX);
    assert_close(made.threshold, -0.25, 0.0);
    assert_close(made.p, 1.0, 0.0);
    assert_close(made.scale, 1e300, 0.0);
    assert_int_equal(made.ties, 2);
    assert_int_equal(made.sampler, 1);
    assert_string_equal(made.note, "two words");
    assert_string_equal(made.inner, "x:y=(1,2)");
    free(spec);
}

static void bad_values_say_what_is_allowed(void **state)
{
    (void)state;
    const struct {
        const char *spec, *words;
    } cases[] = {
        {"sample:count=abc", "sample: count=abc is not a whole number"},
        {"sample:count=1.5", "count=1.5 is not a whole number"},
        {"sample:count=99999999999999999999", "is not a whole number"},
        {"sample:seed=-9223372036854775808", "is not a whole number"},
        {"sample:count=0", "sample: count=0 is out of range [1, 1000]"},
        {"sample:count=1001", "count=1001 is out of range [1, 1000]"},
        {"sample:threshold=abc", "sample: threshold=abc is not a number"},
        {"sample:threshold=nan", "threshold=nan is not a number"},
        {"sample:scale=inf", "scale=inf is not a number"},
        {"sample:threshold=0x1p3", "threshold=0x1p3 is not a number"},
        {"sample:p=3", "sample: p=3 is out of range [0, 1]"},
        {"sample:p=-1e-300", "p=-1e-300 is out of range [0, 1]"},
        {"sample:scale=-1", "scale=-1 is out of range [0, inf)"},
        {"sample:p=1/0", "p=1/0 is not a number"},
        {"sample:ties=lo", "sample: ties=lo is not one of uniform|low|high"},
        {"sample:ties=uniform|low", "is not one of uniform|low|high"},
        {"sample:ties=LOW", "is not one of"},
        {"sample:treshold=1",
         "sample: unknown parameter \"treshold\"; did you mean \"threshold\"?"},
        {"sample:zzzzzzzzz=1",
         "unknown parameter \"zzzzzzzzz\"; known: count, seed, threshold, p, scale, ties"},
        {"sample:p=0.5,q=1", "unknown parameter \"q\"; known: "},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *spec;
        lgkt_error error = {0};
        sample made;
        assert_refused(fill(&sample_entry, cases[i].spec, &spec, &made, &error), LGKT_ERR_SPEC,
                       error, cases[i].words);
        assert_int_equal(fill(&sample_entry, cases[i].spec, &spec, &made, NULL), LGKT_ERR_SPEC);
        free(spec);
    }
}

static void messages_about_long_values_are_cut(void **state)
{
    (void)state;
    char text[3000] = "sample:p=";
    memset(text + 9, 'y', 2000);
    char *spec;
    lgkt_error error;
    sample made = {0};
    assert_refused(fill(&sample_entry, text, &spec, &made, &error), LGKT_ERR_SPEC, error,
                   "yyyy is not a number");
    free(spec);
}

static void an_entry_without_parameters_takes_none(void **state)
{
    (void)state;
    char *spec;
    lgkt_error error;
    sample made = {0};
    assert_ok(fill(&bare_entry, "bare", &spec, &made, &error), error);
    free(spec);
    assert_refused(fill(&bare_entry, "bare:p=1", &spec, &made, &error), LGKT_ERR_SPEC, error,
                   "bare: unknown parameter \"p\"; there are none");
    free(spec);
}

static void a_bad_fallback_is_found(void **state)
{
    (void)state;
    const lgkt_param_row wrong = ROW(p, REAL, "2", 0, 1, NULL);
    const lgkt_entry entry = {.name = "wrong", .params = &wrong, .param_count = 1};
    char *spec;
    lgkt_error error;
    sample made = {0};
    assert_refused(fill(&entry, "wrong:p=1", &spec, &made, &error), LGKT_ERR_SPEC, error,
                   "wrong: p=2 is out of range [0, 1]");
    free(spec);
}

// ---- choices ----

static void choices_are_matched_whole(void **state)
{
    (void)state;
    const char *choices = "one|two|three|t";
    assert_int_equal(lgkt_choice_index(choices, "one"), 0);
    assert_int_equal(lgkt_choice_index(choices, "two"), 1);
    assert_int_equal(lgkt_choice_index(choices, "three"), 2);
    assert_int_equal(lgkt_choice_index(choices, "t"), 3);
    const char *wrong[] = {"", "on", "onee", "one|two", "|", "th", "One", " one"};
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(lgkt_choice_index(choices, wrong[i]), -1);
    assert_int_equal(lgkt_choice_index("single", "single"), 0);
    assert_int_equal(lgkt_choice_index(NULL, "x"), -1);
}

// ---- printing ----

static void settings_print_in_full(void **state)
{
    (void)state;
    char *spec;
    lgkt_error error;
    sample made = {0};
    char text[256];
    assert_ok(fill(&sample_entry, "sample", &spec, &made, &error), error);
    const char *defaults = "sample:count=10,p=0.5,scale=1,ties=uniform";
    assert_int_equal(lgkt_settings_print(&sample_entry, &made, text, sizeof text),
                     strlen(defaults));
    assert_string_equal(text, defaults);
    free(spec);

    assert_ok(fill(&sample_entry, "sample:inner=(a:b=1,c=2),note=x y,p=1/3,sampler=ucb,seed=-5",
                   &spec, &made, &error),
              error);
    lgkt_settings_print(&sample_entry, &made, text, sizeof text);
    assert_string_equal(text, "sample:count=10,seed=-5,p=0.3333333333333333,scale=1,ties=uniform,"
                              "sampler=ucb,note=x y,inner=(a:b=1,c=2)");
    free(spec);

    assert_int_equal(lgkt_settings_print(&bare_entry, &made, text, sizeof text), 4);
    assert_string_equal(text, "bare");
}

static void printing_is_cut_like_snprintf(void **state)
{
    (void)state;
    char *spec;
    lgkt_error error;
    sample made = {0};
    char whole[256];
    assert_ok(fill(&sample_entry, "sample:inner=(a,b)", &spec, &made, &error), error);
    const size_t length = lgkt_settings_print(&sample_entry, &made, whole, sizeof whole);
    assert_int_equal(length, strlen(whole));
    assert_int_equal(lgkt_settings_print(&sample_entry, &made, NULL, 0), length);
    for (size_t size = 1; size <= length + 2; size++) {
        char text[256];
        memset(text, '#', sizeof text);
        assert_int_equal(lgkt_settings_print(&sample_entry, &made, text, size), length);
        assert_int_equal(strlen(text), size <= length ? size - 1 : length);
        assert_memory_equal(text, whole, strlen(text));
        assert_int_equal(text[size], '#');
    }
    free(spec);
}

static double any_double(lgkt_rng *rng)
{
    double x;
    do {
        const uint64_t bits = lgkt_rng_next(rng);
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

// Settings with random values, each unset now and then where that is possible.
static sample random_sample(lgkt_rng *rng)
{
    static const char *texts[] = {"x", "a b", "a,b", "(a)", "f(x),g(y)", "k=1:2", "1@0/2@100"};
    sample made = {.count = 1 + lgkt_rng_below(rng, 1000),
                   .seed = (int64_t)(lgkt_rng_next(rng) >> 1),
                   .threshold = fmod(any_double(rng), 1e9),
                   .p = lgkt_rng_uniform(rng),
                   .scale = fabs(any_double(rng)),
                   .ties = lgkt_rng_below(rng, 3),
                   .sampler = lgkt_rng_below(rng, 3) - 1,
                   .note = texts[lgkt_rng_below(rng, COUNT(texts))],
                   .inner = NULL};
    if (lgkt_rng_bernoulli(rng, 0.2))
        made.threshold = (double)NAN;
    if (lgkt_rng_bernoulli(rng, 0.2))
        made.seed = LGKT_UNSET_INTEGER;
    if (lgkt_rng_bernoulli(rng, 0.5))
        made.inner = texts[lgkt_rng_below(rng, COUNT(texts))];
    return made;
}

static bool same_real(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_words(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void what_is_printed_reads_back_the_same(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(1, "settings", 0);
    for (int i = 0; i < 5000; i++) {
        const sample given = random_sample(&rng);
        sample back = {0};
        char text[512];
        char *spec;
        lgkt_error error;
        assert_true(lgkt_settings_print(&sample_entry, &given, text, sizeof text) < sizeof text);
        assert_ok(fill(&sample_entry, text, &spec, &back, &error), error);
        assert_true(back.count == given.count && back.seed == given.seed);
        assert_true(same_real(back.threshold, given.threshold));
        assert_true(same_real(back.p, given.p) && same_real(back.scale, given.scale));
        assert_true(back.ties == given.ties && back.sampler == given.sampler);
        assert_true(same_words(back.note, given.note) && same_words(back.inner, given.inner));
        free(spec);
    }
}

// ---- tables that grow ----

static const lgkt_param_row grown_params[] = {
    LGKT_ROW_INTEGER(sample, count, "count", "7", 0, 9, "new", .since = 3, .before = "2"),
    LGKT_ROW_REAL(sample, p, "p", "1", 0, 1, "as ever"),
    LGKT_ROW_TEXT(sample, note, "note", "(a,b)", "as ever"),
    LGKT_ROW_CHOICE(sample, ties, "ties", "@computed", "low|high", "new", .since = 2,
                    .before = "high"),
};
static const lgkt_entry grown_entry = {
    .name = "grown", .params = grown_params, .param_count = COUNT(grown_params)};

static void what_is_not_said_means_what_it_meant(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int32_t born, count, ties;
    } cases[] = {
        {"grown", 1, 2, 1},
        {"grown", 2, 2, LGKT_UNSET_CHOICE},
        {"grown", 3, 7, LGKT_UNSET_CHOICE},
        {"grown:count=5", 1, 5, 1},
        {"grown:ties=low", 1, 2, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        sample made;
        char *spec;
        assert_int_equal(fill_born(&grown_entry, cases[i].spec, cases[i].born, &spec, &made, NULL),
                         LGKT_OK);
        assert_int_equal(made.count, cases[i].count);
        assert_int_equal(made.ties, cases[i].ties);
        free(spec);
    }
}

static void older_specs_agree_but_for_what_was_added(void **state)
{
    (void)state;
    static const char full[] = "grown:count=2,p=1,note=(a,b),ties=high";
    static const struct {
        const char *older;
        int32_t born;
        bool agrees;
    } cases[] = {
        {full, 3, true},
        {full, 1, true},
        {"grown:p=1,note=(a,b)", 1, true},
        {"grown:p=1,note=(a,b)", 2, false}, // had ties by then
        {"grown:p=1,note=(a,b),ties=high", 2, true},
        {"grown:p=1,note=(a,b),ties=high", 3, false},
        {"grown:p=0.5,note=(a,b)", 1, false},
        {"grown:note=(a,b)", 1, false},
        {"grown:p=1", 1, false},
        {"grown:p=1,note=(a,b),gone=4", 1, false},
        {"grown:p=1,note=(a", 1, false},
        {"grown:p=1,note=(a,b),", 1, false},
        {"grown:", 1, false},
        {"grown", 1, false},
        {"grow:p=1,note=(a,b)", 1, false},
        {"", 1, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (lgkt_settings_agree(&grown_entry, full, cases[i].older, cases[i].born) !=
            cases[i].agrees)
            fail_msg("%s at %d", cases[i].older, cases[i].born);
    assert_true(lgkt_settings_agree(&bare_entry, "bare", "bare", 1));
    assert_false(lgkt_settings_agree(&bare_entry, "bare", "bare:", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fallbacks_fill_what_is_not_set),
        cmocka_unit_test(values_of_every_type_are_set),
        cmocka_unit_test(bad_values_say_what_is_allowed),
        cmocka_unit_test(messages_about_long_values_are_cut),
        cmocka_unit_test(an_entry_without_parameters_takes_none),
        cmocka_unit_test(a_bad_fallback_is_found),
        cmocka_unit_test(choices_are_matched_whole),
        cmocka_unit_test(settings_print_in_full),
        cmocka_unit_test(printing_is_cut_like_snprintf),
        cmocka_unit_test(what_is_printed_reads_back_the_same),
        cmocka_unit_test(what_is_not_said_means_what_it_meant),
        cmocka_unit_test(older_specs_agree_but_for_what_was_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
