// SPDX-License-Identifier: MIT
// The programme's participants: rows and rewards by a plain version of the definition, and how
// people differ.
#include "test.h"

#include "ref/env_facts.h"
#include "ref/env_run.h"

// ---- the definition, word by word ----

static double effect(const double w[4], int a, int e, int b)
{
    const double g = a == 1 ? 0.15 : a == 2 ? 0.08 * e : a == 3 ? (e <= 1 ? 0.5 : 0.2) : 0;
    return w[a] * g * (1 - 0.45 * b);
}

// P(e', b' | e, b, a) by cases
static double chance(const double w[4], int a, int e, int b, int e2, int b2)
{
    const double up = e < 4 ? fmin(0.7, 0.04 + 0.5 * effect(w, a, e, b)) : 0;
    const double down = e > 0 ? 0.08 + (b == 2 && a > 0 ? 0.12 : 0) : 0;
    const double level = e2 == e + 1 ? up : e2 == e - 1 ? down : e2 == e ? 1 - up - down : 0;
    const int other = a > 0 ? (b < 2 ? b + 1 : 2) : (b > 0 ? b - 1 : 0);
    const double moves = a == 0 ? 0.7 : a == 1 ? 0.6 : 1;
    return level * ((b2 == other ? moves : 0) + (b2 == b ? 1 - moves : 0));
}

static void check_model(const lgkt_mdp *mdp, const double w[4])
{
    static const double cost[4] = {0, 0.02, 0.04, 0.2};
    assert_int_equal(lgkt_mdp_states(mdp), 30);
    assert_int_equal(lgkt_mdp_actions(mdp), 4);
    for (int s = 0; s < 30; s++)
        for (int a = 0; a < 4; a++) {
            const int e = s / 6, b = s / 2 % 3, d = s % 2;
            assert_int_equal(lgkt_mdp_allowed(mdp, s, a), !(a == 3 && d == 1));
            if (!lgkt_mdp_allowed(mdp, s, a))
                continue;
            assert_close(lgkt_mdp_reward(mdp, s, a), 0.15 * e + effect(w, a, e, b) - cost[a],
                         1e-15);
            for (int y = 0; y < 30; y++)
                assert_close(env_facts_probability(mdp, s, a, y),
                             y % 2 == d ? 0 : chance(w, a, e, b, y / 6, y / 2 % 3), 1e-12);
        }
}

static void test_the_model_is_as_defined(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("programme:spread=0,noise=0.5", NULL);
    check_model(lgkt_env_model(env), (const double[4]){0, 1, 1, 1});
    assert_int_equal(lgkt_mdp_start(lgkt_env_model(env)), 12);
    assert_true(lgkt_env_problem(env, 1).masked && lgkt_env_problem(env, 1).reward_sd == 0.5);
    lgkt_env_destroy(env);
}

static void test_people_differ_as_their_stream_says(void **state)
{
    (void)state;
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = 7;
    for (config.instance = 0; config.instance < 20; config.instance++) {
        lgkt_rng rng = lgkt_rng_stream(7, "instance", config.instance);
        double w[4] = {0};
        for (int a = 1; a < 4; a++)
            w[a] = fmax(0, 1 + 0.9 * lgkt_rng_normal(&rng));
        lgkt_env *env = env_run_make("programme:spread=0.9", &config);
        check_model(lgkt_env_model(env), w);
        lgkt_env_destroy(env);
    }
}

static void test_no_calls_in_the_evening(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("programme", NULL);
    lgkt_trajectory *run = env_run_start(env, 10, 1);
    env_run_play(run, 3);
    const int32_t evening = lgkt_trajectory_state(run);
    lgkt_step step;
    assert_int_equal(evening % 2, 1);
    assert_int_equal(lgkt_trajectory_step(run, 3, &step), LGKT_ERR_ARGUMENT);
    assert_int_equal(lgkt_trajectory_state(run), evening);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_model_is_as_defined),
        cmocka_unit_test(test_people_differ_as_their_stream_says),
        cmocka_unit_test(test_no_calls_in_the_evening),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
