// SPDX-License-Identifier: MIT
// Learners side by side on instances of an environment, as one struct in place of an experiment with
// its panel and entries.
#ifndef REF_PANEL_RUN_H
#define REF_PANEL_RUN_H

#include "experiments/runner/reduction.h"
#include "experiments/runner/play.h"

// Everything it points to is borrowed.
typedef struct run_setup {
    exp_world world;
    const char *const *learners; // (learner_count) specs
    int32_t learner_count;
    int64_t horizon, replicates;
    uint64_t seed;
    int32_t jobs;
    const int64_t *checkpoints; // (checkpoint_count)
    int32_t checkpoint_count;
    const exp_measure *measures; // (measure_count)
    int32_t measure_count;
    const exp_world *events; // (measure_count) of those that are events
    int64_t regret_k;        // 0: no regret
    double regret_threshold;
    bool untold;
    const atomic_bool *stop;
    exp_progress_fn progress;
    void *progress_ctx;
} run_setup;

// The numbers of all instances, and their means.
typedef struct run_result {
    int32_t learner_count, checkpoint_count;
    int64_t replicates;
    bool complete;
    const char *note;
    double *optimum, *random, *reward, *observed, *seconds, *regret, *curve; // as exp_arrays
    exp_entry_facts *counters;                                               // (learner_count)
    exp_reduction reduction;
    char (*untold)[EXP_UNTOLD_SIZE]; // (learner_count) if they are untold
    struct run_kept *kept;           // all that the rest points to
} run_result;

// A run of one learner, or of nobody if the spec is NULL, without a panel around it.
lgkt_status run_open(exp_run *run, const char *spec, int64_t horizon, uint64_t seed,
                     const lgkt_env *env, int64_t instance, lgkt_error *error);

// The result is written on LGKT_OK only. Nullable: error.
lgkt_status run_panel(const run_setup *setup, run_result *result, lgkt_error *error);
void run_result_free(run_result *result);
// A measure of one learner at one checkpoint, of each instance.
const double *run_curve_row(const run_result *result, int32_t measure, int32_t learner,
                            int32_t checkpoint);

#endif
