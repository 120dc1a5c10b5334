// SPDX-License-Identifier: MIT
// DeepSea: cells and rewards against the definition, with and without wind; the coins; the noise of
// the corners; and gains.
#include "test.h"

#include "ref/chance.h"
#include "ref/env_run.h"

static lgkt_env *make(int size, const char *more, uint64_t instance)
{
    char spec[64];
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = 4;
    config.instance = instance;
    snprintf(spec, sizeof spec, "deepsea:size=%d%s", size, more);
    return env_run_make(spec, &config);
}

// the action that costs something
static int32_t right_action(const lgkt_mdp *mdp, int32_t s)
{
    const bool zero = lgkt_mdp_reward(mdp, s, 0) == 0, one = lgkt_mdp_reward(mdp, s, 1) == 0;
    assert_true(zero != one);
    return zero ? 1 : 0;
}

// ---- the definition ----

static void check_cells(const lgkt_mdp *mdp, int32_t n, bool windy)
{
    int32_t s = 0;
    for (int32_t r = 0; r < n; r++)
        for (int32_t c = 0; c <= r; c++, s++) {
            const int32_t right = right_action(mdp, s), below = s + r + 1; // (r+1, c)
            const lgkt_row go = lgkt_mdp_row(mdp, s, right), back = lgkt_mdp_row(mdp, s, 1 - right);
            const double treasure = r == n - 1 && c == n - 1 ? 1 : 0;
            assert_close(lgkt_mdp_reward(mdp, s, right), treasure - 0.01 / n, 1e-16);
            assert_true(go.reward == NULL && back.reward == NULL);
            assert_int_equal(back.n, 1);
            if (r == n - 1) {
                assert_true(go.n == 1 && go.next[0] == 0 && back.next[0] == 0);
                continue;
            }
            assert_int_equal(back.next[0], c > 0 ? below - 1 : below);
            assert_int_equal(go.n, windy ? 2 : 1);
            assert_int_equal(go.next[go.n - 1], below + 1);
            assert_close(go.p[go.n - 1], windy ? 1 - 1.0 / n : 1, 1e-15);
            if (windy) {
                assert_int_equal(go.next[0], below);
                assert_close(go.p[0], 1.0 / n, 1e-15);
            }
        }
    assert_int_equal(s, lgkt_mdp_states(mdp));
    assert_int_equal(lgkt_mdp_start(mdp), 0);
}

static void test_cells(void **state)
{
    (void)state;
    static const int SIZES[] = {2, 3, 10, 25};
    for (int i = 0; i < 4; i++)
        for (int windy = 0; windy < 2; windy++) {
            lgkt_env *env = make(SIZES[i], windy ? ",windy=1" : "", 0);
            const lgkt_problem problem = lgkt_env_problem(env, 1);
            check_cells(problem.model, SIZES[i], windy);
            assert_int_equal(problem.actions, 2);
            assert_close(problem.reward_min, -0.01 / SIZES[i], 1e-16);
            assert_close(problem.reward_max, 1 - 0.01 / SIZES[i], 1e-16);
            assert_true(problem.reward_sd == 0);
            lgkt_env_destroy(env);
        }
}

// The coins are fair, and those of two instances are two sets of coins.
static void test_right_is_a_coin_per_cell(void **state)
{
    (void)state;
    enum { SIZE = 60, CELLS = SIZE * (SIZE + 1) / 2 };
    lgkt_env *one = make(SIZE, "", 0), *same = make(SIZE, "", 0), *other = make(SIZE, "", 1);
    int ones = 0, apart = 0;
    for (int32_t s = 0; s < CELLS; s++) {
        const int32_t right = right_action(lgkt_env_model(one), s);
        ones += right;
        apart += right != right_action(lgkt_env_model(other), s);
    }
    assert_close(ones, CELLS / 2.0, chance_count_bound(CELLS, 0.5));
    assert_close(apart, CELLS / 2.0, chance_count_bound(CELLS, 0.5));
    assert_true(lgkt_mdp_hash(lgkt_env_model(one)) == lgkt_mdp_hash(lgkt_env_model(same)));
    lgkt_env_destroy(one);
    lgkt_env_destroy(same);
    lgkt_env_destroy(other);
}

// ---- runs ----

// the treasure at every N-th step
static void test_the_path_to_the_treasure(void **state)
{
    (void)state;
    enum { SIZE = 7, STEPS = 70 };
    lgkt_env *env = make(SIZE, "", 3);
    lgkt_trajectory *run = env_run_start(env, STEPS, 1);
    for (int t = 0; t < STEPS; t++) {
        const int32_t s = lgkt_trajectory_state(run);
        const lgkt_step step = env_run_play(run, right_action(lgkt_env_model(env), s));
        assert_close(step.reward, (t % SIZE == SIZE - 1) - 0.01 / SIZE, 1e-15);
        assert_true(step.reward == step.mean_reward && !step.ended);
        assert_true((step.state == 0) == (t % SIZE == SIZE - 1));
    }
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// Right all the time: wind keeps the column in 1 of N steps of all but the last row. Noise stands
// in the corners only; there its sum over n steps is normal with standard deviation sd sqrt(n), and
// 5.4 of them are passed with probability 1e-7.
static void test_wind_and_noise(void **state)
{
    (void)state;
    enum { SIZE = 4, STEPS = 40000 };
    lgkt_env *env = make(SIZE, ",windy=1,sd=0.5", 0);
    const lgkt_mdp *mdp = lgkt_env_model(env);
    lgkt_trajectory *run = env_run_start(env, STEPS, 2);
    const int32_t corners[] = {SIZE * (SIZE - 1) / 2, SIZE * (SIZE + 1) / 2 - 1};
    double kept = 0, tries = 0, sum = 0, squares = 0, noisy = 0;
    assert_true(lgkt_env_problem(env, 1).reward_sd == 0.5);
    for (int t = 0; t < STEPS; t++) {
        const int32_t s = lgkt_trajectory_state(run), right = right_action(mdp, s);
        const bool corner = s == corners[0] || s == corners[1];
        // some go left, so that both corners are met
        const int32_t a = t % 32 < 4 ? 1 - right : right;
        const lgkt_step step = env_run_play(run, a);
        const double noise = step.reward - step.mean_reward;
        if (a == right && s < corners[0]) {
            tries++;
            kept += step.state == lgkt_mdp_row(mdp, s, right).next[0];
        }
        assert_true(corner || noise == 0);
        if (corner) {
            noisy++;
            sum += noise;
            squares += noise * noise;
        }
    }
    assert_close(kept, tries / SIZE, chance_count_bound(tries, 1.0 / SIZE));
    assert_true(noisy > 4000);
    assert_close(sum, 0, 5.4 * 0.5 * sqrt(noisy));
    assert_close(squares / noisy, 0.25, 5.4 * 0.25 * sqrt(2 / noisy));
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// ---- gains ----

static void test_gains(void **state)
{
    (void)state;
    static const struct {
        int size;
        double still, windy;
    } CASES[] = {
        {5, 0.198, 0.08057536},
        {10, 0.099, 0.0380907273401},
        {20, 0.0495, 0.018546923088},
    };
    for (int i = 0; i < 3; i++)
        for (int windy = 0; windy < 2; windy++)
            for (uint64_t instance = 0; instance < 3; instance++) {
                lgkt_env *env = make(CASES[i].size, windy ? ",windy=1" : "", instance);
                double gain;
                lgkt_error error = {0};
                assert_ok(lgkt_plan_gain(lgkt_env_model(env), 1e-12, NULL, &gain, NULL, &error),
                          error);
                assert_close(gain, windy ? CASES[i].windy : CASES[i].still, 1e-10);
                lgkt_env_destroy(env);
            }
}

// Under uniform play, too: half the steps cost 0.01/N, and one of 2^N falls finds the treasure.
static void test_the_gain_of_uniform_play(void **state)
{
    (void)state;
    static const int SIZES[] = {3, 10};
    for (int i = 0; i < 2; i++) {
        const int n = SIZES[i];
        lgkt_env *env = make(n, "", 0);
        lgkt_policy *policy = NULL;
        double gain;
        lgkt_error error = {0};
        assert_ok(lgkt_policy_uniform(lgkt_env_model(env), 10, NULL, &policy, &error), error);
        assert_ok(lgkt_policy_gain(policy, 1e-12, NULL, &gain, NULL, &error), error);
        assert_close(gain, ldexp(1, -n) / n - 0.005 / n, 1e-10);
        if (n == 10)
            assert_close(gain, -0.000402344, 1e-9);
        lgkt_policy_destroy(policy);
        lgkt_env_destroy(env);
    }
}

static void test_bad_values_are_refused(void **state)
{
    (void)state;
    static const char *const CASES[][2] = {
        {"deepsea:size=1", "size=1 is out of range"},
        {"deepsea:size=1025", "size=1025"},
        {"deepsea:size=2.5", "size"},
        {"deepsea:windy=2", "windy"},
        {"deepsea:sd=-1", "sd"},
        {"deepsea:sd=inf", "sd"},
        {"deepsea:states=10", "states"},
    };
    env_run_check_refused(CASES, sizeof CASES / sizeof *CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_right_is_a_coin_per_cell),
        cmocka_unit_test(test_the_path_to_the_treasure),
        cmocka_unit_test(test_wind_and_noise),
        cmocka_unit_test(test_gains),
        cmocka_unit_test(test_the_gain_of_uniform_play),
        cmocka_unit_test(test_bad_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
