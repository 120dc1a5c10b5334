// SPDX-License-Identifier: MIT
// Instances over threads (pool.h), learners over an instance (instance.h), all numbers kept.
//
// Each instance has its own place in the result, and reductions go over instances in order: the
// count of threads changes nothing.
//
// Memory: three doubles per run, one more per point of its curve; with regret one more for each of
// these. For experiments too large for that see reproduce.h.
#include "experiments/runner.h"

#include <stdio.h>
#include <stdlib.h>

#include "experiments/instance.h"
#include "experiments/play.h"
#include "io/io_text.h"

// One run of a setup, shared by its threads.
typedef struct work {
    const exp_setup *setup;
    exp_result *result;
    exp_cast cast;
    exp_pool pool;
    double begin;
    pthread_mutex_t lock; // guards result->counters
} work;

// ---- one instance ----

static void store_learner(work *w, int64_t number, int32_t l, const exp_outcome *outcome)
{
    const exp_setup *setup = w->setup;
    const exp_score *score = &outcome->scores[l];
    exp_result *result = w->result;
    const int64_t place = l * setup->replicates + number;
    result->reward[place] = score->reward;
    result->observed[place] = score->observed;
    result->seconds[place] = score->seconds;
    if (result->regret != NULL)
        result->regret[place] = score->regret;
    for (int32_t c = 0; c < setup->checkpoint_count; c++) {
        const int64_t row = (int64_t)l * setup->checkpoint_count + c;
        result->curve[row * setup->replicates + number] = outcome->points[row].expected;
        if (result->regret_curve != NULL)
            result->regret_curve[row * setup->replicates + number] = outcome->points[row].regret;
    }

    // whole numbers: the order of the threads does not show in their sums
    pthread_mutex_lock(&w->lock);
    exp_counters_add(&result->counters[l], score->counters);
    pthread_mutex_unlock(&w->lock);
}

static lgkt_status run_instance(void *ctx, int64_t number, lgkt_error *error)
{
    work *w = ctx;
    exp_outcome outcome;
    lgkt_status status = exp_outcome_create(&outcome, w->setup, error);
    if (status == LGKT_OK)
        status = exp_instance_play(w->setup, &w->cast, number, &w->pool, number, &outcome, error);
    if (status == LGKT_OK) {
        w->result->optimum[number] = outcome.optimum;
        w->result->random[number] = outcome.random;
        for (int32_t l = 0; l < w->setup->learner_count; l++)
            store_learner(w, number, l, &outcome);
    }
    exp_outcome_free(&outcome);
    return status;
}

// ---- all of them ----

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

static lgkt_status run_all(work *w, lgkt_error *error)
{
    const exp_setup *setup = w->setup;
    w->pool = (exp_pool){.units = setup->replicates,
                         .jobs = setup->jobs,
                         .stop = setup->stop,
                         .work = run_instance,
                         .tick = report,
                         .ctx = w};
    pthread_mutex_init(&w->lock, NULL);
    const lgkt_status status = exp_pool_run(&w->pool, error);
    pthread_mutex_destroy(&w->lock);
    w->result->complete = atomic_load(&w->pool.done) == setup->replicates;
    return status;
}

// instance 0 tells what all have in common: the note and the names of the counters
static lgkt_status make_cast(work *w, lgkt_error *error)
{
    const lgkt_status status = exp_cast_make(&w->cast, w->setup, error);
    if (status != LGKT_OK)
        return status;
    snprintf(w->result->note, sizeof w->result->note, "%s", w->cast.note);
    for (int32_t l = 0; l < w->cast.count; l++)
        exp_counters_name(&w->result->counters[l], w->cast.games[l].learner);
    return LGKT_OK;
}

lgkt_status exp_run(const exp_setup *setup, exp_result *result, lgkt_error *error)
{
    exp_result made = {0};
    work w = {.setup = setup, .result = &made, .begin = exp_clock()};
    lgkt_status status = exp_setup_check(setup, error);
    if (status == LGKT_OK)
        status = exp_result_create(&made, setup->learner_count, setup->checkpoint_count,
                                   setup->horizon, setup->replicates, error);
    if (status == LGKT_OK && setup->regret_k > 0)
        status = exp_result_add_regret(&made, error);
    if (status == LGKT_OK)
        status = make_cast(&w, error);
    if (status == LGKT_OK)
        status = run_all(&w, error);
    if (status == LGKT_OK)
        status = exp_result_spread(&made, error);
    exp_cast_free(&w.cast);
    if (status == LGKT_OK)
        *result = made;
    else
        exp_result_free(&made);
    return status;
}
