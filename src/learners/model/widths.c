// SPDX-License-Identifier: MIT
// The formulas of widths.h, and their shared table.
//
//   width   w(n) = sqrt(c ln(n+2) / (n+2)),  c = 3 in the paper, 1 in its experiments
//   index   paper      b(n) = (3.4/n) sqrt((L(n) + ln(10 T)) / n),  L(n) = ln ln n, L(1) = 0
//           practical  b(n) = (3.428/(n+1)) sqrt((ln ln(n+2) + 2 ln(10 T)) / (n+1))
//           released   as practical, with 10^5 in place of 10 T
//           root       b(n) = sqrt(4 ln(T) / n), with which Theorem F.1 holds (docs/theory.md)
//   coin    paper      eps(n) = min(1, 1/((n+1)^p min(eta, 1/2)))
//           practical  eps(n) = 1/(1 + (n+1)^p)
//
// The paper prints ln ln n, which is undefined at n = 1 only: hence L(1). Its b(0) is +infinity.
//
// Memory: 24 bytes per count up to T, at most LGKT_WIDTH_TABLE entries; beyond that the same formula
// is evaluated on the spot, so that results do not depend on the limit.

#include "learners/model/widths.h"

#include <math.h>

#include "core/alloc.h"
#include "core/elementary.h"

// set by builds for small machines; 0: there is no table
#ifndef LGKT_WIDTH_TABLE
#define LGKT_WIDTH_TABLE (INT64_C(1) << 20)
#endif

lgkt_width lgkt_width_of(const lgkt_widths_form *form, int64_t count)
{
    const double n = (double)count, power = lgkt_pow(n + 1, form->p);
    lgkt_width width = {.w = sqrt(form->width * lgkt_log(n + 2) / (n + 2)), .eps = 1 / (1 + power)};
    if (form->coin == LGKT_COIN_PAPER)
        width.eps = fmin(1, 1 / (power * fmin(form->eta, 0.5)));
    const double T = (double)form->horizon;
    if (form->index == LGKT_INDEX_PAPER) {
        const double loglog = n < 2 ? 0 : lgkt_log(lgkt_log(n));
        width.b = n < 1 ? INFINITY : 3.4 / n * sqrt((loglog + lgkt_log(10 * T)) / n);
    } else if (form->index == LGKT_INDEX_ROOT) {
        width.b = n < 1 ? INFINITY : sqrt(4 * lgkt_log(T) / n);
    } else {
        const double scale = form->index == LGKT_INDEX_RELEASED ? 1e5 : 10 * T;
        const double loglog = lgkt_log(lgkt_log(n + 2));
        width.b = 3.428 / (n + 1) * sqrt((loglog + 2 * lgkt_log(scale)) / (n + 1));
    }
    return width;
}

static bool has_form(const lgkt_widths *widths, const lgkt_widths_form *form)
{
    const lgkt_widths_form *own = &widths->form;
    return own->width == form->width && own->index == form->index && own->coin == form->coin &&
           own->p == form->p && own->eta == form->eta && own->horizon == form->horizon;
}

lgkt_widths *lgkt_widths_create(const lgkt_widths_form *form, lgkt_widths *like,
                                const lgkt_allocator *allocator)
{
    if (like != NULL && has_form(like, form)) {
        atomic_fetch_add_explicit(&like->owners, 1, memory_order_relaxed);
        return like;
    }
    const int64_t count = form->horizon < LGKT_WIDTH_TABLE ? form->horizon + 1 : LGKT_WIDTH_TABLE;
    lgkt_widths *widths = lgkt_alloc_zeroed(allocator, 1, sizeof *widths);
    lgkt_width *table = lgkt_alloc_zeroed(allocator, (size_t)count, sizeof *table);
    if (widths == NULL || table == NULL) {
        lgkt_free(allocator, widths);
        lgkt_free(allocator, table);
        return NULL;
    }
    for (int64_t n = 0; n < count; n++)
        table[n] = lgkt_width_of(form, n);
    *widths = (lgkt_widths){.table = table, .count = count, .form = *form, .allocator = *allocator};
    atomic_init(&widths->owners, 1);
    return widths;
}

void lgkt_widths_destroy(lgkt_widths *widths)
{
    if (widths == NULL || atomic_fetch_sub_explicit(&widths->owners, 1, memory_order_acq_rel) != 1)
        return;
    const lgkt_allocator allocator = widths->allocator;
    lgkt_free(&allocator, widths->table);
    lgkt_free(&allocator, widths);
}

size_t lgkt_widths_bytes(const lgkt_widths *widths)
{
    return sizeof *widths + (size_t)widths->count * sizeof *widths->table;
}
