// SPDX-License-Identifier: MIT
// labels: slow
// Specs of learners: bad values made from the parameter tables, and the full spec, for every
// registered learner with every profile and choice (learner_run_spec).

#include "test.h"

#include "ref/learner_run.h"
#include "ref/state_learners.h"
#include "ref/models.h"

enum { STEPS = 30 };

// ---- bad specs ----

static lgkt_status try_spec(const lgkt_mdp *model, const char *spec, lgkt_error *error)
{
    const lgkt_learner_config config = learner_run_config(model, STEPS);
    lgkt_learner *const mark = (lgkt_learner *)&config;
    lgkt_learner *learner = mark;
    const lgkt_status status = lgkt_learner_create(spec, &config, &learner, error);
    if (status == LGKT_OK)
        lgkt_learner_destroy(learner);
    else
        assert_ptr_equal(learner, mark);
    return status;
}

// name:key=value is refused, and the message has all three and the words
static void check_value(const lgkt_mdp *model, const lgkt_entry *entry, const lgkt_param *param,
                        const char *value, const char *words)
{
    char spec[256], shown[256];
    snprintf(spec, sizeof spec, "%s:%s=%s", entry->name, param->name, value);
    snprintf(shown, sizeof shown, "%s: %s=%s ", entry->name, param->name, value);
    lgkt_error error = {0};
    const lgkt_status status = try_spec(model, spec, &error);
    if (status != LGKT_ERR_SPEC || strstr(error.text, shown) == NULL ||
        strstr(error.text, words) == NULL)
        fail_msg("%s: %s \"%s\", expected SPEC with \"%s\"", spec, lgkt_status_name(status),
                 error.text, words);
}

// a bound of a range as a user would type it, moved outwards by `more` units
static void print_bound(char value[64], const lgkt_param *param, double bound, int more)
{
    if (param->type == LGKT_PARAM_INTEGER)
        snprintf(value, 64, "%lld", (long long)bound + more);
    else
        snprintf(value, 64, "%.17g", bound + more * fmax(fabs(bound), 1) * 1e-12);
}

static void check_number(const lgkt_mdp *model, const lgkt_entry *entry, const lgkt_param *param)
{
    static const char *const no_numbers[] = {"x",   "1x",    "nan", "inf",  "-inf", "0x10",
                                             "--1", "1e999", "1/0", "1..2", "1 2",  "true"};
    for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++)
        check_value(model, entry, param, no_numbers[i],
                    param->type == LGKT_PARAM_INTEGER ? "is not a whole number"
                                                      : "is not a number");
    if (param->type == LGKT_PARAM_INTEGER)
        check_value(model, entry, param, "1.5", "is not a whole number");
    for (int side = -1; side <= 1; side += 2) {
        const double bound = side < 0 ? param->min : param->max;
        char value[64], spec[256];
        print_bound(value, param, bound, side);
        check_value(model, entry, param, value, "is out of range [");
        // the bound itself is in range, though it may not go together with other values
        print_bound(value, param, bound, 0);
        snprintf(spec, sizeof spec, "%s:%s=%s", entry->name, param->name, value);
        lgkt_error error = {0};
        const lgkt_status status = try_spec(model, spec, &error);
        assert_true(status == LGKT_OK || status == LGKT_ERR_SPEC || status == LGKT_ERR_SHAPE ||
                    (status == LGKT_ERR_UNSUPPORTED && !(entry->traits & LGKT_TRAIT_STATES)));
        assert_null(strstr(error.text, "out of range"));
    }
}

static void check_unknown_key(const lgkt_mdp *model, const lgkt_entry *entry,
                              const lgkt_param *param)
{
    char spec[256], words[256];
    lgkt_error error = {0};
    // a last letter typed twice
    snprintf(spec, sizeof spec, "%s:%s%c=1", entry->name, param->name,
             param->name[strlen(param->name) - 1]);
    snprintf(words, sizeof words, "did you mean \"%s\"?", param->name);
    assert_refused(try_spec(model, spec, &error), LGKT_ERR_SPEC, error, words);
    snprintf(spec, sizeof spec, "%s:no-such-parameter-at-all=1", entry->name);
    assert_refused(try_spec(model, spec, &error), LGKT_ERR_SPEC, error,
                   "unknown parameter \"no-such-parameter-at-all\"; known: ");
    snprintf(spec, sizeof spec, "%s:%s=1,%s=1", entry->name, param->name, param->name);
    assert_refused(try_spec(model, spec, &error), LGKT_ERR_SPEC, error, "is set twice");
    snprintf(spec, sizeof spec, "%s:%s=", entry->name, param->name);
    assert_refused(try_spec(model, spec, &error), LGKT_ERR_SPEC, error, "no value after");
}

static void test_bad_spec_values_are_refused(void **state)
{
    for (int32_t i = 0; lgkt_learner_entry(i) != NULL; i++) {
        const lgkt_entry *entry = lgkt_learner_entry(i);
        for (int32_t j = 0; j < entry->param_count; j++) {
            const lgkt_param *param = lgkt_entry_param(entry, j);
            if (param->type == LGKT_PARAM_CHOICE) {
                check_value(*state, entry, param, "no-such-choice", "is not one of ");
                check_value(*state, entry, param, "no-such-choice", param->choices);
                check_value(*state, entry, param, param->choices, "is not one of ");
            } else if (param->type != LGKT_PARAM_TEXT) {
                check_number(*state, entry, param);
            }
            check_unknown_key(*state, entry, param);
        }
    }
}

static void test_unknown_names_are_refused(void **state)
{
    lgkt_error error = {0};
    for (int32_t i = 0; lgkt_learner_entry(i) != NULL; i++) {
        char spec[128], words[128];
        const char *name = lgkt_learner_entry(i)->name;
        snprintf(spec, sizeof spec, "%s%c", name, name[strlen(name) - 1]);
        snprintf(words, sizeof words, "did you mean \"%s\"?", name);
        assert_refused(try_spec(*state, spec, &error), LGKT_ERR_UNKNOWN_NAME, error, words);
    }
    assert_refused(try_spec(*state, "no-such-learner-at-all", &error), LGKT_ERR_UNKNOWN_NAME, error,
                   "unknown learner \"no-such-learner-at-all\"; known: auto, lg1t");
    assert_int_equal(try_spec(*state, "", &error), LGKT_ERR_SPEC);
    assert_int_equal(try_spec(*state, "lg1t:", &error), LGKT_ERR_SPEC);
    assert_int_equal(try_spec(*state, "lg1t:threshold", &error), LGKT_ERR_SPEC);
    assert_refused(try_spec(*state, "random:x=1", &error), LGKT_ERR_SPEC, error, "there are none");
}

// ---- the full spec ----

// Texts that nobody typed, a number without a limit and those that change with time or count may be
// left out of a full spec; and what came after the first saved states, where nothing else is meant
// than then.
static bool may_be_left_out(const lgkt_param *param)
{
    static const char *const names[] = {"max-raises", "precision", "radius",
                                        "candidates", "bonuses",   "phases"};
    const bool computed = param->fallback == NULL || param->fallback[0] == '@';
    bool known =
        param->type == LGKT_PARAM_TEXT || (strcmp(param->name, "profile") == 0 && computed);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        known |= strcmp(param->name, names[i]) == 0;
    return computed && known;
}

static void check_full_spec(const lgkt_mdp *model, const char *spec,
                            const lgkt_learner_config *config, uint64_t seed)
{
    learner_run first = {learner_run_make(spec, config), model, seed, 0.05, 0};
    const char *full = lgkt_learner_spec(first.learner);
    learner_run second = {learner_run_make(full, config), model, seed, 0.05, 0};
    assert_string_equal(lgkt_learner_spec(second.learner), full);

    const lgkt_entry *entry = learner_run_entry(full);
    assert_ptr_equal(entry, learner_run_entry(spec));
    for (int32_t i = 0; i < entry->param_count; i++) {
        char value[128], set[128];
        lgkt_error error = {0};
        const char *name = lgkt_entry_param(entry, i)->name;
        const bool typed = lgkt_spec_value(spec, name, set, sizeof set, NULL) == LGKT_OK;
        if (!typed && may_be_left_out(lgkt_entry_param(entry, i)))
            continue;
        assert_ok(lgkt_spec_value(full, name, value, sizeof value, &error), error);
        if (typed)
            assert_string_equal(value, set);
    }

    int32_t expected[STEPS], actions[STEPS];
    learner_run_play(&first, STEPS, expected);
    learner_run_play(&second, STEPS, actions);
    assert_memory_equal(actions, expected, sizeof actions);
    assert_true(lgkt_learner_hash(second.learner) == lgkt_learner_hash(first.learner));
    lgkt_learner_destroy(first.learner);
    lgkt_learner_destroy(second.learner);
}

static void test_full_spec_makes_the_same_learner(void **state)
{
    lgkt_learner_config config = learner_run_config(*state, STEPS);
    char spec[LEARNER_RUN_SPEC];
    int32_t count = 0;
    for (; learner_run_spec(count, spec); count++)
        check_full_spec(*state, spec, &config, (uint64_t)count);
    print_message("%d specs\n", count);
    assert_true(count > 100);

    config.problem.reward_sd = NAN;
    check_full_spec(*state, "lg2t:profile=paper", &config, 1);
    config.problem.reward_sd = 1.0 / 3;
    check_full_spec(*state, "lgkt:threshold=-0.7,width=1e-300,p=0.3", &config, 2);
    check_full_spec(*state, "lg2t-i:max-raises=3,delta=0.015625", &config, 3);
}

// each number set to another value than its default: it is kept, whatever profile and problem say
static void test_full_spec_keeps_every_number(void **state)
{
    lgkt_learner_config config = learner_run_config(*state, STEPS);
    config.problem.reward_min = 0;
    config.problem.reward_max = 1;
    for (int32_t i = 0; state_learner(i) != NULL; i++) {
        const lgkt_entry *entry = state_learner(i);
        for (int32_t j = 0; j < entry->param_count; j++) {
            const lgkt_param *param = lgkt_entry_param(entry, j);
            char spec[128];
            if (param->type != LGKT_PARAM_INTEGER && param->type != LGKT_PARAM_REAL)
                continue;
            const char *real = strcmp(param->name, "floor") == 0 ? "0.203125" : "0.8125";
            snprintf(spec, sizeof spec, "%s:%s=%s", entry->name, param->name,
                     param->type == LGKT_PARAM_INTEGER ? "3" : real);
            check_full_spec(*state, spec, &config, (uint64_t)j);
        }
    }
}

static void test_full_spec_shows_what_was_computed(void **state)
{
    lgkt_learner_config config = learner_run_config(*state, STEPS);
    static const struct {
        const char *spec, *full;
    } cases[] = {
        {"lg1t", "lg1t:threshold=0.3,profile=released,width=1,untried=first,index=released,"
                 "ties=high,fallback=index"},
        {"lg1t-i:profile=paper", "lg1t-i:threshold=0,delta=0.1,profile=paper,width=3,"
                                 "untried=last,index=paper,ties=uniform,fallback=index"},
        {"lg1t:candidates=mean", "lg1t:threshold=0.3,profile=released,width=1,candidates=mean,"
                                 "untried=first,index=released,ties=high,fallback=index"},
        {"random", "random"},
        {"kstep:k=3", "kstep:k=3,ties=low"},
        {"thresholding:k=2", "thresholding:k=2,threshold=0.9,ties=low"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_learner *learner = learner_run_make(cases[i].spec, &config);
        assert_string_equal(lgkt_learner_spec(learner), cases[i].full);
        lgkt_learner_destroy(learner);
    }
    // from the problem
    config.problem.reward_sd = 0.125;
    lgkt_learner *learner = learner_run_make("lg2t-uniform:profile=practical", &config);
    assert_non_null(strstr(lgkt_learner_spec(learner), "fallback=uniform"));
    assert_non_null(strstr(lgkt_learner_spec(learner), "reward-sd=0.125"));
    lgkt_learner_destroy(learner);
}

// a noise scale that is allowed can be worked with, and its full spec makes the same learner
static void test_huge_noise_is_survived(void **state)
{
    (void)state;
    static const double sds[] = {1e308, 1e160, 1e16, 5e-324, 0};
    char spec[LEARNER_RUN_SPEC];
    lgkt_rng rng = lgkt_rng_stream(5, "huge", 1);
    lgkt_mdp *model = model_random(&rng, 1, 1, 1);
    for (int32_t i = 0; learner_run_spec(i, spec); i++)
        for (size_t j = test_short() ? 4 : 0; j < sizeof sds / sizeof *sds; j++) {
            lgkt_learner_config config = learner_run_config(model, STEPS);
            config.problem.reward_sd = sds[j];
            lgkt_learner *learner = NULL;
            const lgkt_status status = lgkt_learner_create(spec, &config, &learner, NULL);
            assert_true(status == LGKT_OK || (status == LGKT_ERR_CONFIG && sds[j] > 1));
            if (status == LGKT_OK)
                check_full_spec(model, spec, &config, 1);
            lgkt_learner_destroy(learner);
        }
    lgkt_mdp_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_spec_values_are_refused),
        cmocka_unit_test(test_unknown_names_are_refused),
        cmocka_unit_test(test_full_spec_makes_the_same_learner),
        cmocka_unit_test(test_full_spec_keeps_every_number),
        cmocka_unit_test(test_full_spec_shows_what_was_computed),
        cmocka_unit_test(test_huge_noise_is_survived),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
