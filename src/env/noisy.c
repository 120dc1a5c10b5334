// SPDX-License-Identifier: MIT
// `noisy`: another environment on records, with numbers in its records that mean nothing.
//
// A record is that of the inner environment and `features` standard normal numbers, which each step
// draws after it. All else is that of the inner environment. With features=0 and view=grid or
// view=quantiles it shows any environment on records through bins: equal ones within the bounds that
// the inner environment has for its numbers, and within +-2 for the noise.
//
// Memory: the inner environment; a run keeps the whole record behind the inner run.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/normal.h"
#include "env/inner.h"
#include "env/numbers.h"

#define MOST_DIMS 256

typedef struct settings {
    lgkt_seen seen;
    const char *of;
    int64_t features;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_RECORD_ROWS(settings),
    LGKT_ROW_TEXT(settings, of, "of", "cartpole:view=record",
                  "spec of an environment on records, in parentheses if it has settings"),
    LGKT_ROW_INTEGER(settings, features, "features", "5", 0, MOST_DIMS - 1,
                     "numbers that mean nothing"),
};

// The record of a run, behind the run within.
static double *record_of(const lgkt_trajectory *trajectory)
{
    const lgkt_env *env = trajectory->env;
    const size_t before = env->run_size - (size_t)env->vector.dims * sizeof(double);
    return (void *)((unsigned char *)trajectory->self + before);
}

// Puts the record together, with fresh noise, and tells the state.
static void put(lgkt_trajectory *trajectory, lgkt_rng *rng)
{
    const lgkt_env *env = trajectory->env;
    const int32_t known = env->inner[0]->vector.dims;
    double *at = record_of(trajectory);
    size_t size;
    memcpy(at, lgkt_trajectory_observation(lgkt_inner_run(trajectory, 0), &size),
           (size_t)known * sizeof *at);
    for (int32_t d = known; d < env->vector.dims; d++)
        at[d] = lgkt_normal_fast(rng);
    trajectory->state = lgkt_numbers_state(env, at);
}

static void step_noisy(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    lgkt_inner_step(trajectory, 0, true, action, step);
    put(trajectory, &trajectory->rng);
    step->state = trajectory->state;
}

static void start(lgkt_trajectory *trajectory, double u)
{
    lgkt_rng rng = lgkt_numbers_rng(u, "noise");
    lgkt_inner_start(trajectory, u);
    put(trajectory, &rng);
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    LGKT_TRY(lgkt_inner_add(env, "of", set->of, env->config, false, error));
    const lgkt_env *inner = env->inner[0];
    if (lgkt_env_record(inner) == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "of=(%.60s): noisy needs an environment on records, such as "
                         "cartpole:view=record",
                         set->of);
    const int32_t known = inner->vector.dims, dims = known + (int32_t)set->features;
    if (dims > MOST_DIMS)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "features=%lld, must be at most %d: a record has up to %d numbers",
                         (long long)set->features, MOST_DIMS - (int)known, MOST_DIMS);
    double low[MOST_DIMS], high[MOST_DIMS];
    lgkt_kind kinds[MOST_DIMS];
    for (int32_t d = 0; d < dims; d++) {
        low[d] = d < known ? inner->low[d] : -2;
        high[d] = d < known ? inner->high[d] : 2;
        kinds[d] = d < known && inner->vector.kinds != NULL ? inner->vector.kinds[d]
                                                            : (lgkt_kind){LGKT_KIND_NUMBER, 0};
    }
    env->run_size += (size_t)dims * sizeof(double);
    snprintf(env->note, sizeof env->note, "%.150s, %lld numbers of noise", inner->note,
             (long long)set->features);
    const lgkt_vector numbers = {.dims = dims,
                                 .low = low,
                                 .high = high,
                                 .kinds = inner->vector.kinds != NULL ? kinds : NULL};
    return lgkt_numbers_open(env, &set->seen, &numbers, error);
}

static const void *observation(const lgkt_trajectory *trajectory, size_t *size)
{
    *size = (size_t)trajectory->env->vector.dims * sizeof(double);
    return record_of(trajectory);
}

static void visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const lgkt_env *env = trajectory->env;
    double *at = record_of(trajectory);
    // the inner environment is on records, whose state is 0
    const int32_t state = trajectory->state;
    trajectory->state = 0;
    lgkt_inner_visit(trajectory, archive);
    trajectory->state = state;
    lgkt_visit_f64(archive, at, (size_t)env->vector.dims);
    archive->bad |= trajectory->state != lgkt_numbers_state(env, at);
}

const lgkt_env_class lgkt_noisy_class = {
    LGKT_ENV_ENTRY("noisy",
                   "another environment on records, with numbers in them that mean nothing", "ours",
                   "that of the other", LGKT_PARAMS(PARAMS), .inner = "of"),
    .create = create,
    .step = step_noisy,
    .start = start,
    .observation = observation,
    .visit = visit,
};
