// SPDX-License-Identifier: MIT
// The rows of dirichlet.h.

#include "env/dirichlet.h"

// n numbers over their sum
static void draw_row(lgkt_rng *rng, double (*draw)(lgkt_rng *rng, double shape), double shape,
                     int32_t n, double *p)
{
    double sum;
    do {
        sum = 0;
        for (int32_t y = 0; y < n; y++)
            sum += p[y] = draw(rng, shape);
    } while (!(sum > 0));
    for (int32_t y = 0; y < n; y++)
        p[y] /= sum;
}

static double draw_uniform(lgkt_rng *rng, double shape)
{
    (void)shape;
    return lgkt_rng_uniform(rng);
}

void lgkt_dirichlet(lgkt_rng *rng, double shape, int32_t n, double *p)
{
    draw_row(rng, lgkt_rng_gamma, shape, n, p);
}

void lgkt_uniform_row(lgkt_rng *rng, int32_t n, double *p)
{
    draw_row(rng, draw_uniform, 0, n, p);
}
