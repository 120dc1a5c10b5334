// SPDX-License-Identifier: MIT
// The value of a policy under any payoff per (h, s, a).
#ifndef LGKT_PLAN_EVALUATE_H
#define LGKT_PLAN_EVALUATE_H

#include "plan/policy_private.h"

// A payoff that may depend on the steps to go.
typedef struct lgkt_payoff {
    const void *ctx;
    // the payoffs of all actions with h to go in a state, written into payoff (A)
    void (*fill)(const void *ctx, int64_t h, int32_t state, double *payoff);
    // the largest h' >= h such that the payoffs are the same for all of h .. h'
    int64_t (*same_until)(const void *ctx, int64_t h);
} lgkt_payoff;

// Runs the backward recursion over the policy's horizon into `values`, which the caller releases
// when the answer is LGKT_OK. Nullable: payoff (the rewards of the model).
lgkt_status lgkt_evaluate(const lgkt_policy *policy, const lgkt_payoff *payoff,
                          const lgkt_allocator *allocator, lgkt_values *values, lgkt_error *error);

// V_k from a start law (NULL: the model's own), which is checked.
lgkt_status lgkt_values_from(const lgkt_values *values, const lgkt_mdp *mdp, const double *start,
                             double *mean, lgkt_error *error);

#endif
