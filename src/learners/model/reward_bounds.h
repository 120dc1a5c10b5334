// SPDX-License-Identifier: MIT
// What rewards lie between, for learners that use what they have seen where nobody told them.
//
//   x = (r - base)/unit   told both ends: base = reward-min, unit = reward-max - reward-min (1 if
//                         that is 0); else base is the first reward and unit 1
//   low, high             ends of the mean rewards in x: told ones, else of the rewards seen so far
//   least, most           of the single rewards seen so far, in x
//
// What was told is of the means: single rewards may lie beyond it, by noise. Sums are kept in x, so
// that rewards in other units (powers of two exactly) with a range in the same units give the same
// actions.
#ifndef LGKT_LEARNERS_REWARD_BOUNDS_H
#define LGKT_LEARNERS_REWARD_BOUNDS_H

#include "learners/model/reward_range.h"

typedef struct lgkt_reward_bounds {
    double base, unit;
    double low, high;
    double least, most;
    bool told_low, told_high;
    bool any; // reward was seen
} lgkt_reward_bounds;

// Fills what is unset of a settings struct from the problem and leaves NaN where that says nothing;
// refuses a min above max.
lgkt_status lgkt_reward_bounds_fill(const lgkt_learner *learner, lgkt_reward_range *range,
                                    lgkt_error *error);
// Before any reward was seen: what is not told is 0.
lgkt_reward_bounds lgkt_reward_bounds_start(const lgkt_reward_range *range);
// Takes note of a reward and returns x, kept within +-10^100. *moved (nullable) is set if low or
// high is not what it was.
double lgkt_reward_bounds_see(lgkt_reward_bounds *bounds, double reward, bool *moved);
extern const lgkt_part lgkt_reward_bounds_part;

// The three rows of a parameter table, as LGKT_REWARD_ROWS.
#define LGKT_REWARD_BOUND_ROWS(type, field)                                                        \
    LGKT_ROW_REAL(type, field.min, "reward-min", "@from the problem, else the lowest seen", -1e15, \
                  1e15, "lower bound of the mean rewards"),                                        \
        LGKT_ROW_REAL(type, field.max, "reward-max", "@from the problem, else the highest seen",   \
                      -1e15, 1e15, "upper bound of the mean rewards"),                             \
        LGKT_ROW_REAL(type, field.sd, "reward-sd", "@from the problem, else unknown", 0, 1e15,     \
                      "sub-Gaussian scale of the reward noise")

#endif
