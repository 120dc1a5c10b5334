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
// Student's distribution: "The probable error of a mean", 1908. P(|T| > t) is an incomplete beta
// function, with a = df/2, x = df / (df + t^2), y = 1 - x (DLMF 8.17.7 and 15.8.1, dlmf.nist.gov)
//
//     I_x(a, 1/2) = x^a y^(-1/2) / (a B(a, 1/2)) F(1/2, 1; a + 1; -x/y)      for large t
//             = 1 - 2 x^a y^(1/2) / B(a, 1/2) F(a + 1/2, 1; 3/2; y)          for small t
//
// with F by Gauss's continued fraction in the first case (15.7.5) and as a power series in the
// second: all terms are positive, and nothing cancels. A quantile is found by Newton's steps within
// a bracket.
//
// All results depend on the order of the numbers in their last bits, so callers add in a fixed
// order.
#include "experiments/runner/statistics.h"

#include <math.h>

#include "core/bins.h"
#include "core/elementary.h"

#define PI 3.14159265358979323846

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

double exp_moments_sd(const exp_moments *moments)
{
    if (moments->n < 2)
        return NAN;
    return sqrt(moments->squares / (double)(moments->n - 1));
}

double exp_interval_factor(int64_t n)
{
    return n < 2 ? NAN : exp_student_quantile(0.95, (double)(n - 1)) / sqrt((double)n);
}

// ---- Student's distribution ----

// Gamma(a + 1/2) / (Gamma(a) sqrt(pi)) = 1 / B(a, 1/2): by a series where a is large (DLMF 5.11),
// and down from there by Gamma(a + 1) = a Gamma(a)
static double inverse_beta(double a)
{
    double product = 1.0;
    for (; a < 50.0; a++)
        product *= a / (a + 0.5);
    const double b = 1.0 / (a * a);
    const double series = (-1.0 / 8.0 + b * (1.0 / 192.0 - b * (1.0 / 640.0))) / a;
    return product * sqrt(a / PI) * lgkt_exp(series);
}

double exp_student_tail(double t, double df)
{
    const double a = 0.5 * df, square = t * t, y = square / (df + square);
    if (isinf(square) || square == 0.0)
        return square == 0.0 ? 1.0 : 0.0;
    // x^a / B(a, 1/2)
    const double front = lgkt_exp(-a * lgkt_log1p(square / df)) * inverse_beta(a);
    double value = 1.0, term = 1.0;
    if (square * (a + 1.0) < 1.5 * df) {
        for (double n = 0.0; term > 1e-17 * value; n++) {
            term *= y * (a + 0.5 + n) / (1.5 + n);
            value += term;
        }
        return 1.0 - 2.0 * front * sqrt(y) * value;
    }
    // 1 + k_1 z / (1 + k_2 z / (1 + ..)) by the method of Lentz
    const double z = df / square;
    double c = 1.0, d = 0.0, change = 0.0;
    for (double n = 0.0; fabs(change - 1.0) > 4e-16; n++) {
        const double half = 0.5 * n, i = floor(half);
        const double k = i == half ? (0.5 + i) * (a + i) / ((a + n) * (a + n + 1.0))
                                   : (i + 1.0) * (a + 0.5 + i) / ((a + n) * (a + n + 1.0));
        d = 1.0 / (1.0 + k * z * d);
        c = 1.0 + k * z / c;
        change = c * d;
        value *= change;
    }
    return front / (a * sqrt(y) * value);
}

double exp_student_quantile(double level, double df)
{
    // the density of |T| at 0, and its shape
    const double top = 2.0 * inverse_beta(0.5 * df) / sqrt(df);
    double t = 2.0, low = 0.0, high = INFINITY;
    for (int i = 0; i < 2000; i++) {
        const double excess = exp_student_tail(t, df) - (1.0 - level);
        if (excess > 0.0)
            low = t;
        else
            high = t;
        const double ratio = t * t / df, shape = lgkt_exp(-0.5 * df * lgkt_log1p(ratio));
        double next = t + excess * (1.0 + ratio) / (top * shape);
        if (!(next > low && next < high))
            next = isinf(high) ? 2.0 * t : 0.5 * (low + high);
        const bool there = fabs(next - t) <= 1e-15 * t;
        t = next;
        if (there)
            break;
    }
    return t;
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

exp_spread exp_spread_of(double *x, int64_t n, bool less_is_better)
{
    // what is not known has no place in an order
    for (int64_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return (exp_spread){NAN, NAN};
    lgkt_sort(x, n);
    const int64_t tenth = (n + 9) / 10;
    exp_sum sum = {0};
    for (int64_t i = 0; i < tenth; i++)
        exp_sum_add(&sum, x[less_is_better ? n - 1 - i : i]);
    return (exp_spread){.median = 0.5 * x[(n - 1) / 2] + 0.5 * x[n / 2],
                        .worst = exp_sum_value(&sum) / (double)tenth};
}
