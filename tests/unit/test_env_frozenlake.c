// SPDX-License-Identifier: MIT
// FrozenLake against Gymnasium's rules, its random numbers and known gains.
#include "test.h"

#include "core/hash.h"
#include "env/tile_map.h"
#include "ref/env_run.h"
#include "ref/naive_gain.h"
#include "ref/numpy_pcg64.h"

enum { STATES = 16 };

// what the golden digest starts from (one digit short of the usual FNV offset)
#define GOLDEN_START UINT64_C(1469598103934665603)

static const lgkt_map *lake_of(const lgkt_env *env)
{
    return env->self;
}

// A hole or a goal, with return-step=1: every action leads to the start.
static bool is_left_at_once(const lgkt_env *env, int32_t tile)
{
    for (int32_t k = 0; k < 16; k++)
        if (lake_of(env)->outcome[tile * 16 + k].next != 0 ||
            lake_of(env)->outcome[tile * 16 + k].reward != 0)
            return false;
    return true;
}

// ---- rules ----

// Tiles entered, by state and action, in outcome order; the states left out are holes and goal.
static const int TABLE[][13] = {
    {0, 0, 0, 4, 0, 4, 1, 4, 1, 0, 1, 0, 0},
    {1, 1, 0, 5, 0, 5, 2, 5, 2, 1, 2, 1, 0},
    {2, 2, 1, 6, 1, 6, 3, 6, 3, 2, 3, 2, 1},
    {3, 3, 2, 7, 2, 7, 3, 7, 3, 3, 3, 3, 2},
    {4, 0, 4, 8, 4, 8, 5, 8, 5, 0, 5, 0, 4},
    {6, 2, 5, 10, 5, 10, 7, 10, 7, 2, 7, 2, 5},
    {8, 4, 8, 12, 8, 12, 9, 12, 9, 4, 9, 4, 8},
    {9, 5, 8, 13, 8, 13, 10, 13, 10, 5, 10, 5, 8},
    {10, 6, 9, 14, 9, 14, 11, 14, 11, 6, 11, 6, 9},
    {13, 9, 12, 13, 12, 13, 14, 13, 14, 9, 14, 9, 12},
    {14, 10, 13, 14, 13, 14, 15, 14, 15, 10, 15, 10, 13},
};

static bool is_terminal(int tile)
{
    return tile == 5 || tile == 7 || tile == 11 || tile == 12 || tile == 15;
}

// the tile that is entered is the next state, also where it ends an episode
#define STAYS "frozenlake:return-step=1"

static void test_outcomes_are_those_of_gymnasium(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("frozenlake", NULL), *stays = env_run_make(STAYS, NULL);
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++) {
        for (int a = 0; a < 4; a++) {
            for (int k = 0; k < 3; k++) {
                const int s = TABLE[i][0], tile = TABLE[i][1 + 3 * a + k];
                const lgkt_outcome *out = lgkt_map_outcome(lake_of(env), s, a, (k + 0.5) / 3);
                assert_int_equal(lgkt_map_outcome(lake_of(stays), s, a, (k + 0.5) / 3)->next, tile);
                assert_int_equal(out->next, is_terminal(tile) ? 0 : tile);
                assert_true(out->reward == (tile == 15 ? 1 : is_terminal(tile) ? 0 : 0.2));
            }
        }
    }
    lgkt_env_destroy(env);
    lgkt_env_destroy(stays);
}

static void test_probabilities_are_exact(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("frozenlake", NULL);
    const lgkt_map *lake = lake_of(env);
    // right from state 8: down into the hole and so to the start, up to 4, as meant to 9
    const double *p = lgkt_mdp_row(lgkt_env_model(env), 8, 2).p;
    assert_true(p[0] == 0x1.5555555555556p-2);
    assert_true(p[1] == 0x1.5555555555556p-2);
    assert_true(p[2] == 0x1.5555555555555p-2);
    assert_true(lake->cumulative[0] == 0x1.5555555555556p-2);
    assert_true(lake->cumulative[1] == 0x1.5555555555556p-1);
    assert_true(lake->cumulative[2] == 1.0);
    // the first outcome takes the numbers below its cumulative probability, not the number itself
    assert_int_equal(lgkt_map_outcome(lake, 4, 0, 0x1.5555555555555p-2)->next, 0);
    assert_int_equal(lgkt_map_outcome(lake, 4, 0, 0x1.5555555555556p-2)->next, 4);
    assert_int_equal(lgkt_map_outcome(lake, 4, 0, 0x1.5555555555556p-1)->next, 8);
    lgkt_env_destroy(env);
}

static void test_model_rows_merge_outcomes(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("frozenlake", NULL);
    const lgkt_mdp *model = lgkt_env_model(env);
    assert_int_equal(lgkt_mdp_states(model), STATES);
    assert_int_equal(lgkt_mdp_actions(model), 4);
    assert_int_equal(lgkt_mdp_start(model), 0);
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++) {
        for (int a = 0; a < 4; a++) {
            const int s = TABLE[i][0];
            double p[STATES] = {0};
            for (int k = 0; k < 3; k++) {
                const int tile = TABLE[i][1 + 3 * a + k];
                p[is_terminal(tile) ? 0 : tile] += 1.0 / 3;
            }
            const lgkt_row row = lgkt_mdp_row(model, s, a);
            for (int32_t j = 0; j < row.n; j++) {
                assert_close(row.p[j], p[row.next[j]], 1e-15);
                p[row.next[j]] = 0;
            }
            for (int y = 0; y < STATES; y++)
                assert_true(p[y] == 0);
        }
    }
    lgkt_env_destroy(env);
}

static void test_expected_rewards(void **state)
{
    (void)state;
    // in units of 1/15: .2 = 3, .1333 = 2, .0667 = 1, .4667 = 7
    static const int EXPECTED[][5] = {{0, 3, 3, 3, 3},  {1, 2, 2, 2, 3}, {2, 3, 3, 3, 3},
                                      {3, 2, 2, 2, 3},  {4, 3, 2, 2, 2}, {6, 2, 1, 2, 1},
                                      {8, 2, 2, 2, 3},  {9, 2, 3, 2, 2}, {10, 3, 2, 2, 2},
                                      {13, 2, 2, 3, 2}, {14, 3, 7, 7, 7}};
    lgkt_env *env = env_run_make("frozenlake", NULL);
    for (size_t i = 0; i < sizeof EXPECTED / sizeof EXPECTED[0]; i++)
        for (int a = 0; a < 4; a++)
            assert_close(lgkt_mdp_reward(lgkt_env_model(env), EXPECTED[i][0], a),
                         EXPECTED[i][1 + a] / 15.0, 1e-15);
    lgkt_env_destroy(env);
}

static void test_gains(void **state)
{
    (void)state;
    static const int32_t BEST[STATES] = {0, 3, 0, 3, 0, 0, 0, 0, 3, 1, 0, 0, 0, 2, 1, 0};
    lgkt_env *quick = env_run_make("frozenlake", NULL),
             *slow = env_run_make("frozenlake:return-step=1", NULL);
    assert_close(naive_gain_of_rule(lgkt_env_model(quick), NAIVE_BEST), 0.213355780, 1e-9);
    assert_close(naive_gain(lgkt_env_model(quick), BEST), 0.213355780, 1e-9);
    assert_close(naive_gain_of_rule(lgkt_env_model(quick), NAIVE_UNIFORM), 0.175750053, 1e-9);
    assert_close(naive_gain_of_rule(lgkt_env_model(slow), NAIVE_BEST), 0.208557323, 1e-9);
    assert_close(naive_gain_of_rule(lgkt_env_model(slow), NAIVE_UNIFORM), 0.155485080, 1e-9);
    lgkt_env_destroy(quick);
    lgkt_env_destroy(slow);
}

// K-step greedy play over 20000 steps from the start, by how ties are broken.
static void test_levels_of_lookahead(void **state)
{
    (void)state;
    enum { HORIZON = 20000 };
    static const struct {
        int64_t k;
        lgkt_ties ties;
        double average;
    } CASES[] = {
        {1, LGKT_TIES_LOW, 0.21335}, {2, LGKT_TIES_LOW, 0.21280},   {3, LGKT_TIES_LOW, 0.21280},
        {5, LGKT_TIES_LOW, 0.21280}, {10, LGKT_TIES_LOW, 0.21335},  {1, LGKT_TIES_HIGH, 0.2},
        {5, LGKT_TIES_HIGH, 0.2},    {10, LGKT_TIES_HIGH, 0.21335},
    };
    lgkt_env *env = env_run_make("frozenlake", NULL);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        lgkt_policy *policy = NULL;
        lgkt_error error = {0};
        double value[STATES];
        assert_ok(lgkt_policy_greedy(lgkt_env_model(env), CASES[i].k, HORIZON, CASES[i].ties, NULL,
                                     &policy, &error),
                  error);
        assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
        assert_close(value[0] / HORIZON, CASES[i].average, 1e-5);
        lgkt_policy_destroy(policy);
    }
    lgkt_env_destroy(env);
}

// ---- Gymnasium's trajectories ----

static void test_numpy_numbers(void **state)
{
    (void)state;
    static const double FIRST[] = {0.6369616873214543, 0.2697867137638703, 0.04097352393619469,
                                   0.016527635528529094, 0.8132702392002724};
    numpy_pcg64 rng = numpy_pcg64_seed(0);
    for (int i = 0; i < 5; i++)
        assert_true(numpy_pcg64_uniform(&rng) == FIRST[i]);
}

static void test_replays_a_short_trajectory(void **state)
{
    (void)state;
    static const int ACTIONS[] = {2, 1, 2, 1, 3, 0, 2, 1, 2, 1, 3, 0};
    static const int STATES_SEEN[] = {4, 4, 8, 9, 8, 8, 4, 8, 4, 5, 0, 0};
    lgkt_env *env = env_run_make(STAYS, NULL);
    numpy_pcg64 rng = numpy_pcg64_seed(0);
    numpy_pcg64_uniform(&rng);
    int32_t s = 0;
    for (int t = 0; t < 12; t++) {
        const lgkt_outcome *out =
            lgkt_map_outcome(lake_of(env), s, ACTIONS[t], numpy_pcg64_uniform(&rng));
        assert_int_equal(out->next, STATES_SEEN[t]);
        s = out->next;
        // a reset draws its start
        if (is_left_at_once(env, s)) {
            numpy_pcg64_uniform(&rng);
            s = 0;
        }
    }
    lgkt_env_destroy(env);
}

static void test_replays_a_long_trajectory(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make(STAYS, NULL);
    numpy_pcg64 rng = numpy_pcg64_seed(42);
    numpy_pcg64_uniform(&rng);
    uint64_t digest = GOLDEN_START;
    double sum = 0;
    int resets = 0;
    int32_t s = 0;
    for (int t = 0; t < 20000; t++) {
        const lgkt_outcome *out =
            lgkt_map_outcome(lake_of(env), s, (7 * t + s) % 4, numpy_pcg64_uniform(&rng));
        const unsigned char byte = (unsigned char)out->next;
        digest = lgkt_hash_bytes(digest, &byte, 1);
        sum += out->reward;
        s = out->next;
        if (is_left_at_once(env, s)) {
            numpy_pcg64_uniform(&rng);
            resets++;
            s = 0;
        }
    }
    assert_int_equal(digest, UINT64_C(0x7960a10a26c8bd08));
    assert_close(sum, 3516.4, 1e-6);
    assert_int_equal(resets, 2588);
    lgkt_env_destroy(env);
}

// ---- options ----

static void test_standard_8x8_map(void **state)
{
    (void)state;
    static const int HOLES[] = {19, 29, 35, 41, 42, 46, 49, 52, 54, 59};
    lgkt_env *env = env_run_make("frozenlake:map=8x8,return-step=1", NULL);
    assert_int_equal(lgkt_mdp_states(lgkt_env_model(env)), 64);
    size_t hole = 0;
    for (int tile = 0; tile < 64; tile++) {
        const bool is_hole = hole < 10 && HOLES[hole] == tile;
        hole += is_hole;
        assert_int_equal(is_left_at_once(env, tile), is_hole || tile == 63);
        // stepping right onto it
        if (tile % 8 > 0 && !is_left_at_once(env, tile - 1))
            assert_true(lgkt_map_outcome(lake_of(env), tile - 1, 2, 0.5)->reward == (tile == 63 ? 1
                                                                                     : is_hole
                                                                                         ? 0
                                                                                         : 0.2));
    }
    assert_int_equal(lgkt_mdp_start(lgkt_env_model(env)), 0);
    lgkt_env_destroy(env);
}

static void test_ice_that_is_not_slippery(void **state)
{
    (void)state;
    lgkt_env *env =
        env_run_make("frozenlake:slippery=0,map=SFG,reward-goal=3,reward-frozen=-1", NULL);
    lgkt_trajectory *run = env_run_start(env, 4, 0);
    static const int ACTIONS[] = {2, 1, 2, 0}, NEXT[] = {1, 1, 0, 0};
    static const double REWARDS[] = {-1, -1, 3, -1};
    for (int t = 0; t < 4; t++) {
        const lgkt_step step = env_run_play(run, ACTIONS[t]);
        assert_int_equal(step.state, NEXT[t]);
        assert_false(step.ended);
        assert_true(step.reward == REWARDS[t] && step.mean_reward == REWARDS[t]);
    }
    assert_int_equal(lgkt_mdp_row(lgkt_env_model(env), 0, 2).n, 1);
    assert_close(lgkt_env_problem(env, 1).reward_sd, 2, 0);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

static void test_return_step_is_played_in_the_goal(void **state)
{
    (void)state;
    lgkt_env *env = env_run_make("frozenlake:slippery=0,map=SG,return-step=1", NULL);
    lgkt_trajectory *run = env_run_start(env, 2, 0);
    lgkt_step step = env_run_play(run, 2);
    assert_int_equal(step.state, 1);
    assert_true(step.reward == 1);
    step = env_run_play(run, 2);
    assert_int_equal(step.state, 0);
    assert_true(step.reward == 0 && step.mean_reward == 0);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// With several start tiles, starts and returns are uniform among them. The bounds are 5 standard
// deviations of a binomial count: error below 1e-6.
static void test_several_start_tiles(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    lgkt_env *env = env_run_make("frozenlake:slippery=0,map=SGS", NULL);
    const lgkt_row row = lgkt_mdp_row(lgkt_env_model(env), 0, 2);
    assert_int_equal(row.n, 2);
    assert_true(row.p[0] == 0.5 && row.p[1] == 0.5);
    assert_int_equal(lgkt_mdp_start(lgkt_env_model(env)), -1);
    lgkt_trajectory *run = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_trajectory_create(env, STEPS, 7, 0, NULL, &run, &error), error);
    int right = 0;
    for (int t = 0; t < STEPS; t++) {
        lgkt_step step;
        lgkt_trajectory_step(run, lgkt_trajectory_state(run) == 0 ? 2 : 0, &step);
        assert_true(step.reward == 1);
        right += step.state == 2;
    }
    assert_between(right, STEPS / 2 - 5 * sqrt(STEPS / 4.0), STEPS / 2 + 5 * sqrt(STEPS / 4.0));
    lgkt_trajectory_destroy(run);

    int starts = 0;
    for (uint64_t i = 0; i < 400; i++) {
        assert_ok(lgkt_trajectory_create(env, 1, 7, i, NULL, &run, &error), error);
        starts += lgkt_trajectory_state(run) == 2;
        lgkt_trajectory_destroy(run);
    }
    assert_between(starts, 200 - 5 * 10, 200 + 5 * 10);
    lgkt_env_destroy(env);
}

static void test_bad_maps_are_refused(void **state)
{
    (void)state;
    static const char *const BAD[][2] = {
        {"frozenlake:map=SFF/FG", "row 1"},     {"frozenlake:map=SFX", "SFX"},
        {"frozenlake:map=FFG", "no S"},         {"frozenlake:map=/", "row 0"},
        {"frozenlake:map=SF/", "row 1"},        {"frozenlake:map=SF//FG", "row 1"},
        {"frozenlake:map=sffg", "S, F, H or G"}};
    env_run_check_refused(BAD, sizeof BAD / sizeof *BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outcomes_are_those_of_gymnasium),
        cmocka_unit_test(test_probabilities_are_exact),
        cmocka_unit_test(test_model_rows_merge_outcomes),
        cmocka_unit_test(test_expected_rewards),
        cmocka_unit_test(test_gains),
        cmocka_unit_test(test_levels_of_lookahead),
        cmocka_unit_test(test_numpy_numbers),
        cmocka_unit_test(test_replays_a_short_trajectory),
        cmocka_unit_test(test_replays_a_long_trajectory),
        cmocka_unit_test(test_standard_8x8_map),
        cmocka_unit_test(test_ice_that_is_not_slippery),
        cmocka_unit_test(test_return_step_is_played_in_the_goal),
        cmocka_unit_test(test_several_start_tiles),
        cmocka_unit_test(test_bad_maps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
