// SPDX-License-Identifier: MIT
// Extended value iteration (Jaksch, Ortner and Auer 2010; Boone and Zhang 2024), dense and slow.
//
// L1. The dual of max q.V over the laws with |q - p|_1 <= d has one number a:
//   min over a <= V* of  d/2 (V* - a) + sum_i p_i max(V_i, a)
// It is convex and linear between the V_i, so that its minimum is at one of them.
//
// KL. max q.V over KL(p || q) <= d is the minimum over s >= 0 of
//   Phi(s) = V* + s - exp(sum_i p_i ln(s + V* - V_i) - d)
// which is convex. A grid in ln s brackets the minimum, golden sections find it.
//
// Policies and kernels one by one. The gain of a fixed policy is highest at an extreme point of
// each ball, which is where some strict order of the states sends the linear programme: for each
// order, move mass d/2 to the first state and take it from the last ones.

#include "ref/naive_evi.h"

#include <math.h>
#include <string.h>

// ---- the best plausible law ----

static double highest(const double *v, int32_t n)
{
    double most = -INFINITY;
    for (int32_t i = 0; i < n; i++)
        most = fmax(most, v[i]);
    return most;
}

static double mass_of(const double *p, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

double naive_max_l1(const double *p, const double *v, int32_t n, double radius)
{
    const double top = highest(v, n);
    if (mass_of(p, n) == 0)
        return top;
    double least = INFINITY;
    for (int32_t i = 0; i < n; i++) {
        double dual = radius / 2 * (top - v[i]);
        for (int32_t j = 0; j < n; j++)
            dual += p[j] * fmax(v[j], v[i]);
        least = fmin(least, dual);
    }
    return least;
}

// Phi(s) - V*
static long double kl_excess(const double *p, const double *v, int32_t n, double radius,
                             long double s)
{
    const double top = highest(v, n);
    long double sum = -radius;
    for (int32_t i = 0; i < n; i++)
        if (p[i] > 0)
            sum += p[i] * logl(s + ((long double)top - v[i]));
    return s - expl(sum);
}

double naive_kl_dual(const double *p, const double *v, int32_t n, double radius, double s)
{
    return (double)(highest(v, n) + kl_excess(p, v, n, radius, s));
}

// the minimum over w in [lo, hi] of Phi(e^w) - V*
static long double golden(const double *p, const double *v, int32_t n, double radius,
                          long double lo, long double hi)
{
    const long double part = 0.381966011250105151795L;
    long double a = lo + part * (hi - lo), b = hi - part * (hi - lo);
    long double at_a = kl_excess(p, v, n, radius, expl(a));
    long double at_b = kl_excess(p, v, n, radius, expl(b));
    while (hi - lo > 1e-8L) {
        if (at_a < at_b) {
            hi = b, b = a, at_b = at_a;
            a = lo + part * (hi - lo);
            at_a = kl_excess(p, v, n, radius, expl(a));
        } else {
            lo = a, a = b, at_a = at_b;
            b = hi - part * (hi - lo);
            at_b = kl_excess(p, v, n, radius, expl(b));
        }
    }
    return fminl(at_a, at_b);
}

double naive_max_kl(const double *p, const double *v, int32_t n, double radius)
{
    const double top = highest(v, n);
    double spread = 0;
    for (int32_t i = 0; i < n; i++)
        spread = fmax(spread, top - v[i]);
    if (mass_of(p, n) == 0 || spread == 0)
        return top;
    // below the grid Phi differs from Phi(0) by less than e^-90 of the spread
    const double step = 0.5, low = log(spread) - 90, high = log(spread) + 40;
    double best_w = low;
    long double least = INFINITY;
    for (double w = low; w <= high; w += step) {
        const long double excess = kl_excess(p, v, n, radius, expl(w));
        if (excess < least) {
            least = excess;
            best_w = w;
        }
    }
    least =
        fminl(golden(p, v, n, radius, best_w - step, best_w + step), kl_excess(p, v, n, radius, 0));
    return (double)(top + least);
}

// ---- projection ----

bool naive_project(const double *limit, int32_t n, double *v)
{
    for (int32_t round = 0; round < n; round++) {
        bool changed = false;
        for (int32_t x = 0; x < n; x++)
            for (int32_t y = 0; y < n; y++)
                if (limit[x * n + y] + v[y] < v[x] - 1e-10) {
                    v[x] = limit[x * n + y] + v[y];
                    changed = true;
                }
        if (!changed)
            return true;
    }
    return false;
}

// ---- value iteration ----

double naive_evi_pair(const naive_evi *evi, int32_t state, int32_t action, const double *u)
{
    const int32_t n = evi->states, z = state * evi->actions + action;
    const double *p = evi->p + z * n;
    const double best =
        evi->kl ? naive_max_kl(p, u, n, evi->radius[z]) : naive_max_l1(p, u, n, evi->radius[z]);
    if (mass_of(p, n) == 0)
        return evi->reward[z] + best;
    double mean = 0;
    for (int32_t y = 0; y < n; y++)
        mean += p[y] * u[y];
    return evi->reward[z] + fmin(best, mean + evi->mitigation[z]);
}

void naive_evi_sweep(const naive_evi *evi, const double *u, double *v)
{
    for (int32_t s = 0; s < evi->states; s++) {
        v[s] = -INFINITY;
        for (int32_t a = 0; a < evi->actions; a++)
            v[s] = fmax(v[s], naive_evi_pair(evi, s, a, u));
    }
    if (evi->constrained)
        naive_project(evi->limit, evi->states, v);
}

double naive_evi_solve(const naive_evi *evi, double precision, double *u)
{
    double v[NAIVE_EVI_STATES];
    memset(u, 0, (size_t)evi->states * sizeof *u);
    for (int sweep = 0; sweep < 1000000; sweep++) {
        naive_evi_sweep(evi, u, v);
        double low = INFINITY, high = -INFINITY, least = INFINITY;
        for (int32_t s = 0; s < evi->states; s++) {
            low = fmin(low, v[s] - u[s]);
            high = fmax(high, v[s] - u[s]);
            least = fmin(least, (u[s] + v[s]) / 2);
        }
        for (int32_t s = 0; s < evi->states; s++)
            u[s] = (u[s] + v[s]) / 2 - least;
        if (high - low < precision)
            return (low + high) / 2;
    }
    return NAN;
}

// ---- policies and kernels, one by one ----

static void square(double *m, int32_t n)
{
    double product[NAIVE_EVI_STATES * NAIVE_EVI_STATES];
    for (int32_t i = 0; i < n; i++) {
        double sum = 0;
        for (int32_t j = 0; j < n; j++) {
            product[i * n + j] = 0;
            for (int32_t k = 0; k < n; k++)
                product[i * n + j] += m[i * n + k] * m[k * n + j];
            sum += product[i * n + j];
        }
        for (int32_t j = 0; j < n; j++)
            product[i * n + j] /= sum;
    }
    memcpy(m, product, (size_t)(n * n) * sizeof *m);
}

// the lazy chain has the same gain and a limit, which squaring finds
double naive_kernel_gain(const double *kernel, const double *reward, int32_t states)
{
    double m[NAIVE_EVI_STATES * NAIVE_EVI_STATES];
    for (int32_t i = 0; i < states * states; i++)
        m[i] = (kernel[i] + (i % (states + 1) == 0)) / 2;
    for (int i = 0; i < 50; i++)
        square(m, states);
    double best = -INFINITY;
    for (int32_t s = 0; s < states; s++) {
        double gain = 0;
        for (int32_t y = 0; y < states; y++)
            gain += m[s * states + y] * reward[y];
        best = fmax(best, gain);
    }
    return best;
}

// the permutation of number k, states in order of preference
static void order_of(int32_t k, int32_t n, int32_t *order)
{
    for (int32_t i = 0; i < n; i++) {
        const int32_t at = k % (i + 1);
        k /= i + 1;
        for (int32_t j = i; j > at; j--)
            order[j] = order[j - 1];
        order[at] = i;
    }
}

static void extreme_point(const double *p, double radius, int32_t n, int32_t k, double *q)
{
    int32_t order[NAIVE_EVI_STATES];
    order_of(k, n, order);
    memcpy(q, p, (size_t)n * sizeof *q);
    double mass = fmin(radius / 2, 1 - p[order[0]]);
    q[order[0]] += mass;
    for (int32_t i = n - 1; i > 0; i--) {
        const double taken = fmin(mass, p[order[i]]);
        q[order[i]] -= taken;
        mass -= taken;
    }
}

// counts digit by digit; false after the last combination
static bool next_combination(int32_t *digit, int32_t n, int32_t base)
{
    for (int32_t i = 0; i < n; i++) {
        if (++digit[i] < base)
            return true;
        digit[i] = 0;
    }
    return false;
}

double naive_evi_enumerate(const naive_evi *evi)
{
    const int32_t n = evi->states;
    int32_t orders = 1;
    for (int32_t i = 2; i <= n; i++)
        orders *= i;
    // a digit per state: the action and the order
    int32_t digit[NAIVE_EVI_STATES] = {0};
    double kernel[NAIVE_EVI_STATES * NAIVE_EVI_STATES] = {0}, reward[NAIVE_EVI_STATES] = {0};
    double best = -INFINITY;
    do {
        for (int32_t s = 0; s < n; s++) {
            const int32_t z = s * evi->actions + digit[s] / orders;
            reward[s] = evi->reward[z];
            extreme_point(evi->p + z * n, evi->radius[z], n, digit[s] % orders, kernel + s * n);
        }
        best = fmax(best, naive_kernel_gain(kernel, reward, n));
    } while (next_combination(digit, n, evi->actions * orders));
    return best;
}
