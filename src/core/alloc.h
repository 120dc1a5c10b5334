// SPDX-License-Identifier: MIT
// Memory through the caller's hooks. The only place of the library that knows malloc.
#pragma once

#include "lgkt/base.h"

// A copy of the caller's hooks, or malloc and free for NULL or a zero struct.
lgkt_allocator lgkt_allocator_resolve(const lgkt_allocator *allocator);

// `count` zeroed elements of `size` bytes each, or NULL when the product overflows or memory is
// out. A count of 0 gives one element, so that NULL always means failure.
void *lgkt_alloc_zeroed(const lgkt_allocator *allocator, size_t count, size_t size);

// Accepts NULL.
void lgkt_free(const lgkt_allocator *allocator, const void *memory);

// Grows an array of elements of `size` bytes from `used` to at least `needed` slots, geometrically;
// *capacity and *array are updated only on success. New slots are zero.
bool lgkt_grow(const lgkt_allocator *allocator, void **array, size_t *capacity, size_t used,
               size_t needed, size_t size);
