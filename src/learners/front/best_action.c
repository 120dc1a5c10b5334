// SPDX-License-Identifier: MIT
// The best of a row of values, and a fair draw among those that share it.

#include "learners/front/best_action.h"

#include <math.h>

static lgkt_best best_of(const lgkt_action_values *values)
{
    const double *at = values->at;
    const size_t end = (size_t)values->count * values->stride;
    lgkt_best best = {.value = -INFINITY};
    for (size_t i = 0; i < end; i += values->stride)
        best.value = at[i] > best.value ? at[i] : best.value;
    const double least = best.value - values->slack;
    for (size_t i = end; i > 0; i -= values->stride)
        if (at[i - values->stride] >= least) {
            best.ties++;
            best.first = (int32_t)(i / values->stride) - 1;
        }
    return best;
}

void lgkt_best_change(lgkt_best *best, const lgkt_action_values *values, double before,
                      double after)
{
    const double least = best->value - values->slack;
    if (!(before < least && after < least))
        *best = best_of(values);
}

// ---- among allowed actions ----

// Loops of their own: one for both made plain choices of q-greedy a seventh slower.

static bool may(const uint8_t *allowed, int32_t action)
{
    return allowed == NULL || allowed[action] != 0;
}

static bool ties_among(const lgkt_best *best, const lgkt_action_values *values,
                       const uint8_t *allowed, int32_t action)
{
    return may(allowed, action) &&
           values->at[(size_t)action * values->stride] >= best->value - values->slack;
}

lgkt_best lgkt_best_among(const lgkt_action_values *values, const uint8_t *allowed)
{
    if (allowed == NULL)
        return best_of(values);
    lgkt_best best = {.value = -INFINITY};
    for (int32_t a = 0; a < values->count; a++) {
        const double value = values->at[(size_t)a * values->stride];
        best.value = may(allowed, a) && value > best.value ? value : best.value;
    }
    for (int32_t a = values->count - 1; a >= 0; a--)
        if (ties_among(&best, values, allowed, a)) {
            best.ties++;
            best.first = a;
        }
    return best;
}

int32_t lgkt_best_pick_among(const lgkt_best *best, const lgkt_action_values *values,
                             const uint8_t *allowed, lgkt_rng *rng)
{
    if (best->ties <= 1)
        return best->first;
    int32_t left = lgkt_rng_below(rng, best->ties), a = best->first;
    while (a < values->count - 1 && (!ties_among(best, values, allowed, a) || left-- > 0))
        a++;
    return a;
}

int32_t lgkt_choose_best(const lgkt_action_values *values, const uint8_t *allowed, lgkt_rng *rng)
{
    const lgkt_best best = lgkt_best_among(values, allowed);
    return lgkt_best_pick_among(&best, values, allowed, rng);
}

int32_t lgkt_choose_tie(const int32_t *ties, int32_t count, lgkt_rng *rng)
{
    return ties[count > 1 ? lgkt_rng_below(rng, count) : 0];
}

int32_t lgkt_draw_among(int32_t count, const uint8_t *allowed, lgkt_rng *rng)
{
    if (allowed == NULL)
        return lgkt_rng_below(rng, count);
    int32_t all = 0, a = 0;
    for (int32_t b = 0; b < count; b++)
        all += allowed[b] != 0;
    for (int32_t left = lgkt_rng_below(rng, all); allowed[a] == 0 || left-- > 0;)
        a++;
    return a;
}

// ---- laws ----

void lgkt_law_of_best(const lgkt_action_values *values, const uint8_t *allowed,
                      lgkt_reason *reasons)
{
    const lgkt_best best = lgkt_best_among(values, allowed);
    for (int32_t a = 0; a < values->count; a++)
        reasons[a].probability = ties_among(&best, values, allowed, a) ? 1 / (double)best.ties : 0;
}

void lgkt_law_of_ties(const int32_t *ties, int32_t tie_count, int32_t count, lgkt_reason *reasons)
{
    for (int32_t a = 0; a < count; a++)
        reasons[a].probability = 0;
    for (int32_t i = 0; i < tie_count; i++)
        reasons[ties[i]].probability = 1.0 / tie_count;
}

lgkt_action_values lgkt_reason_values(const double *at, int32_t count)
{
    return (lgkt_action_values){
        .at = at, .stride = sizeof(lgkt_reason) / sizeof(double), .count = count};
}

void lgkt_law_of_action(int32_t action, int32_t count, lgkt_reason *reasons)
{
    for (int32_t a = 0; a < count; a++)
        reasons[a].probability = a == action;
}

void lgkt_law_mix_even(double weight, const uint8_t *allowed, int32_t count, lgkt_reason *reasons)
{
    double share = 0;
    for (int32_t a = 0; a < count; a++)
        share += may(allowed, a);
    for (int32_t a = 0; a < count; a++) {
        lgkt_reason *reason = &reasons[a];
        reason->probability =
            (1 - weight) * reason->probability + (may(allowed, a) ? weight / share : 0);
    }
}
