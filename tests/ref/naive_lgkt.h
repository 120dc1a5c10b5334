// SPDX-License-Identifier: MIT
// The whole LGKT family, slow and plain: every key is recomputed from the counts at every choice.
#ifndef LGKT_TESTS_NAIVE_LGKT_H
#define LGKT_TESTS_NAIVE_LGKT_H

#include "lgkt/learner.h"

typedef struct naive_lgkt naive_lgkt;

// Takes what lgkt_learner_create takes; NULL for a name it does not know, for settings that do not
// go together, and when memory is out. Each value for itself must be one that the library accepts.
// It knows the samplers order, ucb, ucbvi and random.
naive_lgkt *naive_lgkt_create(const char *spec, const lgkt_learner_config *config);
void naive_lgkt_destroy(naive_lgkt *naive);

int32_t naive_lgkt_act(naive_lgkt *naive, int32_t state);
void naive_lgkt_observe(naive_lgkt *naive, double reward, int32_t next_state, bool ended);

// What belongs to the trajectory of one unit among several. Before a call its own is put in, with
// the number of decisions of all units so far; after it, it is taken out.
typedef struct naive_track {
    int64_t last;      // the pair of the step before, or -1
    double visits;     // of that pair, when it was learned
    int64_t now;       // the pair of the step under way
    int64_t reference; // the pair an open run was begun for, or -1
    int64_t left;      // steps of the open run still to play
    double total;      // what it has earned
} naive_track;

naive_track naive_lgkt_begun(void);
void naive_lgkt_put(naive_lgkt *naive, const naive_track *track, int64_t decisions);
naive_track naive_lgkt_take(const naive_lgkt *naive);

// Estimation runs begun, and steps played in them.
int64_t naive_lgkt_runs(const naive_lgkt *naive);
int64_t naive_lgkt_run_steps(const naive_lgkt *naive);

#endif
