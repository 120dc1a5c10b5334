// SPDX-License-Identifier: MIT
// Lookahead values: known numbers, the plain recursion, brute force, long horizons.
#include "plan/plan_private.h"
#include "ref/fault.h"
#include "ref/models.h"
#include "ref/naive_plan.h"
#include "test.h"

static void lookahead(const lgkt_mdp *mdp, int64_t k, double *q)
{
    lgkt_error error = {0};
    assert_ok(lgkt_plan_lookahead(mdp, k, NULL, q, &error), error);
}

static void assert_table(const double *q, const double *expected, int32_t n, double tolerance)
{
    for (int32_t i = 0; i < n; i++)
        assert_close(q[i], expected[i], tolerance * fmax(1, fabs(expected[i])));
}

static void the_example_has_its_numbers(void **state)
{
    (void)state;
    const double q1[] = {1, 0, 0, 2}, q2[] = {2, 2, 1, 3.5}, q3[] = {3, 3.5, 2, 4.75};
    lgkt_mdp *mdp = model_example();
    double q[4];
    lookahead(mdp, 1, q);
    assert_table(q, q1, 4, 0);
    lookahead(mdp, 2, q);
    assert_table(q, q2, 4, 0);
    lookahead(mdp, 3, q);
    assert_table(q, q3, 4, 0);
    lgkt_mdp_destroy(mdp);
}

static void random_models_agree_with_the_plain_recursion(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 40; i++) {
        lgkt_rng rng = lgkt_rng_stream(11, "lookahead", i);
        const int32_t states = 1 + lgkt_rng_below(&rng, 12), actions = 1 + lgkt_rng_below(&rng, 6);
        const int64_t k = 1 + lgkt_rng_below(&rng, 60);
        lgkt_mdp *mdp = model_random(&rng, states, actions, 0.3);
        double q[72], expected[72];
        lookahead(mdp, k, q);
        naive_q(mdp, k, expected);
        assert_table(q, expected, states * actions, 1e-12);
        lgkt_mdp_destroy(mdp);
    }
}

static void no_rule_beats_the_recursion(void **state)
{
    (void)state;
    enum { T = 4 };
    for (uint64_t i = 0; i < 20; i++) {
        lgkt_rng rng = lgkt_rng_stream(12, "brute force", i);
        lgkt_mdp *mdp = model_random(&rng, 2, 2, 0.7);
        double q[4];
        lookahead(mdp, T, q);
        for (int32_t s = 0; s < 2; s++)
            assert_close(fmax(q[2 * s], q[2 * s + 1]), naive_best_rule(mdp, T, s), 1e-12);
        lgkt_mdp_destroy(mdp);
    }
}

// the settled tail is linear; the plain recursion runs all the way
static void long_lookaheads_are_exact(void **state)
{
    (void)state;
    const int64_t depths[] = {50, 500, 5000, 20000};
    lgkt_rng rng = lgkt_rng_stream(13, "long", 0);
    lgkt_mdp *models[] = {model_riverswim(8, false), model_riverswim(15, true),
                          model_random(&rng, 10, 5, 0.1), model_two_cycle(),
                          model_linear_gap(4, 3, 2)};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
            double q[64], expected[64];
            lookahead(models[m], depths[i], q);
            naive_q(models[m], depths[i], expected);
            assert_table(q, expected, lgkt_mdp_states(models[m]) * lgkt_mdp_actions(models[m]),
                         1e-10);
        }
        lgkt_mdp_destroy(models[m]);
    }
}

static void a_huge_lookahead_of_a_settled_model_is_quick(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_riverswim(5, false);
    double near[10], far[10], gain = 0;
    lgkt_error error = {0};
    assert_ok(lgkt_plan_gain(mdp, 1e-13, NULL, &gain, NULL, &error), error);
    lookahead(mdp, 1000000, near);
    lookahead(mdp, 1000000000000, far);
    for (int i = 0; i < 10; i++)
        assert_close((far[i] - near[i]) / 999999000000.0, gain, 1e-12);
    lgkt_mdp_destroy(mdp);
}

static void bellman_residuals_vanish(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(14, "residual", 0);
    lgkt_mdp *mdp = model_random(&rng, 8, 3, 0.2);
    double q[24], next[24];
    for (int64_t k = 1; k < 200; k += 13) {
        lookahead(mdp, k, q);
        lookahead(mdp, k + 1, next);
        for (int32_t z = 0; z < 24; z++) {
            double backed = lgkt_mdp_rewards(mdp)[z];
            for (int32_t y = 0; y < 8; y++)
                backed += naive_p(mdp, z / 3, z % 3, y) *
                          fmax(q[3 * y], fmax(q[3 * y + 1], q[3 * y + 2]));
            assert_close(next[z], backed, 1e-12 * fmax(1, backed));
        }
    }
    lgkt_mdp_destroy(mdp);
}

// ---- tables ----

static void tables_hold_every_depth(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_riverswim(5, false);
    lgkt_lookahead ahead;
    assert_ok(lgkt_lookahead_init(&ahead, mdp, 5000, NULL, &error), error);
    assert_true(ahead.count < 5000); // settled before
    double expected[10];
    for (int64_t k = 1; k <= 5000; k += k < 20 ? 1 : 415) {
        naive_q(mdp, k, expected);
        for (size_t z = 0; z < 10; z++)
            assert_close(lgkt_lookahead_q(&ahead, k, z), expected[z], 1e-10 * fmax(1, expected[z]));
    }
    free(ahead.q);
    lgkt_mdp_destroy(mdp);
}

static void ties_have_a_width(void **state)
{
    (void)state;
    const double q[] = {1, 1 + 5e-13, 1 + 3e-12, 1 + 3e-12 - 9e-13};
    assert_int_equal(lgkt_argmax(q, 2, 0, false), 0);
    assert_int_equal(lgkt_argmax(q, 2, 0, true), 1);
    assert_int_equal(lgkt_argmax(q, 4, 0, false), 2);
    assert_int_equal(lgkt_argmax(q, 4, 0, true), 3);
    // the width is relative to the whole value
    assert_int_equal(lgkt_argmax(q, 4, 100, false), 0);
}

// ---- refusals and failures ----

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_example();
    double q[4];
    assert_refused(lgkt_plan_lookahead(NULL, 1, NULL, q, &error), LGKT_ERR_ARGUMENT, error,
                   "mdp is NULL");
    assert_refused(lgkt_plan_lookahead(mdp, 0, NULL, q, &error), LGKT_ERR_ARGUMENT, error,
                   "k is 0; it must be >= 1");
    assert_refused(lgkt_plan_lookahead(mdp, 1, NULL, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "q is NULL");
    assert_int_equal(lgkt_plan_lookahead(mdp, -1, NULL, q, NULL), LGKT_ERR_ARGUMENT);
    lgkt_mdp_destroy(mdp);
}

static lgkt_status make_lookahead(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    double q[4];
    return lgkt_plan_lookahead(ctx, 3, allocator, q, error);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_example();
    assert_int_equal(fault_sweep(make_lookahead, mdp), 1);
    lgkt_mdp_destroy(mdp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_has_its_numbers),
        cmocka_unit_test(random_models_agree_with_the_plain_recursion),
        cmocka_unit_test(no_rule_beats_the_recursion),
        cmocka_unit_test(long_lookaheads_are_exact),
        cmocka_unit_test(a_huge_lookahead_of_a_settled_model_is_quick),
        cmocka_unit_test(bellman_residuals_vanish),
        cmocka_unit_test(tables_hold_every_depth),
        cmocka_unit_test(ties_have_a_width),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
