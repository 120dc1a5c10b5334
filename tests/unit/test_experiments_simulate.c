// SPDX-License-Identifier: MIT
// Models drawn from what is believed: means and variances of rows and rewards against those of their
// laws, over 4000 draws. Each comparison leaves its bound, 5 standard errors, in less than one of
// 10^6 cases; those of variances are at 6 of a normal law, since their law has heavier tails.

#include "test.h"

#include "experiments/runner/simulate.h"

enum { STATES = 4, ACTIONS = 2, PAIRS = STATES * ACTIONS, DRAWS = 4000 };

// Pair 0 has many moves, 1 few; 2 has rewards but was always cut; 3 is not allowed; 4 has moves but
// no rewards; the others were never seen.
static const int64_t begin[PAIRS + 1] = {0, 3, 5, 5, 5, 6, 6, 6, 6};
static const int32_t next[] = {0, 1, 3, 1, 2, 0};
static const double counts[] = {10, 25, 5, 1, 2, 3};
static const double start[STATES] = {0.25, 0.75, 0, 0};
static const uint8_t allowed[PAIRS] = {1, 1, 1, 0, 1, 1, 1, 1};

static exp_belief belief_of(const double *rewards, bool bernoulli)
{
    return (exp_belief){.states = STATES,
                        .actions = ACTIONS,
                        .begin = begin,
                        .next = next,
                        .counts = counts,
                        .rewards = rewards,
                        .start = start,
                        .allowed = allowed,
                        .reward_min = bernoulli ? 0 : -50,
                        .reward_max = bernoulli ? 1 : 70,
                        .unseen = 2,
                        .bernoulli = bernoulli};
}

// How many, sum, sum of squares: pair 0 has 40 of mean 5, variance 4; pair 1 has 3, pair 2 has 30.
static const double rewards[3 * PAIRS] = {40,
                                          3,
                                          30,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0, //
                                          200,
                                          6,
                                          -60,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0, //
                                          40 * 25 + 39 * 4,
                                          12 + 2 * 4,
                                          120 + 29 * 4,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0};
static const double coins[3 * PAIRS] = {40, 3, 30, 0, 0, 0, 0, 0, //
                                        10, 3, 0,  0, 0, 0, 0, 0, //
                                        10, 3, 0,  0, 0, 0, 0, 0};

static const lgkt_mdp *draw(const exp_belief *belief, int64_t number)
{
    const lgkt_mdp *model = NULL;
    lgkt_error error = {0};
    assert_ok(exp_belief_check(belief, &error), error);
    assert_ok(exp_belief_draw(belief, 7, number, &model, &error), error);
    return model;
}

static double chance(const lgkt_mdp *model, int32_t state, int32_t action, int32_t to)
{
    const lgkt_row row = lgkt_mdp_row(model, state, action);
    for (int32_t i = 0; i < row.n; i++)
        if (row.next[i] == to)
            return row.p[i];
    return 0;
}

typedef struct sums {
    double n, mean, squares;
} sums;

static void add(sums *s, double x)
{
    const double before = x - s->mean;
    s->n++;
    s->mean += before / s->n;
    s->squares += before * (x - s->mean);
}

static void check_moments(const sums *s, double mean, double variance)
{
    assert_close(s->mean, mean, 5 * sqrt(variance / s->n));
    assert_close(s->squares / (s->n - 1), variance, 6 * variance * sqrt(6 / s->n));
}

static void test_rows_are_dirichlet(void **state)
{
    (void)state;
    const exp_belief belief = belief_of(rewards, false);
    sums first[STATES] = {{0}}, second[STATES] = {{0}};
    for (int64_t d = 0; d < DRAWS; d++) {
        const lgkt_mdp *model = draw(&belief, d);
        for (int32_t j = 0; j < STATES; j++) {
            add(&first[j], chance(model, 0, 0, j));
            add(&second[j], chance(model, 0, 1, j));
        }
        lgkt_mdp_destroy(model);
    }
    static const double n[2][STATES] = {{10, 25, 0, 5}, {0, 1, 2, 0}};
    for (int32_t j = 0; j < STATES; j++) {
        const double a = n[0][j] + 0.5, all = 42, b = n[1][j] + 0.5, few = 5;
        if (n[0][j] > 0)
            check_moments(&first[j], a / all, a * (all - a) / (all * all * (all + 1)));
        if (n[1][j] > 0)
            check_moments(&second[j], b / few, b * (few - b) / (few * few * (few + 1)));
        // where it was never seen to lead: the mean alone, with the variance of one vertex
        if (n[1][j] == 0)
            assert_close(second[j].mean, b / few, 5 * sqrt(0.06 / DRAWS));
    }
}

static void test_rewards_are_student(void **state)
{
    (void)state;
    const exp_belief belief = belief_of(rewards, false);
    sums mean[3] = {{0}}, variance[3] = {{0}};
    for (int64_t d = 0; d < DRAWS; d++) {
        const lgkt_mdp *model = draw(&belief, d);
        for (int32_t z = 0; z < 3; z++) {
            double sd;
            assert_int_equal(lgkt_mdp_pair_noise(model, z / 2, z % 2, &sd), LGKT_NOISE_NORMAL);
            add(&mean[z], lgkt_mdp_reward(model, z / 2, z % 2));
            add(&variance[z], sd * sd);
        }
        lgkt_mdp_destroy(model);
    }
    // all variances are 4, and so is that of all together
    static const double n[] = {40, 3, 30}, m[] = {5, 2, -2};
    for (int32_t z = 0; z < 3; z++) {
        const double freedom = 4 + n[z] - 1, of_variance = 4 * freedom / (freedom - 2);
        assert_close(mean[z].mean, m[z], 5 * sqrt(of_variance / n[z] / DRAWS));
        assert_close(variance[z].mean, of_variance, 0.05 * of_variance * (z == 1 ? 3 : 1));
        if (z != 1)
            check_moments(&mean[z], m[z], of_variance / n[z]);
    }
}

static void test_coins_are_beta(void **state)
{
    (void)state;
    const exp_belief belief = belief_of(coins, true);
    sums mean[3] = {{0}};
    for (int64_t d = 0; d < DRAWS; d++) {
        const lgkt_mdp *model = draw(&belief, d);
        assert_int_equal(lgkt_mdp_noise(model), LGKT_NOISE_BERNOULLI);
        for (int32_t z = 0; z < 3; z++)
            add(&mean[z], lgkt_mdp_reward(model, z / 2, z % 2));
        lgkt_mdp_destroy(model);
    }
    static const double n[] = {40, 3, 30}, up[] = {10, 3, 0};
    for (int32_t z = 0; z < 3; z++) {
        const double a = up[z] + 0.5, all = n[z] + 1;
        check_moments(&mean[z], a / all, a * (all - a) / (all * all * (all + 1)));
    }
}

static void test_what_was_never_seen(void **state)
{
    (void)state;
    const exp_belief belief = belief_of(rewards, false);
    for (int64_t d = 0; d < 6; d++) {
        const lgkt_mdp *model = draw(&belief, d);
        const double end = d % 2 == 0 ? 70 : -50;
        for (int32_t z = 5; z < PAIRS; z++) {
            assert_close(chance(model, z / 2, z % 2, z / 2), 1, 0);
            assert_close(lgkt_mdp_reward(model, z / 2, z % 2), end, 0);
        }
        assert_close(lgkt_mdp_reward(model, 2, 0), end, 0);
        assert_true(chance(model, 2, 0, 0) > 0);
        for (int32_t j = 0; j < STATES; j++)
            assert_close(chance(model, 1, 0, j), start[j], 1e-15);
        assert_false(lgkt_mdp_allowed(model, 1, 1));
        assert_memory_equal(lgkt_mdp_start_law(model), start, sizeof start);
        // the same draw again
        const lgkt_mdp *again = draw(&belief, d);
        assert_true(lgkt_mdp_hash(model) == lgkt_mdp_hash(again));
        lgkt_mdp_destroy(again);
        lgkt_mdp_destroy(model);
    }
}

static void test_means_stay_within_the_ends(void **state)
{
    (void)state;
    exp_belief belief = belief_of(rewards, false);
    belief.reward_min = -2;
    belief.reward_max = 5;
    for (int64_t d = 0; d < 50; d++) {
        const lgkt_mdp *model = draw(&belief, d);
        for (int32_t z = 0; z < 3; z++)
            assert_between(lgkt_mdp_reward(model, z / 2, z % 2), -2, 5);
        lgkt_mdp_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_dirichlet),
        cmocka_unit_test(test_rewards_are_student),
        cmocka_unit_test(test_coins_are_beta),
        cmocka_unit_test(test_what_was_never_seen),
        cmocka_unit_test(test_means_stay_within_the_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
