// SPDX-License-Identifier: MIT
// The formulas of radii.h.

#include "learners/radii.h"

#include <math.h>

#include "core/elementary.h"

#define EULER 2.718281828459045

// the quotient itself may overflow
static double log_ratio(double x, double delta)
{
    return lgkt_log(x) - lgkt_log(delta);
}

double lgkt_radius_reward(const lgkt_radii *radii, double n)
{
    const double pairs = radii->states * radii->actions;
    if (radii->bound == LGKT_BOUND_MIXTURE)
        return sqrt((1 + 1 / n) * lgkt_log(sqrt(1 + n) / radii->delta) / (2 * n));
    if (radii->region == LGKT_REGION_L1)
        return sqrt(7 * log_ratio(2 * pairs * radii->t, radii->delta) / (2 * n));
    const double log_t = lgkt_log(fmax(2, radii->horizon));
    return sqrt(log_ratio(4 * pairs * log_t, radii->delta) / 1.99) / sqrt(n);
}

double lgkt_radius_row(const lgkt_radii *radii, double n)
{
    const double states = radii->states, others = states - 1, delta = radii->delta;
    const bool original = radii->bound == LGKT_BOUND_ORIGINAL;
    // one state leaves nothing to be uncertain about
    if (states < 2)
        return 0;
    if (radii->region == LGKT_REGION_L1 && original)
        return sqrt(14 * states * log_ratio(2 * radii->actions * radii->t, delta) / n);
    if (radii->region == LGKT_REGION_L1) {
        // ln(2^S - 2), which overflows as written from S = 1024 on
        const double log_subsets = states * lgkt_log(2) + lgkt_log1p(-lgkt_exp2(1 - states));
        const double logs = 0.5 * lgkt_log1p(n) + log_subsets - lgkt_log(delta);
        return sqrt(2 * (1 + 1 / n) * logs / n);
    }
    if (!original)
        return (-lgkt_log(delta) + others * (1 + lgkt_log1p(n / others))) / n;
    const double log_t = lgkt_log(fmax(2, radii->horizon));
    const double b = log_ratio(2 * EULER * states * states * radii->actions * log_t, delta);
    const double c = b + 1 / log_t;
    return states * (b + lgkt_log(c) * (1 + 1 / c)) / n;
}
