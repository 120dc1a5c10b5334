// SPDX-License-Identifier: MIT
// The cells of an alias table, for code that keeps many tables in one array or has a draw at hand.
#ifndef LGKT_CORE_ALIAS_H
#define LGKT_CORE_ALIAS_H

#include "core/mix.h"
#include "lgkt/rng.h"

// One of n equally likely cells: `keep` with probability threshold 2^-64, else `other`.
typedef struct lgkt_alias_cell {
    uint64_t threshold;
    int32_t keep;
    int32_t other;
} lgkt_alias_cell;

// Fills the cells (n) of the law proportional to weights (n). No memory, no checks: the weights are
// finite, >= 0 and one is positive. An entry of weight 0 is never drawn.
void lgkt_alias_fill(lgkt_alias_cell *cells, const double *weights, int32_t n);

// The entry that 64 random bits u select: the high half of u*n is the cell, the low half decides.
static inline int32_t lgkt_alias_pick(const lgkt_alias_cell *cells, int32_t n, uint64_t u)
{
    uint64_t low;
    const lgkt_alias_cell *cell = &cells[lgkt_mul_high(u, (uint64_t)n, &low)];
    return low < cell->threshold ? cell->keep : cell->other;
}

#endif
