// SPDX-License-Identifier: MIT
// SipHash-2-4 (Aumasson and Bernstein 2012): a hash for tables of keys that strangers may choose.
#ifndef LGKT_CORE_SIPHASH_H
#define LGKT_CORE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t lgkt_siphash(const uint64_t secret[2], const void *bytes, size_t size);

#endif
