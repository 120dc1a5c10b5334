// SPDX-License-Identifier: MIT
// Policies: with h to go in s, play uniformly among a set of actions, or draw one by a law.
//
// Greedy with depth K plays argmax_a Q_{min(h,K)}(s,a); optimal is greedy with K = T. The argmax is
// found while the recursion of lookahead.c runs, and only its changes are kept: per state a list of
// runs of equal action, with h increasing. When the recursion settles after step h its rule is that
// of all larger h. In a model that changes the same recursion runs back over time, t = T - h, and
// is settled until the world changes: a stretch of a constant world costs sweeps until it settles,
// one in which the world drifts a sweep of both models per step. Most states have one or a few
// runs, whatever T is; the worst case (a periodic model whose rule flips at each step) needs 16
// bytes per (h, s).
//
// Reading the last run is O(1), an earlier one a binary search over the runs of the state.
//
// Thresholding keeps the lookahead tables Q_1 .. Q_min(K,T), fewer when the recursion settles
// before, and answers by comparing:
//
//     good enough at (h, s):  { a : Q_{min(h,K)}(s,a) >= gamma(T-h, s) }
#include "plan/plan_private.h"

#include <string.h>

#include "core/alloc.h"
#include "core/error.h"

// ---- making and unmaking ----

// checks what all kinds are given, and begins one
static lgkt_status new_policy(const lgkt_mdp *mdp, int64_t horizon, lgkt_policy_kind kind,
                              const lgkt_allocator *allocator, lgkt_policy **policy,
                              lgkt_policy **made, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_steps(mdp, horizon, "horizon", error));
    LGKT_TRY(lgkt_check_given(policy, "policy", error));
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    *made = lgkt_alloc_zeroed(&hooks, 1, sizeof **made);
    if (*made == NULL)
        return lgkt_fail_memory(error, "a policy");
    **made = (lgkt_policy){.allocator = hooks,
                           .mdp = lgkt_mdp_retain(mdp),
                           .horizon = horizon,
                           .kind = kind,
                           .bytes = sizeof **made};
    return LGKT_OK;
}

// hands it out if it could be filled
static lgkt_status finish(lgkt_policy *made, lgkt_status status, lgkt_policy **policy)
{
    if (status == LGKT_OK)
        *policy = made;
    else
        lgkt_policy_destroy(made);
    return status;
}

// zeroed room for so many runs in all, one place more than states have ends; false: memory is out
static bool hold_runs(lgkt_policy *policy, size_t count)
{
    const size_t places = (size_t)policy->mdp->states + 2;
    policy->first = lgkt_alloc_zeroed(&policy->allocator, places, sizeof *policy->first);
    policy->runs = lgkt_alloc_zeroed(&policy->allocator, count, sizeof *policy->runs);
    policy->bytes += places * sizeof *policy->first + count * sizeof *policy->runs;
    return policy->first != NULL && policy->runs != NULL;
}

void lgkt_policy_destroy(lgkt_policy *policy)
{
    if (policy == NULL)
        return;
    const lgkt_allocator allocator = policy->allocator;
    lgkt_free(&allocator, policy->ahead.q);
    lgkt_free(&allocator, policy->law);
    lgkt_free(&allocator, policy->first);
    lgkt_free(&allocator, policy->runs);
    lgkt_mdp_destroy(policy->mdp);
    lgkt_free(&allocator, policy);
}

// ---- greedy and optimal ----

// The rule from h steps to go on in one state.
typedef struct rule {
    int64_t h;
    int32_t state;
    int32_t action;
} rule;

// runs the recursion to depth k, or over the whole horizon of a change, logs where the argmax
// changes, and sorts the log into runs
static lgkt_status fill_greedy(lgkt_policy *policy, const lgkt_change *change, int64_t k,
                               lgkt_ties ties, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_steps(policy->mdp, k, "k", error));
    if (ties != LGKT_TIES_LOW && ties != LGKT_TIES_HIGH)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "ties is %d; allowed are 0 and 1", (int)ties);
    const lgkt_mdp *const mdp = policy->mdp;
    const lgkt_allocator *const allocator = &policy->allocator;
    const size_t states = (size_t)mdp->states, actions = (size_t)mdp->actions;
    const int64_t depth = k < policy->horizon ? k : policy->horizon;
    lgkt_values values;
    LGKT_TRY(lgkt_values_init(&values, mdp->states, actions / states + 1, allocator, error));
    lgkt_status status = LGKT_OK;
    size_t count = 0, capacity = 0;
    void *changes = NULL; // (count) of `rule`, in the order of h
    int32_t *const now =
        lgkt_alloc_zeroed(allocator, 2 * states, sizeof *now); // (S), the last action
    if (now == NULL)
        goto out_of_memory;
    const lgkt_pick pick = {now + states, ties == LGKT_TIES_HIGH};
    for (size_t s = 0; s < states; s++)
        now[s] = -1;
    while (values.k < depth) {
        // a settled recursion goes on as it is, and so does its rule, until the world changes
        const int64_t until = lgkt_values_settled(&values)
                                  ? lgkt_same_world_until(change, policy->horizon, values.k)
                                  : values.k;
        if (until > values.k) {
            lgkt_values_jump(&values, until < depth ? until : depth);
            continue;
        }
        lgkt_sweep(mdp, change, policy->horizon - values.k - 1, &values, values.q, &pick);
        for (int32_t s = 0; s < mdp->states; s++) {
            const int32_t a = pick.action[s];
            if (now[s] == a)
                continue;
            if (!lgkt_grow(allocator, &changes, &capacity, count, count + 1, sizeof(rule)))
                goto out_of_memory;
            ((rule *)changes)[count++] = (rule){values.k + 1, s, a};
            now[s] = a;
        }
        lgkt_values_advance(&values);
    }

    if (!hold_runs(policy, count))
        goto out_of_memory;
    // first[s+1] is where the next run of state s goes, and ends as the end of its runs
    size_t *const place = policy->first + 1;
    const rule *const log = changes;
    for (size_t i = 0; i < count; i++)
        place[log[i].state + 1]++;
    for (size_t s = 0; s < states; s++)
        place[s + 1] += place[s];
    for (size_t i = 0; i < count; i++)
        policy->runs[place[log[i].state]++] = (lgkt_policy_run){log[i].h, log[i].action};
    goto done;
out_of_memory:
    status = lgkt_fail_memory(error, "the rule of a policy");
done:
    lgkt_free(allocator, changes);
    lgkt_free(allocator, now);
    lgkt_values_release(&values);
    return status;
}

lgkt_status lgkt_policy_greedy(const lgkt_mdp *mdp, int64_t k, int64_t horizon, lgkt_ties ties,
                               const lgkt_allocator *allocator, lgkt_policy **policy,
                               lgkt_error *error)
{
    lgkt_policy *made;
    LGKT_TRY(new_policy(mdp, horizon, LGKT_POLICY_RUNS, allocator, policy, &made, error));
    return finish(made, fill_greedy(made, NULL, k, ties, error), policy);
}

lgkt_status lgkt_policy_optimal(const lgkt_mdp *mdp, int64_t horizon, lgkt_ties ties,
                                const lgkt_allocator *allocator, lgkt_policy **policy,
                                lgkt_error *error)
{
    return lgkt_policy_greedy(mdp, horizon, horizon, ties, allocator, policy, error);
}

lgkt_status lgkt_change_optimal(const lgkt_change *change, int64_t horizon, lgkt_ties ties,
                                const lgkt_allocator *allocator, lgkt_policy **policy,
                                lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(change, "change", error));
    LGKT_TRY(lgkt_check_model(change->after, error));
    lgkt_policy *made;
    LGKT_TRY(
        new_policy(change->before, horizon, LGKT_POLICY_RUNS, allocator, policy, &made, error));
    return finish(made, fill_greedy(made, change, horizon, ties, error), policy);
}

// ---- the other kinds ----

lgkt_status lgkt_policy_threshold(const lgkt_mdp *mdp, int64_t k, int64_t horizon,
                                  const lgkt_threshold *threshold, const lgkt_allocator *allocator,
                                  lgkt_policy **policy, lgkt_error *error)
{
    lgkt_policy *made;
    // first: callers whose horizon is k name k
    LGKT_TRY(lgkt_check_steps(mdp, k, "k", error));
    LGKT_TRY(lgkt_check_given(threshold, "threshold", error));
    if (threshold->fn == NULL && threshold->table != NULL && threshold->table_steps < 1)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "table_steps is %lld; it must be >= 1",
                         (long long)threshold->table_steps);
    LGKT_TRY(new_policy(mdp, horizon, LGKT_POLICY_THRESHOLD, allocator, policy, &made, error));
    made->gamma = *threshold;
    return finish(
        made, lgkt_lookahead_init(&made->ahead, mdp, k < horizon ? k : horizon, allocator, error),
        policy);
}

lgkt_status lgkt_policy_uniform(const lgkt_mdp *mdp, int64_t horizon,
                                const lgkt_allocator *allocator, lgkt_policy **policy,
                                lgkt_error *error)
{
    return new_policy(mdp, horizon, LGKT_POLICY_UNIFORM, allocator, policy, policy, error);
}

static lgkt_status fill_fixed(lgkt_policy *policy, const int32_t *actions, lgkt_error *error)
{
    const lgkt_mdp *const mdp = policy->mdp;
    LGKT_TRY(lgkt_check_given(actions, "actions", error));
    if (!hold_runs(policy, (size_t)mdp->states))
        return lgkt_fail_memory(error, "the rule of a policy");
    for (int32_t s = 0; s < mdp->states; s++) {
        if (actions[s] < 0 || actions[s] >= mdp->actions)
            return lgkt_fail(error, LGKT_ERR_ARGUMENT, "action %d in state %d; allowed are 0 to %d",
                             actions[s], s, mdp->actions - 1);
        if (!lgkt_mdp_allowed(mdp, s, actions[s]))
            return lgkt_fail(error, LGKT_ERR_ARGUMENT, "action %d is forbidden in state %d",
                             actions[s], s);
        policy->first[s + 1] = (size_t)s + 1;
        policy->runs[s] = (lgkt_policy_run){1, actions[s]};
    }
    return LGKT_OK;
}

lgkt_status lgkt_policy_fixed(const lgkt_mdp *mdp, int64_t horizon, const int32_t *actions,
                              const lgkt_allocator *allocator, lgkt_policy **policy,
                              lgkt_error *error)
{
    lgkt_policy *made;
    LGKT_TRY(new_policy(mdp, horizon, LGKT_POLICY_RUNS, allocator, policy, &made, error));
    return finish(made, fill_fixed(made, actions, error), policy);
}

static lgkt_status fill_law(lgkt_policy *policy, const double *law, lgkt_error *error)
{
    const lgkt_mdp *const mdp = policy->mdp;
    const size_t actions = (size_t)mdp->actions, pairs = (size_t)mdp->states * actions;
    LGKT_TRY(lgkt_check_given(law, "law", error));
    policy->law = lgkt_alloc_zeroed(&policy->allocator, pairs, sizeof *policy->law);
    if (policy->law == NULL)
        return lgkt_fail_memory(error, "the rule of a policy");
    policy->bytes += pairs * sizeof *policy->law;
    memcpy(policy->law, law, pairs * sizeof *law);
    for (int32_t s = 0; s < mdp->states; s++) {
        double *const row = policy->law + (size_t)s * actions, sum = 0;
        for (int32_t a = 0; a < mdp->actions; a++) {
            if (!(row[a] >= 0 && row[a] <= 1 + LGKT_ROW_TOLERANCE))
                return lgkt_fail(error, LGKT_ERR_PROBABILITY,
                                 "probability %g of action %d in state %d; it must be in 0 .. 1",
                                 row[a], a, s);
            if (row[a] > 0 && !lgkt_mdp_allowed(mdp, s, a))
                return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                                 "action %d is forbidden in state %d; its probability is %g", a, s,
                                 row[a]);
            sum += row[a];
        }
        if (!(fabs(sum - 1) <= LGKT_ROW_TOLERANCE))
            return lgkt_fail(error, LGKT_ERR_PROBABILITY,
                             "the probabilities in state %d sum to %.10g; it must be 1 within %g",
                             s, sum, LGKT_ROW_TOLERANCE);
        lgkt_law_normalise(row, actions, sum);
    }
    return LGKT_OK;
}

lgkt_status lgkt_policy_law(const lgkt_mdp *mdp, int64_t horizon, const double *law,
                            const lgkt_allocator *allocator, lgkt_policy **policy,
                            lgkt_error *error)
{
    lgkt_policy *made;
    LGKT_TRY(new_policy(mdp, horizon, LGKT_POLICY_LAW, allocator, policy, &made, error));
    return finish(made, fill_law(made, law, error), policy);
}

// ---- reading: for evaluators ----

// the number of the run that holds h: the last one that begins at or before it
static size_t find_run(const lgkt_policy *policy, int64_t h, int32_t state)
{
    size_t low = policy->first[state], high = policy->first[state + 1] - 1;
    if (policy->runs[high].from <= h)
        return high;
    // invariant: runs[low].from <= h < runs[high].from
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (policy->runs[middle].from <= h)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// all that is allowed: where something is not, it is below the lowest bar
static lgkt_choice all_actions(const lgkt_mdp *mdp, int32_t state)
{
    lgkt_choice choice = {.end = mdp->actions};
    if (mdp->mask != NULL) {
        choice.q = mdp->payoffs + (size_t)state * (size_t)mdp->actions;
        choice.gamma = -INFINITY;
        choice.first = lgkt_choice_next(&choice, -1);
    }
    return choice;
}

double lgkt_policy_gamma(const lgkt_policy *policy, int64_t h, int32_t state)
{
    const int64_t k = lgkt_policy_depth(policy, h);
    return lgkt_threshold_at(&policy->gamma, policy->mdp->states, policy->horizon - h, state,
                             k < INT32_MAX ? (int32_t)k : INT32_MAX);
}

// the actions that are good enough, or the argmax (ties low) if there is none
static lgkt_choice good_enough(const lgkt_policy *policy, int64_t h, int32_t state)
{
    const lgkt_lookahead *const ahead = &policy->ahead;
    const int32_t actions = policy->mdp->actions;
    lgkt_choice choice = {.end = actions, .gamma = lgkt_policy_gamma(policy, h, state)};
    choice.q = lgkt_lookahead_row(ahead, lgkt_policy_depth(policy, h),
                                  (size_t)state * (size_t)actions, &choice.lift);
    choice.first = lgkt_choice_next(&choice, -1);
    if (choice.first < actions)
        return choice;
    const int32_t best = lgkt_argmax(choice.q, actions, choice.lift, false);
    return (lgkt_choice){.first = best, .end = best + 1};
}

lgkt_choice lgkt_policy_choice(const lgkt_policy *policy, int64_t h, int32_t state)
{
    if (policy->kind == LGKT_POLICY_THRESHOLD)
        return good_enough(policy, h, state);
    if (policy->kind == LGKT_POLICY_UNIFORM)
        return all_actions(policy->mdp, state);
    if (policy->kind == LGKT_POLICY_LAW) {
        const int32_t actions = policy->mdp->actions;
        lgkt_choice choice = {.end = actions, .law = policy->law + (size_t)state * (size_t)actions};
        choice.first = lgkt_choice_next(&choice, -1);
        return choice;
    }
    const int32_t action = policy->runs[find_run(policy, h, state)].action;
    return (lgkt_choice){.first = action, .end = action + 1};
}

int64_t lgkt_policy_same_until(const lgkt_policy *policy, int64_t h)
{
    int64_t until = policy->horizon;
    if (policy->kind == LGKT_POLICY_THRESHOLD) {
        if (h < policy->ahead.depth || policy->gamma.fn != NULL)
            return h;
        // the last row of a table serves all later steps
        const int64_t last = until - (policy->gamma.table_steps - 1);
        return policy->gamma.table == NULL ? until : h < last ? last : h;
    }
    if (policy->kind != LGKT_POLICY_RUNS)
        return until;
    for (int32_t s = 0; s < policy->mdp->states; s++) {
        const size_t next = find_run(policy, h, s) + 1;
        if (next < policy->first[s + 1] && policy->runs[next].from <= until)
            until = policy->runs[next].from - 1;
    }
    return until;
}

double lgkt_policy_backup(const lgkt_policy *policy, const lgkt_mdp *mdp, int64_t h, int32_t state,
                          const double *payoff, const double *v)
{
    const lgkt_rows *const rows = &mdp->planning;
    const size_t z = (size_t)state * (size_t)mdp->actions;
    const lgkt_choice choice = lgkt_policy_choice(policy, h, state);
    double sum = 0;
    int32_t n = 0;
    for (int32_t a = choice.first; a < choice.end; a = lgkt_choice_next(&choice, a), n++) {
        const double worth = lgkt_row_backup(rows, z + (size_t)a, payoff[a], v);
        sum += choice.law != NULL ? choice.law[a] * worth : worth;
    }
    return choice.law != NULL ? sum : sum / n;
}

// ---- reading: public ----

int64_t lgkt_policy_horizon(const lgkt_policy *policy)
{
    return policy == NULL ? 0 : policy->horizon;
}

static bool in_range(const lgkt_policy *policy, int64_t h, int32_t state)
{
    return policy != NULL && h >= 1 && h <= policy->horizon && state >= 0 &&
           state < policy->mdp->states;
}

int32_t lgkt_policy_actions(const lgkt_policy *policy, int64_t h, int32_t state, uint8_t *member)
{
    if (policy == NULL || member == NULL)
        return 0;
    memset(member, 0, (size_t)policy->mdp->actions);
    if (!in_range(policy, h, state))
        return 0;
    const lgkt_choice choice = lgkt_policy_choice(policy, h, state);
    for (int32_t a = choice.first; a < choice.end; a = lgkt_choice_next(&choice, a))
        member[a] = 1;
    return lgkt_choice_count(&choice);
}

int32_t lgkt_policy_probabilities(const lgkt_policy *policy, int64_t h, int32_t state,
                                  double *probability)
{
    if (policy == NULL || probability == NULL)
        return 0;
    memset(probability, 0, (size_t)policy->mdp->actions * sizeof *probability);
    if (!in_range(policy, h, state))
        return 0;
    const lgkt_choice choice = lgkt_policy_choice(policy, h, state);
    const int32_t count = lgkt_choice_count(&choice);
    for (int32_t a = choice.first; a < choice.end; a = lgkt_choice_next(&choice, a))
        probability[a] = lgkt_choice_part(&choice, a, count, 1);
    return count;
}

int32_t lgkt_policy_action(const lgkt_policy *policy, int64_t h, int32_t state)
{
    return in_range(policy, h, state) ? lgkt_policy_choice(policy, h, state).first : -1;
}
