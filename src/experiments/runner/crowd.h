// SPDX-License-Identifier: MIT
// Many units in place of one trajectory: each goes its own way through its own instance of the
// environment, all take turns, and rewards are reported late or never.
//
// Units act in rounds, one after the other, so step t is round t / N of unit t mod N. They are
// served by one learner that all share, or by one learner each.
#ifndef EXPERIMENTS_CROWD_H
#define EXPERIMENTS_CROWD_H

#include "lgkt/env.h"
#include "lgkt/units.h"

#define EXP_MAX_UNITS 1000000

// What a panel says of its units; count 0: it has none.
typedef struct exp_units {
    int32_t count;    // N
    double late;      // mean number of rounds after which a reward is reported; 0: at once
    double missing;   // probability that it never is
    int64_t patience; // rounds after which nobody waits for it any more
    int64_t told;     // rounds that learners are told at first; 0: all of them
    int64_t extended; // round at whose start they are told the rest
} exp_units;

typedef struct exp_crowd exp_crowd;

// What a crowd is made from besides its units. `make` makes the environment of a unit.
typedef struct exp_crowd_plan {
    const exp_units *units;
    const char *spec;           // of the learner; NULL: nobody plays
    bool alone;                 // a learner for each unit
    int64_t horizon;            // steps of all units
    lgkt_learner_config config; // seed, instance, like; its problem is filled in
    bool untold;
    lgkt_status (*make)(const void *ctx, int64_t number, lgkt_env **env, lgkt_error *error);
    const void *ctx;
} exp_crowd_plan;

// Nullable: error.
lgkt_status exp_crowd_open(exp_crowd **crowd, const exp_crowd_plan *plan, lgkt_error *error);
void exp_crowd_close(exp_crowd *crowd);

// The next step of all. Nullable: error.
lgkt_status exp_crowd_step(exp_crowd *crowd, lgkt_step *step, lgkt_error *error);

// The learner of the first unit, for looking; NULL: nobody plays.
const lgkt_learner *exp_crowd_learner(const exp_crowd *crowd);
// Environment and state of a unit.
const lgkt_env *exp_crowd_env(const exp_crowd *crowd, int32_t unit);
int32_t exp_crowd_state(const exp_crowd *crowd, int32_t unit);

#endif
