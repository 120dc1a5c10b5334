// SPDX-License-Identifier: MIT
// FNV-1a with 64 bits (Fowler, Noll and Vo; RFC 9923): hash <- (hash xor byte) * prime, for each
// byte. Numbers are hashed as 8 bytes with the lowest first, so that all machines agree.
// SipHash-2-4: two rounds per word of the message, four at the end.

#include "core/hash.h"

#include <string.h>

#define FNV_PRIME UINT64_C(0x100000001b3)

// ---- FNV-1a ----

uint64_t lgkt_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * FNV_PRIME;
    return hash;
}

uint64_t lgkt_hash_u64(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        hash = (hash ^ (value & 0xff)) * FNV_PRIME;
        value >>= 8;
    }
    return hash;
}

uint64_t lgkt_hash_f64(uint64_t hash, double value)
{
    uint64_t bits = 0; // of +0.0, which stands for -0.0 too
    if (value != value)
        bits = UINT64_C(0x7ff8000000000000);
    else if (value != 0.0)
        memcpy(&bits, &value, sizeof bits);
    return lgkt_hash_u64(hash, bits);
}

// ---- SipHash ----

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

uint64_t lgkt_siphash(const uint64_t secret[2], const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    state s = {secret[0] ^ UINT64_C(0x736f6d6570736575), secret[1] ^ UINT64_C(0x646f72616e646f6d),
               secret[0] ^ UINT64_C(0x6c7967656e657261), secret[1] ^ UINT64_C(0x7465646279746573)};
    size_t left = size;
    for (; left >= 8; left -= 8, at += 8)
        absorb(&s, lgkt_get_u64(at));
    // the bytes left over, and the size on top of them
    uint64_t last = (uint64_t)size << 56;
    for (size_t i = 0; i < left; i++)
        last |= (uint64_t)at[i] << (8 * i);
    absorb(&s, last);
    s.v2 ^= 0xff;
    for (int i = 0; i < 4; i++)
        round_once(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
