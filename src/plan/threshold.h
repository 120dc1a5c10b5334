// SPDX-License-Identifier: MIT
// Reading a threshold gamma(t, s), for planners and learners alike.
#ifndef LGKT_PLAN_THRESHOLD_H
#define LGKT_PLAN_THRESHOLD_H

#include <math.h>

#include "lgkt/plan.h"

// True if the threshold is the same at all times and in all states.
static inline bool lgkt_threshold_is_constant(const lgkt_threshold *threshold)
{
    return threshold->fn == NULL && threshold->table == NULL;
}

// gamma(t, s) at depth k; a NaN becomes +infinity, so that no comparison sees one.
static inline double lgkt_threshold_at(const lgkt_threshold *threshold, int32_t states, int64_t t,
                                       int32_t state, int32_t k)
{
    double gamma = threshold->constant;
    if (threshold->fn != NULL) {
        gamma = threshold->fn(threshold->ctx, t, state, k);
    } else if (threshold->table != NULL) {
        const int64_t row = t < threshold->table_steps ? t : threshold->table_steps - 1;
        gamma = threshold->table[row * states + state];
    }
    return isnan(gamma) ? INFINITY : gamma;
}

#endif
