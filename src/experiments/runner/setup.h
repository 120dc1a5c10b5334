// SPDX-License-Identifier: MIT
// What is asked for, and a panel of it with everything settled: instances, times, measures. Nothing
// is made yet; what the instances of a panel share is made when the first of them is played
// (instance.h).
#pragma once

#include "experiments/runner/experiment.h"
#include "io/files/io_env.h"

#define EXP_MAX_COMPARED (EXP_MAX_COMPARE + 1)
#define EXP_PRICES_SIZE  160
#define EXP_FILE_SIZE    101 // of the name of a price file, as it is shown

// ---- what is asked for ----

// Models that instances are played in, in place of the data of environment 0, e.g. draws from what is
// believed (simulate.h). Nothing is planned in them: optimum and random play are NaN.
typedef struct exp_draws {
    // The model of an instance, for all of its units, which is there until its outcome is given to
    // the sink.
    lgkt_status (*model)(void *ctx, int64_t instance, const lgkt_mdp **model, lgkt_error *error);
    void *ctx;
    double reward_min, reward_max; // what learners are told of all of them
} exp_draws;

// How much of an experiment, and with what. Everything it points to is borrowed.
typedef struct exp_asked {
    const exp_experiment *experiment;
    int64_t replicates;     // instances of each panel; 0: as the experiment says
    bool quick;             // its small counts
    uint64_t seed;          // root seed
    const char *prices;     // price file of panels that trade; NULL: a random walk
    const io_files *files;  // what reads files that specs name
    const exp_draws *draws; // nullable
    struct exp_host *host;  // who plays learners that are none of the library; NULL: nobody
} exp_asked;

// The instances of a panel.
int64_t exp_asked_instances(const exp_asked *asked, const exp_panel *panel);

// ---- a panel with everything settled ----

// An environment to be made: its spec, and what it is made from besides it, which may be nothing
// and is nothing if the spec names no file.
typedef struct exp_world {
    const char *spec;
    io_data data;
    const exp_draws *draws; // nullable
} exp_world;

// Instance number `instance` of a world. Nullable: error.
lgkt_status exp_env_create(const exp_world *world, uint64_t seed, int64_t instance, lgkt_env **env,
                           lgkt_error *error);

// {0} is an empty one.
typedef struct exp_setup {
    const exp_asked *asked; // borrowed, as the next one
    const exp_panel *panel;
    int64_t instances;
    char *env;   // spec, with the price file if there is one
    bool trades; // so that a price file makes sense
    bool exact;  // no runs, see exp_instance_play
    int64_t regret_k;
    int64_t *checkpoints; // (checkpoint_count) increasing times in 1 .. T; 0: no curves
    int32_t checkpoint_count;
    int32_t compared[EXP_MAX_COMPARED]; // places in `checkpoints` where pairs are compared
    int32_t compared_count;
    // Environment 0 is the one that is played, 1 + m that of the event that is measure m; a spec of
    // NULL: there is none.
    exp_world worlds[1 + EXP_MAX_MEASURES];
} exp_setup;

// When a learning curve is looked at: writes increasing times in 1 .. horizon (horizon >= 1), the last
// of them the horizon, and returns how many: all of them up to 200 steps, else about 200, denser
// early. Log: all evenly spaced in log t, for what grows by powers.
int32_t exp_checkpoints(int64_t horizon, bool log, int64_t times[EXP_MAX_CHECKPOINTS]);

// Reads the files that the specs of a panel name; what else may be wrong with a spec comes out when
// it is made. Free it after failure, too. Nullable: error.
lgkt_status exp_setup_make(exp_setup *setup, const exp_asked *asked, const exp_panel *panel,
                           lgkt_error *error);
void exp_setup_free(exp_setup *setup);

// `why` with the place in the file of the experiment: `field`, and who is meant of those that stand
// there, or "". Returns its status. Nullable: error.
lgkt_status exp_setup_fail(const exp_setup *setup, const char *field, const char *who,
                           const lgkt_error *why, lgkt_error *error);

// ---- what it runs on ----

// What the panels that trade run on: "random walk", or the name of the file without its folder and
// a hash of the numbers in it; "" if none trades.
void exp_setup_prices(const exp_setup *setups, int32_t count, char text[EXP_PRICES_SIZE]);

// Whose journal it is: all that decides what its records hold, and nothing of how that is shown.
// The text, with a line end behind every line:
//
//     experiment NAME
//     numbers 1                        LGKT_NUMBERS
//     version 0.1.0
//     seed 1
//     prices none                      or as exp_setup_prices says
//   and for each panel
//     panel SPEC                       of the environment, as the experiment names it
//     data 0123456789abcdef            hash of what its file holds, if it has one
//     after 0123456789abcdef           the same of the second of two, of `changing`
//     horizon 20000
//     instances 1000
//     units 200 late 2 ..              if it has units: all that it says of them
//     measure average                  for each measure; behind regret its K and threshold (%.17g),
//                                      behind event:NAME its spec and the hash of its file, if any
//     learner SPEC                     for each learner, or "untold SPEC"; "alone " before it where
//                                      each unit has its own; none of them where they are many
//                                      and those of the panel before
//     times 1 2 3                      the checkpoints
//
// The caller frees it with free; NULL when memory is out.
char *exp_setup_identity(const exp_setup *setups, int32_t count);
