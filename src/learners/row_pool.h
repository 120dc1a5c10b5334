// SPDX-License-Identifier: MIT
// One row of items for each pair, all in one pool: what counts.h and successors.h share.
//
// A row is a chain of items, which are numbered in the order they were taken. A step adds at most
// one item, and no row has more than `per_row`, so that min(T, S A per_row) are always enough. A
// pool of that size is taken at creation where all states are known: no step allocates. Steps
// beyond T, which only feeding can bring, and states that become known double it, up to the items
// that the rows can have.
#ifndef LGKT_LEARNERS_ROW_POOL_H
#define LGKT_LEARNERS_ROW_POOL_H

#include "learners/learner_private.h"

typedef struct lgkt_row_pool {
    void *items; // (capacity)
    size_t size; // bytes of one
    int64_t used, capacity;
    int64_t most; // that all rows can have
} lgkt_row_pool;

// Rows for so many states; false when memory is out.
bool lgkt_row_pool_grow(lgkt_learner *learner, lgkt_row_pool *pool, int32_t states,
                        int32_t per_row);
// Room for one more item, if there can be one; false when memory is out.
bool lgkt_row_pool_prepare(lgkt_learner *learner, lgkt_row_pool *pool);
// The number of a new item, whose content is up to the caller; -1 when memory is out.
int32_t lgkt_row_pool_take(lgkt_learner *learner, lgkt_row_pool *pool);

// ---- saving ----

// Visits how many items there are. Loading makes room for all of them, and for marks (S): the last
// row, + 1, that leads to a state. The caller frees them. NULL if this is no loading, or if it
// cannot go on.
size_t *lgkt_row_pool_visit(lgkt_learner *learner, lgkt_row_pool *pool, lgkt_archive *archive);
// As take, of the items that were announced.
int32_t lgkt_row_pool_load(lgkt_row_pool *pool, lgkt_archive *archive);

// Row number z leads to this state, which may be so once.
static inline void lgkt_row_pool_mark(lgkt_archive *archive, size_t *marks, size_t z, int32_t state)
{
    archive->bad |= marks[state] == z + 1;
    marks[state] = z + 1;
}

#endif
