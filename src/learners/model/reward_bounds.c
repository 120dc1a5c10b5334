// SPDX-License-Identifier: MIT
// Bounds of rewards, told or seen.

#include "learners/model/reward_bounds.h"

#include <math.h>

#include "core/error.h"

lgkt_status lgkt_reward_bounds_fill(const lgkt_learner *learner, lgkt_reward_range *range,
                                    lgkt_error *error)
{
    const lgkt_problem *problem = &learner->problem;
    range->min = isnan(range->min) ? problem->reward_min : range->min;
    range->max = isnan(range->max) ? problem->reward_max : range->max;
    range->sd = isnan(range->sd) ? problem->reward_sd : range->sd;
    if (range->min > range->max)
        return lgkt_fail(error, LGKT_ERR_SPEC, "%s: reward-min=%g is above reward-max=%g",
                         learner->class->entry->name, range->min, range->max);
    return LGKT_OK;
}

lgkt_reward_bounds lgkt_reward_bounds_start(const lgkt_reward_range *range)
{
    lgkt_reward_bounds bounds = {
        .unit = 1, .told_low = !isnan(range->min), .told_high = !isnan(range->max)};
    if (bounds.told_low && bounds.told_high) {
        const double width = range->max - range->min;
        bounds.base = range->min;
        bounds.unit = width > 0 ? width : 1;
        bounds.high = width > 0 ? 1 : 0;
    } else if (bounds.told_low || bounds.told_high) {
        // the end that is told, until the first reward says what to count from
        bounds.base = bounds.told_low ? range->min : range->max;
    }
    return bounds;
}

double lgkt_reward_bounds_see(lgkt_reward_bounds *bounds, double reward, bool *moved)
{
    const double low = bounds->low, high = bounds->high;
    const bool first = !bounds->any;
    if (first && !(bounds->told_low && bounds->told_high)) {
        const double end = bounds->base - reward;
        bounds->low = bounds->told_low ? end : 0;
        bounds->high = bounds->told_high ? end : 0;
        bounds->base = reward;
    }
    const double scaled = (reward - bounds->base) / bounds->unit;
    const double x = scaled > 1e100 ? 1e100 : scaled < -1e100 ? -1e100 : scaled;
    bounds->any = true;
    bounds->least = first || x < bounds->least ? x : bounds->least;
    bounds->most = first || x > bounds->most ? x : bounds->most;
    if (!bounds->told_low && x < bounds->low)
        bounds->low = x;
    if (!bounds->told_high && x > bounds->high)
        bounds->high = x;
    // an end that is told may lie on the wrong side of what is seen
    if (bounds->low > bounds->high)
        *(bounds->told_low ? &bounds->high : &bounds->low) =
            bounds->told_low ? bounds->low : bounds->high;
    if (moved != NULL)
        *moved = bounds->low != low || bounds->high != high;
    return x;
}

// ---- saving ----

static const lgkt_field fields[] = {
    {LGKT_NUMBER(lgkt_reward_bounds, any, FLAG)},   {LGKT_NUMBER(lgkt_reward_bounds, base, REAL)},
    {LGKT_NUMBER(lgkt_reward_bounds, low, REAL)},   {LGKT_NUMBER(lgkt_reward_bounds, high, REAL)},
    {LGKT_NUMBER(lgkt_reward_bounds, least, REAL)}, {LGKT_NUMBER(lgkt_reward_bounds, most, REAL)},
};

static void check(lgkt_learner *learner, void *part, lgkt_archive *archive)
{
    (void)learner;
    const lgkt_reward_bounds *bounds = part;
    if (archive->mode == LGKT_ARCHIVE_LOAD)
        archive->bad |= !(bounds->low <= bounds->high && bounds->least <= bounds->most);
}

const lgkt_part lgkt_reward_bounds_part = {
    .fields = fields, .count = LGKT_LENGTH(fields), .visit = check};
