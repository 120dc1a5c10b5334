// SPDX-License-Identifier: MIT
// Regret to the K-step thresholding policy (formula (4) of the paper, with the learner in its first
// term), on one instance from its start state s_0:
//
//     sum_t c_t(s_t, a_t)  -  E sum_t c_t of the thresholding policy from s_0
//     c_t(s,a) = max(0, gamma - Q_{min(h,K)}(s,a)),   h = T - t
//
// The first sum is over the pairs that were played, the second number is exact: a backward
// recursion for the whole run, and for its first t steps a forward walk over the laws mu_t of the
// state. The policy plays actions that cost nothing where there are any, and one action elsewhere,
// so its cost in a state is that of any action it plays there. Where its total is 0 there is
// nothing to walk for.
//
// Cost: one lookup per step played (exp_play_counting); once per instance the planning, and up to
// T S lookups if there are checkpoints.
#include "experiments/runner/regret.h"

#include <stdlib.h>

#include "core/error.h"
#include "experiments/runner/statistics.h"

// ---- what the policy costs ----

// the walk from checkpoint to checkpoint
typedef struct walk {
    const exp_setup *setup;
    const lgkt_policy *policy;
    const lgkt_cost *cost;
    int32_t states;
    exp_sum sum;
    int32_t next; // checkpoint
    double *by;   // (checkpoint_count)
} walk;

static int add_step(void *ctx, int64_t t, const double *law)
{
    walk *w = ctx;
    double mean = 0.0;
    for (int32_t s = 0; s < w->states; s++)
        if (law[s] > 0.0)
            mean += law[s] *
                    lgkt_cost_at(w->cost, t, s,
                                 lgkt_policy_action(w->policy, w->setup->panel->horizon - t, s));
    exp_sum_add(&w->sum, mean);
    if (t + 1 == w->setup->checkpoints[w->next])
        w->by[w->next++] = exp_sum_value(&w->sum);
    return w->next == w->setup->checkpoint_count;
}

// ---- opening and closing ----

lgkt_status exp_regret_open(exp_regret *regret, const exp_setup *setup, const lgkt_mdp *model,
                            const double *law, lgkt_error *error)
{
    const lgkt_threshold threshold = {.constant = setup->panel->regret_threshold};
    lgkt_policy *policy = NULL;
    *regret = (exp_regret){.by = calloc((size_t)setup->checkpoint_count + 1, sizeof(double))};
    lgkt_status status = LGKT_OK;
    if (regret->by == NULL)
        status = lgkt_fail_memory(error, "regret");
    if (status == LGKT_OK)
        status = lgkt_cost_create(model, setup->regret_k, setup->panel->horizon, &threshold, NULL,
                                  &regret->cost, error);
    if (status == LGKT_OK)
        status = lgkt_policy_threshold(model, setup->regret_k, setup->panel->horizon, &threshold,
                                       NULL, &policy, error);
    if (status == LGKT_OK)
        status = lgkt_cost_of_policy(regret->cost, policy, law, NULL, &regret->total, error);
    if (status == LGKT_OK && regret->total != 0.0 && setup->checkpoint_count > 0) {
        walk w = {.setup = setup,
                  .policy = policy,
                  .cost = regret->cost,
                  .states = lgkt_mdp_states(model),
                  .by = regret->by};
        status = lgkt_policy_forward(policy, law, NULL, add_step, &w, error);
    }
    lgkt_policy_destroy(policy);
    if (status != LGKT_OK)
        exp_regret_close(regret);
    return status;
}

void exp_regret_close(exp_regret *regret)
{
    lgkt_cost_destroy(regret->cost);
    free(regret->by);
    *regret = (exp_regret){0};
}
