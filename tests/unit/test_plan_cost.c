// SPDX-License-Identifier: MIT
// Threshold costs: the definition, expected totals against all paths, regret identities.
#include "ref/fault.h"
#include "ref/models.h"
#include "ref/naive_plan.h"
#include "test.h"

static lgkt_cost *new_cost(const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                           const lgkt_threshold *threshold)
{
    lgkt_error error = {0};
    lgkt_cost *cost = NULL;
    assert_ok(lgkt_cost_create(mdp, k, horizon, threshold, NULL, &cost, &error), error);
    return cost;
}

static double total_of(const lgkt_cost *cost, const lgkt_policy *policy, const double *start)
{
    lgkt_error error = {0};
    double total = NAN;
    assert_ok(lgkt_cost_of_policy(cost, policy, start, NULL, &total, &error), error);
    return total;
}

static double swinging(void *ctx, int64_t t, int32_t state, int32_t k)
{
    (void)ctx;
    return (t % 3 == 1 ? NAN : 0.6) * k + 0.1 * state;
}

static void costs_are_what_falls_short(void **state)
{
    (void)state;
    enum { T = 9, K = 3 };
    lgkt_rng rng = lgkt_rng_stream(41, "cost", 0);
    lgkt_mdp *mdp = model_random(&rng, 3, 4, 0.5);
    const lgkt_threshold constant = {.constant = 1.5}, wild = {.fn = swinging};
    lgkt_cost *cost = new_cost(mdp, K, T, &constant), *other = new_cost(mdp, K, T, &wild);
    double q[12];
    for (int64_t t = 0; t < T; t++) {
        const int64_t depth = T - t < K ? T - t : K;
        naive_q(mdp, depth, q);
        for (int32_t z = 0; z < 12; z++) {
            assert_close(lgkt_cost_at(cost, t, z / 4, z % 4), fmax(0, 1.5 - q[z]), 1e-12);
            const double gamma = t % 3 == 1 ? INFINITY : 0.6 * (double)depth + 0.1 * (z / 4);
            assert_close(lgkt_cost_at(other, t, z / 4, z % 4), fmax(0, gamma - q[z]), 1e-12);
        }
    }
    lgkt_cost_destroy(cost);
    lgkt_cost_destroy(other);
    lgkt_cost_destroy(NULL);
    lgkt_mdp_destroy(mdp);
}

static void totals_agree_with_all_paths(void **state)
{
    (void)state;
    enum { T = 5, S = 3 };
    for (uint64_t i = 0; i < 10; i++) {
        lgkt_rng rng = lgkt_rng_stream(42, "paths", i);
        lgkt_mdp *mdp = model_random(&rng, S, 2, 0.8);
        lgkt_error error = {0};
        double table[3 * S];
        for (int j = 0; j < 3 * S; j++)
            table[j] = 2 * lgkt_rng_uniform(&rng);
        const lgkt_threshold threshold = {.table = table, .table_steps = 3};
        const int64_t k = 1 + (int64_t)(i % 3);
        lgkt_cost *cost = new_cost(mdp, k, T, &threshold);
        lgkt_policy *p[3] = {NULL};
        assert_ok(lgkt_policy_uniform(mdp, T, NULL, &p[0], &error), error);
        assert_ok(lgkt_policy_threshold(mdp, k, T, &threshold, NULL, &p[1], &error), error);
        assert_ok(lgkt_policy_optimal(mdp, T, LGKT_TIES_LOW, NULL, &p[2], &error), error);
        for (int j = 0; j < 3; j++) {
            double mean = 0;
            for (int32_t s = 0; s < S; s++) {
                double start[S] = {0};
                start[s] = 1;
                const double expected = naive_path_cost(cost, p[j], mdp, 0, s);
                assert_close(total_of(cost, p[j], start), expected, 1e-12);
                mean += expected / S;
            }
            assert_close(total_of(cost, p[j], NULL), mean, 1e-12);
            lgkt_policy_destroy(p[j]);
        }
        lgkt_cost_destroy(cost);
        lgkt_mdp_destroy(mdp);
    }
}

// no action at (t, s) costs less than what the thresholding policy plays there
static void the_thresholding_policy_costs_least_at_each_step(void **state)
{
    (void)state;
    enum { T = 12 };
    lgkt_rng rng = lgkt_rng_stream(43, "least", 0);
    for (int i = 0; i < 10; i++) {
        lgkt_mdp *mdp = model_random(&rng, 4, 3, 0.5);
        lgkt_error error = {0};
        const lgkt_threshold threshold = {.constant = 0.5 + 0.2 * i};
        lgkt_policy *policy = NULL;
        lgkt_cost *cost = new_cost(mdp, 2, T, &threshold);
        assert_ok(lgkt_policy_threshold(mdp, 2, T, &threshold, NULL, &policy, &error), error);
        uint8_t member[3];
        for (int64_t t = 0; t < T; t++)
            for (int32_t s = 0; s < 4; s++) {
                lgkt_policy_actions(policy, T - t, s, member);
                for (int32_t a = 0; a < 3; a++)
                    for (int32_t b = 0; b < 3; b++)
                        if (member[a])
                            assert_true(lgkt_cost_at(cost, t, s, a) <=
                                        lgkt_cost_at(cost, t, s, b) + 1e-12);
            }
        lgkt_policy_destroy(policy);
        lgkt_cost_destroy(cost);
        lgkt_mdp_destroy(mdp);
    }
}

static void with_a_good_action_everywhere_the_policy_costs_nothing(void **state)
{
    (void)state;
    enum { S = 5, A = 3 };
    for (uint64_t i = 0; i < 10; i++) {
        lgkt_rng rng = lgkt_rng_stream(44, "good", i);
        lgkt_mdp *mdp = model_random(&rng, S, A, 0.5);
        lgkt_error error = {0};
        // the worst of the best rewards: each state has an action at or above it
        double gamma = INFINITY;
        for (int32_t s = 0; s < S; s++) {
            double best = 0;
            for (int32_t a = 0; a < A; a++)
                best = fmax(best, lgkt_mdp_reward(mdp, s, a));
            gamma = fmin(gamma, best);
        }
        const lgkt_threshold threshold = {.constant = gamma};
        lgkt_policy *policy = NULL, *uniform = NULL;
        lgkt_cost *cost = new_cost(mdp, 1, 1000, &threshold);
        assert_ok(lgkt_policy_threshold(mdp, 1, 1000, &threshold, NULL, &policy, &error), error);
        assert_ok(lgkt_policy_uniform(mdp, 1000, NULL, &uniform, &error), error);
        assert_close(total_of(cost, policy, NULL), 0, 0);
        assert_true(total_of(cost, uniform, NULL) > 0);
        lgkt_policy_destroy(policy);
        lgkt_policy_destroy(uniform);
        lgkt_cost_destroy(cost);
        lgkt_mdp_destroy(mdp);
    }
}

// ---- Lemma D.1 ----

// the cost to go of the thresholding policy from (t, s), over all paths
typedef struct lemma {
    const lgkt_mdp *mdp;
    const lgkt_cost *cost;
    const lgkt_policy *own, *target;
} lemma;

// cost of the first step of `policy` plus what the target then pays
static double one_step_then_target(const lemma *l, const lgkt_policy *policy, int64_t t, int32_t s)
{
    uint8_t member[4];
    const int32_t n = lgkt_policy_actions(policy, lgkt_policy_horizon(policy) - t, s, member);
    double sum = 0;
    for (int32_t a = 0; a < lgkt_mdp_actions(l->mdp); a++) {
        if (!member[a])
            continue;
        sum += lgkt_cost_at(l->cost, t, s, a) / n;
        for (int32_t y = 0; y < lgkt_mdp_states(l->mdp); y++)
            sum += naive_p(l->mdp, s, a, y) / n *
                   naive_path_cost(l->cost, l->target, l->mdp, t + 1, y);
    }
    return sum;
}

typedef struct lemma_walk {
    const lemma *l;
    double regret;
} lemma_walk;

static int add_step_regret(void *ctx, int64_t t, const double *law)
{
    lemma_walk *walk = ctx;
    const lemma *l = walk->l;
    for (int32_t s = 0; s < lgkt_mdp_states(l->mdp); s++)
        walk->regret += law[s] * (one_step_then_target(l, l->own, t, s) -
                                  one_step_then_target(l, l->target, t, s));
    return 0;
}

static void regret_is_the_sum_of_its_steps(void **state)
{
    (void)state;
    enum { T = 4 };
    for (uint64_t i = 0; i < 6; i++) {
        lgkt_rng rng = lgkt_rng_stream(45, "lemma", i);
        lgkt_mdp *mdp = model_random(&rng, 3, 2, 0.7);
        lgkt_error error = {0};
        const lgkt_threshold threshold = {.constant = 1};
        lgkt_policy *own = NULL, *target = NULL;
        lgkt_cost *cost = new_cost(mdp, 2, T, &threshold);
        assert_ok(lgkt_policy_uniform(mdp, T, NULL, &own, &error), error);
        assert_ok(lgkt_policy_threshold(mdp, 2, T, &threshold, NULL, &target, &error), error);
        const lemma l = {mdp, cost, own, target};
        lemma_walk walk = {&l, 0};
        assert_ok(lgkt_policy_forward(own, NULL, NULL, add_step_regret, &walk, &error), error);
        assert_close(walk.regret, total_of(cost, own, NULL) - total_of(cost, target, NULL), 1e-12);
        lgkt_policy_destroy(own);
        lgkt_policy_destroy(target);
        lgkt_cost_destroy(cost);
        lgkt_mdp_destroy(mdp);
    }
}

// ---- long horizons ----

typedef struct tally {
    const lgkt_cost *cost;
    const lgkt_policy *policy;
    const lgkt_mdp *mdp;
    double total;
} tally;

static int add_cost(void *ctx, int64_t t, const double *law)
{
    tally *sum = ctx;
    for (int32_t s = 0; s < lgkt_mdp_states(sum->mdp); s++)
        sum->total +=
            law[s] *
            lgkt_cost_at(sum->cost, t, s,
                         lgkt_policy_action(sum->policy, lgkt_policy_horizon(sum->policy) - t, s));
    return 0;
}

static void long_totals_agree_with_a_forward_walk(void **state)
{
    (void)state;
    enum { T = 20000 };
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_riverswim(6, false);
    const double table[] = {0.1, 0.9, 0.2, 0.4, 0.3, 0.7, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3};
    const lgkt_threshold kinds[] = {{.constant = 0.3}, {.table = table, .table_steps = 2}};
    lgkt_policy *policy = NULL;
    assert_ok(lgkt_policy_greedy(mdp, 6, T, LGKT_TIES_LOW, NULL, &policy, &error), error);
    for (int i = 0; i < 2; i++) {
        lgkt_cost *cost = new_cost(mdp, 2, T, &kinds[i]);
        tally sum = {cost, policy, mdp, 0};
        assert_ok(lgkt_policy_forward(policy, NULL, NULL, add_cost, &sum, &error), error);
        assert_close(total_of(cost, policy, NULL), sum.total, 1e-9 * sum.total);
        assert_true(sum.total > 1);
        lgkt_cost_destroy(cost);
    }
    lgkt_policy_destroy(policy);
    lgkt_mdp_destroy(mdp);
}

// ---- refusals and failures ----

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    lgkt_error error = {0};
    lgkt_mdp *mdp = model_example(), *twin = model_example();
    lgkt_cost *cost = NULL;
    lgkt_policy *policy = NULL, *longer = NULL, *foreign = NULL;
    const lgkt_threshold fine = {.constant = 1}, endless = {.constant = INFINITY},
                         short_table = {.table = &fine.constant};
    const double start[] = {2, -1};
    double total = 0;
    assert_refused(lgkt_cost_create(NULL, 1, 1, &fine, NULL, &cost, &error), LGKT_ERR_ARGUMENT,
                   error, "mdp is NULL");
    assert_refused(lgkt_cost_create(mdp, 0, 1, &fine, NULL, &cost, &error), LGKT_ERR_ARGUMENT,
                   error, "k is 0");
    assert_refused(lgkt_cost_create(mdp, 1, 0, &fine, NULL, &cost, &error), LGKT_ERR_ARGUMENT,
                   error, "horizon is 0");
    assert_refused(lgkt_cost_create(mdp, 1, 1, NULL, NULL, &cost, &error), LGKT_ERR_ARGUMENT, error,
                   "threshold is NULL");
    assert_refused(lgkt_cost_create(mdp, 1, 1, &short_table, NULL, &cost, &error),
                   LGKT_ERR_ARGUMENT, error, "table_steps is 0");
    assert_refused(lgkt_cost_create(mdp, 1, 1, &fine, NULL, NULL, &error), LGKT_ERR_ARGUMENT, error,
                   "cost is NULL");
    assert_null(cost);

    cost = new_cost(mdp, 1, 5, &fine);
    assert_ok(lgkt_policy_uniform(mdp, 5, NULL, &policy, &error), error);
    assert_ok(lgkt_policy_uniform(mdp, 6, NULL, &longer, &error), error);
    assert_ok(lgkt_policy_uniform(twin, 5, NULL, &foreign, &error), error);
    assert_refused(lgkt_cost_of_policy(NULL, policy, NULL, NULL, &total, &error), LGKT_ERR_ARGUMENT,
                   error, "cost is NULL");
    assert_refused(lgkt_cost_of_policy(cost, NULL, NULL, NULL, &total, &error), LGKT_ERR_ARGUMENT,
                   error, "policy is NULL");
    assert_refused(lgkt_cost_of_policy(cost, policy, NULL, NULL, NULL, &error), LGKT_ERR_ARGUMENT,
                   error, "total is NULL");
    assert_refused(lgkt_cost_of_policy(cost, longer, NULL, NULL, &total, &error), LGKT_ERR_SHAPE,
                   error, "the policy has horizon 6, the cost 5");
    assert_refused(lgkt_cost_of_policy(cost, foreign, NULL, NULL, &total, &error),
                   LGKT_ERR_ARGUMENT, error, "two models");
    assert_refused(lgkt_cost_of_policy(cost, policy, start, NULL, &total, &error),
                   LGKT_ERR_PROBABILITY, error, "negative probability -1 of state 1");
    lgkt_cost_destroy(cost);
    cost = new_cost(mdp, 1, 5, &endless);
    assert_refused(lgkt_cost_of_policy(cost, policy, NULL, NULL, &total, &error),
                   LGKT_ERR_NOT_FINITE, error, "thresholds must be finite");
    lgkt_cost_destroy(cost);
    lgkt_policy_destroy(policy);
    lgkt_policy_destroy(longer);
    lgkt_policy_destroy(foreign);
    lgkt_mdp_destroy(mdp);
    lgkt_mdp_destroy(twin);
}

static lgkt_status make_cost(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    const lgkt_mdp *mdp = ctx;
    const lgkt_threshold threshold = {.constant = 1};
    lgkt_cost *cost = NULL;
    lgkt_policy *policy = NULL;
    double total;
    lgkt_status status = lgkt_cost_create(mdp, 12, 20, &threshold, allocator, &cost, error);
    if (status == LGKT_OK)
        status = lgkt_policy_uniform(mdp, 20, allocator, &policy, error);
    if (status == LGKT_OK)
        status = lgkt_cost_of_policy(cost, policy, NULL, allocator, &total, error);
    lgkt_cost_destroy(cost);
    lgkt_policy_destroy(policy);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lgkt_mdp *mdp = model_riverswim(5, false);
    assert_true(fault_sweep(make_cost, mdp) >= 5);
    lgkt_mdp_destroy(mdp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_what_falls_short),
        cmocka_unit_test(totals_agree_with_all_paths),
        cmocka_unit_test(the_thresholding_policy_costs_least_at_each_step),
        cmocka_unit_test(with_a_good_action_everywhere_the_policy_costs_nothing),
        cmocka_unit_test(regret_is_the_sum_of_its_steps),
        cmocka_unit_test(long_totals_agree_with_a_forward_walk),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
