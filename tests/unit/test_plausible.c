// SPDX-License-Identifier: MIT
// The most optimistic law of an L1 or KL ball: known numbers, the dual problem on random rows,
// equivariance, extreme radii and values, warm starts.

#include "test.h"

#include "learners/model/evi.h"
#include "ref/naive_evi.h"

enum { MOST = 8 };

// a dense row over n states; states without mass were never seen
typedef struct row {
    int32_t n;
    double p[MOST], v[MOST];
    double radius;
} row;

// ---- the two functions on dense rows ----

static double top_of(const row *r)
{
    double top = r->v[0];
    for (int32_t i = 1; i < r->n; i++)
        top = fmax(top, r->v[i]);
    return top;
}

static double spread_of(const row *r)
{
    double least = r->v[0];
    for (int32_t i = 1; i < r->n; i++)
        least = fmin(least, r->v[i]);
    return top_of(r) - least;
}

static double max_of(const row *r, bool kl, double *warm)
{
    double p[MOST], v[MOST];
    lgkt_support seen = {.p = p, .value = v};
    for (int32_t i = 0; i < r->n; i++)
        if (r->p[i] > 0) {
            p[seen.n] = r->p[i];
            v[seen.n++] = r->v[i];
        }
    return kl ? lgkt_max_kl(&seen, top_of(r), r->radius, warm)
              : lgkt_max_l1(&seen, top_of(r), r->radius);
}

static double max_l1(const row *r)
{
    return max_of(r, false, NULL);
}

static double max_kl(const row *r)
{
    double warm = NAN;
    return max_of(r, true, &warm);
}

// ---- random rows ----

static double log_uniform(lgkt_rng *rng, double lo, double hi)
{
    return exp(log(lo) + lgkt_rng_uniform(rng) * (log(hi) - log(lo)));
}

// 1 to MOST states, some never seen, masses down to 1e-12, some values alike
static row random_row(lgkt_rng *rng)
{
    row r = {.n = 1 + lgkt_rng_below(rng, MOST)};
    const double shape = log_uniform(rng, 0.1, 10), seen = lgkt_rng_uniform(rng);
    const bool coarse = lgkt_rng_bernoulli(rng, 0.3);
    double sum = 0;
    for (int32_t i = 0; i < r.n; i++) {
        const double draw = lgkt_rng_gamma(rng, shape);
        r.p[i] = lgkt_rng_bernoulli(rng, seen) && draw > 1e-12 ? draw : 0;
        sum += r.p[i];
        r.v[i] = coarse ? lgkt_rng_below(rng, 4) : 5 * lgkt_rng_uniform(rng) - 1;
    }
    if (sum == 0)
        sum = r.p[0] = 1;
    for (int32_t i = 0; i < r.n; i++)
        r.p[i] /= sum;
    return r;
}

// ---- L1 ----

static void test_l1_known_numbers(void **state)
{
    (void)state;
    static const struct {
        row r;
        double value;
    } cases[] = {
        {{4, {0.5, 0.3, 0.2, 0}, {1, 3, 2, 5}, 0.4}, 2.6},
        {{4, {0.5, 0.3, 0.2, 0}, {1, 3, 2, 5}, 1.6}, 4.6},
        {{3, {0.1, 0.2, 0.7}, {0, 1, 2}, 1}, 2},
        {{4, {0.25, 0.25, 0.25, 0.25}, {4, 4, 1, 0}, 0.3}, 2.85},
        {{3, {0, 1, 0}, {2, 1, 0}, 0.5}, 1.25},
        {{3, {0.6, 0.4, 0}, {-1.5, 2.25, 7}, 0.9}, 3.825},
        // no ball, and one that holds every law
        {{3, {0.6, 0.4, 0}, {1, 2, 9}, 0}, 1.4},
        {{3, {0.6, 0.4, 0}, {1, 2, 9}, 2}, 9},
        {{3, {0.6, 0.4, 0}, {1, 2, 9}, 1e9}, 9},
        {{1, {1}, {-3}, 0.7}, -3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_close(max_l1(&cases[i].r), cases[i].value, 1e-14);
        const row *r = &cases[i].r;
        assert_close(naive_max_l1(r->p, r->v, r->n, r->radius), cases[i].value, 1e-14);
    }
}

static void test_l1_is_its_dual(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(1, "rows", 0);
    for (int i = 0; i < 20000; i++) {
        row r = random_row(&rng);
        r.radius = 2.5 * lgkt_rng_uniform(&rng);
        assert_close(max_l1(&r), naive_max_l1(r.p, r.v, r.n, r.radius), 1e-13);
    }
}

// ---- KL ----

static void test_kl_known_numbers(void **state)
{
    (void)state;
    static const struct {
        row r;
        double value, nu; // nu 0: no root is needed
    } cases[] = {
        {{4, {0.5, 0.3, 0.2, 0}, {1, 3, 2, 5}, 0.1}, 2.224547512508, 0},
        {{4, {0.5, 0.3, 0.2, 0}, {1, 3, 2, 5}, 0.5}, 3.139558560814, 0},
        {{4, {0.5, 0.3, 0.2, 0}, {1, 3, 2, 3.1}, 0.02}, 1.977706516740, 6.471102650765},
        {{3, {0.5, 0.3, 0.2}, {1, 3, 2}, 0.1}, 2.198254758172, 4.154536526093},
        {{2, {0.2, 0.8}, {1, 0}, 0.05}, 0.343535703486, 1.914705234405},
        {{3, {1, 0, 0}, {0, 1, 2}, 0.3}, 0.518363558637, 0},
        {{3, {0, 1, 0}, {0, 2, 1}, 0.3}, 2, 0},
        {{3, {1.0 / 3, 1.0 / 3, 1.0 / 3}, {0, 1, 2}, 1e-6}, 1.001154700250, 0},
        {{3, {0.1, 0.2, 0.7}, {0, -1, 4}, 3}, 3.999972495026, 0},
        {{2, {0.999, 0.001}, {0, 1}, 0.01}, 0.013525384544, 1.078758030302},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const row *r = &cases[i].r;
        double warm = NAN, seen = -INFINITY;
        assert_close(max_of(r, true, &warm), cases[i].value, 1e-12);
        for (int32_t j = 0; j < r->n; j++)
            seen = r->p[j] > 0 ? fmax(seen, r->v[j]) : seen;
        if (cases[i].nu > 0)
            assert_close(seen + exp(warm), cases[i].nu, 1e-5);
    }
}

// mass of the states never seen: r = 1 - exp(f(gap) - radius), and what it leaves to the others
static void test_kl_mass_of_unseen_states(void **state)
{
    (void)state;
    const double radii[] = {0.1, 0.5}, masses[] = {0.051720400107, 0.364349174945};
    for (int i = 0; i < 2; i++) {
        row r = {4, {0.5, 0.3, 0.2, 0}, {1, 3, 2, 5}, radii[i]};
        double rest = 0, value = masses[i] * 5;
        for (int j = 0; j < 3; j++)
            rest += r.p[j] / (5 - r.v[j]);
        for (int j = 0; j < 3; j++)
            value += (1 - masses[i]) * r.p[j] / (5 - r.v[j]) / rest * r.v[j];
        assert_close(max_kl(&r), value, 1e-11);
    }
}

static void test_kl_is_its_dual(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(2, "rows", 0);
    for (int i = 0; i < 6000; i++) {
        row r = random_row(&rng);
        r.radius = log_uniform(&rng, i % 4 == 0 ? 1e-8 : 1e-6, 100);
        const double expected = naive_max_kl(r.p, r.v, r.n, r.radius);
        assert_close(max_kl(&r), expected, 1e-11 * spread_of(&r));
    }
}

// with two states the ball is an interval: its end is found by bisection of the definition
static void test_kl_of_two_states_is_the_end_of_an_interval(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(3, "rows", 0);
    for (int i = 0; i < 500; i++) {
        const double p = i % 10 == 0 ? 0 : lgkt_rng_uniform(&rng);
        const double radius = log_uniform(&rng, 1e-5, 10);
        double lo = p, hi = 1;
        for (int j = 0; j < 200; j++) {
            const double q = (lo + hi) / 2;
            const double kl = (p > 0 ? p * log(p / q) : 0) + (1 - p) * (log1p(-p) - log1p(-q));
            *(kl > radius ? &hi : &lo) = q;
        }
        const row r = {2, {p, 1 - p}, {1, 0}, radius};
        assert_close(max_kl(&r), lo, 1e-10);
    }
}

// every nu gives an upper bound: stopping early anywhere keeps optimism
static void test_kl_never_exceeds_its_dual_anywhere(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(4, "rows", 0);
    for (int i = 0; i < 3000; i++) {
        row r = random_row(&rng);
        r.radius = log_uniform(&rng, 1e-6, 100);
        const double value = max_kl(&r);
        for (int j = 0; j < 10; j++) {
            const double s = j == 0 ? 0 : log_uniform(&rng, 1e-30, 1e6);
            assert_between(value, -INFINITY,
                           naive_kl_dual(r.p, r.v, r.n, r.radius, s) + 1e-14 * fmax(1, s));
        }
    }
}

static void test_kl_value_does_not_depend_on_the_warm_start(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(5, "rows", 0);
    for (int i = 0; i < 6000; i++) {
        row r = random_row(&rng);
        r.radius = log_uniform(&rng, 1e-6, 100);
        const double cold = max_kl(&r);
        double root = NAN;
        max_of(&r, true, &root);
        const double starts[] = {root,     root + 1e-9, root + 0.5, root - 3, 60 * (0.5 - i % 2),
                                 INFINITY, -INFINITY,   -700,       700};
        for (size_t j = 0; j < sizeof starts / sizeof *starts; j++) {
            double warm = starts[j];
            assert_close(max_of(&r, true, &warm), cold, 1e-12 * spread_of(&r));
        }
    }
}

// ---- both ----

static double max_either(const row *r, int kl)
{
    return kl ? max_kl(r) : max_l1(r);
}

static void test_values_shift_and_scale(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(6, "rows", 0);
    for (int i = 0; i < 4000; i++) {
        row r = random_row(&rng);
        r.radius = log_uniform(&rng, 1e-4, 10);
        // powers of two are exact; shifts move rounding only
        const double factor = ldexp(1, lgkt_rng_below(&rng, 101) - 50);
        row scaled = r, shifted = r;
        for (int32_t j = 0; j < r.n; j++) {
            scaled.v[j] = r.v[j] * factor;
            shifted.v[j] = r.v[j] + 1024;
        }
        const double value = max_either(&r, i % 2);
        assert_close(max_either(&scaled, i % 2), value * factor, 1e-12 * factor);
        assert_close(max_either(&shifted, i % 2), value + 1024, 1e-11);
    }
}

// between the mean and the best state; more radius or higher values can only help
static void test_values_are_monotone(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(7, "rows", 0);
    for (int i = 0; i < 4000; i++) {
        row r = random_row(&rng);
        r.radius = log_uniform(&rng, 1e-4, 10);
        double mean = 0;
        for (int32_t j = 0; j < r.n; j++)
            mean += r.p[j] * r.v[j];
        const double value = max_either(&r, i % 2);
        assert_between(value, mean - 1e-13, top_of(&r) + 1e-14);
        row wider = r, higher = r;
        wider.radius *= 1 + lgkt_rng_uniform(&rng);
        const int32_t at = lgkt_rng_below(&rng, r.n);
        higher.v[at] += lgkt_rng_uniform(&rng);
        assert_between(max_either(&wider, i % 2), value - 1e-12, INFINITY);
        assert_between(max_either(&higher, i % 2), value - 1e-12,
                       value + (higher.v[at] - r.v[at]) + 1e-12);
    }
}

// radii and values far from 1: finite, within what is possible, and near the limits that are known
static void test_extremes_stay_within_the_possible(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(8, "rows", 0);
    for (int i = 0; i < 4000; i++) {
        row r = random_row(&rng);
        r.radius = log_uniform(&rng, 1e-14, 1e9);
        const double factor = log_uniform(&rng, 1e-200, 1e200);
        double mean = 0;
        for (int32_t j = 0; j < r.n; j++) {
            r.v[j] *= factor;
            mean += r.p[j] * r.v[j];
        }
        const double value = max_either(&r, i % 2), top = top_of(&r), slack = 1e-13 * 5 * factor;
        assert_between(value, mean - slack, top + slack);
        // Pinsker: KL >= |q - p|_1^2 / 2
        const double shift = i % 2 ? sqrt(r.radius / 2) : r.radius / 2;
        assert_between(value, -INFINITY, mean + shift * spread_of(&r) + slack);
        if (r.radius > 1e6)
            assert_close(value, top, 1e-6 * spread_of(&r) + slack);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_l1_known_numbers),
        cmocka_unit_test(test_l1_is_its_dual),
        cmocka_unit_test(test_kl_known_numbers),
        cmocka_unit_test(test_kl_mass_of_unseen_states),
        cmocka_unit_test(test_kl_is_its_dual),
        cmocka_unit_test(test_kl_of_two_states_is_the_end_of_an_interval),
        cmocka_unit_test(test_kl_never_exceeds_its_dual_anywhere),
        cmocka_unit_test(test_kl_value_does_not_depend_on_the_warm_start),
        cmocka_unit_test(test_values_shift_and_scale),
        cmocka_unit_test(test_values_are_monotone),
        cmocka_unit_test(test_extremes_stay_within_the_possible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
