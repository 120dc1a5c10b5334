// SPDX-License-Identifier: MIT
// The front for many units and late reports (units.h): decisions, reports, and rows that are fed.
//
// A decision is found by its number in a ring, without a hash, and stays there until `patience`
// more were made, also when it was learned: so the same report again is recognised. Each act looks
// at the one decision that becomes too old by it. Nothing is ever searched for.
//
// A decision is made in two parts. The first, which is also a call of its own (settle), lets the
// learner learn what is known by then: where the unit is now is where its decision before has led,
// and the oldest decision may have become too old. The second makes the choice, or is told it
// (take). A decision whose choice was refused, for memory, has been settled and no more.
//
// A decision is learned in order if it is the latest one of its unit, and then with the unit's own
// track; any other stands alone, with a track that begins and is dropped. So are those of units
// that have left: a unit that takes over the index has another latest decision.
//
// A row that is fed is learned with the track of its unit where it follows on what the unit did
// before, else with one that begins. Of many rows in one call either all are learned or none: what
// can be seen of a row alone is looked at first, and a copy is kept for the rest, a lack of memory
// or one state, unit or key too many.
//
// All that can fail is asked before anything changes. An act may make two decisions known, the one
// before of its unit and the one that becomes too old: prepare of the classes provides for two.

#include "learners/front/units_private.h"

#include <math.h>
#include <string.h>

#include "core/number.h"
#include "core/sized.h"
#include "learners/front/keyed_private.h"

// ---- numbers of records, which are held by decisions and units that name them ----

static void hold(lgkt_units *u, int32_t number)
{
    if (u->keyed != NULL)
        lgkt_records_hold(u->keyed->records, number);
}

static void release(lgkt_units *u, int32_t number)
{
    if (u->keyed != NULL)
        lgkt_records_release(u->keyed->records, number);
}

// where a unit is, or LGKT_NEXT_ANY or _OPEN
static void put_next(lgkt_units *u, lgkt_unit *unit, int32_t next)
{
    hold(u, next);
    release(u, unit->next);
    unit->next = next;
}

// the next state of a decision becomes known
static void put_follower(lgkt_units *u, lgkt_decision *d, int32_t next, uint32_t marks)
{
    hold(u, next);
    d->next = next;
    d->marks |= LGKT_FOLLOWED | marks;
}

// ---- learning ----

void lgkt_units_switch(lgkt_units *u, int32_t unit)
{
    if (u->track == 0 || (unit >= 0 && unit == u->at_hand))
        return;
    lgkt_learner *learner = u->learner;
    if (u->at_hand >= 0)
        lgkt_learner_track(learner, LGKT_TRACK_OUT, lgkt_units_track(u, u->at_hand));
    lgkt_learner_track(learner, LGKT_TRACK_IN, lgkt_units_track(u, unit));
    u->at_hand = unit;
}

// The learner learns a decision of which all is known, now or late: with the track of its unit if
// it is the unit's latest one, else as a step that stands alone.
static lgkt_status learn(lgkt_units *u, int64_t number, const lgkt_decision *d)
{
    lgkt_learner *learner = u->learner;
    lgkt_unit *unit = d->unit >= 0 ? &u->all[d->unit] : NULL;
    const bool in_order = unit != NULL && unit->last == number;
    if (in_order)
        unit->linked = true;
    lgkt_units_switch(u, in_order ? d->unit : -1);
    // what stands alone has no unit that goes on: no steps are left, where units have an end
    learner->unit = lgkt_units_clock(u, in_order ? unit->made : u->set.unit_horizon);
    learner->state = d->state;
    learner->action = d->action;
    u->open--;
    const bool cut = (d->marks & LGKT_CUT) != 0;
    const lgkt_status status = d->marks & LGKT_TAKEN
                                   ? learner->feed(learner, d->reward, d->next, cut)
                                   : learner->observe(learner, d->reward, d->next, cut);
    if (status != LGKT_OK)
        lgkt_fail(u->refusal, status, "decision %lld was not learned: %s", (long long)number,
                  lgkt_status_text(status));
    return status;
}

// Memory for what up to two decisions may need to be learned.
static lgkt_status prepare_to_learn(lgkt_units *u)
{
    lgkt_learner *learner = u->learner;
    const bool may_need = learner->must_prepare || learner->grows || learner->may_exceed_horizon;
    return !may_need || lgkt_learner_prepare(learner)
               ? LGKT_OK
               : lgkt_fail_memory(&learner->refusal, "a step");
}

// The oldest open decision is too old for reports from now on.
static lgkt_status expire_oldest(lgkt_units *u)
{
    const int64_t number = u->oldest++;
    lgkt_decision *d = lgkt_units_at(u, number);
    lgkt_status status = LGKT_OK;
    const bool is_lost = !(d->marks & LGKT_REWARDED) && isnan(u->set.missing);
    const bool is_learned = (d->marks & LGKT_LEARNED) == LGKT_LEARNED;
    if (!(d->marks & LGKT_FOLLOWED))
        put_follower(u, d, d->state, LGKT_CUT);
    if (!(d->marks & LGKT_REWARDED)) {
        u->expired++;
        d->reward = u->set.missing;
    }
    if (is_lost)
        u->open--;
    else if (!is_learned)
        status = learn(u, number, d);
    release(u, d->state);
    release(u, d->next);
    return status;
}

// ---- who decides, and where ----

// A state as the caller says it.
typedef struct named_state {
    int32_t number;  // where states are numbers
    const void *key; // where they are keys
    size_t size;
    bool is_key;
    bool is_reported; // as it was reported, and neither of both
} named_state;

// Whether a state is what states are here; `what` it is, in the message.
LGKT_COLD static lgkt_status check_state(lgkt_units *u, const char *what, const named_state *named)
{
    if (named->is_key && named->key == NULL && named->size > 0)
        return lgkt_fail(u->refusal, LGKT_ERR_ARGUMENT, "the key of %s must not be NULL", what);
    if (named->is_key && u->keyed == NULL)
        return lgkt_fail(u->refusal, LGKT_ERR_UNSUPPORTED,
                         "states are numbers here, and a key is none");
    if (!named->is_key && u->keyed != NULL)
        return lgkt_fail(u->refusal, LGKT_ERR_UNSUPPORTED,
                         "states are keys here, and the number %d is none", named->number);
    return named->is_key
               ? LGKT_OK
               : lgkt_check_index(what, named->number, u->learner->problem.states, u->refusal);
}

// Why a unit, new if it is NULL, cannot act in a state; kept out of line, since it is rare.
LGKT_COLD static lgkt_status refuse_state(lgkt_units *u, uint64_t id, const lgkt_unit *unit,
                                          const named_state *named)
{
    const unsigned long long name = id;
    const long long last = unit != NULL ? unit->last : -1;
    if (!named->is_reported || (named->is_key && u->keyed == NULL)) {
        LGKT_TRY(check_state(u, "state", named));
        if (named->is_key)
            return lgkt_fail(u->refusal, LGKT_ERR_PROTOCOL,
                             "unit %llu acts in another state than the one reported of its "
                             "decision %lld",
                             name, last);
        return lgkt_fail(u->refusal, LGKT_ERR_PROTOCOL,
                         "unit %llu acts in state %d, but state %d was reported of its decision "
                         "%lld",
                         name, named->number, unit->next, last);
    }
    if (last < 0)
        return lgkt_fail(u->refusal, LGKT_ERR_PROTOCOL,
                         unit == NULL
                             ? "unit %llu is new and acts without a state: none was reported"
                             : "unit %llu acts without a state: the row that it was fed has ended",
                         name);
    return lgkt_fail(
        u->refusal, LGKT_ERR_PROTOCOL, "unit %llu acts without a state: %s its decision %lld", name,
        unit->next == LGKT_NEXT_OPEN ? "none was reported of" : "it was cut after", last);
}

// Whether a unit, new if it is NULL, may act in a state. The next state of a fed row is no promise:
// a unit may act elsewhere after it.
static bool may_act_in(const lgkt_units *u, const lgkt_unit *unit, const named_state *named)
{
    const int32_t reported = unit != NULL ? unit->next : LGKT_NEXT_ANY;
    if (named->is_reported)
        return reported >= 0 && (!named->is_key || u->keyed != NULL);
    if (named->is_key != (u->keyed != NULL))
        return false;
    const bool anywhere = reported < 0 || unit->last < 0;
    if (named->is_key)
        return anywhere ? named->key != NULL || named->size == 0
                        : lgkt_keyed_is(u->keyed, reported, named->key, named->size);
    return (uint32_t)named->number < (uint32_t)u->learner->problem.states &&
           (anywhere || reported == named->number);
}

// Memory for one more unit, where the limit lets it in.
static lgkt_status make_place(lgkt_units *u, uint64_t id)
{
    if (u->count >= u->set.unit_limit)
        return lgkt_fail(u->refusal, LGKT_ERR_SHAPE,
                         "unit %llu is one too many: the limit is %d units", (unsigned long long)id,
                         u->set.unit_limit);
    // these grow only where they were loaded
    const int32_t twice = u->capacity > u->set.unit_limit / 2 ? u->set.unit_limit : 2 * u->capacity;
    if (u->count >= u->capacity && !lgkt_units_reserve(u, twice))
        return lgkt_fail_memory(u->refusal, "units");
    return LGKT_OK;
}

static lgkt_unit *add_unit(lgkt_units *u, uint64_t id)
{
    lgkt_unit *unit = &u->all[u->count++];
    *unit = (lgkt_unit){.id = id, .last = -1, .next = LGKT_NEXT_ANY};
    u->slots[lgkt_units_slot(u, id)] = u->count;
    return unit;
}

// The number of a state, a new one for a new key.
static lgkt_status number_of(lgkt_units *u, const named_state *named, int32_t *number)
{
    *number = named->number;
    return named->is_key ? lgkt_keyed_number(u->keyed, named->key, named->size, number) : LGKT_OK;
}

// ---- decisions ----

// what a unit is about to do
typedef enum doing { SETTLES, CHOOSES, TAKES } doing;

typedef struct turn {
    uint64_t id;
    named_state named;      // where it says that it is
    const uint8_t *allowed; // NULL: all actions
    lgkt_unit *unit;        // NULL: it is new
    int32_t index;          // of the unit, or where it will be
    int32_t state;
    bool is_taken; // the state is no known one: its number was taken for this turn
} turn;

// Checks all that a decision may be refused for, but for memory that the choice takes. A new key and
// new memory are there afterwards, but no caller can see them yet.
LGKT_HOT static lgkt_status open_turn(lgkt_units *u, turn *now)
{
    const lgkt_learner *learner = u->learner;
    if (learner->t >= learner->problem.horizon)
        return lgkt_fail(u->refusal, LGKT_ERR_HORIZON, "all %lld decisions have been made",
                         (long long)learner->problem.horizon);
    const int32_t index = u->slots[lgkt_units_slot(u, now->id)] - 1;
    lgkt_unit *unit = index >= 0 ? &u->all[index] : NULL;
    if (!may_act_in(u, unit, &now->named))
        return refuse_state(u, now->id, unit, &now->named);
    if (unit != NULL && u->set.unit_horizon > 0 && unit->made >= u->set.unit_horizon)
        return lgkt_fail(u->refusal, LGKT_ERR_HORIZON,
                         "unit %llu has made all of its %lld decisions",
                         (unsigned long long)now->id, (long long)u->set.unit_horizon);
    bool all_allowed = true;
    if (now->allowed != NULL)
        LGKT_TRY(lgkt_learner_check_mask(learner, now->allowed, &all_allowed, u->refusal));
    if (all_allowed)
        now->allowed = NULL;
    if (unit == NULL)
        LGKT_TRY(make_place(u, now->id));
    // this grows only where it was loaded
    if (learner->t - u->oldest >= u->ring_size && u->ring_size < u->set.patience &&
        !lgkt_units_make_ring(u, 2 * u->ring_size))
        return lgkt_fail_memory(u->refusal, "decisions");
    LGKT_TRY(prepare_to_learn(u));
    now->unit = unit;
    now->index = unit != NULL ? index : u->count;
    // a state that was reported has its number
    const bool known =
        unit != NULL && unit->next >= 0 && (unit->last >= 0 || now->named.is_reported);
    now->state = known ? unit->next : -1;
    now->is_taken = !known;
    return known ? LGKT_OK : number_of(u, &now->named, &now->state);
}

// The first part of a decision: what the learner learns before the choice.
LGKT_HOT static lgkt_status settle(lgkt_units *u, const turn *now)
{
    lgkt_unit *unit = now->unit;
    if (unit != NULL && unit->next == LGKT_NEXT_OPEN && unit->last >= u->oldest) {
        lgkt_decision *before = lgkt_units_at(u, unit->last);
        put_next(u, unit, now->state);
        put_follower(u, before, now->state, 0);
        if (before->marks & LGKT_REWARDED)
            LGKT_TRY(learn(u, unit->last, before));
    }
    return u->learner->t - u->oldest >= u->set.patience ? expire_oldest(u) : LGKT_OK;
}

// The second part: the choice, or the action that was taken.
LGKT_HOT static lgkt_status decide(lgkt_units *u, const turn *now, bool is_taken, int64_t *decision,
                                   int32_t *action)
{
    lgkt_learner *learner = u->learner;
    const int64_t number = learner->t;
    const int32_t state = now->state;
    lgkt_units_switch(u, lgkt_unit_continues(now->unit, state) ? now->index : -1);
    learner->unit = lgkt_units_clock(u, now->unit != NULL ? now->unit->made : 0);
    learner->state = state;
    int32_t chosen = *action;
    if (!is_taken)
        chosen = learner->offered != NULL || now->allowed != NULL
                     ? lgkt_learner_choose(learner, now->allowed)
                     : learner->act(learner, state);
    else
        lgkt_learner_note_offer(learner, state, now->allowed);
    if (chosen < 0)
        return lgkt_fail(u->refusal, (lgkt_status)chosen, "act: %s",
                         lgkt_status_text((lgkt_status)chosen));
    if (!is_taken && learner->class->took != NULL)
        is_taken = learner->class->took(learner);
    // `anytime` may be behind with what it was told, and has memory for no more
    learner->must_prepare |= is_taken;
    u->at_hand = now->index;
    if (now->named.is_key && !now->named.is_reported)
        lgkt_keyed_note(u->keyed, now->named.key);
    learner->action = chosen;
    learner->t++;
    learner->phase = learner->t < learner->problem.horizon ? LGKT_PHASE_ACT : LGKT_PHASE_OVER;
    lgkt_unit *unit = now->unit != NULL ? now->unit : add_unit(u, now->id);
    hold(u, state);
    unit->last = number;
    unit->made++;
    put_next(u, unit, LGKT_NEXT_OPEN);
    unit->linked = false;
    *lgkt_units_at(u, number) = (lgkt_decision){.state = state,
                                                .action = chosen,
                                                .next = state,
                                                .unit = now->index,
                                                .marks = is_taken ? LGKT_TAKEN : 0};
    u->open++;
    *decision = number;
    *action = chosen;
    return LGKT_OK;
}

// Whether somebody else can have taken an action.
LGKT_COLD static lgkt_status check_taken(lgkt_units *u, const uint8_t *allowed, int32_t action)
{
    LGKT_TRY(lgkt_learner_check_feed(u->learner, action, 0, u->refusal));
    if (allowed != NULL && allowed[action] == 0)
        return lgkt_fail(u->refusal, LGKT_ERR_ARGUMENT, "action %d is not one that is allowed",
                         action);
    return LGKT_OK;
}

LGKT_HOT static lgkt_status take_turn(lgkt_units *u, turn *now, doing what, int64_t *decision,
                                      int32_t *action)
{
    if (u == NULL)
        return LGKT_ERR_ARGUMENT;
    if (decision == NULL || action == NULL)
        return lgkt_fail(u->refusal, LGKT_ERR_ARGUMENT, "%s must not be NULL",
                         what == TAKES ? "decision" : "decision and action");
    if (what == TAKES)
        LGKT_TRY(check_taken(u, now->allowed, *action));
    LGKT_TRY(open_turn(u, now));
    lgkt_status status = settle(u, now);
    if (status == LGKT_OK && what != SETTLES)
        status = decide(u, now, what == TAKES, decision, action);
    if (now->is_taken)
        release(u, now->state);
    return status;
}

static named_state by_number(int32_t state)
{
    return (named_state){.number = state, .is_reported = state == LGKT_STATE_REPORTED};
}

static named_state by_key(const void *key, size_t size)
{
    const bool reported = key == NULL && size == SIZE_MAX;
    return (named_state){.key = key, .size = size, .is_key = true, .is_reported = reported};
}

lgkt_status lgkt_units_settle(lgkt_units *units, uint64_t unit, int32_t state)
{
    turn now = {.id = unit, .named = by_number(state)};
    return take_turn(units, &now, SETTLES, &(int64_t){0}, &(int32_t){0});
}

lgkt_status lgkt_units_settle_key(lgkt_units *units, uint64_t unit, const void *key, size_t size)
{
    turn now = {.id = unit, .named = by_key(key, size)};
    return take_turn(units, &now, SETTLES, &(int64_t){0}, &(int32_t){0});
}

lgkt_status lgkt_units_act(lgkt_units *units, uint64_t unit, int32_t state, const uint8_t *allowed,
                           int64_t *decision, int32_t *action)
{
    turn now = {.id = unit, .named = by_number(state), .allowed = allowed};
    return take_turn(units, &now, CHOOSES, decision, action);
}

lgkt_status lgkt_units_act_key(lgkt_units *units, uint64_t unit, const void *key, size_t size,
                               const uint8_t *allowed, int64_t *decision, int32_t *action)
{
    turn now = {.id = unit, .named = by_key(key, size), .allowed = allowed};
    return take_turn(units, &now, CHOOSES, decision, action);
}

lgkt_status lgkt_units_take(lgkt_units *units, uint64_t unit, int32_t state, const uint8_t *allowed,
                            int32_t action, int64_t *decision)
{
    turn now = {.id = unit, .named = by_number(state), .allowed = allowed};
    return take_turn(units, &now, TAKES, decision, &action);
}

lgkt_status lgkt_units_take_key(lgkt_units *units, uint64_t unit, const void *key, size_t size,
                                const uint8_t *allowed, int32_t action, int64_t *decision)
{
    turn now = {.id = unit, .named = by_key(key, size), .allowed = allowed};
    return take_turn(units, &now, TAKES, decision, &action);
}

// ---- reports ----

// why there is no report to be made on a decision
LGKT_COLD static lgkt_status refuse_decision(lgkt_units *u, int64_t decision)
{
    const long long number = decision, made = u->learner->t;
    if (decision < 0 || decision >= u->learner->t)
        return lgkt_fail(u->refusal, LGKT_ERR_ARGUMENT,
                         "decision %lld was never made: there are %lld so far", number, made);
    return lgkt_fail(
        u->refusal, LGKT_ERR_HORIZON,
        "decision %lld is too old for a report: of the %lld that were made the last %lld "
        "are open",
        number, made, made - (long long)u->oldest);
}

lgkt_status lgkt_units_reward(lgkt_units *units, int64_t decision, double reward)
{
    if (units == NULL)
        return LGKT_ERR_ARGUMENT;
    if (decision < units->oldest || decision >= units->learner->t)
        return refuse_decision(units, decision);
    const long long number = decision;
    if (!lgkt_reward_fits(reward))
        return lgkt_fail(units->refusal, isfinite(reward) ? LGKT_ERR_ARGUMENT : LGKT_ERR_NOT_FINITE,
                         "the reward of decision %lld is %g; it must be in [-%g, %g]", number,
                         reward, LGKT_MAX_REWARD, LGKT_MAX_REWARD);
    lgkt_decision *d = lgkt_units_at(units, decision);
    if (d->marks & LGKT_REWARDED) {
        if (d->reward == reward)
            return LGKT_OK;
        char known[LGKT_NUMBER_SIZE], other[LGKT_NUMBER_SIZE];
        return lgkt_fail(units->refusal, LGKT_ERR_PROTOCOL,
                         "the reward of decision %lld is %s already, and %s is another", number,
                         lgkt_number_print(known, d->reward), lgkt_number_print(other, reward));
    }
    const bool learns = (d->marks & LGKT_FOLLOWED) != 0;
    if (learns)
        LGKT_TRY(prepare_to_learn(units));
    d->reward = reward;
    d->marks |= LGKT_REWARDED;
    return learns ? learn(units, decision, d) : LGKT_OK;
}

// the same next state again, or another one
static lgkt_status repeat_next(lgkt_units *u, int64_t decision, const named_state *named,
                               bool ended)
{
    const lgkt_decision *d = lgkt_units_at(u, decision);
    const bool same = named->is_key ? lgkt_keyed_is(u->keyed, d->next, named->key, named->size)
                                    : named->number == d->next;
    const bool cut = (d->marks & LGKT_CUT) != 0;
    if (same && ended == cut)
        return LGKT_OK;
    const long long number = decision;
    static const char *const ends[] = {"", ", cut"};
    if (named->is_key)
        return lgkt_fail(u->refusal, LGKT_ERR_PROTOCOL,
                         "the next state of decision %lld is known already%s, and this is "
                         "another%s",
                         number, ends[cut], ends[ended]);
    return lgkt_fail(u->refusal, LGKT_ERR_PROTOCOL,
                     "the next state of decision %lld is %d%s already, and %d%s is another", number,
                     d->next, ends[cut], named->number, ends[ended]);
}

static lgkt_status next_is(lgkt_units *u, int64_t decision, const named_state *named, bool ended)
{
    if (decision < u->oldest || decision >= u->learner->t)
        return refuse_decision(u, decision);
    LGKT_TRY(check_state(u, "next_state", named));
    lgkt_decision *d = lgkt_units_at(u, decision);
    if (d->marks & LGKT_FOLLOWED)
        return repeat_next(u, decision, named, ended);
    const bool learns = (d->marks & LGKT_REWARDED) != 0;
    if (learns)
        LGKT_TRY(prepare_to_learn(u));
    int32_t next;
    LGKT_TRY(number_of(u, named, &next));
    put_follower(u, d, next, ended ? LGKT_CUT : 0);
    lgkt_unit *unit = d->unit >= 0 ? &u->all[d->unit] : NULL;
    if (unit != NULL && unit->last == decision)
        put_next(u, unit, ended ? LGKT_NEXT_ANY : next);
    if (named->is_key)
        release(u, next);
    return learns ? learn(u, decision, d) : LGKT_OK;
}

lgkt_status lgkt_units_next(lgkt_units *units, int64_t decision, int32_t next_state, bool ended)
{
    const named_state named = {.number = next_state};
    return units == NULL ? LGKT_ERR_ARGUMENT : next_is(units, decision, &named, ended);
}

lgkt_status lgkt_units_next_key(lgkt_units *units, int64_t decision, const void *key, size_t size,
                                bool ended)
{
    const named_state named = {.key = key, .size = size, .is_key = true};
    return units == NULL ? LGKT_ERR_ARGUMENT : next_is(units, decision, &named, ended);
}

// ---- rows that are fed: steps that were chosen elsewhere and make no decision ----

// what can be seen of a row alone
static lgkt_status check_row(lgkt_units *u, const lgkt_units_row *row, bool is_key)
{
    const named_state from = {row->state, row->key, row->key_size, is_key, false};
    const named_state to = {row->next_state, row->next_key, row->next_key_size, is_key, false};
    LGKT_TRY(lgkt_learner_check_feed(u->learner, row->action, row->reward, u->refusal));
    LGKT_TRY(check_state(u, "state", &from));
    return check_state(u, "next_state", &to);
}

// One that was checked. All that it may be refused for comes first.
static lgkt_status feed_row(lgkt_units *u, const lgkt_units_row *row, bool is_key)
{
    lgkt_learner *learner = u->learner;
    const int32_t found = u->slots[lgkt_units_slot(u, row->unit)] - 1;
    if (found < 0)
        LGKT_TRY(make_place(u, row->unit));
    if (!lgkt_learner_prepare(learner))
        return lgkt_fail_memory(u->refusal, "a step");
    int32_t from = row->state, to = row->next_state;
    if (is_key)
        LGKT_TRY(lgkt_keyed_number_both(u->keyed, row->key, row->key_size, row->next_key,
                                        row->next_key_size, &from, &to));
    lgkt_unit *unit = found >= 0 ? &u->all[found] : add_unit(u, row->unit);
    const int32_t index = (int32_t)(unit - u->all);
    // a record that it follows on keeps the number that it has
    if (is_key && unit->linked && unit->next >= 0 &&
        lgkt_keyed_is(u->keyed, unit->next, row->key, row->key_size)) {
        hold(u, unit->next);
        release(u, from);
        from = unit->next;
    }
    lgkt_units_switch(u, unit->linked && unit->next == from ? index : -1);
    u->at_hand = index;
    // a decision of the unit that is still open stands alone from now on
    unit->last = -1;
    unit->linked = !row->ended;
    put_next(u, unit, row->ended ? LGKT_NEXT_ANY : to);
    learner->unit = lgkt_units_clock(u, unit->made);
    learner->fed++;
    learner->must_prepare = true;
    learner->state = from;
    learner->action = row->action;
    const lgkt_status status = learner->feed(learner, row->reward, to, row->ended);
    if (is_key) {
        release(u, from);
        release(u, to);
    }
    if (status != LGKT_OK)
        lgkt_fail(u->refusal, status, "the row was not learned: %s", lgkt_status_text(status));
    return status;
}

static lgkt_status feed_one(lgkt_units *u, const lgkt_units_row *row, bool is_key)
{
    if (u == NULL)
        return LGKT_ERR_ARGUMENT;
    LGKT_TRY(check_row(u, row, is_key));
    return feed_row(u, row, is_key);
}

lgkt_status lgkt_units_feed(lgkt_units *units, uint64_t unit, int32_t state, int32_t action,
                            double reward, int32_t next_state, bool ended)
{
    const lgkt_units_row row = {.unit = unit,
                                .state = state,
                                .action = action,
                                .reward = reward,
                                .next_state = next_state,
                                .ended = ended};
    return feed_one(units, &row, false);
}

lgkt_status lgkt_units_feed_key(lgkt_units *units, uint64_t unit, const void *key, size_t size,
                                int32_t action, double reward, const void *next_key,
                                size_t next_size, bool ended)
{
    const lgkt_units_row row = {.unit = unit,
                                .action = action,
                                .reward = reward,
                                .ended = ended,
                                .key = key,
                                .key_size = size,
                                .next_key = next_key,
                                .next_key_size = next_size};
    return feed_one(units, &row, true);
}

// Puts back what rows have changed; takes no memory, and cannot fail.
static void restore(lgkt_units *u, lgkt_units *kept)
{
    const size_t count = (size_t)kept->count;
    lgkt_learner_replace(u->learner, kept->learner);
    kept->learner = NULL;
    if (u->keyed != NULL) {
        lgkt_records *changed = u->keyed->records;
        u->keyed->records = kept->keyed->records;
        kept->keyed->records = changed;
        kept->keyed->learner = NULL;
        lgkt_keyed_forget(u->keyed, kept->keyed->count);
    }
    for (int32_t i = kept->count; i < u->count; i++)
        u->all[i].last = -1;
    memcpy(u->all, kept->all, count * sizeof *u->all);
    memcpy(u->tracks, kept->tracks, (count + 1) * u->track);
    u->count = kept->count;
    u->at_hand = -1;
    lgkt_units_fill_slots(u);
}

// Checks or feeds all rows of the caller's, whose program may have been compiled with fewer fields or
// with more. A refusal says which row it was.
static lgkt_status for_rows(lgkt_units *u, const lgkt_units_row *rows, size_t count,
                            size_t row_size,
                            lgkt_status (*what)(lgkt_units *, const lgkt_units_row *, bool is_key))
{
    for (size_t i = 0; i < count; i++) {
        lgkt_units_row row;
        lgkt_sized_fill(&row, sizeof row, (const unsigned char *)rows + i * row_size, row_size);
        const lgkt_status status = what(u, &row, u->keyed != NULL);
        if (status != LGKT_OK) {
            const lgkt_error why = *u->refusal;
            return lgkt_fail(u->refusal, status, "row %zu: %s", i, why.text);
        }
    }
    return LGKT_OK;
}

lgkt_status lgkt_units_feed_rows(lgkt_units *units, const lgkt_units_row *rows, size_t count,
                                 size_t row_size)
{
    if (units == NULL)
        return LGKT_ERR_ARGUMENT;
    if ((rows == NULL && count > 0) || row_size < LGKT_SIZE_UP_TO(lgkt_units_row, next_key_size) ||
        row_size % _Alignof(lgkt_units_row))
        return lgkt_fail(units->refusal, LGKT_ERR_ARGUMENT,
                         rows == NULL && count > 0 ? "rows must not be NULL"
                                                   : "row_size must be sizeof(lgkt_units_row)");
    LGKT_TRY(for_rows(units, rows, count, row_size, check_row));
    if (count == 0)
        return LGKT_OK;
    lgkt_units *kept = NULL;
    LGKT_TRY(lgkt_units_copy(units, &kept, units->refusal));
    const lgkt_status status = for_rows(units, rows, count, row_size, feed_row);
    if (status != LGKT_OK)
        restore(units, kept);
    lgkt_units_destroy(kept);
    return status;
}
