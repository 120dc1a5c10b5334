// SPDX-License-Identifier: MIT
// Extended value iteration on dense arrays, from its definition: nothing is skipped, nothing is
// remembered from one sweep to the next. For comparison with the shipped one.
#ifndef LGKT_TESTS_NAIVE_EVI_H
#define LGKT_TESTS_NAIVE_EVI_H

#include <stdbool.h>
#include <stdint.h>

enum { NAIVE_EVI_STATES = 16, NAIVE_EVI_PAIRS = 128 };

// ---- the best plausible law ----

// max q.v over the laws q with |q - p|_1 <= radius, by the dual. A p of zeros is no row: max v.
double naive_max_l1(const double *p, const double *v, int32_t n, double radius);
// The same over KL(p || q) <= radius, by a search over a grid of the dual.
double naive_max_kl(const double *p, const double *v, int32_t n, double radius);
// The dual function of the KL problem at nu = max v + s, s >= 0: an upper bound of the maximum.
double naive_kl_dual(const double *p, const double *v, int32_t n, double radius, double s);

// ---- projection ----

// The largest u <= v with u_x - u_y <= limit_xy (n, n), by relaxing constraint after constraint
// (Bellman and Ford); false, and v without meaning, if there is none.
bool naive_project(const double *limit, int32_t n, double *v);

// ---- value iteration ----

typedef struct naive_evi {
    int32_t states, actions;
    bool kl;
    double p[NAIVE_EVI_PAIRS * NAIVE_EVI_STATES]; // (S, A, S); a row of zeros is an unvisited pair
    double reward[NAIVE_EVI_PAIRS];               // (S, A), optimistic
    double radius[NAIVE_EVI_PAIRS];               // (S, A)
    double mitigation[NAIVE_EVI_PAIRS];           // (S, A)
    bool constrained;
    double limit[NAIVE_EVI_STATES * NAIVE_EVI_STATES]; // (S, S), if constrained
} naive_evi;

// reward + max q.u of a pair, mitigated
double naive_evi_pair(const naive_evi *evi, int32_t state, int32_t action, const double *u);
// One Jacobi sweep with projection.
void naive_evi_sweep(const naive_evi *evi, const double *u, double *v);
// Sweeps from u = 0 until the growth of all states agrees within precision; returns the gain.
// Moves half way to v in each sweep, so that it cannot cycle. u (S): the bias, smallest entry 0.
// NaN after a million sweeps.
double naive_evi_solve(const naive_evi *evi, double precision, double *u);

// The highest gain of all policies over all extreme points of the L1 balls, one by one. For at most
// 4 states; every pair must have a row, mitigation and constraints are not looked at.
double naive_evi_enumerate(const naive_evi *evi);
// The highest gain (over start states) of a kernel (S, S) with these rewards (S).
double naive_kernel_gain(const double *kernel, const double *reward, int32_t states);

#endif
