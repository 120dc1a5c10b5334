// SPDX-License-Identifier: MIT
// The range of rewards, the map to [0, 1], bounds that were told or seen, and points (rewards.h).

#include "learners/model/rewards.h"

#include <math.h>

// ---- what was told ----

static lgkt_status fill(const lgkt_learner *learner, lgkt_reward_range otherwise,
                        lgkt_reward_range *range, lgkt_error *error)
{
    const lgkt_problem *told = &learner->problem;
    if (isnan(range->min))
        range->min = isnan(told->reward_min) ? otherwise.min : told->reward_min;
    if (isnan(range->max))
        range->max = isnan(told->reward_max) ? otherwise.max : told->reward_max;
    if (isnan(range->sd))
        range->sd = isnan(told->reward_sd) ? otherwise.sd : told->reward_sd;
    if (range->min > range->max)
        return lgkt_fail(error, LGKT_ERR_SPEC, "%s: reward-min=%g is above reward-max=%g",
                         learner->entry->name, range->min, range->max);
    return LGKT_OK;
}

lgkt_status lgkt_reward_range_fill(const lgkt_learner *learner, lgkt_reward_range *range,
                                   lgkt_error *error)
{
    return fill(learner, (lgkt_reward_range){0, 1, 0.5}, range, error);
}

lgkt_status lgkt_reward_bounds_fill(const lgkt_learner *learner, lgkt_reward_range *range,
                                    lgkt_error *error)
{
    return fill(learner, (lgkt_reward_range){NAN, NAN, NAN}, range, error);
}

lgkt_reward_map lgkt_reward_map_make(const lgkt_reward_range *range)
{
    const double width = range->max - range->min;
    const double scale = fmax(width, 2 * range->sd);
    lgkt_reward_map map = {.min = range->min, .scale = scale > 0 ? scale : 1};
    map.top = width / map.scale;
    return map;
}

// ---- bounds ----

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
    const double x = lgkt_reward_scaled(reward, bounds->base, bounds->unit);
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

// ---- points ----

// the two neighbours that are nearest become one
static void join_nearest(lgkt_reward_atoms *atoms)
{
    int32_t nearest = 0;
    for (int32_t i = 1; i + 1 < atoms->count; i++)
        if (atoms->at[i + 1] - atoms->at[i] < atoms->at[nearest + 1] - atoms->at[nearest])
            nearest = i;
    const int32_t i = nearest;
    const double weight = atoms->weight[i] + atoms->weight[i + 1];
    const double mean =
        atoms->at[i] + (atoms->at[i + 1] - atoms->at[i]) * (atoms->weight[i + 1] / weight);
    atoms->at[i] = mean < atoms->at[i + 1] ? mean : atoms->at[i + 1];
    atoms->weight[i] = weight;
    atoms->count--;
    for (int32_t j = i + 1; j < atoms->count; j++) {
        atoms->at[j] = atoms->at[j + 1];
        atoms->weight[j] = atoms->weight[j + 1];
    }
}

void lgkt_atoms_add(lgkt_reward_atoms *atoms, double x)
{
    int32_t at = 0;
    while (at < atoms->count && atoms->at[at] < x)
        at++;
    if (at < atoms->count && atoms->at[at] == x) {
        atoms->weight[at] += 1;
        return;
    }
    for (int32_t j = atoms->count; j > at; j--) {
        atoms->at[j] = atoms->at[j - 1];
        atoms->weight[j] = atoms->weight[j - 1];
    }
    atoms->at[at] = x;
    atoms->weight[at] = 1;
    atoms->count++;
    if (atoms->count > LGKT_ATOMS)
        join_nearest(atoms);
}

void lgkt_atoms_visit(lgkt_reward_atoms *atoms, double n, double least, double most,
                      lgkt_archive *archive)
{
    double left = n;
    lgkt_visit_i32(archive, &atoms->count, 1, n > 0, LGKT_ATOMS);
    for (int32_t i = 0; i < atoms->count && !archive->bad; i++) {
        int64_t weight = (int64_t)atoms->weight[i];
        lgkt_visit_f64(archive, &atoms->at[i], 1);
        lgkt_visit_i64(archive, &weight, 1, 1, INT64_C(1) << 53);
        if (archive->mode != LGKT_ARCHIVE_LOAD)
            continue;
        atoms->weight[i] = (double)weight;
        left -= atoms->weight[i];
        // joining may round two of them to the same number
        archive->bad |= !(atoms->at[i] >= (i > 0 ? atoms->at[i - 1] : least));
        archive->bad |= !(atoms->at[i] <= most);
    }
    archive->bad |= archive->mode == LGKT_ARCHIVE_LOAD && left != 0;
}
