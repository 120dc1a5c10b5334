// SPDX-License-Identifier: MIT
// The pool of row_pool.h.

#include "learners/row_pool.h"

#include "core/alloc.h"

// items are numbered by int32_t
#define MAX_ITEMS INT32_MAX

static bool reserve(lgkt_learner *learner, lgkt_row_pool *pool, int64_t capacity)
{
    if (capacity <= pool->capacity)
        return true;
    void *items = lgkt_learner_resize(learner, pool->items, (size_t)pool->capacity,
                                      (size_t)capacity, pool->size);
    if (items == NULL)
        return false;
    pool->items = items;
    pool->capacity = capacity;
    return true;
}

bool lgkt_row_pool_grow(lgkt_learner *learner, lgkt_row_pool *pool, int32_t states, int32_t per_row)
{
    const double rows = (double)states * (double)learner->problem.actions;
    const double most = rows * (double)per_row;
    pool->most = most < MAX_ITEMS ? (int64_t)most : MAX_ITEMS;
    if (learner->grows)
        return true;
    const int64_t steps = learner->problem.horizon;
    return reserve(learner, pool, steps < pool->most ? steps : pool->most);
}

// twice as many, or all there can be; false also if they could not be numbered
static bool extend(lgkt_learner *learner, lgkt_row_pool *pool)
{
    const int64_t twice = 2 * pool->capacity + 16;
    const int64_t capacity = twice < pool->most ? twice : pool->most;
    return capacity > pool->capacity && reserve(learner, pool, capacity);
}

bool lgkt_row_pool_prepare(lgkt_learner *learner, lgkt_row_pool *pool)
{
    const bool full = pool->used == pool->most && pool->most < MAX_ITEMS;
    return full || pool->used < pool->capacity || extend(learner, pool);
}

int32_t lgkt_row_pool_take(lgkt_learner *learner, lgkt_row_pool *pool)
{
    if (pool->used == pool->capacity && !extend(learner, pool))
        return -1;
    return (int32_t)pool->used++;
}

// ---- saving ----

size_t *lgkt_row_pool_visit(lgkt_learner *learner, lgkt_row_pool *pool, lgkt_archive *archive)
{
    int64_t used = pool->used;
    lgkt_visit_i64(archive, &used, 1, 0, MAX_ITEMS);
    if (archive->mode != LGKT_ARCHIVE_LOAD || archive->bad)
        return NULL;
    // each item takes at least 16 bytes of what is still to be read
    archive->bad = (uint64_t)used > (archive->capacity - archive->at) / 16;
    if (archive->bad)
        return NULL;
    const size_t states = (size_t)learner->problem.states;
    size_t *marks = NULL;
    if (reserve(learner, pool, used))
        marks = lgkt_alloc_zeroed(&learner->allocator, states, sizeof *marks);
    if (marks == NULL)
        lgkt_archive_starve(archive);
    return marks;
}

int32_t lgkt_row_pool_load(lgkt_row_pool *pool, lgkt_archive *archive)
{
    archive->bad |= pool->used == pool->capacity;
    return archive->bad ? -1 : (int32_t)pool->used++;
}
