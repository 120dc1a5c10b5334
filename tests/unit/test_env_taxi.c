// SPDX-License-Identifier: MIT
// labels: slow
// Taxi: every pair against Gymnasium's own map and rules, in Gymnasium's numbers of states, and
// known gains.
#include "test.h"

#include "ref/env_facts.h"
#include "ref/env_run.h"

// Gymnasium's numbers ((row * 5 + column) * 5 + passenger) * 4 + destination, without those where
// the passenger is at the destination; 4 is the taxi.
static int32_t number_of(int32_t row, int32_t column, int32_t passenger, int32_t destination)
{
    const int32_t goal = ((row * 5 + column) * 5 + passenger) * 4 + destination;
    int32_t count = 0;
    for (int32_t i = 0; i < goal; i++)
        count += i / 4 % 5 != i % 4;
    return count;
}

// Gymnasium's loop over all states and actions, for one of them: the reward, and the state that
// follows; -1 after a delivery.
static double naive_play(int32_t row, int32_t column, int32_t passenger, int32_t destination,
                         int32_t action, int32_t *next)
{
    static const char *const DESC[] = {"+---------+", "|R: | : :G|", "| : | : : |", "| : : : : |",
                                       "| | : | : |", "|Y| : |B: |", "+---------+"};
    static const int32_t LOCS[4][2] = {{0, 0}, {0, 4}, {4, 0}, {4, 3}};
    int32_t at = -1;
    for (int32_t i = 0; i < 4; i++)
        if (LOCS[i][0] == row && LOCS[i][1] == column)
            at = i;
    double reward = -1;
    bool delivered = false;
    if (action == 0)
        row = row < 4 ? row + 1 : 4;
    else if (action == 1)
        row = row > 0 ? row - 1 : 0;
    else if (action == 2 && DESC[1 + row][2 * column + 2] == ':')
        column = column < 4 ? column + 1 : 4;
    else if (action == 3 && DESC[1 + row][2 * column] == ':')
        column = column > 0 ? column - 1 : 0;
    else if (action == 4 && passenger < 4 && at == passenger)
        passenger = 4;
    else if (action == 4)
        reward = -10;
    else if (action == 5 && at == destination && passenger == 4)
        delivered = true;
    else if (action == 5 && at >= 0 && passenger == 4)
        passenger = at;
    else if (action == 5)
        reward = -10;
    *next = delivered ? -1 : number_of(row, column, passenger, destination);
    return delivered ? 20 : reward;
}

// The states that a delivery on a tile leads to: all with somebody waiting, or those of the tile.
static void check_delivery(const lgkt_mdp *mdp, int32_t s, int32_t tile, bool stay)
{
    for (int32_t i = 0; i < 500; i++) {
        const int32_t passenger = i / 4 % 5, destination = i % 4;
        if (passenger == destination)
            continue;
        const double p = passenger == 4 ? 0 : !stay ? 1.0 / 300 : i / 20 == tile ? 1.0 / 12 : 0;
        const int32_t next = number_of(i / 100, i / 20 % 5, passenger, destination);
        assert_close(env_facts_probability(mdp, s, 5, next), p, 1e-15);
    }
}

static void test_every_pair(void **state)
{
    (void)state;
    for (int stay = 0; stay < 2; stay++) {
        lgkt_env *env = env_run_make(stay ? "taxi:stay=1" : "taxi", NULL);
        const lgkt_mdp *mdp = lgkt_env_model(env);
        int32_t deliveries = 0, seen = 0;
        assert_int_equal(lgkt_mdp_states(mdp), 400);
        assert_int_equal(lgkt_mdp_actions(mdp), 6);
        for (int32_t i = 0; i < 500; i++) {
            const int32_t row = i / 100, column = i / 20 % 5, passenger = i / 4 % 5;
            if (passenger == i % 4)
                continue;
            const int32_t s = number_of(row, column, passenger, i % 4);
            assert_int_equal(s, seen++);
            assert_close(lgkt_mdp_start_law(mdp)[s], passenger < 4 ? 1.0 / 300 : 0, 1e-15);
            for (int32_t a = 0; a < 6; a++) {
                int32_t next;
                const double reward = naive_play(row, column, passenger, i % 4, a, &next);
                assert_true(lgkt_mdp_reward(mdp, s, a) == reward);
                if (next < 0)
                    check_delivery(mdp, s, i / 20, stay != 0);
                else
                    assert_true(env_facts_probability(mdp, s, a, next) == 1);
                deliveries += next < 0;
            }
        }
        assert_int_equal(deliveries, 4);
        const lgkt_problem problem = lgkt_env_problem(env, 1);
        assert_true(problem.reward_min == -10 && problem.reward_max == 20);
        assert_true(problem.reward_sd == 0);
        lgkt_env_destroy(env);
    }
}

static void test_gains(void **state)
{
    (void)state;
    assert_close(env_facts_gain("taxi"), 0.606732976282, 1e-11);
    assert_close(env_facts_uniform_gain("taxi", 1e-6), -3.90532, 5e-6);
    assert_close(env_facts_gain("taxi:stay=1"), 0.570093457944, 1e-11);
}

static void test_runs_follow_the_model(void **state)
{
    (void)state;
    env_facts_check_run("taxi", 300000);
    env_facts_check_run("taxi:stay=1", 300000);
}

static void test_bad_values_are_refused(void **state)
{
    (void)state;
    static const env_facts_bad CASES[] = {
        {"taxi:stay=2", "stay"}, {"taxi:stay=yes", "stay"}, {"taxi:map=5x5", "map"}, {NULL, NULL}};
    env_facts_check_refused(CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pair),
        cmocka_unit_test(test_gains),
        cmocka_unit_test(test_runs_follow_the_model),
        cmocka_unit_test(test_bad_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
