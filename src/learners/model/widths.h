// SPDX-License-Identifier: MIT
// Confidence width w(n), exploration bonus b(n) and coin probability eps(n) by visit count.
//
// All three depend on an integer only, so they are tabulated once; learners with the same settings
// share one table (lgkt_learner_config.like). No step takes a logarithm or a root.
#pragma once

#include <stdatomic.h>

#include "lgkt/base.h"

typedef enum lgkt_index_form {
    LGKT_INDEX_PAPER,
    LGKT_INDEX_PRACTICAL,
    LGKT_INDEX_RELEASED,
    LGKT_INDEX_ROOT
} lgkt_index_form;
typedef enum lgkt_coin_form { LGKT_COIN_PAPER, LGKT_COIN_PRACTICAL } lgkt_coin_form;

// What the functions depend on.
typedef struct lgkt_widths_form {
    double width; // c in w(n) = sqrt(c ln(n+2)/(n+2))
    lgkt_index_form index;
    lgkt_coin_form coin;
    double p, eta;   // of the coin
    int64_t horizon; // T
} lgkt_widths_form;

typedef struct lgkt_width {
    double w, b, eps;
} lgkt_width;

typedef struct lgkt_widths {
    lgkt_width *table; // (count), entries n = 0 .. count-1
    int64_t count;
    lgkt_widths_form form;
    lgkt_allocator allocator;
    atomic_int owners;
} lgkt_widths;

// The table `like` (nullable) with one more owner if it has this form, else a new one; NULL when
// memory is out. The allocator is copied.
lgkt_widths *lgkt_widths_create(const lgkt_widths_form *form, lgkt_widths *like,
                                const lgkt_allocator *allocator);
// Accepts NULL.
void lgkt_widths_destroy(lgkt_widths *widths);
size_t lgkt_widths_bytes(const lgkt_widths *widths);

// The formulas themselves; n >= 0.
lgkt_width lgkt_width_of(const lgkt_widths_form *form, int64_t n);

static inline lgkt_width lgkt_width_at(const lgkt_widths *widths, int64_t n)
{
    return n < widths->count ? widths->table[n] : lgkt_width_of(&widths->form, n);
}
