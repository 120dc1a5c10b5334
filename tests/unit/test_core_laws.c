// SPDX-License-Identifier: MIT
// labels: slow
// Normal and gamma numbers against their distribution functions.
//
// Each statistical check fails a right program with probability at most 1e-7 (ref/chance.h).

#include "core/normal.h"
#include "ref/chance.h"
#include "test.h"

#define ZIGGURAT_EDGE lgkt_normal_layers[0].inner

// ---- the references themselves ----

static void reference_functions_have_their_closed_forms(void **state)
{
    (void)state;
    const double xs[] = {1e-8, 0.01, 0.3, 1.0, 1.6, 2.5, 7.0, 20.0, 60.0};
    for (int i = 0; i < 9; i++) {
        const double x = xs[i];
        assert_close(chance_gamma_cdf(1.0, x), -expm1(-x), 1e-13);
        assert_close(chance_gamma_cdf(0.5, x), erf(sqrt(x)), 1e-13);
        assert_close(chance_gamma_cdf(2.0, x), 1.0 - (1.0 + x) * exp(-x), 1e-13);
        assert_close(chance_chi_square_tail(2.0, x), exp(-0.5 * x), 1e-13);
        assert_close(chance_chi_square_tail(1.0, x * x), erfc(x * sqrt(0.5)), 1e-13);
    }
    assert_close(chance_chi_square_tail(2.0, 100.0), exp(-50.0), 1e-12 * exp(-50.0));
    // Poisson: P(G > x) with shape m is that of fewer than m events of rate x
    for (int m = 1; m <= 300; m += 23) {
        for (int i = 0; i < 5; i++) {
            const double x = m * (0.8 + 0.1 * i) + 1.0;
            double term = exp(-x), fewer = term;
            for (int k = 1; k < m; k++)
                fewer += term *= x / k;
            assert_close(chance_gamma_cdf(m, x), 1.0 - fewer, 1e-12);
            assert_close(chance_chi_square_tail(2.0 * m, 2.0 * x), fewer, 1e-12);
        }
    }
    assert_close(chance_normal_cdf(0.0), 0.5, 0.0);
    assert_close(chance_normal_cdf(-1.959963984540054), 0.025, 1e-15);
}

// ---- normal: the table ----

static double f(double x)
{
    return exp(-0.5 * x * x);
}

static void layers_have_equal_areas(void **state)
{
    (void)state;
    const lgkt_normal_layer *layer = lgkt_normal_layers;
    const double r = ZIGGURAT_EDGE, tail = sqrt(acos(-1.0) / 2) * erfc(r * sqrt(0.5));
    const double v = r * f(r) + tail;
    assert_close(layer[0].width * 0x1p53 * f(r), v, 1e-15);
    for (int i = 1; i < 256; i++) {
        const double right = layer[i].width * 0x1p53;
        assert_close(right, layer[i - 1].inner, 0.0);
        assert_true(layer[i].inner < right);
        assert_close(right * (f(layer[i].inner) - f(right)), v, 1e-14);
    }
    assert_close(layer[255].inner, 0.0, 0.0);
    // all the layers together cover the half bell once, but for the corners that are rejected:
    // the share that is accepted is that of Marsaglia and Tsang's paper, 99.33%
    assert_close(sqrt(acos(-1.0) / 2) / (256 * v), 0.9933, 5e-5);
}

// a point in a wedge is kept with the probability that it lies below the curve
static void wedges_are_decided_by_the_curve(void **state)
{
    (void)state;
    const uint32_t layers[] = {1, 2, 20, 128, 254, 255};
    for (uint64_t k = 0; k < 6; k++) {
        const lgkt_normal_layer layer = lgkt_normal_layers[layers[k]];
        const double right = layer.width * 0x1p53;
        for (uint64_t place = 0; place < 3; place++) {
            lgkt_rng rng = lgkt_rng_stream(place, "wedge", k);
            const double share = (double)(place + 1) / 4;
            const double x = (layer.inner + share * (right - layer.inner)) * (place % 2 ? -1 : 1);
            const double p = (f(x) - f(right)) / (f(layer.inner) - f(right));
            double kept = 0.0;
            for (int i = 0; i < 20000; i++)
                kept += lgkt_normal_rare(&rng, layers[k], x) == x;
            assert_close(kept, 20000 * p, chance_count_bound(20000, p));
        }
    }
}

static void the_tail_has_its_law_and_sign(void **state)
{
    (void)state;
    static chance_ks ks;
    const double r = ZIGGURAT_EDGE, whole = chance_normal_cdf(-r);
    lgkt_rng rng = lgkt_rng_stream(1, "tail", 0);
    double sum = 0.0;
    const int n = 600000;
    for (int i = 0; i < n; i++) {
        const double sign = i % 2 ? -1.0 : 1.0, x = sign * lgkt_normal_rare(&rng, 0, sign * 3.7);
        assert_true(x >= r);
        chance_ks_add(&ks, chance_normal_cdf(-x) / whole);
        sum += x;
    }
    assert_between(chance_ks_gap(&ks), 0.0, chance_ks_bound(n));
    // the mean beyond r is m = phi(r) / P(Z > r), the variance 1 + r m - m^2; 6 sd: 2e-9
    const double m = f(r) / sqrt(2.0 * acos(-1.0)) / whole;
    assert_close(sum / n, m, 6.0 * sqrt((1.0 + r * m - m * m) / n));
}

// what one number of the generator means, taken apart with integers; the rest of a layer, on either
// side, is left to the rare path
static void one_number_gives_layer_sign_and_place(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(4, "normal", 0);
    int rare[2] = {0, 0};
    for (int i = 0; i < 200000; i++) {
        lgkt_rng copy = rng;
        const uint64_t bits = lgkt_rng_next(&copy);
        const uint32_t layer = (uint32_t)(bits % 256);
        const bool negative = bits < UINT64_C(1) << 63;
        const uint64_t place = (bits >> 10) % (UINT64_C(1) << 53) / 2 * 2 + 1;
        const uint64_t size = negative ? (UINT64_C(1) << 53) - place : place;
        const double magnitude = (double)size * lgkt_normal_layers[layer].width;
        double x = negative ? -magnitude : magnitude;
        if (magnitude >= lgkt_normal_layers[layer].inner) {
            rare[negative]++;
            x = lgkt_normal_rare(&copy, layer, x);
        }
        assert_true(lgkt_rng_normal(&rng) == x);
        assert_memory_equal(&rng, &copy, sizeof rng);
    }
    assert_true(rare[0] > 0 && rare[1] > 0);
}

// ---- normal: the numbers ----

typedef struct sums {
    double power[9]; // sums of x^k
} sums;

// |mean of x^k - moment| <= 6 sd: beyond with probability 2e-9 by the normal law; the powers up to
// the fourth are near enough to it after a million draws
static void check_moments(const sums *s, double n)
{
    const double moment[] = {1, 0, 1, 0, 3, 0, 15, 0, 105};
    for (int k = 1; k <= 4; k++) {
        const double variance = moment[2 * k] - moment[k] * moment[k];
        assert_close(s->power[k] / n, moment[k], 6.0 * sqrt(variance / n));
    }
}

static void normal_numbers_are_normal(void **state)
{
    (void)state;
    static chance_ks ks, magnitudes;
    const double far[] = {2.0, 3.0, 3.66, 4.2};
    double beyond[4] = {0};
    sums s = {{0}};
    lgkt_rng rng = lgkt_rng_stream(1, "normal", 0);
    const int n = 1000000;
    for (int i = 0; i < n; i++) {
        const double x = lgkt_rng_normal(&rng);
        double power = 1.0;
        for (int k = 0; k <= 4; k++, power *= x)
            s.power[k] += power;
        const double below = chance_normal_cdf(x);
        chance_ks_add(&ks, below);
        chance_ks_add(&magnitudes, fabs(2.0 * below - 1.0));
        for (int k = 0; k < 4; k++)
            beyond[k] += fabs(x) > far[k];
    }
    check_moments(&s, n);
    assert_between(chance_ks_gap(&ks), 0.0, chance_ks_bound(n));
    assert_between(chance_ks_gap(&magnitudes), 0.0, chance_ks_bound(n));
    for (int k = 0; k < 4; k++) {
        const double p = 2.0 * chance_normal_cdf(-far[k]);
        assert_close(beyond[k], n * p, chance_count_bound(n, p));
    }
}

static void successive_normal_numbers_are_independent(void **state)
{
    (void)state;
    lgkt_rng rng = lgkt_rng_stream(2, "normal", 0);
    double sum = 0.0, sum_squares = 0.0, last = lgkt_rng_normal(&rng);
    const int n = 200000;
    for (int i = 0; i < n; i++) {
        const double x = lgkt_rng_normal(&rng);
        sum += x * last;
        sum_squares += (x * x - 1.0) * (last * last - 1.0) / 2.0;
        last = x;
    }
    // terms of mean 0 and variance 1 and 2: 6 sd, 2e-9 by the normal law
    assert_close(sum / n, 0.0, 6.0 / sqrt(n));
    assert_close(sum_squares / n, 0.0, 6.0 * sqrt(2.0 / n));
}

static void the_inlined_form_gives_the_same_numbers(void **state)
{
    (void)state;
    lgkt_rng a = lgkt_rng_stream(3, "normal", 0), b = a;
    for (int i = 0; i < 10000; i++)
        assert_true(lgkt_rng_normal(&a) == lgkt_normal_fast(&b));
    assert_memory_equal(&a, &b, sizeof a);
}

// ---- gamma ----

static void gamma_numbers_have_their_law(void **state)
{
    (void)state;
    const double shapes[] = {0.01, 0.1, 0.5, 1.0, 2.5, 100.0};
    const int n = 200000;
    for (uint64_t k = 0; k < 6; k++) {
        static chance_ks ks;
        memset(&ks, 0, sizeof ks);
        lgkt_rng rng = lgkt_rng_stream(1, "gamma", k);
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            const double x = lgkt_rng_gamma(&rng, shapes[k]);
            assert_true(x >= 0.0 && isfinite(x));
            sum += x;
            chance_ks_add(&ks, chance_gamma_cdf(shapes[k], x));
        }
        assert_between(chance_ks_gap(&ks), 0.0, chance_ks_bound(n));
        // mean and variance are the shape; the sum is gamma with shape n*shape, whose tail at 8 sd
        // is below 1e-9 even for 2000 = n * 0.01
        assert_close(sum / n, shapes[k], 8.0 * sqrt(shapes[k] / n));
    }
}

// P(G < x) = x^a / Gamma(a+1) for tiny x, far below what a KS test sees
static void small_shapes_underflow_with_the_right_probability(void **state)
{
    (void)state;
    const double shapes[] = {0.001, 0.01, 0.05}, bounds[] = {0x1p-1074, 1e-200, 1e-20};
    const double n = 300000;
    for (uint64_t k = 0; k < 3; k++) {
        lgkt_rng rng = lgkt_rng_stream(2, "gamma", k);
        double below[3] = {0};
        for (int i = 0; i < (int)n; i++) {
            const double x = lgkt_rng_gamma(&rng, shapes[k]);
            for (int b = 0; b < 3; b++)
                below[b] += x < bounds[b];
        }
        for (int b = 0; b < 3; b++) {
            // below the smallest double means rounded to 0: under half of it
            const double log_x = b == 0 ? -1075 * log(2.0) : log(bounds[b]);
            const double p = exp(shapes[k] * log_x - lgamma(shapes[k] + 1.0));
            assert_close(below[b], n * p, chance_count_bound(n, p));
        }
    }
}

// the law of the logarithm, with the same tail
static void logarithms_of_gamma_numbers_have_their_law(void **state)
{
    (void)state;
    const double shapes[] = {1e-6, 0.001, 0.1, 0.9, 1.0, 7.5};
    const int n = 200000;
    for (uint64_t k = 0; k < 6; k++) {
        static chance_ks ks;
        memset(&ks, 0, sizeof ks);
        lgkt_rng rng = lgkt_rng_stream(4, "gamma", k);
        for (int i = 0; i < n; i++) {
            const double x = lgkt_log_gamma(&rng, shapes[k]);
            assert_true(isfinite(x));
            chance_ks_add(&ks, x < -40 ? exp(shapes[k] * x - lgamma(shapes[k] + 1.0))
                                       : chance_gamma_cdf(shapes[k], exp(x)));
        }
        assert_between(chance_ks_gap(&ks), 0.0, chance_ks_bound(n));
    }
    // of a shape of 1 or more it is the logarithm of the same number, inlined or not
    lgkt_rng one = lgkt_rng_stream(5, "gamma", 0), two = one, three = one;
    for (int i = 0; i < 1000; i++) {
        const double x = lgkt_rng_gamma(&one, 1.0 + 0.01 * i);
        assert_close(lgkt_gamma_fast(&two, 1.0 + 0.01 * i), x, 0.0);
        assert_close(lgkt_log_gamma(&three, 1.0 + 0.01 * i), log(x), 1e-14 * (1 + fabs(log(x))));
    }
}

static void bad_shapes_give_no_number(void **state)
{
    (void)state;
    const double shapes[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    lgkt_rng rng = lgkt_rng_stream(3, "gamma", 0);
    for (int i = 0; i < 4; i++)
        assert_true(isnan(lgkt_rng_gamma(&rng, shapes[i])) &&
                    isnan(lgkt_log_gamma(&rng, shapes[i])));
    assert_between(lgkt_rng_gamma(&rng, 1e300), 0.99e300, 1.01e300);
    assert_close(lgkt_rng_gamma(&rng, 5e-324), 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_functions_have_their_closed_forms),
        cmocka_unit_test(layers_have_equal_areas),
        cmocka_unit_test(wedges_are_decided_by_the_curve),
        cmocka_unit_test(the_tail_has_its_law_and_sign),
        cmocka_unit_test(one_number_gives_layer_sign_and_place),
        cmocka_unit_test(normal_numbers_are_normal),
        cmocka_unit_test(successive_normal_numbers_are_independent),
        cmocka_unit_test(the_inlined_form_gives_the_same_numbers),
        cmocka_unit_test(gamma_numbers_have_their_law),
        cmocka_unit_test(small_shapes_underflow_with_the_right_probability),
        cmocka_unit_test(logarithms_of_gamma_numbers_have_their_law),
        cmocka_unit_test(bad_shapes_give_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
