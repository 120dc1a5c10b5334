// SPDX-License-Identifier: MIT
// Outcomes of one panel into means and arrays (result.h).
#include "experiments/runner/result.h"

#include <stdlib.h>

#include "core/error.h"

// ---- the numbers of every run ----

lgkt_status exp_arrays_create(exp_arrays *arrays, const exp_setup *setup, lgkt_error *error)
{
    const size_t n = (size_t)setup->instances, learners = (size_t)setup->panel->entry_count;
    const size_t runs = n * learners, points = exp_outcome_points(setup);
    const size_t per_run = setup->regret_k > 0 ? 4 : 3;
    const double wanted = (double)n * (2.0 + (double)(learners * per_run) + (double)points);
    // all numbers in one piece, which begins with the optimum
    double *numbers = wanted < (double)(SIZE_MAX / sizeof(double))
                          ? calloc(n * (2 + learners * per_run + points), sizeof(double))
                          : NULL;
    *arrays = (exp_arrays){.setup = setup};
    if (numbers == NULL)
        return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory for the results of %zu runs",
                         runs);
    arrays->optimum = numbers;
    arrays->random = numbers + n;
    arrays->reward = numbers + 2 * n;
    arrays->observed = arrays->reward + runs;
    arrays->seconds = arrays->observed + runs;
    arrays->curve = arrays->seconds + runs;
    if (setup->regret_k > 0)
        arrays->regret = arrays->curve + n * points;
    return LGKT_OK;
}

void exp_arrays_free(exp_arrays *arrays)
{
    free(arrays->optimum);
    *arrays = (exp_arrays){0};
}

double *exp_arrays_row(const exp_arrays *arrays, int32_t measure, int32_t learner,
                       int32_t checkpoint)
{
    const exp_setup *setup = arrays->setup;
    const int64_t line = (int64_t)measure * setup->panel->entry_count + learner;
    return arrays->curve + (line * setup->checkpoint_count + checkpoint) * setup->instances;
}

void exp_arrays_add(exp_arrays *arrays, int64_t instance, const exp_outcome *outcome)
{
    const exp_setup *setup = arrays->setup;
    const double *point = outcome->curve;
    arrays->optimum[instance] = outcome->optimum;
    arrays->random[instance] = outcome->random;
    for (int32_t l = 0; l < setup->panel->entry_count; l++) {
        const exp_measured *score = &outcome->scores[l];
        const int64_t place = l * setup->instances + instance;
        arrays->reward[place] = score->reward;
        arrays->observed[place] = score->observed;
        arrays->seconds[place] = score->seconds;
        if (arrays->regret != NULL)
            arrays->regret[place] = score->regret;
        for (int32_t m = 0; m < setup->panel->measure_count; m++)
            for (int32_t c = 0; c < setup->checkpoint_count; c++)
                exp_arrays_row(arrays, m, l, c)[instance] = *point++;
    }
}

// ---- a panel ----

// A result on its way.
typedef struct filling {
    exp_result *result;
    const exp_tasks *tasks;
    bool arrays;
} filling;

static lgkt_status begin(void *ctx, int32_t panel, exp_facts *facts, lgkt_error *error)
{
    filling *f = ctx;
    const exp_setup *setup = &f->tasks->setups[panel];
    LGKT_TRY(exp_reduction_create(&f->result->reduction, setup, facts, error));
    return f->arrays ? exp_arrays_create(&f->result->arrays, setup, error) : LGKT_OK;
}

static lgkt_status take(void *ctx, int64_t task, const exp_outcome *outcome, lgkt_error *error)
{
    (void)error;
    filling *f = ctx;
    exp_reduction_add(&f->result->reduction, outcome);
    if (f->arrays)
        exp_arrays_add(&f->result->arrays, task, outcome);
    return LGKT_OK;
}

lgkt_status exp_result_run(exp_result *result, const exp_tasks *tasks, bool arrays,
                           const exp_runner *how, lgkt_error *error)
{
    filling f = {result, tasks, arrays};
    int64_t played = 0;
    const exp_runner runner = {.tasks = tasks,
                               .count = tasks->count,
                               .jobs = how->jobs,
                               .stop = how->stop,
                               .progress = how->progress,
                               .progress_ctx = how->progress_ctx,
                               .sink = {.begin = begin, .take = take, .ctx = &f},
                               .ordered = true};
    *result = (exp_result){0};
    const lgkt_status status = exp_runner_run(&runner, &played, error);
    result->complete = status == LGKT_OK && played == tasks->count;
    if (result->complete)
        exp_reduction_finish(&result->reduction);
    return status;
}

void exp_result_free(exp_result *result)
{
    exp_reduction_free(&result->reduction);
    exp_arrays_free(&result->arrays);
    *result = (exp_result){0};
}
