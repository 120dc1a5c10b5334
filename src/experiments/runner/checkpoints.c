// SPDX-License-Identifier: MIT
// Checkpoints: half of them evenly spaced in log t (what happens early), half evenly spaced in t
// (what happens late), merged. Curves look smooth on a log axis and on a plain one.
//
//     log:    T^(i/H), i = 0 .. H        plain:  T i/H, i = 1 .. H        H = 100; both end at T
#include "experiments/runner/checkpoints.h"

#include <math.h>

#include "core/elementary.h"

#define ALL  EXP_MAX_CHECKPOINTS
#define HALF (ALL / 2)

// T^(i/n)
static int64_t log_time(int64_t horizon, int i, int n)
{
    return i >= n ? horizon : llround(lgkt_pow((double)horizon, (double)i / n));
}

// by the quotient and the rest, because horizon * i could overflow
static int64_t plain_time(int64_t horizon, int i)
{
    return horizon / HALF * i + horizon % HALF * i / HALF;
}

static int32_t all_times(int64_t horizon, int64_t *times)
{
    for (int64_t t = 1; t <= horizon; t++)
        times[t - 1] = t;
    return (int32_t)horizon;
}

int32_t exp_checkpoints(int64_t horizon, int64_t times[EXP_MAX_CHECKPOINTS])
{
    if (horizon <= ALL)
        return all_times(horizon, times);

    // merge the two increasing sequences, dropping what is there already
    int32_t count = 0;
    for (int i = 0, j = 1; i <= HALF || j <= HALF;) {
        const int64_t a = i <= HALF ? log_time(horizon, i, HALF) : INT64_MAX;
        const int64_t b = j <= HALF ? plain_time(horizon, j) : INT64_MAX;
        const int64_t t = a < b ? a : b;
        i += a == t;
        j += b == t;
        if (count == 0 || t > times[count - 1])
            times[count++] = t;
    }
    return count;
}

int32_t exp_log_checkpoints(int64_t horizon, int64_t times[EXP_MAX_CHECKPOINTS])
{
    if (horizon <= ALL)
        return all_times(horizon, times);
    int32_t count = 0;
    for (int i = 0; i < ALL; i++) {
        const int64_t t = log_time(horizon, i, ALL - 1);
        if (count == 0 || t > times[count - 1])
            times[count++] = t;
    }
    return count;
}
