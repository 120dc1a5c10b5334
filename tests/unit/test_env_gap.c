// SPDX-License-Identifier: MIT
// The environment with one good action per state: its rewards, and where its thresholds lie; and
// the one that no short lookahead leaves.
#include "test.h"

#include "ref/models.h"

static lgkt_env *make(const char *spec, uint64_t instance)
{
    lgkt_env_config config = lgkt_env_config_default();
    lgkt_env *env = NULL;
    lgkt_error error = {0};
    config.seed = 3;
    config.instance = instance;
    assert_ok(lgkt_env_create(spec, &config, &env, &error), error);
    return env;
}

static void test_each_state_has_one_good_action(void **state)
{
    (void)state;
    bool differs = false;
    int32_t first = -1;
    for (uint64_t i = 0; i < 20; i++) {
        lgkt_env *env = make("gap:states=7,actions=4,threshold=0.4,gap=0.1", i);
        const lgkt_mdp *mdp = lgkt_env_model(env);
        for (int32_t s = 0; s < 7; s++) {
            int32_t good = 0;
            for (int32_t a = 0; a < 4; a++) {
                const double mean = lgkt_mdp_reward(mdp, s, a);
                const bool is_good = mean > 0.4;
                assert_close(mean, is_good ? 0.5 : 0.3, 1e-15);
                good += is_good;
                if (is_good && s == 0) {
                    differs |= first >= 0 && first != a;
                    first = a;
                }
            }
            assert_int_equal(good, 1);
        }
        lgkt_env_destroy(env);
    }
    assert_true(differs); // the good actions are drawn; 20 equal draws have probability 4^-19
}

// Q_K is K (threshold + gap) for good actions and 2 gap less for the others
static void test_lookahead_is_as_the_head_comment_says(void **state)
{
    (void)state;
    lgkt_env *env = make("gap", 0);
    const lgkt_mdp *mdp = lgkt_env_model(env);
    for (int64_t k = 1; k <= 5; k++) {
        double q[15];
        lgkt_error error = {0};
        assert_ok(lgkt_plan_lookahead(mdp, k, NULL, q, &error), error);
        for (int32_t z = 0; z < 15; z++) {
            const bool good = lgkt_mdp_rewards(mdp)[z] > 0.5;
            const double middle = (double)k * 0.7 - 0.2;
            assert_close(q[z] - middle, good ? 0.2 : -0.2, 1e-12);
        }
    }
    lgkt_env_destroy(env);
}

// ---- linear-gap ----

// the model that the tests of Theorem 3.4 are made on
static void test_the_linear_gap_is_that_of_the_theorem(void **state)
{
    (void)state;
    static const int32_t CASES[][3] = {{4, 3, 4}, {2, 2, 1}, {5, 4, 2}, {9, 2, 30}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const int32_t states = CASES[i][0], actions = CASES[i][1], k = CASES[i][2];
        char spec[96];
        snprintf(spec, sizeof spec, "linear-gap:states=%d,actions=%d,k=%d", states, actions, k);
        lgkt_env *env = make(spec, 0);
        lgkt_mdp *expected = model_linear_gap(states, actions, k);
        assert_true(lgkt_mdp_hash(lgkt_env_model(env)) == lgkt_mdp_hash(expected));
        lgkt_mdp_destroy(expected);
        lgkt_env_destroy(env);
    }
}

// V* = -(k+1) and k steps of lookahead lose 1 at each step, or all T of them if T is short
static void test_lookahead_does_not_leave(void **state)
{
    (void)state;
    enum { K = 4, T = 100 };
    lgkt_env *env = make("linear-gap:sd=0.5", 0);
    assert_true(lgkt_env_problem(env, 1).reward_sd == 0.5);
    for (int64_t k = 1; k <= K + 2; k++) {
        lgkt_policy *policy = NULL;
        lgkt_error error = {0};
        double value[4];
        assert_ok(
            lgkt_policy_greedy(lgkt_env_model(env), k, T, LGKT_TIES_LOW, NULL, &policy, &error),
            error);
        assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
        assert_close(value[0], k <= K + 1 ? -T : -(K + 1), 1e-9);
        lgkt_policy_destroy(policy);
    }
    lgkt_env_destroy(env);
}

static void test_bad_values_are_refused(void **state)
{
    (void)state;
    lgkt_env *env = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_env_create("gap:gap=-1", NULL, &env, &error), LGKT_ERR_SPEC, error,
                   "gap=-1 is out of range");
    assert_refused(lgkt_env_create("gap:states=16777216,actions=20", NULL, &env, &error),
                   LGKT_ERR_SHAPE, error, "at most 2^28");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_state_has_one_good_action),
        cmocka_unit_test(test_lookahead_is_as_the_head_comment_says),
        cmocka_unit_test(test_the_linear_gap_is_that_of_the_theorem),
        cmocka_unit_test(test_lookahead_does_not_leave),
        cmocka_unit_test(test_bad_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
