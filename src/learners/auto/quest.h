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
    double quest_base, quest_slope, quest_path; // of h + E: a constant, and weights of both values
    int32_t action, quest;                      // whose rows these are
} lgkt_quest_plan;

typedef struct lgkt_quests {
    double *journey;        // (S) E
    lgkt_quest_plan *plans; // (S)
    double *worth;          // (A) of the state at hand: the larger of index and Z

    // chances that a try shows something new
    double new_states, new_rewards, tries; // F, F_r, W
    double tries_found;                    // W at the last new state
    double alpha, alpha_reward;
    int64_t tried;        // pairs
    double rarity_so_far; // sum of 1/n over tried pairs, of this round
    // what is to be had
    double found_so_far; // highest mean reward of a pair, of this round
    double above, below; // by how much means were surely beyond the told bounds
    double steady;       // recent mean reward of steps that were no quest
    int64_t steady_steps;
    double values[LGKT_QUEST_VALUES]; // distinct rewards, in the order met
    int32_t value_count;              // at most one more than there is room for
    // prizes
    double lump, lump_new, nu;
    bool going;         // the step in play is a quest
    bool gone, eager;   // there was one in this round; in the last
    int32_t sweep_turn; // next to sweep, from the last one known to the first
    int64_t steps;      // that were quests
} lgkt_quests;

bool lgkt_quest_create(lgkt_learner *learner);
void lgkt_quest_release(lgkt_learner *learner);
bool lgkt_quest_grow(lgkt_learner *learner, int32_t before, int32_t after);
void lgkt_quest_visit(lgkt_learner *learner, lgkt_archive *archive);

// A state was refreshed: `best` is the action with the highest mean.
void lgkt_quest_refresh(lgkt_learner *learner, int32_t state, int32_t best);
// What the row refreshed last says for the end of the round.
void lgkt_quest_note(lgkt_learner *learner);
// Some states are brought up to date, with the actions of their last refresh.
void lgkt_quest_sweep(lgkt_learner *learner);
// The end of a round: chances and prizes anew. `closed` pairs of known states cannot be tried.
void lgkt_quest_settle(lgkt_learner *learner, double closed);
// What is played in the state refreshed last, of actions with the highest of these (A): the indices
// or, if there is a quest, more.
const double *lgkt_quest_choose(lgkt_learner *learner);
// Whether the action, which was chosen by these, is a quest.
void lgkt_quest_begin(lgkt_learner *learner, int32_t action, double slack);
// A step of pair z with reward x was counted; `fresh`: its next state was never met before,
// `record`: no reward was higher.
void lgkt_quest_learn(lgkt_learner *learner, size_t z, double x, bool fresh, bool record);
// All values are void, since rewards get a unit.
void lgkt_quest_start_over(lgkt_learner *learner);

#endif
