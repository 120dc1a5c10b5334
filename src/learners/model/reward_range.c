// SPDX-License-Identifier: MIT
// Ranges of rewards: where they come from, and the map to [0, 1].

#include "learners/model/reward_range.h"

#include <math.h>

#include "core/error.h"

static double known(double setting, double told, double otherwise)
{
    if (!isnan(setting))
        return setting;
    return isnan(told) ? otherwise : told;
}

lgkt_status lgkt_reward_range_fill(const lgkt_learner *learner, lgkt_reward_range *range,
                                   lgkt_error *error)
{
    const lgkt_problem *problem = &learner->problem;
    range->min = known(range->min, problem->reward_min, 0);
    range->max = known(range->max, problem->reward_max, 1);
    range->sd = known(range->sd, problem->reward_sd, 0.5);
    if (range->min > range->max)
        return lgkt_fail(error, LGKT_ERR_SPEC, "%s: reward-min=%g is above reward-max=%g",
                         learner->class->entry->name, range->min, range->max);
    return LGKT_OK;
}

lgkt_reward_map lgkt_reward_map_make(const lgkt_reward_range *range)
{
    const double width = range->max - range->min;
    const double scale = fmax(width, 2 * range->sd);
    lgkt_reward_map map = {.min = range->min, .scale = scale > 0 ? scale : 1};
    map.top = width / map.scale;
    return map;
}
