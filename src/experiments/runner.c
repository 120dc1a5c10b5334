// SPDX-License-Identifier: MIT
// Instances over threads (pool.h), learners over an instance (instance.h), all numbers kept.
//
// Each instance has its own place in the result, and reductions go over instances in order: the
// count of threads changes nothing.
//
// Share of the optimum and score are ratios of means, e.g. mean_i(reward_i) / mean_i(optimum_i): a
// mean of ratios would weigh instances with little to earn as much as the others.
//
// Memory: three doubles per run, one more per point of its curve; with regret one more for each of
// these. For experiments too large for that see reproduce.h.
#include "experiments/runner.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/text.h"

// One run of a setup, shared by its threads.
typedef struct work {
    const exp_setup *setup;
    exp_result *result;
    exp_cast cast;
    exp_pool pool;
    double begin;
    pthread_mutex_t lock; // guards result->counters
} work;

// one instance, into its place
static lgkt_status run_instance(void *ctx, int64_t number, lgkt_error *error)
{
    work *w = ctx;
    const exp_setup *setup = w->setup;
    exp_result *result = w->result;
    exp_outcome outcome;
    lgkt_status status = exp_outcome_create(&outcome, setup, error);
    if (status != LGKT_OK)
        return status;
    status = exp_instance_play(setup, &w->cast, number, &w->pool, number, &outcome, error);
    result->optimum[number] = outcome.optimum;
    result->random[number] = outcome.random;
    for (int32_t l = 0; l < setup->learner_count && status == LGKT_OK; l++) {
        const exp_score *score = &outcome.scores[l];
        const int64_t place = l * setup->replicates + number;
        result->reward[place] = score->reward;
        result->observed[place] = score->observed;
        result->seconds[place] = score->seconds;
        if (result->regret != NULL)
            result->regret[place] = score->regret;
        for (int32_t c = 0; c < setup->checkpoint_count; c++) {
            const int64_t row = (int64_t)l * setup->checkpoint_count + c;
            const int64_t at = row * setup->replicates + number;
            result->curve[at] = outcome.points[row].expected;
            if (result->regret_curve != NULL)
                result->regret_curve[at] = outcome.points[row].regret;
        }

        // whole numbers: the order of the threads does not show in their sums
        pthread_mutex_lock(&w->lock);
        exp_counters_add(&result->counters[l], score->counters);
        pthread_mutex_unlock(&w->lock);
    }
    exp_outcome_free(&outcome);
    return status;
}

static lgkt_status report(void *ctx, lgkt_error *error)
{
    (void)error;
    work *w = ctx;
    const exp_setup *setup = w->setup;
    const exp_progress progress = {
        .instances = setup->replicates,
        .instances_done = atomic_load(&w->pool.done),
        .steps = (double)setup->replicates * setup->learner_count * (double)setup->horizon,
        .steps_done = (double)atomic_load(&w->pool.steps),
        .seconds = exp_clock() - w->begin,
    };
    if (setup->progress != NULL)
        setup->progress(setup->progress_ctx, &progress);
    return LGKT_OK;
}

lgkt_status exp_run(const exp_setup *setup, exp_result *result, lgkt_error *error)
{
    lgkt_status status = exp_setup_check(setup, error);
    if (status != LGKT_OK)
        return status;
    const size_t n = (size_t)setup->replicates, learners = (size_t)setup->learner_count;
    const size_t runs = n * learners, points = runs * (size_t)setup->checkpoint_count + 1;
    const bool regret = setup->regret_k > 0;
    const double wanted = (double)n * (double)learners * (setup->checkpoint_count + 1.0);
    if (wanted > (double)(SIZE_MAX / sizeof(double)))
        return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory for %.0f results", wanted);
    exp_result made = {
        .learner_count = setup->learner_count,
        .checkpoint_count = setup->checkpoint_count,
        .horizon = setup->horizon,
        .replicates = setup->replicates,
        .optimum = calloc(n, sizeof(double)),
        .random = calloc(n, sizeof(double)),
        .reward = calloc(runs, sizeof(double)),
        .observed = calloc(runs, sizeof(double)),
        .seconds = calloc(runs, sizeof(double)),
        .curve = calloc(points, sizeof(double)),
        .counters = calloc(learners, sizeof(exp_counters)),
        .spreads = calloc(learners, sizeof(exp_spread)),
        .regret = regret ? calloc(runs, sizeof(double)) : NULL,
        .regret_curve = regret ? calloc(points, sizeof(double)) : NULL,
        .untold = setup->untold ? calloc(learners, EXP_UNTOLD_SIZE) : NULL,
    };
    double *sorted = calloc(n, sizeof *sorted); // (n)
    if (made.optimum == NULL || made.random == NULL || made.reward == NULL ||
        made.observed == NULL || made.seconds == NULL || made.curve == NULL ||
        made.counters == NULL || made.spreads == NULL || sorted == NULL ||
        (regret && (made.regret == NULL || made.regret_curve == NULL)) ||
        (setup->untold && made.untold == NULL))
        status =
            lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory for the results of %zu runs", runs);
    work w = {.setup = setup, .result = &made, .begin = exp_clock()};
    if (status == LGKT_OK)
        status = exp_cast_make(&w.cast, setup, made.counters, error);
    if (status == LGKT_OK) {
        lgkt_text_clean(made.note, sizeof made.note, lgkt_env_note(w.cast.env));
        for (size_t l = 0; l < learners && setup->untold; l++)
            exp_untold_describe(w.cast.games[l].learner, made.untold[l]);
        w.pool = (exp_pool){.units = setup->replicates,
                            .jobs = setup->jobs,
                            .stop = setup->stop,
                            .work = run_instance,
                            .tick = report,
                            .ctx = &w};
        pthread_mutex_init(&w.lock, NULL);
        status = exp_pool_run(&w.pool, error);
        pthread_mutex_destroy(&w.lock);
        made.complete = atomic_load(&w.pool.done) == setup->replicates;
        for (size_t l = 0; l < learners; l++) {
            memcpy(sorted, made.reward + l * n, n * sizeof *sorted);
            made.spreads[l] = exp_spread_of(sorted, setup->replicates, false);
        }
    }
    exp_cast_free(&w.cast);
    free(sorted);
    if (status == LGKT_OK)
        *result = made;
    else
        exp_result_free(&made);
    return status;
}

void exp_result_free(exp_result *result)
{
    free(result->regret);
    free(result->regret_curve);
    free(result->untold);
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

// ---- summaries ----

double exp_optimum(const exp_result *result)
{
    return exp_moments_of(result->optimum, result->replicates).mean;
}

double exp_random(const exp_result *result)
{
    return exp_moments_of(result->random, result->replicates).mean;
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
        // T (optimum - reward), both per step
        const double steps = (double)result->horizon;
        summary.optimum_regret = exp_paired(result->optimum, result->reward + learner * n, n);
        summary.optimum_regret.mean *= steps;
        summary.optimum_regret.squares *= steps * steps;
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
