// SPDX-License-Identifier: MIT
// Running statistics in one pass.
//
// Sums: Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974.
// The low part of each addition is kept beside the sum, whichever of the two operands was larger.
//
// Moments: Welford, "Note on a method for calculating corrected sums of squares and products",
// 1962. With d = x - mean_{n-1}:  mean_n = mean_{n-1} + d/n,  squares_n = squares_{n-1} + d (x -
// mean_n).
//
// All results depend on the order of the numbers in their last bits, so callers add in a fixed
// order.
#include "experiments/statistics.h"

#include <math.h>
#include <stdlib.h>

// ---- sums ----

void exp_sum_add(exp_sum *sum, double x)
{
    const double total = sum->sum + x;
    if (fabs(sum->sum) >= fabs(x))
        sum->lost += (sum->sum - total) + x;
    else
        sum->lost += (x - total) + sum->sum;
    sum->sum = total;
}

double exp_sum_value(const exp_sum *sum)
{
    return sum->sum + sum->lost;
}

// ---- mean and spread ----

void exp_moments_add(exp_moments *moments, double x)
{
    const double distance = x - moments->mean;
    moments->n++;
    moments->mean += distance / (double)moments->n;
    moments->squares += distance * (x - moments->mean);
}

exp_moments exp_moments_of(const double *x, int64_t n)
{
    exp_moments moments = {0};
    for (int64_t i = 0; i < n; i++)
        exp_moments_add(&moments, x[i]);
    return moments;
}

exp_moments exp_paired(const double *x, const double *y, int64_t n)
{
    exp_moments moments = {0};
    for (int64_t i = 0; i < n; i++)
        exp_moments_add(&moments, x[i] - y[i]);
    return moments;
}

double exp_moments_sd(const exp_moments *moments)
{
    if (moments->n < 2)
        return NAN;
    return sqrt(moments->squares / (double)(moments->n - 1));
}

double exp_moments_half_width(const exp_moments *moments)
{
    return 1.96 * exp_moments_sd(moments) / sqrt((double)moments->n);
}

// ---- against the optimum, and in the worst case ----

double exp_scored(double reward, double random, double optimum)
{
    const double scale = fmax(fabs(random), fabs(optimum));
    if (isnan(random) || isnan(optimum) || optimum - random <= 1e-12 * scale)
        return NAN;
    return 100.0 * (reward - random) / (optimum - random);
}

double exp_share(double reward, double optimum)
{
    return optimum > 0.0 ? reward / optimum : NAN;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

exp_spread exp_spread_of(double *x, int64_t n, bool less_is_better)
{
    // what is not known has no place in an order
    for (int64_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return (exp_spread){NAN, NAN};
    qsort(x, (size_t)n, sizeof *x, by_value);
    const int64_t tenth = (n + 9) / 10;
    exp_sum sum = {0};
    for (int64_t i = 0; i < tenth; i++)
        exp_sum_add(&sum, x[less_is_better ? n - 1 - i : i]);
    return (exp_spread){.median = 0.5 * x[(n - 1) / 2] + 0.5 * x[n / 2],
                        .worst = exp_sum_value(&sum) / (double)tenth};
}
