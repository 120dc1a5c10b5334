// SPDX-License-Identifier: MIT
// Sums and moments of runs (reduction.h), by the one pass of statistics.c.
//
// Points lie as in an outcome and pairs in the order of their loop, so that an instance is added in
// one walk through memory, however many learners there are: 1000 of them make 12 MB of pairs for
// each compared time.
//
// Share of the optimum and score are ratios of means, e.g. mean_i(reward_i) / mean_i(optimum_i): a
// mean of ratios would weigh instances with little to earn as much as the others.
#include "experiments/runner/reduction.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/error.h"

lgkt_status exp_reduction_create(exp_reduction *reduction, const exp_setup *setup, exp_facts *facts,
                                 lgkt_error *error)
{
    const size_t learners = (size_t)setup->panel->entry_count, n = (size_t)setup->instances;
    const size_t points = exp_outcome_points(setup);
    const size_t pairs = learners * (learners - 1) / 2;
    // calloc refuses what is too large; one more where there may be none, which it need not give
    *reduction = (exp_reduction){
        .setup = setup,
        .facts = *facts,
        .factor = exp_interval_factor(setup->instances),
        .means = calloc(learners, sizeof(exp_means)),
        .points = calloc(points + 1, sizeof(exp_moments)),
        .pairs = calloc(pairs * (size_t)setup->compared_count + 1, sizeof(exp_moments)),
        .compared = calloc(learners, sizeof(double)),
        .last = calloc(learners, n * sizeof(double)),
    };
    *facts = (exp_facts){0};
    if (reduction->means != NULL && reduction->points != NULL && reduction->pairs != NULL &&
        reduction->compared != NULL && reduction->last != NULL)
        return LGKT_OK;
    exp_reduction_free(reduction);
    return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory for the means of %" PRId64 " runs",
                     setup->panel->entry_count * setup->instances);
}

void exp_reduction_free(exp_reduction *reduction)
{
    exp_facts_free(&reduction->facts);
    free(reduction->means);
    free(reduction->points);
    free(reduction->pairs);
    free(reduction->compared);
    free(reduction->last);
    *reduction = (exp_reduction){0};
}

void exp_reduction_add(exp_reduction *reduction, const exp_outcome *outcome)
{
    const exp_setup *setup = reduction->setup;
    const int32_t learners = setup->panel->entry_count;
    const int64_t curves =
        (int64_t)setup->panel->measure_count * setup->checkpoint_count; // of a learner
    exp_moments_add(&reduction->optimum, outcome->optimum);
    exp_moments_add(&reduction->random, outcome->random);
    for (int32_t l = 0; l < learners; l++) {
        const exp_measured *score = &outcome->scores[l];
        exp_means *means = &reduction->means[l];
        exp_moments_add(&means->reward, score->reward);
        exp_moments_add(&means->observed, score->observed);
        exp_moments_add(&means->regret, score->regret);
        exp_moments_add(&means->missed, outcome->optimum - score->reward);
        exp_sum_add(&means->seconds, score->seconds);
        reduction->last[l * setup->instances + reduction->added] =
            exp_outcome_last(outcome, setup, l);
        for (int32_t i = 0; i < reduction->facts.entries[l].count; i++)
            reduction->facts.entries[l].totals[i] += score->counters[i];
    }
    for (int64_t i = 0; i < learners * curves; i++)
        exp_moments_add(&reduction->points[i], outcome->curve[i]);
    exp_moments *pair = reduction->pairs;
    for (int32_t at = 0; at < setup->compared_count; at++) {
        for (int32_t l = 0; l < learners; l++)
            reduction->compared[l] = outcome->curve[l * curves + setup->compared[at]];
        for (int32_t l = 0; l < learners; l++)
            for (int32_t m = l + 1; m < learners; m++)
                exp_moments_add(pair++, reduction->compared[l] - reduction->compared[m]);
    }
    if (++reduction->added < setup->instances)
        return;
    const bool less =
        setup->checkpoint_count > 0 && setup->panel->measures[0].kind == EXP_MEASURE_REGRET;
    for (int32_t l = 0; l < learners; l++)
        reduction->means[l].spread =
            exp_spread_of(reduction->last + l * setup->instances, setup->instances, less);
}

// ---- what it says ----

exp_estimate exp_estimate_of(const exp_reduction *reduction, exp_moments moments)
{
    return (exp_estimate){moments.mean, reduction->factor * exp_moments_sd(&moments)};
}

exp_summary exp_summarize(const exp_reduction *reduction, int32_t learner)
{
    const exp_means *means = &reduction->means[learner];
    const double steps = (double)reduction->setup->panel->horizon;
    const double reward = means->reward.mean, optimum = reduction->optimum.mean;
    exp_summary summary = {
        .reward = exp_estimate_of(reduction, means->reward),
        .observed = exp_estimate_of(reduction, means->observed),
        .spread = means->spread,
        .share = exp_share(reward, optimum),
        .score = exp_scored(reward, reduction->random.mean, optimum),
        .seconds = exp_sum_value(&means->seconds),
    };
    summary.steps_per_second = (double)reduction->added * steps / summary.seconds;
    if (reduction->setup->regret_k > 0) {
        summary.threshold_regret = exp_estimate_of(reduction, means->regret);
        summary.optimum_regret = exp_estimate_of(reduction, means->missed);
        summary.optimum_regret.mean *= steps;
        summary.optimum_regret.ci95 *= steps;
    }
    return summary;
}

exp_estimate exp_curve_point(const exp_reduction *reduction, int32_t measure, int32_t learner,
                             int32_t checkpoint)
{
    const exp_setup *setup = reduction->setup;
    const int64_t line = (int64_t)learner * setup->panel->measure_count + measure;
    return exp_estimate_of(reduction,
                           reduction->points[line * setup->checkpoint_count + checkpoint]);
}

exp_estimate exp_pair_point(const exp_reduction *reduction, int32_t time, int32_t learner,
                            int32_t other)
{
    // the pairs of learner l are n - 1 - l
    const size_t n = (size_t)reduction->setup->panel->entry_count, l = (size_t)learner;
    const size_t pair = l * (2 * n - l - 1) / 2 + (size_t)(other - learner - 1);
    return exp_estimate_of(reduction, reduction->pairs[(size_t)time * (n * (n - 1) / 2) + pair]);
}

// ---- a panel that is played here and now ----

static lgkt_status make_arrays(exp_arrays *arrays, const exp_setup *setup, lgkt_error *error)
{
    const size_t n = (size_t)setup->instances, learners = (size_t)setup->panel->entry_count;
    const size_t runs = n * learners, points = exp_outcome_points(setup);
    const size_t per_run = setup->regret_k > 0 ? 4 : 3;
    // all numbers in one piece, which begins with the optimum; calloc refuses what is too large
    double *numbers = calloc(n, (2 + learners * per_run + points) * sizeof(double));
    if (numbers == NULL)
        return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory for the results of %zu runs",
                         runs);
    *arrays = (exp_arrays){.optimum = numbers,
                           .random = numbers + n,
                           .reward = numbers + 2 * n,
                           .observed = numbers + 2 * n + runs,
                           .seconds = numbers + 2 * n + 2 * runs,
                           .curve = numbers + 2 * n + 3 * runs};
    if (setup->regret_k > 0)
        arrays->regret = arrays->curve + n * points;
    return LGKT_OK;
}

static lgkt_status begin(void *ctx, int32_t panel, exp_facts *facts, lgkt_error *error)
{
    (void)panel;
    exp_result *result = ctx;
    const exp_setup *setup = result->reduction.setup;
    LGKT_TRY(exp_reduction_create(&result->reduction, setup, facts, error));
    return result->keeps ? make_arrays(&result->arrays, setup, error) : LGKT_OK;
}

static lgkt_status take(void *ctx, int64_t task, const exp_outcome *outcome, lgkt_error *error)
{
    (void)error;
    exp_result *result = ctx;
    const exp_setup *setup = result->reduction.setup;
    const exp_arrays *arrays = &result->arrays;
    const int64_t n = setup->instances, times = setup->checkpoint_count;
    const int32_t learners = setup->panel->entry_count;
    const double *point = outcome->curve;
    exp_reduction_add(&result->reduction, outcome);
    if (!result->keeps)
        return LGKT_OK;
    arrays->optimum[task] = outcome->optimum;
    arrays->random[task] = outcome->random;
    for (int32_t l = 0; l < learners; l++) {
        const exp_measured *score = &outcome->scores[l];
        const int64_t place = l * n + task;
        arrays->reward[place] = score->reward;
        arrays->observed[place] = score->observed;
        arrays->seconds[place] = score->seconds;
        if (arrays->regret != NULL)
            arrays->regret[place] = score->regret;
        for (int32_t m = 0; m < setup->panel->measure_count; m++)
            for (int64_t c = 0; c < times; c++)
                arrays->curve[(((int64_t)m * learners + l) * times + c) * n + task] = *point++;
    }
    return LGKT_OK;
}

lgkt_status exp_result_run(exp_result *result, const exp_tasks *tasks, bool arrays,
                           const exp_runner *how, lgkt_error *error)
{
    exp_runner runner = *how;
    int64_t played = 0;
    *result = (exp_result){.reduction.setup = tasks->setups, .keeps = arrays};
    runner.tasks = tasks;
    runner.count = tasks->count;
    runner.begin = begin;
    runner.take = take;
    runner.ctx = result;
    runner.ordered = true;
    LGKT_TRY(exp_runner_run(&runner, &played, error));
    result->complete = played == tasks->count;
    return LGKT_OK;
}

void exp_result_free(exp_result *result)
{
    exp_reduction_free(&result->reduction);
    free(result->arrays.optimum);
    *result = (exp_result){0};
}
