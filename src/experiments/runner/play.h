// SPDX-License-Identifier: MIT
// A run: making a learner and what it plays on, and the loop that plays them.
//
// A learner plays on one trajectory or, where a panel has units, on many: each unit goes its own
// way through its own instance of the environment, all take turns, and rewards are reported late or
// never. Units act in rounds, one after the other, so step t is round t / N of unit t mod N. They
// are served by one learner that all share, or by one learner each.
#pragma once

#include "experiments/runner/setup.h"
#include "io/formats/io_tape.h"
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

// ---- learners of a host ----

// Specs that begin like this name learners that are none of the library: a host plays them, which is
// Python.
#define EXP_GUEST "python:"

bool exp_is_guest(const char *spec);

// Who makes and plays them, on any thread and on several at a time. A guest is one of them in a run.
typedef struct exp_host exp_host;
struct exp_host {
    // What it is told is in the config. `env` and `host` are there longer than the guest.
    lgkt_status (*open)(exp_host *host, const char *spec, const lgkt_env *env,
                        const lgkt_learner_config *config, void **guest, lgkt_error *error);
    // Plays steps, adds their rewards one by one to sums[EXP_EXPECTED] and sums[EXP_OBSERVED], and
    // says the last action.
    lgkt_status (*play)(void *guest, lgkt_trajectory *run, int64_t steps, double *sums,
                        int32_t *action, lgkt_error *error);
    // As lgkt_learner_counters; the names are those that it had when it was made.
    int32_t (*counters)(void *guest, lgkt_counter *counters, int32_t capacity);
    void (*close)(void *guest);
};

// ---- runs ----

// A run about to be played or being played; {0} is an empty one.
typedef struct exp_run {
    lgkt_trajectory *trajectory;
    const lgkt_learner
        *learner;            // who plays, of units the first, for looking; NULL: nobody, or a guest
    lgkt_learner *by_number; // plays on the numbers of states, or
    lgkt_keyed *by_key;      // on the bytes observed, where there are any, or
    void *guest;             // is a learner of
    exp_host *host;          // this one
    exp_crowd *crowd;        // or many units at once, in place of all of these but `learner`
    int32_t action;          // the last one that exp_play played
    const lgkt_env *restricted; // the world, if it forbids actions; else NULL
    bool jumps;                 // the world does: see lgkt_env_jumps
} exp_run;

// A run of a learner of a panel, or of nobody, on an instance. Of the setup only panel, seed and, for
// units, environment 0 are looked at; `env`, which is that instance, is not if there are units. Runs
// of the same seed and instance have the same noise. `like` shares its tables (see
// lgkt_learner_config). Close it after failure, too. Nullable: entry, like, error.
lgkt_status exp_run_open(exp_run *run, const exp_setup *setup, const exp_entry *entry,
                         const lgkt_env *env, int64_t instance, const lgkt_learner *like,
                         lgkt_error *error);
void exp_run_close(exp_run *run);

// What the learner of a run has counted, as lgkt_learner_counters.
int32_t exp_run_counters(const exp_run *run, lgkt_counter *counters, int32_t capacity);

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

// ---- learners that are not told the range and the noise of the rewards ----

#define EXP_UNTOLD_SIZE 192

// Takes what is known of the rewards out of a problem.
void exp_untell(lgkt_problem *problem);

// The end of a sentence that begins with the learner: "uses what it sees", "assumes means in [0, 1]
// and noise 0.5", or "needs no range". Made from the registry and the full spec: a parameter about
// rewards has a value, or a default that ends with a number, or it is taken from what was seen. For
// a learner that has none the one within it speaks.
void exp_untold_describe(const char *spec, char text[EXP_UNTOLD_SIZE]);

// ---- one learner on one model, with every random number taken from a tape ----

// One step that was played.
typedef struct exp_tape_step {
    int64_t t;
    int32_t state, action;
    double reward;
    int32_t next_state;
} exp_tape_step;

// For lgkt_learner_config, with an io_tape as coin_ctx; 0 behind the end of the tape.
double exp_tape_coin(void *tape, int64_t t);

// Plays one step, from step->next_state on, into step; to begin with next_state is set to the start
// of the model. The learner has the sizes of the model. On failure step is as it was. Nullable:
// error.
//
//     next state  the smallest j with P(0) + .. + P(j) > u_next, the last state if there is none
//     reward      R + sd z_reward, or [u_reward < R] for Bernoulli noise, or R
//     coin        u_coin, when the learner flips one at that step
lgkt_status exp_tape_play(const lgkt_mdp *mdp, const io_tape_row *row, lgkt_learner *learner,
                          exp_tape_step *step, lgkt_error *error);
