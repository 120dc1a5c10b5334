// SPDX-License-Identifier: MIT
// IMED-RL, plainly.

#include "ref/naive_imed.h"

#include <math.h>

static double objective(const double *v, const double *p, size_t n, double gam, double x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += p[i] > 0 ? p[i] * log1p(-(v[i] - gam) * x) : 0;
    return isnan(sum) ? -INFINITY : sum;
}

double naive_imed_k(const double *v, const double *p, size_t n, double gam, double top)
{
    double a = 0, b = 1 / (top - gam);
    const double share = (sqrt(5) - 1) / 2;
    for (int i = 0; i < 200; i++) {
        const double left = b - share * (b - a), right = a + share * (b - a);
        if (objective(v, p, n, gam, left) > objective(v, p, n, gam, right))
            b = right;
        else
            a = left;
    }
    return objective(v, p, n, gam, (a + b) / 2);
}

void naive_imed_see(naive_imed *m, int32_t s, int32_t a, double reward, int32_t next, bool ended)
{
    m->rewards[s][a][m->n[s][a]++] = reward;
    m->c[s][a][next] += !ended;
    m->top = fmax(m->top, reward);
}

static double mean_of(const naive_imed *m, int32_t s, int32_t a)
{
    double sum = (m->low + m->high) / 2;
    for (int32_t i = 0; i < m->n[s][a]; i++)
        sum += m->rewards[s][a][i];
    return sum / (m->n[s][a] + 1);
}

// probability of a next state, with or without the pseudo-observation
static double row_of(const naive_imed *m, int32_t s, int32_t a, int32_t y, bool smooth)
{
    int32_t moves = 0;
    for (int32_t i = 0; i < m->states; i++)
        moves += m->c[s][a][i];
    if (!smooth && moves > 0)
        return (double)m->c[s][a][y] / moves;
    return (m->c[s][a][y] + 1.0 / m->states) / (moves + 1);
}

static bool in_skeleton(const naive_imed *m, int32_t s, int32_t a)
{
    int32_t most = 0;
    for (int32_t b = 0; b < m->actions; b++)
        most = m->n[s][b] > most ? m->n[s][b] : most;
    return most == 0 || (m->n[s][a] > 0 && m->n[s][a] >= pow(log(most), 2));
}

static void plan(naive_imed *m)
{
    double v[NAIVE_IMED_STATES], gap;
    do {
        double least = INFINITY, low = INFINITY, high = -INFINITY;
        for (int32_t s = 0; s < m->states; s++) {
            v[s] = -INFINITY;
            for (int32_t a = 0; a < m->actions; a++) {
                double q = mean_of(m, s, a);
                for (int32_t y = 0; y < m->states; y++)
                    q += row_of(m, s, a, y, true) * m->phi[y];
                v[s] = in_skeleton(m, s, a) ? fmax(v[s], q) : v[s];
            }
            low = fmin(low, v[s] - m->phi[s]);
            high = fmax(high, v[s] - m->phi[s]);
            least = fmin(least, v[s]);
        }
        for (int32_t s = 0; s < m->states; s++)
            m->phi[s] = v[s] - least;
        gap = high - low;
    } while (gap >= m->precision);
}

void naive_imed_judge(naive_imed *m, int32_t s, double *index)
{
    static double v[NAIVE_IMED_STEPS * NAIVE_IMED_STATES], p[NAIVE_IMED_STEPS * NAIVE_IMED_STATES];
    double mu[NAIVE_IMED_ACTIONS], gam = -INFINITY, span = 0;
    plan(m);
    for (int32_t y = 0; y < m->states; y++)
        span = fmax(span, m->phi[y]);
    for (int32_t a = 0; a < m->actions; a++) {
        mu[a] = mean_of(m, s, a);
        for (int32_t y = 0; y < m->states; y++)
            mu[a] += row_of(m, s, a, y, m->smooth) * m->phi[y];
        gam = fmax(gam, mu[a]);
    }
    const double top = m->top + span;
    const double log_u = log((top - m->low) / (m->high - m->low));
    for (int32_t a = 0; a < m->actions; a++) {
        const int32_t n = m->n[s][a];
        index[a] = log(n);
        if (mu[a] >= gam - 1e-12)
            continue;
        size_t count = 0;
        for (int32_t i = 0; i <= n; i++)
            for (int32_t y = 0; y < m->states; y++, count++) {
                const double r = i < n ? m->rewards[s][a][i] : (m->low + m->high) / 2;
                v[count] = r + m->phi[y];
                p[count] = row_of(m, s, a, y, m->smooth) / (n + 1);
            }
        const double k = naive_imed_k(v, p, count, gam, top), x = k + log_u;
        index[a] = m->index == 0 ? n * k + log(n) : m->index == 1 ? n * x + log(n) : n * x + log(x);
    }
}
