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

static size_t pairs_of(const exp_setup *setup)
{
    const size_t learners = (size_t)setup->panel->entry_count;
    return learners * (learners - 1) / 2;
}

// what a learner has a spread of, of all instances
static double *row_of(const exp_reduction *reduction, int32_t learner)
{
    return reduction->last + learner * reduction->setup->instances;
}

lgkt_status exp_reduction_create(exp_reduction *reduction, const exp_setup *setup, exp_facts *facts,
                                 lgkt_error *error)
{
    const size_t learners = (size_t)setup->panel->entry_count, n = (size_t)setup->instances;
    const size_t points = exp_outcome_points(setup);
    const size_t pairs = pairs_of(setup) * (size_t)setup->compared_count;
    // calloc refuses what is too large; one more where there may be none, which it need not give
    *reduction = (exp_reduction){
        .setup = setup,
        .facts = *facts,
        .factor = exp_interval_factor(setup->instances),
        .means = calloc(learners, sizeof(exp_means)),
        .points = calloc(points + 1, sizeof(exp_moments)),
        .pairs = calloc(pairs + 1, sizeof(exp_moments)),
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
        row_of(reduction, l)[reduction->added] = exp_outcome_last(outcome, setup, l);
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
    reduction->added++;
}

void exp_reduction_finish(exp_reduction *reduction)
{
    const exp_setup *setup = reduction->setup;
    const bool less =
        setup->checkpoint_count > 0 && setup->panel->measures[0].kind == EXP_MEASURE_REGRET;
    for (int32_t l = 0; l < setup->panel->entry_count; l++)
        reduction->means[l].spread = exp_spread_of(row_of(reduction, l), setup->instances, less);
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
    // the pairs of learner l are learners - 1 - l
    const size_t l = (size_t)learner,
                 before = l * (2 * (size_t)reduction->setup->panel->entry_count - l - 1) / 2;
    const size_t pair = before + (size_t)(other - learner - 1);
    return exp_estimate_of(reduction,
                           reduction->pairs[(size_t)time * pairs_of(reduction->setup) + pair]);
}
