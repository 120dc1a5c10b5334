// SPDX-License-Identifier: MIT
// Hidden state: do the rewards of a pair depend on more than the pair?
#ifndef LGKT_LEARNERS_HIDDEN_H
#define LGKT_LEARNERS_HIDDEN_H

#include "learners/front/learner_private.h"

// The last visit of a pair.
typedef struct lgkt_hidden_visit {
    double reward;
    int64_t before; // pair number played before it, or -1
} lgkt_hidden_visit;

typedef struct lgkt_hidden {
    lgkt_hidden_visit *visits; // (S, A)
    int64_t count;             // visits after the same pair as the visit before
    double gain, squares;      // sums over these, see hidden.c
    double surprise;           // the same, of rewards above what was believed
    int64_t last;              // pair number of the step before, or -1
    bool found;
    // the step before, once hidden state was found: its reward is not all it will count
    double pending;
    int32_t pending_next;
} lgkt_hidden;

bool lgkt_hidden_grow(lgkt_learner *learner, lgkt_hidden *hidden, int32_t before, int32_t after);
void lgkt_hidden_visit_fields(lgkt_learner *learner, lgkt_hidden *hidden, lgkt_archive *archive);
// The next step does not follow on the last one.
void lgkt_hidden_cut(lgkt_hidden *hidden);
// A step of pair z. The mean of its rewards is that before this one, variance and visits n are
// those with it. True if it gives hidden state away.
bool lgkt_hidden_look(lgkt_hidden *hidden, size_t z, double reward, double mean, double variance,
                      double n);

#endif
