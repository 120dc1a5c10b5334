// SPDX-License-Identifier: MIT
// Rows that are fed to units (units.h): steps that were chosen elsewhere and make no decision.
//
// A row is learned with the track of its unit where it follows on what the unit did before, else
// with one that begins. Of many rows in one call either all are learned or none: what can be seen
// of a row alone is looked at first, and a copy of the learner and of the table of units is kept
// for the rest, a lack of memory or one state, unit or key too many.

#include "learners/front/units_private.h"

#include <stddef.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/sized.h"
#include "learners/front/keyed_private.h"

lgkt_status lgkt_units_check_feeding(lgkt_units *u, int32_t action)
{
    return lgkt_learner_check_feed(u->learner, action, 0, &u->refusal);
}

// ---- one row ----

// a state of a row, which has a column of its own
static lgkt_status check_state(lgkt_units *u, const char *column, const lgkt_named_state *named)
{
    const int32_t last = u->learner->problem.states - 1;
    if (named->is_key != (u->keyed != NULL))
        return lgkt_units_refuse_kind(u, named);
    if (named->is_key && named->key == NULL && named->size > 0)
        return lgkt_fail(&u->refusal, LGKT_ERR_ARGUMENT, "the key of %s must not be NULL", column);
    if (!named->is_key && (named->number < 0 || named->number > last))
        return lgkt_fail(&u->refusal, LGKT_ERR_ARGUMENT, "%s %d is out of range [0, %d]", column,
                         named->number, last);
    return LGKT_OK;
}

// the states of a row
typedef struct row_states {
    lgkt_named_state from, to;
} row_states;

static row_states states_of(const lgkt_units_row *row, bool is_key)
{
    return (row_states){{row->state, row->key, row->key_size, is_key},
                        {row->next_state, row->next_key, row->next_key_size, is_key}};
}

// what can be seen of a row alone
static lgkt_status check_row(lgkt_units *u, const lgkt_units_row *row, bool is_key)
{
    const row_states states = states_of(row, is_key);
    lgkt_status status = lgkt_learner_check_feed(u->learner, row->action, row->reward, &u->refusal);
    if (status == LGKT_OK)
        status = check_state(u, "state", &states.from);
    return status == LGKT_OK ? check_state(u, "next_state", &states.to) : status;
}

// One that was checked. All that it may be refused for comes first.
static lgkt_status feed_row(lgkt_units *u, const lgkt_units_row *row, bool is_key)
{
    lgkt_learner *learner = u->learner;
    const row_states states = states_of(row, is_key);
    const int32_t found = u->slots[lgkt_units_slot(u, row->unit)] - 1;
    const int32_t keys = is_key ? lgkt_keyed_states(u->keyed) : 0;
    lgkt_status status = found < 0 ? lgkt_units_make_place(u, row->unit) : LGKT_OK;
    if (status == LGKT_OK && !lgkt_learner_prepare(learner))
        status = lgkt_fail_memory(&u->refusal, "a step");
    if (status != LGKT_OK)
        return status;
    int32_t from = 0, to = 0;
    status = lgkt_units_number(u, &states.from, &from);
    if (status == LGKT_OK)
        status = lgkt_units_number(u, &states.to, &to);
    if (status != LGKT_OK) {
        if (is_key)
            lgkt_keyed_forget(u->keyed, keys);
        return status;
    }
    lgkt_unit *unit = found >= 0 ? &u->all[found] : lgkt_units_add(u, row->unit);
    const int32_t index = (int32_t)(unit - u->all);
    lgkt_units_switch(u, unit->linked && unit->next == from ? index : -1);
    u->at_hand = index;
    // a decision of the unit that is still open stands alone from now on
    unit->last = -1;
    unit->linked = !row->ended;
    unit->next = row->ended ? LGKT_NEXT_ANY : to;
    learner->unit = lgkt_units_clock(u, unit->made);
    learner->fed++;
    learner->must_prepare = true;
    learner->state = from;
    learner->action = row->action;
    status = learner->feed(learner, row->reward, to, row->ended);
    if (status != LGKT_OK)
        lgkt_fail(&u->refusal, status, "the row was not learned: %s", lgkt_status_text(status));
    return status;
}

static lgkt_status feed_one(lgkt_units *u, const lgkt_units_row *row, bool is_key)
{
    const lgkt_status status = check_row(u, row, is_key);
    return status == LGKT_OK ? feed_row(u, row, is_key) : status;
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
    return units == NULL ? LGKT_ERR_ARGUMENT : feed_one(units, &row, false);
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
    return units == NULL ? LGKT_ERR_ARGUMENT : feed_one(units, &row, true);
}

// ---- many rows ----

// what rows change
typedef struct backup {
    lgkt_learner *learner;
    lgkt_unit *all;        // (count)
    unsigned char *tracks; // (count, track)
    int32_t count, at_hand, keys;
} backup;

static void backup_free(backup *kept, const lgkt_allocator *allocator)
{
    lgkt_learner_destroy(kept->learner);
    lgkt_free(allocator, kept->all);
    lgkt_free(allocator, kept->tracks);
}

static lgkt_status backup_make(lgkt_units *u, backup *kept)
{
    const size_t count = (size_t)u->count;
    *kept = (backup){.count = u->count,
                     .at_hand = u->at_hand,
                     .keys = u->keyed != NULL ? lgkt_keyed_states(u->keyed) : 0,
                     .all = lgkt_alloc_zeroed(&u->allocator, count + 1, sizeof *u->all),
                     .tracks = lgkt_alloc_zeroed(&u->allocator, count + 1, u->track + 1)};
    if (kept->all == NULL || kept->tracks == NULL ||
        lgkt_learner_copy(u->learner, &kept->learner, NULL) != LGKT_OK) {
        backup_free(kept, &u->allocator);
        return lgkt_fail_memory(&u->refusal, "rows");
    }
    if (count > 0) {
        memcpy(kept->all, u->all, count * sizeof *u->all);
        memcpy(kept->tracks, u->tracks, count * u->track);
    }
    return LGKT_OK;
}

// takes no memory, and cannot fail
static void backup_restore(lgkt_units *u, backup *kept)
{
    const size_t count = (size_t)kept->count;
    lgkt_learner_replace(u->learner, kept->learner);
    kept->learner = NULL;
    if (u->keyed != NULL)
        lgkt_keyed_forget(u->keyed, kept->keys);
    for (int32_t i = kept->count; i < u->count; i++)
        u->all[i].last = -1;
    memcpy(u->all, kept->all, count * sizeof *u->all);
    memcpy(u->tracks, kept->tracks, count * u->track);
    u->count = kept->count;
    u->at_hand = kept->at_hand;
    memset(u->slots, 0, u->slot_count * sizeof *u->slots);
    for (int32_t i = 0; i < u->count; i++)
        u->slots[lgkt_units_slot(u, u->all[i].id)] = i + 1;
}

// the refusal of a row says which one it was
static lgkt_status name_row(lgkt_units *u, size_t row, lgkt_status status)
{
    const lgkt_error why = u->refusal;
    return lgkt_fail(&u->refusal, status, "row %zu: %s", row, why.text);
}

// A row of the caller's, whose program may have been compiled with fewer fields or with more.
static lgkt_units_row row_at(const lgkt_units_row *rows, size_t i, size_t row_size)
{
    lgkt_units_row row;
    lgkt_sized_fill(&row, sizeof row, (const unsigned char *)rows + i * row_size, row_size);
    return row;
}

lgkt_status lgkt_units_feed_rows(lgkt_units *units, const lgkt_units_row *rows, size_t count,
                                 size_t row_size)
{
    if (units == NULL)
        return LGKT_ERR_ARGUMENT;
    if ((rows == NULL && count > 0) || row_size < LGKT_SIZE_UP_TO(lgkt_units_row, next_key_size) ||
        row_size % _Alignof(lgkt_units_row))
        return lgkt_fail(&units->refusal, LGKT_ERR_ARGUMENT,
                         rows == NULL && count > 0 ? "rows must not be NULL"
                                                   : "row_size must be sizeof(lgkt_units_row)");
    const bool is_key = units->keyed != NULL;
    for (size_t i = 0; i < count; i++) {
        const lgkt_units_row row = row_at(rows, i, row_size);
        const lgkt_status status = check_row(units, &row, is_key);
        if (status != LGKT_OK)
            return name_row(units, i, status);
    }
    backup kept;
    lgkt_status status = count > 0 ? backup_make(units, &kept) : LGKT_OK;
    if (status != LGKT_OK || count == 0)
        return status;
    for (size_t i = 0; i < count && status == LGKT_OK; i++) {
        const lgkt_units_row row = row_at(rows, i, row_size);
        status = feed_row(units, &row, is_key);
        if (status != LGKT_OK) {
            name_row(units, i, status);
            backup_restore(units, &kept);
        }
    }
    backup_free(&kept, &units->allocator);
    return status;
}
