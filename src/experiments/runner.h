// SPDX-License-Identifier: MIT
// Learners side by side on many instances of an environment: the numbers of every instance, and
// their summaries.
//
// For one seed the numbers are the same for any count of threads, and a learner's row does not
// depend on which others run beside it. Only the seconds vary.
#ifndef EXPERIMENTS_RUNNER_H
#define EXPERIMENTS_RUNNER_H

#include "experiments/instance.h"
#include "experiments/statistics.h"
#include "experiments/untold.h"

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
    // Whether an instance needs no playing. Nullable.
    bool (*had)(void *ctx, int32_t part, int64_t instance);
    // An instance that was played to its end, on any thread.
    lgkt_status (*take)(void *ctx, int32_t part, int64_t instance, const exp_outcome *outcome,
                        lgkt_error *error);
    // About ten times a second, on the thread of the caller. Nullable.
    lgkt_status (*tick)(void *ctx, lgkt_error *error);
    void *ctx;
} exp_work;

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
    double *curve;            // (measure_count, learner_count, kept_count, replicates) so far
    double *regret;           // (learner_count, replicates) to the thresholding policy, or NULL
    double *exact;            // (3, learner_count, replicates) gap, bound, distance, or NULL
    double *sorted;           // (replicates) for exp_result_finish
    exp_counters *counters;   // (learner_count)
    exp_spread *spreads;      // (learner_count) of the first measure at the end, or rewards
    exp_moments *points;      // (measure_count, learner_count, checkpoint_count) if not kept
    int32_t *slots;           // (checkpoint_count) place among those that are kept; -1: is not
    int32_t kept_count;
    char (*untold)[EXP_UNTOLD_SIZE]; // (learner_count) what each does untold, or NULL if told
    bool less_is_better;             // of the first measure
    double factor;                   // of intervals over the replicates, see exp_interval_factor
} exp_result;

// Of the checkpoints with these numbers, increasing, the last among them, all numbers are kept
// (NULL: of all); of the others the moments. Nullable: kept, error.
lgkt_status exp_result_create(exp_result *result, const exp_setup *setup, const exp_cast *cast,
                              const int32_t *kept, int32_t kept_count, lgkt_error *error);
void exp_result_free(exp_result *result);
// Puts an instance in its place; the counters are added to. Where a checkpoint is not kept, they
// must come in order.
void exp_result_put(exp_result *result, int64_t instance, const exp_outcome *outcome);
// After the last of them.
void exp_result_finish(exp_result *result);

// Runs a setup. The result is written on LGKT_OK only. Nullable: cast (then one is made), error.
lgkt_status exp_run(const exp_setup *setup, const exp_cast *cast, exp_result *result,
                    lgkt_error *error);

// ---- summaries ----

// A mean over all instances, and half the width of its 95% interval (NaN for one instance).
typedef struct exp_estimate {
    double mean, ci95;
} exp_estimate;

// Of numbers of the instances, and of differences x - y on the same ones; (replicates) each.
exp_estimate exp_estimate_of(const exp_result *result, const double *x);
exp_estimate exp_estimate_paired(const exp_result *result, const double *x, const double *y);

// One learner over all instances.
typedef struct exp_summary {
    exp_estimate reward, observed; // per step
    exp_spread spread;             // of the first measure at the end or, without curves, of rewards
    double share;                  // mean reward / mean optimum, see exp_share
    double score; // of the mean reward between the means of random and optimum, see exp_scored
    double seconds;
    double steps_per_second; // of one thread
    // total regret of a run to the thresholding policy and to the optimum (NaN without a model); 0
    // if the regret was not asked for
    exp_estimate threshold_regret, optimum_regret;
} exp_summary;

exp_summary exp_summarize(const exp_result *result, int32_t learner);
// The mean over instances of the optimum per step; NaN where there is no model.
double exp_optimum(const exp_result *result);
// The same of uniform play.
double exp_random(const exp_result *result);
// A measure of one learner at one checkpoint: of each instance, (replicates), if it is kept, and
// over them.
const double *exp_curve_row(const exp_result *result, int32_t measure, int32_t learner,
                            int32_t checkpoint);
exp_estimate exp_curve_point(const exp_result *result, int32_t measure, int32_t learner,
                             int32_t checkpoint);

#endif
