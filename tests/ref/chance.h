// SPDX-License-Identifier: MIT
// Distribution functions and statistical bounds, for tests of what is random.
//
// Every bound below is passed by a right program except with probability CHANCE_LEVEL = 1e-7, over
// the choice of the seed. Seeds are fixed, so a test either always passes or always fails.
#ifndef LGKT_TESTS_CHANCE_H
#define LGKT_TESTS_CHANCE_H

#include <stddef.h>
#include <stdint.h>

#define CHANCE_LEVEL 1e-7

// P(Z <= x) of a standard normal Z.
double chance_normal_cdf(double x);
// P(G <= x) of a gamma number with scale 1: the regularised incomplete gamma function, by its power
// series for x < shape + 1 and by its continued fraction above; to about 1e-13.
double chance_gamma_cdf(double shape, double x);

// The probability of a chi-square of `freedom` degrees above x.
double chance_chi_square_tail(double freedom, double x);
// The chi-square p-value of counts (n) under the law p (n); cells of probability 0 must be empty,
// else it is 0. Total counts of at least 20 or so per cell.
double chance_law_p_value(const int64_t *counts, const double *p, size_t n);

// How far a count of `trials` events of probability p may lie from its mean (Bernstein).
double chance_count_bound(double trials, double p);

// A Kolmogorov-Smirnov test in bins: the largest gap between the share of u <= i/bins and i/bins.
#define CHANCE_BINS 4096
typedef struct chance_ks {
    int64_t counts[CHANCE_BINS];
    int64_t total;
} chance_ks;

// Adds F(x) for an x drawn from F.
void chance_ks_add(chance_ks *ks, double u);
// The largest gap, to be compared with chance_ks_bound(total) (Massart's inequality).
double chance_ks_gap(const chance_ks *ks);
double chance_ks_bound(int64_t total);

#endif
