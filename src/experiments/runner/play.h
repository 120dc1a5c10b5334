// SPDX-License-Identifier: MIT
// One learner on one trajectory: making the two, and the loop that plays them.
#ifndef EXPERIMENTS_PLAY_H
#define EXPERIMENTS_PLAY_H

#include "experiments/runner/crowd.h"
#include "lgkt/env.h"
#include "lgkt/keyed.h"
#include "lgkt/learner.h"
#include "lgkt/plan.h"

// An environment to be made: its spec, and what it is made from besides it.
typedef struct exp_world {
    const char *spec;
    lgkt_data data;  // {0}: nothing, and then the spec must not name a file
    lgkt_data after; // the same of a second environment within, as in lgkt_env_config
} exp_world;

// Instance number `instance` of a world. Nullable: error.
lgkt_status exp_env_create(const exp_world *world, uint64_t seed, int64_t instance, lgkt_env **env,
                           lgkt_error *error);

// A run about to be played or being played; {0} is an empty one.
typedef struct exp_run {
    lgkt_trajectory *trajectory;
    const lgkt_learner *learner; // who plays, for looking; NULL: nobody
    lgkt_learner *by_number;     // plays on the numbers of states, or
    lgkt_keyed *by_key;          // on the bytes observed, where there are any
    exp_crowd *crowd;            // or many units at once, in place of all of these
    int32_t action;              // the last one that exp_play played
    const lgkt_env *restricted;  // the world, if it forbids actions; else NULL
} exp_run;

// Runs of the same seed and instance have the same noise. A spec of NULL is no learner; `like`
// shares its tables (see lgkt_learner_config). Untold: the learner is not told the range and noise
// of the rewards. Nullable: spec, like, error.
lgkt_status exp_run_open(exp_run *run, const lgkt_env *env, const char *spec, int64_t horizon,
                         uint64_t seed, int64_t instance, const lgkt_learner *like, bool untold,
                         lgkt_error *error);
void exp_run_close(exp_run *run);

// What else a pair that is played is worth: its cost at that time or, if that is NULL, its mean
// reward in a model.
typedef struct exp_worth {
    const lgkt_cost *cost;
    const lgkt_mdp *model;
} exp_worth;

#define EXP_MAX_WORTHS 9

// Sums over steps played.
typedef struct exp_tally {
    double expected, observed;     // rewards
    double worths[EXP_MAX_WORTHS]; // added to by exp_play_counting only
} exp_tally;

// Plays `steps` steps and adds their rewards one by one. Nullable: error.
lgkt_status exp_play(exp_run *run, int64_t steps, exp_tally *tally, lgkt_error *error);
// The same, and adds `count` worths of every pair. Nullable: error.
lgkt_status exp_play_counting(exp_run *run, int64_t steps, const exp_worth *worths, int32_t count,
                              exp_tally *tally, lgkt_error *error);

// Seconds on a clock that only moves forward.
double exp_clock(void);

#endif
