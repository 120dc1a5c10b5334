// SPDX-License-Identifier: MIT
// What was seen of each pair, for learners that add up rows of the model at every step.
//
// The same numbers as in counts.h, laid out for speed: the successors of a pair are kept in blocks
// of four, which are walked without a branch per successor. They are in the order they were first
// met, so that likely ones tend to come early. Unused places lead nowhere (-1), with count 0.
//
// Blocks are in a pool (row_pool.h) of at most ceil(S/4) for each pair.
#ifndef LGKT_LEARNERS_SUCCESSORS_H
#define LGKT_LEARNERS_SUCCESSORS_H

#include "learners/row_pool.h"

#define LGKT_BLOCK 4

typedef struct lgkt_block {
    double count[LGKT_BLOCK]; // moves
    int32_t next[LGKT_BLOCK]; // state, or -1
    int32_t other;            // the block after this one, or -1
} lgkt_block;

typedef struct lgkt_seen_row {
    double reward; // sum
    double n;      // visits; whole, as are all counts
    double moves;  // visits whose next state counts; a cut has none
    int32_t first; // block, or -1
} lgkt_seen_row;

typedef struct lgkt_successors {
    lgkt_seen_row *rows; // (S, A)
    lgkt_row_pool pool;  // blocks
} lgkt_successors;

static inline lgkt_block *lgkt_successors_blocks(const lgkt_successors *seen)
{
    return seen->pool.items;
}

// Room for `after` states; false when memory is out. Also makes the pool.
bool lgkt_successors_grow(lgkt_learner *learner, lgkt_successors *seen, int32_t before,
                          int32_t after);
void lgkt_successors_release(lgkt_learner *learner, lgkt_successors *seen);
// Room for one more block; false when memory is out.
bool lgkt_successors_prepare(lgkt_learner *learner, lgkt_successors *seen);
// A successor that the row does not have yet, with count 0; NULL when memory is out.
double *lgkt_successors_new(lgkt_learner *learner, lgkt_successors *seen, lgkt_seen_row *row,
                            int32_t next_state);
void lgkt_successors_visit(lgkt_learner *learner, lgkt_successors *seen, lgkt_archive *archive);

// where a row counts the moves to a state, or NULL
static inline double *lgkt_successors_find(const lgkt_successors *seen, const lgkt_seen_row *row,
                                           int32_t next_state)
{
    lgkt_block *blocks = lgkt_successors_blocks(seen);
    for (int32_t b = row->first; b >= 0; b = blocks[b].other) {
        lgkt_block *block = &blocks[b];
        int here = 0, at = 0;
        for (int i = 0; i < LGKT_BLOCK; i++) {
            const int is = block->next[i] == next_state;
            here |= is;
            at += is * i;
        }
        if (here)
            return &block->count[at];
    }
    return NULL;
}

// One step of pair number z; false when memory is out, and then nothing was counted.
static inline bool lgkt_successors_add(lgkt_learner *learner, lgkt_successors *seen, size_t z,
                                       double reward, int32_t next_state, bool ended)
{
    lgkt_seen_row *row = &seen->rows[z];
    if (!ended) {
        double *count = lgkt_successors_find(seen, row, next_state);
        if (count == NULL)
            count = lgkt_successors_new(learner, seen, row, next_state);
        if (count == NULL)
            return false;
        *count += 1;
        row->moves += 1;
    }
    row->n += 1;
    row->reward += reward;
    return true;
}

#endif
