// SPDX-License-Identifier: MIT
// Drawing from a fixed discrete law: Walker's alias method with a table built as by Vose (1991),
// and the plain inverse of the distribution function.
//
// With weights w_i of mean 1 (scaled), entry i owns cell i. A light cell (w_i < 1) is filled up
// with mass of a heavy entry (w_j >= 1), whose rest is w_j - (1 - w_i); when the rest falls below 1
// the heavy entry's own cell is a light one in turn, filled by the next heavy entry. Light and
// heavy entries are both met in rising order, so one rest is all that is kept: the build takes O(n)
// time and no memory beside the n cells of 16 bytes. A draw is one random number: u n = (cell,
// position in the cell) as a 128-bit product. A full cell has keep = other, so no threshold of
// exactly 1 is needed.

#include <math.h>

#include "core/alias.h"
#include "core/alloc.h"
#include "core/error.h"

struct lgkt_alias {
    lgkt_allocator allocator;
    int32_t n;
    lgkt_alias_cell cells[]; // (n)
};

// ---- building ----

// The weights, seen with mean 1.
typedef struct scaled_law {
    const double *weights; // (n)
    int32_t n;
    int32_t top;  // a largest weight
    double scale; // weights * (1 / largest) * scale have mean 1
} scaled_law;

static scaled_law scale_law(const double *weights, int32_t n)
{
    scaled_law law = {.weights = weights, .n = n};
    for (int32_t i = 1; i < n; i++) {
        if (weights[i] > weights[law.top])
            law.top = i;
    }
    // the sum of the weights may overflow, that of their ratios to the largest cannot
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++)
        sum += weights[i] / weights[law.top];
    law.scale = n / sum;
    return law;
}

static double scaled(const scaled_law *law, int32_t i)
{
    return law->weights[i] / law->weights[law->top] * law->scale;
}

// The first entry from `i` on that is heavy (or light), n if there is none.
static int32_t seek(const scaled_law *law, int32_t i, bool heavy)
{
    while (i < law->n && (scaled(law, i) >= 1.0) != heavy)
        i++;
    return i;
}

static void split_cell(lgkt_alias_cell *cells, int32_t i, double share, int32_t filler)
{
    cells[i].threshold = (uint64_t)(share * 0x1p64);
    cells[i].other = filler;
}

void lgkt_alias_fill(lgkt_alias_cell *cells, const double *weights, int32_t n)
{
    const scaled_law law = scale_law(weights, n);
    // cells that rounding leaves over below are full, but never with an entry of weight 0
    for (int32_t i = 0; i < n; i++) {
        const int32_t entry = weights[i] > 0.0 ? i : law.top;
        cells[i] = (lgkt_alias_cell){.keep = entry, .other = entry};
    }
    int32_t light = seek(&law, 0, false), heavy = seek(&law, 0, true);
    double rest = heavy < n ? scaled(&law, heavy) : 0.0;
    while (light < n && heavy < n) {
        const double share = scaled(&law, light);
        split_cell(cells, light, share, heavy);
        rest = (rest + share) - 1.0;
        light = seek(&law, light + 1, false);
        while (rest < 1.0 && heavy < n) {
            const int32_t next = seek(&law, heavy + 1, true);
            if (next < n) {
                split_cell(cells, heavy, rest < 0.0 ? 0.0 : rest, next);
                rest = (rest + scaled(&law, next)) - 1.0;
            }
            heavy = next;
        }
    }
}

// ---- public ----

static lgkt_status check_weights(const double *weights, int32_t n, lgkt_error *error)
{
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) {
        if (!isfinite(weights[i]))
            return lgkt_fail(error, LGKT_ERR_NOT_FINITE, "weight %d is %g, not a number >= 0",
                             (int)i, weights[i]);
        if (weights[i] < 0.0)
            return lgkt_fail(error, LGKT_ERR_PROBABILITY, "weight %d is %g, must be >= 0", (int)i,
                             weights[i]);
        largest = fmax(largest, weights[i]);
    }
    if (!(largest > 0.0))
        return lgkt_fail(error, LGKT_ERR_PROBABILITY, "all %d weights are 0", (int)n);
    return LGKT_OK;
}

lgkt_status lgkt_alias_create(const double *weights, int32_t n, const lgkt_allocator *allocator,
                              lgkt_alias **alias, lgkt_error *error)
{
    if (weights == NULL || alias == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s is NULL",
                         weights == NULL ? "weights" : "alias");
    if (n < 1)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "n = %d weights, must be at least 1", (int)n);
    const lgkt_status status = check_weights(weights, n, error);
    if (status != LGKT_OK)
        return status;

    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    // one block: the head takes the place of the first few cells
    const size_t head =
        (sizeof(lgkt_alias) + sizeof(lgkt_alias_cell) - 1) / sizeof(lgkt_alias_cell);
    lgkt_alias *made = lgkt_alloc_zeroed(&hooks, head + (size_t)n, sizeof(lgkt_alias_cell));
    if (made == NULL)
        return lgkt_fail_memory(error, "an alias table");
    made->allocator = hooks;
    made->n = n;
    lgkt_alias_fill(made->cells, weights, n);
    *alias = made;
    return LGKT_OK;
}

void lgkt_alias_destroy(lgkt_alias *alias)
{
    if (alias != NULL) {
        const lgkt_allocator hooks = alias->allocator;
        lgkt_free(&hooks, alias);
    }
}

int32_t lgkt_alias_sample(const lgkt_alias *alias, lgkt_rng *rng)
{
    return lgkt_alias_pick(alias->cells, alias->n, lgkt_rng_next(rng));
}

int32_t lgkt_sample_index(const double *p, int32_t n, double u)
{
    double sum = 0.0;
    for (int32_t j = 0; j < n - 1; j++) {
        sum += p[j];
        if (sum > u)
            return j;
    }
    return n - 1;
}
