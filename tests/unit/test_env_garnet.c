// SPDX-License-Identifier: MIT
// Garnets: the same model as a plain version of the definition makes, known gains, and seeds.
#include "test.h"

#include "ref/env_facts.h"
#include "ref/env_run.h"

// ---- the definition, word by word ----

static uint64_t draw(uint64_t *x)
{
    *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *x >> 33;
}

// The row and the mean of the next pair; p (S).
static double naive_pair(uint64_t *x, int32_t states, int32_t branches, double *p)
{
    int32_t idx[128];
    double cut[130] = {0};
    for (int32_t i = 0; i < states; i++) {
        idx[i] = i;
        p[i] = 0;
    }
    for (int32_t k = 0; k < branches; k++) {
        const int32_t j = k + (int32_t)(draw(x) % (uint64_t)(states - k)), kept = idx[k];
        idx[k] = idx[j];
        idx[j] = kept;
    }
    for (int32_t k = 1; k < branches; k++)
        cut[k] = (double)draw(x) / 2147483648.0;
    cut[branches] = 1;
    for (int32_t i = 1; i < branches; i++)
        for (int32_t k = 1; k + 1 < branches; k++)
            if (cut[k] > cut[k + 1]) {
                const double kept = cut[k];
                cut[k] = cut[k + 1];
                cut[k + 1] = kept;
            }
    for (int32_t k = 0; k < branches; k++)
        p[idx[k]] = cut[k + 1] - cut[k];
    return (double)draw(x) / 2147483648.0;
}

static void test_models_are_as_defined(void **state)
{
    (void)state;
    static const int32_t CASES[][4] = {{10, 3, 3, 1},  {10, 5, 2, 1},  {7, 2, 7, 99}, {5, 1, 1, 0},
                                       {100, 5, 5, 2}, {60, 2, 50, 7}, {1, 2, 1, 3}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const int32_t states = CASES[i][0], actions = CASES[i][1], branches = CASES[i][2];
        char spec[96];
        snprintf(spec, sizeof spec, "garnet:states=%d,actions=%d,branches=%d,seed=%d", states,
                 actions, branches, CASES[i][3]);
        lgkt_env *env = env_run_make(spec, NULL);
        const lgkt_mdp *mdp = lgkt_env_model(env);
        assert_int_equal(lgkt_mdp_states(mdp), states);
        assert_int_equal(lgkt_mdp_actions(mdp), actions);
        assert_int_equal(lgkt_mdp_start(mdp), 0);
        assert_int_equal(lgkt_mdp_noise(mdp), LGKT_NOISE_BERNOULLI);
        assert_true(lgkt_env_problem(env, 1).reward_sd == 0.5);
        uint64_t x = (uint64_t)CASES[i][3];
        for (int32_t z = 0; z < states * actions; z++) {
            double p[128];
            assert_true(lgkt_mdp_rewards(mdp)[z] == naive_pair(&x, states, branches, p));
            for (int32_t y = 0; y < states; y++)
                assert_close(env_facts_probability(mdp, z / actions, z % actions, y), p[y], 1e-15);
        }
        lgkt_env_destroy(env);
    }
}

// numbers made by another program
static void test_known_numbers(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("garnet:states=10,actions=3,branches=3,seed=1", NULL);
    const lgkt_mdp *mdp = lgkt_env_model(env);
    assert_int_equal(lgkt_mdp_row(mdp, 0, 0).n, 3);
    assert_close(env_facts_probability(mdp, 0, 0, 0), 0.412584358826, 1e-12);
    assert_close(env_facts_probability(mdp, 0, 0, 4), 0.382863390259, 1e-12);
    assert_close(env_facts_probability(mdp, 0, 0, 6), 0.204552250914, 1e-12);
    assert_close(lgkt_mdp_reward(mdp, 0, 0), 0.500511283, 1e-9);
    assert_close(lgkt_mdp_reward(mdp, 0, 1), 0.535757654, 1e-9);
    assert_close(lgkt_mdp_reward(mdp, 0, 2), 0.572144284, 1e-9);
    lgkt_env_destroy(env);

    assert_close(env_facts_gain("garnet:seed=1"), 0.665779605789, 1e-12);
    assert_close(env_facts_span("garnet:seed=1"), 0.84333457, 1e-8);
    assert_close(env_facts_uniform_gain("garnet:seed=1", 1e-10), 0.404847413, 1e-9);
    assert_close(env_facts_gain("garnet:actions=5,branches=2,seed=1"), 0.830451855610, 1e-12);
    assert_close(env_facts_gain("garnet:states=100,actions=5,branches=5,seed=1"), 0.840427439031,
                 1e-12);
    assert_close(env_facts_gain("garnet:states=100,actions=5,branches=5,seed=2"), 0.859539235394,
                 1e-12);
    assert_close(env_facts_gain("garnet:states=100,actions=25,branches=5,seed=1"), 0.968050930678,
                 1e-12);
}

// A seed of its own names the model; without one, instances differ.
static void test_seeds(void **state)
{
    (void)state;
    uint64_t hash[2][3];
    for (int own = 0; own < 2; own++)
        for (int i = 0; i < 3; i++) {
            lgkt_env_config config = lgkt_env_config_default();
            config.seed = i == 2 ? 8 : 7;
            config.instance = i == 1;
            lgkt_env *env = env_run_make(own ? "garnet:seed=1" : "garnet", &config);
            hash[own][i] = lgkt_mdp_hash(lgkt_env_model(env));
            assert_non_null(strstr(lgkt_env_note(env), own ? "its seed 1" : "for the instance"));
            lgkt_env_destroy(env);
        }
    assert_true(hash[1][0] == hash[1][1] && hash[1][0] == hash[1][2]);
    assert_true(hash[0][0] != hash[0][1] && hash[0][0] != hash[0][2] && hash[0][1] != hash[0][2]);
}

static void test_runs_follow_the_model(void **state)
{
    (void)state;
    env_facts_check_run("garnet:seed=1", 200000);
    env_facts_check_run("garnet:states=12,branches=9,actions=2", 200000);
}

static void test_bad_values_are_refused(void **state)
{
    (void)state;
    static const env_facts_bad CASES[] = {
        {"garnet:states=0", "states"},
        {"garnet:actions=0", "actions"},
        {"garnet:branches=0", "branches"},
        {"garnet:branches=1001", "branches"},
        {"garnet:states=3,branches=4", "branches=4, must be at most states=3"},
        {"garnet:seed=-1", "seed"},
        {"garnet:seed=1.5", "seed"},
        {"garnet:seed=x", "seed"},
        {NULL, NULL},
    };
    env_facts_check_refused(CASES);
    lgkt_env *env = NULL;
    lgkt_error error = {0};
    assert_refused(lgkt_env_create("garnet:states=16777216,actions=6", NULL, &env, &error),
                   LGKT_ERR_SHAPE, error, "at most 2^28");
    assert_refused(lgkt_env_create("garnet:states=16777216,actions=65536", NULL, &env, &error),
                   LGKT_ERR_SHAPE, error, "at most 2^28");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models_are_as_defined),
        cmocka_unit_test(test_known_numbers),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_runs_follow_the_model),
        cmocka_unit_test(test_bad_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
