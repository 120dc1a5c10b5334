// SPDX-License-Identifier: MIT
// Memory through the caller's hooks.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

static void *default_alloc(void *ctx, size_t size)
{
    (void)ctx;
    return malloc(size);
}

static void default_free(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

// ---- internal interface ----

lgkt_allocator lgkt_allocator_resolve(const lgkt_allocator *allocator)
{
    // half a pair of hooks would free with one what came from the other
    if (allocator != NULL && allocator->alloc != NULL && allocator->free != NULL)
        return *allocator;
    return (lgkt_allocator){.alloc = default_alloc, .free = default_free};
}

void *lgkt_alloc_zeroed(const lgkt_allocator *allocator, size_t count, size_t size)
{
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    if (count == 0)
        count = 1;
    if (size == 0 || count > PTRDIFF_MAX / size)
        return NULL;
    // calloc need not touch pages that come zeroed from the system
    if (hooks.alloc == default_alloc)
        return calloc(count, size);
    void *memory = hooks.alloc(hooks.ctx, count * size);
    if (memory != NULL)
        memset(memory, 0, count * size);
    return memory;
}

void lgkt_free(const lgkt_allocator *allocator, const void *memory)
{
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    if (memory != NULL)
        hooks.free(hooks.ctx, (void *)(uintptr_t)memory);
}

bool lgkt_grow(const lgkt_allocator *allocator, void **array, size_t *capacity, size_t used,
               size_t needed, size_t size)
{
    if (needed <= *capacity)
        return true;
    size_t slots = *capacity + *capacity / 2;
    if (slots < needed)
        slots = needed;
    if (slots < 8)
        slots = 8;
    void *grown = lgkt_alloc_zeroed(allocator, slots, size);
    if (grown == NULL)
        return false;
    if (used > 0)
        memcpy(grown, *array, used * size);
    lgkt_free(allocator, *array);
    *array = grown;
    *capacity = slots;
    return true;
}
