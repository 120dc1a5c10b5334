// SPDX-License-Identifier: MIT
// Gamma numbers, inlined for shapes of 1 and more, and the logarithms of those of small shapes.
#ifndef LGKT_CORE_GAMMA_H
#define LGKT_CORE_GAMMA_H

#include <math.h>

#include "core/elementary.h"
#include "core/normal.h"

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

#endif
