// SPDX-License-Identifier: MIT
// Normal numbers, inlined: about 98.8% of the draws end in the few lines below.
#ifndef LGKT_CORE_NORMAL_H
#define LGKT_CORE_NORMAL_H

#include <math.h>

#include "lgkt/rng.h"

// A layer of the ziggurat. |x| is uniform up to width 2^53; below `inner` no more needs checking.
typedef struct lgkt_normal_layer {
    double width; // right edge of the layer, times 2^-53
    double inner; // right edge of the layer above
} lgkt_normal_layer;

extern const lgkt_normal_layer lgkt_normal_layers[256];

// Decides the rest: x fell into the wedge or the tail of a layer.
double lgkt_normal_rare(lgkt_rng *rng, uint32_t layer, double x);

// The same numbers as lgkt_rng_normal.
static inline double lgkt_normal_fast(lgkt_rng *rng)
{
    const uint64_t bits = lgkt_rng_next(rng);
    const uint32_t layer = bits & 0xff;
    // an odd number between -2^53 and 2^53: exact as a double, and as often positive as negative
    const int64_t odd = (int64_t)((bits >> 10) | 1) - (INT64_C(1) << 53);
    const double x = (double)odd * lgkt_normal_layers[layer].width;
    if (fabs(x) < lgkt_normal_layers[layer].inner)
        return x;
    return lgkt_normal_rare(rng, layer, x);
}

#endif
