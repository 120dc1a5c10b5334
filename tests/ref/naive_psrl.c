// SPDX-License-Identifier: MIT
// Posterior sampling from its history.
#include "ref/naive_psrl.h"

int64_t naive_psrl_visits(const naive_psrl *naive, int32_t pair, int64_t steps)
{
    int64_t visits = 0;
    for (int64_t t = 0; t < steps; t++)
        visits += naive->history[t].pair == pair;
    return visits;
}

int64_t naive_psrl_moves(const naive_psrl *naive, int32_t pair, int32_t next)
{
    int64_t moves = 0;
    for (int64_t t = 0; t < naive->steps; t++) {
        const naive_psrl_step *step = &naive->history[t];
        moves += step->pair == pair && step->next == next && !step->ended;
    }
    return moves;
}

// of a pair, or of all (-1)
static void moments(const naive_psrl *naive, int32_t pair, long double *n, long double *mean,
                    long double *squares)
{
    *n = *mean = *squares = 0;
    for (int64_t t = 0; t < naive->steps; t++)
        if (pair < 0 || naive->history[t].pair == pair) {
            *n += 1;
            *mean += naive->history[t].reward;
        }
    *mean = *n > 0 ? *mean / *n : 0;
    for (int64_t t = 0; t < naive->steps; t++)
        if (pair < 0 || naive->history[t].pair == pair) {
            const long double gap = naive->history[t].reward - *mean;
            *squares += gap * gap;
        }
}

naive_ng naive_psrl_ng(const naive_psrl *naive, int32_t pair, naive_ng prior)
{
    long double n, mean, squares;
    moments(naive, pair, &n, &mean, &squares);
    const long double k = prior.k + n, gap = mean - prior.m;
    const long double m = (prior.k * prior.m + n * mean) / k;
    const long double b = prior.b + squares / 2 + prior.k * n * gap * gap / (2 * k);
    return (naive_ng){(double)m, (double)k, (double)(prior.a + n / 2), (double)b};
}

naive_ng naive_psrl_free_prior(const naive_psrl *naive)
{
    long double n, mean, squares;
    moments(naive, -1, &n, &mean, &squares);
    return (naive_ng){(double)mean, 1, 1, (double)(squares / n)};
}

bool naive_psrl_tsde(const naive_psrl *naive)
{
    if (naive->draws == 0)
        return true;
    const int64_t t = naive->steps + 1, k = naive->draws - 1, t_k = naive->drawn_at[k] + 1;
    const int64_t before = k > 0 ? naive->drawn_at[k] - naive->drawn_at[k - 1] : 1;
    bool due = t > t_k + before;
    for (int32_t z = 0; z < naive->pairs; z++)
        due |= naive_psrl_visits(naive, z, naive->steps) >
               2 * naive_psrl_visits(naive, z, naive->drawn_at[k]);
    return due;
}

bool naive_psrl_doubling(const naive_psrl *naive, int32_t pair)
{
    if (naive->draws == 0)
        return true;
    const int64_t now = naive_psrl_visits(naive, pair, naive->steps);
    const int64_t then = naive_psrl_visits(naive, pair, naive->drawn_at[naive->draws - 1]);
    return now >= (then > 0 ? 2 * then : 1);
}
