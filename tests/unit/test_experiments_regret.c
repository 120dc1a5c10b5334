// SPDX-License-Identifier: MIT
// labels: slow
// Regret while learners play: against sums by hand, against policies whose regret is 0 in
// expectation, and that it disturbs nothing.
#include "test.h"

#include <stdlib.h>

#include "ref/models.h"
#include "ref/naive_plan.h"
#include "ref/panel_run.h"

#define SYNTHETIC "synthetic:states=10,actions=5"

enum { S = 10, A = 5, MAX_K = 3, MAX_T = 600 };

static run_setup regret_setup(const char *const *learners, int32_t learner_count, int64_t k,
                              double threshold)
{
    return (run_setup){.world.spec = SYNTHETIC,
                       .learners = learners,
                       .learner_count = learner_count,
                       .horizon = MAX_T,
                       .replicates = 6,
                       .seed = 11,
                       .jobs = 2,
                       .measures = exp_usual_measures,
                       .measure_count = 2,
                       .regret_k = k,
                       .regret_threshold = threshold};
}

static run_result run(const run_setup *setup)
{
    run_result result = {0};
    lgkt_error error = {0};
    assert_ok(run_panel(setup, &result, &error), error);
    assert_true(result.complete);
    return result;
}

// ---- by hand ----

// Q_1 .. Q_K of one instance, by the plain recursion
typedef struct tables {
    double q[MAX_K][S][A];
    double gamma;
    int64_t k, horizon;
} tables;

static tables make_tables(const lgkt_mdp *mdp, const run_setup *setup)
{
    tables made = {
        .gamma = setup->regret_threshold, .k = setup->regret_k, .horizon = setup->horizon};
    for (int64_t k = 1; k <= made.k; k++)
        naive_q(mdp, k, &made.q[k - 1][0][0]);
    return made;
}

static const double *values_at(const tables *table, int64_t t, int32_t s)
{
    const int64_t h = table->horizon - t;
    return table->q[(h < table->k ? h : table->k) - 1][s];
}

static double cost_of(const tables *table, int64_t t, int32_t s, int32_t a)
{
    return fmax(0.0, table->gamma - values_at(table, t, s)[a]);
}

// how the thresholding policy mixes its actions
static void mix_of(const tables *table, int64_t t, int32_t s, double mix[A])
{
    const double *q = values_at(table, t, s);
    int32_t good = 0, best = 0;
    for (int32_t a = 0; a < A; a++) {
        good += q[a] >= table->gamma;
        best = q[a] > q[best] ? a : best;
    }
    for (int32_t a = 0; a < A; a++)
        mix[a] = good > 0 ? (q[a] >= table->gamma) / (double)good : a == best;
}

// the expected cost of the first t steps of the thresholding policy, t = 0 .. T, into by
static void naive_cost(const lgkt_mdp *mdp, const tables *table, int32_t start, double *by)
{
    double law[S] = {0};
    law[start] = 1.0;
    by[0] = 0.0;
    for (int64_t t = 0; t < table->horizon; t++) {
        double next[S] = {0};
        by[t + 1] = by[t];
        for (int32_t s = 0; s < S; s++) {
            double mix[A];
            mix_of(table, t, s, mix);
            for (int32_t a = 0; a < A; a++) {
                by[t + 1] += law[s] * mix[a] * cost_of(table, t, s, a);
                for (int32_t y = 0; y < S; y++)
                    next[y] += law[s] * mix[a] * naive_p(mdp, s, a, y);
            }
        }
        memcpy(law, next, sizeof law);
    }
}

// plays an instance and writes the regret of the first t steps, t = 0 .. T; returns the expected
// reward of all of them
static double play_by_hand(const run_setup *setup, int32_t l, int64_t instance, double *regret)
{
    lgkt_error error = {0};
    lgkt_env *env = NULL;
    exp_run game;
    double by[MAX_T + 1], reward = 0.0, cost = 0.0;
    assert_ok(exp_env_create(&setup->world, setup->seed, instance, &env, &error), error);
    assert_ok(
        run_open(&game, setup->learners[l], setup->horizon, setup->seed, env, instance, &error),
        error);
    const lgkt_mdp *mdp = lgkt_env_model(env);
    const tables table = make_tables(mdp, setup);
    naive_cost(mdp, &table, lgkt_trajectory_state(game.trajectory), by);
    regret[0] = 0.0;
    for (int64_t t = 0; t < setup->horizon; t++) {
        const int32_t s = lgkt_trajectory_state(game.trajectory);
        int32_t a;
        lgkt_step step;
        assert_int_equal(lgkt_learner_act(game.by_number, s, NULL, &a), LGKT_OK);
        assert_int_equal(lgkt_trajectory_step(game.trajectory, a, &step), LGKT_OK);
        assert_int_equal(lgkt_learner_observe(game.by_number, step.reward, step.state, step.ended),
                         LGKT_OK);
        reward += lgkt_mdp_reward(mdp, s, a);
        cost += cost_of(&table, t, s, a);
        regret[t + 1] = cost - by[t + 1];
    }
    exp_run_close(&game);
    lgkt_env_destroy(env);
    return reward;
}

static void test_regret_is_the_sum_by_hand(void **state)
{
    (void)state;
    static const char *const learners[] = {"random", "lg2t", "kstep:k=2"};
    int64_t times[EXP_MAX_CHECKPOINTS];
    // good actions everywhere, in some states, nowhere
    static const double thresholds[] = {0.5, 2.0, 20.0};
    for (int i = 0; i < 9; i++) {
        run_setup setup = regret_setup(learners, 3, 1 + i % MAX_K, thresholds[i / 3]);
        setup.checkpoints = times;
        setup.checkpoint_count = exp_checkpoints(setup.horizon, false, times);
        const int64_t n = setup.replicates = 2;
        run_result result = run(&setup);
        for (int32_t l = 0; l < 3; l++)
            for (int64_t number = 0; number < n; number++) {
                double regret[MAX_T + 1];
                const double reward = play_by_hand(&setup, l, number, regret);
                assert_close(result.regret[l * n + number], regret[MAX_T], 1e-8);
                for (int32_t c = 0; c < setup.checkpoint_count; c++)
                    assert_close(run_curve_row(&result, 1, l, c)[number], regret[times[c]], 1e-8);
                assert_close(result.reward[l * n + number] * MAX_T, reward, 1e-9);
            }
        run_result_free(&result);
    }
}

// T = 3 on the model with known numbers, from state 0 with K = 2 and gamma = 3/2: whoever stays in
// state 0 falls short by 1/2 in the last step. The policy is in state 0 by then with probability
// 1/2.
static void test_regret_of_the_example(void **state)
{
    (void)state;
    static const char *const learners[] = {"kstep:k=1"};
    static const int64_t times[] = {1, 2, 3};
    lgkt_mdp *mdp = model_example();
    run_setup setup = regret_setup(learners, 1, 2, 1.5);
    setup.world =
        (exp_world){.spec = "model", .data.given = {.kind = LGKT_DATA_MODEL, .model = mdp}};
    setup.horizon = 3;
    setup.replicates = 1;
    setup.checkpoints = times;
    setup.checkpoint_count = 3;
    run_result result = run(&setup);
    assert_close(result.regret[0], 0.5 - 0.25, 1e-15);
    assert_close(run_curve_row(&result, 1, 0, 1)[0], 0.0, 0.0);
    assert_close(run_curve_row(&result, 1, 0, 2)[0], 0.5 - 0.25, 1e-15);
    run_result_free(&result);

    const lgkt_threshold threshold = {.constant = 1.5};
    lgkt_error error = {0};
    lgkt_cost *cost = NULL;
    lgkt_env *env = NULL;
    exp_run game;
    double sums[EXP_SUMS] = {0};
    assert_ok(lgkt_cost_create(mdp, 2, 3, &threshold, NULL, &cost, &error), error);
    const exp_worth worths[] = {{.cost = cost}, {0}, {.model = mdp}};
    assert_ok(exp_env_create(&setup.world, 0, 0, &env, &error), error);
    assert_ok(run_open(&game, "kstep:k=1", 3, 0, env, 0, &error), error);
    assert_ok(exp_play(&game, 3, worths, 3, sums, &error), error);
    assert_close(sums[EXP_WORTHS], 0.5, 1e-15);
    assert_close(sums[EXP_WORTHS + 1], 0.0, 0.0);
    assert_close(sums[EXP_WORTHS + 2], 3.0, 0.0);
    assert_close(sums[EXP_EXPECTED], 3.0, 0.0);
    // past the end
    assert_refused(exp_play(&game, 1, worths, 3, sums, &error), LGKT_ERR_HORIZON, error, "over");
    exp_run_close(&game);
    lgkt_env_destroy(env);
    lgkt_cost_destroy(cost);
    lgkt_mdp_destroy(mdp);
}

// ---- zero in expectation ----

// Independent instances of mean 0: beyond 6 standard errors with probability below 1e-7, to the
// accuracy of the normal law at n = 200.
static void assert_mean_zero(exp_estimate regret, double largest_bound)
{
    const double bound = 6.0 * regret.ci95 / exp_student_quantile(0.95, 199);
    assert_between(bound, 0.0, largest_bound);
    assert_between(regret.mean, -bound, bound);
}

static void test_policies_have_no_regret_to_themselves(void **state)
{
    (void)state;
    static const char *const learners[] = {"kstep:k=2", "optimal", "random"};
    // above all Q_2: thresholding is greedy
    run_setup setup = regret_setup(learners, 3, 2, 100.0);
    setup.replicates = 200;
    run_result result = run(&setup);
    const exp_summary kstep = exp_summarize(&result.reduction, 0),
                      optimal = exp_summarize(&result.reduction, 1);
    const exp_summary random = exp_summarize(&result.reduction, 2);
    // of about 600 * 1.7
    assert_mean_zero(kstep.threshold_regret, 60.0);
    assert_mean_zero(optimal.optimum_regret, 60.0);
    assert_true(random.threshold_regret.mean > 300.0 && random.optimum_regret.mean > 300.0);
    assert_close(optimal.optimum_regret.mean,
                 MAX_T * (result.reduction.optimum.mean - optimal.reward.mean), 1e-9);
    run_result_free(&result);

    // where some actions are good enough
    static const char *const target[] = {"thresholding:k=2,threshold=1.5", "random"};
    setup = regret_setup(target, 2, 2, 1.5);
    setup.replicates = 200;
    result = run(&setup);
    assert_mean_zero(exp_summarize(&result.reduction, 0).threshold_regret, 60.0);
    assert_true(exp_summarize(&result.reduction, 1).threshold_regret.mean > 60.0);
    run_result_free(&result);
}

static void test_no_cost_below_all_values(void **state)
{
    (void)state;
    static const char *const learners[] = {"random", "lg1t"};
    const run_setup setup = regret_setup(learners, 2, 1, 0.0);
    run_result result = run(&setup);
    for (int i = 0; i < 12; i++)
        assert_true(result.regret[i] == 0.0);
    run_result_free(&result);
}

// ---- nothing is disturbed ----

static void test_regret_changes_no_other_number(void **state)
{
    (void)state;
    static const char *const learners[] = {"lg2t", "random", "lg1-2t"};
    int64_t times[EXP_MAX_CHECKPOINTS];
    run_setup setup = regret_setup(learners, 3, 2, 1.5);
    setup.checkpoints = times;
    setup.checkpoint_count = exp_checkpoints(setup.horizon, false, times);
    run_result with = run(&setup);
    setup.jobs = 5;
    run_result again = run(&setup);
    setup.regret_k = 0;
    setup.measure_count = 1;
    run_result without = run(&setup);
    const size_t runs = 3 * 6, points = runs * (size_t)setup.checkpoint_count;
    assert_null(without.regret);
    assert_memory_equal(with.reward, without.reward, runs * sizeof(double));
    assert_memory_equal(with.observed, without.observed, runs * sizeof(double));
    assert_memory_equal(with.curve, without.curve, points * sizeof(double));
    // and the count of threads does not change the regret
    assert_memory_equal(with.regret, again.regret, runs * sizeof(double));
    assert_memory_equal(with.curve, again.curve, 2 * points * sizeof(double));
    const int32_t last = setup.checkpoint_count - 1;
    assert_close(exp_curve_point(&with.reduction, 1, 1, last).mean,
                 exp_summarize(&with.reduction, 1).threshold_regret.mean, 1e-9);
    run_result_free(&with);
    run_result_free(&again);
    run_result_free(&without);
}

// ---- bad input ----

static void test_refused(void **state)
{
    (void)state;
    static const char *const learners[] = {"random"};
    const run_setup good = regret_setup(learners, 1, 1, 1.0);
    run_setup setup = good;
    run_result result = {0};
    lgkt_error error = {0};
    setup.world.spec = "trading";
    assert_refused(run_panel(&setup, &result, &error), LGKT_ERR_UNSUPPORTED, error, "trading");
    setup = good;
    setup.regret_k = -1;
    assert_refused(run_panel(&setup, &result, &error), LGKT_ERR_ARGUMENT, error, "-1");
    setup = good;
    setup.regret_threshold = INFINITY;
    assert_refused(run_panel(&setup, &result, &error), LGKT_ERR_NOT_FINITE, error, "inf");
    setup.regret_threshold = NAN;
    assert_refused(run_panel(&setup, &result, &error), LGKT_ERR_NOT_FINITE, error, "nan");
    assert_null(result.reward);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regret_is_the_sum_by_hand),
        cmocka_unit_test(test_regret_of_the_example),
        cmocka_unit_test(test_policies_have_no_regret_to_themselves),
        cmocka_unit_test(test_no_cost_below_all_values),
        cmocka_unit_test(test_regret_changes_no_other_number),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
