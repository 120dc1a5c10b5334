// SPDX-License-Identifier: MIT
// The index of IMED-RL: how many visits speak against an action being the best of its state.
//
//   v = r + phi(y)  what one play of the action is worth, r and y drawn independently of what was
//                   seen: the law below
//   gam             what the best action of the state is worth, top = U, the most that v can be
//   K               max over 0 <= x <= 1/(U - gam) of E log(1 - (v - gam) x); 0 if E v >= gam
//
//   formula   n K + ln n
//   log-u     n (K + ln U) + ln n        as in the published packages
//   p0        n X + ln X, X = K + ln U   as in the listing of the paper's own code
//
// An action with E v >= gam has the index ln n in all three.
#ifndef LGKT_LEARNERS_IMED_INDEX_H
#define LGKT_LEARNERS_IMED_INDEX_H

#include <stdbool.h>
#include <stdint.h>

// Points with their probabilities.
typedef struct lgkt_points {
    const double *at, *share;
    int32_t count;
} lgkt_points;

// most points of a sum
enum { LGKT_IMED_POINTS = 64 };

// The law of the sum of two that are independent, written to at and share (LGKT_IMED_POINTS):
// exact if it has no more points than that, else in 32 cells of equal width with the mean of what
// is in them.
lgkt_points lgkt_points_sum(const lgkt_points *first, const lgkt_points *second, double *at,
                            double *share);

typedef struct lgkt_moments {
    double mean, variance;
} lgkt_moments;

lgkt_moments lgkt_points_moments(const lgkt_points *points);

// K of the law of v; points above `top` count as `top`. *failed is counted up if the root was not
// found to nearly the last digit.
double lgkt_imed_k(const lgkt_points *law, double gam, double top, int64_t *failed);
// Something that K is not below, from the moments of v alone.
double lgkt_imed_k_least(const lgkt_moments *moments, double gam, double top);

// positions in the choice list of `index`
typedef enum lgkt_imed_form { LGKT_IMED_FORMULA, LGKT_IMED_LOG_U, LGKT_IMED_P0 } lgkt_imed_form;

// The index if E v < gam; it grows with k. log_u is not read by the formula.
double lgkt_imed_index(lgkt_imed_form form, double n, double k, double log_u);

#endif
