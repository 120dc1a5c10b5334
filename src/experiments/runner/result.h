// SPDX-License-Identifier: MIT
// An experiment of one panel that is played here and now, without a journal: its means and, for
// those who want more, the numbers of every run.
#ifndef EXPERIMENTS_RESULT_H
#define EXPERIMENTS_RESULT_H

#include "experiments/runner/reduction.h"
#include "experiments/runner/runner.h"

// ---- the numbers of every run ----

// Three doubles per run, with regret one more, and one for each point of its curves; {0} is an empty one.
typedef struct exp_arrays {
    const exp_setup *setup;    // borrowed
    double *optimum, *random;  // (instances)
    double *reward, *observed; // (learners, instances) per step
    double *seconds;           // (learners, instances)
    double *regret;            // (learners, instances) to the thresholding policy, or NULL
    double *curve;             // (measures, learners, checkpoints, instances)
} exp_arrays;

// Nullable: error.
lgkt_status exp_arrays_create(exp_arrays *arrays, const exp_setup *setup, lgkt_error *error);
void exp_arrays_free(exp_arrays *arrays);
void exp_arrays_add(exp_arrays *arrays, int64_t instance, const exp_outcome *outcome);
// A measure of one learner at one checkpoint, of each instance: (instances).
double *exp_arrays_row(const exp_arrays *arrays, int32_t measure, int32_t learner,
                       int32_t checkpoint);

// ---- a panel ----

// {0} is an empty one.
typedef struct exp_result {
    exp_reduction reduction; // finished, if all was played
    exp_arrays arrays;       // empty if not asked for
    bool complete;           // all instances were played
} exp_result;

// Plays all tasks of the only panel. `how` says jobs, stop and progress; its other members are not
// looked at. Free it after failure, too. Nullable: error.
lgkt_status exp_result_run(exp_result *result, const exp_tasks *tasks, bool arrays,
                           const exp_runner *how, lgkt_error *error);
void exp_result_free(exp_result *result);

#endif
