// SPDX-License-Identifier: MIT
// Four numbers at a time: the lanes of values of several depths.
//
// Written with vectors of two numbers where the compiler has them, since SSE2 is part of every
// x86-64; elsewhere lane by lane. Each lane is computed on its own: results are the same bit for
// bit.
#ifndef LGKT_LEARNERS_PACK_H
#define LGKT_LEARNERS_PACK_H

#include <string.h>

#define LGKT_LANES 4

// LGKT_SAME(x) is x in each of the parts: a vector is not made from a number everywhere
#if defined(__GNUC__)
typedef double lgkt_two __attribute__((vector_size(2 * sizeof(double))));
#define LGKT_PACK_PARTS 2
#define LGKT_SAME(x)    ((lgkt_two){(x), (x)})
#else
typedef double lgkt_two;
#define LGKT_PACK_PARTS 4
#define LGKT_SAME(x)    (x)
#endif

typedef struct lgkt_pack {
    lgkt_two part[LGKT_PACK_PARTS];
} lgkt_pack;

static inline lgkt_pack lgkt_pack_zero(void)
{
    lgkt_pack x;
    memset(&x, 0, sizeof x);
    return x;
}

static inline lgkt_pack lgkt_pack_load(const double *from)
{
    lgkt_pack x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline void lgkt_pack_store(double *to, lgkt_pack x)
{
    memcpy(to, &x, sizeof x);
}

static inline lgkt_pack lgkt_pack_add(lgkt_pack x, lgkt_pack y)
{
    for (int i = 0; i < LGKT_PACK_PARTS; i++)
        x.part[i] += y.part[i];
    return x;
}

static inline lgkt_pack lgkt_pack_times(lgkt_pack x, double factor)
{
    for (int i = 0; i < LGKT_PACK_PARTS; i++)
        x.part[i] *= LGKT_SAME(factor);
    return x;
}

static inline lgkt_pack lgkt_pack_plus(lgkt_pack x, double more)
{
    for (int i = 0; i < LGKT_PACK_PARTS; i++)
        x.part[i] += LGKT_SAME(more);
    return x;
}

#endif
