// SPDX-License-Identifier: MIT
// Instances over threads (pool.h), learners over an instance (instance.h), numbers kept.
//
// Each instance has its own place in the result, and they are reduced in order: the count of
// threads changes nothing.
//
// Memory: three doubles per run, with regret one more, and one for each point of its curves. Who
// has the instances in order and needs their means alone does without (reduction.h).
#include "experiments/runner/runner.h"

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
    int64_t wanted; // units that were to be played then
    atomic_int_fast64_t played;
    double begin;
    exp_pool pool;
} engine;

int32_t exp_part_of(const int64_t *first, int32_t count, int64_t unit)
{
    int32_t low = 0, high = count;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (first[middle] <= unit)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int32_t part_of(const engine *e, int64_t unit)
{
    return exp_part_of(e->first, e->work->part_count, unit);
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
    if (status == LGKT_OK && !exp_pool_halted(&e->pool, unit)) {
        status = e->work->take(e->work->ctx, p, instance, &outcome, error);
        atomic_fetch_add(&e->played, status == LGKT_OK);
    }
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
        .instances = work->found + e->wanted,
        .instances_done = work->found + atomic_load(&e->played),
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
            if (!had(&e, p, u)) {
                e.steps += (double)setup->learner_count * (double)setup->horizon;
                e.wanted++;
            }
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

static lgkt_status create_result(exp_result *result, const exp_setup *setup, const exp_cast *cast,
                                 lgkt_error *error)
{
    const size_t n = (size_t)setup->replicates, learners = (size_t)setup->learner_count;
    const size_t runs = n * learners, points = exp_outcome_points(setup);
    const size_t per_run = setup->regret_k > 0 ? 4 : 3;
    const double wanted = (double)n * (2.0 + (double)(learners * per_run) + (double)points);
    *result = (exp_result){
        .learner_count = setup->learner_count,
        .measure_count = setup->measure_count,
        .checkpoint_count = setup->checkpoint_count,
        .horizon = setup->horizon,
        .replicates = setup->replicates,
        .counters = calloc(learners, sizeof(exp_counters)),
        .untold = setup->untold ? calloc(learners, EXP_UNTOLD_SIZE) : NULL,
    };
    // all numbers in one piece, which begins with the optimum
    double *at = wanted < (double)(SIZE_MAX / sizeof(double))
                     ? calloc(n * (2 + learners * per_run + points), sizeof(double))
                     : NULL;
    result->optimum = at;
    if (at == NULL || result->counters == NULL || (setup->untold && result->untold == NULL)) {
        exp_result_free(result);
        return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory for the results of %zu runs",
                         runs);
    }
    result->random = at + n;
    result->reward = at + 2 * n;
    result->observed = result->reward + runs;
    result->seconds = result->observed + runs;
    result->curve = result->seconds + runs;
    if (setup->regret_k > 0)
        result->regret = result->curve + n * points;

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
    free(result->untold);
    exp_reduction_free(&result->reduction);
    *result = (exp_result){0};
}

double *exp_curve_row(const exp_result *result, int32_t measure, int32_t learner,
                      int32_t checkpoint)
{
    const int64_t line = (int64_t)measure * result->learner_count + learner;
    return result->curve + (line * result->checkpoint_count + checkpoint) * result->replicates;
}

static void pass(double *place, double *number, bool keeping)
{
    if (keeping)
        *place = *number;
    else
        *number = *place;
}

// the numbers of an instance to their places or back; counters and exact values are not among them
static void pass_outcome(const exp_result *result, int64_t instance, exp_outcome *outcome,
                         bool keeping)
{
    const int64_t n = result->replicates;
    double *from = outcome->curve;
    pass(&result->optimum[instance], &outcome->optimum, keeping);
    pass(&result->random[instance], &outcome->random, keeping);
    for (int32_t l = 0; l < result->learner_count; l++) {
        exp_score *score = &outcome->scores[l];
        const int64_t place = l * n + instance;
        pass(&result->reward[place], &score->reward, keeping);
        pass(&result->observed[place], &score->observed, keeping);
        pass(&result->seconds[place], &score->seconds, keeping);
        if (result->regret != NULL)
            pass(&result->regret[place], &score->regret, keeping);
        for (int32_t m = 0; m < result->measure_count; m++)
            for (int32_t c = 0; c < result->checkpoint_count; c++)
                pass(&exp_curve_row(result, m, l, c)[instance], from++, keeping);
    }
}

lgkt_status exp_result_reduce(exp_result *result, const exp_setup *setup, lgkt_error *error)
{
    exp_outcome outcome;
    lgkt_status status = exp_outcome_create(&outcome, setup, error);
    if (status != LGKT_OK)
        return status;
    // the counters were added up as they came: those of the outcome stay 0
    status = exp_reduction_create(&result->reduction, setup, result->counters, NULL, error);
    for (int64_t i = 0; i < result->replicates && status == LGKT_OK; i++) {
        pass_outcome(result, i, &outcome, false);
        exp_reduction_add(&result->reduction, &outcome);
    }
    if (status == LGKT_OK)
        exp_reduction_finish(&result->reduction);
    exp_outcome_free(&outcome);
    return status;
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
    exp_outcome numbers = *outcome;
    pthread_mutex_lock(&k->lock);
    pass_outcome(k->result, instance, &numbers, true);
    for (int32_t l = 0; l < k->result->learner_count; l++) {
        exp_counters *counters = &k->result->counters[l];
        for (int32_t i = 0; i < counters->count; i++)
            counters->totals[i] += outcome->scores[l].counters[i];
    }
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
        status = create_result(&made, setup, part.cast, error);
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
    }
    exp_cast_free(&own);
    if (status == LGKT_OK)
        *result = made;
    else
        exp_result_free(&made);
    return status;
}
