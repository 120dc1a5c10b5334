// SPDX-License-Identifier: MIT
// The runs of a panel reduced to their means, as they come: instance after instance.
//
// A panel that is played here and now, without a journal, is such a reduction and, for those who
// want more, the numbers of every run.
//
// Memory: one double per run, which the median and the worst tenth need, and what does not grow
// with the instances: 24 bytes for each point of a curve and for each pair of learners at each time
// where they are compared.
#pragma once

#include "experiments/runner/runner.h"
#include "experiments/runner/statistics.h"

// A mean over all instances, and half the width of its 95% interval (NaN for one instance).
typedef struct exp_estimate {
    double mean, ci95;
} exp_estimate;

// Whole runs of one learner.
typedef struct exp_means {
    exp_moments reward, observed; // per step
    exp_moments regret;           // to the thresholding policy
    exp_moments missed;           // optimum - reward, per step
    exp_sum seconds;
    exp_spread spread; // when all are there: of the first measure at the end, or of rewards
} exp_means;

// {0} is an empty one.
typedef struct exp_reduction {
    const exp_setup *setup; // borrowed
    exp_facts facts;        // of the panel, with the totals of what its learners count
    int64_t added;          // instances
    double factor;          // of intervals, see exp_interval_factor
    exp_moments optimum;    // V*_T(s_0)/T; NaN where there is no model
    exp_moments random;     // the same of uniform play
    exp_means *means;       // (entry_count)
    exp_moments *points;    // (entry_count, measure_count, checkpoint_count)
    exp_moments *pairs;     // (compared_count, pairs of learners), see exp_pair_point
    double *compared;       // (entry_count) at one time
    double *last;           // (entry_count, instances) what has a spread; sorted when all are there
} exp_reduction;

// Takes the facts over and leaves {0}. Nullable: error.
lgkt_status exp_reduction_create(exp_reduction *reduction, const exp_setup *setup, exp_facts *facts,
                                 lgkt_error *error);
void exp_reduction_free(exp_reduction *reduction);
// In the order of the instances; what follows is for when all of them were added.
void exp_reduction_add(exp_reduction *reduction, const exp_outcome *outcome);

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

exp_summary exp_summarize(const exp_reduction *reduction, int32_t learner);
// Moments of numbers of all instances, with their interval.
exp_estimate exp_estimate_of(const exp_reduction *reduction, exp_moments moments);
// A measure of one learner at one checkpoint.
exp_estimate exp_curve_point(const exp_reduction *reduction, int32_t measure, int32_t learner,
                             int32_t checkpoint);
// The first measure of a learner minus that of a later one on the same instances, at a compared
// time.
exp_estimate exp_pair_point(const exp_reduction *reduction, int32_t time, int32_t learner,
                            int32_t other);

// ---- a panel that is played here and now ----

// Three doubles per run, with regret one more, and one for each point of its curves; {0} is an
// empty one.
typedef struct exp_arrays {
    double *optimum, *random;  // (instances)
    double *reward, *observed; // (learners, instances) per step
    double *seconds;           // (learners, instances)
    double *regret;            // (learners, instances) to the thresholding policy, or NULL
    double *curve;             // (measures, learners, checkpoints, instances)
} exp_arrays;

// {0} is an empty one.
typedef struct exp_result {
    exp_reduction reduction;
    exp_arrays arrays; // empty if not asked for
    bool keeps;        // these are asked for
    bool complete;     // all instances were played
} exp_result;

// Plays all tasks of the only panel. `how` says jobs, stop and progress. Free it after failure, too.
// Nullable: error.
lgkt_status exp_result_run(exp_result *result, const exp_tasks *tasks, bool arrays,
                           const exp_runner *how, lgkt_error *error);
void exp_result_free(exp_result *result);
