// SPDX-License-Identifier: MIT
// Confidence radii of rewards and transition rows, by visit count.
//
//   mixture    time-uniform bounds by the method of mixtures, valid for all n at once; delta is per
//   pair:
//     reward   sqrt((1 + 1/n) ln(sqrt(1 + n)/delta) / (2n))
//     l1       sqrt(2 (1 + 1/n) ln(sqrt(1 + n) (2^S - 2)/delta) / n)            (Weissman et al.
//     2003) kl       (ln(1/delta) + (S-1)(1 + ln(1 + n/(S-1)))) / n                   (Jonsson et
//     al. 2020)
//   original   as printed in UCRL2 (Jaksch et al. 2010) for l1, in KL-UCRL (Filippi et al. 2010)
//   for kl:
//     reward   l1: sqrt(7 ln(2 S A t/delta) / (2n))     kl: sqrt(ln(4 S A ln(T)/delta) / 1.99) /
//     sqrt(n) l1       sqrt(14 S ln(2 A t/delta) / n) kl       S (B + ln(B + 1/ln T)(1 + 1/(B +
//     1/ln T))) / n,   B = ln(2 e S^2 A ln(T)/delta)
//
// Radii of rewards are for rewards in [0, 1].
#ifndef LGKT_LEARNERS_RADII_H
#define LGKT_LEARNERS_RADII_H

#include "learners/evi.h"

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

#endif
