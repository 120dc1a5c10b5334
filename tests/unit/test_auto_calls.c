// SPDX-License-Identifier: MIT
// The learner `auto` as one of many: saved and loaded, wrong calls and settings, memory.

#include "test.h"

#include "ref/fault.h"
#include "ref/learner_run.h"
#include "ref/saved_bytes.h"
#include "ref/tamper.h"

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

// ---- saved and loaded ----

static void test_resumed_at_every_step(void **state)
{
    enum { STEPS = 60 };
    static const char *const specs[] = {"auto", "auto:depth=3,visits=1,refresh=1",
                                        "auto:refresh=50,pull=0", "auto:sweep=1"};
    for (int i = 0; i < COUNT(specs); i++) {
        const lgkt_learner_config config = learner_run_config(*state, STEPS);
        learner_run run = {learner_run_make(specs[i], &config), *state, 3, 0.1, 0};
        learner_run other = {learner_run_make(specs[i], &config), *state, 3, 0.1, 0};
        for (int t = 0; t < STEPS; t++) {
            saved_bytes saved = saved_bytes_of(other.learner);
            lgkt_learner_destroy(other.learner);
            other.learner = saved_bytes_load(&saved, &config);
            saved_bytes_free(&saved);
            int32_t action = -1, again = -2;
            learner_run_play(&run, 1, &action);
            learner_run_play(&other, 1, &again);
            assert_int_equal(action, again);
            assert_true(lgkt_learner_hash(run.learner) == lgkt_learner_hash(other.learner));
        }
        lgkt_learner_destroy(run.learner);
        lgkt_learner_destroy(other.learner);
    }
}

// where some words stand, one after the other, and nowhere else
static size_t find_words(const saved_bytes *saved, const uint64_t *words, size_t count)
{
    size_t found = 0;
    for (size_t at = TAMPER_HEAD; at + 8 * count <= saved->size - TAMPER_TAIL; at += 8) {
        size_t same = 0;
        while (same < count && tamper_word(saved->bytes, at + 8 * same) == words[same])
            same++;
        if (same < count)
            continue;
        assert_int_equal(found, 0);
        found = at;
    }
    assert_true(found > 0);
    return found;
}

static void check_damage(const saved_bytes *saved, size_t at, uint64_t word, lgkt_status expected)
{
    saved_bytes damaged = saved_bytes_copy(saved);
    const lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_learner *learner = NULL;
    tamper_set_word(damaged.bytes, at, word);
    tamper_seal(damaged.bytes, damaged.size);
    assert_int_equal(lgkt_learner_load(damaged.bytes, damaged.size, &config, &learner, NULL),
                     expected);
    lgkt_learner_destroy(learner);
    saved_bytes_free(&damaged);
}

// words of a saved spread: mean, within, between, noise; then its sums
enum { MEAN, WITHIN, BETWEEN, NOISE, SUMS, NOISE_SQUARES = SUMS + 8, SPREAD = SUMS + 10 };
#define MINUS_ONE UINT64_C(0xbff0000000000000)
#define ONE       UINT64_C(0x3ff0000000000000)

// means and what is added up may be any number, variances may not be below 0
static void check_spread_damage(const saved_bytes *saved, size_t at)
{
    static const int variances[] = {WITHIN, BETWEEN, NOISE, NOISE_SQUARES};
    check_damage(saved, at + 8 * MEAN, MINUS_ONE, LGKT_OK);
    for (int i = 0; i < COUNT(variances); i++)
        check_damage(saved, at + 8 * (size_t)variances[i], MINUS_ONE, LGKT_ERR_FORMAT);
    // states that differ where actions do not
    saved_bytes damaged = saved_bytes_copy(saved);
    tamper_set_word(damaged.bytes, at + 8 * BETWEEN, ONE);
    check_damage(&damaged, at + 8 * WITHIN, ONE, LGKT_OK);
    check_damage(&damaged, at + 8 * WITHIN, 0, LGKT_ERR_FORMAT);
    saved_bytes_free(&damaged);
}

static void test_damaged_states_are_refused(void **state)
{
    (void)state;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = (lgkt_problem){.states = 7, .actions = 2, .horizon = 100};
    lgkt_learner *learner = learner_run_make("auto:refresh=1", &config);
    // states come up in the order 6, 2, 4, 5; of their round one or more are done
    static const int32_t order[] = {6, 2, 4, 5, 6, 2, 4};
    for (int i = 0; i + 1 < COUNT(order); i++) {
        int32_t action;
        assert_int_equal(lgkt_learner_act(learner, order[i], NULL, &action), LGKT_OK);
        assert_int_equal(lgkt_learner_observe(learner, i % 3, order[i + 1], false), LGKT_OK);
    }
    saved_bytes saved = saved_bytes_of(learner);
    const size_t at = find_words(&saved, (uint64_t[]){4, 6, 2, 4, 5}, 5), turn = at + 8 * 8;
    const size_t depth = turn + 8, spreads = saved.size - TAMPER_TAIL - 2 * 8 * SPREAD;
    assert_in_range(tamper_word(saved.bytes, turn), 0, 4);
    check_damage(&saved, at + 8, 6, LGKT_OK);
    // known twice, or not a state
    check_damage(&saved, at + 16, 6, LGKT_ERR_FORMAT);
    check_damage(&saved, at + 32, 4, LGKT_ERR_FORMAT);
    check_damage(&saved, at + 8, 7, LGKT_ERR_FORMAT);
    check_damage(&saved, at + 8, UINT64_MAX, LGKT_ERR_FORMAT);
    // more than there are
    check_damage(&saved, at, 8, LGKT_ERR_FORMAT);
    check_damage(&saved, turn, 4, LGKT_OK);
    check_damage(&saved, turn, 5, LGKT_ERR_FORMAT);
    check_damage(&saved, turn, UINT64_MAX, LGKT_ERR_FORMAT);
    check_spread_damage(&saved, spreads);
    check_spread_damage(&saved, spreads + 8 * SPREAD);
    // a depth below 1
    check_damage(&saved, depth, MINUS_ONE, LGKT_ERR_FORMAT);
    saved_bytes_free(&saved);
    lgkt_learner_destroy(learner);
}

// ---- calls and memory ----

static void test_refused_calls_change_nothing(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 50);
    learner_run run = {learner_run_make("auto", &config), *state, 3, 0, 0};
    lgkt_learner *learner = run.learner;
    int32_t action;
    for (int t = 0; t < 50; t++) {
        const uint64_t before = lgkt_learner_hash(learner);
        assert_int_not_equal(lgkt_learner_act(learner, -1, NULL, &action), LGKT_OK);
        assert_int_not_equal(lgkt_learner_act(learner, LEARNER_RUN_STATES, NULL, &action), LGKT_OK);
        assert_int_not_equal(lgkt_learner_observe(learner, 0, 0, false), LGKT_OK);
        assert_int_not_equal(lgkt_learner_feed(learner, 0, LEARNER_RUN_ACTIONS, 0, 0, false),
                             LGKT_OK);
        assert_int_not_equal(lgkt_learner_feed(learner, 0, 0, NAN, 0, false), LGKT_OK);
        assert_true(lgkt_learner_hash(learner) == before);
        assert_int_equal(lgkt_learner_act(learner, run.state, NULL, &action), LGKT_OK);
        const uint64_t acted = lgkt_learner_hash(learner);
        assert_int_not_equal(lgkt_learner_observe(learner, INFINITY, 0, false), LGKT_OK);
        assert_int_not_equal(lgkt_learner_observe(learner, 0, -1, false), LGKT_OK);
        assert_int_not_equal(lgkt_learner_feed(learner, 0, 0, 0, 0, false), LGKT_OK);
        assert_true(lgkt_learner_hash(learner) == acted);
        const lgkt_step step = learner_run_outcome(&run, action);
        assert_int_equal(lgkt_learner_observe(learner, step.reward, step.state, false), LGKT_OK);
        run.state = step.state;
    }
    const uint64_t last = lgkt_learner_hash(learner);
    assert_int_equal(lgkt_learner_act(learner, run.state, NULL, &action), LGKT_ERR_HORIZON);
    assert_true(lgkt_learner_hash(learner) == last);
    lgkt_learner_destroy(learner);
}

static void test_bad_settings(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 50);
    static const struct {
        const char *spec, *words;
    } cases[] = {
        {"auto:depth=-1", "depth=-1 is out of range ["},
        {"auto:depth=1e7", "1000000]"},
        {"auto:depth=deep", "depth"},
        {"auto:visits=-1", "visits=-1 is out of range [0, 1000000000]"},
        {"auto:visits=1e10", "[0, 1000000000]"},
        {"auto:limit=-1", "limit=-1 is out of range [0, 1000000000]"},
        {"auto:limit=inf", "limit"},
        {"auto:pull=-1", "pull=-1 is out of range [0, 1000000]"},
        {"auto:refresh=0", "refresh=0 is out of range [1, 1000000]"},
        {"auto:refresh=1000001", "[1, 1000000]"},
        {"auto:refresh=1.5", "refresh"},
        {"auto:sweep=-1", "sweep=-1 is out of range [0, 1000000]"},
        {"auto:reward-min=2,reward-max=1", "reward-min=2 is above reward-max=1"},
        {"auto:growth=1", "unknown parameter \"growth\""},
        {"auto:k=2", "unknown parameter \"k\""},
        {"auto:threshold=1", "unknown parameter \"threshold\""},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        lgkt_learner *learner = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_learner_create(cases[i].spec, &config, &learner, &error), LGKT_ERR_SPEC,
                       error, cases[i].words);
        assert_null(learner);
    }
}

static void test_full_spec_and_counters(void **state)
{
    const lgkt_learner_config config = learner_run_config(*state, 50);
    lgkt_learner_config untold = config;
    untold.problem.reward_min = untold.problem.reward_max = NAN;
    static const struct {
        const char *spec, *full;
    } cases[] = {
        {"auto", "auto:depth=10,visits=10,limit=0.5,pull=2,refresh=2,sweep=32"},
        {"auto:reward-max=3",
         "auto:depth=10,visits=10,limit=0.5,pull=2,refresh=2,sweep=32,reward-max=3"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        lgkt_learner *learner = learner_run_make(cases[i].spec, &untold);
        assert_string_equal(lgkt_learner_spec(learner), cases[i].full);
        lgkt_learner_destroy(learner);
    }
    learner_run run = {learner_run_make("auto", &config), *state, 3, 0, 0};
    assert_int_equal(learner_run_counter(run.learner, "tried_pairs"), 0);
    assert_int_equal(learner_run_counter(run.learner, "known_states"), 0);
    assert_int_equal(learner_run_counter(run.learner, "quests"), 0);
    assert_int_equal(learner_run_counter(run.learner, "hidden_state"), 0);
    learner_run_play(&run, 1, NULL);
    assert_int_equal(learner_run_counter(run.learner, "tried_pairs"), 1);
    // where it was, and where it is unless that is the same
    assert_int_equal(learner_run_counter(run.learner, "known_states"), 1 + (run.state != 0));
    lgkt_learner_destroy(run.learner);
}

static void test_no_allocation_while_running(void **state)
{
    fault memory;
    fault_init(&memory);
    lgkt_learner_config config = learner_run_config(*state, 2000);
    config.allocator = fault_allocator(&memory);
    learner_run run = {learner_run_make("auto", &config), *state, 9, 0.05, 0};
    const long long calls = memory.calls;
    assert_int_equal(memory.bytes, lgkt_learner_bytes(run.learner));
    learner_run_play(&run, 2000, NULL);
    assert_int_equal(memory.calls, calls);
    lgkt_learner_destroy(run.learner);
    assert_true(fault_is_clean(&memory));
}

// a fault_make_fn: creates, plays, saves and loads
static lgkt_status make_and_copy(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    lgkt_learner_config config = learner_run_config(ctx, 30);
    config.allocator = *allocator;
    lgkt_learner *learner = NULL, *copy = NULL;
    lgkt_status status = lgkt_learner_create("auto", &config, &learner, error);
    if (status == LGKT_OK) {
        learner_run run = {learner, ctx, 9, 0.05, 0};
        learner_run_play(&run, 30, NULL);
        saved_bytes saved = saved_bytes_of(learner);
        status = lgkt_learner_load(saved.bytes, saved.size, &config, &copy, error);
        saved_bytes_free(&saved);
    }
    lgkt_learner_destroy(learner);
    lgkt_learner_destroy(copy);
    return status;
}

static void test_failing_allocations(void **state)
{
    assert_true(fault_sweep(make_and_copy, *state) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resumed_at_every_step),
        cmocka_unit_test(test_damaged_states_are_refused),
        cmocka_unit_test(test_refused_calls_change_nothing),
        cmocka_unit_test(test_bad_settings),
        cmocka_unit_test(test_full_spec_and_counters),
        cmocka_unit_test(test_no_allocation_while_running),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, learner_run_setup, learner_run_teardown);
}
