// SPDX-License-Identifier: MIT
// The index of IMED-RL: how many visits speak against an action being the best of its state.
//
//   v = r + phi(y)  what one play of the action is worth, r and y drawn independently of what was
//                   seen: the law below
//   gam             what the best action of the state is worth, top = U, the most that v can be
//   K               max over 0 <= x <= 1/(U - gam) of E log(1 - (v - gam) x); 0 if E v >= gam
//
//   formula   n K + ln n
//   log-u     n (K + ln U) + ln n        as in the published packages
//   p0        n X + ln X, X = K + ln U   as in the listing of the paper's own code
//
// An action with E v >= gam has the index ln n in all three.
//
// Here are K, the index made of it, and a bound on K that saves most roots.
//
//   F(x) = E log(1 + d x), d = gam - v;   F'(x) = E d/(1 + d x) falls;   F'(0) = gam - E v > 0
//
// If F' is still positive at x = 1/(U - gam), which needs that v = U has no mass, the end is the
// maximum. Otherwise the root of F' is found by Newton steps within a bracket that shrinks. F lies
// below its tangents, so that |F'(x)| times the bracket bounds what is missing of K.
//
// The bound: with w = (v - gam) x <= 1/2, log(1 - w) >= -w - c w^2, c = 4 ln 2 - 2, since
// (-log(1 - w) - w)/w^2 grows with w. So K >= x E d - c x^2 E d^2 for every x <= 1/(2 (U - gam)).
//
// Cost of K: some 6 walks over the points, and one logarithm for each.

#include "learners/planners/imed.h"

#include <math.h>

#include "core/elementary.h"

// of steps to the root
#define MOST_STEPS 200
// what may be missing of K, as a part of it
#define PRECISION 1e-12
// of a sum with many points
#define CELLS 32

lgkt_moments lgkt_points_moments(const lgkt_points *points)
{
    lgkt_moments moments = {0, 0};
    for (int32_t i = 0; i < points->count; i++)
        moments.mean += points->share[i] * points->at[i];
    for (int32_t i = 0; i < points->count; i++) {
        const double gap = points->at[i] - moments.mean;
        moments.variance += points->share[i] * gap * gap;
    }
    return moments;
}

// ---- sums ----

lgkt_points lgkt_points_sum(const lgkt_points *first, const lgkt_points *second, double *at,
                            double *share)
{
    int32_t count = 0;
    if ((int64_t)first->count * second->count <= LGKT_IMED_POINTS) {
        for (int32_t i = 0; i < first->count; i++)
            for (int32_t j = 0; j < second->count; j++, count++) {
                at[count] = first->at[i] + second->at[j];
                share[count] = first->share[i] * second->share[j];
            }
        return (lgkt_points){at, share, count};
    }
    double low = 0, high = 0;
    for (int side = 0; side < 2; side++) {
        const lgkt_points *points = side == 0 ? first : second;
        double least = INFINITY, most = -INFINITY;
        for (int32_t i = 0; i < points->count; i++) {
            least = points->at[i] < least ? points->at[i] : least;
            most = points->at[i] > most ? points->at[i] : most;
        }
        low += least;
        high += most;
    }
    for (int32_t c = 0; c < CELLS; c++)
        at[c] = share[c] = 0;
    const double scale = high > low ? CELLS / (high - low) : 0;
    for (int32_t i = 0; i < first->count; i++) {
        const double from = first->at[i] - low;
        for (int32_t j = 0; j < second->count; j++) {
            // counted from the lowest: the sums in a cell keep their digits
            const double x = from + second->at[j], part = x * scale;
            const double both = first->share[i] * second->share[j];
            const int32_t cell = part < CELLS - 1 ? (int32_t)part : CELLS - 1;
            at[cell] += both * x;
            share[cell] += both;
        }
    }
    for (int32_t c = 0; c < CELLS; c++) {
        if (!(share[c] > 0))
            continue;
        at[count] = low + at[c] / share[c];
        share[count++] = share[c];
    }
    return (lgkt_points){at, share, count};
}

// ---- K ----

// F'(x) and F''(x)
typedef struct slope {
    double first, second;
} slope;

static slope slope_at(const lgkt_points *law, double gam, double top, double x)
{
    slope f = {0, 0};
    const double least = gam - top;
    for (int32_t i = 0; i < law->count; i++) {
        const double d = gam - law->at[i] > least ? gam - law->at[i] : least;
        const double part = d / (1 + d * x), weighted = law->share[i] * part;
        f.first += weighted;
        f.second -= weighted * part;
    }
    return f;
}

static double objective(const lgkt_points *law, double gam, double top, double x)
{
    double sum = 0;
    const double least = gam - top;
    for (int32_t i = 0; i < law->count; i++) {
        const double d = gam - law->at[i] > least ? gam - law->at[i] : least;
        sum += law->share[i] * lgkt_log1p(d * x);
    }
    return sum;
}

double lgkt_imed_k(const lgkt_points *law, double gam, double top, int64_t *failed)
{
    const double gap_to_top = top - gam;
    const slope begin = slope_at(law, gam, top, 0);
    if (!(begin.first > 0))
        return 0;
    // nothing can be better than the best
    if (!(gap_to_top > 0))
        return INFINITY;
    // at the end itself a point v = U would divide by 0
    const double end = 1 / gap_to_top, last = end * (1 - 0x1p-50);
    if (slope_at(law, gam, top, last).first >= 0)
        return objective(law, gam, top, last);

    double low = 0, high = last, x = begin.first / -begin.second;
    x = x < high ? x : high / 2;
    for (int step = 0; step < MOST_STEPS; step++) {
        const slope f = slope_at(law, gam, top, x);
        *(f.first > 0 ? &low : &high) = x;
        if (fabs(f.first) * (high - low) <= PRECISION * begin.first * x)
            return objective(law, gam, top, x);
        const double next = x - f.first / f.second;
        x = next > low && next < high ? next : low + (high - low) / 2;
    }
    ++*failed;
    return objective(law, gam, top, x);
}

double lgkt_imed_k_least(const lgkt_moments *moments, double gam, double top)
{
    const double c = 0.7725887222397812, d = gam - moments->mean, gap_to_top = top - gam;
    const double squares = moments->variance + d * d;
    if (!(d > 0 && gap_to_top > 0))
        return 0;
    const double best = d / (2 * c * squares), end = 1 / (2 * gap_to_top),
                 x = best < end ? best : end;
    return x * d - c * x * x * squares;
}

double lgkt_imed_index(lgkt_imed_form form, double n, double k, double log_u)
{
    const double x = k + log_u;
    switch (form) {
    case LGKT_IMED_FORMULA:
        return n * k + lgkt_log(n);
    case LGKT_IMED_LOG_U:
        return n * x + lgkt_log(n);
    case LGKT_IMED_P0:
        break;
    }
    return n * x + (x > 0 ? lgkt_log(x) : -INFINITY);
}
