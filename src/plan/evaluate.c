// SPDX-License-Identifier: MIT
// Evaluating a policy: backward values, forward laws, the competitive ratio, threshold costs.
//
//     U_h(s) = mean over the actions a played of  c_h(s,a) + sum_y P(y|s,a) U_{h-1}(y),   U_0 = 0
//     mu_{t+1}(y) = sum_s mu_t(s) mean over a of  P(y|s,a)
//
// c is the reward, or the cost max(0, gamma(t,s) - Q_{min(h,K)}(s,a)), t = T - h. In a model that changes the right side is the mean of two,
// with weights 1 - w and w. Where rule, payoff and world stay the same from h to h', and the
// recursion has settled at h (see lookahead.c), U_{h'} = U_h + (h' - h) slope, and the sweeps
// between are left out. The forward walk likewise keeps a law that a step moved by less than 1e-15
// in L1 for as long as the rule stays the same: later steps would move it less (P does not expand
// L1), so T steps are off by T 1e-15 at the most.
//
// Regret to the thresholding policy (formula (4) of the paper, which prints the same policy in both
// terms; the first is the learner's) is the expected sum of costs over a learner's run minus
// lgkt_cost_of_policy of the thresholding policy. A threshold that is infinite (or NaN) makes costs
// infinite; lgkt_cost_at says so, an expected total refuses.
//
// Cost: one multiplication per entry of the rows played, per sweep. Memory: 2*S doubles, and S*A
// for costs or for the optimum.
#include "plan/plan_private.h"

#include <string.h>

#include "core/alloc.h"
#include "core/error.h"

#define STILL 1e-15

// What falls short of a threshold costs: the thresholding policy, read for its shortfalls.
struct lgkt_cost {
    lgkt_policy rule;
};

// ---- backward ----

static double cost_with(const lgkt_policy *rule, int64_t h, int32_t state, int32_t action,
                        double gamma)
{
    const size_t z = (size_t)state * (size_t)rule->mdp->actions + (size_t)action;
    return lgkt_shortfall(lgkt_lookahead_q(&rule->ahead, lgkt_policy_depth(rule, h), z), gamma);
}

// Runs the backward recursion over the policy's horizon into `values`, which the caller releases
// when the answer is LGKT_OK. Nullable: costs (in place of the rewards of the model) and change
// (the policy's model stays); there is one of them at the most.
static lgkt_status evaluate(const lgkt_policy *policy, const lgkt_policy *costs,
                            const lgkt_change *change, const lgkt_allocator *allocator,
                            lgkt_values *values, lgkt_error *error)
{
    const lgkt_mdp *const mdp = change != NULL ? change->before : policy->mdp;
    const size_t room = costs != NULL ? (size_t)mdp->actions : 0;
    LGKT_TRY(lgkt_values_init(values, mdp->states, room, allocator, error));
    while (values->k < policy->horizon) {
        const int64_t h = values->k + 1;
        const double w = change != NULL ? lgkt_change_weight(change, policy->horizon - h) : 0;
        for (int32_t s = 0; s < values->states; s++) {
            const size_t z = (size_t)s * (size_t)mdp->actions;
            const double *c = mdp->rewards + z;
            if (costs != NULL) {
                const double gamma = lgkt_policy_gamma(costs, h, s);
                for (int32_t a = 0; a < mdp->actions; a++)
                    values->q[a] = cost_with(costs, h, s, a, gamma);
                c = values->q;
            }
            double backup = 0;
            if (w < 1)
                backup = (1 - w) * lgkt_policy_backup(policy, mdp, h, s, c, values->v);
            if (w > 0)
                backup += w * lgkt_policy_backup(policy, change->after, h, s,
                                                 change->after->rewards + z, values->v);
            values->fresh[s] = backup;
        }
        lgkt_values_advance(values);
        if (lgkt_values_settled(values)) {
            const int64_t rule = lgkt_policy_same_until(policy, h);
            const int64_t pay = costs != NULL ? lgkt_policy_same_until(costs, h)
                                              : lgkt_same_world_until(change, policy->horizon, h);
            lgkt_values_jump(values, pay < rule ? pay : rule);
        }
    }
    return LGKT_OK;
}

// V_k from a start law whose entries have this sum
static double value_from(const lgkt_values *values, const double *law, double sum)
{
    double total = 0;
    for (int32_t s = 0; s < values->states; s++)
        total += law[s] * values->v[s];
    return values->shift + total / sum;
}

static lgkt_status value_from_all(const lgkt_policy *policy, const lgkt_change *change,
                                  const lgkt_allocator *allocator, double *value, lgkt_error *error)
{
    lgkt_values values;
    LGKT_TRY(evaluate(policy, NULL, change, allocator, &values, error));
    for (int32_t s = 0; s < values.states; s++)
        value[s] = values.shift + values.v[s];
    lgkt_values_release(&values);
    return LGKT_OK;
}

lgkt_status lgkt_policy_value(const lgkt_policy *policy, const lgkt_allocator *allocator,
                              double *value, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(policy, "policy", error));
    LGKT_TRY(lgkt_check_given(value, "value", error));
    return value_from_all(policy, NULL, allocator, value, error);
}

lgkt_status lgkt_change_value(const lgkt_change *change, const lgkt_policy *policy,
                              const lgkt_allocator *allocator, double *value, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(policy, "policy", error));
    LGKT_TRY(lgkt_check_given(value, "value", error));
    LGKT_TRY(lgkt_check_given(change, "change", error));
    const lgkt_mdp *const mdp = policy->mdp, *const world = change->before;
    if (mdp->states != world->states || mdp->actions != world->actions)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "the policy is for %d states and %d actions, the change for %d and %d",
                         mdp->states, mdp->actions, world->states, world->actions);
    if (!lgkt_mdp_same_mask(mdp, world))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "the policy is of a model that allows other actions");
    return value_from_all(policy, change, allocator, value, error);
}

lgkt_status lgkt_policy_ratio(const lgkt_policy *policy, const lgkt_allocator *allocator,
                              double *ratio, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(policy, "policy", error));
    LGKT_TRY(lgkt_check_given(ratio, "ratio", error));
    const lgkt_mdp *const mdp = policy->mdp;
    // the model's own law was checked when it was built
    double sum;
    LGKT_TRY(lgkt_law_check(mdp->start_law, mdp->states, "the start law", &sum, error));
    lgkt_values values;
    LGKT_TRY(evaluate(policy, NULL, NULL, allocator, &values, error));
    const double reached = value_from(&values, mdp->start_law, sum);
    lgkt_values_release(&values);
    LGKT_TRY(lgkt_values_init(&values, mdp->states, (size_t)mdp->actions, allocator, error));
    lgkt_sweep_to(mdp, policy->horizon, &values, values.q);
    const double optimum = value_from(&values, mdp->start_law, sum);
    lgkt_values_release(&values);
    *ratio = optimum == 0 ? NAN : reached / optimum;
    return LGKT_OK;
}

// ---- threshold costs ----

lgkt_status lgkt_cost_create(const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                             const lgkt_threshold *threshold, const lgkt_allocator *allocator,
                             lgkt_cost **cost, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(cost, "cost", error));
    lgkt_policy *rule;
    LGKT_TRY(lgkt_policy_threshold(mdp, k, horizon, threshold, allocator, &rule, error));
    *cost = (lgkt_cost *)rule;
    return LGKT_OK;
}

void lgkt_cost_destroy(lgkt_cost *cost)
{
    lgkt_policy_destroy((lgkt_policy *)cost);
}

double lgkt_cost_at(const lgkt_cost *cost, int64_t t, int32_t state, int32_t action)
{
    if (cost == NULL || t < 0 || t >= cost->rule.horizon || state < 0 || action < 0 ||
        state >= cost->rule.mdp->states || action >= cost->rule.mdp->actions)
        return NAN;
    const int64_t h = cost->rule.horizon - t;
    return cost_with(&cost->rule, h, state, action, lgkt_policy_gamma(&cost->rule, h, state));
}

lgkt_status lgkt_cost_of_policy(const lgkt_cost *cost, const lgkt_policy *policy,
                                const double *start, const lgkt_allocator *allocator, double *total,
                                lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(cost, "cost", error));
    LGKT_TRY(lgkt_check_given(policy, "policy", error));
    LGKT_TRY(lgkt_check_given(total, "total", error));
    const lgkt_mdp *const mdp = policy->mdp;
    if (mdp != cost->rule.mdp)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "the policy and the cost are of two models");
    if (policy->horizon != cost->rule.horizon)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "the policy has horizon %lld, the cost %lld",
                         (long long)policy->horizon, (long long)cost->rule.horizon);
    const double *const law = start != NULL ? start : mdp->start_law;
    double sum;
    LGKT_TRY(lgkt_law_check(law, mdp->states, "the start law", &sum, error));
    lgkt_values values;
    LGKT_TRY(evaluate(policy, &cost->rule, NULL, allocator, &values, error));
    const double mean = value_from(&values, law, sum);
    lgkt_values_release(&values);
    if (!isfinite(mean))
        return lgkt_fail(error, LGKT_ERR_NOT_FINITE,
                         "the expected cost is %g; thresholds must be finite", mean);
    *total = mean;
    return LGKT_OK;
}

// ---- forward ----

static void forward_step(const lgkt_policy *policy, int64_t h, const double *from, double *to)
{
    const lgkt_mdp *const mdp = policy->mdp;
    memset(to, 0, (size_t)mdp->states * sizeof *to);
    for (int32_t s = 0; s < mdp->states; s++) {
        if (from[s] == 0)
            continue;
        const size_t z = (size_t)s * (size_t)mdp->actions;
        const lgkt_choice choice = lgkt_policy_choice(policy, h, s);
        const int32_t count = lgkt_choice_count(&choice);
        for (int32_t a = choice.first; a < choice.end; a = lgkt_choice_next(&choice, a))
            lgkt_row_add(&mdp->planning, z + (size_t)a,
                         lgkt_choice_part(&choice, a, count, from[s]), to);
    }
}

lgkt_status lgkt_policy_forward(const lgkt_policy *policy, const double *start,
                                const lgkt_allocator *allocator, lgkt_law_fn visit, void *ctx,
                                lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(policy, "policy", error));
    if (visit == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "visit is NULL");
    const lgkt_mdp *const mdp = policy->mdp;
    const size_t states = (size_t)mdp->states;
    const double *const from = start != NULL ? start : mdp->start_law;
    double sum;
    LGKT_TRY(lgkt_law_check(from, mdp->states, "the start law", &sum, error));

    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    double *const laws = lgkt_alloc_zeroed(&hooks, 2 * states, sizeof *laws); // (2, S)
    if (laws == NULL)
        return lgkt_fail_memory(error, "the laws of a walk");
    memcpy(laws, from, states * sizeof *laws);
    lgkt_law_normalise(laws, states, sum);
    double *law = laws, *next = laws + states;
    bool still = false;
    for (int64_t h = policy->horizon; h >= 1; h--) {
        if (visit(ctx, policy->horizon - h, law) != 0 || h == 1)
            break;
        // a law at rest stays while this step plays what the last one did
        if (still && lgkt_policy_same_until(policy, h) > h)
            continue;
        forward_step(policy, h, law, next);
        double moved = 0;
        for (size_t s = 0; s < states; s++)
            moved += fabs(law[s] - next[s]);
        still = moved < STILL;
        double *const swap = law;
        law = next;
        next = swap;
    }
    lgkt_free(&hooks, laws);
    return LGKT_OK;
}
