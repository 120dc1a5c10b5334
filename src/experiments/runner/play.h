// SPDX-License-Identifier: MIT
// A run: making a learner and what it plays on, and the loop that plays them.
//
// A learner plays on one trajectory or, where a panel has units, on many: each unit goes its own
// way through its own instance of the environment, all take turns, and rewards are reported late or
// never. Units act in rounds, one after the other, so step t is round t / N of unit t mod N. They
// are served by one learner that all share, or by one learner each.
#ifndef EXPERIMENTS_PLAY_H
#define EXPERIMENTS_PLAY_H

#include "experiments/runner/setup.h"
#include "lgkt/keyed.h"
#include "lgkt/plan.h"
#include "lgkt/rng.h"
#include "lgkt/units.h"

typedef struct exp_unit {
    lgkt_env *env;
    lgkt_trajectory *trajectory;
    lgkt_units *front; // NULL: that of the first unit serves it, too
} exp_unit;

// A reward that is told later.
typedef struct exp_report {
    int64_t due; // round
    int64_t decision;
    double reward;
    int32_t unit;
} exp_report;

// A run with units.
typedef struct exp_crowd {
    exp_units set;
    int64_t horizon, step;
    lgkt_rng rng;
    exp_report *reports; // (capacity) still to come, in the order of their decisions
    size_t count, capacity;
    exp_unit units[]; // (N)
} exp_crowd;

// A run about to be played or being played; {0} is an empty one.
typedef struct exp_run {
    lgkt_trajectory *trajectory;
    const lgkt_learner *learner; // who plays, of units the first, for looking; NULL: nobody
    lgkt_learner *by_number;     // plays on the numbers of states, or
    lgkt_keyed *by_key;          // on the bytes observed, where there are any
    exp_crowd *crowd;            // or many units at once, in place of all of these but `learner`
    int32_t action;              // the last one that exp_play played
    const lgkt_env *restricted;  // the world, if it forbids actions; else NULL
} exp_run;

// A run of a learner of a panel, or of nobody, on an instance. Of the setup only panel, seed and, for
// units, environment 0 are looked at; `env`, which is that instance, is not if there are units. Runs
// of the same seed and instance have the same noise. `like` shares its tables (see
// lgkt_learner_config). Close it after failure, too. Nullable: entry, like, error.
lgkt_status exp_run_open(exp_run *run, const exp_setup *setup, const exp_entry *entry,
                         const lgkt_env *env, int64_t instance, const lgkt_learner *like,
                         lgkt_error *error);
void exp_run_close(exp_run *run);

// What else a pair that is played is worth: its cost at that time, or its mean reward in a model;
// {0}: nothing.
typedef struct exp_worth {
    const lgkt_cost *cost;
    const lgkt_mdp *model;
} exp_worth;

// Sums over steps played: of rewards, expected and observed, and of worths from EXP_WORTHS on.
enum { EXP_EXPECTED, EXP_OBSERVED, EXP_WORTHS, EXP_SUMS = EXP_WORTHS + EXP_MAX_MEASURES };

// Plays `steps` steps and adds their rewards one by one and `count` worths of every pair to the
// sums; of units there are no worths. Nullable: error.
lgkt_status exp_play(exp_run *run, int64_t steps, const exp_worth *worths, int32_t count,
                     double sums[EXP_SUMS], lgkt_error *error);

// Seconds on a clock that only moves forward.
double exp_clock(void);

#endif
