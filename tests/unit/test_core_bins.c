// SPDX-License-Identifier: MIT
// Bins against a search one by one and quantiles against a plain sort, odd numbers, and saved bins
// that are damaged or made up.

#include "test.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/bins.h"
#include "core/hash.h"
#include "lgkt/rng.h"
#include "ref/fault.h"

static const lgkt_allocator PLAIN = {0};

static lgkt_bins *make(const lgkt_view *view)
{
    lgkt_bins *bins = NULL;
    lgkt_error error = {0};
    const lgkt_allocator allocator = lgkt_allocator_resolve(&PLAIN);
    assert_ok(lgkt_bins_create(view, &allocator, &bins, &error), error);
    return bins;
}

static void destroy(lgkt_bins *bins)
{
    const lgkt_allocator allocator = lgkt_allocator_resolve(&PLAIN);
    lgkt_free(&allocator, bins);
}

static int32_t bin_at(const unsigned char *key, int32_t d)
{
    return key[2 * d] | key[2 * d + 1] << 8;
}

// ---- given edges ----

// the edges counted one by one
static int32_t naive_bin(const double *edges, int32_t cuts, double x)
{
    int32_t bin = 0;
    for (int32_t i = 0; i < cuts; i++)
        bin += edges[i] <= x;
    return bin;
}

static void test_bins_are_counted_edges(void **state)
{
    (void)state;
    enum { DIMS = 7, EDGES = 0 + 1 + 2 + 3 + 9 + 64 + 1000 };
    static const int32_t cuts[DIMS] = {0, 1, 2, 3, 9, 64, 1000};
    lgkt_rng rng = lgkt_rng_stream(1, "test", 0);
    double edges[EDGES];
    for (int32_t d = 0, i = 0; d < DIMS; d++) {
        double at = -3;
        for (int32_t j = 0; j < cuts[d]; j++)
            edges[i++] = at += (6.0 / cuts[d]) * (0.01 + lgkt_rng_uniform(&rng));
    }
    lgkt_bins *bins = make(&(lgkt_view){.dims = DIMS, .cuts = cuts, .edges = edges});
    assert_true(lgkt_bins_count(bins, INT64_MAX / 2000) == 2 * 3 * 4 * 10 * 65 * 1001);
    assert_true(lgkt_bins_count(bins, 100) > 100);
    for (int t = 0; t < 5000; t++) {
        double values[DIMS];
        unsigned char key[LGKT_BINS_KEY];
        for (int d = 0; d < DIMS; d++)
            values[d] =
                t % 3 == 0 ? edges[lgkt_rng_below(&rng, EDGES)] : 8 * lgkt_rng_uniform(&rng) - 4;
        values[lgkt_rng_below(&rng, DIMS)] = t % 2 ? INFINITY : -INFINITY;
        assert_int_equal(lgkt_bins_key(bins, values, key), 2 * DIMS);
        const double *own = edges;
        int32_t number = 0;
        for (int d = 0; d < DIMS; own += cuts[d], d++) {
            const int32_t bin = naive_bin(own, cuts[d], values[d]);
            assert_int_equal(bin_at(key, d), bin);
            number = number * (cuts[d] + 1) + bin;
        }
        assert_int_equal(lgkt_bins_number(bins, values), number);
    }
    destroy(bins);
}

static void test_odd_numbers(void **state)
{
    (void)state;
    const int32_t cuts[] = {3, 1};
    const double edges[] = {-1, -0.0, 1, 0.0};
    lgkt_bins *bins = make(&(lgkt_view){.dims = 2, .cuts = cuts, .edges = edges});
    static const struct {
        double values[2];
        int32_t number;
    } cases[] = {
        {{0.0, 0.0}, 5},     {{-0.0, -0.0}, 5},  {{-0x1p-1074, -0x1p-1074}, 2},
        {{-INFINITY, 0}, 1}, {{INFINITY, 0}, 7}, {{INFINITY, -INFINITY}, 6},
        {{-1, 1e308}, 3},    {{1, -1e308}, 6},   {{-1.0000000000000002, 0}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(lgkt_bins_number(bins, cases[i].values), cases[i].number);
    assert_int_equal(lgkt_bins_nan(bins, (const double[]){0, INFINITY}), -1);
    assert_int_equal(lgkt_bins_nan(bins, (const double[]){0, NAN}), 1);
    assert_int_equal(lgkt_bins_nan(bins, (const double[]){-NAN, NAN}), 0);
    destroy(bins);
}

static void test_bad_views(void **state)
{
    (void)state;
    const int32_t two[] = {2, 2}, negative[] = {1, -1}, many[] = {1, 65536};
    const double falling[] = {0, 1, 1, 1}, nan[] = {0, 1, NAN, 2}, infinite[] = {0, INFINITY, 0, 1};
    const struct {
        lgkt_view view;
        const char *words;
    } cases[] = {
        {{.dims = -1, .cuts = two, .warmup = 9}, "view.dims = -1"},
        {{.dims = 65, .cuts = two, .warmup = 9}, "in [1, 64]"},
        {{.dims = 2, .warmup = 9}, "view.cuts must not be NULL"},
        {{.dims = 2, .cuts = negative, .warmup = 9}, "view.cuts[1] = -1"},
        {{.dims = 2, .cuts = many, .warmup = 9}, "in [0, 65535]"},
        {{.dims = 2, .cuts = two, .edges = falling}, "edges of number 1"},
        {{.dims = 2, .cuts = two, .edges = nan}, "edges of number 1"},
        {{.dims = 2, .cuts = two, .edges = infinite}, "edges of number 0"},
        {{.dims = 2, .cuts = two, .warmup = 2}, "view.warmup = 2 must be in [3, 8388608]"},
        {{.dims = 2, .cuts = two, .warmup = 8388609}, "view.warmup = 8388609"},
        {{.dims = 2, .cuts = two}, "view.warmup = 0"},
    };
    const lgkt_allocator allocator = lgkt_allocator_resolve(&PLAIN);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lgkt_bins *bins = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_bins_create(&cases[i].view, &allocator, &bins, &error), LGKT_ERR_CONFIG,
                       error, cases[i].words);
        assert_null(bins);
    }
}

// ---- quantiles ----

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// the edges from a sorted copy, equal ones and the least number left out
static int32_t naive_quantiles(const double *sample, int m, int32_t cuts, double *edges)
{
    double *x = malloc((size_t)m * sizeof *x);
    assert_non_null(x);
    memcpy(x, sample, (size_t)m * sizeof *x);
    qsort(x, (size_t)m, sizeof *x, compare);
    int32_t count = 0;
    for (int64_t j = 1; j <= cuts; j++) {
        const double q = x[j * m / (cuts + 1)];
        bool fresh = isfinite(q) && q != x[0];
        for (int32_t i = 0; i < count; i++)
            fresh &= q != edges[i];
        if (fresh)
            edges[count++] = q;
    }
    free(x);
    return count;
}

// a number of a kind: spread out, few values, constant, with infinities, decreasing with time
static double draw(lgkt_rng *rng, int kind, int t)
{
    const double u = lgkt_rng_uniform(rng);
    switch (kind) {
    case 0:
        return u - 0.5;
    case 1:
        return floor(4 * u) - 2 == 0 && u < 0.6 ? -0.0 : floor(4 * u) - 2;
    case 2:
        return 7;
    case 3:
        return u < 0.3 ? -INFINITY : u > 0.6 ? INFINITY : u;
    default:
        return -t;
    }
}

static void check_quantiles(int m, int32_t most)
{
    enum { KINDS = 5, MOST = 300 };
    static double sample[KINDS][MOST];
    const int32_t cuts[KINDS] = {most, most, most, most, most};
    lgkt_bins *bins = make(&(lgkt_view){.dims = KINDS, .cuts = cuts, .warmup = m});
    lgkt_rng rng = lgkt_rng_stream(5, "test", (uint64_t)(1000 * m + most));
    unsigned char key[LGKT_BINS_KEY];
    for (int t = 0; t < m; t++) {
        double values[KINDS];
        for (int d = 0; d < KINDS; d++)
            values[d] = sample[d][t] = draw(&rng, d, t);
        assert_int_equal(bins->seen, t);
        assert_int_equal(lgkt_bins_key(bins, values, key), 0);
        assert_int_equal(lgkt_bins_number(bins, values), 0);
        lgkt_bins_note(bins, values);
    }
    assert_true(bins->warmup == 0);
    const double *edge = bins->edges;
    for (int d = 0; d < KINDS; d++) {
        double edges[MOST];
        const int32_t count = naive_quantiles(sample[d], m, most, edges);
        assert_int_equal(bins->cuts[d], count);
        for (int32_t i = 0; i < count; i++, edge++)
            assert_true(*edge == edges[i] && !(*edge == 0 && signbit(*edge)));
    }
    assert_int_equal(bins->cuts[2], 0);
    // different numbers fall into equal shares
    int32_t held[MOST] = {0};
    for (int t = 0; t < m; t++) {
        double values[KINDS];
        for (int d = 0; d < KINDS; d++)
            values[d] = sample[d][t];
        lgkt_bins_key(bins, values, key);
        held[bin_at(key, 4)]++;
        // the edges stay
        lgkt_bins_note(bins, values);
    }
    assert_int_equal(bins->cuts[4], most);
    for (int32_t i = 0; i <= most; i++)
        assert_in_range(held[i], m / (most + 1), m / (most + 1) + 1);
    destroy(bins);
}

static void test_quantiles(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 7, 10, 64, 100, 299, 300};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int32_t most = 0; most < sizes[i]; most += 1 + most / 3)
            check_quantiles(sizes[i], most);
}

// ---- memory and saving ----

static lgkt_status make_once(void *ctx, const lgkt_allocator *allocator, lgkt_error *error)
{
    lgkt_bins *bins = NULL;
    const lgkt_status status = lgkt_bins_create(ctx, allocator, &bins, error);
    lgkt_free(allocator, bins);
    return status;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    const int32_t cuts[] = {2, 1};
    const double edges[] = {0, 1, 0};
    lgkt_view view = {.dims = 2, .cuts = cuts, .edges = edges};
    assert_int_equal(fault_sweep(make_once, &view), 1);
    view = (lgkt_view){.dims = 2, .cuts = cuts, .warmup = 10};
    assert_int_equal(fault_sweep(make_once, &view), 1);
}

// at every point of a warm-up: the same bytes after loading, and the same edges in the end
static void test_saved_at_every_point(void **state)
{
    (void)state;
    enum { WARMUP = 12, ROOM = 400 };
    const int32_t cuts[] = {3, 2};
    const lgkt_allocator allocator = lgkt_allocator_resolve(&PLAIN);
    for (int cut = 0; cut <= WARMUP; cut++) {
        unsigned char bytes[ROOM], again[ROOM];
        lgkt_rng rng = lgkt_rng_stream(9, "test", 0);
        lgkt_bins *bins = make(&(lgkt_view){.dims = 2, .cuts = cuts, .warmup = WARMUP});
        lgkt_bins *copy = NULL;
        for (int t = 0; t < 2 * WARMUP; t++) {
            if (t == cut) {
                lgkt_archive out = lgkt_archive_save(bytes, ROOM);
                lgkt_bins_visit(&bins, &out, &allocator);
                lgkt_archive in = lgkt_archive_load(bytes, out.at);
                lgkt_bins_visit(&copy, &in, &allocator);
                assert_false(in.bad);
                assert_int_equal(in.at, out.at);
                lgkt_archive twice = lgkt_archive_save(again, ROOM);
                lgkt_bins_visit(&copy, &twice, &allocator);
                assert_int_equal(twice.at, out.at);
                assert_memory_equal(bytes, again, out.at);
            }
            const double values[] = {lgkt_rng_uniform(&rng), lgkt_rng_below(&rng, 2)};
            lgkt_bins_note(bins, values);
            if (copy != NULL)
                lgkt_bins_note(copy, values);
        }
        assert_int_equal(bins->cuts[0], 3);
        assert_int_equal(bins->cuts[1], 1);
        assert_memory_equal(bins->cuts, copy->cuts, sizeof cuts);
        assert_memory_equal(bins->edges, copy->edges, 4 * sizeof *bins->edges);
        destroy(bins);
        destroy(copy);
    }
}

// any word in place of any other: refused, or bins that can be used
static void test_made_up_bins(void **state)
{
    (void)state;
    enum { ROOM = 400 };
    const int32_t cuts[] = {3, 2};
    const double edges[] = {-1, 0, 1, 5, 6};
    static const double reals[] = {0, -0.0, 1, 1e308, INFINITY, -INFINITY, NAN};
    long refused = 0;
    for (int waits = 0; waits < 2; waits++) {
        const lgkt_view view = {
            .dims = 2, .cuts = cuts, .edges = waits ? NULL : edges, .warmup = waits ? 5 : 0};
        lgkt_bins *bins = make(&view);
        unsigned char bytes[ROOM];
        lgkt_archive out = lgkt_archive_save(bytes, ROOM);
        const lgkt_allocator plain = lgkt_allocator_resolve(&PLAIN);
        lgkt_bins_visit(&bins, &out, &plain);
        destroy(bins);
        for (size_t at = 0; at < out.at; at += 8)
            for (int v = 0; v < 78; v++) {
                unsigned char other[ROOM];
                memcpy(other, bytes, out.at);
                uint64_t word = v < 64 ? UINT64_C(1) << v : v < 71 ? (uint64_t)v - 64 : 0;
                if (v >= 71)
                    memcpy(&word, &reals[v - 71], sizeof word);
                lgkt_put_u64(other + at, word);
                fault f;
                fault_init(&f);
                f.limit = 1 << 16;
                const lgkt_allocator allocator = fault_allocator(&f);
                lgkt_archive in = lgkt_archive_load(other, out.at);
                lgkt_bins *loaded = NULL;
                lgkt_bins_visit(&loaded, &in, &allocator);
                assert_true((loaded == NULL) == in.bad && !in.starved);
                refused += in.bad;
                for (int t = 0; t < 6 && !in.bad; t++) {
                    double values[LGKT_BINS_DIMS] = {t, -t};
                    unsigned char key[LGKT_BINS_KEY];
                    lgkt_bins_note(loaded, values);
                    lgkt_bins_key(loaded, values, key);
                }
                lgkt_free(&allocator, loaded);
                assert_true(fault_is_clean(&f));
            }
    }
    assert_in_range(refused, 300, 1500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bins_are_counted_edges),
        cmocka_unit_test(test_odd_numbers),
        cmocka_unit_test(test_bad_views),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_saved_at_every_point),
        cmocka_unit_test(test_made_up_bins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
