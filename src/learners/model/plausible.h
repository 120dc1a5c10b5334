// SPDX-License-Identifier: MIT
// What is plausible given what was seen: confidence radii, and the most optimistic next value over
// all transition laws within them.
//
// Radii by visit count; those of rewards are for rewards in [0, 1]:
//
//   mixture    time-uniform bounds by the method of mixtures, valid for all n at once; delta is
//              per pair (l1: Weissman et al. 2003, kl: Jonsson et al. 2020)
//     reward   sqrt((1 + 1/n) ln(sqrt(1 + n)/delta) / (2n))
//     l1       sqrt(2 (1 + 1/n) ln(sqrt(1 + n) (2^S - 2)/delta) / n)
//     kl       (ln(1/delta) + (S-1)(1 + ln(1 + n/(S-1)))) / n
//   original   as printed in UCRL2 (Jaksch et al. 2010) and KL-UCRL (Filippi et al. 2010)
//     reward   l1: sqrt(7 ln(2 S A t/delta) / (2n))
//              kl: sqrt(ln(4 S A ln(T)/delta) / 1.99) / sqrt(n)
//     l1       sqrt(14 S ln(2 A t/delta) / n)
//     kl       S (B + ln(B + 1/ln T)(1 + 1/(B + 1/ln T))) / n,   B = ln(2 e S^2 A ln(T)/delta)
//
// A row of the empirical model is a list of successors with their shares p_i > 0, which sum to 1.
// Over a ball of laws q around it, of radius `radius`, these functions give max q.V:
//
//   l1   |q - p|_1 <= radius          kl   KL(p || q) <= radius
//
// Successors that were never seen may get mass, so the highest value of all states counts too.
#ifndef LGKT_LEARNERS_PLAUSIBLE_H
#define LGKT_LEARNERS_PLAUSIBLE_H

#include <stdint.h>

// a box has no radius: see box.h
typedef enum lgkt_region { LGKT_REGION_L1, LGKT_REGION_KL, LGKT_REGION_BOX } lgkt_region;
typedef enum lgkt_bound { LGKT_BOUND_MIXTURE, LGKT_BOUND_ORIGINAL } lgkt_bound;

typedef struct lgkt_radii {
    lgkt_region region;
    lgkt_bound bound;
    double states, actions, horizon; // S, A, T
    double t;                        // time of the planning, from 1
    double delta;
} lgkt_radii;

// n >= 1.
double lgkt_radius_reward(const lgkt_radii *radii, double n);
double lgkt_radius_row(const lgkt_radii *radii, double n);

// A row, gathered: value[i] is V of successor i.
typedef struct lgkt_support {
    int32_t n;     // successors, at least 1
    double *p;     // (n)
    double *value; // (n); l1 reorders both arrays
} lgkt_support;

// `top` is the highest value of all states.
double lgkt_max_l1(lgkt_support *row, double top, double radius);

// `warm` is where the root was last found (log scale), and is updated; NaN: nowhere yet.
double lgkt_max_kl(const lgkt_support *row, double top, double radius, double *warm);

#endif
