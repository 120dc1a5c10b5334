// SPDX-License-Identifier: MIT
// One step of mirror descent on the simplex with the log barrier as regulariser.

#include "learners/log_barrier.h"

#include <math.h>

// far above what is needed: a bound for numbers that make no sense
#define MOST_STEPS 100

// X of the equation, for the g_a
static double solve(const double *g, double mean, int32_t n)
{
    double root = fmax(1, (double)n - mean);
    for (int i = 0; i < MOST_STEPS; i++) {
        double sum = 0, slope = 0;
        for (int32_t a = 0; a < n; a++) {
            const double x = 1 / (root + g[a]);
            sum += x;
            slope += x * x;
        }
        const double step = (sum - 1) / slope;
        root += step;
        // the error of the root is at most the square of that before: nothing is left to gain
        if (!(step > 1e-9 * root))
            break;
    }
    return root;
}

double lgkt_log_barrier_step(const double *y, const double *beta, double eta, int32_t n, double *x)
{
    double least = INFINITY, mean = 0, sum = 0;
    for (int32_t a = 0; a < n; a++) {
        x[a] = 1 / fmax(y[a], LGKT_BARRIER_FLOOR) - eta * beta[a];
        least = fmin(least, x[a]);
    }
    // x holds the g_a until the root is known
    for (int32_t a = 0; a < n; a++) {
        x[a] -= least;
        mean += x[a] / (double)n;
    }
    const double root = solve(x, mean, n);
    for (int32_t a = 0; a < n; a++) {
        x[a] = fmax(1 / (root + x[a]), LGKT_BARRIER_FLOOR);
        sum += x[a];
    }
    for (int32_t a = 0; a < n; a++)
        x[a] /= sum;
    return root - least;
}
