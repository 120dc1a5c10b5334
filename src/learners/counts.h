// SPDX-License-Identifier: MIT
// What was seen of a model: visits, rewards and transitions of each pair, for learners that plan.
//
// Transitions are lists of edges, the one met last first, in a pool (row_pool.h) of at most S for
// each pair.
#ifndef LGKT_LEARNERS_COUNTS_H
#define LGKT_LEARNERS_COUNTS_H

#include "learners/row_pool.h"

typedef struct lgkt_edge {
    int64_t count;
    int32_t next;  // state
    int32_t other; // the next edge of the pair, or -1
} lgkt_edge;

typedef struct lgkt_tally {
    double reward; // sum
    int64_t n;     // visits
    int64_t moves; // visits whose next state counts; a cut has none
    int32_t first; // edge, or -1
} lgkt_tally;

typedef struct lgkt_counts {
    lgkt_tally *pairs;  // (S, A)
    lgkt_row_pool pool; // edges
} lgkt_counts;

static inline lgkt_edge *lgkt_counts_edges(const lgkt_counts *counts)
{
    return counts->pool.items;
}

// Room for `after` states; false when memory is out. Also makes the pool.
bool lgkt_counts_grow(lgkt_learner *learner, lgkt_counts *counts, int32_t before, int32_t after);
void lgkt_counts_release(lgkt_learner *learner, lgkt_counts *counts);
// Room for one more edge; false when memory is out.
bool lgkt_counts_prepare(lgkt_learner *learner, lgkt_counts *counts);
// One step of the learner's pair in play; false when memory is out, and then nothing was counted.
bool lgkt_counts_add(lgkt_learner *learner, lgkt_counts *counts, double reward, int32_t next_state,
                     bool ended);
void lgkt_counts_visit(lgkt_learner *learner, lgkt_counts *counts, lgkt_archive *archive);

#endif
