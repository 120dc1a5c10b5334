// SPDX-License-Identifier: MIT
// Units as a whole (units.h): creation, the horizon, reasons, and taking the state out and back in.
//
// In a saved state the learner has the track of a trajectory that begins, and each unit its own:
// which one was at hand last leaves no trace.

#include "learners/front/units_private.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sized.h"
#include "learners/front/keyed_private.h"

#define MAX_UNITS    (1 << 24)
#define MAX_PATIENCE (INT64_C(1) << 30)

// what is loaded has room for as much as it holds, and for a few more
#define FEW_UNITS     64
#define FEW_DECISIONS 1024
// words of a saved unit and of a saved decision
#define UNIT_WORDS     5
#define DECISION_WORDS 5

// ---- memory ----

void lgkt_units_fill_slots(lgkt_units *u)
{
    memset(u->slots, 0, u->slot_count * sizeof *u->slots);
    for (int32_t i = 0; i < u->count; i++)
        u->slots[lgkt_units_slot(u, u->all[i].id)] = i + 1;
}

// bytes for each unit: never more than four slots
static size_t unit_bytes(const lgkt_units *u)
{
    return sizeof *u->all + 4 * sizeof *u->slots + u->track;
}

bool lgkt_units_reserve(lgkt_units *u, int32_t capacity)
{
    size_t slot_count = 2;
    while (slot_count < 2 * (size_t)capacity)
        slot_count *= 2;
    lgkt_unit *all = lgkt_alloc_zeroed(&u->allocator, (size_t)capacity + 1, unit_bytes(u));
    if (all == NULL)
        return false;
    int32_t *slots = (int32_t *)(all + capacity);
    unsigned char *tracks = (unsigned char *)(slots + slot_count);
    if (u->all != NULL) {
        memcpy(all, u->all, (size_t)u->count * sizeof *all);
        memcpy(tracks, u->tracks, ((size_t)u->count + 1) * u->track);
    }
    // none of them has made a decision, not even number 0
    for (int32_t i = u->count; i < capacity; i++)
        all[i].last = -1;
    lgkt_free(&u->allocator, u->all);
    u->all = all;
    u->slots = slots;
    u->tracks = tracks;
    u->capacity = capacity;
    u->slot_count = slot_count;
    lgkt_units_fill_slots(u);
    return true;
}

bool lgkt_units_make_ring(lgkt_units *u, int64_t size)
{
    int64_t ring_size = 1;
    while (ring_size < size)
        ring_size *= 2;
    if (ring_size <= u->ring_size)
        return true;
    lgkt_decision *ring = lgkt_alloc_zeroed(&u->allocator, (size_t)ring_size, sizeof *ring);
    if (ring == NULL)
        return false;
    for (int64_t i = u->oldest; u->ring_size > 0 && i < u->learner->t; i++)
        ring[i & (ring_size - 1)] = *lgkt_units_at(u, i);
    lgkt_free(&u->allocator, u->ring);
    u->ring = ring;
    u->ring_size = ring_size;
    return true;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// ---- life ----

void lgkt_units_config_init(lgkt_units_config *config, size_t size)
{
    const lgkt_units_config standard = {
        .size = size, .patience = 65536, .missing = NAN, .keys = lgkt_keyed_config_default()};
    lgkt_sized_fill(config, size, &standard, sizeof standard);
}

static lgkt_status check_set(const lgkt_units_config *set, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_setting("unit_limit", set->unit_limit, 1, MAX_UNITS, error));
    LGKT_TRY(lgkt_check_setting("patience", set->patience, 1, MAX_PATIENCE, error));
    if (!isnan(set->missing) && !lgkt_reward_fits(set->missing))
        return lgkt_fail(error, LGKT_ERR_CONFIG, "missing = %g must be NaN or in [-%g, %g]",
                         set->missing, LGKT_MAX_REWARD, LGKT_MAX_REWARD);
    return lgkt_check_setting("unit_horizon", set->unit_horizon, 0, INT64_MAX, error);
}

// What is open to reports must not be forgotten before they come.
static lgkt_status check_memory(const lgkt_learner *learner, int64_t patience, int64_t horizon,
                                lgkt_error *error)
{
    const int64_t memory = lgkt_learner_memory(learner), open = least(patience, horizon);
    if (memory == 0 || memory >= open)
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_CONFIG,
                     "patience = %lld is above memory = %lld: decisions that are open to reports "
                     "would be forgotten",
                     (long long)open, (long long)memory);
}

static lgkt_units *make_units(const lgkt_learner_config *config, const lgkt_units_config *set)
{
    const lgkt_allocator allocator = lgkt_allocator_resolve(&config->allocator);
    lgkt_units *u = lgkt_alloc_zeroed(&allocator, 1, sizeof *u);
    if (u == NULL)
        return NULL;
    u->allocator = allocator;
    u->set = *set;
    u->set.keys.view = (lgkt_view){0}; // what it points to is the caller's
    u->at_hand = -1;
    return u;
}

// What is around a learner, whose track is one that begins. Refused by name where units cannot
// share it.
static lgkt_status surround(lgkt_units *u, int32_t capacity, int64_t ring_size, lgkt_error *error)
{
    lgkt_learner *learner = u->learner;
    u->refusal = &learner->refusal;
    if (learner->unpooled != NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "units cannot share a learner \"%s\": %s",
                         learner->entry->name, learner->unpooled);
    u->track = lgkt_learner_track(learner, LGKT_TRACK_OUT, NULL);
    if (!lgkt_units_reserve(u, capacity) || !lgkt_units_make_ring(u, ring_size))
        return lgkt_fail_memory(error, "units");
    if (u->track > 0)
        lgkt_learner_track(learner, LGKT_TRACK_OUT, lgkt_units_track(u, -1));
    return LGKT_OK;
}

// all of it behind its head; who calls destroys it on failure
static lgkt_status build(lgkt_units *u, const char *spec, const lgkt_learner_config *config,
                         const lgkt_keyed_config *keys, lgkt_error *error)
{
    if (keys->state_limit != 0 || keys->view.dims != 0) {
        LGKT_TRY(lgkt_keyed_create(spec, config, keys, &u->keyed, error));
        u->learner = u->keyed->learner;
    } else {
        LGKT_TRY(lgkt_learner_create(spec, config, &u->learner, error));
    }
    LGKT_TRY(check_memory(u->learner, u->set.patience, u->learner->problem.horizon, error));
    lgkt_learner_begin(u->learner);
    return surround(u, u->set.unit_limit, least(u->set.patience, u->learner->problem.horizon),
                    error);
}

lgkt_status lgkt_units_create(const char *spec, const lgkt_learner_config *config,
                              const lgkt_units_config *units_config, lgkt_units **units,
                              lgkt_error *error)
{
    static const lgkt_sized_kind kind = {sizeof(lgkt_units_config),
                                         LGKT_SIZE_UP_TO(lgkt_units_config, keys), "units_config",
                                         "lgkt_units_config_default"};
    lgkt_learner_config own;
    lgkt_units_config set = lgkt_units_config_default();
    if (spec == NULL || units == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "spec and units must not be NULL");
    LGKT_TRY(lgkt_learner_take_config(config, &own, error));
    LGKT_TRY(lgkt_sized_take(&kind, units_config, &set, error));
    LGKT_TRY(check_set(&set, error));
    lgkt_units *u = make_units(&own, &set);
    if (u == NULL)
        return lgkt_fail_memory(error, "units");
    const lgkt_status status = build(u, spec, &own, &set.keys, error);
    if (status == LGKT_OK)
        *units = u;
    else
        lgkt_units_destroy(u);
    return status;
}

void lgkt_units_destroy(lgkt_units *units)
{
    if (units == NULL)
        return;
    if (units->keyed != NULL)
        lgkt_keyed_destroy(units->keyed);
    else
        lgkt_learner_destroy(units->learner);
    const lgkt_allocator allocator = units->allocator;
    lgkt_free(&allocator, units->ring);
    lgkt_free(&allocator, units->all);
    lgkt_free(&allocator, units);
}

lgkt_status lgkt_units_set_horizon(lgkt_units *units, int64_t horizon, int64_t unit_horizon)
{
    if (units == NULL)
        return LGKT_ERR_ARGUMENT;
    const long long made = units->learner->t, told = units->set.unit_horizon;
    if (horizon < 1 || horizon < made)
        return lgkt_fail(units->refusal, LGKT_ERR_ARGUMENT,
                         "horizon %lld must be at least %lld, the decisions made so far",
                         (long long)horizon, made > 1 ? made : 1);
    if (unit_horizon < 0 || (unit_horizon > 0 && told == 0))
        return lgkt_fail(units->refusal, LGKT_ERR_ARGUMENT,
                         told == 0 ? "unit_horizon %lld must be 0: units were made without an end"
                                   : "unit_horizon %lld must not be negative",
                         (long long)unit_horizon);
    for (int32_t i = 0; unit_horizon > 0 && i < units->count; i++)
        if (units->all[i].made > unit_horizon)
            return lgkt_fail(units->refusal, LGKT_ERR_ARGUMENT,
                             "unit_horizon %lld must be at least %lld, the decisions that unit "
                             "%llu has made",
                             (long long)unit_horizon, (long long)units->all[i].made,
                             (unsigned long long)units->all[i].id);
    LGKT_TRY(check_memory(units->learner, units->set.patience, horizon, units->refusal));
    if (!lgkt_units_make_ring(units, least(units->set.patience, horizon)))
        return lgkt_fail_memory(units->refusal, "decisions");
    LGKT_TRY(lgkt_learner_set_horizon(units->learner, horizon));
    if (unit_horizon > 0)
        units->set.unit_horizon = unit_horizon;
    return LGKT_OK;
}

lgkt_status lgkt_units_raise_limits(lgkt_units *units, int32_t unit_limit, int64_t patience)
{
    if (units == NULL)
        return LGKT_ERR_ARGUMENT;
    lgkt_units_config raised = units->set;
    raised.unit_limit = unit_limit == 0 ? raised.unit_limit : unit_limit;
    raised.patience = patience == 0 ? raised.patience : patience;
    if (raised.unit_limit < units->set.unit_limit || raised.patience < units->set.patience)
        return lgkt_fail(units->refusal, LGKT_ERR_ARGUMENT,
                         "unit_limit = %d and patience = %lld can only be raised, from %d and %lld",
                         raised.unit_limit, (long long)raised.patience, units->set.unit_limit,
                         (long long)units->set.patience);
    LGKT_TRY(check_set(&raised, units->refusal));
    LGKT_TRY(check_memory(units->learner, raised.patience, units->learner->problem.horizon,
                          units->refusal));
    const int64_t decisions = least(raised.patience, units->learner->problem.horizon);
    if ((raised.unit_limit > units->capacity && !lgkt_units_reserve(units, raised.unit_limit)) ||
        !lgkt_units_make_ring(units, decisions))
        return lgkt_fail_memory(units->refusal, "units");
    units->set = raised;
    return LGKT_OK;
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
        return lgkt_fail(units->refusal, LGKT_ERR_ARGUMENT,
                         "unit %llu is not there, and cannot leave", (unsigned long long)unit);
    if (units->keyed != NULL)
        lgkt_records_release(units->keyed->records, units->all[index].next);
    empty_slot(units, slot);
    if (units->at_hand == index)
        units->at_hand = -1;
    // the last one takes its place
    lgkt_unit *gone = &units->all[index], *mover = &units->all[--units->count];
    if (mover != gone) {
        *gone = *mover;
        units->slots[lgkt_units_slot(units, mover->id)] = index + 1;
        if (gone->last >= units->oldest)
            lgkt_units_at(units, gone->last)->unit = index;
        if (units->at_hand == units->count)
            units->at_hand = index;
        memcpy(lgkt_units_track(units, index), lgkt_units_track(units, units->count), units->track);
    }
    mover->last = -1;
    return LGKT_OK;
}

// ---- looking ----

lgkt_status lgkt_units_explain(const lgkt_units *looked_at, uint64_t unit, int32_t state,
                               const uint8_t *allowed, lgkt_reason *reasons, size_t reason_size,
                               lgkt_error *error)
{
    if (looked_at == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "units must not be NULL");
    // only which unit is at hand changes, and that leaves no trace
    lgkt_units *units = (lgkt_units *)looked_at;
    const int32_t index = units->slots[lgkt_units_slot(units, unit)] - 1;
    const lgkt_unit *at = index >= 0 ? &units->all[index] : NULL;
    if (state == LGKT_STATE_REPORTED && at != NULL && at->next >= 0)
        state = at->next;
    else if (state == LGKT_STATE_REPORTED)
        return lgkt_fail(error, LGKT_ERR_PROTOCOL, "no next state was reported of unit %llu",
                         (unsigned long long)unit);
    lgkt_units_switch(units, lgkt_unit_continues(at, state) ? index : -1);
    units->learner->unit = lgkt_units_clock(units, at != NULL ? at->made : 0);
    return lgkt_learner_reasons(units->learner, state, allowed, reasons, reason_size, error);
}

// a record that is not the reported one is a question, and number 0
static lgkt_status explain_record(const lgkt_units *units, uint64_t unit, const void *key,
                                  size_t size, const uint8_t *allowed, lgkt_reason *reasons,
                                  size_t reason_size, lgkt_error *error)
{
    const int32_t index = units->slots[lgkt_units_slot(units, unit)] - 1;
    const int32_t next = index >= 0 ? units->all[index].next : LGKT_NEXT_ANY;
    LGKT_TRY(lgkt_keyed_ask(units->keyed, key, size, error));
    const bool reported = next >= 0 && lgkt_keyed_is(units->keyed, next, key, size);
    return lgkt_units_explain(units, unit, reported ? next : 0, allowed, reasons, reason_size,
                              error);
}

lgkt_status lgkt_units_explain_key(const lgkt_units *units, uint64_t unit, const void *key,
                                   size_t size, const uint8_t *allowed, lgkt_reason *reasons,
                                   size_t reason_size, lgkt_error *error)
{
    if (units == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "units must not be NULL");
    if (units->keyed == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED, "states are numbers here, and a key is none");
    const bool reported = key == NULL && size == SIZE_MAX;
    if (units->keyed->records != NULL && !reported)
        return explain_record(units, unit, key, size, allowed, reasons, reason_size, error);
    const int32_t state = reported ? LGKT_STATE_REPORTED : lgkt_keyed_find(units->keyed, key, size);
    if (state < 0 && !reported)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "this key was never seen; lgkt_units_settle_key makes it known");
    return lgkt_units_explain(units, unit, state, allowed, reasons, reason_size, error);
}

int64_t lgkt_units_decisions(const lgkt_units *units)
{
    return units == NULL ? 0 : units->learner->t;
}

int64_t lgkt_units_open(const lgkt_units *units)
{
    return units == NULL ? 0 : units->open;
}

int32_t lgkt_units_count(const lgkt_units *units)
{
    return units == NULL ? 0 : units->count;
}

int64_t lgkt_units_expired(const lgkt_units *units)
{
    return units == NULL ? 0 : units->expired;
}

const lgkt_learner *lgkt_units_learner(const lgkt_units *units)
{
    return units == NULL ? NULL : units->learner;
}

const lgkt_keyed *lgkt_units_keys(const lgkt_units *units)
{
    return units == NULL ? NULL : units->keyed;
}

size_t lgkt_units_bytes(const lgkt_units *units)
{
    if (units == NULL)
        return 0;
    return sizeof *units +
           (units->keyed != NULL ? lgkt_keyed_bytes(units->keyed)
                                 : lgkt_learner_bytes(units->learner)) +
           (size_t)units->ring_size * sizeof *units->ring +
           ((size_t)units->capacity + 1) * unit_bytes(units);
}

const char *lgkt_units_message(const lgkt_units *units)
{
    return units == NULL ? "units must not be NULL" : units->refusal->text;
}

lgkt_status lgkt_units_name_feature(lgkt_units *units, int32_t feature, const char *name)
{
    if (units == NULL)
        return LGKT_ERR_ARGUMENT;
    return units->keyed != NULL ? lgkt_keyed_name_feature(units->keyed, feature, name)
                                : lgkt_fail(units->refusal, LGKT_ERR_UNSUPPORTED,
                                            "states are numbers here, and have no features");
}

lgkt_status lgkt_units_category(lgkt_units *units, int32_t feature, const char *text,
                                int32_t *category)
{
    if (units == NULL)
        return LGKT_ERR_ARGUMENT;
    return units->keyed != NULL ? lgkt_keyed_category(units->keyed, feature, text, category)
                                : lgkt_fail(units->refusal, LGKT_ERR_UNSUPPORTED,
                                            "states are numbers here, and have no features");
}

// ---- the walk ----

static void visit_set(lgkt_units_config *set, int32_t *keyed, lgkt_archive *archive)
{
    lgkt_visit_i32(archive, &set->unit_limit, 1, 1, MAX_UNITS);
    lgkt_visit_i64(archive, &set->patience, 1, 1, MAX_PATIENCE);
    lgkt_visit_real(archive, &set->missing, 1);
    archive->bad |= !isnan(set->missing) && !lgkt_reward_fits(set->missing);
    lgkt_visit_i64(archive, &set->unit_horizon, 1, 0, INT64_MAX);
    lgkt_visit_i32(archive, keyed, 1, 0, 1);
}

static void visit_decision(const lgkt_units *u, lgkt_decision *d, lgkt_archive *archive)
{
    const int32_t last = u->learner->problem.states - 1;
    int32_t marks = (int32_t)d->marks;
    lgkt_visit_f64(archive, &d->reward, 1);
    lgkt_visit_i32(archive, &d->state, 1, 0, last);
    lgkt_visit_i32(archive, &d->action, 1, 0, u->learner->problem.actions - 1);
    lgkt_visit_i32(archive, &d->next, 1, 0, last);
    lgkt_visit_i32(archive, &marks, 1, 0, LGKT_LEARNED | LGKT_CUT | LGKT_TAKEN);
    archive->bad |= !lgkt_reward_fits(d->reward) || (marks & 6) == LGKT_CUT ||
                    ((marks & LGKT_TAKEN) != 0 && u->learner->feed == NULL);
    d->marks = (uint32_t)marks;
}

static void visit_unit(const lgkt_units *u, lgkt_unit *unit, lgkt_archive *archive)
{
    const int64_t made = u->learner->t, end = u->set.unit_horizon;
    int32_t linked = unit->linked;
    lgkt_visit_u64(archive, &unit->id, 1);
    lgkt_visit_i64(archive, &unit->last, 1, -1, made - 1);
    lgkt_visit_i64(archive, &unit->made, 1, 0, end > 0 ? least(end, made) : made);
    lgkt_visit_i32(archive, &unit->next, 1, LGKT_NEXT_OPEN, u->learner->problem.states - 1);
    lgkt_visit_i32(archive, &linked, 1, 0, 1);
    unit->linked = linked != 0;
    // what came last is a decision, or a row that was fed and has led to a state unless it ended
    archive->bad |= unit->last >= 0
                        ? unit->made == 0
                        : unit->next == LGKT_NEXT_OPEN || unit->linked != (unit->next >= 0);
}

// Finds a unit that was loaded its slot and its latest decision; false if these do not agree.
static bool link_unit(lgkt_units *u, int32_t index)
{
    const lgkt_unit *unit = &u->all[index];
    const size_t slot = lgkt_units_slot(u, unit->id);
    if (u->slots[slot] != 0)
        return false;
    u->slots[slot] = index + 1;
    if (unit->last < u->oldest)
        return true;
    lgkt_decision *d = lgkt_units_at(u, unit->last);
    const int32_t next = !(d->marks & LGKT_FOLLOWED) ? LGKT_NEXT_OPEN
                         : d->marks & LGKT_CUT       ? LGKT_NEXT_ANY
                                                     : d->next;
    const bool learned = (d->marks & LGKT_LEARNED) == LGKT_LEARNED;
    const bool agrees = d->unit < 0 && unit->next == next && unit->linked == learned;
    d->unit = index;
    return agrees;
}

// what was loaded holds the number of its record
static void hold(lgkt_units *u, const lgkt_archive *archive, int32_t number)
{
    if (u->keyed != NULL && !archive->bad)
        lgkt_records_hold(u->keyed->records, number);
}

// Decisions and units; the learner is there already. Loading makes room for them.
static void visit_around(lgkt_units *u, lgkt_archive *archive)
{
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    const int64_t made = u->learner->t;
    int32_t count = u->count;
    lgkt_visit_i64(archive, &u->oldest, 1, made > u->set.patience ? made - u->set.patience : 0,
                   made);
    const int64_t oldest = u->oldest;
    lgkt_visit_i64(archive, &u->expired, 1, 0, oldest);
    lgkt_visit_i32(archive, &count, 1, 0, u->set.unit_limit);
    // memory in proportion to the bytes that are there
    if (loads) {
        const int64_t words = (int64_t)((archive->capacity - archive->at) / 8);
        archive->bad |= count > words / UNIT_WORDS || made - oldest > words / DECISION_WORDS;
        if (archive->bad)
            return;
        const int64_t few = least(u->set.patience, u->learner->problem.horizon);
        if (!lgkt_units_make_ring(u, made - oldest > FEW_DECISIONS ? made - oldest
                                                                   : least(FEW_DECISIONS, few)) ||
            !lgkt_units_reserve(
                u, count > FEW_UNITS ? count : (int32_t)least(FEW_UNITS, u->set.unit_limit))) {
            lgkt_archive_starve(archive);
            return;
        }
    }
    for (int64_t i = oldest; i < made; i++) {
        lgkt_decision *d = lgkt_units_at(u, i);
        visit_decision(u, d, archive);
        if (loads) {
            d->unit = -1;
            u->open += (d->marks & LGKT_LEARNED) != LGKT_LEARNED;
            hold(u, archive, d->state);
            hold(u, archive, d->marks & LGKT_FOLLOWED ? d->next : -1);
        }
    }
    for (int32_t i = 0; i < count && !archive->bad; i++) {
        visit_unit(u, &u->all[i], archive);
        if (loads)
            archive->bad |= archive->bad || !link_unit(u, i);
        if (loads)
            hold(u, archive, u->all[i].next);
        u->count = loads ? i + 1 : count;
        if (u->track == 0)
            continue;
        lgkt_units_switch(u, loads ? -1 : i);
        lgkt_learner_visit_track(u->learner, archive);
        u->at_hand = i;
    }
    lgkt_units_switch(u, -1);
}

static void visit_all(void *object, lgkt_archive *archive)
{
    lgkt_units *u = object;
    int32_t keyed = u->keyed != NULL;
    visit_set(&u->set, &keyed, archive);
    lgkt_units_switch(u, -1);
    if (keyed)
        lgkt_keyed_visit_whole(u->keyed, archive);
    else
        lgkt_learner_visit_whole(u->learner, archive);
    visit_around(u, archive);
}

// what is loaded behind the settings; who calls destroys it on failure
static lgkt_status load_rest(lgkt_units *u, bool keyed, lgkt_archive *archive,
                             const lgkt_learner_config *config, lgkt_error *error)
{
    void *made = NULL;
    LGKT_TRY((keyed ? lgkt_keyed_load_archive : lgkt_learner_load_archive)(archive, config, &made,
                                                                           error));
    u->keyed = keyed ? made : NULL;
    u->learner = keyed ? u->keyed->learner : made;
    LGKT_TRY(surround(u, 1, 1, error));
    archive->bad |= u->learner->phase == LGKT_PHASE_OBSERVE || u->learner->next_state >= 0;
    visit_around(u, archive);
    archive->bad |= u->keyed != NULL && !lgkt_keyed_sound(u->keyed);
    return archive->bad ? lgkt_saved_close(archive, error) : LGKT_OK;
}

static lgkt_status load(lgkt_archive *archive, const lgkt_learner_config *config, void **made,
                        lgkt_error *error)
{
    lgkt_units_config set = lgkt_units_config_default();
    int32_t keyed = 0;
    visit_set(&set, &keyed, archive);
    if (archive->bad)
        return lgkt_saved_close(archive, error);
    lgkt_units *u = make_units(config, &set);
    if (u == NULL)
        return lgkt_fail_memory(error, "units");
    const lgkt_status status = load_rest(u, keyed != 0, archive, config, error);
    if (status == LGKT_OK)
        *made = u;
    else
        lgkt_units_destroy(u);
    return status;
}

static void destroy(void *object)
{
    lgkt_units_destroy(object);
}

static const lgkt_front front = {LGKT_SAVED_UNITS, "units", visit_all, load, destroy};

uint64_t lgkt_units_hash(const lgkt_units *units)
{
    return lgkt_front_hash(visit_all, units);
}

lgkt_status lgkt_units_save(const lgkt_units *units, void *buffer, size_t capacity, size_t *size,
                            lgkt_error *error)
{
    return lgkt_front_save(&front, units, buffer, capacity, size, error);
}

lgkt_status lgkt_units_load(const void *buffer, size_t size, const lgkt_learner_config *config,
                            lgkt_units **units, lgkt_error *error)
{
    return lgkt_front_load(&front, buffer, size, config, units, error);
}

lgkt_status lgkt_units_copy(const lgkt_units *units, lgkt_units **copy, lgkt_error *error)
{
    return lgkt_front_copy(&front, units, lgkt_units_learner(units), copy, error);
}
