// SPDX-License-Identifier: MIT
// Distribution functions and statistical bounds, for tests of what is random.

#include <math.h>

#include "ref/chance.h"

// ---- distribution functions ----

double chance_normal_cdf(double x)
{
    return 0.5 * erfc(-x * sqrt(0.5));
}

// x^a e^-x / Gamma(a)
static double gamma_front(double a, double x)
{
    return exp(a * log(x) - x - lgamma(a));
}

// sum_n x^n / (a (a+1) .. (a+n))
static double gamma_series(double a, double x)
{
    double term = 1.0 / a, sum = term;
    for (int n = 1; n < 10000 && term > 1e-17 * sum; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum;
}

// 1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ..))), from the inside out
static double gamma_fraction(double a, double x)
{
    double below = 0.0;
    // ample for x > a: the error falls like exp(-4 sqrt(n x))
    for (int n = 120 + (int)(2.0 * a); n >= 1; n--)
        below = n * (n - a) / (x + 2 * n + 1 - a - below);
    return 1.0 / (x + 1 - a - below);
}

double chance_gamma_cdf(double shape, double x)
{
    if (!(x > 0.0))
        return 0.0;
    if (x < shape + 1.0)
        return gamma_front(shape, x) * gamma_series(shape, x);
    return 1.0 - gamma_front(shape, x) * gamma_fraction(shape, x);
}

double chance_chi_square_tail(double freedom, double x)
{
    const double a = 0.5 * freedom, half = 0.5 * x;
    // above the mean the fraction gives the tail itself, which may be far below 1e-16
    if (half < a + 1.0)
        return 1.0 - chance_gamma_cdf(a, half);
    return gamma_front(a, half) * gamma_fraction(a, half);
}

// ---- bounds ----

double chance_law_p_value(const int64_t *counts, const double *p, size_t n)
{
    double total = 0.0, sum = 0.0, chi = 0.0;
    int cells = 0;
    for (size_t i = 0; i < n; i++) {
        total += (double)counts[i];
        sum += p[i];
    }
    for (size_t i = 0; i < n; i++) {
        const double mean = total * p[i] / sum;
        if (p[i] == 0.0 && counts[i] != 0)
            return 0.0;
        if (p[i] > 0.0) {
            chi += ((double)counts[i] - mean) * ((double)counts[i] - mean) / mean;
            cells++;
        }
    }
    return cells > 1 ? chance_chi_square_tail(cells - 1, chi) : 1.0;
}

double chance_count_bound(double trials, double p)
{
    // P(|count - mean| > t) <= 2 exp(-t^2 / (2 (variance + t/3)))
    const double level = log(2.0 / CHANCE_LEVEL), variance = trials * p * (1.0 - p);
    return level / 3.0 + sqrt(level * level / 9.0 + 2.0 * level * variance);
}

void chance_ks_add(chance_ks *ks, double u)
{
    const double place = u * CHANCE_BINS;
    // a NaN or a number outside [0, 1] goes into the count only, and so makes a gap
    if (place >= 0.0 && place <= CHANCE_BINS)
        ks->counts[place < CHANCE_BINS ? (int)place : CHANCE_BINS - 1]++;
    ks->total++;
}

double chance_ks_gap(const chance_ks *ks)
{
    double gap = 0.0;
    int64_t below = 0;
    for (int i = 0; i < CHANCE_BINS; i++) {
        below += ks->counts[i];
        const double share = (double)below / (double)ks->total;
        gap = fmax(gap, fabs(share - (i + 1.0) / CHANCE_BINS));
    }
    return gap;
}

double chance_ks_bound(int64_t total)
{
    // P(gap > t) <= 2 exp(-2 n t^2)
    return sqrt(log(2.0 / CHANCE_LEVEL) / (2.0 * (double)total));
}
