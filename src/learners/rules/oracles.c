// SPDX-License-Identifier: MIT
// Oracles: learners that know the true model and only look up a policy made before the first step.
//
//   kstep:k=K      with h steps to go plays argmax_a Q_{min(h,K)}(s,a)
//   thresholding   draws among all a with Q_{min(h,K)}(s,a) >= gamma, all alike; where there is none
//                  it plays as kstep. This is the policy that the paper's learners are to converge to
//   optimal        plays argmax_a Q_h(s,a); where the model changes, Q_h is that of T - h, and knows
//                  what will change and when
//
// Of equally good actions they play the lowest or the highest, or with ties=random any.
//
// They mark what lookahead alone can earn, and what anybody can. Where none of what they play is
// allowed today, the best of the actions that are is played; the future is taken to allow what the
// model does.
//
// What explain says: value = Q_{min(h,K)}(s,a), of kstep and optimal where masks were asked for;
// good = whether it reaches gamma, of thresholding.
//
// Cost of a step: one look-up, of thresholding A comparisons. Memory: the policy (plan.h); with masks
// the values too, S A for each step to go until they grow by the same everywhere; of thresholding
// these alone.

#include "learners/front/learner_private.h"

#include "core/alloc.h"
#include "learners/front/best_action.h"
#include "plan/plan_private.h"

// As in the choice list; the first two are the values of lgkt_ties.
typedef enum oracle_ties { TIES_LOW, TIES_HIGH, TIES_RANDOM } oracle_ties;

typedef struct oracle_settings {
    int64_t k;
    double threshold;
    int ties;
} oracle_settings;

typedef struct oracle_name {
    lgkt_entry entry;
    bool thresholding;
} oracle_name;

typedef struct oracle {
    lgkt_policy *policy;
    lgkt_lookahead lookahead; // where the policy may not be all that is played; else depth 0
    oracle_ties ties;
} oracle;

// the policy; the values of kstep and optimal are kept where masks or ties need them
static lgkt_status make_policy(lgkt_learner *learner, const oracle_settings *chosen,
                               lgkt_error *error)
{
    const lgkt_problem *problem = &learner->problem;
    const lgkt_change *change = chosen->k > 0 ? NULL : problem->change;
    // optimal has no k: it looks as far as the run goes
    const int64_t horizon = problem->horizon, k = chosen->k > 0 ? chosen->k : horizon;
    const lgkt_ties ties = chosen->ties == TIES_HIGH ? LGKT_TIES_HIGH : LGKT_TIES_LOW;
    const lgkt_allocator *allocator = &learner->allocator;
    oracle *o = learner->self;
    o->ties = (oracle_ties)chosen->ties;
    learner->can_fail = change != NULL; // its values are not kept
    if (((const oracle_name *)learner->entry)->thresholding) {
        lgkt_threshold threshold = learner->threshold;
        threshold.constant = chosen->threshold;
        return lgkt_policy_threshold(problem->model, k, horizon, &threshold, allocator, &o->policy,
                                     error);
    }
    LGKT_TRY(
        change != NULL
            ? lgkt_change_optimal(change, horizon, ties, allocator, &o->policy, error)
            : lgkt_policy_greedy(problem->model, k, horizon, ties, allocator, &o->policy, error));
    if (change != NULL || (!learner->masked && o->ties != TIES_RANDOM))
        return LGKT_OK;
    return lgkt_lookahead_init(&o->lookahead, problem->model, k < horizon ? k : horizon, allocator,
                               error);
}

// Q_1 .. Q_K, or depth 0 where they are not kept
static const lgkt_lookahead *lookahead_of(const oracle *o)
{
    return o->policy->kind == LGKT_POLICY_THRESHOLD ? &o->policy->ahead : &o->lookahead;
}

static lgkt_status create(lgkt_learner *learner, void *settings, lgkt_error *error)
{
    oracle_settings *chosen = settings;
    const lgkt_problem *problem = &learner->problem;
    if (problem->model == NULL && (chosen->k > 0 || problem->change == NULL))
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "learner \"%s\" knows the true model, and this problem has none",
                         learner->entry->name);
    if (isnan(chosen->threshold))
        chosen->threshold = (double)(6 * chosen->k - 3) / 10;
    LGKT_TRY(make_policy(learner, chosen, error));
    const oracle *o = learner->self;
    learner->bytes += o->policy->bytes + lookahead_of(o)->bytes;
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
    const lgkt_lookahead *lookahead = lookahead_of(learner->self);
    const size_t row = (size_t)state * (size_t)learner->problem.actions;
    return lgkt_lookahead_q(lookahead, steps_to_go(learner, lookahead->depth),
                            row + (size_t)action);
}

// the action after a that the policy plays and that is allowed, or the end
static int32_t next_played(const lgkt_learner *learner, const lgkt_choice *choice, int32_t a)
{
    do
        a = lgkt_choice_next(choice, a);
    while (a < choice->end && !lgkt_learner_allows(learner, a));
    return a;
}

// the best of the actions that are allowed, all of those that tie or one of them
static lgkt_choice best_allowed(const lgkt_learner *learner, int32_t state)
{
    const oracle *o = learner->self;
    const lgkt_lookahead *lookahead = lookahead_of(o);
    const int32_t actions = learner->problem.actions;
    lgkt_choice choice = {.end = actions, .gamma = -INFINITY};
    choice.q = lgkt_lookahead_row(lookahead, steps_to_go(learner, lookahead->depth),
                                  (size_t)state * (size_t)actions, &choice.lift);
    for (int32_t a = 0; a < actions; a++)
        if (lgkt_learner_allows(learner, a))
            choice.gamma = fmax(choice.gamma, choice.q[a] + choice.lift);
    if (choice.gamma == -INFINITY) // the model forbids what is allowed
        choice.q = NULL;
    choice.first = next_played(learner, &choice, -1);
    int32_t a = choice.first;
    for (int32_t b = a; o->ties == TIES_HIGH && b < actions; b = next_played(learner, &choice, b))
        a = b;
    return o->ties == TIES_RANDOM ? choice : (lgkt_choice){.first = a, .end = a + 1};
}

// what is drawn from, and how many actions that are; 0 where it is not known what is second best
static lgkt_choice find_played(const lgkt_learner *learner, int32_t state, int32_t *count)
{
    const oracle *o = learner->self;
    const int64_t h = steps_to_go(learner, learner->problem.horizon);
    lgkt_choice choice = lgkt_policy_choice(o->policy, h, state);
    const bool valued = lookahead_of(o)->depth > 0;
    // a choice without a bar is a best action, and perhaps one of several
    const bool tied = o->ties != TIES_LOW && choice.q == NULL;
    if (valued && (tied || next_played(learner, &choice, choice.first - 1) == choice.end))
        choice = best_allowed(learner, state);
    *count = 0;
    for (int32_t a = choice.first - 1; (a = next_played(learner, &choice, a)) < choice.end;)
        ++*count;
    return choice;
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    int32_t count;
    const lgkt_choice choice = find_played(learner, state, &count);
    if (count == 0) // a model that changes
        return LGKT_ERR_UNSUPPORTED;
    int32_t left = count > 1 ? lgkt_rng_below(&learner->rng, count) : 0;
    int32_t a = next_played(learner, &choice, choice.first - 1);
    for (; left > 0; left--)
        a = next_played(learner, &choice, a);
    return a;
}

static bool explain(lgkt_learner *learner, int32_t state, lgkt_reason *reasons)
{
    const int32_t actions = learner->problem.actions;
    int32_t count;
    const lgkt_choice choice = find_played(learner, state, &count);
    for (int32_t a = 0; a < actions && count > 0; a++)
        reasons[a].probability = 0;
    for (int32_t a = choice.first - 1; (a = next_played(learner, &choice, a)) < choice.end;)
        reasons[a].probability = 1.0 / count;
    const lgkt_policy *policy = ((const oracle *)learner->self)->policy;
    const int64_t h = steps_to_go(learner, learner->problem.horizon);
    for (int32_t a = 0; a < actions && lookahead_of(learner->self)->depth > 0; a++) {
        const double value = value_of(learner, state, a);
        reasons[a].value = value > -INFINITY ? value : NAN; // the model forbids it
        if (policy->kind == LGKT_POLICY_THRESHOLD)
            reasons[a].good = lgkt_shortfall(value, lgkt_policy_gamma(policy, h, state)) == 0;
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

#define ROW_TIES(words_)                                                                           \
    LGKT_ROW_CHOICE(oracle_settings, ties, "ties", "low", words_,                                  \
                    "which of equally good actions is played; high is the released code's habit")

#define ROW_K LGKT_ROW_INTEGER(oracle_settings, k, "k", "1", 1, 1e6, "steps of lookahead K")

static const lgkt_param_row kstep_params[] = {ROW_K, ROW_TIES("low|high|random")};

static const lgkt_param_row thresholding_params[] = {
    ROW_K,
    LGKT_ROW_REAL(oracle_settings, threshold, "threshold", "@0.3 + 0.6 (k - 1)", -1e15, 1e15,
                  "gamma: what the next K steps must be worth for an action to be good enough"),
    ROW_TIES("low|high|random"),
};

static const lgkt_param_row optimal_params[] = {ROW_TIES("low|high")};

static const oracle_name names[] = {
    {.entry = LGKT_ENTRY_LACKING("kstep", kstep_params, "oracle: K-step greedy on the true model",
                                 "section 3", "O(K S A)", LGKT_TRAIT_GROWN)},
    {.entry = LGKT_ENTRY_LACKING(
         "thresholding", thresholding_params,
         "oracle: any action that is good enough on the true model, the best where none is",
         "section 3", "O(K S A)", LGKT_TRAIT_GROWN),
     .thresholding = true},
    {.entry = LGKT_ENTRY_LACKING(
         "optimal", optimal_params, "oracle: the best policy for the horizon on the true model",
         "section 2", "O(S A) for each change of the policy with the steps to go",
         LGKT_TRAIT_GROWN)},
};

const lgkt_learner_class lgkt_oracle_class = {
    LGKT_NAMES(names), .self_size = sizeof(oracle),    .create = create,   .destroy = destroy,
    .act = act,        .observe = lgkt_learns_nothing, .explain = explain, .visit = visit,
};
