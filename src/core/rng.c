// SPDX-License-Identifier: MIT
// Named streams, and normal and gamma numbers.
//
// Streams. The root seed, the FNV-1a hash of the name and the index are absorbed one after the
// other into 64 bits, each followed by the SplitMix64 step, which is a bijection: with two of the
// three fixed, different values of the third give different streams. The 256 bits of state are the
// next four outputs. They come from four different SplitMix64 states, so at most one is 0 and the
// all-zero state of xoshiro256++, a fixed point, cannot occur.
//
// Normal: the ziggurat of Marsaglia and Tsang (2000) with 256 layers of equal area v under
// f(x) = exp(-x^2/2), x >= 0, and its mirror image. Layer i = 1 .. 255 is the rectangle
// [0, x_i] x [f(x_i), f(x_{i+1})], r = x_1 > x_2 > .. > x_256 = 0; layer 0 is the rectangle below
// f(r) together with the tail beyond r, drawn as a rectangle of width x_0 = v / f(r). One number
// gives layer, sign and x. x < x_{i+1} is under the curve for sure; otherwise the wedge is decided
// by f(x), the tail is drawn by Marsaglia's (1964) method: x = -ln(U)/r, y = -ln(U'), accepted when
// 2y > x^2, is exact.
//
// Gamma: Marsaglia and Tsang (2000b) for shape >= 1: with d = shape - 1/3, c = 1/sqrt(9d), z
// normal and v = (1 + c z)^3, d v is accepted when ln U < z^2/2 + d - d v + d ln v. Below 1, the
// gamma number of shape + 1 times U^(1/shape), as exp(ln(U)/shape), which is 0 when it underflows.

#include <math.h>
#include <string.h>

#include "core/normal.h"
#include "core/hash.h"
#include "core/ziggurat_table.h"

// ---- streams ----

static uint64_t absorb(uint64_t state, uint64_t word)
{
    state ^= word;
    return lgkt_splitmix(&state);
}

lgkt_rng lgkt_rng_stream(uint64_t root_seed, const char *name, uint64_t index)
{
    const size_t length = name != NULL ? strlen(name) : 0;
    uint64_t state = absorb(0, root_seed);
    state = absorb(state, lgkt_hash_bytes(LGKT_HASH_START, name, length));
    state = absorb(state, index);
    lgkt_rng rng;
    for (int i = 0; i < 4; i++)
        rng.s[i] = lgkt_splitmix(&state);
    return rng;
}

// ---- normal ----

// A uniform number in (0, 1], whose logarithm is finite.
static double uniform_positive(lgkt_rng *rng)
{
    return 1.0 - lgkt_rng_uniform(rng);
}

double lgkt_normal_rare(lgkt_rng *rng, uint32_t layer, double x)
{
    if (layer == 0) {
        double beyond, y;
        do {
            beyond = -lgkt_log(uniform_positive(rng)) / ZIGGURAT_R;
            y = -lgkt_log(uniform_positive(rng));
        } while (!(2.0 * y > beyond * beyond));
        return copysign(ZIGGURAT_R + beyond, x);
    }
    const double low = ziggurat_f[layer], high = ziggurat_f[layer + 1];
    const double y = low + lgkt_rng_uniform(rng) * (high - low);
    return y < lgkt_exp(-0.5 * x * x) ? x : lgkt_normal_fast(rng);
}

double lgkt_rng_normal(lgkt_rng *rng)
{
    return lgkt_normal_fast(rng);
}

// ---- gamma ----

double lgkt_rng_gamma(lgkt_rng *rng, double shape)
{
    // a shape that is out of range would make its loop run for ever
    if (!(shape > 0.0) || isinf(shape))
        return NAN;
    if (shape >= 1.0)
        return lgkt_gamma_fast(rng, shape);
    const double g = lgkt_gamma_fast(rng, shape + 1.0);
    return g * lgkt_exp(lgkt_log(uniform_positive(rng)) / shape);
}

double lgkt_log_gamma(lgkt_rng *rng, double shape)
{
    if (!(shape > 0.0) || isinf(shape))
        return NAN;
    if (shape >= 1.0)
        return lgkt_log(lgkt_gamma_fast(rng, shape));
    const double g = lgkt_log(lgkt_gamma_fast(rng, shape + 1.0));
    return g + lgkt_log(uniform_positive(rng)) / shape;
}

// ---- one of n ----

int32_t lgkt_sample_index(const double *p, int32_t n, double u)
{
    double sum = 0.0;
    for (int32_t j = 0; j < n - 1; j++) {
        sum += p[j];
        if (sum > u)
            return j;
    }
    return n - 1;
}
