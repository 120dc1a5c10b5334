// SPDX-License-Identifier: MIT
// The rows and the pool of blocks of successors.h.

#include "learners/successors.h"

#include "core/alloc.h"

// most visits of all rows together: counts are whole numbers in a double
#define MAX_VISITS (INT64_C(1) << 53)

// ---- room ----

bool lgkt_successors_grow(lgkt_learner *learner, lgkt_successors *seen, int32_t before,
                          int32_t after)
{
    const size_t actions = (size_t)learner->problem.actions;
    LGKT_RESIZE(learner, seen->rows, (size_t)before * actions, (size_t)after * actions, out);
    for (size_t z = (size_t)before * actions; z < (size_t)after * actions; z++)
        seen->rows[z].first = -1;
    seen->pool.size = sizeof(lgkt_block);
    return lgkt_row_pool_grow(learner, &seen->pool, after, (after + LGKT_BLOCK - 1) / LGKT_BLOCK);
out:
    return false;
}

void lgkt_successors_release(lgkt_learner *learner, lgkt_successors *seen)
{
    lgkt_learner_free(learner, seen->rows);
    lgkt_learner_free(learner, seen->pool.items);
}

bool lgkt_successors_prepare(lgkt_learner *learner, lgkt_successors *seen)
{
    return lgkt_row_pool_prepare(learner, &seen->pool);
}

// ---- blocks ----

static void empty_block(lgkt_block *block)
{
    *block = (lgkt_block){.other = -1};
    for (int i = 0; i < LGKT_BLOCK; i++)
        block->next[i] = -1;
}

// the last block of a row, or -1
static int32_t last_block(const lgkt_block *blocks, const lgkt_seen_row *row)
{
    int32_t last = row->first;
    while (last >= 0 && blocks[last].other >= 0)
        last = blocks[last].other;
    return last;
}

double *lgkt_successors_new(lgkt_learner *learner, lgkt_successors *seen, lgkt_seen_row *row,
                            int32_t next_state)
{
    lgkt_block *blocks = lgkt_successors_blocks(seen);
    int32_t last = last_block(blocks, row);
    if (last < 0 || blocks[last].next[LGKT_BLOCK - 1] >= 0) {
        const int32_t taken = lgkt_row_pool_take(learner, &seen->pool);
        if (taken < 0)
            return NULL;
        blocks = lgkt_successors_blocks(seen); // they may have moved
        empty_block(&blocks[taken]);
        *(last < 0 ? &row->first : &blocks[last].other) = taken;
        last = taken;
    }
    lgkt_block *block = &blocks[last];
    int at = 0;
    while (block->next[at] >= 0)
        at++;
    block->next[at] = next_state;
    return &block->count[at];
}

// ---- saving ----

static void visit_count(lgkt_archive *archive, double *count, int64_t lo, int64_t hi)
{
    int64_t whole = (int64_t)*count;
    lgkt_visit_i64(archive, &whole, 1, lo, hi);
    if (archive->mode == LGKT_ARCHIVE_LOAD)
        *count = (double)whole;
}

// how many successors a row has
static int64_t length_of(const lgkt_successors *seen, const lgkt_seen_row *row)
{
    int64_t length = 0;
    const lgkt_block *blocks = lgkt_successors_blocks(seen);
    for (int32_t b = row->first; b >= 0; b = blocks[b].other)
        for (int i = 0; i < LGKT_BLOCK; i++)
            length += blocks[b].next[i] >= 0;
    return length;
}

// The successors of row z, in their order; loading has marks.
static void visit_row(lgkt_learner *learner, lgkt_successors *seen, size_t z, size_t *marks,
                      lgkt_archive *archive)
{
    lgkt_seen_row *row = &seen->rows[z];
    lgkt_block *blocks = lgkt_successors_blocks(seen);
    int64_t length = length_of(seen, row), left = (int64_t)row->moves;
    lgkt_visit_i64(archive, &length, 1, 0, learner->problem.states);
    int32_t *link = &row->first;
    lgkt_block *block = NULL;
    for (int64_t i = 0; i < length && !archive->bad; i++) {
        const int64_t at = i % LGKT_BLOCK;
        if (at == 0 && marks != NULL) {
            *link = lgkt_row_pool_load(&seen->pool, archive);
            if (archive->bad)
                return;
            empty_block(&blocks[*link]);
        }
        block = at == 0 ? &blocks[*link] : block;
        link = &block->other;
        lgkt_visit_i32(archive, &block->next[at], 1, 0, learner->problem.states - 1);
        visit_count(archive, &block->count[at], 1, left);
        left -= (int64_t)block->count[at];
        if (marks != NULL && !archive->bad)
            lgkt_row_pool_mark(archive, marks, z, block->next[at]);
    }
    archive->bad |= marks != NULL && left != 0;
}

void lgkt_successors_visit(lgkt_learner *learner, lgkt_successors *seen, lgkt_archive *archive)
{
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    size_t *marks = lgkt_row_pool_visit(learner, &seen->pool, archive);
    int64_t left = MAX_VISITS;
    for (size_t z = 0; z < pairs && !archive->bad; z++) {
        lgkt_seen_row *row = &seen->rows[z];
        lgkt_visit_f64(archive, &row->reward, 1);
        visit_count(archive, &row->n, 0, left);
        left -= marks != NULL ? (int64_t)row->n : 0;
        visit_count(archive, &row->moves, 0, (int64_t)row->n);
        visit_row(learner, seen, z, marks, archive);
    }
    lgkt_free(&learner->allocator, marks);
}
