// SPDX-License-Identifier: MIT
// What the parts of `auto` share: its constants, the learner (auto.c), what a state is worth
// (value.c), what there may be to find (quest.c), and a look for hidden state (hidden.c). The head of
// auto.c says how they fit together.
#pragma once

#include "learners/auto/spread.h"
#include "learners/model/rewards.h"
#include "learners/model/successors.h"

// ---- constants: all there are; docs/auto.md says what half and double of each earn ----

// Of what a prize would bring if it were there and could be had, so much is believed: the one prior
// of how far to go for something never seen.
#define AUTO_WORTH 0.05
// By this share of the difference the gain and the rate of journeys follow what is seen.
#define AUTO_RATE 0.05
// The lookahead need be no longer than so many times the time for which a difference is felt.
#define AUTO_FELT 4.0
// So many standard errors are certain: of a mean reward beyond a told bound, and of hidden state.
#define AUTO_SURE 4.0
// Chance that what pays the told maximum is one of the pairs there are.
#define AUTO_PLACES 0.9
// So many visits make a state or pair well known; and so many values of rewards are told apart.
#define AUTO_FEW 16
// Range not told: a prize is so many times the mean distance of the rewards seen.
#define AUTO_GUESS 30.0
// No spread of pairs is below this share of the sample variance of their means.
#define AUTO_LEAST 0.05
// Indices that differ by less, in units of the spread, are equal,
#define AUTO_TIE 1e-9
// and so are rewards that differ by less: the squares of such differences are no numbers any more.
#define AUTO_SAME 1e-150

// ---- values of states ----

typedef struct lgkt_auto_value {
    double h; // what follows, discounted by beta
    double v; // what follows in the long run beyond the gain
    double w; // worth of the best journey from here, and
    double d; // the steps it takes; both 0 while there are none
} lgkt_auto_value;

// What the last refresh of a state rests on: with the same actions and constants its value can be
// brought up to date by a row or two.
typedef struct lgkt_auto_plan {
    double base, slope; // h = base + slope (mean of h where `best` leads)
    double reward;      // v = reward - gain + b (mean of v where `on` leads)
    double cost, path;  // w = path (mean of w where `way` leads) - cost,  d = 1 + path (mean of d)
    int32_t best;
    int32_t on, way; // -1: none
} lgkt_auto_plan;

// An action of the state at hand.
typedef struct lgkt_auto_option {
    lgkt_sample reward, next; // what was seen of it: rewards, and h where it led
    lgkt_auto_value after;    // means over where it led
    double expected;          // reward of an action of this state that was never tried
    double mean_reward, mean; // m_r, m
    double index;             // m and its price
    double slope;             // of m over the mean of h where it led
    double gap;               // what it gives away in the long run: v - Q
    double chance;            // that the next try leads to a new state: q, nu
    double worth, steps;      // of the journey that begins with it
} lgkt_auto_option;

// What a refresh says of a state.
typedef struct lgkt_auto_view {
    lgkt_auto_option *options; // (A), good until the next refresh
    lgkt_auto_value value;
    lgkt_auto_plan plan;
    double aim; // the worth of a journey, less rho times its steps, is added to this; -INFINITY:
                // there are no journeys
} lgkt_auto_view;

// ---- quests ----

// What is known of the process as a whole, for quest.c.
typedef struct lgkt_auto_facts {
    double left;          // L: steps left, the one at hand counted
    double pairs;         // of all states that can be tried
    double states, known; // S, K
    double usual;         // actions of a known state that can be tried
    double rarity;        // sum of 1/n over tried pairs
    double top, bottom;   // told bounds of the mean rewards, moved by what was seen; NaN: not told
    double highest, lowest; // rewards seen
    double found;           // highest mean that a pair may have
    double gain;            // mean reward of recent steps that were no quest
    bool differs;           // not all rewards are equal
} lgkt_auto_facts;

typedef struct lgkt_quests {
    // how often tries showed something new
    double new_states, new_rewards, tries; // F, F_r, W
    int64_t tried;                         // N_p
    double finds, spent;                   // states met on quests, and what quests have cost: C
    double thrown;                         // B
    int64_t thrown_steps;
    double steady; // mean reward of recent steps that were no quest
    int64_t steady_steps;
    double values[AUTO_FEW]; // distinct rewards, in the order met
    int32_t value_count;     // AUTO_FEW + 1: more than there is room for
    double above, below;     // by how much means were surely beyond the told bounds

    // of the last round
    double alpha, alpha_reward;
    double lump, lump_new, nu; // 0: nothing is looked for
    // of the round at hand
    double rarity_so_far, found_so_far;

    double rho;      // worth per step of the journeys at hand
    bool in_quest;   // the step in play is a quest
    double way_left; // d of the state it was played in, if it is the journey's way; else 0
    bool quest_in_round, quest_in_last_round;
    int64_t steps; // that were quests
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
    double depth, visits, limit, pull;
    int64_t refresh, sweep;
    lgkt_reward_range range; // NaN where not told
} lgkt_auto_settings;

typedef struct lgkt_auto {
    lgkt_auto_settings set;
    lgkt_successors counts;  // n, phat; rewards are means, counted from the origin
    double *squares;         // (S, A) of rewards about their mean
    lgkt_auto_value *values; // (S)
    lgkt_auto_plan *plans;   // (S)
    int64_t *visits;         // (S)
    int64_t total;           // of all visits, fed ones included: t

    // states that were met, in that order, and a mark on each
    int32_t *known; // (S), -1 behind the last
    bool *met;      // (S)
    int32_t known_count;
    int32_t turn;       // of the known ones: next to refresh
    int32_t sweep_turn; // and to sweep, from the last one known to the first

    lgkt_pair_spread reward, next;                      // of mean rewards and of h where pairs lead
    lgkt_spread_sums reward_sums, next_sums, long_sums; // of the round at hand; long: of v
    double depth, beta;                                 // D and 1 - 1/D
    double gain;                                        // y, that v is relative to
    double origin;                                      // first reward
    bool differs;                                       // a second reward was seen
    double highest, lowest;                             // reward, counted from the origin
    lgkt_auto_option *options;                          // (A), of a refresh

    lgkt_quests quests;
    lgkt_hidden hidden;
} lgkt_auto;

// fmax and fmin are calls into the library
static inline double lgkt_larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double lgkt_smaller(double a, double b)
{
    return a < b ? a : b;
}

// ---- value.c ----

// What a state is worth with `left` steps to go, as far as other states are worth what they were last
// found to be. Only learner->self->options change.
lgkt_auto_view lgkt_auto_refresh(const lgkt_learner *learner, int32_t state, double left);
// The state is worth that from now on.
void lgkt_auto_accept(lgkt_auto *u, int32_t state, const lgkt_auto_view *view);
// The turn of others, some by a refresh and more by their plans. The end of a round over all known
// states settles spreads, D, and what there is to be found.
void lgkt_auto_take_turns(lgkt_learner *learner, double left);
// All values are void, since rewards get a unit.
void lgkt_auto_void(lgkt_learner *learner, double unit);

// ---- quest.c ----

extern const lgkt_part lgkt_quests_part;

// What a row of options (A) says for the end of the round; `max` and `min` are told, or NaN.
void lgkt_quests_note(lgkt_quests *quests, const lgkt_auto_option *options, int32_t actions,
                      const lgkt_pair_spread *reward, double max, double min);
// The end of a round: chances and prizes anew; none if there are no facts (NULL).
void lgkt_quests_settle(lgkt_quests *quests, const lgkt_auto_facts *facts);
// A step of a pair with n visits before it earned x beyond the origin, and beyond y by `earned`; its
// next state was new, or it was a record. `thrown`: how many steps it is expected to throw one back.
typedef struct lgkt_quest_step {
    double n, x, earned, thrown;
    bool is_new_state, is_record;
} lgkt_quest_step;
void lgkt_quests_learn(lgkt_quests *quests, const lgkt_quest_step *step);
// Rewards get a unit.
void lgkt_quests_void(lgkt_quests *quests);

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
