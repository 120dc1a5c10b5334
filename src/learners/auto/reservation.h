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
#ifndef LGKT_LEARNERS_RESERVATION_H
#define LGKT_LEARNERS_RESERVATION_H

// x(N) for N >= 0: 0 at 0 and rising, from a table, within 0.2% of the root. Beyond 2^48 it stays.
double lgkt_reservation_normal(double n);
// The root of x = N exp(-x - 1).
double lgkt_reservation_exponential(double n);

#endif
