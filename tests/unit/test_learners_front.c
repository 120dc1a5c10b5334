// SPDX-License-Identifier: MIT
// labels: slow
// The front of all learners: the protocol and bad configs, for every registered learner with every
// profile and choice (learner_run_spec).

#include "test.h"

#include "ref/learner_run.h"
#include "ref/models.h"
#include "ref/saved_bytes.h"
#include "ref/state_learners.h"

enum { STATES = LEARNER_RUN_STATES, ACTIONS = LEARNER_RUN_ACTIONS, STEPS = 24 };

// ---- refused calls ----

// a refused call: the status, words of the message, and a hash that has not moved
static void check_refusal(const lgkt_learner *learner, uint64_t hash, lgkt_status status,
                          lgkt_status expected, const char *words)
{
    const char *message = lgkt_learner_message(learner);
    if (status != expected || strstr(message, words) == NULL || lgkt_learner_hash(learner) != hash)
        fail_msg("%s at step %lld: %s \"%s\", expected %s with \"%s\"; hash %s",
                 lgkt_learner_spec(learner), (long long)lgkt_learner_time(learner),
                 lgkt_status_name(status), message, lgkt_status_name(expected), words,
                 lgkt_learner_hash(learner) == hash ? "unchanged" : "changed");
}

static void refuse_act(lgkt_learner *learner, int32_t state, lgkt_status expected,
                       const char *words)
{
    const uint64_t hash = lgkt_learner_hash(learner);
    int32_t action = -77;
    const lgkt_status status = lgkt_learner_act(learner, state, NULL, &action);
    check_refusal(learner, hash, status, expected, words);
    assert_int_equal(action, -77);
    assert_int_equal(lgkt_learner_act(learner, state, NULL, NULL), LGKT_ERR_ARGUMENT);
    check_refusal(learner, hash, LGKT_ERR_ARGUMENT, LGKT_ERR_ARGUMENT, "action must not be NULL");
}

static void refuse_observe(lgkt_learner *learner, double reward, int32_t next, lgkt_status expected,
                           const char *words)
{
    for (int ended = 0; ended < 2; ended++) {
        const uint64_t hash = lgkt_learner_hash(learner);
        const lgkt_status status = lgkt_learner_observe(learner, reward, next, ended == 1);
        check_refusal(learner, hash, status, expected, words);
    }
}

// learners that can only learn from what they chose themselves refuse every feed by name
static void refuse_feed(lgkt_learner *learner, int32_t state, int32_t action, double reward,
                        int32_t next, lgkt_status expected, const char *words)
{
    const uint64_t hash = lgkt_learner_hash(learner);
    const lgkt_status status = lgkt_learner_feed(learner, state, action, reward, next, false);
    if (status == LGKT_ERR_UNSUPPORTED)
        check_refusal(learner, hash, status, LGKT_ERR_UNSUPPORTED, "that another one chose");
    else
        check_refusal(learner, hash, status, expected, words);
}

static const int32_t bad_states[] = {-1, STATES, INT32_MIN, INT32_MAX};
enum { BAD_STATES = sizeof bad_states / sizeof *bad_states };

static void disturb_with_feeds(lgkt_learner *learner)
{
    static const int32_t bad_actions[] = {-1, ACTIONS, INT32_MIN, INT32_MAX};
    char words[128];
    for (int i = 0; i < BAD_STATES; i++) {
        snprintf(words, sizeof words, "state %d is out of range [0, %d]", bad_states[i],
                 STATES - 1);
        refuse_feed(learner, bad_states[i], 0, 1, 0, LGKT_ERR_ARGUMENT, words);
        refuse_feed(learner, 0, 0, 1, bad_states[i], LGKT_ERR_ARGUMENT, words);
    }
    for (size_t i = 0; i < sizeof bad_actions / sizeof *bad_actions; i++) {
        snprintf(words, sizeof words, "action %d is out of range [0, %d]", bad_actions[i],
                 ACTIONS - 1);
        refuse_feed(learner, 0, bad_actions[i], 1, 0, LGKT_ERR_ARGUMENT, words);
    }
    refuse_feed(learner, 0, 0, NAN, 0, LGKT_ERR_NOT_FINITE, "nan is not a finite");
    refuse_feed(learner, 0, 0, -INFINITY, 0, LGKT_ERR_NOT_FINITE, "reward -inf is not a finite");
}

// every call that is wrong between observe and act; `next` is the state that must come, or -1
static void disturb_before_act(lgkt_learner *learner, int32_t next)
{
    char words[128];
    snprintf(words, sizeof words, "step %lld: there is no action to observe",
             (long long)lgkt_learner_time(learner));
    refuse_observe(learner, 0.5, 0, LGKT_ERR_PROTOCOL, words);
    refuse_observe(learner, NAN, -1, LGKT_ERR_PROTOCOL, words);
    disturb_with_feeds(learner);
    for (int i = 0; i < BAD_STATES; i++) {
        snprintf(words, sizeof words, "state %d is out of range [0, %d]", bad_states[i],
                 STATES - 1);
        refuse_act(learner, bad_states[i], LGKT_ERR_ARGUMENT, words);
    }
    for (int32_t s = 0; next >= 0 && s < STATES; s++) {
        snprintf(words, sizeof words, "act in state %d, but the state observed was %d", s, next);
        if (s != next)
            refuse_act(learner, s, LGKT_ERR_PROTOCOL, words);
    }
}

// every call that is wrong between act and observe
static void disturb_before_observe(lgkt_learner *learner, int32_t state)
{
    static const struct {
        double reward;
        const char *words;
    } bad_rewards[] = {{NAN, "nan is not a finite"},
                       {INFINITY, "reward inf is not a finite"},
                       {-INFINITY, "reward -inf is not a finite"}};
    char words[128];
    snprintf(words, sizeof words, "act at step %lld: the action before has not been observed",
             (long long)lgkt_learner_time(learner));
    refuse_act(learner, state, LGKT_ERR_PROTOCOL, words);
    refuse_act(learner, -1, LGKT_ERR_PROTOCOL, words);
    snprintf(words, sizeof words, "feed at step %lld: the action before has not been observed",
             (long long)lgkt_learner_time(learner));
    refuse_feed(learner, 0, 0, 1, 0, LGKT_ERR_PROTOCOL, words);
    for (size_t i = 0; i < sizeof bad_rewards / sizeof *bad_rewards; i++)
        refuse_observe(learner, bad_rewards[i].reward, state, LGKT_ERR_NOT_FINITE,
                       bad_rewards[i].words);
    for (int i = 0; i < BAD_STATES; i++) {
        snprintf(words, sizeof words, "next state %d is out of range [0, %d]", bad_states[i],
                 STATES - 1);
        refuse_observe(learner, 0.5, bad_states[i], LGKT_ERR_ARGUMENT, words);
    }
}

static void disturb_when_over(lgkt_learner *learner)
{
    for (int32_t s = -1; s <= STATES; s++)
        refuse_act(learner, s, LGKT_ERR_HORIZON, "the run of 24 steps is over");
    refuse_observe(learner, 0.5, 0, LGKT_ERR_PROTOCOL, "no action to observe");
    assert_int_equal(lgkt_learner_time(learner), STEPS);
}

// plays a whole run with every wrong call at every place
static void play_disturbed(learner_run *run, int32_t *actions)
{
    int32_t next = -1;
    for (int t = 0; t < STEPS; t++) {
        assert_int_equal(lgkt_learner_time(run->learner), t);
        disturb_before_act(run->learner, next);
        assert_int_equal(lgkt_learner_act(run->learner, run->state, NULL, &actions[t]), LGKT_OK);
        disturb_before_observe(run->learner, run->state);
        const lgkt_step step = learner_run_outcome(run, actions[t]);
        assert_int_equal(lgkt_learner_observe(run->learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        run->state = step.state;
        next = step.ended ? -1 : step.state;
    }
    disturb_when_over(run->learner);
}

static void test_refused_calls_change_nothing(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; learner_run_spec(i, spec); i++) {
        learner_run plain = {learner_run_make(spec, &config), *state, (uint64_t)i, 0.1, 0};
        learner_run disturbed = {learner_run_make(spec, &config), *state, (uint64_t)i, 0.1, 0};
        int32_t expected[STEPS], actions[STEPS];
        learner_run_play(&plain, STEPS, expected);
        assert_string_equal(lgkt_learner_message(plain.learner), "");
        play_disturbed(&disturbed, actions);
        assert_memory_equal(actions, expected, sizeof actions);
        assert_true(lgkt_learner_hash(disturbed.learner) == lgkt_learner_hash(plain.learner));
        lgkt_learner_destroy(plain.learner);
        lgkt_learner_destroy(disturbed.learner);
    }
}

static void test_null_learner_is_refused(void **state)
{
    (void)state;
    int32_t action = -77;
    assert_int_equal(lgkt_learner_act(NULL, 0, NULL, &action), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_learner_observe(NULL, 0, 0, false), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_learner_feed(NULL, 0, 0, 0, 0, false), LGKT_ERR_ARGUMENT);
    assert_string_equal(lgkt_learner_message(NULL), "learner must not be NULL");
    assert_int_equal(action, -77);
    lgkt_learner_destroy(NULL);
}

// the message is that of the last refused call, whatever went well since
static void test_message_stays_until_the_next_refusal(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    learner_run run = {learner_run_make("lg2t", &config), *state, 1, 0, 0};
    refuse_act(run.learner, 7, LGKT_ERR_ARGUMENT, "state 7");
    learner_run_play(&run, 3, NULL);
    assert_string_equal(lgkt_learner_message(run.learner), "action must not be NULL");
    assert_int_equal(lgkt_learner_observe(run.learner, 0, 0, false), LGKT_ERR_PROTOCOL);
    assert_non_null(strstr(lgkt_learner_message(run.learner), "step 3"));
    lgkt_learner_destroy(run.learner);
}

// after a cut every state may come next, whatever next_state was said; so it may at the start
static void test_any_state_may_follow_a_cut(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 3);
    char spec[LEARNER_RUN_SPEC];
    for (int32_t i = 0; learner_run_spec(i, spec); i++)
        for (int32_t s = 0; s < STATES * STATES; s++) {
            lgkt_learner *learner = learner_run_make(spec, &config);
            int32_t action;
            assert_int_equal(lgkt_learner_act(learner, s / STATES, NULL, &action), LGKT_OK);
            assert_int_equal(lgkt_learner_observe(learner, 1, 1, true), LGKT_OK);
            assert_int_equal(lgkt_learner_act(learner, s % STATES, NULL, &action), LGKT_OK);
            lgkt_learner_destroy(learner);
        }
}

// ---- configs ----

// for every name: refused, with words in the message, with and without a place for it
static void check_config(const lgkt_learner_config *config, lgkt_status expected, const char *words)
{
    for (int32_t i = 0; state_learner(i) != NULL; i++) {
        const char *name = state_learner(i)->name;
        lgkt_learner *const mark = (lgkt_learner *)&words;
        lgkt_learner *learner = mark;
        lgkt_error error = {0};
        assert_refused(lgkt_learner_create(name, config, &learner, &error), expected, error, words);
        assert_int_equal(error.status, expected);
        assert_int_equal(lgkt_learner_create(name, config, &learner, NULL), expected);
        assert_ptr_equal(learner, mark);
    }
}

static void test_bad_problems_are_refused(void **state)
{
    (void)state;
    static const struct {
        int32_t states, actions;
        int64_t horizon;
        double min, max, sd;
        const char *words;
    } cases[] = {
        {0, 2, 9, NAN, NAN, NAN, "problem.states = 0 must be in [1, 16777216]"},
        {-1, 2, 9, NAN, NAN, NAN, "problem.states = -1 must be in"},
        {INT32_MIN, 2, 9, NAN, NAN, NAN, "problem.states = -2147483648 must be in"},
        {(1 << 24) + 1, 2, 9, NAN, NAN, NAN, "problem.states = 16777217 must be in"},
        {INT32_MAX, 2, 9, NAN, NAN, NAN, "problem.states = 2147483647 must be in"},
        {2, 0, 9, NAN, NAN, NAN, "problem.actions = 0 must be in [1, 65536]"},
        {2, -3, 9, NAN, NAN, NAN, "problem.actions = -3 must be in"},
        {2, (1 << 16) + 1, 9, NAN, NAN, NAN, "problem.actions = 65537 must be in"},
        {2, INT32_MAX, 9, NAN, NAN, NAN, "problem.actions = 2147483647 must be in"},
        {1 << 24, 17, 9, NAN, NAN, NAN, "16777216 states x 17 actions are more than"},
        {1 << 24, 1 << 16, 9, NAN, NAN, NAN, "x 65536 actions are more than 268435456"},
        {2, 2, 0, NAN, NAN, NAN, "problem.horizon = 0 must be at least 1"},
        {2, 2, -1, NAN, NAN, NAN, "problem.horizon = -1 must be at least 1"},
        {2, 2, INT64_MIN, NAN, NAN, NAN, "problem.horizon = -9223372036854775808"},
        {2, 2, 9, 1, 0.5, NAN, "reward_min = 1 is above reward_max = 0.5"},
        {2, 2, 9, -INFINITY, 1, NAN, "reward_min"},
        {2, 2, 9, 0, INFINITY, NAN, "reward_max"},
        {2, 2, 9, INFINITY, INFINITY, NAN, "must be NaN"},
        {2, 2, 9, NAN, -INFINITY, NAN, "must be NaN"},
        {2, 2, 9, 0, 1, INFINITY, "reward_sd"},
        {2, 2, 9, 0, 1, -INFINITY, "reward_sd"},
        {2, 2, 9, 0, 1, -0.5, "problem.reward_sd = -0.5 must not be negative"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_learner_config config = lgkt_learner_config_default();
        config.problem = (lgkt_problem){.states = cases[i].states,
                                        .actions = cases[i].actions,
                                        .horizon = cases[i].horizon,
                                        .reward_min = cases[i].min,
                                        .reward_max = cases[i].max,
                                        .reward_sd = cases[i].sd};
        check_config(&config, LGKT_ERR_CONFIG, cases[i].words);
    }
    // a default config has no sizes yet
    const lgkt_learner_config unset = lgkt_learner_config_default();
    check_config(&unset, LGKT_ERR_CONFIG, "problem.states = 0");
}

static void test_bad_configs_are_refused(void **state)
{
    const lgkt_learner_config good = learner_run_config(*state, STEPS);
    lgkt_learner_config bad = good;
    bad.size = 0;
    check_config(&bad, LGKT_ERR_CONFIG, "was not made by lgkt_learner_config_default");
    bad.size = good.size ^ 1;
    check_config(&bad, LGKT_ERR_CONFIG, "was not made by lgkt_learner_config_default");
    check_config(NULL, LGKT_ERR_ARGUMENT, "config must not be NULL");

    const double table[STATES] = {0};
    for (int64_t steps = -1; steps <= 0; steps++) {
        bad = good;
        bad.threshold = (lgkt_threshold){.table = table, .table_steps = steps};
        char words[64];
        snprintf(words, sizeof words, "threshold.table_steps = %d must be at least 1", (int)steps);
        check_config(&bad, LGKT_ERR_CONFIG, words);
    }

    bad = good;
    bad.problem.states = STATES + 1;
    check_config(&bad, LGKT_ERR_CONFIG, "4 states and 4 actions, its model 3 and 4");
    bad = good;
    bad.problem.actions = ACTIONS - 1;
    check_config(&bad, LGKT_ERR_CONFIG, "3 states and 3 actions, its model 3 and 4");
}

static void test_null_arguments_are_refused(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, STEPS);
    lgkt_learner *learner = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_learner_create(NULL, &config, &learner, &error), LGKT_ERR_ARGUMENT, error,
                   "spec");
    assert_refused(lgkt_learner_create("lg1t", &config, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "learner must not be NULL");
    assert_int_equal(lgkt_learner_create(NULL, NULL, NULL, NULL), LGKT_ERR_ARGUMENT);
    assert_null(learner);
}

static void test_oracles_need_a_model(void **state)
{
    lgkt_learner_config config = learner_run_config(*state, STEPS);
    config.problem.model = NULL;
    static const char *const oracles[] = {"kstep", "thresholding", "optimal"};
    for (int i = 0; i < 3; i++) {
        lgkt_learner *learner = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_learner_create(oracles[i], &config, &learner, &error), LGKT_ERR_CONFIG,
                       error, "knows the true model, and this problem has none");
        assert_non_null(strstr(error.text, oracles[i]));
        assert_null(learner);
    }
}

static double always_low(void *ctx, int64_t t, int32_t state, int32_t k)
{
    (void)ctx, (void)t, (void)state, (void)k;
    return -1;
}

static void test_rising_learners_take_no_thresholds(void **state)
{
    static const char *const names[] = {"lg1t-i", "lg2t-i"};
    const double table[STATES] = {0};
    const lgkt_threshold given[] = {{.table = table, .table_steps = 1}, {.fn = always_low}};
    for (int i = 0; i < 4; i++) {
        lgkt_learner_config config = learner_run_config(*state, STEPS);
        config.threshold = given[i % 2];
        lgkt_learner *learner = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_learner_create(names[i / 2], &config, &learner, &error),
                       LGKT_ERR_CONFIG, error, "raises its own thresholds");
        assert_non_null(strstr(error.text, names[i / 2]));
        assert_null(learner);
    }
}

// "its constant is not read"; a function is read in place of a table, whatever table_steps says
static void test_threshold_of_the_config(void **state)
{
    const double table[STATES] = {1e9, 1e9, 1e9};
    const lgkt_threshold given[] = {
        {.constant = 1e9}, {.fn = always_low}, {.fn = always_low, .table = table}};
    static const char *const alike[] = {"lg1t:threshold=0.3", "lg1t:threshold=-1",
                                        "lg1t:threshold=-1"};
    for (int i = 0; i < 3; i++) {
        lgkt_learner_config config = learner_run_config(*state, STEPS);
        learner_run expected = {learner_run_make(alike[i], &config), *state, 3, 0, 0};
        config.threshold = given[i];
        learner_run run = {learner_run_make("lg1t", &config), *state, 3, 0, 0};
        learner_run_play(&run, STEPS, NULL);
        learner_run_play(&expected, STEPS, NULL);
        assert_true(lgkt_learner_hash(run.learner) == lgkt_learner_hash(expected.learner));
        lgkt_learner_destroy(run.learner);
        lgkt_learner_destroy(expected.learner);
    }
}

// ---- huge numbers ----

// Rewards near the largest double are finite: they are taken, or refused like any other, but never
// lead to an action that does not exist.
static void play_huge(lgkt_learner *learner, int32_t actions, double reward)
{
    for (int t = 0; t < STEPS; t++) {
        int32_t action = -1;
        assert_int_equal(lgkt_learner_act(learner, 0, NULL, &action), LGKT_OK);
        assert_in_range(action, 0, actions - 1);
        const uint64_t hash = lgkt_learner_hash(learner);
        const double signed_reward = t % 3 == 0 ? -reward : reward;
        if (lgkt_learner_observe(learner, signed_reward, 0, false) != LGKT_OK) {
            assert_true(lgkt_learner_hash(learner) == hash);
            assert_int_equal(lgkt_learner_observe(learner, 1, 0, false), LGKT_OK);
        }
    }
}

static void test_huge_rewards_are_survived(void **state)
{
    (void)state;
    static const double rewards[] = {1.7e308, 1e200, LGKT_MAX_REWARD, 5e-324};
    char spec[LEARNER_RUN_SPEC];
    for (int32_t actions = 1; actions <= 2; actions++) {
        lgkt_rng rng = lgkt_rng_stream(5, "huge", 0);
        lgkt_mdp *model = model_random(&rng, 1, actions, 1);
        const lgkt_learner_config config = learner_run_config(model, STEPS);
        for (int32_t i = 0; learner_run_spec(i, spec); i++)
            for (size_t j = 0; j < sizeof rewards / sizeof *rewards; j++) {
                lgkt_learner *learner = learner_run_make(spec, &config);
                play_huge(learner, actions, rewards[j]);
                // what became infinite could not be loaded again
                saved_bytes saved = saved_bytes_of(learner);
                lgkt_learner *again = saved_bytes_load(&saved, &config);
                assert_int_equal(lgkt_learner_hash(again), lgkt_learner_hash(learner));
                lgkt_learner_destroy(again);
                saved_bytes_free(&saved);
                lgkt_learner_destroy(learner);
            }
        lgkt_mdp_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_calls_change_nothing),
        cmocka_unit_test(test_null_learner_is_refused),
        cmocka_unit_test(test_message_stays_until_the_next_refusal),
        cmocka_unit_test(test_any_state_may_follow_a_cut),
        cmocka_unit_test(test_bad_problems_are_refused),
        cmocka_unit_test(test_bad_configs_are_refused),
        cmocka_unit_test(test_null_arguments_are_refused),
        cmocka_unit_test(test_oracles_need_a_model),
        cmocka_unit_test(test_rising_learners_take_no_thresholds),
        cmocka_unit_test(test_threshold_of_the_config),
        cmocka_unit_test(test_huge_rewards_are_survived),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
