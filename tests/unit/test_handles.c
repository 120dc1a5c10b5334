// SPDX-License-Identifier: MIT
// NULL in place of every handle: what gives a status refuses it, what only reads answers, what
// destroys does nothing.
#include "test.h"

#include <string.h>

#include "lgkt/io.h"
#include "lgkt/keyed.h"
#include "lgkt/units.h"
#include "ref/models.h"

static int stop(void *ctx, int64_t t, const double *law)
{
    (void)ctx, (void)t, (void)law;
    return 1;
}

static void test_environments(void **state)
{
    (void)state;
    lgkt_trajectory *run = NULL;
    lgkt_step step;
    lgkt_error error = {0};
    size_t size = 7;
    unsigned char bytes[8] = {0};
    const lgkt_status bad = LGKT_ERR_ARGUMENT;
    assert_null(lgkt_env_model(NULL));
    assert_null(lgkt_env_hidden_model(NULL));
    assert_string_equal(lgkt_env_note(NULL), "");
    assert_int_equal(lgkt_env_problem(NULL, 5).states, 0);
    lgkt_env_destroy(NULL);
    assert_refused(lgkt_trajectory_create(NULL, 1, 0, 0, NULL, &run, &error), bad, error, "");
    assert_refused(lgkt_trajectory_load(NULL, bytes, 8, NULL, &run, &error), bad, error, "");
    assert_int_equal(lgkt_trajectory_state(NULL), -1);
    assert_int_equal(lgkt_trajectory_time(NULL), 0);
    assert_int_equal(lgkt_trajectory_horizon(NULL), 0);
    assert_null(lgkt_trajectory_observation(NULL, &size));
    assert_int_equal(size, 0);
    assert_null(lgkt_trajectory_observation(NULL, NULL));
    assert_int_equal(lgkt_trajectory_step(NULL, 0, &step), bad);
    assert_string_equal(lgkt_trajectory_message(NULL), "trajectory must not be NULL");
    assert_int_equal(lgkt_trajectory_save(NULL, bytes, 8, &size, NULL), bad);
    lgkt_trajectory_destroy(NULL);
    assert_null(run);
}

static void test_models(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *model = NULL;
    const double p[1] = {1};
    const lgkt_status bad = LGKT_ERR_ARGUMENT;
    assert_refused(lgkt_mdp_builder_create(1, 1, NULL, NULL, &error), bad, error, "NULL");
    assert_builder_refused(lgkt_mdp_builder_reward(NULL, 0, 0, 0), NULL, bad, "NULL");
    assert_builder_refused(lgkt_mdp_builder_edge(NULL, 0, 0, 0, 1), NULL, bad, "NULL");
    assert_builder_refused(lgkt_mdp_builder_edge_reward(NULL, 0, 0, 0, 1), NULL, bad, "NULL");
    assert_builder_refused(lgkt_mdp_builder_row(NULL, 0, 0, p), NULL, bad, "NULL");
    assert_builder_refused(lgkt_mdp_builder_start(NULL, 0), NULL, bad, "NULL");
    assert_builder_refused(lgkt_mdp_builder_start_law(NULL, p), NULL, bad, "NULL");
    assert_builder_refused(lgkt_mdp_builder_noise(NULL, LGKT_NOISE_NONE, 0), NULL, bad, "NULL");
    assert_builder_refused(lgkt_mdp_builder_pair_noise(NULL, 0, 0, LGKT_NOISE_NONE, 0), NULL, bad,
                           "NULL");
    assert_builder_refused(lgkt_mdp_builder_forbid(NULL, 0, 0), NULL, bad, "NULL");
    assert_refused(lgkt_mdp_builder_build(NULL, &model, &error), bad, error, "NULL");
    lgkt_mdp_builder_destroy(NULL);
    assert_null(lgkt_mdp_retain(NULL));
    lgkt_mdp_destroy(NULL);
    assert_null(model);
}

static void test_plans(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    lgkt_cost *cost = NULL;
    const lgkt_threshold threshold = {0};
    const int32_t actions[1] = {0};
    uint8_t member[1];
    double x[4];
    const lgkt_status bad = LGKT_ERR_ARGUMENT;
    assert_refused(lgkt_plan_lookahead(NULL, 1, NULL, x, &error), bad, error, "NULL");
    assert_refused(lgkt_policy_optimal(NULL, 1, LGKT_TIES_LOW, NULL, &policy, &error), bad, error,
                   "NULL");
    assert_refused(lgkt_policy_greedy(NULL, 1, 1, LGKT_TIES_LOW, NULL, &policy, &error), bad, error,
                   "NULL");
    assert_refused(lgkt_policy_threshold(NULL, 1, 1, &threshold, NULL, &policy, &error), bad, error,
                   "NULL");
    assert_refused(lgkt_policy_uniform(NULL, 1, NULL, &policy, &error), bad, error, "NULL");
    assert_refused(lgkt_policy_fixed(NULL, 1, actions, NULL, &policy, &error), bad, error, "NULL");
    assert_refused(lgkt_policy_value(NULL, NULL, x, &error), bad, error, "NULL");
    assert_refused(lgkt_policy_forward(NULL, NULL, NULL, stop, NULL, &error), bad, error, "NULL");
    assert_refused(lgkt_policy_ratio(NULL, NULL, x, &error), bad, error, "NULL");
    assert_refused(lgkt_policy_gain(NULL, 1e-9, NULL, x, NULL, &error), bad, error, "NULL");
    assert_refused(lgkt_plan_gain(NULL, 1e-9, NULL, x, NULL, &error), bad, error, "NULL");
    assert_refused(lgkt_plan_gap_bound(NULL, 1, NULL, x, &error), bad, error, "NULL");
    assert_refused(lgkt_plan_gap_distance(NULL, 1, NULL, x, &error), bad, error, "NULL");
    assert_refused(lgkt_cost_create(NULL, 1, 1, &threshold, NULL, &cost, &error), bad, error,
                   "NULL");
    assert_refused(lgkt_cost_of_policy(NULL, NULL, NULL, NULL, x, &error), bad, error, "NULL");
    assert_false(lgkt_plan_two_state_dominance(NULL, &error));
    assert_int_equal(lgkt_policy_horizon(NULL), 0);
    assert_int_equal(lgkt_policy_action(NULL, 1, 0), -1);
    assert_int_equal(lgkt_policy_actions(NULL, 1, 0, member), 0);
    assert_true(isnan(lgkt_cost_at(NULL, 0, 0, 0)));
    assert_null(cost);
    lgkt_policy_destroy(NULL);
    lgkt_cost_destroy(NULL);

    // and in place of what is written to
    lgkt_mdp *model = model_example();
    assert_refused(lgkt_plan_lookahead(model, 1, NULL, NULL, &error), bad, error, "NULL");
    assert_refused(lgkt_policy_uniform(model, 0, NULL, &policy, &error), bad, error,
                   "horizon is 0");
    assert_refused(lgkt_policy_uniform(model, 1, NULL, NULL, &error), bad, error, "NULL");
    assert_ok(lgkt_policy_uniform(model, 1, NULL, &policy, &error), error);
    assert_refused(lgkt_policy_value(policy, NULL, NULL, &error), bad, error, "NULL");
    assert_int_equal(lgkt_policy_actions(policy, 1, 0, NULL), 0);
    lgkt_policy_destroy(policy);

    // what is out of range has no cost
    assert_ok(lgkt_cost_create(model, 1, 3, &threshold, NULL, &cost, &error), error);
    const int32_t states = lgkt_mdp_states(model), count = lgkt_mdp_actions(model);
    assert_true(isfinite(lgkt_cost_at(cost, 2, states - 1, count - 1)));
    assert_true(isnan(lgkt_cost_at(cost, -1, 0, 0)));
    assert_true(isnan(lgkt_cost_at(cost, 3, 0, 0)));
    assert_true(isnan(lgkt_cost_at(cost, 0, -1, 0)));
    assert_true(isnan(lgkt_cost_at(cost, 0, states, 0)));
    assert_true(isnan(lgkt_cost_at(cost, 0, 0, -1)));
    assert_true(isnan(lgkt_cost_at(cost, 0, 0, count)));
    lgkt_cost_destroy(cost);
    lgkt_mdp_destroy(model);
}

static void test_learners(void **state)
{
    (void)state;
    int32_t action = 0;
    size_t size = 0;
    lgkt_counter counter;
    const lgkt_status bad = LGKT_ERR_ARGUMENT;
    assert_int_equal(lgkt_learner_act(NULL, 0, NULL, &action), bad);
    assert_int_equal(lgkt_learner_observe(NULL, 0, 0, false), bad);
    assert_int_equal(lgkt_learner_feed(NULL, 0, 0, 0, 0, false), bad);
    assert_int_equal(lgkt_learner_save(NULL, NULL, 0, &size, NULL), bad);
    assert_non_null(strstr(lgkt_learner_message(NULL), "NULL"));
    assert_int_equal(lgkt_learner_time(NULL), 0);
    assert_int_equal(lgkt_learner_next_state(NULL), -1);
    assert_int_equal(lgkt_learner_problem(NULL).states, 0);
    assert_string_equal(lgkt_learner_spec(NULL), "");
    assert_int_equal(lgkt_learner_hash(NULL), 0);
    assert_int_equal(lgkt_learner_bytes(NULL), 0);
    assert_int_equal(lgkt_learner_counters(NULL, &counter, 1), 0);
    lgkt_learner_destroy(NULL);
    assert_int_equal(lgkt_keyed_act(NULL, "", 0, NULL, &action), bad);
    assert_int_equal(lgkt_keyed_observe(NULL, 0, "", 0, false), bad);
    assert_int_equal(lgkt_keyed_save(NULL, NULL, 0, &size, NULL), bad);
    assert_non_null(strstr(lgkt_keyed_message(NULL), "NULL"));
    assert_int_equal(lgkt_keyed_states(NULL), 0);
    assert_int_equal(lgkt_keyed_find(NULL, "", 0), -1);
    assert_null(lgkt_keyed_key(NULL, 0, &size));
    assert_null(lgkt_keyed_learner(NULL));
    lgkt_keyed_destroy(NULL);
}

static void test_units(void **state)
{
    (void)state;
    int32_t action = 0;
    int64_t decision = 0;
    size_t size = 0;
    lgkt_reason reason;
    lgkt_error error = {0};
    const lgkt_status bad = LGKT_ERR_ARGUMENT;
    assert_int_equal(lgkt_units_act(NULL, 0, 0, NULL, &decision, &action), bad);
    assert_int_equal(lgkt_units_act_key(NULL, 0, "", 0, NULL, &decision, &action), bad);
    assert_int_equal(lgkt_units_reward(NULL, 0, 0), bad);
    assert_int_equal(lgkt_units_next(NULL, 0, 0, false), bad);
    assert_int_equal(lgkt_units_next_key(NULL, 0, "", 0, false), bad);
    assert_int_equal(lgkt_units_settle(NULL, 0, 0), bad);
    assert_int_equal(lgkt_units_settle_key(NULL, 0, "", 0), bad);
    assert_int_equal(lgkt_units_take(NULL, 0, 0, NULL, 0, &decision), bad);
    assert_int_equal(lgkt_units_take_key(NULL, 0, "", 0, NULL, 0, &decision), bad);
    assert_int_equal(lgkt_units_feed(NULL, 0, 0, 0, 0, 0, false), bad);
    assert_int_equal(lgkt_units_feed_key(NULL, 0, "", 0, 0, 0, "", 0, false), bad);
    assert_int_equal(lgkt_units_feed_rows(NULL, NULL, 0, sizeof(lgkt_units_row)), bad);
    assert_int_equal(lgkt_units_raise_limits(NULL, 0, 0), bad);
    assert_refused(lgkt_units_explain_key(NULL, 0, "", 0, NULL, &reason, sizeof reason, &error),
                   bad, error, "NULL");
    assert_int_equal(lgkt_keyed_feed(NULL, "", 0, 0, 0, "", 0, false), bad);
    assert_int_equal(lgkt_units_leave(NULL, 0), bad);
    assert_int_equal(lgkt_units_set_horizon(NULL, 1, 0), bad);
    assert_refused(lgkt_units_explain(NULL, 0, 0, NULL, &reason, sizeof(lgkt_reason), &error), bad,
                   error, "NULL");
    assert_int_equal(lgkt_units_save(NULL, NULL, 0, &size, NULL), bad);
    assert_int_equal(lgkt_units_decisions(NULL), 0);
    assert_int_equal(lgkt_units_open(NULL), 0);
    assert_int_equal(lgkt_units_count(NULL), 0);
    assert_int_equal(lgkt_units_expired(NULL), 0);
    assert_null(lgkt_units_learner(NULL));
    assert_null(lgkt_units_keys(NULL));
    assert_int_equal(lgkt_units_bytes(NULL), 0);
    assert_int_equal(lgkt_units_hash(NULL), 0);
    assert_non_null(strstr(lgkt_units_message(NULL), "NULL"));
    lgkt_units_destroy(NULL);
}

static void test_files(void **state)
{
    (void)state;
    lgkt_error error = {0};
    size_t size = 0;
    const lgkt_status bad = LGKT_ERR_ARGUMENT;
    assert_null(lgkt_io_model_mdp(NULL));
    assert_null(lgkt_io_model_name(NULL));
    assert_null(lgkt_io_model_comment(NULL));
    assert_refused(lgkt_io_model_write(NULL, "x", &error), bad, error, "NULL");
    assert_refused(lgkt_io_model_print(NULL, NULL, 0, &size, &error), bad, error, "NULL");
    lgkt_io_model_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_environments), cmocka_unit_test(test_models),
        cmocka_unit_test(test_plans),        cmocka_unit_test(test_learners),
        cmocka_unit_test(test_units),        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
