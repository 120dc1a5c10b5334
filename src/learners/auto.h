// SPDX-License-Identifier: MIT
// What the parts of `auto` share: the learner and its values (auto.c), and what the second
// generation adds, quests (quest.c) and a look for hidden state (hidden.c).
#ifndef LGKT_LEARNERS_AUTO_H
#define LGKT_LEARNERS_AUTO_H

#include "learners/hidden.h"
#include "learners/quest.h"
#include "learners/reward_bounds.h"
#include "learners/spread.h"
#include "learners/successors.h"

typedef struct lgkt_auto_settings {
    double depth, growth, visits, limit, pull;
    int64_t refresh;
    // of the second generation
    double caution;
    int64_t sweep;
    lgkt_reward_range range; // NaN where not told
} lgkt_auto_settings;

// the rewards of a pair, counted from the origin
typedef struct lgkt_auto_moments {
    double mean, squares;
} lgkt_auto_moments;

// a pair as one number: mean, and what is added to it
typedef struct lgkt_worth {
    double mean, bonus;
    double reward; // the part of the mean that is earned at once
    double slope;  // of the mean over the continuation, in units of beta; for quests
} lgkt_worth;

typedef struct lgkt_auto {
    lgkt_auto_settings set;
    bool second; // generation
    lgkt_successors counts;
    lgkt_auto_moments *rewards; // (S, A)
    double *h;                  // (S)
    int64_t *visits;            // (S)
    int64_t total;              // of all visits, fed ones included

    // states that were visited, in that order, and a mark on each
    int32_t *known; // (S)
    bool *met;      // (S)
    int32_t states; // known ones
    int32_t turn;   // next to refresh

    lgkt_pair_spread reward, next;           // of mean rewards and continuations
    lgkt_spread_sums reward_sums, next_sums; // of the round at hand
    double depth, beta;                      // D and 1 - 1/D
    double origin;                           // first reward
    bool differs;                            // a second reward was seen
    double unit;                             // of all rewards and values here: 1, or for small ones
    double highest, lowest;                  // reward, counted from the origin

    // the row of the state refreshed last
    lgkt_sample *row_rewards; // (A)
    lgkt_sample *row_nexts;   // (A)
    lgkt_worth *worths;       // (A)
    double *index;            // (A)

    lgkt_quests quests;
    lgkt_hidden hidden;
} lgkt_auto;

// No value is above this; see the guard in auto.c.
static inline double lgkt_auto_most(const lgkt_auto *u)
{
    return (u->differs ? 2 * u->highest - u->lowest : 2) * u->depth;
}

#endif
