// SPDX-License-Identifier: MIT
// Small pieces of integer arithmetic shared by the generator and the samplers.
#ifndef LGKT_CORE_MIX_H
#define LGKT_CORE_MIX_H

#include <stdint.h>

// The high 64 bits of a*b; the low ones go to *low.
static inline uint64_t lgkt_mul_high(uint64_t a, uint64_t b, uint64_t *low)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 lgkt_u128;
    const lgkt_u128 product = (lgkt_u128)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    const uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    const uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    const uint64_t mid = (p00 >> 32) + (p01 & 0xffffffffu) + (p10 & 0xffffffffu);
    *low = (mid << 32) | (p00 & 0xffffffffu);
    return p11 + (p01 >> 32) + (p10 >> 32) + (mid >> 32);
#endif
}

// SplitMix64 (Steele, Lea and Flood 2014): advances *state and returns a well mixed number.
static inline uint64_t lgkt_splitmix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
