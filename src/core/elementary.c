// SPDX-License-Identifier: MIT
// Logarithms, exponentials, powers, sines and cosines from + - * / and square roots alone, so that
// their bits do not depend on the libm, the compiler or the machine.
//
// Both kinds first move the argument next to a tabled point, where a short polynomial is enough,
// and carry what does not fit into one double in a second one.
//
//   log x    = k ln 2 + log c + log(1 + r),   x = 2^k m,  m in 1/sqrt 2 .. sqrt 2,  r = m/c - 1
//              1/c has 12 bits and m is cut in two, so that r = m (1/c) - 1 has no rounding error.
//              At c = 1 both logarithms are 0, and small results keep their relative precision.
//   exp x    = 2^(j/128) exp r,   j = the whole number next to 128 x / ln 2,  |r| < 0.0028
//   expm1 x  = 2^(j/128) - 1 + 2^(j/128) (exp r - 1), and Taylor's series where |x| < 1/4
//   log1p x  = log u + (1 + x - u)/u with u = 1 + x rounded
//   pow x y  = exp(y log x), with log x and the product as sums of two doubles
//   sin x, cos x: their series for |x| <= pi/4, else of what is left of x without quarter turns, by
//              as many bits of 2/pi as x needs
//   cbrt x   : a root from exp and log, cut to 24 bits, and one step of Halley's iteration
//
// Errors in units of the last place: at most 0.508 for log, exp and log1p, 0.53 for pow, 0.65 for
// expm1, 0.76 for exp2, 0.78 for sin and cos, 0.84 for cbrt. The steps must be rounded one by one,
// as the flags of the build say; core/arithmetic.h refuses what computes with more bits.
#include "core/elementary.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/elementary_table.h"

// high + low, where low is at most a rounding error of high
typedef struct two {
    double high, low;
} two;

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// 2^k for -1022 <= k <= 1023
static double power_of_two(int64_t k)
{
    return from_bits((uint64_t)(k + 1023) << 52);
}

// a + b where |a| >= |b| or a = 0
static two fast_sum(double a, double b)
{
    const double sum = a + b;
    return (two){sum, b - (sum - a)};
}

// a b, by halves of 26 bits; |a|, |b| below 2^990
static two product(double a, double b)
{
    const double wide_a = a * 0x1p27, wide_b = b * 0x1p27;
    const double a1 = a + wide_a - wide_a, b1 = b + wide_b - wide_b;
    const double a2 = a - a1, b2 = b - b1, whole = a * b;
    return (two){whole, ((a1 * b1 - whole) + a1 * b2 + a2 * b1) + a2 * b2};
}

// ---- logarithms ----

// x = 2^k c (1 + r): base.high + base.low is log(2^k c), and r = r_high + r_low
typedef struct place {
    two base;
    double r_high, r_low;
    double inverse; // of 2^k c
} place;

// x > 0, finite
static inline place place_of(double x)
{
    int64_t k = 0;
    if (x < DBL_MIN) {
        x *= 0x1p54;
        k = -54;
    }
    // counted from 1/sqrt 2, the exponent is that of the nearest power of two
    const uint64_t bits = bits_of(x), root_half = 0x3fe6a09e667f3bcd;
    const int64_t shift = (int64_t)((bits - root_half) >> 52);
    const int64_t exponent = shift >= 2048 ? shift - 4096 : shift;
    k += exponent;
    const double m = from_bits(bits - ((uint64_t)exponent << 52));
    const int j = (int)(m * LOG_CELLS + 0.5);
    if (j == LOG_CELLS && k == 0)
        return (place){.r_high = m - 1, .inverse = 1};
    const double *const row = log_table[j - LOG_FIRST];
    const double top = from_bits(bits_of(m) & 0xffffffff00000000), inverse = row[0];
    return (place){.base = {(double)k * LN2_HIGH + row[1], (double)k * LN2_LOW + row[2]},
                   .r_high = top * inverse - 1,
                   .r_low = (m - top) * inverse,
                   .inverse = k > -1000 && k < 1000 ? inverse * power_of_two(-k) : 0};
}

// log(1 + r) - r + r^2/2
static double log_tail(double r)
{
    const double r2 = r * r;
    return r * r2 *
           ((1.0 / 3 - r * 0.25) +
            r2 * ((0.2 - r * (1.0 / 6)) + r2 * ((1.0 / 7 - r * 0.125) + r2 * (1.0 / 9))));
}

// log of what a place stands for, plus `more`, which is small
static inline double log_at(const place *at, double more)
{
    const double r = at->r_high + at->r_low;
    const two sum = fast_sum(at->base.high, at->r_high);
    return sum.high + ((at->base.low + at->r_low + sum.low + more) + (log_tail(r) - 0.5 * r * r));
}

double lgkt_log(double x)
{
    if (!(x > 0 && x <= DBL_MAX))
        return x == 0 ? -INFINITY : x < 0 ? NAN : x;
    const place at = place_of(x);
    return log_at(&at, 0);
}

double lgkt_log1p(double x)
{
    if (fabs(x) < 0x1p-8)
        return x + (log_tail(x) - 0.5 * x * x);
    const double u = 1 + x;
    if (!(u > 0 && u <= DBL_MAX))
        return lgkt_log(u);
    const double lost = x < 1 ? x - (u - 1) : 1 - (u - x);
    const place at = place_of(u);
    // lost/u, where 1/u = (1 - r + ..) / (2^k c)
    return log_at(&at, lost * at.inverse * (1 - at.r_high));
}

// log x to about 75 bits; x > 0, finite
static two log_wide(double x)
{
    const place at = place_of(x);
    const double r = at.r_high + at.r_low;
    const two square = product(r, r);
    const two sum = fast_sum(at.base.high, at.r_high);
    const two next = fast_sum(sum.high, -0.5 * square.high);
    // r is rounded: its square lacks 2 r times what was lost
    const double lost = at.r_low - (r - at.r_high);
    const double low =
        next.low + (sum.low + at.base.low + at.r_low) + (log_tail(r) - 0.5 * square.low - r * lost);
    return fast_sum(next.high, low);
}

// ---- exponentials ----

// 2^k (base + rest) = exp(x.high + x.low)
typedef struct grown {
    double base, rest;
    int64_t k;
} grown;

// |x.high| < 800
static grown grow(two x)
{
    // adding and taking away 1.5 2^52 rounds to a whole number
    const double steps = x.high * PER_STEP + 0x1.8p52 - 0x1.8p52;
    const int64_t number = (int64_t)steps;
    const double r = (x.high - steps * STEP_HIGH) + (x.low - steps * STEP_LOW);
    const double r2 = r * r;
    const double p = r + (r2 * (0.5 + r * (1.0 / 6)) +
                          r2 * r2 * ((1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720)));
    const int64_t j = number & (EXP_CELLS - 1);
    const double *const row = exp_table[j];
    return (grown){row[0], row[1] + row[0] * p, (number - j) / EXP_CELLS};
}

// 2^k (base + rest), rounded once also where it is below the normal numbers
static double whole(grown g)
{
    if (g.k >= -1021 && g.k <= 1022)
        return (g.base + g.rest) * power_of_two(g.k);
    if (g.k > 1022)
        return (g.base + g.rest) * 0x1p1022 * power_of_two(g.k - 1022);
    // in units of 2^-1022 the last place is that of 1, so rounding at 1 + y rounds y as it must be
    const double unit = g.k < -1100 ? 0 : power_of_two(g.k + 1022);
    const double y = g.base * unit, rest = g.rest * unit;
    if (y + rest >= 1)
        return (y + rest) * 0x1p-1022;
    const two sum = fast_sum(1, y);
    return (sum.high + (sum.low + rest) - 1) * 0x1p-1022;
}

double lgkt_exp(double x)
{
    if (!(fabs(x) < 746))
        return x > 0 ? INFINITY : x < 0 ? 0 : x;
    return whole(grow((two){x, 0}));
}

double lgkt_exp2(double x)
{
    if (!(fabs(x) < 1076))
        return x > 0 ? INFINITY : x < 0 ? 0 : x;
    // the whole part is exact, the rest is at most 1/2
    const double k = x + 0x1.8p52 - 0x1.8p52;
    grown g = grow((two){(x - k) * (LN2_HIGH + LN2_LOW), 0});
    g.k += (int64_t)k;
    return whole(g);
}

double lgkt_expm1(double x)
{
    if (fabs(x) < 0.25) {
        // x + x^2/2! + .. + x^13/13!
        double sum = 1.0 / 6227020800;
        static const double inverse_factorials[] = {
            1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
            1.0 / 5040,      1.0 / 720,      1.0 / 120,     1.0 / 24,     1.0 / 6};
        for (int i = 0; i < 10; i++)
            sum = sum * x + inverse_factorials[i];
        return x + (0.5 * x * x + x * x * x * sum);
    }
    if (!(fabs(x) < 50))
        return x < 0 ? -1 : lgkt_exp(x);
    const grown g = grow((two){x, 0});
    const double unit = power_of_two(g.k), high = g.base * unit;
    const two sum = high > 1 ? fast_sum(high, -1) : fast_sum(-1, high);
    return sum.high + (sum.low + g.rest * unit);
}

double lgkt_pow(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (!(x > 0 && x <= DBL_MAX && fabs(y) <= DBL_MAX)) {
        if (x != x || y != y || x < 0)
            return NAN;
        // 0 or infinity, or an infinite power of something on one side of 1
        return (x > 1) == (y > 0) ? INFINITY : 0;
    }
    const two log_x = log_wide(x);
    const double about = y * log_x.high;
    if (!(fabs(about) < 746))
        return about > 0 ? INFINITY : 0;
    two power = product(y, log_x.high);
    power.low += y * log_x.low;
    return whole(grow(power));
}

double lgkt_cbrt(double x)
{
    if (!(fabs(x) > 0 && fabs(x) <= DBL_MAX))
        return x;
    double size = fabs(x), unit = 1;
    if (size < DBL_MIN) {
        size *= 0x1p54;
        unit = 0x1p-18;
    }
    const double about = lgkt_exp(lgkt_log(size) * (1.0 / 3));
    // with 24 bits the square is exact
    const double t = from_bits(bits_of(about) & 0xffffffffe0000000);
    const double quotient = size / (t * t);
    const double root = (t + t * ((quotient - t) / (t + t + quotient))) * unit;
    return x < 0 ? -root : root;
}

// ---- angles ----

#define EIGHTH_TURN 0.78539816339744831

enum { TURN_DIGITS = 7, ANGLE_DIGITS = TURN_DIGITS + 2, REST_DIGITS = 5 };

// 32 bits of a number of 32-bit digits, the lowest digit first, from bit i on
static uint32_t bits_at(const uint32_t number[ANGLE_DIGITS + 1], int i)
{
    const uint64_t both =
        i / 32 < ANGLE_DIGITS ? number[i / 32] | (uint64_t)number[i / 32 + 1] << 32 : 0;
    return (uint32_t)(both >> i % 32);
}

// x = (n + rest) quarter turns, |rest| <= 1/2: returns n mod 4, and the angle of the rest. Payne and
// Hanek (1983): of 2/pi only those words are multiplied that are no whole turns.
static int reduce(double x, two *angle)
{
    // |x| = 2^e m
    const int e = (int)(bits_of(x) >> 52 & 0x7ff) - 1075;
    const uint64_t m = (bits_of(x) & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const int first = e > 2 ? (e - 2) / 32 : 0;
    uint32_t digits[ANGLE_DIGITS + 1] = {0};
    for (int i = 0; i < TURN_DIGITS; i++) {
        const uint64_t word = turn_table[first + TURN_DIGITS - 1 - i];
        const uint64_t low = word * (uint32_t)m + digits[i];
        const uint64_t high = word * (m >> 32) + digits[i + 1] + (low >> 32);
        digits[i] = (uint32_t)low;
        digits[i + 1] = (uint32_t)high;
        digits[i + 2] = (uint32_t)(high >> 32);
    }
    const int point = 32 * (first + TURN_DIGITS) - e; // bits behind the binary point
    // a first digit of 1/2 and more is negative, and counts as the next quarter turn
    const uint32_t top = bits_at(digits, point - 32);
    const bool next = top >> 31 != 0;
    double unit = 0x1p-32, low = 0;
    two rest = {((double)top - (next ? 0x1p32 : 0)) * unit, 0};
    for (int i = 2; i <= REST_DIGITS; i++) {
        unit *= 0x1p-32;
        rest = fast_sum(rest.high, bits_at(digits, point - 32 * i) * unit);
        low += rest.low;
    }
    two turned = product(rest.high, QUARTER_HIGH);
    turned.low += rest.high * QUARTER_LOW + low * QUARTER_HIGH;
    *angle = fast_sum(turned.high, turned.low);
    const int quarters = (int)((bits_at(digits, point) + next) & 3);
    if (x > 0)
        return quarters;
    *angle = (two){-angle->high, -angle->low};
    return -quarters & 3;
}

// sin(x + low), |x| <= pi/4
static inline double sin_near(double x, double low)
{
    const double y = x * x;
    // the next term of the series is below 2^-62
    const double tail =
        1.0 / 39916800 - y * (1.0 / 6227020800 - y * (1.0 / 1307674368000 - y / 355687428096000));
    const double rest =
        1.0 / 6 - y * (1.0 / 120 - y * (1.0 / 5040 - y * (1.0 / 362880 - y * tail)));
    return x - (x * (y * rest) - low * (1 - 0.5 * y));
}

// cos(x + low)
static inline double cos_near(double x, double low)
{
    const double y = x * x, half = 0.5 * y;
    const double tail = 1.0 / 479001600 - y * (1.0 / 87178291200 - y * (1.0 / 20922789888000));
    const double rest =
        1.0 / 24 - y * (1.0 / 720 - y * (1.0 / 40320 - y * (1.0 / 3628800 - y * tail)));
    // 1 - half is exact to its last place, and what it lost is known
    const double most = 1 - half;
    return most + (((1 - most) - half) + (y * y * rest - low * x));
}

// sin(x + quarters pi/2) beyond pi/4
static double sin_far(double x, int quarters)
{
    if (!(fabs(x) <= DBL_MAX))
        return NAN;
    two angle;
    const int quarter = (reduce(x, &angle) + quarters) & 3;
    const double size =
        quarter & 1 ? cos_near(angle.high, angle.low) : sin_near(angle.high, angle.low);
    return quarter & 2 ? -size : size;
}

double lgkt_sin(double x)
{
    return fabs(x) <= EIGHTH_TURN ? sin_near(x, 0) : sin_far(x, 0);
}

double lgkt_cos(double x)
{
    return fabs(x) <= EIGHTH_TURN ? cos_near(x, 0) : sin_far(x, 1);
}
