// SPDX-License-Identifier: MIT
// The generator once more: one bit or byte at a time where the library is quick.

#include <string.h>

#include "ref/naive_rng.h"

uint64_t naive_fnv(const void *bytes, size_t size)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++) {
        hash ^= ((const unsigned char *)bytes)[i];
        // the prime is 2^40 + 2^8 + 0xb3, and 0xb3 = 128 + 32 + 16 + 2 + 1
        hash = (hash << 40) + (hash << 8) + (hash << 7) + (hash << 5) + (hash << 4) + (hash << 1) +
               hash;
    }
    return hash;
}

uint64_t naive_splitmix(uint64_t seed, uint64_t n)
{
    uint64_t z = seed + n * UINT64_C(11400714819323198485);
    z ^= z >> 30;
    z *= UINT64_C(13787848793156543929);
    z ^= z >> 27;
    z *= UINT64_C(10723151780598845931);
    z ^= z >> 31;
    return z;
}

static uint64_t rotated(uint64_t x, int k)
{
    for (int i = 0; i < k; i++)
        x = (x << 1) + (x >> 63);
    return x;
}

void naive_xoshiro(const uint64_t state[4], uint64_t *outputs, size_t count)
{
    uint64_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (size_t i = 0; i < count; i++) {
        outputs[i] = rotated(a + d, 23) + a;
        const uint64_t new_a = a ^ b ^ d, new_b = b ^ c ^ a;
        const uint64_t new_c = c ^ a ^ (b << 17), new_d = rotated(d ^ b, 45);
        a = new_a;
        b = new_b;
        c = new_c;
        d = new_d;
    }
}

void naive_stream(uint64_t seed, const char *name, uint64_t index, uint64_t state[4])
{
    const uint64_t words[3] = {seed, naive_fnv(name, strlen(name)), index};
    uint64_t mixed = 0;
    for (int i = 0; i < 3; i++)
        mixed = naive_splitmix(mixed ^ words[i], 1);
    for (uint64_t i = 0; i < 4; i++)
        state[i] = naive_splitmix(mixed, i + 1);
}
