// SPDX-License-Identifier: MIT
// The inside of a policy, how evaluators read it, and its value under any payoff per (h, s, a).
#ifndef LGKT_PLAN_POLICY_PRIVATE_H
#define LGKT_PLAN_POLICY_PRIVATE_H

#include "lgkt/plan.h"
#include "plan/bar.h"

typedef enum lgkt_policy_kind {
    LGKT_POLICY_RUNS,      // one action per (h, s), in runs of equal h
    LGKT_POLICY_THRESHOLD, // what clears a bar
    LGKT_POLICY_UNIFORM    // everything
} lgkt_policy_kind;

// An action from `from` steps to go on, until the next run of the state.
typedef struct lgkt_policy_run {
    int64_t from;
    int32_t action;
} lgkt_policy_run;

struct lgkt_policy {
    lgkt_allocator allocator;
    const lgkt_mdp *mdp; // owned
    int64_t horizon;
    lgkt_policy_kind kind;
    size_t bytes; // held, but for the model and the tables of a bar
    // RUNS: those of state s are at first[s] .. first[s+1]-1, `from` increasing, the first 1
    size_t *first;         // (S + 1)
    lgkt_policy_run *runs; // (first[S])
    // THRESHOLD
    lgkt_bar bar;
};

// Bytes held by a policy that is no threshold policy, those of the model left out.
size_t lgkt_policy_bytes(const lgkt_policy *policy);
// What is played with h to go in a state.
lgkt_choice lgkt_policy_choice(const lgkt_policy *policy, int64_t h, int32_t state);
// The largest h' >= h such that the policy is known to play the same for all of h .. h'.
int64_t lgkt_policy_same_until(const lgkt_policy *policy, int64_t h);
// Mean of payoff + P v over the actions played, P of a model of the same sizes; payoff has length
// A, v length S.
double lgkt_policy_backup(const lgkt_policy *policy, const lgkt_mdp *mdp, int64_t h, int32_t state,
                          const double *payoff, const double *v);

// ---- evaluating ----

// A payoff that may depend on the steps to go.
typedef struct lgkt_payoff {
    const void *ctx;
    // the payoffs of all actions with h to go in a state, written into payoff (A)
    void (*fill)(const void *ctx, int64_t h, int32_t state, double *payoff);
    // the largest h' >= h such that the payoffs are the same for all of h .. h'
    int64_t (*same_until)(const void *ctx, int64_t h);
} lgkt_payoff;

// Runs the backward recursion over the policy's horizon into `values`, which the caller releases
// when the answer is LGKT_OK. Nullable: payoff (the rewards of the model), change (the policy's
// model stays; else there is no payoff).
lgkt_status lgkt_evaluate(const lgkt_policy *policy, const lgkt_payoff *payoff,
                          const lgkt_change *change, const lgkt_allocator *allocator,
                          lgkt_values *values, lgkt_error *error);

// Up to how many steps to go the world is what it was with h to go, of `horizon` in all. Nullable:
// change.
static inline int64_t lgkt_same_world_until(const lgkt_change *change, int64_t horizon, int64_t h)
{
    return change == NULL ? horizon : horizon - lgkt_change_since(change, horizon - h);
}

// V_k from a start law (NULL: the model's own), which is checked.
lgkt_status lgkt_values_from(const lgkt_values *values, const lgkt_mdp *mdp, const double *start,
                             double *mean, lgkt_error *error);

#endif
