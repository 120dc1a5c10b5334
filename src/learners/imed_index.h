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
#ifndef LGKT_LEARNERS_IMED_INDEX_H
#define LGKT_LEARNERS_IMED_INDEX_H

#include <stdbool.h>
#include <stdint.h>

// Points with their probabilities.
typedef struct lgkt_points {
    const double *at, *share;
    int32_t count;
} lgkt_points;

// The law of r + phi(y).
typedef struct lgkt_imed_law {
    lgkt_points reward, next;
} lgkt_imed_law;

typedef struct lgkt_moments {
    double mean, variance;
} lgkt_moments;

lgkt_moments lgkt_points_moments(const lgkt_points *points);

// K; points of v above `top` count as `top`. *failed is counted up if the root was not found to
// nearly the last digit.
double lgkt_imed_k(const lgkt_imed_law *law, double gam, double top, int64_t *failed);
// Something that K is not below, from the moments of v alone.
double lgkt_imed_k_least(const lgkt_moments *of, double gam, double top);

// positions in the choice list of `index`
typedef enum lgkt_imed_form { LGKT_IMED_FORMULA, LGKT_IMED_LOG_U, LGKT_IMED_P0 } lgkt_imed_form;

// The index; it grows with k. log_u is not read by the formula.
double lgkt_imed_index(lgkt_imed_form form, double n, double k, double log_u);

#endif
