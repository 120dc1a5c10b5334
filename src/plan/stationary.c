// SPDX-License-Identifier: MIT
// What a policy does in the long run, taken as stationary: gain, bias, discounted value, stationary
// law, mean passage times, probabilities to arrive. All of it comes of eliminating its chain (core/elimination.c), which has
// no subtraction: numbers keep their relative precision where passages take 10^100 steps.
//
// A state that is asked for has its row taken out, which makes it a root: the time until a root is
// x = 1 + P x, the probability to come to it x = P x with 1 there. Where another root may be reached
// the time is infinite. The stationary law is how often states are visited in a round of the root
// of their class, over the time of a round, weighted by how likely the start leads there.
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/chain.h"
#include "plan/plan_private.h"

// The chain of what is played with the whole horizon to go, without the rows of states that are
// `ends` (S), its chances times `factor`. On failure nothing is held. Nullable: ends.
static lgkt_status open_chain(const lgkt_policy *policy, const uint8_t *ends, double factor,
                              const lgkt_allocator *allocator, lgkt_evaluation *v,
                              lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(policy, "policy", error));
    const lgkt_mdp *const mdp = policy->mdp;
    const lgkt_rows *const rows = &mdp->planning;
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    const size_t actions = (size_t)mdp->actions;
    size_t room = 0;
    for (int32_t s = 0; s < mdp->states; s++) {
        const lgkt_choice choice = lgkt_policy_choice(policy, policy->horizon, s);
        const size_t z = (size_t)s * actions;
        for (int32_t a = choice.first; a < choice.end; a = lgkt_choice_next(&choice, a))
            room += rows->begin[z + (size_t)a + 1] - rows->begin[z + (size_t)a];
    }
    LGKT_TRY(lgkt_evaluation_init(v, mdp->states, room, &hooks, error));
    for (int32_t s = 0; s < mdp->states; s++) {
        const lgkt_choice choice = lgkt_policy_choice(policy, policy->horizon, s);
        const size_t z = (size_t)s * actions;
        const int32_t count = lgkt_choice_count(&choice);
        lgkt_chain_begin(&v->chain, s);
        for (int32_t a = choice.first; a < choice.end; a = lgkt_choice_next(&choice, a)) {
            v->reward[s] += lgkt_choice_part(&choice, a, count, mdp->rewards[z + (size_t)a]);
            if (ends == NULL || !ends[s])
                lgkt_chain_add_pair(&v->chain, rows, z + (size_t)a, s,
                                    lgkt_choice_part(&choice, a, count, factor));
        }
    }
    return LGKT_OK;
}

// the same, eliminated
static lgkt_status eliminate(const lgkt_policy *policy, const uint8_t *ends,
                             const lgkt_allocator *allocator, lgkt_evaluation *v, lgkt_error *error)
{
    bool within;
    LGKT_TRY(open_chain(policy, ends, 1, allocator, v, error));
    const lgkt_status status = lgkt_evaluation_eliminate(v, INFINITY, &within, error);
    if (status != LGKT_OK)
        lgkt_evaluation_release(v);
    return status;
}

// ---- gain and bias, discounted value ----

lgkt_status lgkt_policy_average(const lgkt_policy *policy, const lgkt_allocator *allocator,
                                double *gain, double *bias, lgkt_error *error)
{
    lgkt_evaluation v;
    LGKT_TRY(lgkt_check_given(gain, "gain", error));
    LGKT_TRY(lgkt_check_given(bias, "bias", error));
    LGKT_TRY(open_chain(policy, NULL, 1, allocator, &v, error));
    bool within;
    const lgkt_status status = lgkt_evaluate(&v, INFINITY, gain, bias, &within, error);
    if (status == LGKT_OK)
        lgkt_bias_shift(bias, (size_t)policy->mdp->states, bias);
    lgkt_evaluation_release(&v);
    return status;
}

lgkt_status lgkt_policy_gain(const lgkt_policy *policy, double tolerance,
                             const lgkt_allocator *allocator, double *gain, double *bias,
                             lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(policy, "policy", error));
    LGKT_TRY(lgkt_check_given(gain, "gain", error));
    LGKT_TRY(lgkt_check_tolerance(tolerance, error));
    const size_t n = (size_t)policy->mdp->states;
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    double *const found = lgkt_alloc_zeroed(&hooks, 2 * n, sizeof *found);
    if (found == NULL)
        return lgkt_fail_memory(error, "a gain");
    lgkt_status status = lgkt_policy_average(policy, allocator, found, found + n, error);
    double low = INFINITY, high = -INFINITY;
    for (size_t s = 0; s < n && status == LGKT_OK; s++) {
        low = fmin(low, found[s]);
        high = fmax(high, found[s]);
    }
    if (status == LGKT_OK && !(high - low <= tolerance))
        status = lgkt_fail(error, LGKT_ERR_NO_CONVERGENCE,
                           "the gain depends on the start: it is %.9g to %.9g", low, high);
    if (status == LGKT_OK) {
        *gain = found[0];
        if (bias != NULL)
            memcpy(bias, found + n, n * sizeof *bias);
    }
    lgkt_free(&hooks, found);
    return status;
}

lgkt_status lgkt_policy_discounted(const lgkt_policy *policy, double discount,
                                   const lgkt_allocator *allocator, double *value,
                                   lgkt_error *error)
{
    lgkt_evaluation v;
    LGKT_TRY(lgkt_check_given(value, "value", error));
    LGKT_TRY(lgkt_check_discount(discount, error));
    LGKT_TRY(open_chain(policy, NULL, discount, allocator, &v, error));
    const size_t n = (size_t)policy->mdp->states;
    double *const gain = lgkt_alloc_zeroed(&v.hooks, n, sizeof *gain);
    bool within;
    const lgkt_status status =
        gain == NULL ? lgkt_fail_memory(error, "a value")
                     : lgkt_evaluate_discounted(&v, 1 - discount, gain, value, &within, error);
    for (size_t s = 0; s < n && status == LGKT_OK; s++)
        value[s] += gain[s] / (1 - discount);
    lgkt_free(&v.hooks, gain);
    lgkt_evaluation_release(&v);
    return status;
}

// ---- laws, times, probabilities ----

lgkt_status lgkt_policy_stationary(const lgkt_policy *policy, const double *start,
                                   const lgkt_allocator *allocator, double *law, lgkt_error *error)
{
    double sum;
    LGKT_TRY(lgkt_check_given(policy, "policy", error));
    LGKT_TRY(lgkt_check_given(law, "law", error));
    const int32_t states = policy->mdp->states;
    start = start != NULL ? start : policy->mdp->start_law;
    LGKT_TRY(lgkt_law_check(start, states, "the start law", &sum, error));
    lgkt_evaluation v;
    LGKT_TRY(eliminate(policy, NULL, allocator, &v, error));
    for (int32_t s = 0; s < states; s++)
        law[s] = start[s] / sum;
    lgkt_evaluation_law(&v, law);
    lgkt_evaluation_release(&v);
    return LGKT_OK;
}

lgkt_status lgkt_policy_passage(const lgkt_policy *policy, int32_t target,
                                const lgkt_allocator *allocator, double *times, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(policy, "policy", error));
    LGKT_TRY(lgkt_check_given(times, "times", error));
    const int32_t states = policy->mdp->states;
    LGKT_TRY(lgkt_check_index("target", target, states, error));
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    uint8_t *const ends = lgkt_alloc_zeroed(&hooks, (size_t)states, 1);
    if (ends == NULL)
        return lgkt_fail_memory(error, "the ends of a chain");
    ends[target] = 1;
    lgkt_evaluation v;
    const lgkt_status status = eliminate(policy, ends, allocator, &v, error);
    lgkt_free(&hooks, ends);
    LGKT_TRY(status);
    lgkt_evaluation_times(&v, target, times);
    // back to the target: by its own row, which is not in the chain
    const lgkt_choice choice = lgkt_policy_choice(policy, policy->horizon, target);
    const size_t z = (size_t)target * (size_t)policy->mdp->actions;
    const int32_t count = lgkt_choice_count(&choice);
    double sum = 0;
    for (int32_t a = choice.first; a < choice.end; a = lgkt_choice_next(&choice, a))
        sum += lgkt_choice_part(&choice, a, count,
                                lgkt_row_backup(&policy->mdp->planning, z + (size_t)a, 1, times));
    times[target] = sum;
    lgkt_evaluation_release(&v);
    return LGKT_OK;
}

lgkt_status lgkt_policy_arrival(const lgkt_policy *policy, const uint8_t *member,
                                const lgkt_allocator *allocator, double *probability,
                                lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(member, "member", error));
    LGKT_TRY(lgkt_check_given(probability, "probability", error));
    lgkt_evaluation v;
    LGKT_TRY(eliminate(policy, member, allocator, &v, error));
    for (int32_t s = 0; s < v.chain.states; s++)
        probability[s] = member[s] != 0;
    lgkt_elimination_solve(&v.e, probability);
    lgkt_evaluation_release(&v);
    return LGKT_OK;
}

lgkt_status lgkt_policy_classes(const lgkt_policy *policy, const lgkt_allocator *allocator,
                                int32_t *classes, int32_t *count, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(classes, "classes", error));
    LGKT_TRY(lgkt_check_given(count, "count", error));
    lgkt_evaluation v;
    LGKT_TRY(eliminate(policy, NULL, allocator, &v, error));
    *count = lgkt_evaluation_classes(&v, classes);
    lgkt_evaluation_release(&v);
    return LGKT_OK;
}
