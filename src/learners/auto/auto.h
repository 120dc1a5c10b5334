// SPDX-License-Identifier: MIT
// What the parts of `auto` share: the learner and its values (auto.c), quests, which are journeys to
// something that was never seen (quest.c), and a look for hidden state, on which the rewards of a
// pair depend (hidden.c).
#pragma once

#include "learners/model/rewards.h"
#include "learners/model/spread.h"
#include "learners/model/successors.h"

// ---- quests ----

// rewards that are told apart; with more of them nothing is guessed beyond what was seen
#define LGKT_QUEST_VALUES 16
// below all rewards
#define LGKT_QUEST_NOTHING (-LGKT_MAX_NUMBER)

// What the last refresh of a state rests on: with the same actions and constants h and E can be
// brought up to date at the cost of one row each.
typedef struct lgkt_quest_plan {
    double base, slope;                         // of h
    double quest_base, quest_slope, quest_path; // of h + E: a constant, and weights of h and E
    int32_t action, quest;                      // whose rows these are
} lgkt_quest_plan;

typedef struct lgkt_quests {
    double *journey;        // (S) E
    lgkt_quest_plan *plans; // (S)
    double *worth;          // (A) of the state at hand: the larger of index and Z

    // chances that a try shows something new
    double new_states, new_rewards, tries; // F, F_r, W
    double tries_at_new_state;             // W when a state was last met for the first time
    double alpha, alpha_reward;
    int64_t tried; // pairs
    // of the round at hand
    double rarity_so_far; // sum of 1/n over tried pairs
    double best_so_far;   // highest mean reward of a pair
    // what is to be had
    double above_max, below_min; // by how much means were surely beyond the told bounds
    double steady;               // g, the recent mean reward of steps that were no quest
    int64_t steady_steps;
    double values[LGKT_QUEST_VALUES]; // distinct rewards, in the order met
    int32_t value_count;              // LGKT_QUEST_VALUES + 1: more than there is room for
    double lump, lump_new, nu;

    bool in_quest;            // the step in play is a quest
    bool quest_in_round;      // there was one in this round
    bool quest_in_last_round; // and in the one before
    int32_t sweep_turn;       // next to sweep, from the last one known to the first
    int64_t steps;            // that were quests
} lgkt_quests;

// ---- hidden state ----

// The last visit of a pair. Here and below a pair is its number + 1, and 0 is none.
typedef struct lgkt_hidden_visit {
    double reward;
    int64_t before; // pair played before it
} lgkt_hidden_visit;

typedef struct lgkt_hidden {
    lgkt_hidden_visit *visits; // (S, A)
    int64_t count;             // visits after the same pair as the visit before
    double gain, squares;      // sums over these, see hidden.c
    double surprise;           // the same, of rewards above what was believed
    bool found;

    // the step before: its pair; and, once hidden state was found, what it has earned so far, since
    // the next reward counts for it too, and where it led
    int64_t last;
    double pending;
    int32_t pending_next;
} lgkt_hidden;

// ---- the learner ----

typedef struct lgkt_auto_settings {
    double depth, growth, visits, limit, pull;
    int64_t refresh;
    double caution;
    int64_t sweep;
    lgkt_reward_range range; // NaN where not told
} lgkt_auto_settings;

// a pair as one number: mean, and what is added to it
typedef struct lgkt_worth {
    double mean, bonus;
    double reward; // the part of the mean that is earned at once
    double slope;  // of the mean over the continuation, in units of beta; for quests
} lgkt_worth;

typedef struct lgkt_auto {
    lgkt_auto_settings set;
    lgkt_successors counts; // rewards are means, counted from the origin
    double *squares;        // (S, A) of rewards about their mean
    double *h;              // (S)
    int64_t *visits;        // (S)
    int64_t total;          // of all visits, fed ones included

    // states that were visited, in that order, and a mark on each
    int32_t *known; // (S), -1 behind the last
    bool *met;      // (S)
    int32_t known_count;
    int32_t turn; // of the known ones: next to refresh

    lgkt_pair_spread reward, next;           // of mean rewards and continuations
    lgkt_spread_sums reward_sums, next_sums; // of the round at hand
    double depth, beta;                      // D and 1 - 1/D
    double origin;                           // first reward
    bool differs;                            // a second reward was seen
    double highest, lowest;                  // reward, counted from the origin

    // the row of the state refreshed last
    lgkt_sample *row_rewards; // (A)
    lgkt_sample *row_nexts;   // (A)
    lgkt_worth *worths;       // (A)
    double *index;            // (A)

    lgkt_quests quests;
    lgkt_hidden hidden;
    bool others_refreshed; // of a copy that only explains: the other states have had their turn
} lgkt_auto;

// No value is above this; see the guard in auto.c.
static inline double lgkt_auto_most(const lgkt_auto *u)
{
    return (u->differs ? 2 * u->highest - u->lowest : 2) * u->depth;
}

// ---- quest.c ----

extern const lgkt_part lgkt_quests_part;

// A state was refreshed: `best` is the action with the highest mean.
void lgkt_quest_refresh(lgkt_learner *learner, int32_t state, int32_t best);
// What the row refreshed last says for the end of the round.
void lgkt_quest_note(lgkt_learner *learner);
// Some states are brought up to date, with the actions of their last refresh.
void lgkt_quest_sweep(lgkt_learner *learner);
// The end of a round: chances and prizes anew. `closed` pairs of known states cannot be tried.
void lgkt_quest_settle(lgkt_learner *learner, double closed);
// What the actions of the state refreshed last are chosen by (A): the indices or, if there is a
// quest, the larger of index and Z.
const double *lgkt_quest_choose(lgkt_learner *learner);
// Whether the action that was chosen so is a quest.
void lgkt_quest_begin(lgkt_learner *learner, int32_t action, double slack);
// A step of pair z with reward x was counted; `is_new_state`: its next state was never met before,
// `is_record`: no reward was higher.
void lgkt_quest_learn(lgkt_learner *learner, size_t z, double x, bool is_new_state, bool is_record);
// All values are void, since rewards get a unit.
void lgkt_quest_start_over(lgkt_learner *learner);

// ---- reservation.c ----

// x(N) for N >= 0: 0 at 0 and rising, from a table, within 0.2% of the root. Beyond 2^48 it stays.
double lgkt_reservation_normal(double n);
// The root of x = N exp(-x - 1).
double lgkt_reservation_exponential(double n);

// ---- hidden.c ----

// All but the step before, which belongs to a trajectory.
extern const lgkt_part lgkt_hidden_part;

// A step of pair number z. The mean of its rewards is that before this one, variance and visits n
// are those with it. True if it gives hidden state away.
bool lgkt_hidden_look(lgkt_hidden *hidden, size_t z, double reward, double mean, double variance,
                      double n);
