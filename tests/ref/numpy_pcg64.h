// SPDX-License-Identifier: MIT
// NumPy's default_rng for one small seed: PCG64 seeded by SeedSequence. See numpy_pcg64.c.
#ifndef LGKT_TESTS_NUMPY_PCG64_H
#define LGKT_TESTS_NUMPY_PCG64_H

#include <stdint.h>

typedef struct numpy_pcg64 {
    uint64_t state[2]; // high, low
    uint64_t step[2];
} numpy_pcg64;

// numpy.random.Generator(numpy.random.PCG64(numpy.random.SeedSequence(seed)))
numpy_pcg64 numpy_pcg64_seed(uint32_t seed);
// Generator.random()
double numpy_pcg64_uniform(numpy_pcg64 *rng);

#endif
