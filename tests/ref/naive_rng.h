// SPDX-License-Identifier: MIT
// The generator, its streams and their hashes once more, written from their definitions.
#ifndef LGKT_TESTS_NAIVE_RNG_H
#define LGKT_TESTS_NAIVE_RNG_H

#include <stddef.h>
#include <stdint.h>

// FNV-1a of the bytes of `bytes`, from the offset basis on; the product by shifts and additions.
uint64_t naive_fnv(const void *bytes, size_t size);

// The n-th output (n = 1, 2, ..) of SplitMix64 from a seed.
uint64_t naive_splitmix(uint64_t seed, uint64_t n);

// xoshiro256++: writes `count` outputs from a state, which is left as it was.
void naive_xoshiro(const uint64_t state[4], uint64_t *outputs, size_t count);

// The state of the stream (seed, name, index).
void naive_stream(uint64_t seed, const char *name, uint64_t index, uint64_t state[4]);

#endif
