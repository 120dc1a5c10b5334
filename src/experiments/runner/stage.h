// SPDX-License-Identifier: MIT
// A panel with everything settled: instances, times, learners.
#ifndef EXPERIMENTS_STAGE_H
#define EXPERIMENTS_STAGE_H

#include "experiments/runner/experiment.h"
#include "experiments/runner/checkpoints.h"
#include "experiments/runner/instance.h"
#include "io/files/io_env.h"

#define EXP_PAIR_TIMES  (EXP_MAX_COMPARE + 1)
#define EXP_STAGE_TIMES (EXP_MAX_CHECKPOINTS + EXP_PAIR_TIMES)
#define EXP_PRICES_SIZE 160

// What reads the files that specs name, as io_data_read_at does.
typedef struct exp_files {
    lgkt_status (*read)(const struct exp_files *files, const char *before, const char *spec,
                        io_data *data, lgkt_error *error);
    void (*release)(io_data *data); // called after failure, too
} exp_files;

// They are files.
extern const exp_files exp_true_files;

// {0} is an empty one.
typedef struct exp_stage {
    const exp_panel *panel;
    exp_setup setup;                     // its arrays are below
    char *env;                           // spec, with the price file if there is one
    const exp_files *files;              // what read the files below
    io_data data;                        // of a file that it names
    bool trades;                         // so that a price file makes sense
    const char **learners;               // (learner_count) specs
    bool *alone;                         // (learner_count) see exp_setup
    exp_world *events;                   // (measure_count) see exp_setup
    io_data *event_data;                 // (measure_count) of their files
    int64_t times[EXP_STAGE_TIMES];      // checkpoints
    int32_t pair_places[EXP_PAIR_TIMES]; // places in `times` where pairs are compared, T last
    exp_cast cast;
    char note[EXP_NOTE_SIZE];
} exp_stage;

// What a stage is made of besides its panel.
typedef struct exp_stage_options {
    int64_t instances;
    uint64_t seed;
    const char *prices; // a file for environments that trade; NULL: a random walk
    const exp_files *files;
    const char *folder; // where the paths in specs begin, see exp_experiment
    const char *file;   // for failures, with the place of the panel in it; NULL: without
} exp_stage_options;

// Nullable: error.
lgkt_status exp_stage_make(exp_stage *stage, const exp_panel *panel,
                           const exp_stage_options *options, lgkt_error *error);
void exp_stage_free(exp_stage *stage);

// What the stages that trade run on: "random walk", or the name of the file without its folder and
// a hash of the numbers in it; "" if none trades. Nullable: path.
void exp_stage_prices(const exp_stage *stages, int32_t count, const char *path,
                      char text[EXP_PRICES_SIZE]);

// Whose journal it is: all that decides what its records hold, and nothing of how that is shown.
// The text, with a line end behind every line:
//
//     experiment NAME
//     version 0.1.0
//     seed 1
//     prices none                      or as exp_stage_prices says
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
//                                      each unit has its own
//     times 1 2 3                      the checkpoints
//
// The caller frees it with free; NULL when memory is out.
char *exp_stage_identity(const char *experiment, const exp_stage *stages, int32_t count,
                         uint64_t seed, const char *prices);

#endif
