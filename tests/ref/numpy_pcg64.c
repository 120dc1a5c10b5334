// SPDX-License-Identifier: MIT
// NumPy's random numbers, to replay trajectories of Gymnasium.
//
// SeedSequence (after O'Neill's seed_seq_fe): four 32-bit words of entropy are hashed into a pool,
// each word of the pool is mixed with each other, and eight words are hashed out of it. PCG64 is
// the 128-bit linear congruential generator x <- M x + c with the output function XSL-RR: the xor
// of both halves, rotated by the top six bits. A uniform number is the top 53 bits of one output.
#include "ref/numpy_pcg64.h"

__extension__ typedef unsigned __int128 u128;

// ---- SeedSequence ----

enum { POOL = 4 };

typedef struct hasher {
    uint32_t constant;
    uint32_t factor;
} hasher;

static uint32_t hash_word(hasher *h, uint32_t word)
{
    word ^= h->constant;
    h->constant *= h->factor;
    word *= h->constant;
    return word ^ (word >> 16);
}

static uint32_t mix_words(uint32_t a, uint32_t b)
{
    const uint32_t mixed = a * 0xca01f9ddu - b * 0x4973f715u;
    return mixed ^ (mixed >> 16);
}

static void fill_pool(uint32_t seed, uint32_t *pool)
{
    hasher in = {0x43b0d7e5u, 0x931e8875u};
    for (int i = 0; i < POOL; i++)
        pool[i] = hash_word(&in, i == 0 ? seed : 0);
    for (int from = 0; from < POOL; from++)
        for (int to = 0; to < POOL; to++)
            if (from != to)
                pool[to] = mix_words(pool[to], hash_word(&in, pool[from]));
}

// ---- PCG64 ----

static u128 join(const uint64_t *halves)
{
    return (u128)halves[0] << 64 | halves[1];
}

static void split(u128 x, uint64_t *halves)
{
    halves[0] = (uint64_t)(x >> 64);
    halves[1] = (uint64_t)x;
}

static void advance(numpy_pcg64 *rng)
{
    const uint64_t factor[2] = {0x2360ed051fc65da4u, 0x4385df649fccf645u};
    split(join(rng->state) * join(factor) + join(rng->step), rng->state);
}

numpy_pcg64 numpy_pcg64_seed(uint32_t seed)
{
    uint32_t pool[POOL];
    uint64_t word[4];
    fill_pool(seed, pool);
    hasher out = {0x8b51f9ddu, 0x58f38dedu};
    for (int i = 0; i < 4; i++) {
        const uint64_t low = hash_word(&out, pool[2 * i % POOL]);
        const uint64_t high = hash_word(&out, pool[(2 * i + 1) % POOL]);
        word[i] = high << 32 | low;
    }
    numpy_pcg64 rng = {{0, 0}, {0, 0}};
    split(join(&word[2]) << 1 | 1, rng.step);
    advance(&rng);
    split(join(rng.state) + join(&word[0]), rng.state);
    advance(&rng);
    return rng;
}

double numpy_pcg64_uniform(numpy_pcg64 *rng)
{
    advance(rng);
    const uint64_t folded = rng->state[0] ^ rng->state[1];
    const unsigned turn = (unsigned)(rng->state[0] >> 58);
    const uint64_t output = folded >> turn | folded << (-turn & 63);
    return (double)(output >> 11) * 0x1p-53;
}
