// SPDX-License-Identifier: MIT
// Reservation prices: what a look at something unknown is worth when it can be used N times.
//
// Weitzman 1979: a box holds X and opening it takes one turn, after which the better of X and a
// known z can be taken in each of the N turns that follow. Opening costs z - E[X] once and brings
// E[(X - z)+] N times, so it pays as long as z is below the price that solves
//
//     z - E[X] = N E[(X - z)+]
//
// With E[X] = m and standard deviation tau, z = m + tau x(N), and x depends on the law of X alone.
// The normal law is for what was seen already and is known with an error; the exponential one,
// whose upper tail is heavy, for what was never tried.
//
// They come from a table over N, linear within each eighth of a power of two. A double has the power
// and the eighth in its first bits: no logarithm is taken.

#include "learners/auto/auto.h"

#include <string.h>

#include "learners/auto/reservation_table.h"

// the bits of a double: 52 of mantissa, exponent with bias 1023; the first 3 of the mantissa tell
// the eighth
#define MANTISSA  52
#define BIAS      1023
#define CELL_BITS 3

static double price(const double *prices, double n)
{
    const double first = 1.0 / 256, last = 281474976710656.0; // 2^LOW, 2^HIGH
    if (!(n > first))
        return n > 0 ? prices[0] * (n / first) : 0;
    if (n >= last)
        return prices[RESERVATION_ROWS - 1];
    uint64_t bits;
    memcpy(&bits, &n, sizeof bits);
    const int64_t cell = (int64_t)(bits >> (MANTISSA - CELL_BITS)) -
                         ((int64_t)(BIAS + RESERVATION_LOW) << CELL_BITS);
    const uint64_t rest = bits & ((UINT64_C(1) << (MANTISSA - CELL_BITS)) - 1);
    const double part = (double)rest / (double)(UINT64_C(1) << (MANTISSA - CELL_BITS));
    return prices[cell] + part * (prices[cell + 1] - prices[cell]);
}

double lgkt_reservation_normal(double n)
{
    return price(normal_prices, n);
}

double lgkt_reservation_exponential(double n)
{
    return price(exponential_prices, n);
}
