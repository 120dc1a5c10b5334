// SPDX-License-Identifier: MIT
// What a learner knows of the rewards: bounds of their means and the scale of their noise.
//
// Theory is for rewards in [0, 1]. Learners that build on values use the mapped reward
//
//   x = (r - min) / scale,   scale = max(max - min, 2 sd)   (1 if that is 0)
//
// so that means are in [0, top] with top <= 1, and the noise is at most that of a variable in
// [0, 1], whose sub-Gaussian scale is 1/2.
#ifndef LGKT_LEARNERS_REWARD_RANGE_H
#define LGKT_LEARNERS_REWARD_RANGE_H

#include "learners/front/learner_private.h"

// A member of a settings struct; NaN where unset.
typedef struct lgkt_reward_range {
    double min, max; // of the mean rewards
    double sd;       // sub-Gaussian scale of the noise
} lgkt_reward_range;

// Fills what is unset from the problem, else with 0, 1 and 1/2; refuses a min above max.
lgkt_status lgkt_reward_range_fill(const lgkt_learner *learner, lgkt_reward_range *range,
                                   lgkt_error *error);

typedef struct lgkt_reward_map {
    double min, scale;
    double top; // of the mapped mean rewards
} lgkt_reward_map;

lgkt_reward_map lgkt_reward_map_make(const lgkt_reward_range *range);

// The mapped reward. It is kept within +-10^100: no sum or product of a learner can then overflow,
// however wrong the range is.
static inline double lgkt_reward_mapped(const lgkt_reward_map *map, double reward)
{
    const double x = (reward - map->min) / map->scale;
    return x > 1e100 ? 1e100 : x < -1e100 ? -1e100 : x;
}

// The three rows of a parameter table; `field` is the range in the settings struct `type`.
#define LGKT_REWARD_ROWS(type, field)                                                              \
    LGKT_ROW_REAL(type, field.min, "reward-min", "@from the problem, else 0", -1e15, 1e15,         \
                  "lower bound of the mean rewards"),                                              \
        LGKT_ROW_REAL(type, field.max, "reward-max", "@from the problem, else 1", -1e15, 1e15,     \
                      "upper bound of the mean rewards"),                                          \
        LGKT_ROW_REAL(type, field.sd, "reward-sd", "@from the problem, else 0.5", 0, 1e15,         \
                      "sub-Gaussian scale of the reward noise")

#endif
