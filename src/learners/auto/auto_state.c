// SPDX-License-Identifier: MIT
// Looking into `auto`, and taking its state out: why, what belongs to a unit, saving.
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

// ---- why ----

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
    if (!u->ahead)
        lgkt_auto_refresh_some(learner);
    u->ahead = true;
    // what the state at hand adds is taken back, since others may be asked for with the same copy
    const double h = u->h[state], journey = u->quests.journey[state];
    const lgkt_quest_plan plan = u->quests.plans[state];
    const int32_t states = u->states;
    u->states += !u->met[state];
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
    u->states = states;
    u->h[state] = h;
    u->quests.journey[state] = journey;
    u->quests.plans[state] = plan;
    return true;
}

// ---- units ----

// The step before, for hidden state, and whether the step in play is a quest.
typedef struct track {
    int64_t last;
    double pending;
    int32_t pending_next, going;
} track;

size_t lgkt_auto_track(lgkt_learner *learner, lgkt_track_way way, void *bytes)
{
    lgkt_auto *u = learner->self;
    lgkt_hidden *hidden = &u->hidden;
    track own = {hidden->last, hidden->pending, hidden->pending_next, u->quests.going};
    if (bytes != NULL && way == LGKT_TRACK_OUT)
        memcpy(bytes, &own, sizeof own);
    if (bytes != NULL && way == LGKT_TRACK_IN) {
        memcpy(&own, bytes, sizeof own);
        hidden->last = own.last;
        hidden->pending = own.pending;
        hidden->pending_next = own.pending_next;
        u->quests.going = own.going != 0;
    }
    return sizeof own;
}

void lgkt_auto_visit_track(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_auto *u = learner->self;
    const int64_t pairs = (int64_t)learner->problem.states * learner->problem.actions;
    int32_t going = u->quests.going;
    lgkt_visit_i64(archive, &u->hidden.last, 1, -1, pairs - 1);
    lgkt_visit_f64(archive, &u->hidden.pending, 1);
    lgkt_visit_i32(archive, &u->hidden.pending_next, 1, 0, learner->problem.states - 1);
    lgkt_visit_i32(archive, &going, 1, 0, 1);
    u->quests.going = going == 1;
}

// ---- saving ----

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

void lgkt_auto_visit(lgkt_learner *learner, lgkt_archive *archive)
{
    lgkt_auto *u = learner->self;
    const size_t states = (size_t)learner->problem.states;
    const size_t pairs = states * (size_t)learner->problem.actions;
    int32_t differs = u->differs;
    lgkt_successors_visit(learner, &u->counts, archive);
    lgkt_visit_squares(archive, u->squares, pairs);
    // what was never seen has no mean, from which a first reward would be far
    for (size_t z = 0; z < pairs; z++)
        archive->bad |=
            !(u->squares[z] >= 0) || (u->counts.rows[z].n == 0 && u->counts.rows[z].reward != 0);
    lgkt_visit_f64(archive, u->h, states);
    lgkt_visit_i64(archive, u->visits, states, 0, LGKT_MAX_COUNT);
    lgkt_visit_i64(archive, &u->total, 1, 0, LGKT_MAX_COUNT);
    lgkt_visit_i32(archive, &u->states, 1, 0, learner->problem.states);
    lgkt_visit_i32(archive, u->known, (size_t)u->states, 0, learner->problem.states - 1);
    lgkt_visit_i32(archive, &u->turn, 1, 0, u->states);
    visit_spread(archive, &u->reward, &u->reward_sums);
    visit_spread(archive, &u->next, &u->next_sums);
    lgkt_visit_f64(archive, &u->depth, 1);
    lgkt_visit_f64(archive, &u->origin, 1);
    lgkt_visit_f64(archive, &u->highest, 1);
    lgkt_visit_f64(archive, &u->lowest, 1);
    lgkt_visit_i32(archive, &differs, 1, 0, 1);
    lgkt_quest_visit(learner, archive);
    lgkt_hidden_visit_fields(learner, &u->hidden, archive);
    if (archive->mode != LGKT_ARCHIVE_LOAD || archive->bad)
        return;
    u->differs = differs > 0;
    u->beta = 1 - 1 / u->depth;
    archive->bad = !(u->depth >= 1);
    // tried pairs are counted until hidden state is found, and there are no more than pairs
    if (!u->hidden.found)
        archive->bad |= u->quests.tried != tried_pairs(learner);
    // no state is known twice
    for (int32_t i = 0; i < u->states; i++) {
        archive->bad |= u->met[u->known[i]];
        u->met[u->known[i]] = true;
    }
}

int32_t lgkt_auto_counters(const lgkt_learner *learner, lgkt_counter *out, int32_t capacity)
{
    const lgkt_auto *u = learner->self;
    const lgkt_counter all[] = {{"tried_pairs", tried_pairs(learner)},
                                {"known_states", u->states},
                                {"quests", u->quests.steps},
                                {"hidden_state", u->hidden.found}};
    return lgkt_counters_write(all, 4, out, capacity);
}
