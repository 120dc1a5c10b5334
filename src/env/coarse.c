// SPDX-License-Identifier: MIT
// States that are bins of numbers: of equal width, between quantiles, or the environment's own.
//
// Quantiles are those of a run with uniform actions, which is made with the environment, from the
// stream "instance": all learners on one instance see the same states. They are numbered with the
// last number of the vector changing fastest.
#include "env/coarse.h"

#include <string.h>

#include "core/alloc.h"
#include "core/error.h"

// equal parts of each range
static lgkt_status make_grid(lgkt_env *env, int32_t bins, const lgkt_coarse_range *range,
                             lgkt_error *error)
{
    int32_t cuts[LGKT_BINS_DIMS];
    double *edges = lgkt_alloc_zeroed(&env->allocator, (size_t)(range->dims * bins), sizeof *edges);
    if (edges == NULL)
        return lgkt_fail_memory(error, "a grid");
    double *edge = edges;
    for (int32_t d = 0; d < range->dims; d++) {
        cuts[d] = bins - 1;
        for (int32_t j = 1; j < bins; j++)
            *edge++ = range->low[d] + (range->high[d] - range->low[d]) * j / bins;
    }
    const lgkt_view view = {.dims = range->dims, .cuts = cuts, .edges = edges};
    const lgkt_status status = lgkt_bins_create(&view, &env->allocator, &env->bins, error);
    lgkt_free(&env->allocator, edges);
    return status;
}

// of what uniform actions lead to
static lgkt_status make_quantiles(lgkt_env *env, const lgkt_coarse_settings *set, int32_t dims,
                                  lgkt_error *error)
{
    if (set->warmup < set->bins)
        return lgkt_fail(error, LGKT_ERR_SPEC, "warmup=%lld, must be at least bins=%lld",
                         (long long)set->warmup, (long long)set->bins);
    int32_t cuts[LGKT_BINS_DIMS];
    for (int32_t d = 0; d < dims; d++)
        cuts[d] = (int32_t)set->bins - 1;
    const lgkt_view view = {.dims = dims, .cuts = cuts, .warmup = set->warmup};
    lgkt_trajectory *run = NULL;
    LGKT_TRY(lgkt_bins_create(&view, &env->allocator, &env->bins, error));
    LGKT_TRY(lgkt_trajectory_create(env, set->warmup, lgkt_rng_next(&env->rng), 0, &env->allocator,
                                    &run, error));
    lgkt_status status = LGKT_OK;
    for (int64_t t = 0; t < set->warmup && status == LGKT_OK; t++) {
        lgkt_step step;
        // the step before, since with the last vector the edges are there
        double values[LGKT_BINS_DIMS];
        memcpy(values, run->self, (size_t)dims * sizeof *values);
        status = lgkt_trajectory_step(run, lgkt_rng_below(&env->rng, env->actions), &step);
        lgkt_bins_note(env->bins, values);
    }
    lgkt_trajectory_destroy(run);
    return status;
}

lgkt_status lgkt_coarse_open(lgkt_env *env, const lgkt_coarse_settings *set,
                             const lgkt_coarse_range *range, lgkt_error *error)
{
    lgkt_status status;
    if (set->view == LGKT_VIEW_GRID)
        status = make_grid(env, (int32_t)set->bins, range, error);
    else if (set->view == LGKT_VIEW_QUANTILES)
        status = make_quantiles(env, set, range->dims, error);
    else
        status = lgkt_bins_create(&range->own, &env->allocator, &env->bins, error);
    if (status != LGKT_OK)
        return status;
    const int64_t limit = LGKT_MAX_PAIRS / env->actions;
    const int64_t states = lgkt_bins_count(env->bins, LGKT_MAX_STATES);
    if (states > LGKT_MAX_STATES || states > limit)
        return lgkt_fail(error, LGKT_ERR_SPEC, "bins=%lld: that is more than %d states",
                         (long long)set->bins,
                         (int)(limit < LGKT_MAX_STATES ? limit : LGKT_MAX_STATES));
    env->states = (int32_t)states;
    return LGKT_OK;
}

const void *lgkt_coarse_observation(const lgkt_trajectory *trajectory, size_t *size)
{
    *size = (size_t)trajectory->env->bins->dims * sizeof(double);
    return trajectory->self;
}

void lgkt_coarse_visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    lgkt_visit_f64(archive, (void *)trajectory->self, trajectory->env->run_size / sizeof(double));
    archive->bad |= trajectory->state != lgkt_coarse_state(trajectory);
}
