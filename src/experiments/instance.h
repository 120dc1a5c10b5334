// SPDX-License-Identifier: MIT
// All learners of a setup on one of its instances.
#ifndef EXPERIMENTS_INSTANCE_H
#define EXPERIMENTS_INSTANCE_H

#include "experiments/play.h"
#include "experiments/pool.h"
#include "experiments/setup.h"
#include "lgkt/learner.h"

#define EXP_MAX_COUNTERS 16
#define EXP_NOTE_SIZE    512

// ---- what the instances have in common ----

// The learners of a setup, each made once on instance 0; {0} is an empty one.
typedef struct exp_cast {
    exp_game
        *games; // (count) without trajectories: the others share the O(T) tables of their learners
    int32_t count;
    char note[EXP_NOTE_SIZE]; // the environment on itself
} exp_cast;

// Nullable: error.
lgkt_status exp_cast_make(exp_cast *cast, const exp_setup *setup, lgkt_error *error);
void exp_cast_free(exp_cast *cast);

// ---- what was measured ----

// One run.
typedef struct exp_score {
    double reward, observed;     // per step, expected and observed
    double regret;               // of the whole run to the thresholding policy; 0 if not asked for
    double seconds;              // in steps of learner and environment
    double gap, bound, distance; // of exact values only, see ratio.h
    int64_t counters[EXP_MAX_COUNTERS];
} exp_score;

// A run so far.
typedef struct exp_point {
    double expected; // reward per step
    double observed; // summed reward
    double regret;   // to the thresholding policy; 0 if not asked for
} exp_point;

// All runs on one instance; {0} is an empty one.
typedef struct exp_outcome {
    double optimum;    // V*_T(s_0)/T; NaN where there is no model
    double random;     // the same of uniform play
    exp_score *scores; // (learner_count)
    exp_point *points; // (learner_count, checkpoint_count)
} exp_outcome;

// Zeroed arrays for a setup. Nullable: error.
lgkt_status exp_outcome_create(exp_outcome *outcome, const exp_setup *setup, lgkt_error *error);
void exp_outcome_free(exp_outcome *outcome);

// Optimum and uniform play of `horizon` steps from a law of the first state, of length S. Nullable:
// error.
lgkt_status exp_plan_ends(const lgkt_mdp *model, int64_t horizon, const double *law,
                          exp_outcome *outcome, lgkt_error *error);

// Plays instance `number` as unit `unit` of a pool, whose count of steps it moves. When the pool is
// halted it ends early with LGKT_OK and numbers that are void. Nullable: error.
lgkt_status exp_instance_play(const exp_setup *setup, const exp_cast *cast, int64_t number,
                              exp_pool *pool, int64_t unit, exp_outcome *outcome,
                              lgkt_error *error);

#endif
