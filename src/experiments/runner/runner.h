// SPDX-License-Identifier: MIT
// Learners side by side on many instances of an environment: the numbers of every instance.
//
// For one seed the numbers are the same for any count of threads, and a learner's row does not
// depend on which others run beside it. Only the seconds vary.
#ifndef EXPERIMENTS_RUNNER_H
#define EXPERIMENTS_RUNNER_H

#include "experiments/runner/reduction.h"
#include "experiments/runner/untold.h"

// ---- running ----

typedef struct exp_part {
    const char *name; // for exp_progress
    const exp_setup *setup;
    const exp_cast *cast;
} exp_part;

// Instances of several setups, played on threads in any order. Everything it points to is borrowed
// for the time of exp_work_run.
typedef struct exp_work {
    const exp_part *parts; // (part_count)
    int32_t part_count;
    int32_t jobs;            // threads, 1 .. EXP_MAX_JOBS
    const atomic_bool *stop; // setting it, in progress() too, ends the work early; nullable
    exp_progress_fn progress;
    void *progress_ctx;
    int64_t found; // of the instances that need no playing, those that progress counts as done
    // Whether an instance needs no playing. Nullable.
    bool (*had)(void *ctx, int32_t part, int64_t instance);
    // An instance that was played to its end, on any thread.
    lgkt_status (*take)(void *ctx, int32_t part, int64_t instance, const exp_outcome *outcome,
                        lgkt_error *error);
    // About ten times a second, on the thread of the caller. Nullable.
    lgkt_status (*tick)(void *ctx, lgkt_error *error);
    void *ctx;
} exp_work;

// The part of a unit, where part p begins with unit first[p]; (count + 1).
int32_t exp_part_of(const int64_t *first, int32_t count, int64_t unit);

// If instances fail, the error is that of the first of them; a stop is no failure. Nullable: error.
lgkt_status exp_work_run(const exp_work *work, lgkt_error *error);

// ---- the numbers of one setup ----

// {0} is an empty one. If the run was stopped, `complete` is false and the numbers are void.
typedef struct exp_result {
    bool complete;
    int32_t learner_count, measure_count, checkpoint_count;
    int64_t horizon, replicates;
    char note[EXP_NOTE_SIZE]; // the environment on itself
    double *optimum;          // (replicates) V*_T(s_0)/T; NaN where there is no model
    double *random;           // (replicates) the same of uniform play
    double *reward;           // (learner_count, replicates) expected reward per step
    double *observed;         // (learner_count, replicates) observed reward per step
    double *seconds;          // (learner_count, replicates) in steps of learner and environment
    double *curve;            // (measure_count, learner_count, checkpoint_count, replicates) so far
    double *regret;           // (learner_count, replicates) to the thresholding policy, or NULL
    exp_counters *counters;   // (learner_count)
    char (*untold)[EXP_UNTOLD_SIZE]; // (learner_count) what each does untold, or NULL if told
    exp_reduction reduction;         // {0} before exp_result_reduce
} exp_result;

// Runs a setup. The result is written on LGKT_OK only. Nullable: cast (then one is made), error.
lgkt_status exp_run(const exp_setup *setup, const exp_cast *cast, exp_result *result,
                    lgkt_error *error);

void exp_result_free(exp_result *result);
// Reduces a complete run of the setup. Nullable: error.
lgkt_status exp_result_reduce(exp_result *result, const exp_setup *setup, lgkt_error *error);
// A measure of one learner at one checkpoint, of each instance: (replicates).
double *exp_curve_row(const exp_result *result, int32_t measure, int32_t learner,
                      int32_t checkpoint);

#endif
