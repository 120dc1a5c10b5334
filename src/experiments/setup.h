// SPDX-License-Identifier: MIT
// What is to be run: learners side by side on instances of an environment.
#ifndef EXPERIMENTS_SETUP_H
#define EXPERIMENTS_SETUP_H

#include <stdatomic.h>

#include "lgkt/base.h"

#define EXP_MAX_LEARNERS   1000
#define EXP_MAX_POINTS     100000 // of a curve
#define EXP_MAX_JOBS       1024
#define EXP_MAX_REPLICATES 10000000
#define EXP_MAX_HORIZON    1000000000000

// How far a run is.
typedef struct exp_progress {
    const char *name;    // what is run, e.g. "adaptive-k riverswim-8"; NULL: not said
    const char *learner; // the one that began last; NULL: not said
    int64_t instances, instances_done;
    double steps, steps_done; // over all learners, without those of an earlier session
    double seconds;           // since the run began
} exp_progress;

// Called about ten times a second and once at the end, always on the thread that began the run.
typedef void (*exp_progress_fn)(void *ctx, const exp_progress *progress);

// Everything it points to is borrowed for the time of the run.
typedef struct exp_setup {
    const char *env;             // spec
    const char *const *learners; // (learner_count) specs
    int32_t learner_count;       // 1 .. EXP_MAX_LEARNERS
    int64_t horizon;             // T, 1 .. EXP_MAX_HORIZON
    int64_t replicates;          // instances 0 .. replicates-1, 1 .. EXP_MAX_REPLICATES
    uint64_t seed;               // root seed
    int32_t jobs;                // threads, 1 .. EXP_MAX_JOBS
    const int64_t *checkpoints;  // (checkpoint_count) increasing times in 1 .. T
    int32_t checkpoint_count;    // 0 .. EXP_MAX_POINTS; 0: no curves
    int64_t regret_k;            // also the regret to thresholding with lookahead K; 0: no regret
    double regret_threshold;     // its threshold, finite
    const atomic_bool *stop;     // setting it ends the run early; nullable
    exp_progress_fn progress;    // nullable
    void *progress_ctx;
} exp_setup;

// Whether all is within the ranges above. Nullable: error.
lgkt_status exp_setup_check(const exp_setup *setup, lgkt_error *error);

#endif
