// SPDX-License-Identifier: MIT
// Reservation prices against roots found by bisection, and against the best of all ways to play a
// box (Weitzman's rule is not taken for granted).

#include "test.h"

#include <float.h>

#include "learners/auto/auto.h"

// where the table begins and ends
#define FIRST 0x1p-8
#define LAST  0x1p48

// ---- the root of x = N E[(X - x)+] ----

// E[(X - x)+] of a law of mean 0 and standard deviation 1
typedef double (*excess_fn)(double x);

static double normal_excess(double x)
{
    const double density = exp(-x * x / 2) / sqrt(2 * acos(-1));
    return density - x * (erfc(x / sqrt(2)) / 2);
}

// of E - 1, E exponential
static double exponential_excess(double x)
{
    return exp(-x - 1);
}

static double root(excess_fn excess, double n)
{
    double lo = 0, hi = 1;
    while (hi < n * excess(hi))
        hi *= 2;
    for (int i = 0; i < 200; i++) {
        const double x = lo + (hi - lo) / 2;
        if (x < n * excess(x))
            lo = x;
        else
            hi = x;
    }
    return lo;
}

typedef struct law {
    double (*price)(double n);
    excess_fn excess;
    double within; // relative error, of the table as a whole
} law;

static const law laws[] = {
    {lgkt_reservation_normal, normal_excess, 0.002},
    {lgkt_reservation_exponential, exponential_excess, 0.0015},
};
enum { LAWS = sizeof laws / sizeof *laws };

static void test_prices_are_the_roots(void **state)
{
    (void)state;
    for (int i = 0; i < LAWS; i++) {
        double worst = 0, at = 0;
        for (double n = 1e-6; n <= LAST; n *= 1.0103) {
            const double x = root(laws[i].excess, n);
            const double error = fabs(laws[i].price(n) / x - 1);
            at = error > worst ? n : at;
            worst = error > worst ? error : worst;
        }
        print_message("law %d: at most %.4f%% off, at N = %g\n", i, 100 * worst, at);
        assert_between(worst, 0, laws[i].within);
    }
}

// where the table has a row it has the root itself
static void test_rows_are_exact(void **state)
{
    (void)state;
    for (int i = 0; i < LAWS; i++)
        for (double power = FIRST; power < LAST; power *= 2)
            for (int cell = 0; cell < 8; cell++) {
                const double n = power * (1 + cell / 8.0), x = root(laws[i].excess, n);
                assert_close(laws[i].price(n), x, 1e-12 * x);
            }
}

// the root of x = N exp(-x - 1) is Lambert's function: W(1) is the omega constant, W(e) = 1
static void test_known_roots(void **state)
{
    (void)state;
    const double e = exp(1);
    assert_close(lgkt_reservation_exponential(e), 0.5671432904097838, 0.001);
    assert_close(lgkt_reservation_exponential(e * e), 1, 0.001);
    assert_close(lgkt_reservation_exponential(10 * exp(11)), 10, 0.002);
    // x = phi(x) - x Q(x), by hand
    assert_close(lgkt_reservation_normal(1), 0.2760, 0.0001);
}

// ---- the shape ----

static void test_rising_and_continuous(void **state)
{
    (void)state;
    for (int i = 0; i < LAWS; i++) {
        double before = 0;
        for (double n = 1e-9; n < 4 * LAST; n *= 1.003) {
            const double x = laws[i].price(n);
            assert_true(n < LAST ? x > before : x >= before);
            before = x;
        }
        for (double power = FIRST; power <= LAST; power *= 2)
            for (int cell = 0; cell < 8; cell++) {
                const double n = power * (1 + cell / 8.0), x = laws[i].price(n);
                assert_between(laws[i].price(nextafter(n, 0)), x * (1 - 1e-14), x);
                assert_between(laws[i].price(nextafter(n, INFINITY)), x, x * (1 + 1e-14));
            }
    }
}

static void test_ends(void **state)
{
    (void)state;
    for (int i = 0; i < LAWS; i++) {
        const double last = laws[i].price(LAST);
        assert_true(laws[i].price(0) == 0 && laws[i].price(-0.0) == 0);
        assert_true(laws[i].price(-1) == 0 && laws[i].price(-INFINITY) == 0);
        assert_true(laws[i].price(NAN) == 0);
        assert_between(laws[i].price(DBL_MIN), 0, DBL_MIN);
        assert_between(laws[i].price(DBL_TRUE_MIN), 0, DBL_TRUE_MIN);
        assert_true(laws[i].price(2 * LAST) == last && laws[i].price(1e300) == last);
        assert_true(laws[i].price(INFINITY) == last);
        assert_true(laws[i].price(nextafter(LAST, 0)) <= last);
        // near 0 the excess is that at 0
        assert_close(laws[i].price(1e-30), 1e-30 * laws[i].excess(0), 0.002e-30);
    }
    // what is never tried has the heavier tail, but where both are all but certain
    assert_true(lgkt_reservation_exponential(100) > lgkt_reservation_normal(100));
}

// ---- the best way to play a box ----

// the law in equal parts, each represented by its mean
enum { PARTS = 4000 };

// E[X; X > q] is the excess at q plus q P(X > q)
static void cut_normal(double *values)
{
    double lower = 0; // E[X; X <= q] of the quantile before
    for (int i = 0; i < PARTS; i++) {
        double lo = -9, hi = 9;
        for (int j = 0; j < 60; j++) {
            const double x = (lo + hi) / 2;
            *(erfc(-x / sqrt(2)) / 2 * PARTS < i + 1 ? &lo : &hi) = x;
        }
        const double upto = i + 1 == PARTS ? 0 : -exp(-lo * lo / 2) / sqrt(2 * acos(-1));
        values[i] = (upto - lower) * PARTS;
        lower = upto;
    }
}

// E = -log(P(E > q)); E[E - 1; E > q] = q exp(-q)
static void cut_exponential(double *values)
{
    double upper = 0; // at the quantile before
    for (int i = 0; i < PARTS; i++) {
        const double tail = 1 - (i + 1.0) / PARTS;
        const double from = i + 1 == PARTS ? 0 : -log(tail) * tail;
        values[i] = (upper - from) * PARTS;
        upper = from;
    }
}

// What is earned in so many turns, if the box is opened in the first of them or as soon as that is
// better than z, by dynamic programming. One may also stay with z and open later, and go back and
// forth between both once it is open.
typedef struct played {
    double opening, staying;
} played;

static double better(double a, double b)
{
    return a > b ? a : b;
}

static played play(const double *values, double z, int turns)
{
    double open[PARTS] = {0}; // of an open box, with the turns that are left
    double closed = 0;
    played now = {0, 0};
    for (int left = 1; left <= turns; left++) {
        now = (played){0, z + closed};
        for (int i = 0; i < PARTS; i++) {
            now.opening += (values[i] + open[i]) / PARTS;
            open[i] += better(values[i], z);
        }
        closed = better(now.opening, now.staying);
    }
    return now;
}

// Below the price opening is better, above it staying, to what the parts resolve.
static void check_box(const law *of, const double *values, int uses)
{
    const double price = of->price(uses), part = 0.004 * (1 + price);
    const played below = play(values, price - part, uses + 1);
    const played above = play(values, price + part, uses + 1);
    assert_true(below.opening > below.staying);
    assert_true(above.opening < above.staying);
}

static void test_prices_are_those_of_the_best_play(void **state)
{
    (void)state;
    static const int uses[] = {1, 2, 5, 20, 100, 333};
    static double values[PARTS];
    void (*const cut[])(double *) = {cut_normal, cut_exponential};
    for (int i = 0; i < LAWS; i++) {
        cut[i](values);
        double mean = 0, squares = 0;
        for (int j = 0; j < PARTS; j++) {
            mean += values[j] / PARTS;
            squares += values[j] * values[j] / PARTS;
        }
        assert_close(mean, 0, 1e-9);
        assert_close(squares, 1, 0.01);
        for (size_t j = 0; j < sizeof uses / sizeof *uses; j++)
            check_box(&laws[i], values, uses[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prices_are_the_roots),
        cmocka_unit_test(test_rows_are_exact),
        cmocka_unit_test(test_known_roots),
        cmocka_unit_test(test_rising_and_continuous),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_prices_are_those_of_the_best_play),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
