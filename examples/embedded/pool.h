// SPDX-License-Identifier: MIT
// Memory for the library out of one static array, for machines without a heap: blocks one behind
// the other, each with a head that says how long it is. A block is taken where the first gap is
// large enough, and gaps that meet become one. Learners take their blocks when they are made or
// loaded, so that the time this takes hardly matters.
#ifndef POOL_H
#define POOL_H

#include <stdint.h>

#include <lgkt/base.h>

typedef struct pool {
    unsigned char *memory; // aligned for any type
    size_t size;
    size_t held, peak; // bytes of blocks with their heads: now, and at most
} pool;

/// Makes all of `memory` one gap. It belongs to the caller.
void pool_open(pool *pool, void *memory, size_t size);
/// The hooks that the library takes; the pool must outlive what is made with them.
lgkt_allocator pool_allocator(pool *pool);

#endif
