// SPDX-License-Identifier: MIT
// FNV-1a with 64 bits (Fowler, Noll and Vo; RFC 9923): hash <- (hash xor byte) * prime, for each
// byte. Numbers are hashed as 8 bytes with the lowest first, so that all machines agree.

#include <string.h>

#include "core/hash.h"

#define FNV_PRIME UINT64_C(0x100000001b3)

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
