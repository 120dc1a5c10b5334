// SPDX-License-Identifier: MIT
// The best of a row of values, one per action, and a fair draw among those that share it.
//
// A value belongs to the best if it is within `slack` of the highest: numbers that are equal on
// paper may differ in their last bits. With a slack of 0 infinite values are allowed.
#pragma once

#include "lgkt/learner.h"
#include "lgkt/rng.h"

// The values of `count` actions, `stride` apart.
typedef struct lgkt_action_values {
    const double *at;
    size_t stride;
    int32_t count;
    double slack;
} lgkt_action_values;

typedef struct lgkt_best {
    double value;  // the highest
    int32_t ties;  // how many actions share it
    int32_t first; // of them
} lgkt_best;

// Among the actions with allowed[a] != 0, at least one; NULL: all.
lgkt_best lgkt_best_among(const lgkt_action_values *values, const uint8_t *allowed);
// That of all actions after one value has changed from `before` to `after`, which is in `values`
// already. Two comparisons if it was and is below the best.
void lgkt_best_change(lgkt_best *best, const lgkt_action_values *values, double before,
                      double after);
// One of the best; draws one number if there are several.
int32_t lgkt_best_pick_among(const lgkt_best *best, const lgkt_action_values *values,
                             const uint8_t *allowed, lgkt_rng *rng);
// Both: the choice itself.
int32_t lgkt_choose_best(const lgkt_action_values *values, const uint8_t *allowed, lgkt_rng *rng);
// One of a list of actions that tie; draws one number if there are several.
int32_t lgkt_choose_tie(const int32_t *ties, int32_t count, lgkt_rng *rng);
// Any of them, all alike; draws one number.
int32_t lgkt_draw_among(int32_t count, const uint8_t *allowed, lgkt_rng *rng);

// ---- laws: the probabilities with which actions are chosen, written into reasons of length
// `count` ----

// One of the best, as lgkt_best_pick_among draws it.
void lgkt_law_of_best(const lgkt_action_values *values, const uint8_t *allowed,
                      lgkt_reason *reasons);
// As lgkt_choose_tie draws it.
void lgkt_law_of_ties(const int32_t *ties, int32_t tie_count, int32_t count, lgkt_reason *reasons);
// The same where the value looked at is a column of the reasons themselves; its first is `at`.
lgkt_action_values lgkt_reason_values(const double *at, int32_t count);
// One action for sure.
void lgkt_law_of_action(int32_t action, int32_t count, lgkt_reason *reasons);
// With probability `weight` any of the allowed actions, all alike, else what the law says already.
void lgkt_law_mix_even(double weight, const uint8_t *allowed, int32_t count, lgkt_reason *reasons);
