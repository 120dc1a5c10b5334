// SPDX-License-Identifier: MIT
// Gain and bias: the riverswim table, stationary laws, the optimality equation, periodic models.
#include "ref/fault.h"
#include "ref/models.h"
#include "ref/naive_plan.h"
#include "test.h"

static double gain_of(const lgkt_policy *policy)
{
    lgkt_error error = {0};
    double gain = NAN;
    assert_ok(lgkt_policy_gain(policy, 1e-12, NULL, &gain, NULL, &error), error);
    return gain;
}

static lgkt_policy *always(const lgkt_mdp *mdp, int32_t action)
{
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    int32_t actions[32];
    for (int32_t s = 0; s < 32; s++)
        actions[s] = action;
    assert_ok(lgkt_policy_fixed(mdp, 1, actions, NULL, &policy, &error), error);
    return policy;
}

static void riverswim_has_its_gains(void **state)
{
    (void)state;
    const struct {
        int32_t states;
        double optimal, left, right, uniform;
    } rows[] = {{5, 0.212496, 0.196040, 0.208192, 0.074151},
                {8, 0.205257, 0.193138, 0.192042, 0.069594},
                {15, 0.196352, 0.186589, 0.163528, 0.063517}};
    for (int i = 0; i < 3; i++) {
        lgkt_error error = {0};
        lgkt_mdp *mdp = model_riverswim(rows[i].states, false);
        lgkt_policy *left = always(mdp, 0), *right = always(mdp, 1), *uniform = NULL;
        double optimal = NAN;
        assert_ok(lgkt_policy_uniform(mdp, 1, NULL, &uniform, &error), error);
        assert_ok(lgkt_plan_gain(mdp, 1e-12, NULL, &optimal, NULL, &error), error);
        assert_close(optimal, rows[i].optimal, 6e-7);
        assert_close(gain_of(left), rows[i].left, 6e-7);
        assert_close(gain_of(right), rows[i].right, 6e-7);
        assert_close(gain_of(uniform), rows[i].uniform, 6e-7);
        lgkt_policy_destroy(left);
        lgkt_policy_destroy(right);
        lgkt_policy_destroy(uniform);
        lgkt_mdp_destroy(mdp);
    }
}

static void policies_earn_what_their_stationary_law_does(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 15; i++) {
        lgkt_rng rng = lgkt_rng_stream(51, "stationary", i);
        lgkt_mdp *mdp = model_random(&rng, 6, 4, 0.5);
        lgkt_error error = {0};
        const lgkt_threshold threshold = {.constant = 0.5};
        lgkt_policy *p[3] = {always(mdp, 1), NULL, NULL};
        assert_ok(lgkt_policy_threshold(mdp, 1, 10, &threshold, NULL, &p[1], &error), error);
        assert_ok(lgkt_policy_greedy(mdp, 3, 10, LGKT_TIES_LOW, NULL, &p[2], &error), error);
        for (int j = 0; j < 3; j++) {
            assert_close(gain_of(p[j]), naive_policy_gain(p[j], mdp), 1e-11);
            lgkt_policy_destroy(p[j]);
        }
        lgkt_mdp_destroy(mdp);
    }
}

// g + b = max_a R + P b, and no stationary rule earns more
static void the_optimality_equation_holds(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 15; i++) {
        lgkt_rng rng = lgkt_rng_stream(52, "optimality", i);
        lgkt_mdp *mdp = model_random(&rng, 4, 2, 0.5);
        lgkt_error error = {0};
        double gain = NAN, bias[4], lowest = INFINITY, most = -INFINITY;
        assert_ok(lgkt_plan_gain(mdp, 1e-12, NULL, &gain, bias, &error), error);
        for (int32_t s = 0; s < 4; s++) {
            double best = -INFINITY;
            for (int32_t a = 0; a < 2; a++) {
                double backed = lgkt_mdp_reward(mdp, s, a);
                for (int32_t y = 0; y < 4; y++)
                    backed += naive_p(mdp, s, a, y) * bias[y];
                best = fmax(best, backed);
            }
            assert_close(gain + bias[s], best, 1e-11);
            lowest = fmin(lowest, bias[s]);
        }
        assert_close(lowest, 0, 0);
        for (int32_t rule = 0; rule < 16; rule++) {
            const int32_t actions[] = {rule & 1, rule >> 1 & 1, rule >> 2 & 1, rule >> 3 & 1};
            lgkt_policy *policy = NULL;
            assert_ok(lgkt_policy_fixed(mdp, 1, actions, NULL, &policy, &error), error);
            most = fmax(most, naive_policy_gain(policy, mdp));
            lgkt_policy_destroy(policy);
        }
        assert_close(gain, most, 1e-11);
        lgkt_mdp_destroy(mdp);
    }
}

static void a_periodic_model_converges(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_two_cycle();
    double gain = NAN, bias[2];
    assert_ok(lgkt_plan_gain(mdp, 1e-13, NULL, &gain, bias, &error), error);
    assert_close(gain, 0.5, 1e-13);
    // 0.5 + b(0) = 1 + b(1)
    assert_close(bias[0], 0.5, 1e-12);
    assert_close(bias[1], 0, 0);
    lgkt_mdp_destroy(mdp);
}

static void a_long_run_earns_the_gain(void **state)
{
    (void)state;
    enum { T = 100000 };
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_riverswim(8, false);
    lgkt_policy *policy = NULL;
    double value[8], gain = NAN, bias[8];
    assert_ok(lgkt_policy_optimal(mdp, T, LGKT_TIES_LOW, NULL, &policy, &error), error);
    assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
    assert_ok(lgkt_plan_gain(mdp, 1e-13, NULL, &gain, bias, &error), error);
    assert_close(gain_of(policy), gain, 1e-12);
    // V_T = T g + b + constant
    for (int32_t s = 1; s < 8; s++)
        assert_close(value[s] - value[0], bias[s] - bias[0], 1e-8);
    assert_close(value[0] / T, gain, 1e-4);
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

static void two_worlds_do_not_converge(void **state)
{
    (void)state;
    // each state stays where it is, with its own reward
    const double rewards[] = {0, 1}, kernel[] = {1, 0, 0, 1};
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_dense(2, 1, rewards, kernel);
    double gain = 7, bias[2] = {7, 7};
    assert_refused(lgkt_plan_gain(mdp, 1e-9, NULL, &gain, bias, &error), LGKT_ERR_NO_CONVERGENCE,
                   error, "may depend on the start");
    assert_close(gain, 7, 0);
    assert_close(bias[0], 7, 0);
    lgkt_mdp_destroy(mdp);
}

static void a_tolerance_below_rounding_is_refused(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_riverswim(5, false);
    double gain = 7;
    assert_refused(lgkt_plan_gain(mdp, 1e-300, NULL, &gain, NULL, &error), LGKT_ERR_NO_CONVERGENCE,
                   error, "the gain is known to");
    assert_close(gain, 7, 0);
    lgkt_mdp_destroy(mdp);
}

// ---- refusals and failures ----

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_example();
    lgkt_policy *policy = always(mdp, 0);
    double gain;
    assert_refused(lgkt_plan_gain(NULL, 1, NULL, &gain, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "mdp is NULL");
    assert_refused(lgkt_plan_gain(mdp, 1, NULL, NULL, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "gain is NULL");
    assert_refused(lgkt_plan_gain(mdp, 0, NULL, &gain, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "tolerance 0; it must be > 0");
    assert_refused(lgkt_plan_gain(mdp, NAN, NULL, &gain, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "tolerance");
    assert_refused(lgkt_policy_gain(NULL, 1, NULL, &gain, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "policy is NULL");
    assert_refused(lgkt_policy_gain(policy, INFINITY, NULL, &gain, NULL, &error), LGKT_ERR_ARGUMENT,
                   error, "tolerance inf");
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

static lgkt_status find_gains(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const lgkt_mdp *mdp = ctx;
    lgkt_policy *policy = NULL;
    double gain, bias[8];
    lgkt_status status = lgkt_plan_gain(mdp, 1e-6, allocator, &gain, bias, error);
    if (status == LGKT_OK)
        status = lgkt_policy_uniform(mdp, 1, allocator, &policy, error);
    if (status == LGKT_OK)
        status = lgkt_policy_gain(policy, 1e-6, allocator, &gain, bias, error);
    lgkt_policy_destroy(policy);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_riverswim(5, false);
    assert_true(fault_sweep(find_gains, mdp) > 3);
    lgkt_mdp_destroy(mdp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(riverswim_has_its_gains),
        cmocka_unit_test(policies_earn_what_their_stationary_law_does),
        cmocka_unit_test(the_optimality_equation_holds),
        cmocka_unit_test(a_periodic_model_converges),
        cmocka_unit_test(a_long_run_earns_the_gain),
        cmocka_unit_test(two_worlds_do_not_converge),
        cmocka_unit_test(a_tolerance_below_rounding_is_refused),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
