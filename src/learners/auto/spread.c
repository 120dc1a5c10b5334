// SPDX-License-Identifier: MIT
// The estimates of spread.h.
//
// With n_z sights of pair z and m_s seen pairs in state s:
//   noise   = sum_z squares_z / sum_z (n_z - 1)
//   whole   = sample variance of the means of all pairs, less noise mean(1/n)
//   within  = sum_s sum_a (x(s,a) - x(s,.))^2 / sum_s (m_s - 1), less noise of the same kind
//   between = whole - within, at least 0
// Differences of variances may come out too small or below 0: each is kept above a twentieth of the
// sample variance of the means, so that a few alike numbers do not end all doubt.

#include "learners/auto/auto.h"

static const lgkt_sample *sample_at(const lgkt_sample *row, size_t stride, int32_t a)
{
    return (const lgkt_sample *)(const void *)((const char *)row + (size_t)a * stride);
}

void lgkt_spread_add(lgkt_spread_sums *sums, const lgkt_sample *row, size_t stride, int32_t actions)
{
    double pairs = 0, sum = 0, squares = 0, rarity = 0;
    for (int32_t a = 0; a < actions; a++) {
        const lgkt_sample *seen = sample_at(row, stride, a);
        if (seen->n == 0)
            continue;
        const double x = seen->mean - sums->origin;
        pairs += 1;
        sum += x;
        squares += x * x;
        rarity += 1 / seen->n;
        sums->noise_squares += seen->squares;
        sums->noise_degrees += seen->n - 1;
    }
    sums->pairs += pairs;
    sums->sum += sum;
    sums->squares += squares;
    sums->rarity += rarity;
    if (pairs < 2)
        return;
    sums->own_squares += lgkt_larger(0, squares - sum * (sum / pairs));
    sums->own_degrees += pairs - 1;
    sums->own_rarity += rarity * (1 - 1 / pairs);
}

lgkt_pair_spread lgkt_spread_settle(lgkt_spread_sums *sums)
{
    const lgkt_spread_sums at = *sums;
    *sums = (lgkt_spread_sums){.origin = at.origin};
    if (at.pairs == 0)
        return (lgkt_pair_spread){0, 0, 0, 0};
    const double mean = at.sum / at.pairs;
    const double sampled =
        at.pairs > 1 ? lgkt_larger(0, at.squares - at.sum * mean) / (at.pairs - 1) : 0;
    const double noise = at.noise_degrees > 0 ? at.noise_squares / at.noise_degrees : 0;
    const double least = AUTO_LEAST * sampled;
    const double whole = lgkt_larger(least, sampled - noise * (at.rarity / at.pairs));
    double within = whole;
    if (at.own_degrees > 0)
        within = lgkt_larger(least, (at.own_squares - noise * at.own_rarity) / at.own_degrees);
    // within is at least a part of whole, unless numbers that small have become 0
    const double between = within > 0 ? lgkt_larger(0, whole - within) : 0;
    sums->origin = at.origin + mean;
    return (lgkt_pair_spread){sums->origin, within, between, noise};
}

double lgkt_spread_expect(const lgkt_pair_spread *spread, const lgkt_sample *row, size_t stride,
                          int32_t actions)
{
    if (spread->between == 0)
        return spread->mean;
    double sum = 0, weights = 0;
    for (int32_t a = 0; a < actions; a++) {
        const lgkt_sample *seen = sample_at(row, stride, a);
        if (seen->n == 0)
            continue;
        // weights are relative to `between`, so that no square of a reward is divided by another
        const double weight =
            spread->between * seen->n / (spread->within * seen->n + spread->noise);
        sum += weight * (seen->mean - spread->mean);
        weights += weight;
    }
    return spread->mean + sum / (weights + 1);
}

// ---- saving ----

static bool is_count(double x)
{
    return x == 0 || x >= 1;
}

void lgkt_spread_visit(lgkt_archive *archive, lgkt_pair_spread *spread, lgkt_spread_sums *sums)
{
    lgkt_visit_f64(archive, &spread->mean, 1);
    lgkt_visit_squares(archive, &spread->within, 3);
    lgkt_visit_f64(archive, &sums->origin, 3); // origin, pairs, sum; the rest follows
    lgkt_visit_squares(archive, &sums->squares, 7);
    // no variance is below 0, and a twentieth of the whole is within; each pair counts, is at most
    // as rare as one, and no sum is divided by a part of one
    archive->bad |= !(spread->within >= 0 && spread->between >= 0 && spread->noise >= 0 &&
                      spread->between <= 2 / AUTO_LEAST * spread->within &&
                      sums->noise_squares >= 0 && sums->squares >= 0 && sums->own_squares >= 0);
    archive->bad |= !(is_count(sums->pairs) && is_count(sums->own_degrees) &&
                      is_count(sums->noise_degrees) && sums->rarity >= 0 && sums->own_rarity >= 0 &&
                      sums->rarity <= sums->pairs && sums->own_rarity <= sums->pairs);
}
