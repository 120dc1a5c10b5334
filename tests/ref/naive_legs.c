// SPDX-License-Identifier: MIT
// Legs by looking back from every visit.
#include "ref/naive_legs.h"

// the last visit of y before time j, or the start of the piece less one
static int32_t last_visit(const naive_path *path, int32_t y, int32_t j)
{
    int32_t i = j - 1;
    while (i >= 0 && !path->cut[i] && path->states[i] != y)
        i--;
    return i;
}

naive_leg_sums naive_legs(const naive_path *path, int32_t x, int32_t y)
{
    naive_leg_sums sums = {0};
    for (int32_t j = 0; j <= path->steps; j++) {
        if (path->states[j] != y)
            continue;
        int32_t i = last_visit(path, y, j) + 1;
        while (i < j && path->states[i] != x)
            i++;
        if (i == j)
            continue;
        sums.n++;
        sums.duration += j - i;
        for (; i < j; i++)
            sums.reward += path->rewards[i];
    }
    return sums;
}

double naive_bias_difference(const naive_path *path, int32_t x, int32_t y, int64_t *legs)
{
    const naive_leg_sums there = naive_legs(path, x, y), back = naive_legs(path, y, x);
    *legs = x == y ? 0 : there.n + back.n;
    if (*legs == 0)
        return 0;
    double gain = 0;
    for (int32_t i = 0; i < path->steps; i++)
        gain += path->rewards[i] / path->steps;
    const double duration = (double)(there.duration - back.duration);
    return (there.reward - back.reward - gain * duration) / (double)*legs;
}
