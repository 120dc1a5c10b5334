// SPDX-License-Identifier: MIT
// Results: arrays with one place per instance, reduced in the order of the instances.
//
// Share of the optimum and score are ratios of means, e.g. mean_i(reward_i) / mean_i(optimum_i): a
// mean of ratios would weigh instances with little to earn as much as the others.
#include "experiments/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/io_text.h"

// ---- storage ----

lgkt_status exp_result_create(exp_result *result, int32_t learner_count, int32_t checkpoint_count,
                              int64_t horizon, int64_t replicates, lgkt_error *error)
{
    const size_t n = (size_t)replicates, runs = n * (size_t)learner_count;
    *result = (exp_result){
        .learner_count = learner_count,
        .checkpoint_count = checkpoint_count,
        .horizon = horizon,
        .replicates = replicates,
        .optimum = calloc(n, sizeof(double)),
        .random = calloc(n, sizeof(double)),
        .reward = calloc(runs, sizeof(double)),
        .observed = calloc(runs, sizeof(double)),
        .seconds = calloc(runs, sizeof(double)),
        .curve = calloc(runs * (size_t)checkpoint_count + 1, sizeof(double)),
        .counters = calloc((size_t)learner_count, sizeof(exp_counters)),
        .spreads = calloc((size_t)learner_count, sizeof(exp_spread)),
    };
    if (result->optimum != NULL && result->random != NULL && result->reward != NULL &&
        result->observed != NULL && result->seconds != NULL && result->curve != NULL &&
        result->counters != NULL && result->spreads != NULL)
        return LGKT_OK;
    exp_result_free(result);
    return io_fail(error, LGKT_ERR_NO_MEMORY, "no memory for the results of %zu runs", runs);
}

lgkt_status exp_result_add_regret(exp_result *result, lgkt_error *error)
{
    const size_t runs = (size_t)result->replicates * (size_t)result->learner_count;
    result->regret = calloc(runs, sizeof(double));
    result->regret_curve = calloc(runs * (size_t)result->checkpoint_count + 1, sizeof(double));
    if (result->regret != NULL && result->regret_curve != NULL)
        return LGKT_OK;
    return io_fail(error, LGKT_ERR_NO_MEMORY, "no memory for the regret of %zu runs", runs);
}

lgkt_status exp_result_spread(exp_result *result, lgkt_error *error)
{
    const int64_t n = result->replicates;
    double *sorted = calloc((size_t)n, sizeof *sorted); // (n)
    if (sorted == NULL)
        return io_fail(error, LGKT_ERR_NO_MEMORY, "no memory to sort %" PRId64 " runs", n);
    for (int32_t l = 0; l < result->learner_count; l++) {
        memcpy(sorted, result->reward + l * n, (size_t)n * sizeof *sorted);
        result->spreads[l] = exp_spread_of(sorted, n, false);
    }
    free(sorted);
    return LGKT_OK;
}

void exp_result_free(exp_result *result)
{
    free(result->regret);
    free(result->regret_curve);
    free(result->optimum);
    free(result->random);
    free(result->reward);
    free(result->observed);
    free(result->seconds);
    free(result->curve);
    free(result->counters);
    free(result->spreads);
    *result = (exp_result){0};
}

// ---- counters ----

void exp_counters_name(exp_counters *sums, const lgkt_learner *learner)
{
    lgkt_counter counters[EXP_MAX_COUNTERS];
    const int32_t count = lgkt_learner_counters(learner, counters, EXP_MAX_COUNTERS);
    *sums = (exp_counters){.count = count < EXP_MAX_COUNTERS ? count : EXP_MAX_COUNTERS};
    for (int32_t i = 0; i < sums->count; i++)
        snprintf(sums->names[i], sizeof sums->names[i], "%s", counters[i].name);
}

void exp_counters_add(exp_counters *sums, const int64_t values[EXP_MAX_COUNTERS])
{
    for (int32_t i = 0; i < sums->count; i++)
        sums->totals[i] += values[i];
}

// ---- summaries ----

double exp_optimum(const exp_result *result)
{
    return exp_moments_of(result->optimum, result->replicates).mean;
}

double exp_random(const exp_result *result)
{
    return exp_moments_of(result->random, result->replicates).mean;
}

// T (optimum - reward), both per step
static exp_moments optimum_regret(const exp_result *result, int32_t learner)
{
    const int64_t n = result->replicates;
    const double steps = (double)result->horizon;
    exp_moments regret = exp_paired(result->optimum, result->reward + learner * n, n);
    regret.mean *= steps;
    regret.squares *= steps * steps;
    return regret;
}

exp_summary exp_summarize(const exp_result *result, int32_t learner)
{
    const int64_t n = result->replicates;
    const double optimum = exp_optimum(result);
    exp_sum seconds = {0};
    for (int64_t i = 0; i < n; i++)
        exp_sum_add(&seconds, result->seconds[learner * n + i]);
    exp_summary summary = {
        .reward = exp_moments_of(result->reward + learner * n, n),
        .observed = exp_moments_of(result->observed + learner * n, n).mean,
        .median = result->spreads[learner].median,
        .worst = result->spreads[learner].worst,
        .seconds = exp_sum_value(&seconds),
    };
    summary.share = exp_share(summary.reward.mean, optimum);
    summary.score = exp_scored(summary.reward.mean, exp_random(result), optimum);
    summary.steps_per_second = (double)n * (double)result->horizon / summary.seconds;
    if (result->regret != NULL) {
        summary.threshold_regret = exp_moments_of(result->regret + learner * n, n);
        summary.optimum_regret = optimum_regret(result, learner);
    }
    return summary;
}

static exp_moments point_of(const exp_result *result, const double *curve, int32_t learner,
                            int32_t checkpoint)
{
    const int64_t n = result->replicates;
    return exp_moments_of(curve + ((int64_t)learner * result->checkpoint_count + checkpoint) * n,
                          n);
}

exp_moments exp_curve_point(const exp_result *result, int32_t learner, int32_t checkpoint)
{
    return point_of(result, result->curve, learner, checkpoint);
}

exp_moments exp_regret_point(const exp_result *result, int32_t learner, int32_t checkpoint)
{
    return point_of(result, result->regret_curve, learner, checkpoint);
}
