// SPDX-License-Identifier: MIT
// The state of a learner by posterior sampling, for psrl.c, which says what it means, and for tests.
#pragma once

#include "learners/model/posterior.h"

typedef enum lgkt_schedule {
    LGKT_SCHEDULE_TSDE,
    LGKT_SCHEDULE_DOUBLING,
    LGKT_SCHEDULE_DS,
    LGKT_SCHEDULE_COIN,
    LGKT_SCHEDULE_EVERY
} lgkt_schedule;

enum { LGKT_PLAN_GAIN, LGKT_PLAN_LEFT };

typedef struct lgkt_psrl_settings {
    int schedule, split, law, rounding, plan, ties;
    double g;
    int64_t tau, psi, sweeps;
    double alpha, kappa, eta;
    double precision; // in units of the reward range; NaN: by the time
    lgkt_reward_range reward;
} lgkt_psrl_settings;

typedef struct lgkt_psrl {
    lgkt_psrl_settings set;
    lgkt_posterior post;
    lgkt_vi vi;

    // the episode
    bool planned;
    bool enough;       // tsde: the visits of a pair have more than doubled
    int64_t started;   // t_k - 1
    int64_t length;    // of the episode before, T_{k-1}
    int32_t known;     // states at the last planning
    int64_t *visits;   // (S, A), N at the start
    double *values;    // (A), of the state at hand
    int32_t *ties;     // (A)
    int64_t resampled; // times

    // the policy; plan=left: actions with 1 .. tables steps left, and with more; else one table
    int32_t *left;  // (S, most_tables)
    int64_t tables; // of the last planning
    int64_t most_tables;

    // where there are masks the sample is kept: vi is part of the state
    bool unitless;         // its values have an arbitrary unit
    int64_t planned_steps; // plan=left: the steps that vi.u is the value of
} lgkt_psrl;
