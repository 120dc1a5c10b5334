// SPDX-License-Identifier: MIT
// The state of IMED-RL, for imed.c, which says what it means, and for tests.
#ifndef LGKT_LEARNERS_IMED_H
#define LGKT_LEARNERS_IMED_H

#include "learners/planners/imed_index.h"
#include "learners/model/rewards.h"
#include "learners/model/value_iteration.h"

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

#endif
