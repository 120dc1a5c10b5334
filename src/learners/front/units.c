// SPDX-License-Identifier: MIT
// The front for many units and late reports (units.h): acts, reports, and units that leave.
//
// A decision is found by its number in a ring, without a hash, and stays there until `patience`
// more were made, also when it was learned: so the same report again is recognised. Each act looks
// at the one decision that becomes too old by it. Nothing is ever searched for.
//
// A decision is learned in order if it is the latest one of its unit, and then with the unit's own
// track; any other stands alone, with a track that begins and is dropped. So are those of units
// that have left: a unit that takes over the index has another latest decision.
//
// All that can fail is asked before anything changes. An act may make two decisions known, the one
// before of its unit and the one that becomes too old: prepare of the classes provides for two.

#include "learners/front/units_private.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "learners/front/keyed_private.h"

// a state as the caller says it
typedef struct place {
    int32_t state;   // where states are numbers, or LGKT_STATE_REPORTED
    const void *key; // where they are keys
    size_t size;
    bool keyed;
} place;

// ---- learning ----

void lgkt_units_switch(lgkt_units *u, int32_t unit)
{
    if (u->track == 0 || (unit >= 0 && unit == u->at_hand))
        return;
    lgkt_learner *learner = u->learner;
    if (u->at_hand >= 0)
        learner->class->track(learner, LGKT_TRACK_OUT, u->tracks + (size_t)u->at_hand * u->track);
    learner->class->track(learner, LGKT_TRACK_IN,
                          unit < 0 ? u->begun : u->tracks + (size_t)unit * u->track);
    u->at_hand = unit;
}

// all is known of a decision
static lgkt_status learn(lgkt_units *u, int64_t number, const lgkt_decision *d)
{
    lgkt_learner *learner = u->learner;
    lgkt_unit *unit = d->unit >= 0 ? &u->all[d->unit] : NULL;
    const bool in_order = unit != NULL && unit->last == number;
    if (in_order)
        unit->linked = true;
    lgkt_units_switch(u, in_order ? d->unit : -1);
    learner->unit_left = lgkt_units_left(u, in_order ? unit->made : u->set.unit_horizon);
    learner->state = d->state;
    learner->action = d->action;
    u->open--;
    const lgkt_status status =
        learner->observe(learner, d->reward, d->next, (d->marks & LGKT_CUT) != 0);
    if (status != LGKT_OK)
        lgkt_fail(&u->refusal, status, "%s", learner->refusal.text);
    return status;
}

// room for what up to two decisions may need to be learned
static bool prepared(lgkt_units *u)
{
    const lgkt_learner *learner = u->learner;
    return !(learner->must_prepare || learner->grows || learner->may_exceed_horizon) ||
           lgkt_learner_prepare(u->learner) || (lgkt_fail_memory(&u->refusal, "a step"), false);
}

// a decision that is too old for reports from now on
static lgkt_status expire(lgkt_units *u, int64_t number)
{
    lgkt_decision *d = lgkt_units_at(u, number);
    if ((d->marks & LGKT_LEARNED) == LGKT_LEARNED)
        return LGKT_OK;
    if (!(d->marks & LGKT_REWARDED)) {
        u->expired++;
        if (isnan(u->set.missing)) {
            u->open--;
            return LGKT_OK;
        }
        d->reward = u->set.missing;
    }
    if (!(d->marks & LGKT_FOLLOWED)) {
        d->next = d->state;
        d->marks |= LGKT_CUT;
    }
    return learn(u, number, d);
}

// ---- acting ----

// why a unit, new if it is NULL, cannot act in a place; kept out of line, since it is rare
LGKT_COLD static lgkt_status refuse_place(lgkt_units *u, uint64_t id, const lgkt_unit *unit,
                                          const place *at)
{
    const unsigned long long name = id;
    lgkt_error *refusal = &u->refusal;
    if (at->keyed && u->keyed == NULL)
        return lgkt_fail(refusal, LGKT_ERR_UNSUPPORTED,
                         "states are numbers here, and a key is none");
    if (!at->keyed && u->keyed != NULL)
        return lgkt_fail(refusal, LGKT_ERR_UNSUPPORTED,
                         "states are keys here, and the number %d is none", at->state);
    if (at->state != LGKT_STATE_REPORTED) {
        if (!at->keyed && (at->state < 0 || at->state >= u->learner->problem.states))
            return lgkt_fail(refusal, LGKT_ERR_ARGUMENT, "state %d is out of range [0, %d]",
                             at->state, u->learner->problem.states - 1);
        if (at->keyed)
            return lgkt_fail(refusal, LGKT_ERR_PROTOCOL,
                             "unit %llu acts in another state than the one reported of its "
                             "decision %lld",
                             name, (long long)unit->last);
        return lgkt_fail(refusal, LGKT_ERR_PROTOCOL,
                         "unit %llu acts in state %d, but state %d was reported of its decision "
                         "%lld",
                         name, at->state, unit->next, (long long)unit->last);
    }
    if (unit == NULL)
        return lgkt_fail(refusal, LGKT_ERR_PROTOCOL,
                         "unit %llu is new and acts without a state: none was reported", name);
    return lgkt_fail(refusal, LGKT_ERR_PROTOCOL,
                     "unit %llu acts without a state: %s its decision %lld", name,
                     unit->next == LGKT_NEXT_OPEN ? "none was reported of" : "it was cut after",
                     (long long)unit->last);
}

// whether a unit, new if it is NULL, may act at a place
static bool fits(const lgkt_units *u, const lgkt_unit *unit, const place *at)
{
    const int32_t told = unit != NULL ? unit->next : LGKT_NEXT_ANY;
    if (at->keyed != (u->keyed != NULL))
        return false;
    if (at->state == LGKT_STATE_REPORTED)
        return told >= 0;
    if (at->keyed)
        return told < 0 || lgkt_keyed_is(u->keyed, told, at->key, at->size);
    return (uint32_t)at->state < (uint32_t)u->learner->problem.states &&
           (told < 0 || told == at->state);
}

// room for one more decision and, where needed, one more unit
static lgkt_status make_room(lgkt_units *u, uint64_t id, bool is_new)
{
    if (is_new && u->count >= u->set.unit_limit)
        return lgkt_fail(&u->refusal, LGKT_ERR_SHAPE,
                         "unit %llu is one too many: the limit is %d units", (unsigned long long)id,
                         u->set.unit_limit);
    // these grow only where they were loaded
    const int32_t twice = u->capacity > u->set.unit_limit / 2 ? u->set.unit_limit : 2 * u->capacity;
    if (is_new && u->count >= u->capacity && !lgkt_units_reserve(u, twice))
        return lgkt_fail_memory(&u->refusal, "units");
    if (u->learner->t >= u->ring_size && u->ring_size < u->set.patience &&
        !lgkt_units_make_ring(u, 2 * u->ring_size))
        return lgkt_fail_memory(&u->refusal, "decisions");
    return prepared(u) ? LGKT_OK : LGKT_ERR_NO_MEMORY;
}

// the number of a new or known key
static lgkt_status number_key(lgkt_units *u, const place *at, int32_t *number)
{
    const lgkt_status status = lgkt_keyed_number(u->keyed, at->key, at->size, number);
    if (status != LGKT_OK)
        lgkt_fail(&u->refusal, status, "%s", lgkt_keyed_message(u->keyed));
    return status;
}

static lgkt_status act_at(lgkt_units *u, uint64_t id, const place *at, const uint8_t *allowed,
                          int64_t *decision, int32_t *action)
{
    lgkt_learner *learner = u->learner;
    const int64_t number = learner->t;
    if (decision == NULL || action == NULL)
        return lgkt_fail(&u->refusal, LGKT_ERR_ARGUMENT, "decision and action must not be NULL");
    if (number >= learner->problem.horizon)
        return lgkt_fail(&u->refusal, LGKT_ERR_HORIZON, "all %lld decisions have been made",
                         (long long)learner->problem.horizon);
    const int32_t found = u->slots[lgkt_units_slot(u, id)] - 1;
    const bool is_new = found < 0;
    const int32_t index = is_new ? u->count : found;
    lgkt_unit *unit = is_new ? NULL : &u->all[index];
    if (!fits(u, unit, at))
        return refuse_place(u, id, unit, at);
    if (unit != NULL && u->set.unit_horizon > 0 && unit->made >= u->set.unit_horizon)
        return lgkt_fail(&u->refusal, LGKT_ERR_HORIZON,
                         "unit %llu has made all of its %lld decisions", (unsigned long long)id,
                         (long long)u->set.unit_horizon);
    bool full = true;
    lgkt_status status = LGKT_OK;
    if (allowed != NULL)
        status = lgkt_learner_check_mask(learner, allowed, &full, &u->refusal);
    if (status == LGKT_OK)
        status = make_room(u, id, is_new);
    int32_t state = unit != NULL && unit->next >= 0 ? unit->next : at->state;
    if (status == LGKT_OK && at->keyed && (unit == NULL || unit->next < 0))
        status = number_key(u, at, &state);
    if (status != LGKT_OK)
        return status;

    // where it acts is where its decision before has led
    if (unit != NULL && unit->next == LGKT_NEXT_OPEN && unit->last >= lgkt_units_oldest(u)) {
        lgkt_decision *before = lgkt_units_at(u, unit->last);
        before->next = state;
        before->marks |= LGKT_FOLLOWED;
        if (before->marks & LGKT_REWARDED)
            status = learn(u, unit->last, before);
    }
    if (status == LGKT_OK && number >= u->set.patience)
        status = expire(u, number - u->set.patience);
    if (status != LGKT_OK)
        return status;

    lgkt_units_switch(u, unit != NULL && unit->linked ? index : -1);
    u->at_hand = index;
    learner->unit_made = unit != NULL ? unit->made : 0;
    learner->unit_left = lgkt_units_left(u, learner->unit_made);
    learner->state = state;
    const int32_t chosen = learner->offered != NULL || !full
                               ? lgkt_learner_choose(learner, full ? NULL : allowed)
                               : learner->act(learner, state);
    if (chosen < 0) {
        u->at_hand = is_new ? -1 : index;
        status = (lgkt_status)chosen;
        return lgkt_fail(&u->refusal, status, "act: %s", lgkt_status_text(status));
    }
    if (at->keyed && at->state != LGKT_STATE_REPORTED)
        lgkt_keyed_note(u->keyed, at->key);
    learner->action = chosen;
    learner->t++;
    learner->phase = learner->t < learner->problem.horizon ? LGKT_PHASE_ACT : LGKT_PHASE_OVER;
    if (is_new) {
        unit = &u->all[u->count++];
        *unit = (lgkt_unit){.id = id};
        u->slots[lgkt_units_slot(u, id)] = u->count;
    }
    unit->last = number;
    unit->made++;
    unit->next = LGKT_NEXT_OPEN;
    unit->linked = false;
    *lgkt_units_at(u, number) =
        (lgkt_decision){.state = state, .action = chosen, .next = state, .unit = index};
    u->open++;
    *decision = number;
    *action = chosen;
    return LGKT_OK;
}

lgkt_status lgkt_units_act(lgkt_units *units, uint64_t unit, int32_t state, const uint8_t *allowed,
                           int64_t *decision, int32_t *action)
{
    if (units == NULL)
        return LGKT_ERR_ARGUMENT;
    const place at = {.state = state,
                      .keyed = state == LGKT_STATE_REPORTED && units->keyed != NULL};
    return act_at(units, unit, &at, allowed, decision, action);
}

lgkt_status lgkt_units_act_key(lgkt_units *units, uint64_t unit, const void *key, size_t size,
                               const uint8_t *allowed, int64_t *decision, int32_t *action)
{
    if (units == NULL)
        return LGKT_ERR_ARGUMENT;
    const bool reported = key == NULL && size == SIZE_MAX;
    if (key == NULL && size > 0 && !reported)
        return lgkt_fail(&units->refusal, LGKT_ERR_ARGUMENT, "key must not be NULL");
    const place at = {reported ? LGKT_STATE_REPORTED : 0, key, size, true};
    return act_at(units, unit, &at, allowed, decision, action);
}

// ---- reports ----

// why there is no report to be made on a decision
LGKT_COLD static lgkt_status refuse_decision(lgkt_units *u, int64_t decision)
{
    const long long number = decision, made = u->learner->t;
    if (decision < 0 || decision >= u->learner->t)
        return lgkt_fail(&u->refusal, LGKT_ERR_ARGUMENT,
                         "decision %lld was never made: there are %lld so far", number, made);
    return lgkt_fail(
        &u->refusal, LGKT_ERR_HORIZON,
        "decision %lld is too old for a report: of the %lld that were made the last %lld "
        "are open",
        number, made, (long long)u->set.patience);
}

lgkt_status lgkt_units_reward(lgkt_units *units, int64_t decision, double reward)
{
    if (units == NULL)
        return LGKT_ERR_ARGUMENT;
    if (decision < lgkt_units_oldest(units) || decision >= units->learner->t)
        return refuse_decision(units, decision);
    const long long number = decision;
    if (!lgkt_reward_fits(reward))
        return lgkt_fail(&units->refusal,
                         isfinite(reward) ? LGKT_ERR_ARGUMENT : LGKT_ERR_NOT_FINITE,
                         "the reward of decision %lld is %g; it must be in [-%g, %g]", number,
                         reward, LGKT_MAX_REWARD, LGKT_MAX_REWARD);
    lgkt_decision *d = lgkt_units_at(units, decision);
    if (d->marks & LGKT_REWARDED) {
        if (d->reward == reward)
            return LGKT_OK;
        char known[LGKT_NUMBER_SIZE], other[LGKT_NUMBER_SIZE];
        return lgkt_fail(&units->refusal, LGKT_ERR_PROTOCOL,
                         "the reward of decision %lld is %s already, and %s is another", number,
                         lgkt_number_print(known, d->reward), lgkt_number_print(other, reward));
    }
    const bool learns = (d->marks & LGKT_FOLLOWED) != 0;
    if (learns && !prepared(units))
        return LGKT_ERR_NO_MEMORY;
    d->reward = reward;
    d->marks |= LGKT_REWARDED;
    return learns ? learn(units, decision, d) : LGKT_OK;
}

// the same next state again, or another one
static lgkt_status repeat_next(lgkt_units *u, int64_t decision, const place *at, bool ended)
{
    const lgkt_decision *d = lgkt_units_at(u, decision);
    const bool same =
        at->keyed ? lgkt_keyed_is(u->keyed, d->next, at->key, at->size) : at->state == d->next;
    const bool cut = (d->marks & LGKT_CUT) != 0;
    if (same && ended == cut)
        return LGKT_OK;
    const long long number = decision;
    static const char *const ends[] = {"", ", cut"};
    if (at->keyed)
        return lgkt_fail(&u->refusal, LGKT_ERR_PROTOCOL,
                         "the next state of decision %lld is known already%s, and this is "
                         "another%s",
                         number, ends[cut], ends[ended]);
    return lgkt_fail(&u->refusal, LGKT_ERR_PROTOCOL,
                     "the next state of decision %lld is %d%s already, and %d%s is another", number,
                     d->next, ends[cut], at->state, ends[ended]);
}

static lgkt_status next_at(lgkt_units *u, int64_t decision, const place *at, bool ended)
{
    if (decision < lgkt_units_oldest(u) || decision >= u->learner->t)
        return refuse_decision(u, decision);
    if (at->keyed != (u->keyed != NULL))
        return refuse_place(u, 0, NULL, at);
    const int32_t states = u->learner->problem.states;
    if (at->keyed ? at->key == NULL && at->size > 0 : at->state < 0 || at->state >= states)
        return at->keyed ? lgkt_fail(&u->refusal, LGKT_ERR_ARGUMENT, "key must not be NULL")
                         : lgkt_fail(&u->refusal, LGKT_ERR_ARGUMENT,
                                     "the next state of decision %lld is %d, out of range [0, %d]",
                                     (long long)decision, at->state, states - 1);
    lgkt_decision *d = lgkt_units_at(u, decision);
    if (d->marks & LGKT_FOLLOWED)
        return repeat_next(u, decision, at, ended);
    const bool learns = (d->marks & LGKT_REWARDED) != 0;
    if (learns && !prepared(u))
        return LGKT_ERR_NO_MEMORY;
    int32_t next = at->state;
    const lgkt_status status = at->keyed ? number_key(u, at, &next) : LGKT_OK;
    if (status != LGKT_OK)
        return status;
    d->next = next;
    d->marks |= LGKT_FOLLOWED | (ended ? LGKT_CUT : 0);
    lgkt_unit *unit = d->unit >= 0 ? &u->all[d->unit] : NULL;
    if (unit != NULL && unit->last == decision)
        unit->next = ended ? LGKT_NEXT_ANY : next;
    return learns ? learn(u, decision, d) : LGKT_OK;
}

lgkt_status lgkt_units_next(lgkt_units *units, int64_t decision, int32_t next_state, bool ended)
{
    const place at = {.state = next_state};
    return units == NULL ? LGKT_ERR_ARGUMENT : next_at(units, decision, &at, ended);
}

lgkt_status lgkt_units_next_key(lgkt_units *units, int64_t decision, const void *key, size_t size,
                                bool ended)
{
    const place at = {0, key, size, true};
    return units == NULL ? LGKT_ERR_ARGUMENT : next_at(units, decision, &at, ended);
}

// ---- leaving ----

// empties a slot: those behind it that were pushed past it move up
static void empty_slot(lgkt_units *u, size_t slot)
{
    const size_t mask = u->slot_count - 1;
    u->slots[slot] = 0;
    for (size_t at = (slot + 1) & mask; u->slots[at] != 0; at = (at + 1) & mask) {
        const int32_t index = u->slots[at];
        u->slots[at] = 0;
        u->slots[lgkt_units_slot(u, u->all[index - 1].id)] = index;
    }
}

lgkt_status lgkt_units_leave(lgkt_units *units, uint64_t unit)
{
    if (units == NULL)
        return LGKT_ERR_ARGUMENT;
    const size_t slot = lgkt_units_slot(units, unit);
    const int32_t index = units->slots[slot] - 1;
    if (index < 0)
        return lgkt_fail(&units->refusal, LGKT_ERR_ARGUMENT,
                         "unit %llu is not there, and cannot leave", (unsigned long long)unit);
    empty_slot(units, slot);
    if (units->at_hand == index)
        units->at_hand = -1;
    // the last one takes its place
    lgkt_unit *gone = &units->all[index], *mover = &units->all[--units->count];
    if (mover != gone) {
        *gone = *mover;
        units->slots[lgkt_units_slot(units, mover->id)] = index + 1;
        if (gone->last >= lgkt_units_oldest(units))
            lgkt_units_at(units, gone->last)->unit = index;
        if (units->at_hand == units->count)
            units->at_hand = index;
        if (units->track > 0)
            memcpy(units->tracks + (size_t)index * units->track,
                   units->tracks + (size_t)units->count * units->track, units->track);
    }
    mover->last = -1;
    return LGKT_OK;
}
