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

// If the run was stopped, `complete` is false and the numbers are void.
typedef struct exp_result {
    bool complete;
    int32_t learner_count, checkpoint_count;
    int64_t horizon, replicates;
    char note[EXP_NOTE_SIZE]; // the environment on itself
    double *optimum;          // (replicates) V*_T(s_0)/T; NaN where there is no model
    double *random;           // (replicates) the same of uniform play
    double *reward;           // (learner_count, replicates) expected reward per step
    double *observed;         // (learner_count, replicates) observed reward per step
    double *seconds;          // (learner_count, replicates) in steps of learner and environment
    double *curve;            // (learner_count, checkpoint_count, replicates) running mean
    exp_counters *counters;   // (learner_count)
    exp_spread *spreads;      // (learner_count) of the expected reward per step
    double *regret;           // (learner_count, replicates) to the thresholding policy, or NULL
    double *regret_curve; // (learner_count, checkpoint_count, replicates) the same so far, or NULL
    char (*untold)[EXP_UNTOLD_SIZE]; // (learner_count) what each does untold, or NULL if told
} exp_result;

// Runs a setup. The result is written on LGKT_OK only and freed with exp_result_free. If instances
// fail, the error is that of the first of them. Nullable: error.
lgkt_status exp_run(const exp_setup *setup, exp_result *result, lgkt_error *error);
void exp_result_free(exp_result *result);

// One learner over all instances.
typedef struct exp_summary {
    exp_moments reward;   // expected reward per step
    double observed;      // mean observed reward per step
    double median, worst; // of the expected reward per step: the worst tenth, see exp_spread
    double share;         // mean reward / mean optimum; NaN if that is not above 0 or not known
    double score; // of the mean reward between the means of random and optimum, see exp_scored
    double seconds;
    double steps_per_second; // of one thread
    // total regret of a run to the thresholding policy, and to the optimum (NaN without a model);
    // without numbers (n = 0) if the regret was not asked for
    exp_moments threshold_regret, optimum_regret;
} exp_summary;

exp_summary exp_summarize(const exp_result *result, int32_t learner);
// The mean over instances of the optimum per step; NaN where there is no model.
double exp_optimum(const exp_result *result);
// The same of uniform play.
double exp_random(const exp_result *result);
// One point of a learning curve, over all instances.
exp_moments exp_curve_point(const exp_result *result, int32_t learner, int32_t checkpoint);
// The same for the regret to the thresholding policy, which must have been asked for.
exp_moments exp_regret_point(const exp_result *result, int32_t learner, int32_t checkpoint);

#endif
