// SPDX-License-Identifier: MIT
// Policies: which actions each kind plays, against tables of the plain recursion.
#include "ref/fault.h"
#include "ref/models.h"
#include "ref/naive_plan.h"
#include "test.h"

static lgkt_policy *optimal(const lgkt_mdp *mdp, int64_t horizon, lgkt_ties ties)
{
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    assert_ok(lgkt_policy_optimal(mdp, horizon, ties, NULL, &policy, &error), error);
    return policy;
}

static lgkt_policy *greedy(const lgkt_mdp *mdp, int64_t k, int64_t horizon, lgkt_ties ties)
{
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    assert_ok(lgkt_policy_greedy(mdp, k, horizon, ties, NULL, &policy, &error), error);
    return policy;
}

static lgkt_policy *thresholding(const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                                 const lgkt_threshold *threshold)
{
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    assert_ok(lgkt_policy_threshold(mdp, k, horizon, threshold, NULL, &policy, &error), error);
    return policy;
}

// ---- greedy and optimal ----

static void ties_go_low_or_high(void **state)
{
    (void)state;
    // Q_2(0, .) = (2, 2)
    lgkt_mdp *mdp = model_example();
    lgkt_policy *low = greedy(mdp, 2, 3, LGKT_TIES_LOW), *high = greedy(mdp, 2, 3, LGKT_TIES_HIGH);
    assert_int_equal(lgkt_policy_action(low, 3, 0), 0);
    assert_int_equal(lgkt_policy_action(high, 3, 0), 1);
    assert_int_equal(lgkt_policy_action(low, 1, 0), 0);
    assert_int_equal(lgkt_policy_action(high, 1, 0), 0);
    assert_int_equal(lgkt_policy_horizon(low), 3);
    lgkt_policy_destroy(low);
    lgkt_policy_destroy(high);
    lgkt_mdp_destroy(mdp);
}

static int32_t naive_argmax(const double *q, int32_t actions, lgkt_ties ties)
{
    double best = q[0];
    for (int32_t a = 1; a < actions; a++)
        best = fmax(best, q[a]);
    int32_t chosen = -1;
    for (int32_t a = 0; a < actions; a++)
        if (best - q[a] <= 1e-12 * fmax(1, fabs(best)) && (chosen < 0 || ties == LGKT_TIES_HIGH))
            chosen = a;
    return chosen;
}

// rewards and rows on a coarse grid, so that ties are common
static lgkt_mdp *tied_model(lgkt_rng *rng)
{
    double rewards[12], kernel[48] = {0};
    for (int i = 0; i < 12; i++) {
        rewards[i] = lgkt_rng_below(rng, 3) / 2.0;
        kernel[4 * i + lgkt_rng_below(rng, 4)] += 0.5;
        kernel[4 * i + lgkt_rng_below(rng, 4)] += 0.5;
    }
    return model_dense(4, 3, rewards, kernel);
}

static void greedy_plays_the_argmax_at_every_depth(void **state)
{
    (void)state;
    enum { T = 40 };
    for (uint64_t i = 0; i < 30; i++) {
        lgkt_rng rng = lgkt_rng_stream(21, "greedy", i);
        lgkt_mdp *mdp = i % 2 ? tied_model(&rng) : model_random(&rng, 4, 3, 0.5);
        const lgkt_ties ties = i % 3 ? LGKT_TIES_LOW : LGKT_TIES_HIGH;
        const int64_t k = 1 + lgkt_rng_below(&rng, 2 * T);
        lgkt_policy *policy = greedy(mdp, k, T, ties), *best = optimal(mdp, T, ties);
        double q[12];
        uint8_t member[3];
        for (int64_t h = 1; h <= T; h++)
            for (int32_t s = 0; s < 4; s++) {
                naive_q(mdp, h < k ? h : k, q);
                assert_int_equal(lgkt_policy_action(policy, h, s),
                                 naive_argmax(q + 3 * s, 3, ties));
                naive_q(mdp, h, q);
                assert_int_equal(lgkt_policy_action(best, h, s), naive_argmax(q + 3 * s, 3, ties));
                assert_int_equal(lgkt_policy_actions(best, h, s, member), 1);
                assert_int_equal(member[lgkt_policy_action(best, h, s)], 1);
            }
        lgkt_policy_destroy(policy);
        lgkt_policy_destroy(best);
        lgkt_mdp_destroy(mdp);
    }
}

// states 0 and 1 swap and only 1 pays; state 2 leads to either, and the better one depends on
// whether the steps left are odd or even
static void a_periodic_rule_is_kept_to_the_end(void **state)
{
    (void)state;
    const double rewards[] = {0, 0, 1, 1, 0.6, 0.6};
    const double kernel[] = {0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0};
    lgkt_mdp *mdp = model_dense(3, 2, rewards, kernel);
    enum { T = 3001 };
    lgkt_policy *policy = optimal(mdp, T, LGKT_TIES_LOW);
    double q[6];
    for (int64_t h = 1; h <= T; h += h < 10 ? 1 : 427) {
        naive_q(mdp, h, q);
        for (int32_t s = 0; s < 3; s++)
            assert_int_equal(lgkt_policy_action(policy, h, s),
                             naive_argmax(q + 2 * s, 2, LGKT_TIES_LOW));
        if (h > 1)
            assert_int_equal(lgkt_policy_action(policy, h, 2), h % 2 == 0 ? 1 : 0);
    }
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

static void a_lookahead_of_the_whole_horizon_is_optimal(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(22, "whole", 0);
    lgkt_mdp *mdp = model_random(&rng, 6, 4, 0.3);
    lgkt_policy *whole = greedy(mdp, 100, 30, LGKT_TIES_LOW),
                *best = optimal(mdp, 30, LGKT_TIES_LOW);
    for (int64_t h = 1; h <= 30; h++)
        for (int32_t s = 0; s < 6; s++)
            assert_int_equal(lgkt_policy_action(whole, h, s), lgkt_policy_action(best, h, s));
    lgkt_policy_destroy(whole);
    lgkt_policy_destroy(best);
    lgkt_mdp_destroy(mdp);
}

static void arguments_out_of_range_play_nothing(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_example();
    lgkt_policy *policy = optimal(mdp, 3, LGKT_TIES_LOW);
    uint8_t member[2] = {9, 9};
    assert_int_equal(lgkt_policy_action(policy, 0, 0), -1);
    assert_int_equal(lgkt_policy_action(policy, 4, 0), -1);
    assert_int_equal(lgkt_policy_action(policy, 1, 2), -1);
    assert_int_equal(lgkt_policy_action(policy, 1, -1), -1);
    assert_int_equal(lgkt_policy_actions(policy, 4, 0, member), 0);
    assert_int_equal(member[0] + member[1], 0);
    lgkt_policy_destroy(policy);
    lgkt_policy_destroy(NULL);
    lgkt_mdp_destroy(mdp);
}

// ---- thresholding ----

typedef struct wave {
    int64_t calls;
    int32_t deepest;
} wave;

static double wave_at(void *ctx, int64_t t, int32_t state, int32_t k)
{
    wave *w = ctx;
    w->calls++;
    w->deepest = k > w->deepest ? k : w->deepest;
    if (t % 7 == 3)
        return NAN;
    return 0.4 * (double)k + 0.3 * sin((double)t + state);
}

// what the definition says: all at or above gamma, else the lowest argmax
static void assert_definition(const lgkt_policy *policy, const lgkt_mdp *mdp, int64_t h, int64_t k,
                              int32_t s, double gamma)
{
    const int32_t actions = lgkt_mdp_actions(mdp);
    double q[64];
    uint8_t member[8];
    naive_q(mdp, h < k ? h : k, q);
    const double *own = q + s * actions;
    int32_t good = 0, lowest = -1;
    const int32_t n = lgkt_policy_actions(policy, h, s, member);
    for (int32_t a = 0; a < actions; a++)
        good += own[a] >= gamma;
    for (int32_t a = 0; a < actions; a++) {
        const bool plays =
            good > 0 ? own[a] >= gamma : a == naive_argmax(own, actions, LGKT_TIES_LOW);
        assert_int_equal(member[a], plays);
        lowest = lowest < 0 && plays ? a : lowest;
    }
    assert_int_equal(n, good > 0 ? good : 1);
    assert_int_equal(lgkt_policy_action(policy, h, s), lowest);
}

static void thresholding_plays_what_is_good_enough(void **state)
{
    (void)state;
    enum { T = 25, S = 4, A = 3 };
    for (uint64_t i = 0; i < 20; i++) {
        lgkt_rng rng = lgkt_rng_stream(23, "threshold", i);
        lgkt_mdp *mdp = model_random(&rng, S, A, 0.5);
        const int64_t k = 1 + lgkt_rng_below(&rng, 5);
        double table[6 * S];
        for (int j = 0; j < 6 * S; j++)
            table[j] = lgkt_rng_uniform(&rng) * 2 * (double)k;
        wave w = {0};
        const lgkt_threshold kinds[] = {
            {.constant = 0.7},
            {.table = table, .table_steps = 1},
            {.table = table, .table_steps = 6},
            {.table = table, .table_steps = 6, .fn = wave_at, .ctx = &w}};
        for (int kind = 0; kind < 4; kind++) {
            lgkt_policy *policy = thresholding(mdp, k, T, &kinds[kind]);
            for (int64_t h = 1; h <= T; h++)
                for (int32_t s = 0; s < S; s++) {
                    const int64_t t = T - h, deep = h < k ? h : k;
                    const double wavy = wave_at(&w, t, s, (int32_t)deep);
                    const double gammas[] = {0.7, table[s], table[(t < 5 ? t : 5) * S + s],
                                             isnan(wavy) ? INFINITY : wavy};
                    assert_definition(policy, mdp, h, k, s, gammas[kind]);
                }
            lgkt_policy_destroy(policy);
        }
        assert_int_equal(w.deepest, k);
        lgkt_mdp_destroy(mdp);
    }
}

static void the_callback_is_asked_once_per_question(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_example();
    wave w = {0};
    const lgkt_threshold threshold = {.fn = wave_at, .ctx = &w};
    lgkt_policy *policy = thresholding(mdp, 2, 10, &threshold);
    assert_int_equal(w.calls, 0);
    lgkt_policy_action(policy, 5, 0);
    uint8_t member[2];
    lgkt_policy_actions(policy, 5, 0, member);
    assert_int_equal(w.calls, 2);
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

// 1/3 + 1/3 + 1/3 of 0.2 is a little below 0.2
static void a_threshold_does_not_hang_on_rounding(void **state)
{
    (void)state;
    const double third = 1.0 / 3;
    const double rewards[] = {third * 0.2 + third * 0.2 + third * 0.2 - 1e-16, 0.19};
    const double kernel[] = {1, 1};
    assert_true(rewards[0] < 0.2);
    lgkt_mdp *mdp = model_dense(1, 2, rewards, kernel);
    const lgkt_threshold threshold = {.constant = 0.2};
    lgkt_policy *policy = thresholding(mdp, 1, 2, &threshold);
    uint8_t member[2];
    assert_int_equal(lgkt_policy_actions(policy, 2, 0, member), 1);
    assert_int_equal(member[0], 1);
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

// beyond the kept tables values grow linearly, and actions pass the bar one after the other
static void deep_thresholds_use_the_linear_tail(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_riverswim(5, false);
    const lgkt_threshold threshold = {.constant = 500};
    lgkt_policy *policy = thresholding(mdp, 4000, 5000, &threshold);
    for (int64_t h = 2300; h < 2500; h += 3)
        assert_definition(policy, mdp, h, 4000, (int32_t)(h % 5), 500);
    assert_int_equal(lgkt_policy_actions(policy, 5000, 0, (uint8_t[2]){0}), 2);
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

// ---- uniform and fixed ----

static void uniform_and_fixed_play_as_told(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_riverswim(4, false);
    int32_t actions[] = {0, 1, 1, 0};
    lgkt_policy *uniform = NULL, *fixed = NULL;
    assert_ok(lgkt_policy_uniform(mdp, 9, NULL, &uniform, &error), error);
    assert_ok(lgkt_policy_fixed(mdp, 9, actions, NULL, &fixed, &error), error);
    actions[0] = 1; // it was copied
    uint8_t member[2];
    for (int64_t h = 1; h <= 9; h++) {
        assert_int_equal(lgkt_policy_actions(uniform, h, 2, member), 2);
        assert_int_equal(member[0] + member[1], 2);
        assert_int_equal(lgkt_policy_action(uniform, h, 2), 0);
        assert_int_equal(lgkt_policy_action(fixed, h, 0), 0);
        assert_int_equal(lgkt_policy_action(fixed, h, 1), 1);
        assert_int_equal(lgkt_policy_action(fixed, h, 3), 0);
    }
    lgkt_policy_destroy(uniform);
    lgkt_mdp_destroy(mdp); // the policy keeps it alive
    assert_int_equal(lgkt_policy_action(fixed, 9, 2), 1);
    lgkt_policy_destroy(fixed);
}

// ---- refusals and failures ----

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_example();
    lgkt_policy *p = NULL;
    const double row[2] = {0, 0};
    const lgkt_threshold fine = {.constant = 1}, short_table = {.table = row};
    const int32_t bad[] = {0, 2};
    assert_refused(lgkt_policy_optimal(NULL, 1, LGKT_TIES_LOW, NULL, &p, &error), LGKT_ERR_ARGUMENT,
                   error, "mdp is NULL");
    assert_refused(lgkt_policy_optimal(mdp, 0, LGKT_TIES_LOW, NULL, &p, &error), LGKT_ERR_ARGUMENT,
                   error, "horizon is 0; it must be >= 1");
    assert_refused(lgkt_policy_optimal(mdp, 1, (lgkt_ties)2, NULL, &p, &error), LGKT_ERR_ARGUMENT,
                   error, "ties is 2");
    assert_refused(lgkt_policy_optimal(mdp, 1, LGKT_TIES_LOW, NULL, NULL, &error),
                   LGKT_ERR_ARGUMENT, error, "policy is NULL");
    assert_refused(lgkt_policy_greedy(mdp, 0, 1, LGKT_TIES_LOW, NULL, &p, &error),
                   LGKT_ERR_ARGUMENT, error, "k is 0");
    assert_refused(lgkt_policy_greedy(mdp, 1, -5, LGKT_TIES_LOW, NULL, &p, &error),
                   LGKT_ERR_ARGUMENT, error, "horizon is -5");
    assert_refused(lgkt_policy_threshold(mdp, 1, 1, NULL, NULL, &p, &error), LGKT_ERR_ARGUMENT,
                   error, "threshold is NULL");
    assert_refused(lgkt_policy_threshold(mdp, 1, 1, &short_table, NULL, &p, &error),
                   LGKT_ERR_ARGUMENT, error, "table_steps is 0");
    assert_refused(lgkt_policy_threshold(mdp, 0, 1, &fine, NULL, &p, &error), LGKT_ERR_ARGUMENT,
                   error, "k is 0");
    assert_refused(lgkt_policy_threshold(NULL, 1, 1, &fine, NULL, &p, &error), LGKT_ERR_ARGUMENT,
                   error, "mdp is NULL");
    assert_refused(lgkt_policy_uniform(mdp, 0, NULL, &p, &error), LGKT_ERR_ARGUMENT, error,
                   "horizon is 0");
    assert_refused(lgkt_policy_fixed(mdp, 1, NULL, NULL, &p, &error), LGKT_ERR_ARGUMENT, error,
                   "actions is NULL");
    assert_refused(lgkt_policy_fixed(mdp, 1, bad, NULL, &p, &error), LGKT_ERR_ARGUMENT, error,
                   "action 2 in state 1; allowed are 0 to 1");
    assert_null(p);
    lgkt_mdp_destroy(mdp);
}

static lgkt_status make_each(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const lgkt_mdp *mdp = ctx;
    const lgkt_threshold threshold = {.constant = 1};
    const int32_t actions[8] = {0};
    lgkt_policy *p[5] = {NULL};
    lgkt_status status = lgkt_policy_optimal(mdp, 50, LGKT_TIES_LOW, allocator, &p[0], error);
    if (status == LGKT_OK)
        status = lgkt_policy_greedy(mdp, 2, 50, LGKT_TIES_HIGH, allocator, &p[1], error);
    if (status == LGKT_OK)
        status = lgkt_policy_threshold(mdp, 12, 50, &threshold, allocator, &p[2], error);
    if (status == LGKT_OK)
        status = lgkt_policy_uniform(mdp, 50, allocator, &p[3], error);
    if (status == LGKT_OK)
        status = lgkt_policy_fixed(mdp, 50, actions, allocator, &p[4], error);
    for (int i = 0; i < 5; i++)
        lgkt_policy_destroy(p[i]);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_riverswim(5, false);
    assert_true(fault_sweep(make_each, mdp) >= 20);
    lgkt_mdp_destroy(mdp);
}

static void asking_allocates_nothing(void **state)
{
    (void)state;
    fault f;
    fault_init(&f);
    const lgkt_allocator hooks = fault_allocator(&f);
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_riverswim(5, false);
    lgkt_policy *policy = NULL;
    assert_ok(lgkt_policy_optimal(mdp, 200, LGKT_TIES_LOW, &hooks, &policy, &error), error);
    const long long calls = atomic_load(&f.calls);
    for (int64_t h = 1; h <= 200; h++)
        lgkt_policy_action(policy, h, (int32_t)(h % 5));
    assert_int_equal(atomic_load(&f.calls), calls);
    lgkt_policy_destroy(policy);
    assert_true(fault_is_clean(&f));
    lgkt_mdp_destroy(mdp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_go_low_or_high),
        cmocka_unit_test(greedy_plays_the_argmax_at_every_depth),
        cmocka_unit_test(a_periodic_rule_is_kept_to_the_end),
        cmocka_unit_test(a_lookahead_of_the_whole_horizon_is_optimal),
        cmocka_unit_test(arguments_out_of_range_play_nothing),
        cmocka_unit_test(thresholding_plays_what_is_good_enough),
        cmocka_unit_test(the_callback_is_asked_once_per_question),
        cmocka_unit_test(a_threshold_does_not_hang_on_rounding),
        cmocka_unit_test(deep_thresholds_use_the_linear_tail),
        cmocka_unit_test(uniform_and_fixed_play_as_told),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(asking_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
