// SPDX-License-Identifier: MIT
// The best of a row of values, and a fair draw among those that share it.

#include "learners/best_action.h"

#include <math.h>

lgkt_best lgkt_best_of(const lgkt_action_values *values)
{
    const double *at = values->at;
    const size_t end = (size_t)values->count * values->stride;
    lgkt_best best = {.value = -INFINITY};
    for (size_t i = 0; i < end; i += values->stride)
        best.value = at[i] > best.value ? at[i] : best.value;
    const double least = best.value - values->slack;
    for (size_t i = end; i > 0; i -= values->stride)
        if (at[i - values->stride] >= least) {
            best.ties++;
            best.first = (int32_t)(i / values->stride) - 1;
        }
    return best;
}

void lgkt_best_change(lgkt_best *best, const lgkt_action_values *values, double before,
                      double after)
{
    const double least = best->value - values->slack;
    if (!(before < least && after < least))
        *best = lgkt_best_of(values);
}

int32_t lgkt_best_pick(const lgkt_best *best, const lgkt_action_values *values, lgkt_rng *rng)
{
    if (best->ties <= 1)
        return best->first;
    const double least = best->value - values->slack;
    int32_t left = lgkt_rng_below(rng, best->ties);
    int32_t a = best->first;
    while (a < values->count - 1 &&
           (!(values->at[(size_t)a * values->stride] >= least) || left-- > 0))
        a++;
    return a;
}
