// SPDX-License-Identifier: MIT
// Hidden state: do the rewards of a pair depend on more than the pair?
#ifndef LGKT_LEARNERS_HIDDEN_H
#define LGKT_LEARNERS_HIDDEN_H

#include "learners/front/learner_private.h"

// The last visit of a pair. Here and below a pair is its number + 1, and 0 is none.
typedef struct lgkt_hidden_visit {
    double reward;
    int64_t before; // pair played before it
} lgkt_hidden_visit;

typedef struct lgkt_hidden {
    lgkt_hidden_visit *visits; // (S, A)
    int64_t count;             // visits after the same pair as the visit before
    double gain, squares;      // sums over these, see hidden.c
    double surprise;           // the same, of rewards above what was believed
    bool found;

    // the step before: its pair; and, once hidden state was found, what it has earned so far, since
    // the next reward counts for it too, and where it led
    int64_t last;
    double pending;
    int32_t pending_next;
} lgkt_hidden;

// All but the step before, which belongs to a trajectory.
extern const lgkt_part lgkt_hidden_part;

// A step of pair number z. The mean of its rewards is that before this one, variance and visits n
// are those with it. True if it gives hidden state away.
bool lgkt_hidden_look(lgkt_hidden *hidden, size_t z, double reward, double mean, double variance,
                      double n);

#endif
