// SPDX-License-Identifier: MIT
// Means, confidence intervals and long sums.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// ---- sums ----

// A sum that keeps what rounding loses; {0} is an empty one.
typedef struct exp_sum {
    double sum, lost;
} exp_sum;

void exp_sum_add(exp_sum *sum, double x);
double exp_sum_value(const exp_sum *sum);

// ---- mean and spread ----

// Mean and summed squared deviations of n numbers; {0} is an empty one.
typedef struct exp_moments {
    int64_t n;
    double mean; // 0 if n is 0
    double squares;
} exp_moments;

void exp_moments_add(exp_moments *moments, double x);
// The moments of x[0 .. n-1], in this order.
exp_moments exp_moments_of(const double *x, int64_t n);
// Standard deviation with n - 1 below the line; NaN if n < 2.
double exp_moments_sd(const exp_moments *moments);
// t_{0.975, n-1} / sqrt(n): times sd, half the width of Student's 95% interval of a mean of n
// numbers. NaN if n < 2. Some microseconds of work.
double exp_interval_factor(int64_t n);

// ---- Student's distribution ----

// Of T with df > 0 degrees of freedom, to about 1e-13: P(|T| > |t|), the p value of both sides, and
// the t for which P(|T| <= t) is a level above 0 and below 1.
double exp_student_tail(double t, double df);
double exp_student_quantile(double level, double df);

// ---- against the optimum, and in the worst case ----

// 100 (reward - random) / (optimum - random): 0 for uniform play, 100 for the optimum. NaN where
// one is not known, or where uniform play earns what the optimum does, up to 1e-12 of the larger.
double exp_scored(double reward, double random, double optimum);
// reward / optimum; NaN if the optimum is not above 0 or not known.
double exp_share(double reward, double optimum);

// The middle of n >= 1 numbers, and the mean of the worst tenth of them.
typedef struct exp_spread {
    double median; // the mean of the two in the middle if n is even
    double worst;  // mean of the ceil(n / 10) lowest, or highest if less is better
} exp_spread;

// Sorts the numbers where they are; both are NaN if one of them is.
exp_spread exp_spread_of(double *x, int64_t n, bool less_is_better);
