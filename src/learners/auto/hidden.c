// SPDX-License-Identifier: MIT
// The look for hidden state.
//
// In a Markov decision process the rewards of a pair (s,a) are drawn anew at each visit: what was
// played before tells nothing about them. So at each visit that came after the same pair as the
// visit before it, foretell the reward y in two ways, by the mean of the pair so far and by the
// reward x of that last visit, and see which was closer:
//
//   gain = ((y - mean)^2 - (y - x)^2) / var
//
// Without hidden state y is independent of all that was before, whatever way led here, so that the
// expected gain is ((mean - mu)^2 - (x - mu)^2)/var, mu being the true mean: x alone is a bad
// forecast, and at best as good as mu itself, which gains 1/n on average. If rewards depend on
// something that is not in the state but leaves a trace in what was played before (a position held,
// a place that looks like another), x is much closer. Found means, at any step:
//
//   at least ENOUGH = 2 FEW^2 such visits, of pairs with more than FEW,
//   mean gain > 1/FEW,
//   sum of gains > SURE roots of the sum of their squares, and
//   sum of (y - mean)/sqrt(var) < -SURE sqrt(number of them)
//
// The last one asks whether it matters. Rewards that depend on more than the pair do no harm as
// long as what is played earns what is believed of it. If it earns less all the time, what is
// believed is what some hidden state earned that the choice itself leads away from.
//
// The mean gain is -1 where the last reward says nothing. It is above 0 only where x is always near
// mu, as in a long row of equal rewards that something rare ends, and then 1/n on average, which
// over ENOUGH visits is far below 1/FEW. In the environments of this project without
// hidden state there was no alarm (docs/auto.md).
//
// Cost O(1) a step; memory 16 bytes per pair.

#include "learners/auto/auto.h"

#include <math.h>

#define ENOUGH (2 * AUTO_FEW * AUTO_FEW) // visits

static const lgkt_field fields[] = {
    {LGKT_COLUMN(lgkt_hidden, visits, PER_PAIR, lgkt_hidden_visit, reward, REAL)},
    {LGKT_COLUMN(lgkt_hidden, visits, PER_PAIR, lgkt_hidden_visit, before, MAYBE_PAIR)},
    {LGKT_NUMBER(lgkt_hidden, count, COUNT)},
    {LGKT_NUMBER(lgkt_hidden, gain, REAL)},
    {LGKT_NUMBER(lgkt_hidden, surprise, REAL)},
    {LGKT_NUMBER(lgkt_hidden, squares, SQUARE)},
    {LGKT_NUMBER(lgkt_hidden, found, FLAG)},
};

static void check(lgkt_learner *learner, void *part, lgkt_archive *archive)
{
    const lgkt_hidden *hidden = part;
    (void)learner;
    archive->bad |= !(hidden->squares >= 0);
}

const lgkt_part lgkt_hidden_part = {.fields = fields, .count = LGKT_LENGTH(fields), .visit = check};

bool lgkt_hidden_look(lgkt_hidden *hidden, size_t z, double reward, double mean, double variance,
                      double n)
{
    lgkt_hidden_visit *visit = &hidden->visits[z];
    const lgkt_hidden_visit last = *visit;
    *visit = (lgkt_hidden_visit){reward, hidden->last};
    if (hidden->last == 0 || last.before != hidden->last || n <= AUTO_FEW || !(variance > 0))
        return false;
    const double by_mean = reward - mean, by_last = reward - last.reward;
    // no more than n, but for numbers that are made up
    const double gain =
        fmin(by_mean * (by_mean / variance), n) - fmin(by_last * (by_last / variance), n);
    hidden->count++;
    hidden->gain += gain;
    hidden->squares += gain * gain;
    hidden->surprise += fmax(fmin(by_mean / sqrt(variance), n), -n);
    return hidden->count >= ENOUGH && hidden->gain > (double)hidden->count / AUTO_FEW &&
           hidden->gain > AUTO_SURE * sqrt(hidden->squares) &&
           hidden->surprise < -AUTO_SURE * sqrt((double)hidden->count);
}
