// SPDX-License-Identifier: MIT
// What the parts of `auto` share: the learner and its values (auto.c), what is saved and shown of
// it (auto_state.c), quests (quest.c) and a look for hidden state (hidden.c).
#ifndef LGKT_LEARNERS_AUTO_H
#define LGKT_LEARNERS_AUTO_H

#include "learners/auto/hidden.h"
#include "learners/auto/quest.h"
#include "learners/model/rewards.h"
#include "learners/model/spread.h"
#include "learners/model/successors.h"

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

// ---- auto.c ----

// Sees the row of a state, fills `index` and `worths`, and brings h(s) up to date. What plans take
// for impossible has both -infinity.
void lgkt_auto_refresh(lgkt_learner *learner, int32_t state);
// Some others take their turn, if it is time.
void lgkt_auto_refresh_some(lgkt_learner *learner);

// Who may be played in the state refreshed last: of the allowed actions with the highest worth, up
// to slack, the least tried.
typedef struct lgkt_auto_lead {
    const double *worth; // (A)
    double slack, least; // worth
    double n;            // visits
    int32_t ties, last;  // how many, and one of them
} lgkt_auto_lead;

lgkt_auto_lead lgkt_auto_leaders(lgkt_learner *learner);

static inline bool lgkt_auto_leads(const lgkt_learner *learner, const lgkt_auto_lead *lead,
                                   int32_t a)
{
    const lgkt_auto *u = learner->self;
    return lead->worth[a] >= lead->least && u->row_rewards[a].n == lead->n &&
           lgkt_learner_allows(learner, a);
}

// ---- auto_state.c, as in the class ----

enum { LGKT_AUTO_FIELDS = 24 };
extern const lgkt_field lgkt_auto_fields[LGKT_AUTO_FIELDS];

void lgkt_auto_visit(lgkt_learner *learner, lgkt_archive *archive);
void lgkt_auto_visit_track(lgkt_learner *learner, lgkt_archive *archive);
int32_t lgkt_auto_counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity);
void *lgkt_auto_sketch(const lgkt_learner *learner);
bool lgkt_auto_explain(lgkt_learner *learner, int32_t state, bool copy, lgkt_reason *reasons);

#endif
