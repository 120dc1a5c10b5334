// SPDX-License-Identifier: MIT
// The smallest and the largest of many numbers.
#pragma once

#include <math.h>

enum { LGKT_RANGE_LANES = 2 };

// In lanes that do not wait for each other; those of lane 0 are the answer after lgkt_range_close.
typedef struct lgkt_range {
    double least[LGKT_RANGE_LANES], most[LGKT_RANGE_LANES];
} lgkt_range;

static inline void lgkt_range_add(lgkt_range *r, int lane, double x)
{
    // in this order it is one instruction of most processors
    r->least[lane] = r->least[lane] < x ? r->least[lane] : x;
    r->most[lane] = r->most[lane] > x ? r->most[lane] : x;
}

static inline void lgkt_range_close(lgkt_range *r)
{
    for (int lane = 1; lane < LGKT_RANGE_LANES; lane++) {
        r->least[0] = r->least[lane] < r->least[0] ? r->least[lane] : r->least[0];
        r->most[0] = r->most[lane] > r->most[0] ? r->most[lane] : r->most[0];
    }
}

static inline lgkt_range lgkt_range_none(void)
{
    lgkt_range r;
    for (int lane = 0; lane < LGKT_RANGE_LANES; lane++) {
        r.least[lane] = INFINITY;
        r.most[lane] = -INFINITY;
    }
    return r;
}
