// SPDX-License-Identifier: MIT
// Oracles: learners that know the true model and only look up a policy made before the first step.
//
//   kstep:k=K   with h steps to go plays argmax_a Q_{min(h,K)}(s,a)
//   optimal     plays argmax_a Q_h(s,a); where the model changes, Q_h is that of T - h, and knows
//               what will change and when
//
// They mark what lookahead alone can earn, and what anybody can. Cost of a step: one look-up.
// Memory: the policy (plan.h).

#include "learners/learner_private.h"

#include "core/error.h"
#include "plan/policy_private.h"

typedef struct oracle_settings {
    int64_t k;
    int ties;
} oracle_settings;

static lgkt_status create(lgkt_learner *learner, void *settings, const lgkt_learner *like,
                          lgkt_error *error)
{
    (void)like;
    const oracle_settings *chosen = settings;
    const lgkt_problem *problem = &learner->problem;
    const lgkt_change *change = chosen->k > 0 ? NULL : problem->change;
    if (problem->model == NULL && change == NULL)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "learner \"%s\" knows the true model, and this problem has none",
                         learner->class->entry->name);
    // optimal has no k: it looks as far as the run goes
    const int64_t k = chosen->k > 0 ? chosen->k : problem->horizon;
    // positions in the choice list "low|high" are the values of lgkt_ties
    lgkt_policy *policy = NULL;
    const lgkt_ties ties = (lgkt_ties)chosen->ties;
    const lgkt_status status = change != NULL
                                   ? lgkt_change_optimal(change, problem->horizon, ties,
                                                         &learner->allocator, &policy, error)
                                   : lgkt_policy_greedy(problem->model, k, problem->horizon, ties,
                                                        &learner->allocator, &policy, error);
    if (status != LGKT_OK)
        return status;
    learner->self = policy;
    learner->bytes += lgkt_policy_bytes(policy);
    return LGKT_OK;
}

static void destroy(lgkt_learner *learner)
{
    lgkt_policy_destroy(learner->self);
}

static int32_t act(lgkt_learner *learner, int32_t state)
{
    return lgkt_policy_action(learner->self, lgkt_learner_steps_left(learner), state);
}

static lgkt_status observe(lgkt_learner *learner, double reward, int32_t next_state, bool ended)
{
    (void)learner, (void)reward, (void)next_state, (void)ended;
    return LGKT_OK;
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

static const lgkt_param kstep_params[] = {
    LGKT_ROW_INTEGER(oracle_settings, k, "k", "1", 1, 1e6, "steps of lookahead K"),
    ROW_TIES,
};

static const lgkt_param optimal_params[] = {ROW_TIES};

static const lgkt_entry kstep_entry = {
    .name = "kstep",
    .summary = "oracle: K-step greedy on the true model",
    .source = "section 3",
    .memory = "O(K S A)",
    .params = kstep_params,
    .param_count = sizeof kstep_params / sizeof *kstep_params,
};

static const lgkt_entry optimal_entry = {
    .name = "optimal",
    .summary = "oracle: the best policy for the horizon on the true model",
    .source = "section 2",
    .memory = "O(S A) for each change of the policy with the steps to go",
    .params = optimal_params,
    .param_count = sizeof optimal_params / sizeof *optimal_params,
};

#define CLASS(entry_)                                                                              \
    {                                                                                              \
        .entry = entry_, .create = create, .destroy = destroy, .act = act, .observe = observe,     \
        .feed = observe, .visit = visit                                                            \
    }

static const lgkt_learner_class classes[] = {CLASS(&kstep_entry), CLASS(&optimal_entry)};

const lgkt_learner_family lgkt_family_oracles = {classes, 2};
