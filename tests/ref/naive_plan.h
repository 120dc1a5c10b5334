// SPDX-License-Identifier: MIT
// Planning once more: dense arrays, plain recursions, enumeration. Slow and simple.
#ifndef LGKT_TESTS_NAIVE_PLAN_H
#define LGKT_TESTS_NAIVE_PLAN_H

#include "lgkt/plan.h"

// P(y | s, a), found by a walk through the row.
double naive_p(const lgkt_mdp *mdp, int32_t s, int32_t a, int32_t y);

// Q_k into q (S, A), by the plain recursion.
void naive_q(const lgkt_mdp *mdp, int64_t k, double *q);
// V_k into v (S).
void naive_v(const lgkt_mdp *mdp, int64_t k, double *v);

// The value of a policy from each state, by the plain recursion over its whole horizon.
void naive_policy_value(const lgkt_policy *policy, const lgkt_mdp *mdp, double *value);

// The best total reward of `horizon` steps from a state over all deterministic rules (t, s) -> a,
// tried one by one: A^(S * horizon) of them.
double naive_best_rule(const lgkt_mdp *mdp, int32_t horizon, int32_t state);

// The expected total cost of a policy from a state, over all paths one by one.
double naive_path_cost(const lgkt_cost *cost, const lgkt_policy *policy, const lgkt_mdp *mdp,
                       int64_t t, int32_t state);

// The average reward per step of what a policy plays with its horizon to go, from the stationary
// law of its chain by Gaussian elimination. The chain must have one recurrent class.
double naive_policy_gain(const lgkt_policy *policy, const lgkt_mdp *mdp);

// The sum of Theorem 3.5, term by term, and in *plain the same without the factors V; the optimal
// action is the lowest within 1e-12 max(1, |Q|).
double naive_gap_bound(const lgkt_policy *policy, const lgkt_mdp *mdp, int64_t k, double *plain);

#endif
