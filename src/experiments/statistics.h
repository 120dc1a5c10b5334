// SPDX-License-Identifier: MIT
// Means, confidence intervals and long sums.
#ifndef EXPERIMENTS_STATISTICS_H
#define EXPERIMENTS_STATISTICS_H

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
// The moments of x[i] - y[i]: how much better x was on the same instances.
exp_moments exp_paired(const double *x, const double *y, int64_t n);
// Standard deviation with n - 1 below the line; NaN if n < 2.
double exp_moments_sd(const exp_moments *moments);
// Half the width of the 95% interval of the mean, 1.96 sd / sqrt(n); NaN if n < 2.
double exp_moments_half_width(const exp_moments *moments);

#endif
