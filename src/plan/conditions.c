// SPDX-License-Identifier: MIT
// The conditions and bounds of the paper (sections 3 and 4) on a known model.
//
// Assumption 3.2, stochastic dominance: the states are {0, 1}, max_a R(1,a) >= max_a R(0,a), and
//
//     P(1 | s, a*_s) >= P(1 | s, a)   for every s and a,   a*_s = argmax_a R(s,a).
//
// The paper speaks of one argmax. Where several actions tie we ask it of each, so that Theorem 3.3
// (the K-step greedy policy is optimal) holds whichever way ties are broken.
//
// Assumption 4.1, a good action exists: max_a Q_K(s,a) >= gamma(t,s) for every t < T and s. It is
// asked of Q_K at all times, also of the last K-1 steps, in which nothing is worth Q_K any more.
// Theorems 4.2 and 4.4 are stated in the distances of Q_K from gamma, which come along.
//
// Theorem 3.5, in steps to go, with a*_h the optimal action (ties low):
//
//     gap <= sum_{h=K+1}^{T} max_x |P_pi(x) - P_{a*_h}(x)|_1  max_x V_{h-1}(x).
//
// It holds for greedy policies and rewards >= 0; as printed, for any threshold, it does not (the
// proof drops R(s,a*) - R(s,pi)). We compute the right-hand side and leave the claim to the reader.
// Once the optimal recursion has settled (lookahead.c), the first factor is constant while the
// policy plays the same, the second is linear in h, and a stretch of h is summed in one go.
// Cost: a sweep of the optimal recursion per h until settled. Memory: S*A + 3*S doubles.
#include "core/alloc.h"
#include "core/error.h"
#include "plan/plan_private.h"

// ---- Assumption 3.2 ----

// P(1 | s, a), 0 where that is forbidden
static double to_good(const lgkt_mdp *mdp, int32_t state, int32_t action)
{
    const lgkt_row row = lgkt_mdp_row(mdp, state, action);
    return row.n > 0 && row.next[row.n - 1] == 1 ? row.p[row.n - 1] : 0;
}

static double best_reward(const lgkt_mdp *mdp, int32_t state)
{
    const double *const payoffs = mdp->payoffs + (size_t)state * (size_t)mdp->actions;
    double best = -INFINITY;
    for (int32_t a = 0; a < mdp->actions; a++)
        best = fmax(best, payoffs[a]);
    return best;
}

// each action of highest reward must reach state 1 as surely as any other
static bool state_dominates(const lgkt_mdp *mdp, int32_t state, lgkt_error *why)
{
    const double *const payoffs = mdp->payoffs + (size_t)state * (size_t)mdp->actions;
    int32_t surest = 0;
    for (int32_t a = 1; a < mdp->actions; a++)
        if (to_good(mdp, state, a) > to_good(mdp, state, surest))
            surest = a;
    const double best = best_reward(mdp, state), most = to_good(mdp, state, surest);
    for (int32_t a = 0; a < mdp->actions; a++) {
        const double p = to_good(mdp, state, a);
        if (best - payoffs[a] <= lgkt_tie_width(best) && p < most - LGKT_TIE) {
            lgkt_fail(why, LGKT_ERR_UNSUPPORTED,
                      "in state %d action %d has the highest reward but reaches state 1 with "
                      "probability %g, action %d with %g",
                      state, a, p, surest, most);
            return false;
        }
    }
    return true;
}

bool lgkt_plan_two_state_dominance(const lgkt_mdp *mdp, lgkt_error *why)
{
    if (mdp != NULL && lgkt_check_model(mdp, why) != LGKT_OK)
        return false;
    if (mdp == NULL || mdp->states != 2) {
        lgkt_fail(why, LGKT_ERR_UNSUPPORTED, "the model has %d states, not 2",
                  mdp == NULL ? 0 : mdp->states);
        return false;
    }
    const double bad = best_reward(mdp, 0), good = best_reward(mdp, 1);
    if (good < bad) {
        lgkt_fail(why, LGKT_ERR_UNSUPPORTED,
                  "the highest reward of state 1, %g, is below that of state 0, %g", good, bad);
        return false;
    }
    return state_dominates(mdp, 0, why) && state_dominates(mdp, 1, why);
}

// ---- Assumption 4.1 ----

lgkt_status lgkt_plan_gaps(const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                           const lgkt_threshold *threshold, const lgkt_allocator *allocator,
                           lgkt_gaps *gaps, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(gaps, "gaps", error));
    lgkt_policy *rule;
    LGKT_TRY(lgkt_policy_threshold(mdp, k, horizon, threshold, allocator, &rule, error));
    const int64_t depth = rule->ahead.depth;
    // a constant is one row, and the last row of a table serves all later steps
    int64_t rows = threshold->fn != NULL      ? horizon
                   : threshold->table != NULL ? threshold->table_steps
                                              : 1;
    rows = rows < horizon ? rows : horizon;
    lgkt_gaps found = {.margin = INFINITY, .above = INFINITY, .below = INFINITY};
    for (int64_t t = 0; t < rows; t++)
        for (int32_t s = 0; s < mdp->states; s++) {
            const double gamma = lgkt_threshold_at(threshold, mdp->states, t, s,
                                                   depth < INT32_MAX ? (int32_t)depth : INT32_MAX);
            double margin = -INFINITY;
            for (int32_t a = 0; a < mdp->actions; a++) {
                const size_t z = (size_t)s * (size_t)mdp->actions + (size_t)a;
                const double q = lgkt_lookahead_q(&rule->ahead, depth, z);
                const double shortfall = lgkt_shortfall(q, gamma);
                if (shortfall > 0)
                    found.below = fmin(found.below, shortfall);
                else
                    found.above = fmin(found.above, fmax(0, q - gamma));
                margin = fmax(margin, shortfall > 0 ? -shortfall : fmax(0, q - gamma));
            }
            found.margin = fmin(found.margin, margin);
        }
    *gaps = found;
    lgkt_policy_destroy(rule);
    return LGKT_OK;
}

// ---- Theorem 3.5 ----

// adds |diff| over the support of a row and clears it there
static double take_row(const lgkt_rows *rows, size_t z, double *diff)
{
    double sum = 0;
    for (size_t i = rows->begin[z]; i < rows->begin[z + 1]; i++) {
        sum += fabs(diff[rows->next[i]]);
        diff[rows->next[i]] = 0;
    }
    return sum;
}

// max_x |P_pi(x) - P_{a*_h}(x)|_1, where values->q holds Q_h less their shift; diff (S) is zero
static double largest_distance(const lgkt_policy *policy, int64_t h, const lgkt_values *values,
                               double *diff)
{
    const lgkt_rows *const rows = &policy->mdp->planning;
    const int32_t actions = policy->mdp->actions;
    double most = 0;
    for (int32_t s = 0; s < policy->mdp->states; s++) {
        const size_t z = (size_t)s * (size_t)actions;
        const size_t best = z + (size_t)lgkt_argmax(values->q + z, actions, values->shift, false);
        const lgkt_choice choice = lgkt_policy_choice(policy, h, s);
        const int32_t count = lgkt_choice_count(&choice);
        lgkt_row_add(rows, best, -1, diff);
        for (int32_t a = choice.first; a < choice.end; a = lgkt_choice_next(&choice, a))
            lgkt_row_add(rows, z + (size_t)a, lgkt_choice_part(&choice, a, count, 1), diff);
        double sum = take_row(rows, best, diff);
        for (int32_t a = choice.first; a < choice.end; a = lgkt_choice_next(&choice, a))
            sum += take_row(rows, z + (size_t)a, diff);
        most = fmax(most, sum);
    }
    return most;
}

// the right-hand side, or without its factors V if `plain`
static lgkt_status gap(const lgkt_policy *policy, int64_t k, bool plain,
                       const lgkt_allocator *allocator, double *sum, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(policy, "policy", error));
    LGKT_TRY(lgkt_check_given(sum, plain ? "distance" : "bound", error));
    const lgkt_mdp *const mdp = policy->mdp;
    LGKT_TRY(lgkt_check_steps(mdp, k, "k", error));
    // behind the action values there is room for one row of differences
    lgkt_values values;
    LGKT_TRY(lgkt_values_init(&values, mdp->states, (size_t)mdp->actions + 1, allocator, error));
    double *const diff = values.q + (size_t)mdp->states * (size_t)mdp->actions; // (S), 0
    double total = 0;
    while (k < policy->horizon && values.k < policy->horizon) {
        const int64_t h = values.k + 1;
        int64_t until = h;
        const bool settled = lgkt_values_settled(&values);
        if (settled)
            until = h <= k ? k : lgkt_policy_same_until(policy, h);
        else
            lgkt_sweep(mdp, NULL, 0, &values, values.q, NULL);
        if (h > k) {
            // terms h .. until: the distance is that of h, max V grows by the slope a step
            const double n = (double)(until - h + 1);
            double top = values.v[0];
            for (int32_t s = 1; s < values.states; s++)
                top = fmax(top, values.v[s]);
            const double mean = plain ? 1 : values.shift + top + values.slope * (n - 1) / 2;
            total += largest_distance(policy, h, &values, diff) * n * mean;
        }
        if (settled)
            lgkt_values_jump(&values, until);
        else
            lgkt_values_advance(&values);
    }
    *sum = total;
    lgkt_values_release(&values);
    return LGKT_OK;
}

lgkt_status lgkt_plan_gap_bound(const lgkt_policy *policy, int64_t k,
                                const lgkt_allocator *allocator, double *bound, lgkt_error *error)
{
    return gap(policy, k, false, allocator, bound, error);
}

lgkt_status lgkt_plan_gap_distance(const lgkt_policy *policy, int64_t k,
                                   const lgkt_allocator *allocator, double *distance,
                                   lgkt_error *error)
{
    return gap(policy, k, true, allocator, distance, error);
}
