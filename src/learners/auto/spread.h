// SPDX-License-Identifier: MIT
// How a number that every pair has (its mean reward, say) is spread over pairs, and what that tells
// of a pair that was seen seldom or never: empirical Bayes for a two-way layout.
//
//   x(s,a) = mean + state(s) + own(s,a),  seen with noise n(s,a) times
//
//   between   variance of state(s): how much states differ
//   within    variance of own(s,a): how much the actions of one state differ
//   noise     variance of one sight of a pair
//
// The estimates are those of a random-effects analysis of variance. They are added up state by
// state in a round over all known states, and settled at its end.
//
// The belief on a pair is that of a normal prior (expected, within) and n sights with its own
// noise: the pooled noise counts as 2 sights there. Normal priors move far means too much (rewards
// are seldom normal, and it is the far ones that matter), hence the limit in standard errors (Efron
// and Morris 1971).
#pragma once

#include <math.h>

#include "core/archive.h"
#include "core/error.h"

// What was seen of one pair.
typedef struct lgkt_sample {
    double mean;
    double squares; // sum of squared deviations from the mean
    double n;       // 0: nothing, and then the others are 0 too
} lgkt_sample;

typedef struct lgkt_pair_spread {
    double mean, within, between, noise;
} lgkt_pair_spread;

// The sums of a round. `origin` is near the mean, to keep the squares small.
typedef struct lgkt_spread_sums {
    double origin;
    double pairs, sum, squares, rarity;          // over seen pairs: 1, x, x^2, 1/n
    double own_squares, own_degrees, own_rarity; // about the mean of the state
    double noise_squares, noise_degrees;         // about the mean of the pair
} lgkt_spread_sums;

// What is believed of one pair.
typedef struct lgkt_belief {
    double mean, variance;
    double noise; // of one more sight
} lgkt_belief;

// Adds a state with its row (A) of samples, which are `stride` bytes apart.
void lgkt_spread_add(lgkt_spread_sums *sums, const lgkt_sample *row, size_t stride,
                     int32_t actions);
// The spread that the sums tell; empties them. With nothing added: all 0.
lgkt_pair_spread lgkt_spread_settle(lgkt_spread_sums *sums);
// What is expected of an action that was never tried: the mean of those that were, in so far as
// states differ, else of all pairs.
double lgkt_spread_expect(const lgkt_pair_spread *spread, const lgkt_sample *row, size_t stride,
                          int32_t actions);
// The belief on one pair, given what is expected of it. Its mean is moved towards `expected`, but
// by no more than `limit` standard errors.
static LGKT_HOT lgkt_belief lgkt_spread_believe(const lgkt_pair_spread *spread,
                                                const lgkt_sample *sample, double expected,
                                                double limit)
{
    const double n = sample->n;
    if (n == 0)
        return (lgkt_belief){expected, spread->within, spread->noise};
    const double noise = (2 * spread->noise + sample->squares) / (n + 1);
    const double total = n * spread->within + noise;
    const double doubt = total > 0 ? noise / total : 0;
    double move = doubt * (expected - sample->mean);
    if (move * move * n > limit * limit * noise)
        move = copysign(limit * sqrt(noise / n), move);
    return (lgkt_belief){sample->mean + move, doubt * spread->within, noise};
}
// Saves or loads them.
void lgkt_spread_visit(lgkt_archive *archive, lgkt_pair_spread *spread, lgkt_spread_sums *sums);
