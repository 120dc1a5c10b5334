// SPDX-License-Identifier: MIT
// The index of IMED-RL (imed_index.c) and the state of the learner (imed.c), which say what they
// mean; for tests, too.
#pragma once

#include "learners/model/rewards.h"
#include "learners/model/value_iteration.h"

// ---- the index ----

// Points with their probabilities.
typedef struct lgkt_points {
    const double *at, *share;
    int32_t count;
} lgkt_points;

// most points of a sum
enum { LGKT_IMED_POINTS = 64 };

// The law of the sum of two that are independent, written to at and share (LGKT_IMED_POINTS):
// exact if it has no more points than that, else in 32 cells of equal width with the mean of what
// is in them.
lgkt_points lgkt_points_sum(const lgkt_points *first, const lgkt_points *second, double *at,
                            double *share);

typedef struct lgkt_moments {
    double mean, variance;
} lgkt_moments;

lgkt_moments lgkt_points_moments(const lgkt_points *points);

// K of the law of v; points above `top` count as `top`. *failed is counted up if the root was not
// found to nearly the last digit.
double lgkt_imed_k(const lgkt_points *law, double gam, double top, int64_t *failed);
// Something that K is not below, from the moments of v alone.
double lgkt_imed_k_least(const lgkt_moments *moments, double gam, double top);

// positions in the choice list of `index`
typedef enum lgkt_imed_form { LGKT_IMED_FORMULA, LGKT_IMED_LOG_U, LGKT_IMED_P0 } lgkt_imed_form;

// The index if E v < gam; it grows with k. log_u is not read by the formula.
double lgkt_imed_index(lgkt_imed_form form, double n, double k, double log_u);

// ---- the learner ----

typedef struct lgkt_imed_settings {
    int index, smooth;
    int64_t sweeps;
    lgkt_reward_range rewards;
} lgkt_imed_settings;

// points of phi, if there are more states
enum { LGKT_IMED_FEW = 32 };

typedef struct lgkt_imed {
    lgkt_imed_settings set;
    lgkt_reward_bounds bounds;
    lgkt_successors counts;   // rewards in x of rewards.h
    lgkt_reward_atoms *atoms; // (S, A)
    lgkt_vi vi;               // u is phi

    // what a state that was never led to may be worth: phi, in a few points if there are many
    double point[LGKT_IMED_FEW], point_share[LGKT_IMED_FEW];
    int32_t points;

    // the law of the action at hand
    double reward[LGKT_ATOMS + 1], reward_share[LGKT_ATOMS + 1];
    double *next, *next_share; // (S + points)
    double sum[LGKT_IMED_POINTS], sum_share[LGKT_IMED_POINTS];
    lgkt_moments *moments;        // (A)
    double *indices;              // (A), negative: the highest is played
    int64_t plans, roots, failed; // roots looked for, and not found
    int64_t beyond;               // rewards above the told bound
} lgkt_imed;
