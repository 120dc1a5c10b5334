// SPDX-License-Identifier: MIT
// Threshold cost: what falls short of the bar.
//
//     c_t(s,a) = max(0, gamma(t,s) - Q_{min(h,K)}(s,a)),   h = T - t
//
// Regret to the thresholding policy (formula (4) of the paper, which prints the same policy in both
// terms; the first is the learner's) is the expected sum of c over a learner's run minus
// lgkt_cost_of_policy of the thresholding policy. The sum over a policy's run is a backward
// recursion with c in place of the reward (evaluate.c).
//
// A threshold that is infinite (or NaN) makes costs infinite; lgkt_cost_at says so, an expected
// total refuses.
#include "plan/evaluate.h"

#include "core/alloc.h"
#include "core/error.h"

struct lgkt_cost {
    lgkt_allocator allocator;
    const lgkt_mdp *mdp; // owned; NULL until the bar is made
    lgkt_bar bar;
};

lgkt_status lgkt_cost_create(const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                             const lgkt_threshold *threshold, const lgkt_allocator *allocator,
                             lgkt_cost **cost, lgkt_error *error)
{
    if (cost == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "cost is NULL");
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    lgkt_cost *const made = lgkt_alloc_zeroed(&hooks, 1, sizeof *made);
    if (made == NULL)
        return lgkt_fail_memory(error, "a threshold cost");
    made->allocator = hooks;
    const lgkt_status status =
        lgkt_bar_init(&made->bar, mdp, k, horizon, threshold, allocator, error);
    if (status != LGKT_OK)
        goto fail;
    made->mdp = lgkt_mdp_retain(mdp);
    *cost = made;
    return LGKT_OK;
fail:
    lgkt_cost_destroy(made);
    return status;
}

void lgkt_cost_destroy(lgkt_cost *cost)
{
    if (cost == NULL)
        return;
    const lgkt_allocator allocator = cost->allocator;
    lgkt_bar_release(&cost->bar);
    lgkt_mdp_destroy(cost->mdp);
    lgkt_free(&allocator, cost);
}

static double cost_with(const lgkt_bar *bar, int64_t h, int32_t state, int32_t action, double gamma)
{
    const size_t z = (size_t)state * (size_t)bar->mdp->actions + (size_t)action;
    return lgkt_bar_shortfall(lgkt_lookahead_q(&bar->ahead, lgkt_bar_depth(bar, h), z), gamma);
}

double lgkt_cost_at(const lgkt_cost *cost, int64_t t, int32_t state, int32_t action)
{
    const int64_t h = cost->bar.horizon - t;
    return cost_with(&cost->bar, h, state, action, lgkt_bar_gamma(&cost->bar, h, state));
}

static void fill_costs(const void *ctx, int64_t h, int32_t state, double *payoff)
{
    const lgkt_bar *const bar = ctx;
    const double gamma = lgkt_bar_gamma(bar, h, state);
    for (int32_t a = 0; a < bar->mdp->actions; a++)
        payoff[a] = cost_with(bar, h, state, a, gamma);
}

static int64_t costs_same_until(const void *ctx, int64_t h)
{
    return lgkt_bar_same_until(ctx, h);
}

static lgkt_status check_total(const lgkt_cost *cost, const lgkt_policy *policy,
                               const double *total, lgkt_error *error)
{
    if (cost == NULL || policy == NULL || total == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s is NULL",
                         cost == NULL     ? "cost"
                         : policy == NULL ? "policy"
                                          : "total");
    if (policy->mdp != cost->mdp)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "the policy and the cost are of two models");
    if (policy->horizon != cost->bar.horizon)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "the policy has horizon %lld, the cost %lld",
                         (long long)policy->horizon, (long long)cost->bar.horizon);
    return LGKT_OK;
}

lgkt_status lgkt_cost_of_policy(const lgkt_cost *cost, const lgkt_policy *policy,
                                const double *start, const lgkt_allocator *allocator, double *total,
                                lgkt_error *error)
{
    lgkt_status status = check_total(cost, policy, total, error);
    if (status != LGKT_OK)
        return status;
    const lgkt_payoff payoff = {&cost->bar, fill_costs, costs_same_until};
    lgkt_values values;
    status = lgkt_evaluate(policy, &payoff, allocator, &values, error);
    if (status != LGKT_OK)
        return status;
    double mean;
    status = lgkt_values_from(&values, cost->mdp, start, &mean, error);
    lgkt_values_release(&values);
    if (status == LGKT_OK && !isfinite(mean))
        return lgkt_fail(error, LGKT_ERR_NOT_FINITE,
                         "the expected cost is %g; thresholds must be "
                         "finite",
                         mean);
    if (status == LGKT_OK)
        *total = mean;
    return status;
}
