// SPDX-License-Identifier: MIT
// Rows that drift towards uniform while a planning goes on: a defect of the code released with the
// LGKT paper, for comparison with its results.
//
// Its inner maximum over a KL ball adds 0.001 to every probability of the row that it is given and
// divides by the sum, and the row stays so. At the m-th evaluation of a planning it is
//
//   p_m = 1/S + a^m (phat - 1/S),   a = 1/(1 + S/1000),
//
// the same m for all pairs, since each sweep evaluates each pair once. All states have mass.
#pragma once

#include <stdint.h>

#include "learners/model/support.h"

enum { LGKT_DRIFT_NODES = 801 };

typedef struct lgkt_drifting {
    double share; // a^m, the weight of phat
    // of the values V of this sweep, over all states alike
    int32_t states;
    double top, mean, variance;
    double *logs; // (LGKT_DRIFT_NODES), mean of ln(1 + d/s) at the nodes; 0: not computed yet
} lgkt_drifting;

// One more evaluation of all pairs.
void lgkt_drifting_step(lgkt_drifting *drifting, int32_t states);
// The values are these (states) from now on, the smallest of them 0.
void lgkt_drifting_take(lgkt_drifting *drifting, const double *values, int32_t states);
// p_m.V, where phat.V is `mean`.
double lgkt_drifting_mean(const lgkt_drifting *drifting, double mean);
// max q.V over KL(p_m || q) <= radius; `row` is phat, and `values` are those that were taken.
double lgkt_drifting_max(lgkt_drifting *drifting, const double *values, const lgkt_support *row,
                         double radius);
