// SPDX-License-Identifier: MIT
// Normal and gamma numbers, inlined: about 98.8% of the draws of a normal number end in the few lines
// below, and so do gamma numbers for shapes of 1 and more.
#pragma once

#include <math.h>

#include "core/elementary.h"
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

// A gamma number of a finite shape >= 1, the same as lgkt_rng_gamma's (rng.c says how it is made).
static inline double lgkt_gamma_fast(lgkt_rng *rng, double shape)
{
    const double d = shape - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        const double z = lgkt_normal_fast(rng);
        const double root = 1.0 + c * z;
        if (root <= 0.0)
            continue;
        // u is in (0, 1]: its logarithm is finite
        const double v = root * root * root, u = 1.0 - lgkt_rng_uniform(rng), z2 = z * z;
        // the squeeze decides nearly always and spares the logarithms
        if (u < 1.0 - 0.0331 * z2 * z2 || lgkt_log(u) < 0.5 * z2 + d * (1.0 - v + lgkt_log(v)))
            return d * v;
    }
}

// The logarithm of a gamma number: finite however small the shape is, where the number itself would
// be 0 with a probability of 0.5 at a shape of 0.001. NaN for a shape that is 0, negative or
// infinite.
double lgkt_log_gamma(lgkt_rng *rng, double shape);
