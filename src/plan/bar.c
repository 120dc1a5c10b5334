// SPDX-License-Identifier: MIT
// Lookahead values against thresholds: what clears the bar, and what falls short of it costs.
//
//     good enough at (h, s):  { a : Q_{min(h,K)}(s,a) >= gamma(T-h, s) }
//     c_t(s,a) = max(0, gamma(t,s) - Q_{min(h,K)}(s,a)),   h = T - t
//
// "At least" allows for rounding: a shortfall of at most 1e-12 max(1, |Q|), the width of a tie, is
// none. Otherwise a threshold set to the value of an action would hang on the last bit of a sum.
//
// Regret to the thresholding policy (formula (4) of the paper, which prints the same policy in both
// terms; the first is the learner's) is the expected sum of c over a learner's run minus
// lgkt_cost_of_policy of the thresholding policy. The sum over a policy's run is a backward
// recursion with c in place of the reward (evaluate.c).
//
// A threshold that is infinite (or NaN) makes costs infinite; lgkt_cost_at says so, an expected
// total refuses.
//
// Memory: the tables Q_1 .. Q_min(K,T), fewer when the recursion settles before.
#include "core/alloc.h"
#include "core/error.h"
#include "plan/policy_private.h"
#include "plan/threshold.h"

lgkt_status lgkt_bar_init(lgkt_bar *bar, const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                          const lgkt_threshold *threshold, const lgkt_allocator *allocator,
                          lgkt_error *error)
{
    lgkt_status status = lgkt_check_steps(mdp, k, "k", error);
    if (status == LGKT_OK)
        status = lgkt_check_steps(mdp, horizon, "horizon", error);
    if (status != LGKT_OK)
        return status;
    if (threshold == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "threshold is NULL");
    if (threshold->fn == NULL && threshold->table != NULL && threshold->table_steps < 1)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "table_steps is %lld; it must be >= 1",
                         (long long)threshold->table_steps);
    bar->mdp = mdp;
    bar->gamma = *threshold;
    bar->horizon = horizon;
    return lgkt_lookahead_init(&bar->ahead, mdp, k < horizon ? k : horizon, allocator, error);
}

void lgkt_bar_release(lgkt_bar *bar)
{
    lgkt_lookahead_release(&bar->ahead);
}

// gamma(t, s) with h = T - t to go; a NaN becomes +infinity.
static double gamma_at(const lgkt_bar *bar, int64_t h, int32_t state)
{
    const int64_t t = bar->horizon - h, k = lgkt_bar_depth(bar, h);
    return lgkt_threshold_at(&bar->gamma, bar->mdp->states, t, state,
                             k < INT32_MAX ? (int32_t)k : INT32_MAX);
}

lgkt_choice lgkt_bar_choice(const lgkt_bar *bar, int64_t h, int32_t state)
{
    const lgkt_lookahead *const ahead = &bar->ahead;
    const int32_t actions = bar->mdp->actions;
    const int64_t k = lgkt_bar_depth(bar, h);
    const int64_t kept = k < ahead->count ? k : ahead->count;
    lgkt_choice choice = {
        .end = actions,
        .q = ahead->q + (size_t)(kept - 1) * ahead->pairs + (size_t)state * (size_t)actions,
        .lift = (double)(k - kept) * ahead->slope,
        .gamma = gamma_at(bar, h, state),
    };
    choice.first = lgkt_choice_next(&choice, -1);
    if (choice.first < actions)
        return choice;
    const int32_t best = lgkt_argmax(choice.q, actions, choice.lift, false);
    return (lgkt_choice){.first = best, .end = best + 1};
}

int64_t lgkt_bar_same_until(const lgkt_bar *bar, int64_t h)
{
    const lgkt_threshold *const gamma = &bar->gamma;
    if (h < bar->ahead.depth || gamma->fn != NULL)
        return h;
    if (gamma->table == NULL)
        return bar->horizon;
    // the last row of the table serves all later steps
    const int64_t last = bar->horizon - (gamma->table_steps - 1);
    return h < last ? last : h;
}

// ---- costs ----

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
    if (cost == NULL || t < 0 || t >= cost->bar.horizon || state < 0 || action < 0 ||
        state >= cost->mdp->states || action >= cost->mdp->actions)
        return NAN;
    const int64_t h = cost->bar.horizon - t;
    return cost_with(&cost->bar, h, state, action, gamma_at(&cost->bar, h, state));
}

static void fill_costs(const void *ctx, int64_t h, int32_t state, double *payoff)
{
    const lgkt_bar *const bar = ctx;
    const double gamma = gamma_at(bar, h, state);
    for (int32_t a = 0; a < bar->mdp->actions; a++)
        payoff[a] = cost_with(bar, h, state, a, gamma);
}

static int64_t costs_same_until(const void *ctx, int64_t h)
{
    return lgkt_bar_same_until(ctx, h);
}

lgkt_status lgkt_cost_of_policy(const lgkt_cost *cost, const lgkt_policy *policy,
                                const double *start, const lgkt_allocator *allocator, double *total,
                                lgkt_error *error)
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
    const lgkt_payoff payoff = {&cost->bar, fill_costs, costs_same_until};
    lgkt_values values;
    lgkt_status status = lgkt_evaluate(policy, &payoff, NULL, allocator, &values, error);
    if (status != LGKT_OK)
        return status;
    double mean;
    status = lgkt_values_from(&values, cost->mdp, start, &mean, error);
    lgkt_values_release(&values);
    if (status == LGKT_OK && !isfinite(mean))
        return lgkt_fail(error, LGKT_ERR_NOT_FINITE,
                         "the expected cost is %g; thresholds must be finite", mean);
    if (status == LGKT_OK)
        *total = mean;
    return status;
}
