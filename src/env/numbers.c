// SPDX-License-Identifier: MIT
// How worlds of real numbers are seen.
//
// view=record: a state is the vector itself. Such states have no numbers: env->states and the state
// of every step are 0, lgkt_env_record says what the vector is, and learners on keys get it.
//
// Else states are bins of the vector: of equal width (view=grid), between quantiles
// (view=quantiles), or the world's own. Quantiles are those of a run with uniform actions, which is
// made with the environment, from the stream "instance": all learners on one instance see the same
// states. They are numbered with the last number of the vector changing fastest. There is no model:
// what a bin does next depends on where in it one is. Memory O(bins) and a step O(log bins).
//
// In all of them the observation behind the state is the vector.
#include "env/numbers.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/hash.h"

bool lgkt_numbers_recorded(const lgkt_seen *seen, const lgkt_vector *numbers)
{
    return seen->view == LGKT_SEE_OWN + (numbers->own.dims > 0);
}

// equal parts of each range
static lgkt_status make_grid(lgkt_env *env, int32_t bins, const lgkt_vector *numbers,
                             lgkt_error *error)
{
    int32_t cuts[LGKT_BINS_DIMS];
    double *edges =
        lgkt_alloc_zeroed(&env->allocator, (size_t)(numbers->dims * bins), sizeof *edges);
    if (edges == NULL)
        return lgkt_fail_memory(error, "a grid");
    double *edge = edges;
    for (int32_t d = 0; d < numbers->dims; d++) {
        cuts[d] = bins - 1;
        for (int32_t j = 1; j < bins; j++)
            *edge++ = numbers->low[d] + (numbers->high[d] - numbers->low[d]) * j / bins;
    }
    const lgkt_view view = {.dims = numbers->dims, .cuts = cuts, .edges = edges};
    const lgkt_status status = lgkt_bins_create(&view, &env->allocator, &env->bins, error);
    lgkt_free(&env->allocator, edges);
    return status;
}

// of what uniform actions lead to
static lgkt_status make_quantiles(lgkt_env *env, const lgkt_seen *seen, int32_t dims,
                                  lgkt_error *error)
{
    if (seen->warmup < seen->bins)
        return lgkt_fail(error, LGKT_ERR_SPEC, "warmup=%lld, must be at least bins=%lld",
                         (long long)seen->warmup, (long long)seen->bins);
    int32_t cuts[LGKT_BINS_DIMS];
    for (int32_t d = 0; d < dims; d++)
        cuts[d] = (int32_t)seen->bins - 1;
    const lgkt_view view = {.dims = dims, .cuts = cuts, .warmup = seen->warmup};
    lgkt_trajectory *run = NULL;
    LGKT_TRY(lgkt_bins_create(&view, &env->allocator, &env->bins, error));
    LGKT_TRY(lgkt_trajectory_create(env, seen->warmup, lgkt_rng_next(&env->rng), 0, &env->allocator,
                                    &run, error));
    lgkt_status status = LGKT_OK;
    for (int64_t t = 0; t < seen->warmup && status == LGKT_OK; t++) {
        lgkt_step step;
        // the step before, since with the last vector the edges are there
        double values[LGKT_BINS_DIMS];
        size_t size;
        memcpy(values, lgkt_trajectory_observation(run, &size), (size_t)dims * sizeof *values);
        status = lgkt_trajectory_step(run, lgkt_rng_below(&env->rng, env->actions), &step);
        lgkt_bins_note(env->bins, values);
    }
    lgkt_trajectory_destroy(run);
    return status;
}

// copies of what is told of the vector
static lgkt_status keep_vector(lgkt_env *env, const lgkt_vector *numbers, lgkt_error *error)
{
    const size_t dims = (size_t)numbers->dims;
    double *range = lgkt_env_alloc(env, 2 * dims, sizeof *range);
    lgkt_kind *kinds = numbers->kinds == NULL ? NULL : lgkt_env_alloc(env, dims, sizeof *kinds);
    if (range == NULL || (numbers->kinds != NULL && kinds == NULL))
        return lgkt_fail_memory(error, "a view");
    env->low = memcpy(range, numbers->low, dims * sizeof *range);
    env->high = memcpy(range + dims, numbers->high, dims * sizeof *range);
    if (kinds != NULL)
        memcpy(kinds, numbers->kinds, dims * sizeof *kinds);
    env->vector = (lgkt_view){.dims = numbers->dims, .kinds = kinds};
    return LGKT_OK;
}

lgkt_status lgkt_numbers_open(lgkt_env *env, const lgkt_seen *seen, const lgkt_vector *numbers,
                              lgkt_error *error)
{
    static const char *const WORDS[] = {"equal bins", "bins between quantiles", "boxes"};
    const bool recorded = lgkt_numbers_recorded(seen, numbers);
    const size_t length = strlen(env->note);
    snprintf(env->note + length, sizeof env->note - length, ", %s",
             recorded ? "records" : WORDS[seen->view]);
    LGKT_TRY(keep_vector(env, numbers, error));
    if (recorded)
        return LGKT_OK;
    if (numbers->dims > LGKT_BINS_DIMS)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "%d numbers; bins are for %d at most, view=record "
                         "is for all of them",
                         (int)numbers->dims, LGKT_BINS_DIMS);
    lgkt_status status;
    if (seen->view == LGKT_SEE_GRID)
        status = make_grid(env, (int32_t)seen->bins, numbers, error);
    else if (seen->view == LGKT_SEE_QUANTILES)
        status = make_quantiles(env, seen, numbers->dims, error);
    else
        status = lgkt_bins_create(&numbers->own, &env->allocator, &env->bins, error);
    if (status != LGKT_OK)
        return status;
    const int64_t limit = LGKT_MAX_PAIRS / env->actions;
    const int64_t states = lgkt_bins_count(env->bins, LGKT_MAX_STATES);
    if (states > LGKT_MAX_STATES || states > limit)
        return lgkt_fail(error, LGKT_ERR_SPEC, "bins=%lld: that is more than %d states",
                         (long long)seen->bins,
                         (int)(limit < LGKT_MAX_STATES ? limit : LGKT_MAX_STATES));
    env->states = (int32_t)states;
    return LGKT_OK;
}

int32_t lgkt_numbers_state(const lgkt_env *env, const double *at)
{
    return env->bins == NULL ? 0 : lgkt_bins_number(env->bins, at);
}

void lgkt_numbers_start(lgkt_trajectory *trajectory)
{
    trajectory->state = lgkt_numbers_state(trajectory->env, (const void *)trajectory->self);
}

void lgkt_numbers_step(lgkt_trajectory *trajectory, double reward, bool ended, lgkt_step *step)
{
    step->reward = step->mean_reward = reward;
    step->ended = ended;
    lgkt_numbers_start(trajectory);
    step->state = trajectory->state;
}

const void *lgkt_numbers_observation(const lgkt_trajectory *trajectory, size_t *size)
{
    *size = (size_t)trajectory->env->vector.dims * sizeof(double);
    return trajectory->self;
}

// What a run keeps are doubles and nothing else, so that they are saved in one go.
void lgkt_numbers_visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    double *at = (void *)trajectory->self;
    lgkt_visit_f64(archive, at, trajectory->env->run_size / sizeof *at);
    archive->bad |= trajectory->state != lgkt_numbers_state(trajectory->env, at);
}

void lgkt_numbers_spread(double u, double *at, int count)
{
    uint64_t state = (uint64_t)(u * 0x1p53);
    for (int i = 0; i < count; i++)
        at[i] = 2 * ((double)(lgkt_splitmix(&state) >> 11) * 0x1p-53) - 1;
}

lgkt_rng lgkt_numbers_rng(double u, const char *stream)
{
    return lgkt_rng_stream((uint64_t)(u * 0x1p53), stream, 0);
}
