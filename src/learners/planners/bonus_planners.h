// SPDX-License-Identifier: MIT
// The state of MBIE-EB, BEB and R-max, for bonus_planners.c, which says what it means, and for
// tests.
#ifndef LGKT_LEARNERS_BONUS_PLANNERS_H
#define LGKT_LEARNERS_BONUS_PLANNERS_H

#include "learners/model/rewards.h"
#include "learners/model/value_iteration.h"

typedef enum lgkt_bonus_rule { LGKT_BONUS_MBIE, LGKT_BONUS_BEB, LGKT_BONUS_RMAX } lgkt_bonus_rule;

// Fields that a name has no parameter for are 0.
typedef struct lgkt_bonus_settings {
    double discount, beta, n0, precision;
    int64_t m, sweeps;
    int cap, lazy, freeze;
    lgkt_reward_range rewards;
} lgkt_bonus_settings;

typedef struct lgkt_bonus_planner {
    lgkt_bonus_settings set;
    lgkt_bonus_rule rule;
    bool is_lazy, keeps_q;
    double least; // m
    double noise; // 2 reward-sd in x, at least 0
    lgkt_reward_bounds bounds;
    lgkt_successors counts; // rewards in x of rewards.h
    lgkt_vi vi;             // u is the value of a state
    double *planned;        // (S, A) if lazy, visits at the plan that they called for last
    double *q;              // (S, A) of r-max, at the last plan
    bool due;               // so much was learned that a plan is
    int32_t known;          // states at the last plan
    int32_t *ties;          // (A)
    int64_t plans;
} lgkt_bonus_planner;

// What a pair is worth with the values of the last plan, in x of rewards.h.
double lgkt_bonus_planner_q(lgkt_learner *learner, int32_t state, int32_t action);

#endif
