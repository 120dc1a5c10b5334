// SPDX-License-Identifier: MIT
// The moments of x[i] - y[i]: how much better x was on the same instances.
#ifndef LGKT_TESTS_PAIRED_H
#define LGKT_TESTS_PAIRED_H

#include "experiments/runner/statistics.h"

static inline exp_moments paired_moments(const double *x, const double *y, int64_t n)
{
    exp_moments moments = {0};
    for (int64_t i = 0; i < n; i++)
        exp_moments_add(&moments, x[i] - y[i]);
    return moments;
}

#endif
