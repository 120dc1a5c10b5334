// SPDX-License-Identifier: MIT
// The state of a learner by extended value iteration, for the files that use it and for tests.
#pragma once

#include "learners/model/bias.h"
#include "learners/model/evi.h"
#include "learners/model/rewards.h"

enum { LGKT_EPISODES_VANISHING, LGKT_EPISODES_DOUBLING, LGKT_EPISODES_VANISHING_NOW };
enum { LGKT_CONSTANTS_PRACTICAL, LGKT_CONSTANTS_PRINTED, LGKT_CONSTANTS_RELEASED };

typedef struct lgkt_ucrl_settings {
    int profile, bound, episodes;
    double scale; // of all radii of balls
    double delta;
    double precision; // of the gain, in units of the reward range; NaN: by the time
    int64_t sweeps;   // cap
    double span;      // c0 of PMEVI; NaN: T^(1/5)
    double radius;    // of every KL ball; NaN, or 0 where there is no such setting: by the bound
    lgkt_reward_range reward;
    // 1 where it is as in the released code
    int rows;       // drift
    int choice;     // of the first action that is good enough
    int opening;    // random play until a pair is drawn that was seen
    int legs;       // open ones are summed up, the first state is not registered
    int projection; // of PMEVI
    // boxes
    double constant;
    int support, certain, ties;
} lgkt_ucrl_settings;

typedef struct lgkt_ucrl_name {
    lgkt_entry entry;
    lgkt_region region;
    bool pmevi;
    lgkt_box_rule rule; // of boxes
} lgkt_ucrl_name;

enum { LGKT_UCRL_NAMES = 6 };
extern const lgkt_ucrl_name lgkt_ucrl_names[LGKT_UCRL_NAMES];

// What a spec does not set and no problem says.
void lgkt_ucrl_take_profile(const lgkt_ucrl_name *name, lgkt_ucrl_settings *set, double horizon);

typedef struct lgkt_ucrl {
    lgkt_ucrl_settings set;
    const lgkt_ucrl_name *name;
    lgkt_reward_map map; // rewards are (r - reward.min) / scale; boxes: from x of the bounds
    double cap;          // highest mean reward in these units
    double noise;        // radius of a reward in these units, per radius in [0, 1]
    lgkt_successors counts;
    lgkt_evi evi;
    bool has_bias;
    lgkt_bias bias; // PMEVI

    // boxes
    lgkt_reward_bounds bounds; // told, or of what was seen; rewards are summed up in their x
    double *squares;           // (S, A), sums of squared deviations from the mean
    bool moved;                // the bounds have, since the last planning

    // the episode
    bool planned;
    int64_t started;     // t_k, from 1
    double growth;       // 1 + t_k^(-1/4)
    int32_t expected;    // the state that continues the trajectory, -1: none
    int32_t *policy;     // (S), -1: not chosen yet
    int64_t *in_episode; // (S, A), visits
    int32_t *ties;       // (A)
    double gain;         // of the last planning, in the units above; for tests, as the next
    double precision;    // of the last planning
    double least_gain;   // lowest optimistic gain so far

    // of the released code
    bool takes_first;
    int32_t *rank; // (S, A), place in the order that decides which action is first
    double *start; // (S), what the first of two runs of sweeps began with; if there is a bias

    // pairs that have changed since the last planning
    size_t *changed;     // (S, A)
    int32_t *is_changed; // (S, A)
    int64_t changed_count;
    int32_t known; // states at the last planning

    int64_t episodes;
} lgkt_ucrl;

// ---- ucrl_plan.c ----

// The most favourable plausible model as it is now, and its gain; the policy is still to be made.
void lgkt_ucrl_plan(lgkt_learner *learner);
// Boxes: the units of the rewards, from the bounds as they are now.
void lgkt_ucrl_scale(lgkt_ucrl *u);
// Boxes: the intervals of a pair that has changed since the last planning, as loading would make
// them.
void lgkt_ucrl_renew(lgkt_learner *learner, size_t z);
// PMEVI: the variance of the reference bias, which is in evi.v, over the next states of a pair.
double lgkt_ucrl_bias_variance(const lgkt_ucrl *u, const lgkt_seen_row *pair);

// ---- ucrl_released.c ----

// The places (S, A) of the pairs in the order of a Python set; false when memory is out.
bool lgkt_python_order(int32_t *rank, int32_t states, int32_t actions,
                       const lgkt_allocator *allocator);
// Puts the first action that is good enough among those allowed into u->ties; returns 1.
int32_t lgkt_ucrl_best_first(lgkt_learner *learner, int32_t state);
// The policy of all states, after a planning.
void lgkt_ucrl_take_first(lgkt_learner *learner);
// Constraints and mitigation of PMEVI, before a planning, and its gain.
void lgkt_ucrl_constrain_released(lgkt_learner *learner);
double lgkt_ucrl_solve_released(lgkt_learner *learner);
