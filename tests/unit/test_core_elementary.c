// SPDX-License-Identifier: MIT
// Logarithms, exponentials, powers, sines and cosines: their errors against the libm's long double (which valgrind
// computes with 53 bits only), special values, and bits that must be the same on every machine.
// labels: slow

#include <float.h>

#include "core/elementary.h"
#include "core/hash.h"
#include "lgkt/rng.h"
#include "test.h"

// ---- errors ----

// the distance of two neighbouring doubles at y
static double last_place(double y)
{
    int exponent;
    frexp(y, &exponent);
    return fabs(y) < DBL_MIN ? 0x1p-1074 : ldexp(1, exponent - 53);
}

static void check_error(const char *name, double x, double y, double got, long double want,
                        double bound)
{
    if (isinf(got) && fabsl(want) >= (long double)DBL_MAX)
        return;
    const double error = (double)(fabsl((long double)got - want) / last_place((double)want));
    if (!(error <= bound)) {
        print_error("%s(%a, %a) = %a is wrong by %.4f units, allowed %.4f\n", name, x, y, got,
                    error, bound);
        fail();
    }
}

static double between(lgkt_rng *rng, double low, double high)
{
    return low + (high - low) * lgkt_rng_uniform(rng);
}

// a number with any exponent of low .. high
static double any_size(lgkt_rng *rng, int low, int high)
{
    return ldexp(1 + lgkt_rng_uniform(rng), low + lgkt_rng_below(rng, high - low + 1));
}

static void errors_are_below_their_bounds(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip();
    lgkt_rng rng = lgkt_rng_stream(1, "test", 0);
    for (int i = 0; i < 300000; i++) {
        const double positive[] = {any_size(&rng, -1074, 1023), between(&rng, 0.5, 2.5),
                                   1 + (lgkt_rng_uniform(&rng) - 0.5) * any_size(&rng, -40, -1)};
        for (int j = 0; j < 3; j++) {
            const double x = positive[j];
            check_error("log", x, 0, lgkt_log(x), logl(x), 0.51);
            check_error("cbrt", x, 0, lgkt_cbrt(x), cbrtl(x), 0.84);
            check_error("cbrt", -x, 0, lgkt_cbrt(-x), cbrtl(-x), 0.84);
        }
        const double sign = lgkt_rng_bernoulli(&rng, 0.5) ? 1 : -1;
        const double any[] = {between(&rng, -746, 710), sign * any_size(&rng, -60, 6)};
        for (int j = 0; j < 2; j++) {
            const double x = any[j];
            check_error("exp", x, 0, lgkt_exp(x), expl(x), 0.51);
            check_error("expm1", x, 0, lgkt_expm1(x), expm1l(x), 0.7);
            check_error("exp2", x, 0, lgkt_exp2(x), exp2l(x), 0.8);
            if (x > -1)
                check_error("log1p", x, 0, lgkt_log1p(x), log1pl(x), 0.51);
        }
        const double angles[] = {between(&rng, -0.785398, 0.785398), sign * any_size(&rng, -60, -2),
                                 between(&rng, -100, 100), sign * any_size(&rng, 0, 1023)};
        for (int j = 0; j < 4; j++) {
            check_error("sin", angles[j], 0, lgkt_sin(angles[j]), sinl(angles[j]),
                        j < 2 ? 0.76 : 0.8);
            check_error("cos", angles[j], 0, lgkt_cos(angles[j]), cosl(angles[j]),
                        j < 2 ? 0.76 : 0.8);
        }
        const double base = any_size(&rng, -40, 40), near_one = positive[2];
        const double power = sign * any_size(&rng, -6, 3);
        check_error("pow", base, power, lgkt_pow(base, power), powl(base, power), 0.52);
        const double high = between(&rng, -700, 700) / log(near_one);
        if (isfinite(high)) // long double itself is off by a hundredth there
            check_error("pow", near_one, high, lgkt_pow(near_one, high), powl(near_one, high), 0.6);
    }
}

// ---- values that are exact ----

static void exact_values_are_exact(void **state)
{
    (void)state;
    for (int k = -1074; k <= 1023; k++)
        assert_true(lgkt_exp2(k) == ldexp(1, k));
    double ten = 1;
    for (int n = 0; n <= 22; n++, ten *= 10)
        assert_true(lgkt_pow(10, n) == ten);
    for (int n = 1; n <= 2000; n++)
        assert_true(lgkt_cbrt((double)n * n * n) == n);
    assert_true(lgkt_log(1) == 0 && lgkt_log1p(0) == 0);
    assert_true(lgkt_exp(0) == 1 && lgkt_expm1(0) == 0);
    assert_true(lgkt_sin(0) == 0 && lgkt_cos(0) == 1);
    assert_true(lgkt_pow(4, 0.5) == 2 && lgkt_pow(7, 0) == 1 && lgkt_pow(1, 1e300) == 1);
}

// angles whose quarter turns nearly cancel, and very large ones, computed elsewhere with 1400 bits
static void hard_angles(void **state)
{
    (void)state;
    static const double angles[][3] = {
        // angle, sine, cosine
        {0x1.921fb54442d18p+0, 0x1p+0, 0x1.1a62633145c07p-54},
        {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1p+0},
        {0x1.921fb54442d19p-1, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bccp-1},
        {0x1.6ac5b262ca1ffp+849, 0x1p+0, -0x1.14ae72e6ba22fp-61}, // the hardest double
        {0x1.5d7ff7b1a7b5cp+86, -0x1.d153284dbc59bp-2, -0x1.c81563300d74cp-1},
        {DBL_MAX, 0x1.452fc98b34e97p-8, -0x1.fffe62ecfab75p-1},
        {-0x1.4p+3, 0x1.1689ef5f34f52p-1, -0x1.ad9ac890c6b1fp-1},
    };
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
        const double *at = angles[i];
        check_error("sin", at[0], 0, lgkt_sin(at[0]), at[1], 1);
        check_error("cos", at[0], 0, lgkt_cos(at[0]), at[2], 1);
        assert_true(lgkt_sin(-at[0]) == -lgkt_sin(at[0]) && lgkt_cos(-at[0]) == lgkt_cos(at[0]));
    }
}

static void special_values_are_those_of_the_standard(void **state)
{
    (void)state;
    assert_true(isnan(lgkt_log(NAN)) && isnan(lgkt_log(-1)) && lgkt_log(0) == -INFINITY &&
                lgkt_log(INFINITY) == INFINITY);
    assert_true(isnan(lgkt_log1p(NAN)) && isnan(lgkt_log1p(-2)) && lgkt_log1p(-1) == -INFINITY &&
                lgkt_log1p(INFINITY) == INFINITY);
    assert_true(isnan(lgkt_exp(NAN)) && lgkt_exp(INFINITY) == INFINITY &&
                lgkt_exp(-INFINITY) == 0 && lgkt_exp(710) == INFINITY && lgkt_exp(-746) == 0 &&
                lgkt_exp(1e300) == INFINITY);
    assert_true(isnan(lgkt_exp2(NAN)) && lgkt_exp2(1024) == INFINITY && lgkt_exp2(-1076) == 0);
    assert_true(isnan(lgkt_expm1(NAN)) && lgkt_expm1(-INFINITY) == -1 &&
                lgkt_expm1(INFINITY) == INFINITY && lgkt_expm1(710) == INFINITY);
    assert_true(isnan(lgkt_cbrt(NAN)) && lgkt_cbrt(-INFINITY) == -INFINITY && lgkt_cbrt(0) == 0);
    assert_true(isnan(lgkt_sin(NAN)) && isnan(lgkt_sin(-INFINITY)) && isnan(lgkt_cos(NAN)) &&
                isnan(lgkt_cos(INFINITY)));
    const double numbers[] = {0, 0x1p-1074, 0.5, 1, 3, DBL_MAX, INFINITY, NAN};
    const double powers[] = {-INFINITY, -1e300, -1, 0, 1, 2.5, 1e300, INFINITY, NAN};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 9; j++) {
            const double got = lgkt_pow(numbers[i], powers[j]), want = pow(numbers[i], powers[j]);
            // 1 to the power of a NaN is 1, and 1 is what the libm says too
            assert_true(isnan(want) ? isnan(got) : fabs(got - want) <= 1e-15 * want || got == want);
        }
    assert_true(isnan(lgkt_pow(-2, 2))); // only powers of numbers >= 0 are needed
}

// ---- the same bits everywhere ----

static uint64_t bits_of_many(double (*f)(double), double low, double high)
{
    uint64_t hash = LGKT_HASH_START;
    lgkt_rng rng = lgkt_rng_stream(7, "test", 1);
    for (int i = 0; i < 100000; i++)
        hash = lgkt_hash_f64(hash, f(between(&rng, low, high)));
    return hash;
}

static double fifth_root(double x)
{
    return lgkt_pow(x, 0.2);
}

static void bits_are_those_recorded(void **state)
{
    (void)state;
    static const struct {
        double (*f)(double);
        double low, high;
        uint64_t hash;
    } recorded[] = {
        {lgkt_log, 1e-3, 1e6, UINT64_C(0x6dc3b5e45441589c)},
        {lgkt_log, 0.9, 1.1, UINT64_C(0x4dd44cd72c5ccd0f)},
        {lgkt_log1p, -0.5, 10, UINT64_C(0xa629d8eea5155a50)},
        {lgkt_exp, -740, 700, UINT64_C(0xdbf57119eb2b0b9d)},
        {lgkt_expm1, -2, 2, UINT64_C(0x7195d0fd40898ee4)},
        {lgkt_exp2, -5, 5, UINT64_C(0xf35f6b19dcb13d9a)},
        {lgkt_cbrt, -100, 1e6, UINT64_C(0x7da59f89cff99583)},
        {lgkt_sin, -0.785, 0.785, UINT64_C(0x34dc59b5ac7d732d)},
        {lgkt_cos, -0.785, 0.785, UINT64_C(0x1c2a570004cb954b)},
        {lgkt_sin, -1e3, 1e3, UINT64_C(0x3e2bff393bcd95e2)},
        {lgkt_cos, -1e300, 1e300, UINT64_C(0x03e40903b7f8d4cd)},
        {fifth_root, 1, 1e7, UINT64_C(0x5b55963d2280786c)},
    };
    for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++) {
        const uint64_t hash = bits_of_many(recorded[i].f, recorded[i].low, recorded[i].high);
        if (hash != recorded[i].hash) {
            print_error("function %zu: %016llx\n", i, (unsigned long long)hash);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_below_their_bounds),
        cmocka_unit_test(exact_values_are_exact),
        cmocka_unit_test(hard_angles),
        cmocka_unit_test(special_values_are_those_of_the_standard),
        cmocka_unit_test(bits_are_those_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
