// SPDX-License-Identifier: MIT
// FNV-1a over meaningful bytes, for state hashes and golden values. Not for hash tables of
// untrusted keys.
#ifndef LGKT_CORE_HASH_H
#define LGKT_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define LGKT_HASH_START UINT64_C(0xcbf29ce484222325)

uint64_t lgkt_hash_bytes(uint64_t hash, const void *bytes, size_t size);
uint64_t lgkt_hash_u64(uint64_t hash, uint64_t value);
// Folds -0.0 into 0.0 and all NaNs into one.
uint64_t lgkt_hash_f64(uint64_t hash, double value);

#endif
