// SPDX-License-Identifier: MIT
// The inner maximum of rows that drift (drifting.h), at the cost of the successors that were seen.
//
// With d_i = top - V_i and s > 0 (evi.c, duality)
//
//   max = min over s of  Phi(s) = top - s (e^E(s) - 1),   E(s) = sum_i p_m,i ln(1 + d_i/s) - radius
//
// The sum over all states is a^m times one over the successors seen plus 1 - a^m times the mean over
// all states, and that mean is the same for all pairs of a sweep: it is tabulated at nodes
// s = top e^(k/20) where it is asked for. Phi is unimodal; the search begins at sqrt(var/(2 radius)),
// exact for small radii, goes down node by node and ends with a parabola in ln s through the three
// lowest. Near its minimum Phi is mean + B cosh(ln s - w), B = Phi - mean at the minimum w: the
// parabola is off by less than 1e-4 B. The released code stops its root search at 5e-4 B.
//
// Cost: three nodes of a pair, each a logarithm per successor; O(S) for a node that is new.

#include "learners/model/drifting.h"

#include <math.h>
#include <string.h>

#include "core/elementary.h"

#define STEP   0.05
#define MIDDLE 580 // node of s = top; they reach from e^-29 to e^11

void lgkt_drifting_step(lgkt_drifting *drifting, int32_t states)
{
    drifting->share /= 1 + (double)states / 1000;
}

void lgkt_drifting_take(lgkt_drifting *drifting, const double *values, int32_t states)
{
    double top = 0, mean = 0, variance = 0;
    for (int32_t i = 0; i < states; i++) {
        top = values[i] > top ? values[i] : top;
        mean += values[i] / states;
    }
    for (int32_t i = 0; i < states; i++)
        variance += (values[i] - mean) * (values[i] - mean) / states;
    drifting->states = states;
    drifting->top = top;
    drifting->mean = mean;
    drifting->variance = variance;
    memset(drifting->logs, 0, LGKT_DRIFT_NODES * sizeof *drifting->logs);
}

double lgkt_drifting_mean(const lgkt_drifting *drifting, double mean)
{
    return drifting->share * mean + (1 - drifting->share) * drifting->mean;
}

// the mean of ln(1 + d/s) over all states
static double log_mean(lgkt_drifting *drifting, const double *values, int32_t node, double s)
{
    if (drifting->logs[node] == 0) {
        double sum = 0;
        for (int32_t i = 0; i < drifting->states; i++)
            sum += lgkt_log1p((drifting->top - values[i]) / s);
        drifting->logs[node] = sum / drifting->states;
    }
    return drifting->logs[node];
}

// one maximum to be found
typedef struct search {
    lgkt_drifting *drifting;
    const double *values; // (states)
    const lgkt_support *row;
    double radius;
} search;

// Phi
static double dual(const search *x, int32_t node)
{
    const double top = x->drifting->top, s = top * lgkt_exp(STEP * (node - MIDDLE));
    double seen = 0;
    for (int32_t i = 0; i < x->row->n; i++)
        seen += x->row->p[i] * lgkt_log1p((top - x->row->value[i]) / s);
    const double share = x->drifting->share, all = log_mean(x->drifting, x->values, node, s);
    return top - s * lgkt_expm1(share * seen + (1 - share) * all - x->radius);
}

// the node that is nearest to sqrt(var/(2 radius)), neither the first nor the last
static int32_t first_node(const lgkt_drifting *drifting, const lgkt_support *row, double mean,
                          double radius)
{
    const double apart = drifting->mean - mean;
    double seen = 0;
    for (int32_t i = 0; i < row->n; i++)
        seen += row->p[i] * (row->value[i] - mean) * (row->value[i] - mean);
    const double variance =
        drifting->share * seen + (1 - drifting->share) * (drifting->variance + apart * apart);
    const double ratio = variance / (2 * radius) / (drifting->top * drifting->top);
    const double place = MIDDLE + 0.5 * lgkt_log(fmax(ratio, 1e-24)) / STEP;
    return (int32_t)fmin(fmax(place + 0.5, 1), LGKT_DRIFT_NODES - 2);
}

double lgkt_drifting_max(lgkt_drifting *drifting, const double *values, const lgkt_support *row,
                         double radius)
{
    const search x = {.drifting = drifting, .values = values, .row = row, .radius = radius};
    double mean = 0;
    for (int32_t i = 0; i < row->n; i++)
        mean += row->p[i] * row->value[i];
    mean = lgkt_drifting_mean(drifting, mean);
    if (!(drifting->top > 0))
        return mean;
    int32_t node = first_node(drifting, row, mean, radius);
    double left = dual(&x, node - 1);
    double here = dual(&x, node);
    double right = dual(&x, node + 1);
    while (left < here && node > 1) {
        node--;
        right = here;
        here = left;
        left = dual(&x, node - 1);
    }
    while (right < here && node < LGKT_DRIFT_NODES - 2) {
        node++;
        left = here;
        here = right;
        right = dual(&x, node + 1);
    }
    // the lowest point of the parabola; at an end of the nodes the lowest of them
    const double bend = left - 2 * here + right, tilt = right - left;
    const double lowest = bend > 0 && here <= left && here <= right
                              ? here - tilt * tilt / (8 * bend)
                              : fmin(here, fmin(left, right));
    return fmin(fmax(lowest, mean), drifting->top);
}
