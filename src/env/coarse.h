// SPDX-License-Identifier: MIT
// What environments share whose states are bins of a vector of numbers. See coarse.c.
#ifndef LGKT_ENV_COARSE_H
#define LGKT_ENV_COARSE_H

#include "core/bins.h"
#include "env/env_private.h"

enum { LGKT_VIEW_GRID, LGKT_VIEW_QUANTILES, LGKT_VIEW_OWN };

// The settings of a view, as part of an environment's.
typedef struct lgkt_coarse_settings {
    int view;
    int64_t bins;
    int64_t warmup;
} lgkt_coarse_settings;

#define LGKT_COARSE_ROWS(settings, choices, of_view, bins_default)                                 \
    LGKT_ROW_CHOICE(settings, coarse.view, "view", "grid", choices, of_view),                      \
        LGKT_ROW_INTEGER(settings, coarse.bins, "bins", bins_default, 1, 1000,                     \
                         "bins of each number"),                                                   \
        LGKT_ROW_INTEGER(settings, coarse.warmup, "warmup", "1000", 1, 1000000,                    \
                         "steps of a run with uniform actions that the quantiles come from")

// A range of each number for equal bins, or edges of its own.
typedef struct lgkt_coarse_range {
    int32_t dims;
    const double *low, *high; // (dims)
    lgkt_view own;            // for LGKT_VIEW_OWN
} lgkt_coarse_range;

// Makes the bins, env->bins, and sets env->states. Steps show state 0 while edges are to come; all
// the rest of the environment is there.
lgkt_status lgkt_coarse_open(lgkt_env *env, const lgkt_coarse_settings *set,
                             const lgkt_coarse_range *range, lgkt_error *error);

// The state of a run, whose own state begins with the vector of numbers.
static inline int32_t lgkt_coarse_state(const lgkt_trajectory *trajectory)
{
    return lgkt_bins_number(trajectory->env->bins, (const double *)(const void *)trajectory->self);
}

// The functions of a class that all of them share; a run is made of doubles only.
const void *lgkt_coarse_observation(const lgkt_trajectory *trajectory, size_t *size);
void lgkt_coarse_visit(lgkt_trajectory *trajectory, lgkt_archive *archive);

#endif
