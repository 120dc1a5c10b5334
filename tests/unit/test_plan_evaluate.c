// SPDX-License-Identifier: MIT
// labels: slow
// Values, forward laws and ratios of policies, against plain recursions and each other.
#include <stdlib.h>

#include "ref/fault.h"
#include "ref/models.h"
#include "ref/naive_plan.h"
#include "test.h"

enum { MAX_STATES = 16, KINDS = 6 };

static double sloped(void *ctx, int64_t t, int32_t state, int32_t k)
{
    (void)ctx;
    return 0.5 * k + 0.001 * (double)(t % 50) - 0.1 * state;
}

// one policy of each kind
static void all_kinds(const lgkt_mdp *mdp, int64_t horizon, const double *table,
                      const lgkt_allocator *allocator, lgkt_policy **p)
{
    lgkt_error e = {0};
    const int32_t first[MAX_STATES] = {0};
    const lgkt_threshold constant = {.constant = 0.3}, fn = {.fn = sloped},
                         tab = {.table = table, .table_steps = 7};
    assert_ok(lgkt_policy_optimal(mdp, horizon, LGKT_TIES_LOW, allocator, &p[0], &e), e);
    assert_ok(lgkt_policy_greedy(mdp, 2, horizon, LGKT_TIES_HIGH, allocator, &p[1], &e), e);
    assert_ok(lgkt_policy_threshold(mdp, 1, horizon, &constant, allocator, &p[2], &e), e);
    assert_ok(lgkt_policy_threshold(mdp, 3, horizon, &tab, allocator, &p[3], &e), e);
    assert_ok(lgkt_policy_threshold(mdp, 2, horizon, &fn, allocator, &p[4], &e), e);
    assert_ok(lgkt_policy_fixed(mdp, horizon, first, allocator, &p[5], &e), e);
}

static void destroy_all(lgkt_policy **p)
{
    for (int i = 0; i < KINDS; i++)
        lgkt_policy_destroy(p[i]);
}

static void random_table(lgkt_rng *rng, double *table, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        table[i] = lgkt_rng_uniform(rng);
}

// ---- values ----

static void the_example_has_its_values(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_example();
    const struct {
        int64_t k;
        lgkt_ties ties;
        double value, ratio;
    } cases[] = {{1, LGKT_TIES_LOW, 3, 6.0 / 7},
                 {2, LGKT_TIES_LOW, 3, 6.0 / 7},
                 {2, LGKT_TIES_HIGH, 3.5, 1},
                 {3, LGKT_TIES_LOW, 3.5, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_policy *policy = NULL;
        double value[2], ratio = 0;
        assert_ok(lgkt_policy_greedy(mdp, cases[i].k, 3, cases[i].ties, NULL, &policy, &error),
                  error);
        assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
        assert_ok(lgkt_policy_ratio(policy, NULL, &ratio, &error), error);
        assert_close(value[0], cases[i].value, 0);
        assert_close(ratio, cases[i].ratio, 1e-15);
        lgkt_policy_destroy(policy);
    }
    lgkt_mdp_destroy(mdp);
}

static void every_kind_agrees_with_the_plain_recursion(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 12; i++) {
        lgkt_rng rng = lgkt_rng_stream(31, "value", i);
        const int32_t states = 1 + lgkt_rng_below(&rng, 8), actions = 1 + lgkt_rng_below(&rng, 5);
        const int64_t horizon = 1 + lgkt_rng_below(&rng, 300);
        double table[7 * MAX_STATES], value[MAX_STATES], expected[MAX_STATES];
        random_table(&rng, table, 7 * MAX_STATES);
        lgkt_mdp *mdp = model_random(&rng, states, actions, 0.4);
        lgkt_policy *p[KINDS];
        lgkt_error error = {0};
        all_kinds(mdp, horizon, table, NULL, p);
        for (int kind = 0; kind < KINDS; kind++) {
            assert_ok(lgkt_policy_value(p[kind], NULL, value, &error), error);
            naive_policy_value(p[kind], mdp, expected);
            for (int32_t s = 0; s < states; s++)
                assert_close(value[s], expected[s], 1e-11 * fmax(1, expected[s]));
        }
        destroy_all(p);
        lgkt_mdp_destroy(mdp);
    }
}

static void the_optimal_policy_reaches_the_optimal_value(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20; i++) {
        lgkt_rng rng = lgkt_rng_stream(32, "optimal", i);
        lgkt_mdp *mdp = model_random(&rng, 6, 3, 0.2);
        lgkt_error error = {0};
        lgkt_policy *policy = NULL;
        double value[6], best[6], ratio = 0;
        assert_ok(lgkt_policy_optimal(mdp, 100, LGKT_TIES_LOW, NULL, &policy, &error), error);
        assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
        assert_ok(lgkt_policy_ratio(policy, NULL, &ratio, &error), error);
        naive_v(mdp, 100, best);
        for (int32_t s = 0; s < 6; s++)
            assert_close(value[s], best[s], 1e-11 * best[s]);
        assert_close(ratio, 1, 1e-12);
        lgkt_policy_destroy(policy);
        lgkt_mdp_destroy(mdp);
    }
}

// the linear tail against 20000 plain sweeps; its slope is good to about 1e-13 a step
static void long_horizons_are_exact(void **state)
{
    (void)state;
    enum { T = 20000 };
    lgkt_rng rng = lgkt_rng_stream(33, "long", 0);
    double table[7 * MAX_STATES], value[MAX_STATES], expected[MAX_STATES];
    random_table(&rng, table, 7 * MAX_STATES);
    lgkt_mdp *models[] = {model_riverswim(5, false), model_random(&rng, 5, 3, 0.1),
                          model_two_cycle(), model_linear_gap(3, 2, 2)};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        lgkt_policy *p[KINDS];
        lgkt_error error = {0};
        all_kinds(models[m], T, table, NULL, p);
        for (int kind = 0; kind < KINDS; kind++) {
            assert_ok(lgkt_policy_value(p[kind], NULL, value, &error), error);
            naive_policy_value(p[kind], models[m], expected);
            for (int32_t s = 0; s < lgkt_mdp_states(models[m]); s++)
                assert_close(value[s], expected[s], 5e-13 * T);
        }
        destroy_all(p);
        lgkt_mdp_destroy(models[m]);
    }
}

static void a_two_cycle_counts_its_visits(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_two_cycle();
    for (int64_t horizon = 1; horizon < 3000; horizon += 499) {
        lgkt_error error = {0};
        lgkt_policy *policy = NULL;
        double value[2];
        assert_ok(lgkt_policy_optimal(mdp, horizon, LGKT_TIES_LOW, NULL, &policy, &error), error);
        assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
        assert_close(value[0], (double)((horizon + 1) / 2), 0);
        assert_close(value[1], (double)(horizon / 2), 0);
        lgkt_policy_destroy(policy);
    }
    lgkt_mdp_destroy(mdp);
}

static void a_ratio_to_nothing_is_nan(void **state)
{
    (void)state;
    const double rewards[] = {0, 0}, kernel[] = {1, 1};
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_dense(1, 2, rewards, kernel);
    lgkt_policy *policy = NULL;
    double ratio = 0;
    assert_ok(lgkt_policy_uniform(mdp, 5, NULL, &policy, &error), error);
    assert_ok(lgkt_policy_ratio(policy, NULL, &ratio, &error), error);
    assert_true(isnan(ratio));
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

// ---- forward ----

typedef struct tally {
    const lgkt_policy *policy;
    const lgkt_mdp *mdp;
    double total; // expected reward so far
    int64_t seen;
    int64_t stop_at; // -1: never
} tally;

static int add_up(void *ctx, int64_t t, const double *law)
{
    tally *sum = ctx;
    uint8_t member[8];
    double mass = 0;
    assert_int_equal(t, sum->seen);
    for (int32_t s = 0; s < lgkt_mdp_states(sum->mdp); s++) {
        const int64_t h = lgkt_policy_horizon(sum->policy) - t;
        const int32_t n = lgkt_policy_actions(sum->policy, h, s, member);
        for (int32_t a = 0; a < lgkt_mdp_actions(sum->mdp); a++)
            sum->total += member[a] ? law[s] * lgkt_mdp_reward(sum->mdp, s, a) / n : 0;
        assert_between(law[s], 0, 1 + 1e-12);
        mass += law[s];
    }
    assert_close(mass, 1, 1e-10);
    return ++sum->seen == sum->stop_at;
}

static void assert_forward_is_backward(const lgkt_mdp *mdp, const lgkt_policy *policy)
{
    lgkt_error error = {0};
    double value[MAX_STATES], start[MAX_STATES] = {0}, mean = 0;
    assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
    tally sum = {policy, mdp, 0, 0, -1};
    assert_ok(lgkt_policy_forward(policy, NULL, NULL, add_up, &sum, &error), error);
    for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++)
        mean += lgkt_mdp_start_law(mdp)[s] * value[s];
    assert_int_equal(sum.seen, lgkt_policy_horizon(policy));
    assert_close(sum.total, mean, 1e-10 * fmax(1, fabs(mean)));

    const int32_t last = lgkt_mdp_states(mdp) - 1;
    start[last] = 1;
    sum = (tally){policy, mdp, 0, 0, -1};
    assert_ok(lgkt_policy_forward(policy, start, NULL, add_up, &sum, &error), error);
    assert_close(sum.total, value[last], 1e-10 * fmax(1, fabs(value[last])));
}

static void forward_laws_earn_the_value(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(34, "forward", 0);
    double table[7 * MAX_STATES];
    random_table(&rng, table, 7 * MAX_STATES);
    lgkt_mdp *models[] = {model_riverswim(6, false), model_random(&rng, 7, 4, 0.2),
                          model_two_cycle(), model_linear_gap(5, 3, 2)};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        lgkt_policy *p[KINDS];
        all_kinds(models[m], 3000, table, NULL, p);
        for (int kind = 0; kind < KINDS; kind++)
            assert_forward_is_backward(models[m], p[kind]);
        destroy_all(p);
        lgkt_mdp_destroy(models[m]);
    }
}

static void a_visitor_may_stop_the_walk(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_two_cycle();
    lgkt_policy *policy = NULL;
    assert_ok(lgkt_policy_uniform(mdp, 50, NULL, &policy, &error), error);
    tally sum = {policy, mdp, 0, 0, 7};
    assert_ok(lgkt_policy_forward(policy, NULL, NULL, add_up, &sum, &error), error);
    assert_int_equal(sum.seen, 7);
    assert_close(sum.total, 4, 0);
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

// ---- refusals and failures ----

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_example();
    lgkt_policy *policy = NULL;
    double out[2];
    const double start[] = {0.5, 0.2};
    assert_ok(lgkt_policy_uniform(mdp, 5, NULL, &policy, &error), error);
    assert_refused(lgkt_policy_value(NULL, NULL, out, &error), LGKT_ERR_ARGUMENT, error,
                   "policy is NULL");
    assert_refused(lgkt_policy_value(policy, NULL, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "value is NULL");
    assert_refused(lgkt_policy_ratio(NULL, NULL, out, &error), LGKT_ERR_ARGUMENT, error,
                   "policy is NULL");
    assert_refused(lgkt_policy_ratio(policy, NULL, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "ratio is NULL");
    assert_refused(lgkt_policy_forward(NULL, NULL, NULL, add_up, NULL, &error), LGKT_ERR_ARGUMENT,
                   error, "policy is NULL");
    assert_refused(lgkt_policy_forward(policy, NULL, NULL, NULL, NULL, &error), LGKT_ERR_ARGUMENT,
                   error, "visit is NULL");
    assert_refused(lgkt_policy_forward(policy, start, NULL, add_up, NULL, &error),
                   LGKT_ERR_PROBABILITY, error, "the start law sums to 0.7");
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

static int ignore(void *ctx, int64_t t, const double *law)
{
    (void)ctx;
    (void)t;
    (void)law;
    return 0;
}

static lgkt_status evaluate_all(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    double value[MAX_STATES], ratio;
    lgkt_status status = lgkt_policy_value(ctx, allocator, value, error);
    if (status == LGKT_OK)
        status = lgkt_policy_ratio(ctx, allocator, &ratio, error);
    if (status == LGKT_OK)
        status = lgkt_policy_forward(ctx, NULL, allocator, ignore, NULL, error);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_riverswim(5, false);
    lgkt_policy *policy = NULL;
    assert_ok(lgkt_policy_uniform(mdp, 20, NULL, &policy, &error), error);
    assert_int_equal(fault_sweep(evaluate_all, policy), 4);
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

// ---- uniform play ----

// The plain sum over the steps in long double, rows divided by their sums; value (S).
static void plain_uniform(const lgkt_mdp *mdp, int64_t horizon, long double *value)
{
    const int32_t states = lgkt_mdp_states(mdp), actions = lgkt_mdp_actions(mdp);
    const size_t n = (size_t)states;
    long double *p = calloc(n * n, sizeof *p), *r = calloc(n, sizeof *r);
    long double *fresh = calloc(n, sizeof *fresh);
    assert_true(p != NULL && r != NULL && fresh != NULL);
    for (int32_t s = 0; s < states; s++) {
        value[s] = 0;
        for (int32_t a = 0; a < actions; a++) {
            const lgkt_row row = lgkt_mdp_row(mdp, s, a);
            long double sum = 0;
            for (int32_t i = 0; i < row.n; i++)
                sum += row.p[i];
            for (int32_t i = 0; i < row.n; i++)
                p[(size_t)s * n + (size_t)row.next[i]] += row.p[i] / sum / actions;
            r[s] += (long double)lgkt_mdp_reward(mdp, s, a) / actions;
        }
    }
    for (int64_t t = 0; t < horizon; t++) {
        for (size_t s = 0; s < n; s++) {
            fresh[s] = r[s];
            for (size_t y = 0; y < n; y++)
                fresh[s] += p[s * n + y] * value[y];
        }
        memcpy(value, fresh, n * sizeof *fresh);
    }
    free(p);
    free(r);
    free(fresh);
}

static void uniform_value(lgkt_mdp *mdp, int64_t horizon, double *value)
{
    lgkt_error error = {0};
    lgkt_policy *policy = NULL;
    assert_ok(lgkt_policy_uniform(mdp, horizon, NULL, &policy, &error), error);
    assert_ok(lgkt_policy_value(policy, NULL, value, &error), error);
    lgkt_policy_destroy(policy);
}

static void check_uniform(lgkt_mdp *mdp, int64_t horizon)
{
    enum { MOST = 100 };
    double value[MOST];
    long double plain[MOST];
    assert_true(lgkt_mdp_states(mdp) <= MOST);
    uniform_value(mdp, horizon, value);
    plain_uniform(mdp, horizon, plain);
    for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++)
        assert_close(value[s], (double)plain[s], 1e-10 * fabs((double)plain[s]));
}

// two halves that never meet, each with its own gain and period, and a leak from state 4 to both
static lgkt_mdp *two_worlds(void)
{
    const double rewards[] = {1, 0, 3, 7, 2};
    double kernel[25] = {0};
    kernel[0 * 5 + 1] = kernel[1 * 5 + 0] = 1;
    kernel[2 * 5 + 2] = kernel[3 * 5 + 3] = 0.9;
    kernel[2 * 5 + 3] = kernel[3 * 5 + 2] = 0.1;
    kernel[4 * 5 + 4] = 0.999;
    kernel[4 * 5 + 0] = 0.0004;
    kernel[4 * 5 + 3] = 0.0006;
    return model_dense(5, 1, rewards, kernel);
}

static void uniform_play_is_the_plain_sum(void **state)
{
    (void)state;
    static const int64_t horizons[] = {1, 2, 3, 10, 1000, 20001};
    // where long double is no more than double (valgrind), the plain sum itself is off after long
    volatile long double one = 1, tiny = 0x1p-60L;
    const size_t count = (one + tiny) - one != 0 ? 6 : 5;
    lgkt_rng rng = lgkt_rng_stream(5, "models", 0);
    lgkt_mdp *models[] = {model_example(),
                          model_riverswim(20, false),
                          model_linear_gap(4, 3, 4),
                          model_two_cycle(),
                          two_worlds(),
                          model_random(&rng, 10, 5, 0.1),
                          model_random(&rng, 15, 2, 0.02),
                          model_own()};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        for (size_t h = 0; h < count; h++)
            check_uniform(models[m], horizons[h]);
        lgkt_mdp_destroy(models[m]);
    }
    lgkt_mdp *large = model_random(&rng, 100, 25, 0.01);
    check_uniform(large, 2000);
    // no sum to compare with, but a slope: from here on all steps add the same
    double first[100], second[100], third[100];
    uniform_value(large, 100000, first);
    uniform_value(large, 200000, second);
    uniform_value(large, INT64_C(1) << 40, third);
    for (int32_t s = 0; s < 100; s++) {
        const double slope = (second[s] - first[s]) / 100000;
        assert_close(third[s], second[s] + ((double)(INT64_C(1) << 40) - 200000) * slope,
                     1e-9 * third[s]);
    }
    lgkt_mdp_destroy(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_has_its_values),
        cmocka_unit_test(every_kind_agrees_with_the_plain_recursion),
        cmocka_unit_test(the_optimal_policy_reaches_the_optimal_value),
        cmocka_unit_test(long_horizons_are_exact),
        cmocka_unit_test(a_two_cycle_counts_its_visits),
        cmocka_unit_test(a_ratio_to_nothing_is_nan),
        cmocka_unit_test(forward_laws_earn_the_value),
        cmocka_unit_test(a_visitor_may_stop_the_walk),
        cmocka_unit_test(uniform_play_is_the_plain_sum),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
