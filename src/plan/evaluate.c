// SPDX-License-Identifier: MIT
// Evaluating a policy: backward values, forward laws, the competitive ratio.
//
//     U_h(s) = mean over the actions a played of  c_h(s,a) + sum_y P(y|s,a) U_{h-1}(y),   U_0 = 0
//     mu_{t+1}(y) = sum_s mu_t(s) mean over a of  P(y|s,a)
//
// c is the reward, or any other payoff. In a model that changes the right side is the mean of two,
// with weights 1 - w and w. Where rule, payoff and world stay the same from h to h', and the
// recursion has settled at h (see lookahead.c), U_{h'} = U_h + (h' - h) slope, and the sweeps
// between are left out. The forward walk likewise keeps a law that a step moved by less than 1e-15
// in L1 for as long as the rule stays the same: later steps would move it less (P does not expand
// L1), so T steps are off by T 1e-15 at the most.
//
// Cost: one multiplication per entry of the rows played, per sweep. Memory: 2*S doubles, and S*A
// for a payoff that changes or for the optimum.
#include "plan/policy_private.h"

#include <string.h>

#include "core/alloc.h"
#include "core/error.h"

#define STILL 1e-15

static lgkt_status check_policy_pointer(const lgkt_policy *policy, const void *out,
                                        const char *out_name, lgkt_error *error)
{
    if (policy == NULL || out == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s is NULL",
                         policy == NULL ? "policy" : out_name);
    return LGKT_OK;
}

// ---- backward ----

lgkt_status lgkt_evaluate(const lgkt_policy *policy, const lgkt_payoff *payoff,
                          const lgkt_change *change, const lgkt_allocator *allocator,
                          lgkt_values *values, lgkt_error *error)
{
    const lgkt_mdp *const mdp = change != NULL ? change->before : policy->mdp;
    const size_t room = payoff != NULL ? (size_t)mdp->actions : 0;
    LGKT_TRY(lgkt_values_init(values, mdp->states, room, allocator, error));
    while (values->k < policy->horizon) {
        const int64_t h = values->k + 1;
        const double w = change != NULL ? lgkt_change_weight(change, policy->horizon - h) : 0;
        for (int32_t s = 0; s < values->states; s++) {
            const size_t z = (size_t)s * (size_t)mdp->actions;
            const double *c = mdp->rewards + z;
            if (payoff != NULL) {
                payoff->fill(payoff->ctx, h, s, values->q);
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
            const int64_t pay = payoff != NULL ? payoff->same_until(payoff->ctx, h)
                                               : lgkt_same_world_until(change, policy->horizon, h);
            lgkt_values_jump(values, pay < rule ? pay : rule);
        }
    }
    return LGKT_OK;
}

lgkt_status lgkt_values_from(const lgkt_values *values, const lgkt_mdp *mdp, const double *start,
                             double *mean, lgkt_error *error)
{
    const double *const law = start != NULL ? start : mdp->start_law;
    double sum;
    LGKT_TRY(lgkt_law_check(law, mdp->states, "the start law", &sum, error));
    double total = 0;
    for (int32_t s = 0; s < mdp->states; s++)
        total += law[s] * values->v[s];
    *mean = values->shift + total / sum;
    return LGKT_OK;
}

static lgkt_status value_from_all(const lgkt_policy *policy, const lgkt_change *change,
                                  const lgkt_allocator *allocator, double *value, lgkt_error *error)
{
    lgkt_values values;
    LGKT_TRY(lgkt_evaluate(policy, NULL, change, allocator, &values, error));
    for (int32_t s = 0; s < values.states; s++)
        value[s] = values.shift + values.v[s];
    lgkt_values_release(&values);
    return LGKT_OK;
}

lgkt_status lgkt_policy_value(const lgkt_policy *policy, const lgkt_allocator *allocator,
                              double *value, lgkt_error *error)
{
    lgkt_status status = check_policy_pointer(policy, value, "value", error);
    if (status == LGKT_OK)
        status = value_from_all(policy, NULL, allocator, value, error);
    return status;
}

lgkt_status lgkt_change_value(const lgkt_change *change, const lgkt_policy *policy,
                              const lgkt_allocator *allocator, double *value, lgkt_error *error)
{
    LGKT_TRY(check_policy_pointer(policy, value, "value", error));
    if (change == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "change is NULL");
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

// ---- the competitive ratio ----

lgkt_status lgkt_policy_ratio(const lgkt_policy *policy, const lgkt_allocator *allocator,
                              double *ratio, lgkt_error *error)
{
    lgkt_status status = check_policy_pointer(policy, ratio, "ratio", error);
    lgkt_values own, best;
    if (status == LGKT_OK)
        status = lgkt_evaluate(policy, NULL, NULL, allocator, &own, error);
    if (status != LGKT_OK)
        return status;
    const lgkt_mdp *const mdp = policy->mdp;
    status = lgkt_values_init(&best, mdp->states, (size_t)mdp->actions, allocator, error);
    if (status == LGKT_OK) {
        while (best.k < policy->horizon && !lgkt_values_settled(&best)) {
            lgkt_sweep(mdp, &best, best.q);
            lgkt_values_advance(&best);
        }
        lgkt_values_jump(&best, policy->horizon);
        // the model's own law was checked when it was built
        double reached = 0, optimum = 0;
        lgkt_values_from(&own, mdp, NULL, &reached, NULL);
        lgkt_values_from(&best, mdp, NULL, &optimum, NULL);
        *ratio = optimum == 0 ? NAN : reached / optimum;
        lgkt_values_release(&best);
    }
    lgkt_values_release(&own);
    return status;
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
        const double weight = from[s] / lgkt_choice_count(&choice);
        for (int32_t a = choice.first; a < choice.end; a = lgkt_choice_next(&choice, a))
            lgkt_row_add(&mdp->planning, z + (size_t)a, weight, to);
    }
}

lgkt_status lgkt_policy_forward(const lgkt_policy *policy, const double *start,
                                const lgkt_allocator *allocator, lgkt_law_fn visit, void *ctx,
                                lgkt_error *error)
{
    if (policy == NULL || visit == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s is NULL",
                         policy == NULL ? "policy" : "visit");
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
