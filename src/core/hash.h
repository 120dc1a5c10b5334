// SPDX-License-Identifier: MIT
// Words of 64 bits: as bytes, mixed, and two hashes. FNV-1a is for state hashes and checksums, not
// for tables of keys that strangers may choose: those are for SipHash.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define LGKT_HASH_START UINT64_C(0xcbf29ce484222325)

// Each byte enters by a bijection of the hash, so a change of a single byte never goes unseen.
uint64_t lgkt_hash_bytes(uint64_t hash, const void *bytes, size_t size);
uint64_t lgkt_hash_u64(uint64_t hash, uint64_t value);
// Folds -0.0 into 0.0 and all NaNs into one.
uint64_t lgkt_hash_f64(uint64_t hash, double value);

// SipHash-2-4 (Aumasson and Bernstein 2012).
uint64_t lgkt_siphash(const uint64_t secret[2], const void *bytes, size_t size);

// SplitMix64 (Steele, Lea and Flood 2014): advances *state and returns a well mixed number.
static inline uint64_t lgkt_splitmix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// A word as 8 bytes, the lowest first on every machine.
static inline void lgkt_put_u64(unsigned char bytes[8], uint64_t word)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(word >> (8 * i));
}

// written out, since compilers make one load of this form
static inline uint64_t lgkt_get_u64(const unsigned char b[8])
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}
