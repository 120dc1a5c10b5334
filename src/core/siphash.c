// SPDX-License-Identifier: MIT
// SipHash-2-4: two rounds per word of the message, four at the end.

#include "core/siphash.h"

typedef struct state {
    uint64_t v0, v1, v2, v3;
} state;

static uint64_t rotate(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

static void round_once(state *s)
{
    s->v0 += s->v1;
    s->v1 = rotate(s->v1, 13) ^ s->v0;
    s->v0 = rotate(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotate(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotate(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotate(s->v1, 17) ^ s->v2;
    s->v2 = rotate(s->v2, 32);
}

static void absorb(state *s, uint64_t word)
{
    s->v3 ^= word;
    round_once(s);
    round_once(s);
    s->v0 ^= word;
}

// fewer than 8 bytes, the first one lowest
static uint64_t word_of(const unsigned char *bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

// the same for all 8 bytes, in a form that compilers make one load of
static uint64_t whole_word_of(const unsigned char *b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

uint64_t lgkt_siphash(const uint64_t secret[2], const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    state s = {secret[0] ^ UINT64_C(0x736f6d6570736575), secret[1] ^ UINT64_C(0x646f72616e646f6d),
               secret[0] ^ UINT64_C(0x6c7967656e657261), secret[1] ^ UINT64_C(0x7465646279746573)};
    size_t left = size;
    for (; left >= 8; left -= 8, at += 8)
        absorb(&s, whole_word_of(at));
    absorb(&s, word_of(at, left) | (uint64_t)size << 56);
    s.v2 ^= 0xff;
    for (int i = 0; i < 4; i++)
        round_once(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
