// SPDX-License-Identifier: MIT
// What was seen of each pair: visits, rewards and where it led.
//
// The successors of a pair are a chain of items in a pool, numbered in the order they were taken.
// There are two kinds of items:
//
//   edges    one successor, 16 bytes; the one met last comes first. For learners that plan.
//   blocks   four successors, 56 bytes, in the order they were first met, so that likely ones tend
//            to come early; unused places lead nowhere (-1), with count 0. They are walked without
//            a branch per successor. For learners that add up rows of the model at every step.
//
// A step adds at most one item, and a row has no more than lead to all states, so that
// min(T, S A S) edges, or min(T, S A ceil(S/4)) blocks, are always enough. A pool of that size is
// taken at creation where all states are known: no step allocates. Loading takes a part of a large
// one. Steps beyond that, or beyond T, which only feeding can bring, and states that become known
// double it, up to the items that there can be.
#pragma once

#include "learners/front/learner_private.h"

// successors in one block
#define LGKT_BLOCK 4

typedef struct lgkt_edge {
    double count;  // moves; whole, as are all counts
    int32_t next;  // state
    int32_t other; // the edge after this one, or -1
} lgkt_edge;

typedef struct lgkt_block {
    double count[LGKT_BLOCK];
    int32_t next[LGKT_BLOCK]; // state, or -1
    int32_t other;            // the block after this one, or -1
} lgkt_block;

typedef struct lgkt_seen_row {
    double reward; // what the learner adds up of its rewards: their sum, or in auto the mean
    double n;      // visits
    double moves;  // visits whose next state counts; a cut has none
    int32_t first; // item, or -1
} lgkt_seen_row;

typedef struct lgkt_successors {
    lgkt_seen_row *rows; // (S, A)
    void *items;         // (capacity), the pool
    void *beside; // (capacity), what its owner keeps of each item, of so many bytes; not saved
    size_t beside_size; // 0: nothing; set before there is room
    bool in_blocks;     // else edges; set before there is room
    int64_t used, capacity;
    int64_t most; // that all rows can have
} lgkt_successors;

static inline lgkt_edge *lgkt_successors_edges(const lgkt_successors *seen)
{
    return seen->items;
}

static inline lgkt_block *lgkt_successors_blocks(const lgkt_successors *seen)
{
    return seen->items;
}

// Rows and pool.
extern const lgkt_part lgkt_successors_part;
// Room for two more items, if there can be as many; false when memory is out.
bool lgkt_successors_prepare(lgkt_learner *learner, void *counts);
// A successor that the row does not have yet, with count 0; NULL when memory is out.
double *lgkt_successors_new(lgkt_learner *learner, lgkt_successors *seen, lgkt_seen_row *row,
                            int32_t next_state);
// Forgets everything; the pool stays.
void lgkt_successors_clear(lgkt_learner *learner, lgkt_successors *seen);

// What explains a state: visits and mean rewards of its actions. What is summed up as x is the
// reward base + unit x.
void lgkt_successors_explain(const lgkt_successors *seen, int32_t state, int32_t actions,
                             double base, double unit, lgkt_reason *reasons);
// The mean of values (S), `stride` apart, over where a pair led; NaN if it led nowhere. Edges only.
double lgkt_successors_mean(const lgkt_successors *seen, size_t z, const double *values,
                            size_t stride);

// One step of pair number z; when memory is out nothing is counted, and the learner is told.
lgkt_status lgkt_successors_add_edge(lgkt_learner *learner, lgkt_successors *seen, size_t z,
                                     double reward, int32_t next_state, bool ended);

// The same for blocks.
static inline lgkt_status lgkt_successors_add(lgkt_learner *learner, lgkt_successors *seen,
                                              size_t z, double reward, int32_t next_state,
                                              bool ended)
{
    lgkt_seen_row *row = &seen->rows[z];
    if (!ended) {
        double *count = NULL;
        lgkt_block *blocks = lgkt_successors_blocks(seen);
        for (int32_t b = row->first; b >= 0; b = blocks[b].other) {
            int here = 0, at = 0;
            for (int i = 0; i < LGKT_BLOCK; i++) {
                const int is = blocks[b].next[i] == next_state;
                here |= is;
                at += is * i;
            }
            if (here) {
                count = &blocks[b].count[at];
                break;
            }
        }
        if (count == NULL)
            count = lgkt_successors_new(learner, seen, row, next_state);
        if (count == NULL)
            return lgkt_fail_memory(&learner->refusal, "a transition");
        *count += 1;
        row->moves += 1;
    }
    row->n += 1;
    row->reward += reward;
    return LGKT_OK;
}
