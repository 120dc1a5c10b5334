// SPDX-License-Identifier: MIT
// Rows that are fed to units (units.h): steps that were chosen elsewhere and make no decision.
//
// A row is learned with the track of its unit where it follows on what the unit did before, else
// with one that begins. Of many rows in one call either all are learned or none: what can be seen
// of a row alone is looked at first, and a copy is kept for the rest, a lack of memory or one
// state, unit or key too many.

#include "learners/front/units_private.h"

#include <stddef.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/sized.h"
#include "learners/front/keyed_private.h"

// ---- one row ----

static lgkt_named_state from_of(const lgkt_units_row *row, bool is_key)
{
    return (lgkt_named_state){row->state, row->key, row->key_size, is_key, false};
}

static lgkt_named_state to_of(const lgkt_units_row *row, bool is_key)
{
    return (lgkt_named_state){row->next_state, row->next_key, row->next_key_size, is_key, false};
}

// what can be seen of a row alone
static lgkt_status check_row(lgkt_units *u, const lgkt_units_row *row, bool is_key)
{
    const lgkt_named_state from = from_of(row, is_key), to = to_of(row, is_key);
    LGKT_TRY(lgkt_learner_check_feed(u->learner, row->action, row->reward, &u->learner->refusal));
    LGKT_TRY(lgkt_units_check_state(u, "state", &from));
    return lgkt_units_check_state(u, "next_state", &to);
}

// One that was checked. All that it may be refused for comes first.
static lgkt_status feed_row(lgkt_units *u, const lgkt_units_row *row, bool is_key)
{
    lgkt_learner *learner = u->learner;
    const lgkt_named_state from_named = from_of(row, is_key), to_named = to_of(row, is_key);
    const int32_t found = u->slots[lgkt_units_slot(u, row->unit)] - 1;
    const int32_t keys = is_key ? u->keyed->count : 0;
    if (found < 0)
        LGKT_TRY(lgkt_units_make_place(u, row->unit));
    if (!lgkt_learner_prepare(learner))
        return lgkt_fail_memory(&u->learner->refusal, "a step");
    int32_t from = 0, to = 0;
    lgkt_status status = lgkt_units_number(u, &from_named, &from);
    if (status == LGKT_OK)
        status = lgkt_units_number(u, &to_named, &to);
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
        lgkt_fail(&u->learner->refusal, status, "the row was not learned: %s",
                  lgkt_status_text(status));
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

// ---- many rows ----

// Puts back what rows have changed; takes no memory, and cannot fail.
static void restore(lgkt_units *u, lgkt_units *kept)
{
    const size_t count = (size_t)kept->count;
    lgkt_learner_replace(u->learner, kept->learner);
    kept->learner = NULL;
    if (u->keyed != NULL) {
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

// the refusal of a row says which one it was
static lgkt_status name_row(lgkt_units *u, size_t row, lgkt_status status)
{
    const lgkt_error why = u->learner->refusal;
    return lgkt_fail(&u->learner->refusal, status, "row %zu: %s", row, why.text);
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
        return lgkt_fail(&units->learner->refusal, LGKT_ERR_ARGUMENT,
                         rows == NULL && count > 0 ? "rows must not be NULL"
                                                   : "row_size must be sizeof(lgkt_units_row)");
    const bool is_key = units->keyed != NULL;
    for (size_t i = 0; i < count; i++) {
        const lgkt_units_row row = row_at(rows, i, row_size);
        const lgkt_status status = check_row(units, &row, is_key);
        if (status != LGKT_OK)
            return name_row(units, i, status);
    }
    lgkt_units *kept = NULL;
    lgkt_status status =
        count > 0 ? lgkt_units_copy(units, &kept, &units->learner->refusal) : LGKT_OK;
    for (size_t i = 0; i < count && status == LGKT_OK; i++) {
        const lgkt_units_row row = row_at(rows, i, row_size);
        status = feed_row(units, &row, is_key);
        if (status != LGKT_OK) {
            name_row(units, i, status);
            restore(units, kept);
        }
    }
    lgkt_units_destroy(kept);
    return status;
}
