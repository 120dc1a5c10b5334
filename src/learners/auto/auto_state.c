// SPDX-License-Identifier: MIT
// Looking into `auto`, and taking its state out: reasons, and what is saved.
//
// What explain fills in, with the names of auto.c (all of the state as it will be at the choice):
//   visits, mean_reward   n(s,a), and the mean of their rewards; once hidden state was found, of
//                         the step and the one after it
//   value                 m, counted from 0: the rewards of a mean of D steps
//   upper                 the larger of index and Z (quest.c), counted likewise
//   lower, good           nothing
// What was never offered has no value. The probability is that of the draw among equals.

#include "learners/auto/auto.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"

// ---- reasons ----

// The part of a copy that explain changes: values and plans of states, and the row at hand.
void *lgkt_auto_sketch(const lgkt_learner *learner)
{
    const lgkt_auto *u = learner->self;
    const size_t states = (size_t)learner->problem.states;
    const size_t actions = (size_t)learner->problem.actions;
    lgkt_auto sketch = *u;
    const struct {
        void *array; // the pointer to it, in the sketch
        const void *from;
        size_t count, size;
    } parts[] = {
        {&sketch.h, u->h, states, sizeof *u->h},
        {&sketch.quests.journey, u->quests.journey, states, sizeof *u->quests.journey},
        {&sketch.quests.plans, u->quests.plans, states, sizeof *u->quests.plans},
        {&sketch.quests.worth, u->quests.worth, actions, sizeof *u->quests.worth},
        {&sketch.row_rewards, u->row_rewards, actions, sizeof *u->row_rewards},
        {&sketch.row_nexts, u->row_nexts, actions, sizeof *u->row_nexts},
        {&sketch.worths, u->worths, actions, sizeof *u->worths},
        {&sketch.index, u->index, actions, sizeof *u->index},
    };
    enum { PARTS = sizeof parts / sizeof *parts };
    size_t bytes = sizeof sketch;
    for (int i = 0; i < PARTS; i++)
        bytes += parts[i].count * parts[i].size;
    unsigned char *block = lgkt_alloc_zeroed(&learner->allocator, bytes, 1);
    if (block == NULL)
        return NULL;
    // all of them are made of numbers of eight bytes, or pairs of four
    unsigned char *at = block + sizeof sketch;
    for (int i = 0; i < PARTS; i++) {
        memcpy(at, parts[i].from, parts[i].count * parts[i].size);
        memcpy(parts[i].array, &at, sizeof at);
        at += parts[i].count * parts[i].size;
    }
    memcpy(block, &sketch, sizeof sketch);
    return block;
}

bool lgkt_auto_explain(lgkt_learner *learner, int32_t state, bool copy, lgkt_reason *reasons)
{
    if (!copy)
        return false;
    lgkt_auto *u = learner->self;
    if (!u->others_refreshed)
        lgkt_auto_refresh_some(learner);
    u->others_refreshed = true;
    // what the state at hand adds is taken back, since others may be asked for with the same copy
    const double h = u->h[state], journey = u->quests.journey[state];
    const lgkt_quest_plan plan = u->quests.plans[state];
    const int32_t known_count = u->known_count;
    u->known_count += !u->met[state];
    lgkt_auto_refresh(learner, state);
    const lgkt_auto_lead lead = lgkt_auto_leaders(learner);

    const size_t row = (size_t)state * (size_t)learner->problem.actions;
    const double steps = u->hidden.found ? 2 : 1;
    const double before = (u->hidden.found ? 2 : u->depth) * u->origin; // what values start from
    for (int32_t a = 0; a < learner->problem.actions; a++) {
        const lgkt_sample *seen = &u->row_rewards[a];
        lgkt_reason *reason = &reasons[a];
        reason->visits = seen->n;
        if (seen->n > 0)
            reason->mean_reward = u->origin + seen->mean / steps;
        if (lgkt_learner_offers(learner, row + (size_t)a)) {
            reason->value = before + u->worths[a].mean;
            reason->upper = before + lead.worth[a];
        }
        reason->probability = lgkt_auto_leads(learner, &lead, a) ? 1.0 / lead.ties : 0;
    }
    u->known_count = known_count;
    u->h[state] = h;
    u->quests.journey[state] = journey;
    u->quests.plans[state] = plan;
    return true;
}

// ---- saving ----

const lgkt_field lgkt_auto_fields[LGKT_AUTO_FIELDS] = {
    {LGKT_PART(lgkt_auto, counts, &lgkt_successors_part)},
    {LGKT_ARRAY(lgkt_auto, squares, lgkt_per_pair, SQUARE)},
    {LGKT_ARRAY(lgkt_auto, h, lgkt_per_state, REAL)},
    {LGKT_ARRAY(lgkt_auto, visits, lgkt_per_state, COUNT)},
    {LGKT_NUMBER(lgkt_auto, total, COUNT)},
    {LGKT_NUMBER(lgkt_auto, known_count, STATES_KNOWN)},
    {LGKT_ARRAY(lgkt_auto, known, lgkt_per_state, MAYBE_STATE)},
    {LGKT_ARRAY(lgkt_auto, met, lgkt_per_state, SCRATCH)},
    {LGKT_NUMBER(lgkt_auto, turn, STATES_KNOWN)},
    {LGKT_NUMBER(lgkt_auto, depth, REAL)},
    {LGKT_NUMBER(lgkt_auto, origin, REAL)},
    {LGKT_NUMBER(lgkt_auto, highest, REAL)},
    {LGKT_NUMBER(lgkt_auto, lowest, REAL)},
    {LGKT_NUMBER(lgkt_auto, differs, FLAG)},
    {LGKT_ARRAY(lgkt_auto, row_rewards, lgkt_per_action, SCRATCH)},
    {LGKT_ARRAY(lgkt_auto, row_nexts, lgkt_per_action, SCRATCH)},
    {LGKT_ARRAY(lgkt_auto, worths, lgkt_per_action, SCRATCH)},
    {LGKT_ARRAY(lgkt_auto, index, lgkt_per_action, SCRATCH)},
    {LGKT_PART(lgkt_auto, quests, &lgkt_quests_part)},
    {LGKT_PART(lgkt_auto, hidden, &lgkt_hidden_part)},
    {LGKT_NUMBER(lgkt_auto, hidden.last, MAYBE_PAIR), LGKT_TRACKED},
    {LGKT_NUMBER(lgkt_auto, hidden.pending, REAL), LGKT_TRACKED},
    {LGKT_NUMBER(lgkt_auto, hidden.pending_next, MAYBE_STATE), LGKT_TRACKED},
    {LGKT_NUMBER(lgkt_auto, quests.in_quest, FLAG), LGKT_TRACKED},
};

static bool is_count(double x)
{
    return x == 0 || x >= 1;
}

static void visit_spread(lgkt_archive *archive, lgkt_pair_spread *spread, lgkt_spread_sums *sums)
{
    lgkt_visit_f64(archive, &spread->mean, 1);
    lgkt_visit_squares(archive, &spread->within, LGKT_SPREAD_FIELDS - 1);
    lgkt_visit_f64(archive, &sums->origin, 3); // origin, pairs, sum
    lgkt_visit_squares(archive, &sums->squares, LGKT_SUMS_FIELDS - 3);
    // no variance is below 0, and a twentieth of the whole is within; each pair counts, is at most
    // as rare as one, and no sum is divided by a part of one
    archive->bad |= !(spread->within >= 0 && spread->between >= 0 && spread->noise >= 0 &&
                      spread->between <= 32 * spread->within && sums->noise_squares >= 0 &&
                      sums->squares >= 0 && sums->own_squares >= 0);
    archive->bad |= !(is_count(sums->pairs) && is_count(sums->own_degrees) &&
                      is_count(sums->noise_degrees) && sums->rarity >= 0 && sums->own_rarity >= 0 &&
                      sums->rarity <= sums->pairs && sums->own_rarity <= sums->pairs);
}

static int64_t tried_pairs(const lgkt_learner *learner)
{
    const lgkt_auto *u = learner->self;
    int64_t tried = 0;
    for (size_t z = 0; z < (size_t)learner->problem.states * (size_t)learner->problem.actions; z++)
        tried += u->counts.rows[z].n > 0;
    return tried;
}

static void check_track(const lgkt_auto *u, lgkt_archive *archive)
{
    // a step before led somewhere
    archive->bad |= u->hidden.last > 0 && u->hidden.pending_next < 0;
}

void lgkt_auto_visit_track(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_fields_visit_track(learner, archive);
    check_track(learner->self, archive);
}

void lgkt_auto_visit(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_auto *u = learner->self;
    const size_t pairs = (size_t)learner->problem.states * (size_t)learner->problem.actions;
    visit_spread(archive, &u->reward, &u->reward_sums);
    visit_spread(archive, &u->next, &u->next_sums);
    check_track(u, archive);
    // what was never seen has no mean, from which a first reward would be far
    for (size_t z = 0; z < pairs; z++)
        archive->bad |=
            !(u->squares[z] >= 0) || (u->counts.rows[z].n == 0 && u->counts.rows[z].reward != 0);
    archive->bad |= u->turn > u->known_count || !(u->depth >= 1);
    if (archive->mode != LGKT_ARCHIVE_LOAD || archive->bad)
        return;
    u->beta = 1 - 1 / u->depth;
    // tried pairs are counted until hidden state is found
    archive->bad |= !u->hidden.found && u->quests.tried != tried_pairs(learner);
    // no state is known twice
    for (int32_t i = 0; i < u->known_count && !archive->bad; i++) {
        archive->bad = u->known[i] < 0 || u->met[u->known[i]];
        if (!archive->bad)
            u->met[u->known[i]] = true;
    }
}

int32_t lgkt_auto_counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const lgkt_auto *u = learner->self;
    const lgkt_counter all[] = {{"tried_pairs", tried_pairs(learner)},
                                {"known_states", u->known_count},
                                {"quests", u->quests.steps},
                                {"hidden_state", u->hidden.found}};
    return lgkt_counters_write(all, 4, out, capacity);
}
