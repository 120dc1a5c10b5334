// SPDX-License-Identifier: MIT
// What a learner knows of the rewards: what it was told, the units it counts them in, what it has
// seen of them.
#pragma once

#include "learners/front/learner_private.h"

// ---- what was told ----

// A member of a settings struct; NaN where unset.
typedef struct lgkt_reward_range {
    double min, max; // of the mean rewards
    double sd;       // sub-Gaussian scale of the noise
} lgkt_reward_range;

// Fills what is unset from the problem, else with 0, 1 and 1/2; refuses a min above max.
lgkt_status lgkt_reward_range_fill(const lgkt_learner *learner, lgkt_reward_range *range,
                                   lgkt_error *error);
// The same, with NaN where the problem says nothing: for bounds.
lgkt_status lgkt_reward_bounds_fill(const lgkt_learner *learner, lgkt_reward_range *range,
                                    lgkt_error *error);

// The three rows of a parameter table; `field` is the range in the settings struct `type`. Those of
// a learner that needs them for its sampler only say so.
#define LGKT_REWARD_ROWS(type, field) LGKT_REWARD_ROWS_OR(type, field, "0", "1", "0.5", "")
#define LGKT_REWARD_SAMPLER_ROWS(type, field)                                                      \
    LGKT_REWARD_ROWS_OR(type, field, "0", "1", "0.5", ", for samplers that need one")
#define LGKT_REWARD_BOUND_ROWS(type, field)                                                        \
    LGKT_REWARD_ROWS_OR(type, field, "the lowest seen", "the highest seen", "unknown", "")
#define LGKT_REWARD_ROWS_OR(type, field, min_, max_, sd_, use_)                                    \
    LGKT_ROW_REAL(type, field.min, "reward-min", "@from the problem, else " min_, -1e15, 1e15,     \
                  "lower bound of the mean rewards" use_),                                         \
        LGKT_ROW_REAL(type, field.max, "reward-max", "@from the problem, else " max_, -1e15, 1e15, \
                      "upper bound of the mean rewards" use_),                                     \
        LGKT_ROW_REAL(type, field.sd, "reward-sd", "@from the problem, else " sd_, 0, 1e15,        \
                      "sub-Gaussian scale of the reward noise" use_)

// ---- mapped to [0, 1] ----

// Theory is for rewards in [0, 1]. Learners that build on values use the mapped reward
//
//   x = (r - min) / scale,   scale = max(max - min, 2 sd)   (1 if that is 0)
//
// so that means are in [0, top] with top <= 1, and the noise is at most that of a variable in
// [0, 1], whose sub-Gaussian scale is 1/2.
typedef struct lgkt_reward_map {
    double min, scale;
    double top; // of the mapped mean rewards
} lgkt_reward_map;

lgkt_reward_map lgkt_reward_map_make(const lgkt_reward_range *range);

// A reward in other units. It is kept within +-10^100: no sum or product of a learner can then
// overflow, however wrong the range is.
static inline double lgkt_reward_scaled(double reward, double base, double unit)
{
    const double x = (reward - base) / unit;
    return x > 1e100 ? 1e100 : x < -1e100 ? -1e100 : x;
}

static inline double lgkt_reward_mapped(const lgkt_reward_map *map, double reward)
{
    return lgkt_reward_scaled(reward, map->min, map->scale);
}

// ---- bounds, told or seen ----

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
typedef struct lgkt_reward_bounds {
    double base, unit;
    double low, high;
    double least, most;
    bool told_low, told_high;
    bool any; // reward was seen
} lgkt_reward_bounds;

// Before any reward was seen: what is not told is 0.
lgkt_reward_bounds lgkt_reward_bounds_start(const lgkt_reward_range *range);
// Takes note of a reward and returns x, kept within +-10^100. *moved (nullable) is set if low or
// high is not what it was.
double lgkt_reward_bounds_see(lgkt_reward_bounds *bounds, double reward, bool *moved);
extern const lgkt_part lgkt_reward_bounds_part;

// ---- points ----

// The rewards of a pair as at most 32 points with weights.
//
// Exact while no more than 32 values differ. After that the two points that are nearest to each
// other become one, at their mean: mean and weight of all are kept, and no range need be known.
enum { LGKT_ATOMS = 32 };

typedef struct lgkt_reward_atoms {
    int32_t count;
    double at[LGKT_ATOMS + 1]; // growing; the last place is empty between steps
    double weight[LGKT_ATOMS + 1];
} lgkt_reward_atoms;

void lgkt_atoms_add(lgkt_reward_atoms *atoms, double x);
// Those of a pair with n visits, and rewards from `least` to `most`.
void lgkt_atoms_visit(lgkt_reward_atoms *atoms, double n, double least, double most,
                      lgkt_archive *archive);
