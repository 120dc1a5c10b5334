// SPDX-License-Identifier: MIT
// Oracles: learners that know the true model and only look up a policy made before the first step.
//
//   kstep:k=K   with h steps to go plays argmax_a Q_{min(h,K)}(s,a)
//   optimal     plays argmax_a Q_h(s,a); where the model changes, Q_h is that of T - h, and knows
//               what will change and when
//
// They mark what lookahead alone can earn, and what anybody can. Where that action is not allowed
// today, the best of those that are is played; the future is taken to allow what the model does.
//
// What explain says: value = Q_{min(h,K)}(s,a), where masks were asked for.
//
// Cost of a step: one look-up. Memory: the policy (plan.h); with masks the values too, S A for each
// step to go until they grow by the same everywhere.

#include "learners/front/learner_private.h"

#include "core/alloc.h"
#include "learners/front/best_action.h"
#include "plan/plan_private.h"

typedef struct oracle_settings {
    int64_t k;
    int ties;
} oracle_settings;

typedef struct oracle {
    lgkt_policy *policy;
    lgkt_lookahead lookahead; // where masks may rule out what the policy plays; else depth 0
    bool high;                // ties go to the highest action number
} oracle;

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    const oracle_settings *chosen = settings;
    const lgkt_problem *problem = &learner->problem;
    const lgkt_change *change = chosen->k > 0 ? NULL : problem->change;
    if (problem->model == NULL && change == NULL)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "learner \"%s\" knows the true model, and this problem has none",
                         learner->entry->name);
    // optimal has no k: it looks as far as the run goes
    const int64_t horizon = problem->horizon, k = chosen->k > 0 ? chosen->k : horizon;
    // positions in the choice list "low|high" are the values of lgkt_ties
    const lgkt_ties ties = (lgkt_ties)chosen->ties;
    const lgkt_allocator *allocator = &learner->allocator;
    oracle *o = learner->self;
    o->high = ties == LGKT_TIES_HIGH;
    LGKT_TRY(
        change != NULL
            ? lgkt_change_optimal(change, horizon, ties, allocator, &o->policy, error)
            : lgkt_policy_greedy(problem->model, k, horizon, ties, allocator, &o->policy, error));
    learner->bytes += o->policy->bytes;
    learner->can_fail = change != NULL; // its values are not kept
    if (change != NULL || !learner->masked)
        return LGKT_OK;
    lgkt_lookahead *lookahead = &o->lookahead;
    LGKT_TRY(lgkt_lookahead_init(lookahead, problem->model, k < horizon ? k : horizon, allocator,
                                 error));
    learner->bytes += (size_t)lookahead->count * lookahead->pairs * sizeof *lookahead->q;
    return LGKT_OK;
}

static void destroy(lgkt_learner *learner)
{
    oracle *o = learner->self;
    lgkt_policy_destroy(o->policy);
    lgkt_free(&learner->allocator, o->lookahead.q);
}

// the steps to go that a plan is made for, of `most` in all; a unit may be told more than there are
static int64_t steps_to_go(const lgkt_learner *learner, int64_t most)
{
    const int64_t to_plan = lgkt_learner_steps_to_plan(learner);
    return to_plan < most ? to_plan : most;
}

static double value_of(const lgkt_learner *learner, int32_t state, int32_t action)
{
    const lgkt_lookahead *lookahead = &((const oracle *)learner->self)->lookahead;
    const size_t row = (size_t)state * (size_t)learner->problem.actions;
    return lgkt_lookahead_q(lookahead, steps_to_go(learner, lookahead->depth),
                            row + (size_t)action);
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    const oracle *o = learner->self;
    return lgkt_policy_action(o->policy, steps_to_go(learner, learner->problem.horizon), state);
}

static int32_t act_among(lgkt_learner *learner, int32_t state)
{
    const oracle *o = learner->self;
    const int32_t actions = learner->problem.actions, wished = act(learner, state);
    if (lgkt_learner_allows(learner, wished))
        return wished;
    // a model that changes: what is second best is not known
    if (o->lookahead.depth == 0)
        return LGKT_ERR_UNSUPPORTED;
    double best = -INFINITY;
    for (int32_t a = 0; a < actions; a++)
        if (lgkt_learner_allows(learner, a))
            best = fmax(best, value_of(learner, state, a));
    const double bar = best - lgkt_tie_width(best);
    int32_t a = o->high ? actions - 1 : 0;
    while (!lgkt_learner_allows(learner, a) || value_of(learner, state, a) < bar)
        a += o->high ? -1 : 1;
    return a;
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const oracle *o = learner->self;
    const int32_t actions = learner->problem.actions, chosen = act_among(learner, state);
    if (chosen >= 0)
        lgkt_law_of_action(chosen, actions, reasons);
    for (int32_t a = 0; a < actions && o->lookahead.depth > 0; a++) {
        const double value = value_of(learner, state, a);
        reasons[a].value = value > -INFINITY ? value : NAN; // the model forbids it
    }
    return true;
}

// a saved oracle belongs to its model
static void visit(lgkt_learner *learner, lgkt_archive *archive)
{
    const lgkt_problem *problem = &learner->problem;
    const uint64_t model =
        problem->model != NULL ? lgkt_mdp_hash(problem->model) : lgkt_change_hash(problem->change);
    uint64_t saved = model;
    lgkt_visit_u64(archive, &saved, 1);
    archive->bad |= saved != model;
}

#define ROW_TIES                                                                                   \
    LGKT_ROW_CHOICE(oracle_settings, ties, "ties", "low", "low|high",                              \
                    "which of equally good actions is played; high is the released code's habit")

static const lgkt_param_row kstep_params[] = {
    LGKT_ROW_INTEGER(oracle_settings, k, "k", "1", 1, 1e6, "steps of lookahead K"),
    ROW_TIES,
};

static const lgkt_param_row optimal_params[] = {ROW_TIES};

static const lgkt_entry names[] = {
    LGKT_ENTRY_LACKING("kstep", kstep_params, "oracle: K-step greedy on the true model",
                       "section 3", "O(K S A)", LGKT_TRAIT_GROWN),
    LGKT_ENTRY_LACKING(
        "optimal", optimal_params, "oracle: the best policy for the horizon on the true model",
        "section 2", "O(S A) for each change of the policy with the steps to go", LGKT_TRAIT_GROWN),
};

const lgkt_learner_class lgkt_oracle_class = {
    LGKT_NAMES(names), .self_size = sizeof(oracle),    .create = create,       .destroy = destroy,
    .act = act,        .observe = lgkt_learns_nothing, .act_among = act_among, .explain = explain,
    .visit = visit,
};
