// SPDX-License-Identifier: MIT
// Theorem 3.5 as it is right (docs/theory.md): how far a rule may be from the optimum, by plain
// recursion. Subscripts count steps to go; V_h is the optimum, a*_h(x) an optimal action, sp the
// largest minus the smallest value over the states.
#ifndef LGKT_TESTS_GAP_BOUND_H
#define LGKT_TESTS_GAP_BOUND_H

#include "lgkt/plan.h"

// What a rule plays: the chance of a with h steps to go in s is law[((h-1) S + s) A + a], of `law`
// (T, S, A), malloc'd.
double *gap_law_of(const lgkt_mdp *mdp, const lgkt_policy *policy);

typedef struct gap_sums {
    double optimum; // V_T of state 0
    double first;   // V_T - V^pi_T of state 0
    double gap;     // the largest of these over the states
    // sum over h of max_x [R(x,a*) - R_pi(x) + 1/2 |P_pi(x) - P_a*(x)|_1 sp(V_{h-1})]
    double repaired;
    // the same from state 0 with the states that the rule meets in place of the worst: sum over h of
    // the mean of [..]
    double along;
    // sum over h of max_x [(V_k(x) - gamma)^+ + 1/2 |P_pi(x) - P_a*(x)|_1 (sp(V_{k-1}) +
    // sp(V_{h-1}))] with k = min(h, K), for rules that play a good action, or the best where there
    // is none
    double slack;
    // as printed: sum over h > K of max_x |P_pi(x) - P_a*(x)|_1 max_x V_{h-1}(x)
    double printed;
} gap_sums;

// For a law as above. a* is the lowest of those within 1e-12 max(1, |Q|), or the highest.
gap_sums gap_measure(const lgkt_mdp *mdp, const double *law, int64_t horizon, int64_t k,
                     double gamma, bool highest);

#endif
