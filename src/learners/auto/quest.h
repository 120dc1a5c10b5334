// SPDX-License-Identifier: MIT
// Quests: journeys to something that was never seen, for `auto`.
#ifndef LGKT_LEARNERS_QUEST_H
#define LGKT_LEARNERS_QUEST_H

#include "learners/front/learner_private.h"

// rewards that are told apart; with more of them nothing is guessed beyond what was seen
#define LGKT_QUEST_VALUES 16

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

extern const lgkt_part lgkt_quests_part;

void lgkt_quest_create(lgkt_quests *quests);
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

#endif
