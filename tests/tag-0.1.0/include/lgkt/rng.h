// SPDX-License-Identifier: MIT
// A random generator as a value, named streams split from one root seed, and samplers.
//
// The generator is xoshiro256++ (Blackman and Vigna 2019). A stream is named by (root seed, name,
// index): the three are hashed into its 256 bits of state, so any number of streams can be made in
// any order, by any thread. All learners, models and environments draw from streams; nothing else
// is random.
#ifndef LGKT_RNG_H
#define LGKT_RNG_H

#include "lgkt/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The whole state of a generator; copying it copies the stream.
typedef struct lgkt_rng {
    uint64_t s[4];
} lgkt_rng;

/// The stream `name`, number `index`, of a root seed. NULL is the same name as "".
LGKT_API lgkt_rng lgkt_rng_stream(uint64_t root_seed, const char *name, uint64_t index);

/// 64 random bits.
static inline uint64_t lgkt_rng_next(lgkt_rng *rng)
{
    uint64_t *s = rng->s;
    const uint64_t sum = s[0] + s[3];
    const uint64_t result = ((sum << 23) | (sum >> 41)) + s[0];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

/// A uniform number in [0, 1), a multiple of 2^-53.
static inline double lgkt_rng_uniform(lgkt_rng *rng)
{
    return (double)(lgkt_rng_next(rng) >> 11) * (1.0 / 9007199254740992.0); // 2^-53
}

/// A uniform whole number in 0 .. n-1, n >= 1; always exactly one draw (its bias is below n 2^-53).
static inline int32_t lgkt_rng_below(lgkt_rng *rng, int32_t n)
{
    return (int32_t)(lgkt_rng_uniform(rng) * n);
}

/// True with probability p.
static inline bool lgkt_rng_bernoulli(lgkt_rng *rng, double p)
{
    return lgkt_rng_uniform(rng) < p;
}

/// A standard normal number (ziggurat of 256 layers; mostly one draw).
LGKT_API double lgkt_rng_normal(lgkt_rng *rng);

/// A gamma number with scale 1, shape > 0. May underflow to 0 for a small shape.
LGKT_API double lgkt_rng_gamma(lgkt_rng *rng, double shape);

/// The smallest j with p[0] + .. + p[j] > u, or n-1 if there is none. Pure; no state.
LGKT_API int32_t lgkt_sample_index(const double *p, int32_t n, double u);

#ifdef __cplusplus
}
#endif
#endif
