// SPDX-License-Identifier: MIT
// A panel of the catalog with everything settled: instances, times, learners.
#ifndef EXPERIMENTS_STAGE_H
#define EXPERIMENTS_STAGE_H

#include "experiments/catalog.h"
#include "experiments/checkpoints.h"
#include "experiments/instance.h"
#include "experiments/result.h"

#define EXP_PAIR_TIMES  6
#define EXP_STAGE_TIMES (EXP_MAX_CHECKPOINTS + EXP_PAIR_TIMES)

// {0} is an empty one.
typedef struct exp_stage {
    const exp_panel *panel;
    exp_setup setup;                     // its arrays are below
    char *env;                           // spec, with the price file if there is one
    const char **learners;               // (learner_count) specs
    int64_t times[EXP_STAGE_TIMES];      // checkpoints
    int32_t pair_places[EXP_PAIR_TIMES]; // places in `times` where pairs are compared, T last
    int32_t pair_count;
    exp_cast cast;
    exp_counters *counters; // (learner_count) names; the sums are 0
    char note[EXP_NOTE_SIZE];
} exp_stage;

// What a stage is made of besides its panel.
typedef struct exp_stage_options {
    int64_t instances;
    uint64_t seed;
    const char *prices; // a file for environments that trade; NULL: a random walk
} exp_stage_options;

// Nullable: error.
lgkt_status exp_stage_make(exp_stage *stage, const exp_panel *panel,
                           const exp_stage_options *options, lgkt_error *error);
void exp_stage_free(exp_stage *stage);

// Plays instance `number` as unit `unit` of a pool, by the metric of the panel. Nullable: error.
lgkt_status exp_stage_play(const exp_stage *stage, int64_t number, exp_pool *pool, int64_t unit,
                           exp_outcome *outcome, lgkt_error *error);

// Whether an environment spec trades, so that a price file makes sense.
bool exp_spec_trades(const char *spec);

#endif
