// SPDX-License-Identifier: MIT
// Bins between edges, which are given or come from the quantiles of what was seen first.
//
// The n edges e_1 < .. < e_n of a number make n + 1 bins; x is in the bin whose number is that of
// the edges <= x. So infinities are in the end bins, and -0.0 is where 0.0 is.
//
// Quantiles: of the first `warmup` vectors, sorted for each number as x_0 <= .. <= x_{m-1}, edge j
// of n is x_i with i = floor(j m / (n + 1)), so that the bins hold equal shares. Edges that are
// not finite, equal to one before, or equal to the least number seen (nothing is below it) are
// left out: a number that hardly changes has fewer bins. From then on they stay, and it is as if
// they had been given.
//
// O(log n) per number; O(m log m) once, where the edges come to be.
#include "core/bins.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/sized.h"

// ---- making ----

static bool edges_fit(const double *edges, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (!isfinite(edges[i]) || (i > 0 && !(edges[i] > edges[i - 1])))
            return false;
    return true;
}

static int32_t most_of(const int32_t *cuts, int32_t dims)
{
    int32_t most = 0;
    for (int32_t d = 0; d < dims; d++)
        most = cuts[d] > most ? cuts[d] : most;
    return most;
}

static lgkt_status check(const lgkt_view *view, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_setting("view.dims", view->dims, 1, LGKT_BINS_DIMS, error));
    if (view->kinds != NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "view.kinds must be NULL where there are bins: these are of numbers");
    LGKT_TRY(lgkt_sized_reserved(view->reserved, sizeof view->reserved / sizeof *view->reserved,
                                 "view", error));
    if (view->cuts == NULL)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "view.cuts must not be NULL");
    const double *edges = view->edges;
    for (int32_t d = 0; d < view->dims; d++) {
        const int32_t cuts = view->cuts[d];
        if (cuts < 0 || cuts > LGKT_BINS_CUTS)
            return lgkt_fail(error, LGKT_ERR_CONFIG, "view.cuts[%d] = %d must be in [0, %d]", d,
                             cuts, LGKT_BINS_CUTS);
        if (edges != NULL && !edges_fit(edges, cuts))
            return lgkt_fail(error, LGKT_ERR_CONFIG,
                             "the edges of number %d of a view must be finite and increase", d);
        edges = edges != NULL ? edges + cuts : NULL;
    }
    if (view->edges != NULL)
        return LGKT_OK;
    const int64_t least = most_of(view->cuts, view->dims) + 1;
    const int64_t most = LGKT_BINS_SAMPLE / view->dims;
    if (view->warmup < least || view->warmup > most)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "view.warmup = %lld must be in [%lld, %lld]: edges come from quantiles, "
                         "and each bin needs an observation",
                         (long long)view->warmup, (long long)least, (long long)most);
    return LGKT_OK;
}

// bins of a shape that was checked: dims, warmup and cuts; NULL when memory is out
static lgkt_bins *make(const lgkt_bins *shape, const lgkt_allocator *allocator)
{
    size_t count = 0;
    for (int32_t d = 0; d < shape->dims; d++)
        count += (size_t)shape->cuts[d];
    const size_t numbers = count + (size_t)(shape->dims * shape->warmup);
    lgkt_bins *bins = lgkt_alloc_zeroed(allocator, 1, sizeof *bins + numbers * sizeof(double));
    if (bins == NULL)
        return NULL;
    *bins = *shape;
    bins->seen = 0;
    bins->sample = bins->edges + count;
    return bins;
}

lgkt_status lgkt_bins_create(const lgkt_view *view, const lgkt_allocator *allocator,
                             lgkt_bins **bins, lgkt_error *error)
{
    LGKT_TRY(check(view, error));
    lgkt_bins shape = {.dims = view->dims, .warmup = view->edges == NULL ? view->warmup : 0};
    memcpy(shape.cuts, view->cuts, (size_t)view->dims * sizeof *view->cuts);
    lgkt_bins *made = make(&shape, allocator);
    if (made == NULL)
        return lgkt_fail_memory(error, "a view");
    // adding 0 turns -0.0 into 0.0
    for (double *edge = made->edges; view->edges != NULL && edge < made->sample; edge++)
        *edge = view->edges[edge - made->edges] + 0;
    *bins = made;
    return LGKT_OK;
}

// ---- looking up ----

int32_t lgkt_bins_nan(const lgkt_bins *bins, const double *values)
{
    for (int32_t d = 0; d < bins->dims; d++)
        if (isnan(values[d]))
            return d;
    return -1;
}

// how many edges are at most x
static int32_t bin_of(const double *edges, int32_t count, double x)
{
    int32_t below = 0;
    while (count > 0) {
        const int32_t half = count / 2;
        const bool right = edges[below + half] <= x;
        below += right ? half + 1 : 0;
        count = right ? count - half - 1 : half;
    }
    return below;
}

size_t lgkt_bins_key(const lgkt_bins *bins, const double *values, unsigned char key[LGKT_BINS_KEY])
{
    if (bins->warmup > 0)
        return 0;
    const double *edges = bins->edges;
    for (int32_t d = 0; d < bins->dims; d++) {
        const int32_t bin = bin_of(edges, bins->cuts[d], values[d]);
        key[2 * d] = (unsigned char)bin;
        key[2 * d + 1] = (unsigned char)(bin >> 8);
        edges += bins->cuts[d];
    }
    return 2 * (size_t)bins->dims;
}

int32_t lgkt_bins_number(const lgkt_bins *bins, const double *values)
{
    int32_t number = 0;
    const double *edges = bins->edges;
    for (int32_t d = 0; d < bins->dims && bins->warmup == 0; d++) {
        number = number * (bins->cuts[d] + 1) + bin_of(edges, bins->cuts[d], values[d]);
        edges += bins->cuts[d];
    }
    return number;
}

int64_t lgkt_bins_count(const lgkt_bins *bins, int64_t limit)
{
    int64_t count = 1;
    for (int32_t d = 0; d < bins->dims && count <= limit; d++)
        count *= bins->cuts[d] + 1;
    return count;
}

// ---- quantiles ----

void lgkt_sort(double *x, int64_t n)
{
    for (int64_t turn = n / 2 + n - 1; turn > 0; turn--) {
        // first every inner node sinks, the last one first; then what stood at the end, from the
        // top
        const bool builds = turn >= n;
        const int64_t end = builds ? n : turn;
        int64_t at = builds ? turn - n : 0;
        const double sinking = x[builds ? at : end];
        if (!builds)
            x[end] = x[0];
        for (int64_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
            child += child + 1 < end && x[child + 1] > x[child];
            if (x[child] <= sinking)
                break;
            x[at] = x[child];
            at = child;
        }
        x[at] = sinking;
    }
}

static void freeze(lgkt_bins *bins)
{
    const int64_t m = bins->warmup;
    double *edge = bins->edges;
    for (int32_t d = 0; d < bins->dims; d++) {
        double *x = bins->sample + d * m;
        const int32_t asked = bins->cuts[d];
        const double *first = edge;
        lgkt_sort(x, m);
        double last = x[0];
        for (int64_t j = 1; j <= asked; j++) {
            const double quantile = x[j * m / (asked + 1)];
            if (quantile > last && isfinite(quantile))
                last = *edge++ = quantile;
        }
        bins->cuts[d] = (int32_t)(edge - first);
    }
    bins->warmup = bins->seen = 0;
}

void lgkt_bins_note(lgkt_bins *bins, const double *values)
{
    if (bins->warmup == 0)
        return;
    for (int32_t d = 0; d < bins->dims; d++)
        bins->sample[d * bins->warmup + bins->seen] = values[d] + 0;
    if (++bins->seen == bins->warmup)
        freeze(bins);
}

// ---- saving ----

void lgkt_bins_visit(lgkt_bins **bins, lgkt_archive *archive, const lgkt_allocator *allocator)
{
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    lgkt_bins shape = {.dims = 0};
    if (!loads)
        shape = **bins;
    lgkt_visit_i32(archive, &shape.dims, 1, 1, LGKT_BINS_DIMS);
    if (archive->bad)
        return;
    const int32_t dims = shape.dims, *cuts = shape.cuts;
    lgkt_visit_i32(archive, shape.cuts, (size_t)dims, 0, LGKT_BINS_CUTS);
    lgkt_visit_i64(archive, &shape.warmup, 1, 0, LGKT_BINS_SAMPLE / dims);
    if (archive->bad)
        return;
    const int64_t warmup = shape.warmup;
    const size_t sample = (size_t)(dims * warmup);
    if (loads) {
        // no more memory than in proportion to the saved state; edges to come are below a sample
        size_t words = sample;
        for (int32_t d = 0; d < dims && warmup == 0; d++)
            words += (size_t)cuts[d];
        archive->bad |= words > (archive->capacity - archive->at) / 8 ||
                        (warmup > 0 && most_of(cuts, dims) >= warmup);
        if (!archive->bad && (*bins = make(&shape, allocator)) == NULL)
            lgkt_archive_starve(archive);
        if (archive->bad)
            return;
    }
    lgkt_bins *b = *bins;
    if (warmup > 0)
        lgkt_visit_i64(archive, &b->seen, 1, 0, warmup - 1);
    lgkt_visit_real(archive, b->sample, sample);
    for (size_t i = 0; i < sample; i++)
        archive->bad |= isnan(b->sample[i]);
    double *edges = b->edges;
    for (int32_t d = 0; d < dims && warmup == 0; d++) {
        lgkt_visit_real(archive, edges, (size_t)cuts[d]);
        archive->bad |= !edges_fit(edges, cuts[d]);
        edges += cuts[d];
    }
    if (loads && archive->bad) {
        lgkt_free(allocator, b);
        *bins = NULL;
    }
}
