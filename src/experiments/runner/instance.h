// SPDX-License-Identifier: MIT
// One instance of a panel: what all of them share, how one is played, and what comes out.
#pragma once

#include <stdatomic.h>

#include "experiments/runner/play.h"

#define EXP_NOTE_SIZE 512

// ---- what its instances share ----

// Of one learner: its full spec, and what it counts.
typedef struct exp_entry_facts {
    char *spec;
    int32_t count;
    char names[EXP_MAX_COUNTERS][EXP_COUNTER_SIZE];
    int64_t totals[EXP_MAX_COUNTERS]; // over the instances of a reduction; else 0
} exp_entry_facts;

// What tables say of a panel besides its numbers; {0} is an empty one.
typedef struct exp_facts {
    char note[EXP_NOTE_SIZE]; // of the first instance
    exp_entry_facts *entries; // (count)
    int32_t count;
} exp_facts;

void exp_facts_free(exp_facts *facts);

// Nothing in it changes while instances are played; {0} is an empty one.
typedef struct exp_shared {
    exp_run *runs; // (entry_count) not played: learners of instances share their O(T) tables;
                   // empty for those that would take too much memory together
    exp_facts facts;
} exp_shared;

// Refuses what no instance could be played with. Free it after failure, too. Nullable: error.
lgkt_status exp_shared_make(exp_shared *shared, const exp_setup *setup, lgkt_error *error);
void exp_shared_free(exp_shared *shared, const exp_setup *setup);

// ---- what was measured ----

// What was measured of one run; the score from 0 to 100 is another thing (exp_scored).
typedef struct exp_measured {
    double reward, observed;     // per step, expected and observed
    double regret;               // of the whole run to the thresholding policy; 0 if not asked for
    double seconds;              // in steps of learner and environment
    double gap, bound, distance; // of exact values only, see exp_instance_play
    int64_t counters[EXP_MAX_COUNTERS];
} exp_measured;

// All runs on one instance.
typedef struct exp_outcome {
    double optimum;       // V*_T(s_0)/T; NaN where there is no model
    double random;        // the same of uniform play
    exp_measured *scores; // (entry_count)
    double *curve;        // (entry_count, measure_count, checkpoint_count)
    double seconds;       // to play all of it; no part of a record
} exp_outcome;

// The numbers of such a curve.
size_t exp_outcome_points(const exp_setup *setup);
// What a run is ranked by: the first measure at the end or, without curves, the reward.
double exp_outcome_last(const exp_outcome *outcome, const exp_setup *setup, int32_t learner);
// All zero, for a setup; NULL when memory is out. The caller frees it with free.
exp_outcome *exp_outcome_new(const exp_setup *setup);

// ---- playing ----

// What the threads of a run tell each other while they play.
typedef struct exp_signals {
    const atomic_bool *stop;     // setting it ends the work early; nullable
    atomic_int_fast64_t failed;  // 1 + the first task that failed, 0: a tick; INT64_MAX: none
    atomic_int_fast64_t steps;   // that were played
    const char *_Atomic learner; // the spec that began last
} exp_signals;

// Whether there is no point in going on with a task: a stop, or a failure before it.
bool exp_halted(const exp_signals *signals, int64_t task);

// Plays instance `number` as task `task` of a run, whose count of steps it moves. When that is
// halted it ends early with LGKT_OK and numbers that are void. Of a panel without learners come the
// optimum and uniform play alone.
//
// Exact: for learners kstep:k=K nothing is played and nothing learned. Per step and from the start
// law of the model, the score holds
//     reward    V of the K-step greedy policy
//     gap       V* - V
//     bound     what Theorem 3.5 allows for the gap
//     distance  its sum of L1 distances alone
// and the one point of the curve the ratio V / V*. Nullable: error.
lgkt_status exp_instance_play(const exp_setup *setup, const exp_shared *shared, int64_t number,
                              exp_signals *signals, int64_t task, exp_outcome *outcome,
                              lgkt_error *error);
