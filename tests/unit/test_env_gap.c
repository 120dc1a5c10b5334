// SPDX-License-Identifier: MIT
// The environment with one good action per state: its rewards, and where its thresholds lie.
#include "test.h"

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
        cmocka_unit_test(test_bad_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
