// SPDX-License-Identifier: MIT
// The pool of pool.h. Each block begins with a head; the first one lies at the start of the memory.
#include "pool.h"

#include <stdalign.h>

typedef struct head {
    alignas(max_align_t) size_t size; // with the head
    bool used;
} head;

static head *first(const pool *p)
{
    return (head *)(void *)p->memory;
}

// NULL behind the last one
static head *after(const pool *p, const head *block)
{
    unsigned char *next = (unsigned char *)(uintptr_t)block + block->size;
    return next < p->memory + p->size ? (head *)(void *)next : NULL;
}

static void *take(void *ctx, size_t size)
{
    pool *p = ctx;
    if (size > p->size)
        return NULL;
    const size_t needed = sizeof(head) + (size + sizeof(head) - 1) / sizeof(head) * sizeof(head);
    head *gap = first(p);
    while (gap != NULL && (gap->used || gap->size < needed))
        gap = after(p, gap);
    if (gap == NULL)
        return NULL;
    // what is left over is a gap of its own, if only a head
    if (gap->size > needed) {
        head *rest = (head *)(void *)((unsigned char *)gap + needed);
        *rest = (head){.size = gap->size - needed};
        gap->size = needed;
    }
    gap->used = true;
    p->held += needed;
    if (p->held > p->peak)
        p->peak = p->held;
    return gap + 1;
}

static void give_back(void *ctx, void *memory)
{
    pool *p = ctx;
    head *freed = (head *)memory - 1;
    freed->used = false;
    p->held -= freed->size;
    for (head *block = first(p), *next; (next = after(p, block)) != NULL;) {
        if (block->used || next->used)
            block = next;
        else
            block->size += next->size;
    }
}

void pool_open(pool *p, void *memory, size_t size)
{
    *p = (pool){.memory = memory, .size = size / sizeof(head) * sizeof(head)};
    *first(p) = (head){.size = p->size};
}

lgkt_allocator pool_allocator(pool *p)
{
    return (lgkt_allocator){.alloc = take, .free = give_back, .ctx = p};
}
