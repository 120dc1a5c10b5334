// SPDX-License-Identifier: MIT
// Boxes of transition laws (Fruit et al. 2020, Bourel et al. 2020), dense and slow.

#include "ref/naive_box.h"

#include <math.h>

// ---- the best law ----

double naive_box_vertices(const double *lo, const double *up, const bool *in, const double *u,
                          int32_t n)
{
    double best = -INFINITY, most = 0;
    for (int32_t y = 0; y < n; y++)
        most += in[y] ? up[y] : 0;
    // which entry is free, and which of the others are at their upper ends
    for (int32_t free = 0; free < n; free++)
        for (int32_t ends = 0; ends < 1 << n; ends++) {
            double rest = most < 1 ? most : 1, value = 0;
            for (int32_t y = 0; y < n; y++) {
                const double q = !in[y] ? 0 : (ends >> y & 1) != 0 ? up[y] : lo[y];
                rest -= y == free ? 0 : q;
                value += y == free ? 0 : q * u[y];
            }
            if (in[free] && rest >= lo[free] - 1e-12 && rest <= up[free] + 1e-12)
                best = fmax(best, value + rest * u[free]);
        }
    return best;
}

// the best state outside `done`, or -1
static int32_t best_of(const bool *done, const double *u, int32_t n)
{
    int32_t best = -1;
    for (int32_t y = 0; y < n; y++)
        if (!done[y] && (best < 0 || u[y] > u[best]))
            best = y;
    return best;
}

double naive_box_max(const double *lo, const double *up, const bool *in, const double *u, int32_t n)
{
    bool done[NAIVE_BOX_STATES] = {false};
    double mass = 1, value = 0;
    for (int32_t y = 0; y < n; y++) {
        done[y] = !in[y];
        mass -= in[y] ? lo[y] : 0;
        value += in[y] ? lo[y] * u[y] : 0;
    }
    for (int32_t y = best_of(done, u, n); y >= 0 && mass > 0; y = best_of(done, u, n)) {
        const double share = fmin(mass, up[y] - lo[y]);
        value += share * u[y];
        mass -= share;
        done[y] = true;
    }
    return value;
}

// ---- the support ----

void naive_noss(const double *up, bool *in, const double *u, int32_t n, double kap)
{
    static const double none[NAIVE_BOX_STATES] = {0};
    static const bool nobody[NAIVE_BOX_STATES] = {false};
    bool out[NAIVE_BOX_STATES] = {false};
    in[best_of(nobody, u, n)] = true;
    for (;;) {
        for (int32_t y = 0; y < n; y++)
            out[y] = !in[y];
        const double others = naive_box_max(none, up, out, u, n);
        if (!(others > fmin(kap, naive_box_max(none, up, in, u, n))))
            return;
        in[best_of(in, u, n)] = true;
    }
}

// ---- intervals ----

bool naive_box_plausible(double q, double p, double n, double d0)
{
    const double e = 1.12 / n * log(log(1.12 * n) * log(1.2544 * n) / (pow(log(1.12), 2) * d0));
    const double b = sqrt(2 * (1 + 1 / n) * log(sqrt(n + 1) / d0) / n);
    const double g = q <= 0 || q >= 1 ? 0 : q == 0.5 ? 0.25 : (0.5 - q) / log(1 / q - 1);
    const double g1 = q < 0.5 ? g : q * (1 - q);
    return fabs(p - q) <= sqrt(2 * q * (1 - q) * e) + e / 3 && q - p <= b * sqrt(g1) &&
           p - q <= b * sqrt(g);
}
