// SPDX-License-Identifier: MIT
// Boxes of transition laws on dense arrays, from their definition: intervals by a fine scan, the
// best law by all orders of filling up, the support state by state. For comparison with the shipped
// ones.
#ifndef LGKT_TESTS_NAIVE_BOX_H
#define LGKT_TESTS_NAIVE_BOX_H

#include <stdbool.h>
#include <stdint.h>

enum { NAIVE_BOX_STATES = 16 };

// max q.u over lo <= q <= up with sum q = 1, over the states of `in` (all others have q = 0), by
// trying every vertex: all entries but one at an end. For at most 8 states. What cannot be put
// anywhere is dropped.
double naive_box_vertices(const double *lo, const double *up, const bool *in, const double *u,
                          int32_t n);
// The same by filling up the best states first.
double naive_box_max(const double *lo, const double *up, const bool *in, const double *u,
                     int32_t n);
// The states that UCRL3 selects, one by one. `in` holds the seen ones, and the result.
void naive_noss(const double *up, bool *in, const double *u, int32_t n, double kap);

// UCRL3: whether q is plausible given share p in n moves, d0 = delta/(S A (3 + 3 S)).
bool naive_box_plausible(double q, double p, double n, double d0);

#endif
