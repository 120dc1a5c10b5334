// SPDX-License-Identifier: MIT
// Records that are numbered as they are met, held, and forgotten (records.h).
//
// Free numbers are taken from the end of a list, the one that became free last first: which one it
// is is part of the state, and saved. All is O(1) but for texts, which are looked for one by one:
// whoever calls often keeps their numbers.

#include "learners/front/records.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "learners/front/learner_private.h"

#define FIRST_CAPACITY 16
#define MAX_TEXT       1024 // bytes of a name or of the text of a category

// ---- life ----

static lgkt_status check_kind(const lgkt_kind *kind, int32_t feature, lgkt_error *error)
{
    const bool is_category = kind->type == LGKT_KIND_CATEGORY || kind->type == LGKT_KIND_GROWING;
    if (!is_category && kind->type != LGKT_KIND_NUMBER)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "view.kinds[%d].type = %d must be a lgkt_kind_type, 0 .. 2", feature,
                         kind->type);
    if (is_category ? kind->count < 1 || kind->count > LGKT_RECORD_CATEGORIES : kind->count != 0)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         is_category ? "view.kinds[%d].count = %d must be in [1, %d]"
                                     : "view.kinds[%d].count = %d must be 0: it is a number",
                         feature, kind->count, LGKT_RECORD_CATEGORIES);
    return LGKT_OK;
}

static lgkt_records *make(int32_t dims, const lgkt_allocator *allocator)
{
    lgkt_records *records = lgkt_alloc_zeroed(allocator, 1, sizeof *records);
    if (records == NULL)
        return NULL;
    records->allocator = *allocator;
    records->dims = dims;
    records->count = 1; // number 0 is there
    return records;
}

// room for more numbers; what was there is untouched when memory is out
static bool reserve(lgkt_records *records, int32_t capacity)
{
    if (capacity <= records->capacity)
        return true;
    const size_t more = (size_t)capacity, count = (size_t)records->count;
    const size_t row = (size_t)records->dims * sizeof(double);
    const lgkt_allocator *allocator = &records->allocator;
    double *x = lgkt_alloc_zeroed(allocator, more, row);
    int32_t *holds = lgkt_alloc_zeroed(allocator, more, 2 * sizeof *holds);
    if (x == NULL || holds == NULL) {
        lgkt_free(allocator, x);
        lgkt_free(allocator, holds);
        return false;
    }
    if (records->x != NULL) {
        memcpy(x, records->x, count * row);
        memcpy(holds, records->holds, count * sizeof *holds);
        memcpy(holds + more, records->free, (size_t)records->free_count * sizeof *holds);
    }
    lgkt_free(allocator, records->x);
    lgkt_free(allocator, records->holds);
    records->x = x;
    records->holds = holds;
    records->free = holds + more;
    records->capacity = capacity;
    return true;
}

lgkt_status lgkt_records_create(const lgkt_view *view, const lgkt_allocator *allocator,
                                lgkt_records **records, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_setting("view.dims", view->dims, 1, LGKT_RECORD_DIMS, error));
    if (view->edges != NULL || view->warmup != 0)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "view.edges must be NULL and view.warmup 0: a record has no edges");
    for (int32_t j = 0; j < view->dims && view->kinds != NULL; j++)
        LGKT_TRY(check_kind(&view->kinds[j], j, error));
    lgkt_records *made = make(view->dims, allocator);
    if (made == NULL || !reserve(made, FIRST_CAPACITY)) {
        lgkt_records_destroy(made);
        return lgkt_fail_memory(error, "records");
    }
    // without kinds all are numbers, as zeros say
    if (view->kinds != NULL)
        memcpy(made->kinds, view->kinds, (size_t)view->dims * sizeof *made->kinds);
    *records = made;
    return LGKT_OK;
}

void lgkt_records_destroy(lgkt_records *records)
{
    if (records == NULL)
        return;
    const lgkt_allocator allocator = records->allocator;
    lgkt_free(&allocator, records->x);
    lgkt_free(&allocator, records->holds);
    lgkt_free(&allocator, records->texts);
    lgkt_free(&allocator, records->pool);
    lgkt_free(&allocator, records);
}

size_t lgkt_records_bytes(const lgkt_records *records)
{
    const size_t row = (size_t)records->dims * sizeof(double) + 2 * sizeof(int32_t);
    return sizeof *records + (size_t)records->capacity * row +
           records->text_capacity * sizeof *records->texts + records->pool_capacity;
}

// ---- reading ----

const char *lgkt_records_called(const lgkt_records *records, int32_t feature, char buffer[32])
{
    const char *name = lgkt_records_text(records, feature, -1);
    if (name == NULL)
        snprintf(buffer, 32, "feature %d", feature);
    return name != NULL ? name : buffer;
}

// why a value cannot be that of a feature
LGKT_COLD static lgkt_status refuse_value(const lgkt_records *records, int32_t feature,
                                          double value, lgkt_error *error)
{
    char buffer[32];
    const char *name = lgkt_records_called(records, feature, buffer);
    if (records->kinds[feature].type == LGKT_KIND_NUMBER)
        return lgkt_fail(error, LGKT_ERR_NOT_FINITE,
                         "%s = %g must be finite, or NaN if it is missing", name, value);
    return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                     "%s = %g must be one of the categories 0 .. %d, or NaN if it is missing", name,
                     value, records->kinds[feature].count - 1);
}

lgkt_status lgkt_records_read(const lgkt_records *records, const void *key, size_t size,
                              double *record, lgkt_error *error)
{
    const size_t needed = (size_t)records->dims * sizeof *record;
    if (key == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "key must not be NULL");
    if (size != needed)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "a record of %zu bytes, but the %d numbers of the view have %zu", size,
                         records->dims, needed);
    memcpy(record, key, needed);
    for (int32_t j = 0; j < records->dims; j++) {
        const lgkt_kind *kind = &records->kinds[j];
        const double value = record[j] + 0.0; // -0.0 becomes 0.0
        const bool fits = kind->type == LGKT_KIND_NUMBER
                              ? isfinite(value)
                              : value >= 0 && value < kind->count && value == floor(value);
        if (!fits && !isnan(value))
            return refuse_value(records, j, value, error);
        record[j] = isnan(value) ? NAN : value;
    }
    return LGKT_OK;
}

bool lgkt_records_is(const lgkt_records *records, int32_t number, const double *record)
{
    const double *own = lgkt_records_at(records, number);
    for (int32_t j = 0; j < records->dims; j++)
        if (own[j] != record[j] && !(isnan(own[j]) && isnan(record[j])))
            return false;
    return true;
}

// ---- numbers ----

static void put(lgkt_records *records, int32_t number, const double *record)
{
    const size_t dims = (size_t)records->dims;
    memcpy(records->x + (size_t)number * dims, record, dims * sizeof *record);
}

// a number that there was not before
LGKT_COLD static lgkt_status add_number(lgkt_records *records, lgkt_learner *learner,
                                        lgkt_error *error)
{
    const int32_t limit = learner->limit;
    if (records->count >= limit)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "more than %d records at the same time", limit);
    const int32_t twice = records->capacity > limit / 2 ? limit : 2 * records->capacity;
    if (records->count == records->capacity && !reserve(records, twice))
        return lgkt_fail_memory(error, "a record");
    LGKT_TRY(lgkt_learner_add_state(learner, error));
    records->free[records->free_count++] = records->count++;
    return LGKT_OK;
}

lgkt_status lgkt_records_add(lgkt_records *records, lgkt_learner *learner, const double *record,
                             int32_t *number, lgkt_error *error)
{
    if (records->free_count == 0)
        LGKT_TRY(add_number(records, learner, error));
    const int32_t taken = records->free[--records->free_count];
    put(records, taken, record);
    records->holds[taken] = 1;
    const size_t actions = (size_t)learner->problem.actions;
    if (learner->offered != NULL)
        memset(learner->offered + (size_t)taken * actions, LGKT_OFFER_UNKNOWN, actions);
    *number = taken;
    return LGKT_OK;
}

void lgkt_records_ask(lgkt_records *records, const double *record)
{
    put(records, 0, record);
}

void lgkt_records_hold(lgkt_records *records, int32_t number)
{
    if (records != NULL && number > 0)
        records->holds[number]++;
}

void lgkt_records_release(lgkt_records *records, int32_t number)
{
    if (records != NULL && number > 0 && --records->holds[number] == 0)
        records->free[records->free_count++] = number;
}

// ---- texts ----

const char *lgkt_records_text(const lgkt_records *records, int32_t feature, int32_t category)
{
    for (size_t i = 0; i < records->text_count; i++)
        if (records->texts[i].feature == feature && records->texts[i].category == category)
            return records->pool + records->texts[i].at;
    return NULL;
}

int32_t lgkt_records_find(const lgkt_records *records, int32_t feature, const char *text)
{
    for (size_t i = 0; i < records->text_count; i++) {
        const lgkt_record_text *known = &records->texts[i];
        if (known->feature == feature && known->category >= 0 &&
            strcmp(records->pool + known->at, text) == 0)
            return known->category;
    }
    return -1;
}

int32_t lgkt_records_known(const lgkt_records *records, int32_t feature)
{
    int32_t known = 0;
    for (size_t i = 0; i < records->text_count; i++)
        known += records->texts[i].feature == feature && records->texts[i].category >= 0;
    return known;
}

lgkt_status lgkt_records_name(lgkt_records *records, int32_t feature, int32_t category,
                              const char *text, lgkt_error *error)
{
    const size_t size = strlen(text) + 1, used = records->pool_used, count = records->text_count;
    void *texts = records->texts, *pool = records->pool;
    if (size > MAX_TEXT + 1)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "a text of %zu bytes, more than %d", size - 1,
                         MAX_TEXT);
    bool fits = lgkt_grow(&records->allocator, &texts, &records->text_capacity, count, count + 1,
                          sizeof *records->texts);
    records->texts = texts;
    fits = fits &&
           lgkt_grow(&records->allocator, &pool, &records->pool_capacity, used, used + size, 1);
    records->pool = pool;
    if (!fits)
        return lgkt_fail_memory(error, "a text");
    memcpy(records->pool + used, text, size);
    records->pool_used += size;
    records->texts[records->text_count++] = (lgkt_record_text){feature, category, used};
    return LGKT_OK;
}

// ---- saving ----

// one text; a loaded one is made known
static void visit_text(lgkt_records *records, size_t i, lgkt_archive *archive)
{
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    lgkt_record_text text = loads ? (lgkt_record_text){0} : records->texts[i];
    char bytes[MAX_TEXT + 1] = {0};
    if (!loads)
        strcpy(bytes, records->pool + text.at);
    int64_t length = (int64_t)strlen(bytes);
    lgkt_visit_i32(archive, &text.feature, 1, 0, records->dims - 1);
    lgkt_visit_i64(archive, &length, 1, 0, MAX_TEXT);
    if (archive->bad)
        return;
    lgkt_visit_i32(archive, &text.category, 1, -1, records->kinds[text.feature].count - 1);
    lgkt_visit_bytes(archive, bytes, (size_t)length);
    if (!loads || archive->bad)
        return;
    // categories are numbered as they become known, and names said once
    archive->bad =
        strlen(bytes) != (size_t)length ||
        (text.category >= 0 ? text.category != lgkt_records_known(records, text.feature) ||
                                  lgkt_records_find(records, text.feature, bytes) >= 0
                            : lgkt_records_text(records, text.feature, -1) != NULL);
    if (!archive->bad &&
        lgkt_records_name(records, text.feature, text.category, bytes, NULL) != LGKT_OK)
        lgkt_archive_starve(archive);
}

static void visit_kinds(lgkt_records *records, lgkt_archive *archive)
{
    for (int32_t j = 0; j < records->dims; j++) {
        lgkt_visit_i32(archive, &records->kinds[j].type, 1, 0, LGKT_KIND_GROWING);
        lgkt_visit_i32(archive, &records->kinds[j].count, 1, 0, LGKT_RECORD_CATEGORIES);
        archive->bad |= check_kind(&records->kinds[j], j, NULL) != LGKT_OK;
    }
}

// Numbers that are free, marked by -1 holds while a state is loaded.
static void visit_free(lgkt_records *records, lgkt_archive *archive)
{
    lgkt_visit_i32(archive, &records->free_count, 1, 0, records->count - 1);
    if (!archive->bad)
        lgkt_visit_i32(archive, records->free, (size_t)records->free_count, 1, records->count - 1);
    for (int32_t i = 0;
         archive->mode == LGKT_ARCHIVE_LOAD && !archive->bad && i < records->free_count; i++) {
        archive->bad = records->holds[records->free[i]] != 0;
        records->holds[records->free[i]] = -1;
    }
}

// Room for as many numbers as the bytes that are there can hold.
static void make_room(lgkt_records *records, int32_t count, lgkt_archive *archive)
{
    const size_t words = (archive->capacity - archive->at) / 8;
    archive->bad |= archive->bad || (size_t)count - 1 > words;
    if (archive->bad)
        return;
    if (!reserve(records, count > FIRST_CAPACITY ? count : FIRST_CAPACITY))
        lgkt_archive_starve(archive);
    else
        records->count = count;
}

// Records that are held; a loaded one must be one that could have been read.
static void visit_numbers(lgkt_records *records, lgkt_archive *archive)
{
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    const size_t dims = (size_t)records->dims, row = dims * sizeof(double);
    int32_t count = records->count;
    lgkt_visit_i32(archive, &count, 1, 1, LGKT_MAX_STATES);
    if (loads)
        make_room(records, count, archive);
    if (archive->bad)
        return;
    visit_free(records, archive);
    for (int32_t i = 1; i < count && !archive->bad; i++) {
        double *x = records->x + (size_t)i * dims;
        const bool is_free = records->holds[i] == (loads ? -1 : 0);
        records->holds[i] = loads ? 0 : records->holds[i];
        if (is_free)
            continue;
        lgkt_visit_real(archive, x, dims);
        archive->bad |= loads && lgkt_records_read(records, x, row, x, NULL) != LGKT_OK;
    }
}

void lgkt_records_visit(lgkt_records **records, lgkt_archive *archive,
                        const lgkt_allocator *allocator)
{
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    int32_t dims = loads ? 0 : (*records)->dims;
    lgkt_visit_i32(archive, &dims, 1, 1, LGKT_RECORD_DIMS);
    if (archive->bad)
        return;
    if (loads && (*records = make(dims, allocator)) == NULL) {
        lgkt_archive_starve(archive);
        return;
    }
    lgkt_records *r = *records;
    int64_t texts = (int64_t)r->text_count;
    visit_kinds(r, archive);
    lgkt_visit_i64(archive, &texts, 1, 0, INT32_MAX);
    for (int64_t i = 0; i < texts && !archive->bad; i++)
        visit_text(r, (size_t)i, archive);
    if (!archive->bad)
        visit_numbers(r, archive);
    if (!loads || !archive->bad)
        return;
    lgkt_records_destroy(r);
    *records = NULL;
}

bool lgkt_records_sound(const lgkt_records *records)
{
    int32_t unheld = 0;
    for (int32_t i = 1; i < records->count; i++)
        unheld += records->holds[i] == 0;
    for (int32_t i = 0; i < records->free_count; i++)
        if (records->holds[records->free[i]] != 0)
            return false;
    return unheld == records->free_count;
}
