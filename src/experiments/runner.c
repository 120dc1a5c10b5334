// SPDX-License-Identifier: MIT
// Instances over threads (pool.h), learners over an instance (instance.h), numbers kept.
//
// Each instance has its own place in the result, and statistics go over instances in order: the
// count of threads changes nothing.
//
// Share of the optimum and score are ratios of means, e.g. mean_i(reward_i) / mean_i(optimum_i): a
// mean of ratios would weigh instances with little to earn as much as the others.
//
// Memory: three doubles per run, with regret one more, and one for each point of its curves that is
// kept: who has the instances in order needs few of them, a curve can have hundreds.
#include "experiments/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/text.h"

// ---- running ----

// A work while it runs, shared by its threads. Units are the instances of all parts.
typedef struct engine {
    const exp_work *work;
    int64_t *first; // (part_count + 1) unit number of instance 0 of a part
    double steps;   // to do when it began
    double begin;
    exp_pool pool;
} engine;

static int32_t part_of(const engine *e, int64_t unit)
{
    int32_t p = 0;
    while (unit >= e->first[p + 1])
        p++;
    return p;
}

static bool had(const engine *e, int32_t part, int64_t unit)
{
    const exp_work *work = e->work;
    return work->had != NULL && work->had(work->ctx, part, unit - e->first[part]);
}

// one unit: all learners on one instance
static lgkt_status run_unit(void *ctx, int64_t unit, lgkt_error *error)
{
    engine *e = ctx;
    const int32_t p = part_of(e, unit);
    const exp_part *part = &e->work->parts[p];
    const int64_t instance = unit - e->first[p];
    exp_outcome outcome;
    if (had(e, p, unit))
        return LGKT_OK;
    lgkt_status status = exp_outcome_create(&outcome, part->setup, error);
    if (status != LGKT_OK)
        return status;
    status = exp_instance_play(part->setup, part->cast, instance, &e->pool, unit, &outcome, error);
    // a unit that was cut short is void
    if (status == LGKT_OK && !exp_pool_halted(&e->pool, unit))
        status = e->work->take(e->work->ctx, p, instance, &outcome, error);
    exp_outcome_free(&outcome);
    return status;
}

static lgkt_status tick(void *ctx, lgkt_error *error)
{
    engine *e = ctx;
    const exp_work *work = e->work;
    const int64_t next = atomic_load(&e->pool.next), units = e->pool.units;
    const exp_progress progress = {
        .name = work->parts[part_of(e, next < units ? next : units - 1)].name,
        .learner = atomic_load(&e->pool.learner),
        .instances = units,
        .instances_done = atomic_load(&e->pool.done),
        .steps = e->steps,
        .steps_done = (double)atomic_load(&e->pool.steps),
        .seconds = exp_clock() - e->begin,
    };
    if (work->progress != NULL)
        work->progress(work->progress_ctx, &progress);
    return work->tick != NULL ? work->tick(work->ctx, error) : LGKT_OK;
}

lgkt_status exp_work_run(const exp_work *work, lgkt_error *error)
{
    engine e = {.work = work,
                .first = calloc((size_t)work->part_count + 1, sizeof *e.first),
                .begin = exp_clock()};
    if (e.first == NULL)
        return lgkt_fail_memory(error, "the parts of a run");
    for (int32_t p = 0; p < work->part_count; p++) {
        const exp_setup *setup = work->parts[p].setup;
        e.first[p + 1] = e.first[p] + setup->replicates;
        for (int64_t u = e.first[p]; u < e.first[p + 1]; u++)
            if (!had(&e, p, u))
                e.steps += (double)setup->learner_count * (double)setup->horizon;
    }
    e.pool = (exp_pool){.units = e.first[work->part_count],
                        .jobs = work->jobs,
                        .stop = work->stop,
                        .work = run_unit,
                        .tick = tick,
                        .ctx = &e};
    const lgkt_status status = exp_pool_run(&e.pool, error);
    free(e.first);
    return status;
}

// ---- the numbers of one setup ----

enum { EXACT = 3 }; // gap, bound, distance

lgkt_status exp_result_create(exp_result *result, const exp_setup *setup, const exp_cast *cast,
                              const int32_t *kept, int32_t kept_count, lgkt_error *error)
{
    const size_t n = (size_t)setup->replicates, learners = (size_t)setup->learner_count;
    const size_t runs = n * learners, all = (size_t)setup->checkpoint_count;
    const size_t lines = learners * (size_t)setup->measure_count;
    const size_t points = lines * (kept != NULL ? (size_t)kept_count : all);
    const bool regret = setup->regret_k > 0;
    const size_t per_run = 3 + regret + (setup->exact ? EXACT : 0);
    const double wanted = (double)n * (3.0 + (double)(learners * per_run) + (double)points);
    *result = (exp_result){
        .learner_count = setup->learner_count,
        .measure_count = setup->measure_count,
        .checkpoint_count = setup->checkpoint_count,
        .horizon = setup->horizon,
        .replicates = setup->replicates,
        .less_is_better =
            setup->checkpoint_count > 0 && setup->measures[0].kind == EXP_MEASURE_REGRET,
        .factor = exp_interval_factor(setup->replicates),
        .counters = calloc(learners, sizeof(exp_counters)),
        .spreads = calloc(learners, sizeof(exp_spread)),
        .untold = setup->untold ? calloc(learners, EXP_UNTOLD_SIZE) : NULL,
        .points = calloc(kept != NULL ? lines * all : 1, sizeof(exp_moments)),
        .slots = calloc(all + 1, sizeof(int32_t)),
        .kept_count = kept != NULL ? kept_count : setup->checkpoint_count,
    };
    // all numbers in one piece, which begins with the optimum
    double *at = wanted < (double)(SIZE_MAX / sizeof(double))
                     ? calloc(n * (3 + learners * per_run + points), sizeof(double))
                     : NULL;
    result->optimum = at;
    if (at == NULL || result->counters == NULL || result->spreads == NULL ||
        result->points == NULL || result->slots == NULL ||
        (setup->untold && result->untold == NULL)) {
        exp_result_free(result);
        return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory for the results of %zu runs",
                         runs);
    }
    result->random = at + n;
    result->sorted = at + 2 * n;
    result->reward = at + 3 * n;
    result->observed = result->reward + runs;
    result->seconds = result->observed + runs;
    result->curve = result->seconds + runs;
    at = result->curve + n * points;
    if (regret) {
        result->regret = at;
        at += runs;
    }
    if (setup->exact)
        result->exact = at;
    for (int32_t c = 0, next = 0; c < setup->checkpoint_count; c++)
        result->slots[c] = kept == NULL || (next < kept_count && kept[next] == c) ? next++ : -1;

    memcpy(result->counters, cast->counters, learners * sizeof *cast->counters);
    lgkt_text_clean(result->note, sizeof result->note, lgkt_env_note(cast->env));
    for (size_t l = 0; l < learners && setup->untold; l++)
        exp_untold_describe(cast->games[l].learner, result->untold[l]);
    return LGKT_OK;
}

void exp_result_free(exp_result *result)
{
    free(result->optimum);
    free(result->counters);
    free(result->spreads);
    free(result->points);
    free(result->slots);
    free(result->untold);
    *result = (exp_result){0};
}

// where the numbers of a checkpoint begin; NULL if they are not kept
static double *row_of(const exp_result *result, int32_t measure, int32_t learner,
                      int32_t checkpoint)
{
    const int64_t line = (int64_t)measure * result->learner_count + learner;
    const int32_t slot = result->slots[checkpoint];
    return slot >= 0 ? result->curve + (line * result->kept_count + slot) * result->replicates
                     : NULL;
}

static exp_moments *point_of(const exp_result *result, int32_t measure, int32_t learner,
                             int32_t checkpoint)
{
    const int64_t line = (int64_t)measure * result->learner_count + learner;
    return result->points + line * result->checkpoint_count + checkpoint;
}

void exp_result_put(exp_result *result, int64_t instance, const exp_outcome *outcome)
{
    const int64_t n = result->replicates, runs = result->learner_count * n;
    const double *from = outcome->curve;
    result->optimum[instance] = outcome->optimum;
    result->random[instance] = outcome->random;
    for (int32_t l = 0; l < result->learner_count; l++) {
        const exp_score *score = &outcome->scores[l];
        const int64_t place = l * n + instance;
        result->reward[place] = score->reward;
        result->observed[place] = score->observed;
        result->seconds[place] = score->seconds;
        if (result->regret != NULL)
            result->regret[place] = score->regret;
        if (result->exact != NULL) {
            result->exact[place] = score->gap;
            result->exact[runs + place] = score->bound;
            result->exact[2 * runs + place] = score->distance;
        }
        for (int32_t m = 0; m < result->measure_count; m++)
            for (int32_t c = 0; c < result->checkpoint_count; c++, from++) {
                double *row = row_of(result, m, l, c);
                if (row != NULL)
                    row[instance] = *from;
                else
                    exp_moments_add(point_of(result, m, l, c), *from);
            }
        for (int32_t i = 0; i < result->counters[l].count; i++)
            result->counters[l].totals[i] += score->counters[i];
    }
}

void exp_result_finish(exp_result *result)
{
    const int64_t n = result->replicates;
    for (int32_t l = 0; l < result->learner_count; l++) {
        const double *values = result->checkpoint_count > 0
                                   ? exp_curve_row(result, 0, l, result->checkpoint_count - 1)
                                   : result->reward + l * n;
        memcpy(result->sorted, values, (size_t)n * sizeof *values);
        result->spreads[l] = exp_spread_of(result->sorted, n, result->less_is_better);
    }
}

// ---- one setup ----

typedef struct keeper {
    exp_result *result;
    int64_t done;
    pthread_mutex_t lock; // guards both
} keeper;

// sums of whole numbers: the order of the threads does not show in them
static lgkt_status keep(void *ctx, int32_t part, int64_t instance, const exp_outcome *outcome,
                        lgkt_error *error)
{
    (void)part;
    (void)error;
    keeper *k = ctx;
    pthread_mutex_lock(&k->lock);
    exp_result_put(k->result, instance, outcome);
    k->done++;
    pthread_mutex_unlock(&k->lock);
    return LGKT_OK;
}

lgkt_status exp_run(const exp_setup *setup, const exp_cast *cast, exp_result *result,
                    lgkt_error *error)
{
    exp_result made = {0};
    exp_cast own = {0};
    lgkt_status status = exp_setup_check(setup, error);
    if (status == LGKT_OK && cast == NULL)
        status = exp_cast_make(&own, setup, error);
    const exp_part part = {.setup = setup, .cast = cast != NULL ? cast : &own};
    if (status == LGKT_OK)
        status = exp_result_create(&made, setup, part.cast, NULL, 0, error);
    if (status == LGKT_OK) {
        keeper k = {.result = &made};
        const exp_work work = {.parts = &part,
                               .part_count = 1,
                               .jobs = setup->jobs,
                               .stop = setup->stop,
                               .progress = setup->progress,
                               .progress_ctx = setup->progress_ctx,
                               .take = keep,
                               .ctx = &k};
        pthread_mutex_init(&k.lock, NULL);
        status = exp_work_run(&work, error);
        pthread_mutex_destroy(&k.lock);
        made.complete = k.done == setup->replicates;
        exp_result_finish(&made);
    }
    exp_cast_free(&own);
    if (status == LGKT_OK)
        *result = made;
    else
        exp_result_free(&made);
    return status;
}

// ---- summaries ----

static exp_estimate estimate(const exp_result *result, exp_moments moments)
{
    return (exp_estimate){moments.mean, result->factor * exp_moments_sd(&moments)};
}

exp_estimate exp_estimate_of(const exp_result *result, const double *x)
{
    return estimate(result, exp_moments_of(x, result->replicates));
}

exp_estimate exp_estimate_paired(const exp_result *result, const double *x, const double *y)
{
    return estimate(result, exp_paired(x, y, result->replicates));
}

double exp_optimum(const exp_result *result)
{
    return exp_estimate_of(result, result->optimum).mean;
}

double exp_random(const exp_result *result)
{
    return exp_estimate_of(result, result->random).mean;
}

exp_summary exp_summarize(const exp_result *result, int32_t learner)
{
    const int64_t n = result->replicates;
    const double optimum = exp_optimum(result), steps = (double)result->horizon;
    const double *reward = result->reward + learner * n;
    exp_sum seconds = {0};
    for (int64_t i = 0; i < n; i++)
        exp_sum_add(&seconds, result->seconds[learner * n + i]);
    exp_summary summary = {
        .reward = exp_estimate_of(result, reward),
        .observed = exp_estimate_of(result, result->observed + learner * n),
        .spread = result->spreads[learner],
        .seconds = exp_sum_value(&seconds),
    };
    summary.share = exp_share(summary.reward.mean, optimum);
    summary.score = exp_scored(summary.reward.mean, exp_random(result), optimum);
    summary.steps_per_second = (double)n * steps / summary.seconds;
    if (result->regret != NULL) {
        summary.threshold_regret = exp_estimate_of(result, result->regret + learner * n);
        summary.optimum_regret = exp_estimate_paired(result, result->optimum, reward);
        summary.optimum_regret.mean *= steps;
        summary.optimum_regret.ci95 *= steps;
    }
    return summary;
}

const double *exp_curve_row(const exp_result *result, int32_t measure, int32_t learner,
                            int32_t checkpoint)
{
    return row_of(result, measure, learner, checkpoint);
}

exp_estimate exp_curve_point(const exp_result *result, int32_t measure, int32_t learner,
                             int32_t checkpoint)
{
    const double *row = row_of(result, measure, learner, checkpoint);
    return row != NULL ? exp_estimate_of(result, row)
                       : estimate(result, *point_of(result, measure, learner, checkpoint));
}
