// SPDX-License-Identifier: MIT
// Alias tables and the plain inverse: the law that a table stands for, and the draws from it.
//
// Each statistical check fails a right program with probability at most 1e-7 (ref/chance.h).

#include <float.h>

#include "core/alias.h"
#include "ref/chance.h"
#include "ref/fault.h"
#include "test.h"

#define MAX_N 3000

// ---- laws ----

typedef struct law {
    int32_t n;
    double weights[MAX_N]; // (n)
} law;

typedef enum law_kind {
    LAW_ONE,
    LAW_EQUAL,
    LAW_TWO_UNEQUAL,
    LAW_ZEROS,
    LAW_POINT,
    LAW_RISING,
    LAW_GEOMETRIC,
    LAW_HUGE,
    LAW_TINY,
    LAW_MIXED_SIZES,
    LAW_NEARLY_EQUAL,
    LAW_RANDOM,
    LAW_RANDOM_LARGE,
    LAW_ONE_HEAVY,
    LAW_KINDS
} law_kind;

static double weight(law_kind kind, int32_t i, lgkt_rng *rng)
{
    switch (kind) {
    case LAW_TWO_UNEQUAL:
        return i == 0 ? 0.1 : 0.9;
    case LAW_ZEROS:
        return i % 3 == 1 ? i : 0.0;
    case LAW_POINT:
        return i == 4;
    case LAW_RISING:
        return i + 1;
    case LAW_GEOMETRIC:
        return ldexp(1.0, -i);
    case LAW_HUGE:
        return DBL_MAX / (i + 1);
    case LAW_TINY:
        return i == 0 ? 0x1p-1074 : 3 * 0x1p-1074;
    case LAW_MIXED_SIZES:
        return pow(10.0, 40.0 * i - 300.0);
    case LAW_NEARLY_EQUAL:
        return 1.0 + (i % 5 - 2) * DBL_EPSILON;
    case LAW_RANDOM:
    case LAW_RANDOM_LARGE:
        return lgkt_rng_gamma(rng, 0.3);
    case LAW_ONE_HEAVY:
        return i == 1234 ? 0.5 : 0.5 / 2999;
    default:
        return 1.0;
    }
}

static void make_law(law_kind kind, law *made)
{
    const int32_t sizes[LAW_KINDS] = {1, 7, 2, 20, 9, 100, 200, 5, 4, 15, 49, 33, 3000, 3000};
    lgkt_rng rng = lgkt_rng_stream(1, "law", (uint64_t)kind);
    made->n = sizes[kind];
    for (int32_t i = 0; i < made->n; i++)
        made->weights[i] = weight(kind, i, &rng);
}

// The probabilities of a law: weights brought near 1 without rounding, added up by Kahan's method.
static void probabilities(const law *of, double *p)
{
    double largest = 0.0, sum = 0.0, lost = 0.0;
    int exponent;
    for (int32_t i = 0; i < of->n; i++)
        largest = fmax(largest, of->weights[i]);
    frexp(largest, &exponent);
    for (int32_t i = 0; i < of->n; i++) {
        p[i] = ldexp(of->weights[i], -exponent);
        const double term = p[i] - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    for (int32_t i = 0; i < of->n; i++)
        p[i] /= sum;
}

// ---- tables ----

// A number of cells, exactly: whole + parts 2^-64.
typedef struct mass {
    uint64_t whole, parts;
} mass;

static void add_parts(mass *to, uint64_t parts)
{
    to->parts += parts;
    to->whole += to->parts < parts;
}

// What the cells give to each entry, exactly.
static void table_law(const lgkt_alias_cell *cells, int32_t n, mass *masses)
{
    memset(masses, 0, (size_t)n * sizeof *masses);
    for (int32_t i = 0; i < n; i++) {
        const lgkt_alias_cell cell = cells[i];
        assert_true(cell.keep >= 0 && cell.keep < n && cell.other >= 0 && cell.other < n);
        add_parts(&masses[cell.keep], cell.threshold);
        // the rest of the cell: 2^64 - threshold
        if (cell.threshold == 0)
            masses[cell.other].whole++;
        else
            add_parts(&masses[cell.other], UINT64_MAX - cell.threshold + 1);
    }
}

static void tables_stand_for_their_law(void **state)
{
    (void)state;
    static law given;
    static lgkt_alias_cell cells[MAX_N];
    static double p[MAX_N];
    static mass masses[MAX_N];
    for (law_kind kind = 0; kind < LAW_KINDS; kind++) {
        make_law(kind, &given);
        lgkt_alias_fill(cells, given.weights, given.n);
        probabilities(&given, p);
        table_law(cells, given.n, masses);
        for (int32_t i = 0; i < given.n; i++) {
            const mass m = masses[i];
            const double share = ((double)m.whole + (double)m.parts * 0x1p-64) / given.n;
            assert_close(share, p[i], 1e-15 * sqrt(given.n));
            // an entry of weight 0 is in no cell at all
            if (given.weights[i] == 0.0)
                assert_true(m.whole == 0 && m.parts == 0);
        }
    }
}

static void draws_have_their_law(void **state)
{
    (void)state;
    static law given;
    static double p[MAX_N];
    const law_kind kinds[] = {LAW_ONE,    LAW_EQUAL, LAW_TWO_UNEQUAL, LAW_ZEROS,  LAW_POINT,
                              LAW_RISING, LAW_HUGE,  LAW_TINY,        LAW_RANDOM, LAW_NEARLY_EQUAL};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        static int64_t counts[MAX_N];
        memset(counts, 0, sizeof counts);
        make_law(kinds[k], &given);
        probabilities(&given, p);
        lgkt_alias *alias;
        lgkt_error error;
        assert_ok(lgkt_alias_create(given.weights, given.n, NULL, &alias, &error), error);
        lgkt_rng rng = lgkt_rng_stream(1, "alias", k);
        for (int i = 0; i < 100000; i++)
            counts[lgkt_alias_sample(alias, &rng)]++;
        lgkt_alias_destroy(alias);
        assert_true(chance_law_p_value(counts, p, (size_t)given.n) > CHANCE_LEVEL);
    }
}

static void a_draw_takes_one_number_and_reads_it_as_documented(void **state)
{
    (void)state;
    static law given;
    make_law(LAW_RANDOM, &given);
    lgkt_alias_cell cells[MAX_N];
    lgkt_alias_fill(cells, given.weights, given.n);
    lgkt_alias *alias;
    lgkt_error error;
    assert_ok(lgkt_alias_create(given.weights, given.n, NULL, &alias, &error), error);
    lgkt_rng rng = lgkt_rng_stream(4, "alias", 0), copy = rng;
    for (int i = 0; i < 10000; i++) {
        const uint64_t u = lgkt_rng_next(&copy);
        assert_int_equal(lgkt_alias_sample(alias, &rng), lgkt_alias_pick(cells, given.n, u));
    }
    assert_memory_equal(&rng, &copy, sizeof rng);
    // the first cell begins at u = 0, the last one ends at the largest u
    assert_int_equal(lgkt_alias_pick(cells, given.n, 0),
                     cells[0].threshold > 0 ? cells[0].keep : cells[0].other);
    assert_int_equal(lgkt_alias_pick(cells, given.n, UINT64_MAX), cells[given.n - 1].other);
    lgkt_alias_destroy(alias);
    // below the threshold, and not at it
    const lgkt_alias_cell one[] = {{.threshold = 5, .keep = 7, .other = 8}};
    assert_int_equal(lgkt_alias_pick(one, 1, 4), 7);
    assert_int_equal(lgkt_alias_pick(one, 1, 5), 8);
}

static void tables_own_what_they_need(void **state)
{
    (void)state;
    double weights[] = {0.0, 1.0, 0.0};
    lgkt_alias *alias;
    lgkt_error error;
    assert_ok(lgkt_alias_create(weights, 3, NULL, &alias, &error), error);
    weights[0] = 5.0;
    lgkt_rng rng = lgkt_rng_stream(5, "alias", 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(lgkt_alias_sample(alias, &rng), 1);
    lgkt_alias_destroy(alias);
    lgkt_alias_destroy(NULL);
}

static void bad_weights_are_refused(void **state)
{
    (void)state;
    double good[] = {1.0, 2.0}, zeros[] = {0.0, -0.0}, negative[] = {1.0, -1e-300};
    double nan_weight[] = {(double)NAN, 1.0}, infinite[] = {1.0, (double)INFINITY};
    lgkt_alias *alias = NULL;
    lgkt_error e;
    assert_refused(lgkt_alias_create(NULL, 2, NULL, &alias, &e), LGKT_ERR_ARGUMENT, e, "weights");
    assert_refused(lgkt_alias_create(good, 2, NULL, NULL, &e), LGKT_ERR_ARGUMENT, e, "alias");
    assert_refused(lgkt_alias_create(good, 0, NULL, &alias, &e), LGKT_ERR_ARGUMENT, e, "n = 0");
    assert_refused(lgkt_alias_create(good, -3, NULL, &alias, &e), LGKT_ERR_ARGUMENT, e, "n = -3");
    assert_refused(lgkt_alias_create(zeros, 2, NULL, &alias, &e), LGKT_ERR_PROBABILITY, e, "all 2");
    assert_refused(lgkt_alias_create(negative, 2, NULL, &alias, &e), LGKT_ERR_PROBABILITY, e,
                   "weight 1 is -1e-300");
    assert_refused(lgkt_alias_create(nan_weight, 2, NULL, &alias, &e), LGKT_ERR_NOT_FINITE, e,
                   "weight 0");
    assert_refused(lgkt_alias_create(infinite, 2, NULL, &alias, &e), LGKT_ERR_NOT_FINITE, e,
                   "weight 1");
    assert_int_equal(lgkt_alias_create(zeros, 2, NULL, &alias, NULL), LGKT_ERR_PROBABILITY);
    assert_null(alias);
}

static lgkt_status make_alias(void *ctx, const lgkt_allocator *hooks, lgkt_error *error)
{
    (void)ctx;
    const double weights[] = {1.0, 2.0, 3.0};
    lgkt_alias *alias = NULL;
    const lgkt_status status = lgkt_alias_create(weights, 3, hooks, &alias, error);
    lgkt_alias_destroy(alias);
    return status;
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    assert_int_equal(fault_sweep(make_alias, NULL), 1);
}

// ---- the plain inverse ----

// Counts the prefixes whose sum is at most u.
static int32_t naive_index(const double *p, int32_t n, double u)
{
    int32_t below = 0;
    for (int32_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (int32_t i = 0; i <= j; i++)
            sum += p[i];
        below += sum <= u;
    }
    return below < n ? below : n - 1;
}

static void the_inverse_agrees_with_the_slow_version(void **state)
{
    (void)state;
    static law given;
    double p[MAX_N];
    const law_kind kinds[] = {LAW_ONE, LAW_EQUAL, LAW_ZEROS, LAW_POINT, LAW_RANDOM};
    lgkt_rng rng = lgkt_rng_stream(1, "inverse", 0);
    for (int k = 0; k < 5; k++) {
        make_law(kinds[k], &given);
        probabilities(&given, p);
        for (int i = 0; i < 500; i++) {
            const double u = lgkt_rng_uniform(&rng);
            assert_int_equal(lgkt_sample_index(p, given.n, u), naive_index(p, given.n, u));
        }
    }
}

static void the_inverse_is_right_at_the_edges(void **state)
{
    (void)state;
    const double p[] = {0.0, 0.25, 0.0, 0.5, 0.25, 0.0};
    assert_int_equal(lgkt_sample_index(p, 6, 0.0), 1);
    assert_int_equal(lgkt_sample_index(p, 6, 0.25), 3); // strictly above u
    assert_int_equal(lgkt_sample_index(p, 6, nextafter(0.25, 0.0)), 1);
    assert_int_equal(lgkt_sample_index(p, 6, 0.75), 4);
    assert_int_equal(lgkt_sample_index(p, 6, 1.0 - 0x1p-53), 4);
    // no sum is above 1: the last, whatever its probability
    assert_int_equal(lgkt_sample_index(p, 6, 1.0), 5);
    assert_int_equal(lgkt_sample_index(p, 1, 0.9), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_stand_for_their_law),
        cmocka_unit_test(draws_have_their_law),
        cmocka_unit_test(a_draw_takes_one_number_and_reads_it_as_documented),
        cmocka_unit_test(tables_own_what_they_need),
        cmocka_unit_test(bad_weights_are_refused),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(the_inverse_agrees_with_the_slow_version),
        cmocka_unit_test(the_inverse_is_right_at_the_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
