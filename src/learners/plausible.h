// SPDX-License-Identifier: MIT
// The most optimistic next value over all transition laws that are plausible given what was seen.
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
