// SPDX-License-Identifier: MIT
// Units: decisions that somebody else made, rows that are fed, limits that are raised, and calls
// that are refused for memory after a part of them was done.

#include "test.h"

#include "learners/front/learner_private.h"
#include "ref/fault.h"

enum { STATES = 3, ACTIONS = 2 };

static lgkt_learner_config config_of(int64_t horizon)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = STATES;
    config.problem.actions = ACTIONS;
    config.problem.horizon = horizon;
    config.problem.reward_min = 0;
    config.problem.reward_max = 1;
    return config;
}

static lgkt_units_config limits(int32_t unit_limit, int64_t patience)
{
    lgkt_units_config set = lgkt_units_config_default();
    set.unit_limit = unit_limit;
    set.patience = patience;
    return set;
}

static lgkt_units *make(const char *spec, const lgkt_learner_config *config,
                        const lgkt_units_config *set)
{
    lgkt_units *units = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_units_create(spec, config, set, &units, &error), error);
    return units;
}

static void good(const lgkt_units *units, lgkt_status status)
{
    if (status != LGKT_OK)
        fail_msg("%s: %s", lgkt_status_name(status), lgkt_units_message(units));
}

static void refused(const lgkt_units *units, uint64_t hash, lgkt_status status,
                    lgkt_status expected, const char *words)
{
    if (status != expected || strstr(lgkt_units_message(units), words) == NULL ||
        lgkt_units_hash(units) != hash)
        fail_msg("%s \"%s\", expected %s with \"%s\"", lgkt_status_name(status),
                 lgkt_units_message(units), lgkt_status_name(expected), words);
}

// visits of a pair that the learner has counted
static double visits(const lgkt_units *units, int32_t state, int32_t action)
{
    lgkt_reason reasons[ACTIONS];
    lgkt_error error = {0};
    assert_ok(lgkt_learner_explain(lgkt_units_learner(units), state, NULL, reasons, sizeof *reasons,
                                   &error),
              error);
    return reasons[action].visits;
}

// ---- settle ----

// what the next act lets expire is learned by the settle, and closed to reports
static void test_settle_lets_expire(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_of(10);
    lgkt_units_config set = limits(2, 1);
    set.missing = 0.5;
    lgkt_units *u = make("ucb", &config, &set);
    int64_t decision;
    int32_t action;
    good(u, lgkt_units_act(u, 1, 0, NULL, &decision, &action));
    good(u, lgkt_units_settle(u, 2, 2));
    assert_true(visits(u, 0, action) == 1);
    assert_int_equal(lgkt_units_expired(u), 1);
    assert_int_equal(lgkt_units_open(u), 0);
    assert_int_equal(lgkt_units_decisions(u), 1);
    assert_int_equal(lgkt_units_count(u), 1);
    const uint64_t hash = lgkt_units_hash(u);
    good(u, lgkt_units_settle(u, 2, 2));
    assert_true(lgkt_units_hash(u) == hash);
    refused(u, hash, lgkt_units_reward(u, 0, 1), LGKT_ERR_HORIZON, "too old");
    good(u, lgkt_units_act(u, 2, 2, NULL, &decision, &action));
    assert_int_equal(lgkt_units_expired(u), 1);
    lgkt_units_destroy(u);
}

// a settle says where the unit is, and the act must be there
static void test_settle_is_a_report(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_of(10);
    const lgkt_units_config set = limits(2, 5);
    lgkt_units *u = make("ucb", &config, &set);
    int64_t d;
    int32_t a;
    good(u, lgkt_units_act(u, 1, 0, NULL, &d, &a));
    good(u, lgkt_units_reward(u, d, 1));
    good(u, lgkt_units_settle(u, 1, 2));
    assert_true(visits(u, 0, a) == 1);
    const uint64_t hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_settle(u, 1, 1), LGKT_ERR_PROTOCOL, "state 2 was reported");
    refused(u, hash, lgkt_units_act(u, 1, 1, NULL, &d, &a), LGKT_ERR_PROTOCOL, "state 2");
    good(u, lgkt_units_settle(u, 1, LGKT_STATE_REPORTED));
    good(u, lgkt_units_next(u, 0, 2, false));
    assert_true(lgkt_units_hash(u) == hash);
    lgkt_units_destroy(u);
}

// ---- take and feed ----

static void test_take(void **state)
{
    (void)state;
    lgkt_learner_config config = config_of(3);
    config.problem.masked = true;
    const lgkt_units_config set = limits(2, 5);
    lgkt_units *u = make("ucb", &config, &set);
    const uint8_t first[ACTIONS] = {1, 0};
    int64_t decision = -1;
    good(u, lgkt_units_take(u, 4, 1, NULL, 1, &decision));
    assert_int_equal(decision, 0);
    good(u, lgkt_units_take(u, 4, 2, first, 0, &decision));
    assert_int_equal(decision, 1);
    assert_int_equal(lgkt_units_open(u), 2);
    good(u, lgkt_units_reward(u, 0, 0.5));
    assert_true(visits(u, 1, 1) == 1);
    int32_t action = -1;
    good(u, lgkt_units_act(u, 4, 0, NULL, &decision, &action));
    const uint64_t hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_take(u, 4, 1, NULL, 0, &decision), LGKT_ERR_HORIZON, "all 3");
    lgkt_units_destroy(u);
}

static void test_rows_are_trajectories(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_of(20);
    const lgkt_units_config set = limits(2, 5);
    lgkt_units *u = make("ucbvi:h=3", &config, &set);
    const lgkt_learner *learner = lgkt_units_learner(u);
    int64_t decision, step = -1;
    int32_t action;
    good(u, lgkt_units_act(u, 1, 0, NULL, &decision, &action));
    good(u, lgkt_units_reward(u, decision, 1));
    good(u, lgkt_units_next(u, decision, 2, false));
    // a row in the state that the decision led to follows on it: step 1 of a piece
    good(u, lgkt_units_feed(u, 1, 2, 0, 0.5, 1, false));
    lgkt_learner_track((lgkt_learner *)learner, LGKT_TRACK_OUT, &step);
    assert_int_equal(step, 1);
    good(u, lgkt_units_feed(u, 1, 1, 0, 0.5, 0, false));
    lgkt_learner_track((lgkt_learner *)learner, LGKT_TRACK_OUT, &step);
    assert_int_equal(step, 1);
    // and one in another state does not
    good(u, lgkt_units_feed(u, 1, 1, 0, 0.5, 0, false));
    lgkt_learner_track((lgkt_learner *)learner, LGKT_TRACK_OUT, &step);
    assert_int_equal(step, 0);
    assert_int_equal(lgkt_units_decisions(u), 1);
    // a new unit, which may then act where the row led, or elsewhere
    good(u, lgkt_units_feed(u, 2, 1, 1, 0.5, 2, false));
    assert_int_equal(lgkt_units_count(u), 2);
    good(u, lgkt_units_act(u, 2, LGKT_STATE_REPORTED, NULL, &decision, &action));
    assert_int_equal(learner->state, 2);
    good(u, lgkt_units_feed(u, 2, 0, 1, 0.5, 2, true));
    const uint64_t hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_act(u, 2, LGKT_STATE_REPORTED, NULL, &decision, &action),
            LGKT_ERR_PROTOCOL, "has ended");
    good(u, lgkt_units_act(u, 2, 1, NULL, &decision, &action));
    good(u, lgkt_units_reward(u, decision - 1, 1));
    lgkt_units_destroy(u);
}

static void test_many_rows_or_none(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_of(20);
    const lgkt_units_config set = limits(2, 5);
    lgkt_units *u = make("lg2t", &config, &set), *single = make("lg2t", &config, &set);
    lgkt_units_row rows[4] = {{.unit = 9, .state = 0, .next_state = 1, .reward = 1},
                              {.unit = 9, .state = 1, .action = 1, .next_state = 2},
                              {.unit = 7, .state = 2, .next_state = 0, .ended = true},
                              {.unit = 9, .state = 2, .next_state = 2, .reward = 0.5}};
    good(u, lgkt_units_feed_rows(u, rows, 4, sizeof *rows));
    for (int i = 0; i < 4; i++)
        good(single, lgkt_units_feed(single, rows[i].unit, rows[i].state, rows[i].action,
                                     rows[i].reward, rows[i].next_state, rows[i].ended));
    const uint64_t hash = lgkt_units_hash(u);
    assert_true(hash == lgkt_units_hash(single));
    good(u, lgkt_units_feed_rows(u, NULL, 0, sizeof *rows));
    refused(u, hash, lgkt_units_feed_rows(u, NULL, 1, sizeof *rows), LGKT_ERR_ARGUMENT, "NULL");
    refused(u, hash, lgkt_units_feed_rows(u, rows, 1, 8), LGKT_ERR_ARGUMENT, "row_size");
    const lgkt_units_row sound = rows[2];
    rows[2].action = 5;
    refused(u, hash, lgkt_units_feed_rows(u, rows, 4, sizeof *rows), LGKT_ERR_ARGUMENT,
            "row 2: action 5 is out of range [0, 1]");
    rows[2] = sound;
    rows[2].next_state = 3;
    refused(u, hash, lgkt_units_feed_rows(u, rows, 4, sizeof *rows), LGKT_ERR_ARGUMENT,
            "row 2: next_state 3 is out of range [0, 2]");
    rows[2] = sound;
    rows[2].state = -1;
    refused(u, hash, lgkt_units_feed_rows(u, rows, 4, sizeof *rows), LGKT_ERR_ARGUMENT,
            "row 2: state -1 is out of range [0, 2]");
    rows[2] = sound;
    rows[2].reward = NAN;
    refused(u, hash, lgkt_units_feed_rows(u, rows, 4, sizeof *rows), LGKT_ERR_NOT_FINITE,
            "row 2: reward");
    // only the third unit shows that there is one too many
    rows[2] = sound;
    rows[3].unit = 5;
    refused(u, hash, lgkt_units_feed_rows(u, rows, 4, sizeof *rows), LGKT_ERR_SHAPE,
            "row 3: unit 5 is one too many");
    lgkt_units_destroy(u);
    lgkt_units_destroy(single);
}

// rows that would be keys too many leave none of them
static void test_many_rows_of_keys(void **state)
{
    (void)state;
    lgkt_learner_config config = config_of(20);
    config.problem.states = 0;
    lgkt_units_config set = limits(2, 5);
    set.keys.state_limit = 3;
    lgkt_units *u = make("lg2t", &config, &set);
    good(u, lgkt_units_feed_key(u, 1, "a", 1, 0, 1, "b", 1, false));
    const uint64_t hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_feed_key(u, 1, "c", 1, 0, 1, "d", 1, false), LGKT_ERR_SHAPE,
            "the limit is 3 states");
    refused(u, hash, lgkt_units_feed_key(u, 1, NULL, 1, 0, 1, "d", 1, false), LGKT_ERR_ARGUMENT,
            "the key of state must not be NULL");
    refused(u, hash, lgkt_units_feed(u, 1, 0, 0, 1, 1, false), LGKT_ERR_UNSUPPORTED, "keys");
    const lgkt_units_row rows[] = {
        {.unit = 1, .key = "b", .key_size = 1, .next_key = "c", .next_key_size = 1},
        {.unit = 1, .key = "c", .key_size = 1, .next_key = "d", .next_key_size = 1}};
    refused(u, hash, lgkt_units_feed_rows(u, rows, 2, sizeof *rows), LGKT_ERR_SHAPE,
            "row 1: a new state, but the limit is 3 states");
    assert_int_equal(lgkt_keyed_states(lgkt_units_keys(u)), 2);
    good(u, lgkt_units_feed_rows(u, rows, 1, sizeof *rows));
    // a settle makes a key known, so that it can be explained
    lgkt_units_destroy(u);
    u = make("lg2t", &config, &set);
    lgkt_reason reasons[ACTIONS];
    lgkt_error error = {0};
    assert_refused(lgkt_units_explain_key(u, 1, "z", 1, NULL, reasons, sizeof *reasons, &error),
                   LGKT_ERR_ARGUMENT, error, "never seen");
    good(u, lgkt_units_settle_key(u, 1, "z", 1));
    assert_ok(lgkt_units_explain_key(u, 1, "z", 1, NULL, reasons, sizeof *reasons, &error), error);
    int64_t decision = -1;
    good(u, lgkt_units_take_key(u, 1, "z", 1, NULL, 1, &decision));
    assert_int_equal(decision, 0);
    lgkt_units_destroy(u);
}

static void test_bad_calls(void **state)
{
    (void)state;
    lgkt_learner_config config = config_of(20);
    lgkt_units_config set = limits(1, 5);
    lgkt_units *u = make("ucb", &config, &set);
    const uint8_t first[ACTIONS] = {1, 0};
    int64_t d = -1;
    good(u, lgkt_units_take(u, 4, 1, NULL, 1, &d));
    const uint64_t hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_settle(u, 4, 3), LGKT_ERR_ARGUMENT, "out of range [0, 2]");
    refused(u, hash, lgkt_units_settle(u, 4, LGKT_STATE_REPORTED), LGKT_ERR_PROTOCOL, "none was");
    refused(u, hash, lgkt_units_settle(u, 5, 0), LGKT_ERR_SHAPE, "one too many");
    refused(u, hash, lgkt_units_settle_key(u, 4, "x", 1), LGKT_ERR_UNSUPPORTED, "numbers here");
    refused(u, hash, lgkt_units_settle_key(u, 4, NULL, 1), LGKT_ERR_ARGUMENT, "NULL");
    refused(u, hash, lgkt_units_take(u, 4, 0, NULL, 1, NULL), LGKT_ERR_ARGUMENT, "NULL");
    refused(u, hash, lgkt_units_take(u, 4, 0, NULL, 2, &d), LGKT_ERR_ARGUMENT, "action 2");
    refused(u, hash, lgkt_units_take(u, 4, 0, NULL, -1, &d), LGKT_ERR_ARGUMENT, "action -1");
    refused(u, hash, lgkt_units_take(u, 4, 0, first, 1, &d), LGKT_ERR_ARGUMENT, "allowed");
    refused(u, hash, lgkt_units_take(u, 4, 0, first, 0, &d), LGKT_ERR_CONFIG, "problem.masked");
    refused(u, hash, lgkt_units_take(u, 4, 9, NULL, 0, &d), LGKT_ERR_ARGUMENT, "state 9");
    refused(u, hash, lgkt_units_take_key(u, 4, "x", 1, NULL, 0, &d), LGKT_ERR_UNSUPPORTED, "key");
    refused(u, hash, lgkt_units_feed(u, 4, 0, 0, INFINITY, 1, false), LGKT_ERR_NOT_FINITE, "inf");
    refused(u, hash, lgkt_units_feed(u, 5, 0, 0, 1, 1, false), LGKT_ERR_SHAPE, "one too many");
    refused(u, hash, lgkt_units_feed_key(u, 4, "", 0, 0, 1, "", 0, false), LGKT_ERR_UNSUPPORTED,
            "numbers here");
    lgkt_units_destroy(u);
    u = make("q-learning", &config, &set);
    const uint64_t other = lgkt_units_hash(u);
    refused(u, other, lgkt_units_take(u, 4, 0, NULL, 0, &d), LGKT_ERR_UNSUPPORTED, "another one");
    refused(u, other, lgkt_units_feed(u, 4, 0, 0, 1, 1, false), LGKT_ERR_UNSUPPORTED, "piece");
    lgkt_units_destroy(u);
}

// ---- limits ----

static void test_limits_are_raised(void **state)
{
    (void)state;
    const lgkt_learner_config config = config_of(50);
    const lgkt_units_config set = limits(1, 2);
    lgkt_units *u = make("ucb", &config, &set);
    int64_t d;
    int32_t a;
    for (int i = 0; i < 5; i++)
        good(u, lgkt_units_act(u, 1, 0, NULL, &d, &a));
    const uint64_t hash = lgkt_units_hash(u);
    refused(u, hash, lgkt_units_raise_limits(u, -1, 0), LGKT_ERR_ARGUMENT, "unit_limit = -1");
    refused(u, hash, lgkt_units_raise_limits(u, (1 << 24) + 1, 0), LGKT_ERR_CONFIG, "16777216");
    refused(u, hash, lgkt_units_raise_limits(u, 0, 1), LGKT_ERR_ARGUMENT, "only be raised");
    good(u, lgkt_units_raise_limits(u, 0, 0));
    assert_true(lgkt_units_hash(u) == hash);
    good(u, lgkt_units_raise_limits(u, 3, 6));
    // what was too old stays so, and the others stay open for longer
    const uint64_t raised = lgkt_units_hash(u);
    refused(u, raised, lgkt_units_reward(u, 2, 1), LGKT_ERR_HORIZON, "the last 2 are open");
    for (uint64_t unit = 2; unit < 4; unit++)
        good(u, lgkt_units_act(u, unit, 1, NULL, &d, &a));
    refused(u, lgkt_units_hash(u), lgkt_units_act(u, 4, 1, NULL, &d, &a), LGKT_ERR_SHAPE,
            "the limit is 3");
    good(u, lgkt_units_act(u, 2, 1, NULL, &d, &a));
    good(u, lgkt_units_reward(u, 3, 1));
    good(u, lgkt_units_act(u, 2, 1, NULL, &d, &a));
    good(u, lgkt_units_act(u, 2, 1, NULL, &d, &a));
    refused(u, lgkt_units_hash(u), lgkt_units_reward(u, 3, 1), LGKT_ERR_HORIZON, "the last 6");
    lgkt_units_destroy(u);
}

// ---- a lack of memory ----

// an act that is refused for memory and made again teaches what it implies once
static void test_anytime_learns_once(void **state)
{
    (void)state;
    enum { DECISIONS = 40 };
    fault memory;
    fault_init(&memory);
    lgkt_learner_config config = config_of(DECISIONS);
    const lgkt_units_config set = limits(1, 3);
    lgkt_units *calm = make("anytime:of=ucb,first=2", &config, &set);
    config.allocator = fault_allocator(&memory);
    lgkt_units *u = make("anytime:of=ucb,first=2", &config, &set);
    int failures = 0;
    for (int i = 0; i < DECISIONS; i++) {
        int64_t d;
        int32_t a;
        lgkt_status status = LGKT_ERR_NO_MEMORY;
        for (int k = 1; status != LGKT_OK; k++) {
            fault_fail_at(&memory, k, true);
            status = lgkt_units_act(u, 1, i % STATES, NULL, &d, &a);
            fault_fail_at(&memory, 0, false);
            failures += status != LGKT_OK;
            assert_true(status == LGKT_OK || status == LGKT_ERR_NO_MEMORY);
            assert_true(lgkt_units_open(u) >= 0);
        }
        good(u, lgkt_units_reward(u, d, 0.5));
        good(calm, lgkt_units_act(calm, 1, i % STATES, NULL, &d, &a));
        good(calm, lgkt_units_reward(calm, d, 0.5));
        assert_true(lgkt_units_hash(u) == lgkt_units_hash(calm));
    }
    assert_true(failures > 3);
    lgkt_units_destroy(u);
    lgkt_units_destroy(calm);
    assert_true(fault_is_clean(&memory));
}

// a report that comes several windows late makes two learners, and is refused whole or not at all
static void test_window_refuses_whole_reports(void **state)
{
    (void)state;
    fault memory;
    fault_init(&memory);
    lgkt_learner_config config = config_of(40);
    config.problem.states = 0;
    lgkt_units_config set = limits(1, 40);
    set.keys.state_limit = 8;
    lgkt_units *calm = make("window:of=lg1t,steps=2", &config, &set);
    config.allocator = fault_allocator(&memory);
    lgkt_units *u = make("window:of=lg1t,steps=2", &config, &set);
    int64_t d;
    int32_t a;
    for (int i = 0; i < 9; i++) {
        good(u, lgkt_units_act_key(u, 1, &"abc"[i % 3], 1, NULL, &d, &a));
        good(calm, lgkt_units_act_key(calm, 1, &"abc"[i % 3], 1, NULL, &d, &a));
    }
    const uint64_t hash = lgkt_units_hash(u);
    lgkt_status status = LGKT_ERR_NO_MEMORY;
    for (int k = 1; status != LGKT_OK; k++) {
        fault_fail_at(&memory, k, false);
        status = lgkt_units_reward(u, 0, 0.5);
        fault_fail_at(&memory, 0, false);
        if (status != LGKT_OK)
            refused(u, hash, status, LGKT_ERR_NO_MEMORY, "memory");
    }
    good(calm, lgkt_units_reward(calm, 0, 0.5));
    assert_true(lgkt_units_hash(u) == lgkt_units_hash(calm));
    lgkt_units_destroy(u);
    lgkt_units_destroy(calm);
    assert_true(fault_is_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settle_lets_expire),
        cmocka_unit_test(test_settle_is_a_report),
        cmocka_unit_test(test_take),
        cmocka_unit_test(test_rows_are_trajectories),
        cmocka_unit_test(test_many_rows_or_none),
        cmocka_unit_test(test_many_rows_of_keys),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_limits_are_raised),
        cmocka_unit_test(test_anytime_learns_once),
        cmocka_unit_test(test_window_refuses_whole_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
