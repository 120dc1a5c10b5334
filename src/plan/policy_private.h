// SPDX-License-Identifier: MIT
// The inside of a policy, and how evaluators read it.
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
// Mean of payoff + P v over the actions played; payoff has length A, v length S.
double lgkt_policy_backup(const lgkt_policy *policy, int64_t h, int32_t state, const double *payoff,
                          const double *v);

#endif
