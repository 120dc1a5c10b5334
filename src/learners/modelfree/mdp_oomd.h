// SPDX-License-Identifier: MIT
// One step of mirror descent on the simplex with the log barrier as regulariser, as mdp_oomd.c uses
// it.
//
//   x = argmax over the simplex of <x, beta> - D(x, y),
//
// where D is the Bregman divergence of (1/eta) sum_a ln(1/x_a). The solution is
//   1/x_a = 1/y_a - eta beta_a + lambda,   lambda such that the x_a are positive and sum to 1.
//
// With g_a = (1/y_a - eta beta_a) - min_b(1/y_b - eta beta_b) >= 0 and X = lambda + that minimum,
// sum_a 1/(X + g_a) = 1 is solved for X. The left side is convex and decreasing, at least 1 at
// X = 1, and by Jensen at least n/(X + mean g): from X = max(1, n - mean g) Newton's method goes up
// to the root without overshooting, 3 to 7 steps to the last digit. This needs no 1/y_a - eta
// beta_a to be positive. Adding a constant to beta changes nothing.
#ifndef LGKT_LEARNERS_MDP_OOMD_H
#define LGKT_LEARNERS_MDP_OOMD_H

#include <stdint.h>

// No probability falls below this (before x is scaled to sum 1).
#define LGKT_BARRIER_FLOOR 1e-12

// Writes x (n), which may be y; returns lambda. y (n) is positive with sum 1. O(n) per Newton step.
double lgkt_log_barrier_step(const double *y, const double *beta, double eta, int32_t n, double *x);

#endif
