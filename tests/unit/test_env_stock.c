// SPDX-License-Identifier: MIT
// The store against its definition with libm, the law of its demand, states against bins counted
// here, the reference policy against others, and bad parameters.

#include "test.h"

#include "ref/env_run.h"

static const double *shown(const lgkt_trajectory *run)
{
    size_t size;
    const double *seen = lgkt_trajectory_observation(run, &size);
    assert_int_equal(size, 2 * sizeof(double));
    return seen;
}

// ---- days ----

static void test_days(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double capacity, lot, mean, spread, memory, holding, shortage, order;
        int32_t actions, bins;
    } cases[] = {
        {"stock", 20, 4, 5, 0.5, 0.8, 1, 4, 4, 5, 6},
        {"stock:capacity=9,lot=2.5,mean=3,spread=1,memory=0,holding=0.5,shortage=7,order=0,"
         "actions=3,bins=4",
         9, 2.5, 3, 1, 0, 0.5, 7, 0, 3, 4},
        {"stock:spread=0,memory=0.99,mean=30,bins=1", 20, 4, 30, 0, 0.99, 1, 4, 4, 5, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_env *env = env_run_make(cases[i].spec, NULL);
        const lgkt_problem problem = lgkt_env_problem(env, 1);
        assert_int_equal(problem.actions, cases[i].actions);
        assert_int_equal(problem.states, cases[i].bins * cases[i].bins);
        assert_null(problem.model);
        const double worst =
            cases[i].capacity * fmax(cases[i].holding, cases[i].shortage) + cases[i].order;
        assert_true(problem.reward_min == -worst && problem.reward_max == 0);
        assert_true(problem.reward_sd == worst / 2);
        lgkt_trajectory *run = env_run_start(env, 3000, 7);
        lgkt_rng rng = lgkt_rng_stream(7, "environment", 0);
        lgkt_rng_uniform(&rng);
        double stock = cases[i].capacity / 2, mood = 0;
        assert_true(shown(run)[0] == stock);
        assert_true(shown(run)[1] == fmin(cases[i].mean, cases[i].capacity));
        for (int t = 0; t < 3000; t++) {
            const int32_t action = (t * t + t / 3) % cases[i].actions;
            const double memory = cases[i].memory, spread = cases[i].spread;
            mood = memory * mood + sqrt(1 - memory * memory) * lgkt_rng_normal(&rng);
            const double demand =
                fmin(cases[i].capacity, cases[i].mean * exp(spread * mood - spread * spread / 2));
            stock = fmin(cases[i].capacity, stock + action * cases[i].lot) - demand;
            const double cost = (stock > 0 ? cases[i].holding : -cases[i].shortage) * stock +
                                (action > 0 ? cases[i].order : 0);
            stock = fmax(0, stock);
            const lgkt_step step = env_run_play(run, action);
            assert_close(step.reward, -cost, 1e-10);
            assert_true(step.mean_reward == step.reward && !step.ended);
            assert_close(shown(run)[0], stock, 1e-11);
            assert_close(shown(run)[1], demand, 1e-11);
            // equal parts of 0 .. capacity and of 0 .. 3 mean
            const int32_t bins = cases[i].bins;
            int32_t x = 0, d = 0;
            for (int32_t j = 1; j < bins; j++) {
                x += shown(run)[0] >= cases[i].capacity * j / bins;
                d += shown(run)[1] >= 3 * cases[i].mean * j / bins;
            }
            assert_int_equal(step.state, x * bins + d);
            stock = shown(run)[0];
        }
        lgkt_trajectory_destroy(run);
        lgkt_env_destroy(env);
    }
}

// Mean, deviation and correlation of the logarithm: -spread^2/2 + log mean, spread, memory. With
// memory 0.8 the 200000 days are worth some 22000 of the mean; the bounds are 6 standard errors.
static void test_law_of_the_demand(void **state)
{
    (void)state;
    enum { DAYS = 200000 };
    lgkt_env *env = env_run_make("stock:capacity=1000", NULL);
    lgkt_trajectory *run = env_run_start(env, DAYS, 3);
    double sum = 0, square = 0, product = 0, last = 0;
    for (int t = 0; t < DAYS; t++) {
        env_run_play(run, 0);
        const double z = (log(shown(run)[1] / 5) + 0.125) / 0.5;
        sum += z;
        square += z * z;
        product += z * last;
        last = z;
    }
    assert_close(sum / DAYS, 0, 6 / sqrt(22000));
    assert_close(square / DAYS, 1, 6 * sqrt(2 / 43000.0));
    assert_close(product / DAYS, 0.8, 6 * sqrt(2 / 43000.0));
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

// ---- the reference policy ----

// What ordering the lots that come closest to a stock of u + v d costs per day.
static double average_of(double u, double v)
{
    enum { DAYS = 20000 };
    lgkt_env *env = env_run_make("stock", NULL);
    lgkt_trajectory *run = env_run_start(env, DAYS, 1);
    double total = 0;
    for (int t = 0; t < DAYS; t++) {
        const double lots = floor((u + v * shown(run)[1] - shown(run)[0]) / 4 + 0.5);
        total += env_run_play(run, (int32_t)fmax(0, fmin(4, lots))).reward;
    }
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
    return total / DAYS;
}

// Of all u = 0, 0.5, .. 4 and v = 0.7, 0.8, .. 1.5, on the same days.
static void test_reference_policy(void **state)
{
    (void)state;
    double best = -INFINITY, best_u = 0, best_v = 0;
    for (int i = 0; i <= 8; i++)
        for (int j = 7; j <= 15; j++) {
            const double average = average_of(0.5 * i, 0.1 * j);
            if (average > best) {
                best = average;
                best_u = 0.5 * i;
                best_v = 0.1 * j;
            }
        }
    assert_true(best_u == 1 && best_v == 0.1 * 11);
    assert_close(best, -6.05, 0.05);
    // an order that does not look at the demand is worse by more than chance
    assert_true(average_of(6, 0) < best - 0.5 && average_of(8, 0) < best - 0.5);
}

static void test_bad_parameters(void **state)
{
    (void)state;
    static const char *const specs[][2] = {
        {"stock:lot=0", "lot=0, capacity=20 and mean=5 must be above 0"},
        {"stock:capacity=0", "capacity=0"},
        {"stock:mean=0", "mean=0"},
        {"stock:memory=1", "memory"},
        {"stock:actions=1", "actions"},
        {"stock:view=boxes", "boxes"},
        {"stock:view=quantiles,bins=50,warmup=49", "must be at least bins=50"},
        {"stock:bins=1000,actions=1000", "more than 268435 states"},
    };
    env_run_check_refused(specs, sizeof specs / sizeof *specs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_days),
        cmocka_unit_test(test_law_of_the_demand),
        cmocka_unit_test(test_reference_policy),
        cmocka_unit_test(test_bad_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
