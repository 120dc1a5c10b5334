// SPDX-License-Identifier: MIT
// Oracles: learners that know the true model and only look up a policy made before the first step.
//
//   kstep:k=K   with h steps to go plays argmax_a Q_{min(h,K)}(s,a)
//   optimal     plays argmax_a Q_h(s,a)
//
// They mark what lookahead alone can earn, and what anybody can. Cost of a step: one look-up.
// Memory: the policy (plan.h).

#include "learners/learner_private.h"

#include <stddef.h>

#include "core/error.h"

typedef struct oracle_settings {
    int64_t k;
    int ties;
} oracle_settings;

// positions in the choice list "low|high" are the values of lgkt_ties
static lgkt_status check_model(const lgkt_learner *learner, lgkt_error *error)
{
    if (learner->problem.model == NULL)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "learner \"%s\" knows the true model, and this problem has none",
                         learner->class->entry->name);
    return LGKT_OK;
}

static lgkt_status create_kstep(lgkt_learner *learner, void *settings, const lgkt_learner *like,
                                lgkt_error *error)
{
    (void)like;
    const oracle_settings *chosen = settings;
    const lgkt_status status = check_model(learner, error);
    if (status != LGKT_OK)
        return status;
    return lgkt_policy_greedy(learner->problem.model, chosen->k, learner->problem.horizon,
                              (lgkt_ties)chosen->ties, &learner->allocator,
                              (lgkt_policy **)&learner->self, error);
}

static lgkt_status create_optimal(lgkt_learner *learner, void *settings, const lgkt_learner *like,
                                  lgkt_error *error)
{
    (void)like;
    const oracle_settings *chosen = settings;
    const lgkt_status status = check_model(learner, error);
    if (status != LGKT_OK)
        return status;
    return lgkt_policy_optimal(learner->problem.model, learner->problem.horizon,
                               (lgkt_ties)chosen->ties, &learner->allocator,
                               (lgkt_policy **)&learner->self, error);
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
    const uint64_t model = lgkt_mdp_hash(learner->problem.model);
    uint64_t saved = model;
    lgkt_visit_u64(archive, &saved, 1);
    archive->bad |= saved != model;
}

#define ROW_TIES                                                                                   \
    {                                                                                              \
        .name = "ties", .type = LGKT_PARAM_CHOICE, .fallback = "low", .choices = "low|high",       \
        .help = "which of equally good actions is played; high is the released code's habit",      \
        .offset = offsetof(oracle_settings, ties)                                                  \
    }

static const lgkt_param kstep_params[] = {
    {.name = "k",
     .type = LGKT_PARAM_INTEGER,
     .fallback = "1",
     .min = 1,
     .max = 1e6,
     .help = "steps of lookahead K",
     .offset = offsetof(oracle_settings, k)},
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

static const lgkt_learner_class classes[] = {
    {.entry = &kstep_entry,
     .create = create_kstep,
     .destroy = destroy,
     .act = act,
     .observe = observe,
     .feed = observe,
     .visit = visit},
    {.entry = &optimal_entry,
     .create = create_optimal,
     .destroy = destroy,
     .act = act,
     .observe = observe,
     .feed = observe,
     .visit = visit},
};

const lgkt_learner_family lgkt_family_oracles = {classes, 2};
