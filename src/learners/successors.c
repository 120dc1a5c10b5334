// SPDX-License-Identifier: MIT
// The rows and the pool of blocks of successors.h.

#include "learners/successors.h"

#include "core/alloc.h"

// blocks are numbered by int32_t
#define MAX_BLOCKS INT32_MAX
// counts are whole numbers in a double
#define MAX_COUNT (INT64_C(1) << 53)

// ---- room ----

// how many blocks there can be at most
static int64_t most_blocks(const lgkt_learner *learner, int32_t states)
{
    const double per_row = (states + LGKT_BLOCK - 1) / LGKT_BLOCK;
    const double dense = (double)states * (double)learner->problem.actions * per_row;
    const double steps = (double)learner->problem.horizon;
    const double most = dense < steps ? dense : steps;
    return most < MAX_BLOCKS ? (int64_t)most : MAX_BLOCKS;
}

static bool grow_pool(lgkt_learner *learner, lgkt_successors *seen, int64_t capacity)
{
    if (capacity <= seen->capacity)
        return true;
    LGKT_RESIZE(learner, seen->blocks, (size_t)seen->capacity, (size_t)capacity, out);
    seen->capacity = capacity;
    return true;
out:
    return false;
}

bool lgkt_successors_grow(lgkt_learner *learner, lgkt_successors *seen, int32_t before,
                          int32_t after)
{
    const size_t actions = (size_t)learner->problem.actions;
    LGKT_RESIZE(learner, seen->rows, (size_t)before * actions, (size_t)after * actions, out);
    for (size_t z = (size_t)before * actions; z < (size_t)after * actions; z++)
        seen->rows[z].first = -1;
    return learner->grows || grow_pool(learner, seen, most_blocks(learner, after));
out:
    return false;
}

void lgkt_successors_release(lgkt_learner *learner, lgkt_successors *seen)
{
    lgkt_learner_free(learner, seen->rows);
    lgkt_learner_free(learner, seen->blocks);
}

bool lgkt_successors_prepare(lgkt_learner *learner, lgkt_successors *seen)
{
    if (seen->used < seen->capacity)
        return true;
    if (seen->used == MAX_BLOCKS)
        return false;
    const int64_t more = seen->capacity > MAX_BLOCKS / 2 ? MAX_BLOCKS : 2 * seen->capacity + 16;
    return grow_pool(learner, seen, more);
}

// ---- blocks ----

// an empty block from the pool, which has one
static int32_t take_block(lgkt_successors *seen)
{
    const int32_t b = (int32_t)seen->used++;
    lgkt_block *block = &seen->blocks[b];
    *block = (lgkt_block){.other = -1};
    for (int i = 0; i < LGKT_BLOCK; i++)
        block->next[i] = -1;
    return b;
}

// the last block of a row, or -1
static int32_t last_block(const lgkt_successors *seen, const lgkt_seen_row *row)
{
    int32_t last = row->first;
    while (last >= 0 && seen->blocks[last].other >= 0)
        last = seen->blocks[last].other;
    return last;
}

double *lgkt_successors_new(lgkt_learner *learner, lgkt_successors *seen, lgkt_seen_row *row,
                            int32_t next_state)
{
    int32_t last = last_block(seen, row);
    if (last < 0 || seen->blocks[last].next[LGKT_BLOCK - 1] >= 0) {
        if (!lgkt_successors_prepare(learner, seen))
            return NULL;
        const int32_t taken = take_block(seen);
        *(last < 0 ? &row->first : &seen->blocks[last].other) = taken;
        last = taken;
    }
    lgkt_block *block = &seen->blocks[last];
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
    for (int32_t b = row->first; b >= 0; b = seen->blocks[b].other)
        for (int i = 0; i < LGKT_BLOCK; i++)
            length += seen->blocks[b].next[i] >= 0;
    return length;
}

// The successors of row z. Loading takes the blocks from the pool, and has marks (S): the last row,
// + 1, that leads there.
static void visit_row(lgkt_learner *learner, lgkt_successors *seen, size_t z, size_t *marks,
                      lgkt_archive *archive)
{
    lgkt_seen_row *row = &seen->rows[z];
    int64_t length = length_of(seen, row), left = (int64_t)row->moves;
    lgkt_visit_i64(archive, &length, 1, 0, learner->problem.states);
    int32_t *link = &row->first;
    lgkt_block *block = NULL;
    for (int64_t i = 0; i < length && !archive->bad; i++) {
        const int64_t at = i % LGKT_BLOCK;
        if (at == 0 && marks != NULL) {
            archive->bad = seen->used == seen->capacity;
            if (archive->bad)
                return;
            *link = take_block(seen);
        }
        block = at == 0 ? &seen->blocks[*link] : block;
        link = &block->other;
        lgkt_visit_i32(archive, &block->next[at], 1, 0, learner->problem.states - 1);
        visit_count(archive, &block->count[at], 1, left);
        left -= (int64_t)block->count[at];
        if (marks == NULL || archive->bad)
            continue;
        // one place for each state
        archive->bad = marks[block->next[at]] == z + 1;
        marks[block->next[at]] = z + 1;
    }
    archive->bad |= marks != NULL && left != 0;
}

// room for all blocks before the first is loaded
static void make_room(lgkt_learner *learner, lgkt_successors *seen, lgkt_archive *archive)
{
    int64_t used = seen->used;
    lgkt_visit_i64(archive, &used, 1, 0, MAX_BLOCKS);
    if (archive->mode != LGKT_ARCHIVE_LOAD || archive->bad)
        return;
    // each block has a successor, which takes 16 bytes of what is still to be read
    archive->bad = (uint64_t)used > (archive->capacity - archive->at) / 16;
    if (!archive->bad && !grow_pool(learner, seen, used))
        lgkt_archive_starve(archive);
}

void lgkt_successors_visit(lgkt_learner *learner, lgkt_successors *seen, lgkt_archive *archive)
{
    const size_t states = (size_t)learner->problem.states;
    const size_t pairs = states * (size_t)learner->problem.actions;
    make_room(learner, seen, archive);
    size_t *marks = NULL;
    if (archive->mode == LGKT_ARCHIVE_LOAD && !archive->bad) {
        marks = lgkt_alloc_zeroed(&learner->allocator, states, sizeof *marks);
        if (marks == NULL)
            lgkt_archive_starve(archive);
    }
    for (size_t z = 0; z < pairs && !archive->bad; z++) {
        lgkt_seen_row *row = &seen->rows[z];
        lgkt_visit_f64(archive, &row->reward, 1);
        visit_count(archive, &row->n, 0, MAX_COUNT);
        visit_count(archive, &row->moves, 0, (int64_t)row->n);
        visit_row(learner, seen, z, marks, archive);
    }
    lgkt_free(&learner->allocator, marks);
}
