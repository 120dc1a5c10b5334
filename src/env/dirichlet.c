// SPDX-License-Identifier: MIT
// The row of dirichlet.h.

#include "env/dirichlet.h"

void lgkt_dirichlet(lgkt_rng *rng, double shape, int32_t n, double *p)
{
    double sum;
    do {
        sum = 0;
        for (int32_t y = 0; y < n; y++)
            sum += p[y] = lgkt_rng_gamma(rng, shape);
    } while (!(sum > 0));
    for (int32_t y = 0; y < n; y++)
        p[y] /= sum;
}
