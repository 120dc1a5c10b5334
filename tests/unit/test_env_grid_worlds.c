// SPDX-License-Identifier: MIT
// Mazes, the four rooms and the cliff: moves against the definition, known gains, and maps that are
// refused.
#include "test.h"

#include "ref/env_facts.h"
#include "ref/env_run.h"

enum { UP, RIGHT, DOWN, LEFT };

// ---- moves by rows and columns ----

#define FOUR_ROOMS                                                                                 \
    {                                                                                              \
        "#############", "#     #     #", "#     #     #", "#           #", "#     #     #",       \
            "#     #     #", "## ####     #", "#     ### ###", "#     #     #", "#     #     #",   \
            "#           #", "#     #     #", "#############"                                      \
    }

// The number of free tiles before (r, c) in the four rooms.
static int32_t room_state(const char *const *map, int32_t r, int32_t c)
{
    int32_t count = 0;
    for (int32_t i = 0; i < r * 13 + c; i++)
        count += map[i / 13][i % 13] == ' ';
    return count;
}

static void check_rooms(const char *spec, double slip, int32_t goal_row, int32_t goal_column)
{
    static const char *const MAP[] = FOUR_ROOMS;
    static const int32_t BY[4][2] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}};
    lgkt_env *env = env_run_make(spec, NULL);
    const lgkt_mdp *mdp = lgkt_env_model(env);
    assert_int_equal(lgkt_mdp_states(mdp), 104);
    assert_int_equal(lgkt_mdp_actions(mdp), 4);
    assert_int_equal(lgkt_mdp_start(mdp), 0);
    assert_true(lgkt_env_problem(env, 1).reward_sd == 0);
    for (int32_t i = 0; i < 169; i++)
        for (int32_t a = 0; a < 4 && MAP[i / 13][i % 13] == ' '; a++) {
            const int32_t s = room_state(MAP, i / 13, i % 13);
            const bool goal = i == goal_row * 13 + goal_column;
            double p[104] = {0};
            for (int32_t d = 0; d < 4; d++) {
                const int32_t r = i / 13 + BY[d][0], c = i % 13 + BY[d][1];
                const int32_t next = goal ? 0 : MAP[r][c] == ' ' ? room_state(MAP, r, c) : s;
                p[next] += d == a ? 1 - slip : slip / 3;
            }
            assert_true(lgkt_mdp_reward(mdp, s, a) == (goal ? 1 : 0));
            for (int32_t y = 0; y < 104; y++)
                assert_close(env_facts_probability(mdp, s, a, y), p[y], 1e-15);
        }
    lgkt_env_destroy(env);
}

static void test_four_rooms(void **state)
{
    (void)state;
    check_rooms("fourrooms", 1.0 / 3, 11, 11);
    check_rooms("fourrooms:slip=0", 0, 11, 11);
    check_rooms("fourrooms:slip=1,goal-row=7,goal-column=9", 1, 7, 9);
    assert_close(env_facts_gain("fourrooms"), 0.0265737034011, 1e-11 * 0.02);
    assert_close(env_facts_uniform_gain("fourrooms", 1e-10), 0.000870062, 1e-9);
    assert_close(env_facts_gain("fourrooms:slip=0"), 1.0 / 21, 1e-11);
    assert_close(env_facts_gain("fourrooms:goal-row=7,goal-column=9"), 0.0373107356422,
                 1e-11 * 0.02);
    assert_close(env_facts_gain("fourrooms:slip=0,reward-goal=21"), 1, 1e-11);
}

// S.G   states 0 1 2
// .#.          3   4
// ...          5 6 7
static void test_maze(void **state)
{
    (void)state;
    // by state and direction: up, right, down, left
    static const int32_t NEXT[8][4] = {{0, 1, 3, 0}, {1, 2, 1, 0}, {0, 0, 0, 0}, {0, 3, 5, 3},
                                       {2, 4, 7, 4}, {3, 6, 5, 5}, {6, 7, 6, 5}, {4, 7, 7, 6}};
    lgkt_env *env = env_run_make("maze:map=S.G/.#./...,slip=0.3,reward-goal=5", NULL);
    const lgkt_mdp *mdp = lgkt_env_model(env);
    assert_int_equal(lgkt_mdp_states(mdp), 8);
    for (int32_t z = 0; z < 32; z++) {
        double p[8] = {0};
        for (int32_t d = 0; d < 4; d++)
            p[NEXT[z / 4][d]] += d == z % 4 ? 0.7 : 0.1;
        for (int32_t y = 0; y < 8; y++)
            assert_close(env_facts_probability(mdp, z / 4, z % 4, y), p[y], 1e-15);
        assert_true(lgkt_mdp_rewards(mdp)[z] == (z / 4 == 2 ? 5 : 0));
    }
    const lgkt_problem problem = lgkt_env_problem(env, 1);
    assert_true(problem.reward_min == 0 && problem.reward_max == 5 && problem.reward_sd == 0);
    lgkt_env_destroy(env);

    // shortest ways: there, and one action on the goal
    assert_close(env_facts_gain("maze:map=S.G/.#./..."), 1.0 / 3, 1e-11);
    assert_close(env_facts_gain("maze:map=SG"), 1.0 / 2, 1e-11);
    assert_close(env_facts_gain("maze"), 1.0 / 15, 1e-11);
    assert_close(env_facts_gain("maze:map=G...S.G"), 1.0 / 3, 1e-11);
    // the start need not be the first state, and a map may have a frame
    env = env_run_make("maze:map=####/#GS#/####", NULL);
    assert_int_equal(lgkt_mdp_states(lgkt_env_model(env)), 2);
    assert_int_equal(lgkt_mdp_start(lgkt_env_model(env)), 1);
    lgkt_env_destroy(env);
}

// The four rooms are a maze.
static void test_rooms_as_a_maze(void **state)
{
    (void)state;
    static const char *const MAP[] = FOUR_ROOMS;
    char spec[256] = "maze:slip=0.3333333333333333,map=";
    for (int32_t i = 0; i < 169; i++) {
        const char tile = i == 14 ? 'S' : i == 11 * 13 + 11 ? 'G' : MAP[i / 13][i % 13];
        sprintf(spec + strlen(spec), "%s%c", i % 13 == 0 && i > 0 ? "/" : "",
                tile == ' ' ? '.' : tile);
    }
    lgkt_env *maze = env_run_make(spec, NULL), *rooms = env_run_make("fourrooms", NULL);
    assert_true(lgkt_mdp_hash(lgkt_env_model(maze)) == lgkt_mdp_hash(lgkt_env_model(rooms)));
    lgkt_env_destroy(maze);
    lgkt_env_destroy(rooms);
}

// ---- the cliff ----

// Gymnasium's table, with cliff and goal led to the start: next state and reward of a direction.
static int32_t cliff_move(int32_t s, int32_t d, double goal, double *reward)
{
    int32_t row = s / 12, column = s % 12;
    row += d == DOWN ? row < 3 : d == UP ? -(row > 0) : 0;
    column += d == RIGHT ? column < 11 : d == LEFT ? -(column > 0) : 0;
    const bool low = row == 3 && column > 0;
    *reward = !low ? -1 : column == 11 ? goal : -100;
    return low ? 36 : row * 12 + column;
}

static void test_cliff_moves(void **state)
{
    (void)state;
    for (int slippery = 0; slippery < 2; slippery++) {
        lgkt_env *env = env_run_make(slippery ? "cliffwalking:slippery=1,reward-goal=100"
                                              : "cliffwalking:reward-goal=100",
                                     NULL);
        const lgkt_mdp *mdp = lgkt_env_model(env);
        assert_int_equal(lgkt_mdp_states(mdp), 37);
        assert_int_equal(lgkt_mdp_start(mdp), 36);
        for (int32_t z = 0; z < 37 * 4; z++) {
            double p[37] = {0}, mean = 0, reward;
            for (int32_t turn = slippery ? -1 : 0; turn <= slippery; turn++) {
                const int32_t next = cliff_move(z / 4, (z + 4 + turn) % 4, 100, &reward);
                p[next] += slippery ? 1.0 / 3 : 1;
                mean += slippery ? reward / 3 : reward;
            }
            assert_close(lgkt_mdp_rewards(mdp)[z], mean, 1e-13);
            for (int32_t y = 0; y < 37; y++)
                assert_close(env_facts_probability(mdp, z / 4, z % 4, y), p[y], 1e-15);
        }
        // above the goal: 100 or -1; on the cliff or not: -100 or -1
        assert_true(lgkt_env_problem(env, 1).reward_sd == (slippery ? 50.5 : 0));
        lgkt_env_destroy(env);
    }
}

static void test_cliff_gains(void **state)
{
    (void)state;
    assert_close(env_facts_gain("cliffwalking"), -12.0 / 13, 1e-11);
    assert_close(env_facts_gain("cliffwalking:reward-goal=10"), -2.0 / 13, 1e-11);
    assert_close(env_facts_gain("cliffwalking:reward-goal=-1"), -1, 1e-11);
    assert_close(env_facts_gain("cliffwalking:slippery=1"), -0.984546241148, 1e-11);
    assert_close(env_facts_gain("cliffwalking:slippery=1,reward-goal=100"), 0.560829644014, 1e-11);
    assert_close(env_facts_uniform_gain("cliffwalking", 1e-10), -10.13, 0.01);
}

// From the start, right on ice: up, onto the cliff, or against the wall; the last two lead to the
// start but cost 100 and 1.
static void test_realised_rewards_on_ice(void **state)
{
    (void)state;
    enum { STEPS = 100000 };
    lgkt_env *env = env_run_make("cliffwalking:slippery=1", NULL);
    lgkt_trajectory *run = env_run_start(env, STEPS, 3);
    int64_t tries = 0, up = 0, fell = 0, wall = 0;
    for (int64_t t = 0; t < STEPS; t++) {
        const bool at_start = lgkt_trajectory_state(run) == 36;
        const lgkt_step step = env_run_play(run, at_start ? RIGHT : DOWN);
        if (!at_start)
            continue;
        tries++;
        assert_close(step.mean_reward, -34, 1e-12);
        up += step.state == 24 && step.reward == -1;
        fell += step.state == 36 && step.reward == -100;
        wall += step.state == 36 && step.reward == -1;
    }
    assert_int_equal(up + fell + wall, tries);
    // five standard deviations, which a right program exceeds with probability below 1e-5
    const double bound = 5 * sqrt((double)tries * 2 / 9);
    assert_true(tries > 1000);
    assert_close((double)up, (double)tries / 3, bound);
    assert_close((double)fell, (double)tries / 3, bound);
    assert_close((double)wall, (double)tries / 3, bound);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

static void test_runs_follow_the_models(void **state)
{
    (void)state;
    env_facts_check_run("fourrooms", 200000);
    env_facts_check_run("maze:slip=0.4", 200000);
    env_facts_check_run("maze:slip=1,map=.S/GG", 100000);
    env_facts_check_run("maze", 50000);
    env_facts_check_run("cliffwalking", 50000);
    env_facts_check_run("cliffwalking:slippery=1,reward-goal=100", 200000);
}

// ---- refusals ----

static void test_bad_values_are_refused(void **state)
{
    (void)state;
    static const env_facts_bad CASES[] = {
        {"maze:map=S.x/..G", "row 0 is \"S.x\", with 'x' in column 2; tiles are #, ., S and G"},
        {"maze:map=S../.FG", "row 1 is \".FG\", with 'F' in column 1"},
        {"maze:map=S.\xc3\xa4/..G", "in column 2"},
        {"maze:map=S.C/..G", "'C' in column 2"},
        {"maze:map=S../.G", "row 1 is \".G\" and has 2 tiles; it must have 3"},
        {"maze:map=S/.G", "row 1 is \".G\" and has 2 tiles; it must have 1"},
        {"maze:map=S.G/", "row 1 is \"\" and has 0 tiles"},
        {"maze:map=/S.G", "row 0 is \"\" and has 0 tiles"},
        {"maze:map=.../..G", "no S"},
        {"maze:map=S../...", "no G"},
        {"maze:map=###/###", "no S"},
        {"maze:map=S../.SG", "a second S in row 1, column 1"},
        {"maze:map=S.#G/..##", "the 'G' in row 0, column 3 cannot be reached from S"},
        {"maze:map=SG/##/.#", "the '.' in row 2, column 0 cannot be reached from S"},
        // a goal leads to the start, not through it
        {"maze:map=SG.", "the '.' in row 0, column 2 cannot be reached from S"},
        {"maze:slip=1.1", "slip"},
        {"maze:slip=-0.1", "slip"},
        {"maze:slip=nan", "slip"},
        {"maze:reward-goal=inf", "reward-goal"},
        {"maze:goal-row=3", "goal-row"},
        {"fourrooms:slip=2", "slip"},
        {"fourrooms:goal-row=0", "goal-row"},
        {"fourrooms:goal-column=12", "goal-column"},
        {"fourrooms:goal-row=1,goal-column=1", "is the start"},
        {"fourrooms:goal-row=7", "goal-row=7,goal-column=11 is a wall"},
        {"fourrooms:goal-row=1,goal-column=6", "is a wall"},
        {"fourrooms:map=SG", "map"},
        {"cliffwalking:slippery=2", "slippery"},
        {"cliffwalking:reward-goal=1e7", "reward-goal"},
        {NULL, NULL},
    };
    env_facts_check_refused(CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_rooms),
        cmocka_unit_test(test_maze),
        cmocka_unit_test(test_rooms_as_a_maze),
        cmocka_unit_test(test_cliff_moves),
        cmocka_unit_test(test_cliff_gains),
        cmocka_unit_test(test_realised_rewards_on_ice),
        cmocka_unit_test(test_runs_follow_the_models),
        cmocka_unit_test(test_bad_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
