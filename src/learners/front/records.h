// SPDX-License-Identifier: MIT
// The records behind the numbers of states, where states are records (keyed.h).
//
// A record that is met gets a number, and is never looked for again: measurements hardly recur. A
// number is held by all who need it: the front as long as an act or a report may speak of it, a
// learner as long as it remembers the step. What nobody holds is free, and its number goes to
// another record. Number 0 is for questions: it is the record that was asked about last, and is no
// state of the run.
#pragma once

#include "lgkt/keyed.h"

#include "core/archive.h"
#include "core/error.h"

// Most numbers of a record, and most categories of one of them.
#define LGKT_RECORD_DIMS       256
#define LGKT_RECORD_CATEGORIES 65536

// The name of a feature (category -1), or the text of a category.
typedef struct lgkt_record_text {
    int32_t feature, category;
    size_t at; // in the pool, zero-terminated
} lgkt_record_text;

typedef struct lgkt_records {
    lgkt_allocator allocator;
    int32_t dims;
    lgkt_kind kinds[LGKT_RECORD_DIMS]; // (dims)
    double *x;                         // (capacity, dims), missing is NaN
    int32_t *holds;                    // (capacity) by how many a number is held
    int32_t *free;                     // (capacity) numbers that nobody holds, the next one last
    int32_t count, free_count, capacity;

    lgkt_record_text *texts; // (text_capacity) in the order in which they became known
    size_t text_count, text_capacity;
    char *pool; // (pool_capacity)
    size_t pool_used, pool_capacity;
} lgkt_records;

static inline const double *lgkt_records_at(const lgkt_records *records, int32_t number)
{
    return records->x + (size_t)number * (size_t)records->dims;
}

// LGKT_ERR_CONFIG says what is wrong with the view.
lgkt_status lgkt_records_create(const lgkt_view *view, const lgkt_allocator *allocator,
                                lgkt_records **records, lgkt_error *error);
void lgkt_records_destroy(lgkt_records *records);
size_t lgkt_records_bytes(const lgkt_records *records);

// A key of the caller's as a record of length dims: -0 is 0, all NaN are alike. A refusal names the
// feature.
lgkt_status lgkt_records_read(const lgkt_records *records, const void *key, size_t size,
                              double *record, lgkt_error *error);
// Gives a record a number, held once. The learner gets room for it.
lgkt_status lgkt_records_add(lgkt_records *records, lgkt_learner *learner, const double *record,
                             int32_t *number, lgkt_error *error);
// Whether a record that was read has this number.
bool lgkt_records_is(const lgkt_records *records, int32_t number, const double *record);
// Makes a record number 0.
void lgkt_records_ask(lgkt_records *records, const double *record);
// Holds a number once more, or once less; numbers below 1 are nobody's.
void lgkt_records_hold(lgkt_records *records, int32_t number);
void lgkt_records_release(lgkt_records *records, int32_t number);

// The text of a category, or the name of a feature (category -1); NULL: it has none.
const char *lgkt_records_text(const lgkt_records *records, int32_t feature, int32_t category);
// The category of a text, or -1.
int32_t lgkt_records_find(const lgkt_records *records, int32_t feature, const char *text);
// How many categories of a feature have texts: these are the first ones.
int32_t lgkt_records_known(const lgkt_records *records, int32_t feature);
// Makes a text known. LGKT_ERR_NO_MEMORY.
lgkt_status lgkt_records_name(lgkt_records *records, int32_t feature, int32_t category,
                              const char *text, lgkt_error *error);
// How a feature is called in messages: its name, or "feature 3".
const char *lgkt_records_called(const lgkt_records *records, int32_t feature, char buffer[32]);

// Visits the whole of it but for the holds. Loading makes *records, as lgkt_bins_visit does; whoever
// holds numbers then holds them anew, and lgkt_records_sound says whether those that nobody holds
// are the free ones.
void lgkt_records_visit(lgkt_records **records, lgkt_archive *archive,
                        const lgkt_allocator *allocator);
bool lgkt_records_sound(const lgkt_records *records);
