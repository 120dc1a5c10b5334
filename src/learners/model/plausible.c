// SPDX-License-Identifier: MIT
// Radii, and inner maximisation over L1 and Kullback-Leibler balls (plausible.h).
//
// L1 (Jaksch, Ortner and Auer 2010): move mass radius/2 to the best state, and take it from the
// worst ones. O(n log n) in the successors seen.
//
// KL (Filippi, Cappe and Garivier 2010). With vb the highest value seen, gap = V* - vb the
// advantage of the best state if it was never seen, d_i = vb - V_i, nu = vb + s:
//
//   max = min over nu >= V* of  Phi(nu) = nu - exp(sum_i p_i ln(nu - V_i) - radius)
//
// By weak duality every nu gives an upper bound, so an unconverged root keeps optimism, and the
// error of the value is second order in that of the root. Stationarity is f(s) = radius with
//
//   f(s) = sum_i p_i ln(s + d_i) + ln sum_i p_i/(s + d_i),   convex, decreasing to 0.
//
//   (b) all successors share one value:  vb + gap (1 - e^-radius)
//   (c) gap > 0 and f(gap) <= radius:    Phi(V*)
//   (d) otherwise the root of f(s) = radius, s > max(0, gap), by Newton's method in w = ln s within
//       a closed-form bracket. In w, because for small samples the root is at s = e^-20 .. e^-40.
//
// The derivative is used in its variance form, df/dw = -sum_i p_i (x_i - xbar)^2 / xbar with
// x_i = s/(s + d_i), which does not cancel.

#include "learners/model/plausible.h"

#include <math.h>
#include <stdbool.h>

#include "core/elementary.h"

#define MAX_NEWTON 60
#define EULER      2.718281828459045

// ---- radii ----

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

// ---- L1 ----

double lgkt_max_l1(lgkt_support *row, double top, double radius)
{
    // mass that is at the top already; several states may share it
    double there = 0, mean = 0;
    for (int32_t i = 0; i < row->n; i++) {
        mean += row->p[i] * row->value[i];
        there += row->value[i] == top ? row->p[i] : 0;
    }
    double mass = fmin(radius / 2, 1 - there);
    if (radius / 2 >= 1 - there)
        return top;
    // by increasing value; rows are short, and nearly sorted from one sweep to the next
    for (int32_t i = 1; i < row->n; i++) {
        const double p = row->p[i], value = row->value[i];
        int32_t j = i;
        for (; j > 0 && row->value[j - 1] > value; j--) {
            row->p[j] = row->p[j - 1];
            row->value[j] = row->value[j - 1];
        }
        row->p[j] = p;
        row->value[j] = value;
    }
    double result = mean + mass * top;
    for (int32_t i = 0; i < row->n && mass > 0; i++) {
        const double taken = fmin(row->p[i], mass);
        result -= taken * row->value[i];
        mass -= taken;
    }
    return result;
}

// ---- KL ----

typedef struct kl_problem {
    const lgkt_support *row;
    double best;   // vb
    double radius; // eps
    double gap;    // V* - vb
    double log_gap;
    double spread; // largest d_i
    double p_best; // mass with d_i = 0
    double p_rest; // mass with d_i > 0
} kl_problem;

// the functions of s = e^w at one w
typedef struct kl_point {
    double w, s;
    double f, slope;
    double log_mean; // sum_i p_i ln(1 + d_i/s), which is sum_i p_i ln(s + d_i) - w
} kl_point;

static kl_point evaluate(const kl_problem *k, double w)
{
    const double s = lgkt_exp(w);
    double mean = 0, rest = 0;
    for (int32_t i = 0; i < k->row->n; i++) {
        const double d = k->best - k->row->value[i];
        mean += k->row->p[i] * (d > 0 ? s / (s + d) : 1);
        rest += k->row->p[i] * (d > 0 ? d / (s + d) : 0);
    }
    double variance = 0, logs = 0;
    for (int32_t i = 0; i < k->row->n; i++) {
        const double d = k->best - k->row->value[i];
        const double x = (d > 0 ? s / (s + d) : 1) - mean;
        variance += k->row->p[i] * x * x;
        if (d > 0)
            logs += k->row->p[i] *
                    (s > 1e-290 && d < 1e8 * s ? lgkt_log1p(d / s) : lgkt_log(s + d) - w);
    }
    return (kl_point){.w = w,
                      .s = s,
                      .f = logs + (rest < 0.5 ? lgkt_log1p(-rest) : lgkt_log(mean)),
                      .slope = -variance / mean,
                      .log_mean = logs};
}

// the ends of the bracket
static double upper_end(const kl_problem *k)
{
    if (k->radius > 700)
        return lgkt_log(k->spread / 4) - k->radius;
    const double x = 1 / lgkt_expm1(k->radius);
    // apart: the product may underflow
    return lgkt_log(k->spread / 2) + lgkt_log(x / (1 + sqrt(1 + x)));
}

static double lower_end(const kl_problem *k)
{
    double sum = 0;
    for (int32_t i = 0; i < k->row->n; i++) {
        const double d = k->best - k->row->value[i];
        if (d > 0)
            sum += k->row->p[i] * lgkt_log(d);
    }
    const double w = (sum + lgkt_log(k->p_best) - k->radius) / k->p_rest;
    return k->gap > 0 ? fmax(w, k->log_gap) : w;
}

// where f = radius
static kl_point find_root(const kl_problem *k, double warm)
{
    double hi = upper_end(k), lo = lower_end(k);
    if (!(lo <= hi))
        lo = hi;
    const bool is_warm = warm >= lo && warm <= hi;
    double w = is_warm ? warm : lo;
    if (!is_warm && !(k->radius > k->p_rest)) {
        // without a better idea: exact for small radii
        double mean = 0, variance = 0;
        for (int32_t i = 0; i < k->row->n; i++)
            mean += k->row->p[i] * (k->best - k->row->value[i]);
        for (int32_t i = 0; i < k->row->n; i++) {
            const double x = k->best - k->row->value[i] - mean;
            variance += k->row->p[i] * x * x;
        }
        w = fmin(fmax(0.5 * lgkt_log(variance / (2 * k->radius)), lo), hi);
    }
    kl_point at = evaluate(k, w);
    for (int i = 0; i < MAX_NEWTON; i++) {
        const double excess = at.f - k->radius;
        if (fabs(excess) <= 1e-6 * k->radius)
            break;
        *(excess > 0 ? &lo : &hi) = w;
        double next = w - excess / at.slope;
        if (!(next > lo && next < hi))
            next = lo + (hi - lo) / 2;
        if (fabs(next - w) < 1e-15 * (1 + fabs(w)))
            break;
        w = next;
        at = evaluate(k, w);
    }
    return at;
}

// Phi(vb + s)
static double dual_value(const kl_problem *k, const kl_point *at)
{
    const double e = at->log_mean - k->radius;
    return e < 1 ? k->best - at->s * lgkt_expm1(e) : k->best + at->s - lgkt_exp(at->w + e);
}

double lgkt_max_kl(const lgkt_support *row, double top, double radius, double *warm)
{
    kl_problem k = {.row = row, .best = -INFINITY, .radius = radius};
    double least = INFINITY;
    for (int32_t i = 0; i < row->n; i++) {
        k.best = fmax(k.best, row->value[i]);
        least = fmin(least, row->value[i]);
    }
    for (int32_t i = 0; i < row->n; i++)
        *(row->value[i] == k.best ? &k.p_best : &k.p_rest) += row->p[i];
    k.gap = fmax(0, top - k.best);
    k.spread = k.best - least;
    if (!(k.p_rest > 0))
        return k.best + k.gap * -lgkt_expm1(-radius);
    if (k.gap > 0) {
        k.log_gap = lgkt_log(k.gap);
        const kl_point at = evaluate(&k, k.log_gap);
        if (at.f <= radius)
            return dual_value(&k, &at);
    }
    const kl_point at = find_root(&k, *warm);
    *warm = at.w;
    // rounding must not push the value out of what is possible
    return fmin(fmax(dual_value(&k, &at), k.best - k.spread), fmax(top, k.best));
}
