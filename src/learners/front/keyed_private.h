// SPDX-License-Identifier: MIT
// What other fronts need of the numbering of keys (keyed.c).
#pragma once

#include "lgkt/keyed.h"

#include "core/archive.h"
#include "core/bins.h"
#include "learners/front/learner_private.h"

struct lgkt_keyed {
    lgkt_learner *learner;
    lgkt_allocator allocator;
    lgkt_keyed_config set;
    lgkt_bins *bins; // of a view with edges; NULL: keys are bytes, or records
    int32_t count;   // keys seen
    // NULL: keys have numbers. Else all below stays empty; held are the state in play or the one that
    // must come next, and fed_number.
    lgkt_records *records;
    int32_t fed_number; // the record that the last fed row led to; 0: there is none

    unsigned char *pool; // (pool_capacity) all keys
    size_t pool_used, pool_capacity;
    size_t *ends; // (ends_capacity) where key i ends in the pool
    size_t ends_capacity;
    int32_t *slots; // (slot_count) number + 1, 0: empty; slot_count is a power of two
    size_t slot_count;

    // Hash of the bytes that the last call named as the next state, if that was a row that was fed
    // and has not ended; else 0. With a view these are the numbers, not their bins.
    uint64_t fed_next;
};

// Whether keys are to be records: a view without bins.
static inline bool lgkt_keyed_has_records(const lgkt_keyed_config *set)
{
    return set->view.dims != 0 && set->view.cuts == NULL && set->state_limit == 0;
}

// The number of a key, a new one if it has none; that of a record is always new, and held once.
// Refusals are in lgkt_keyed_message.
lgkt_status lgkt_keyed_number(lgkt_keyed *keyed, const void *key, size_t size, int32_t *number);
// Those of both ends of a step; neither is new if one is refused.
lgkt_status lgkt_keyed_number_both(lgkt_keyed *keyed, const void *key, size_t size,
                                   const void *next_key, size_t next_size, int32_t *from,
                                   int32_t *to);
// Forgets all keys but the first `count`; of the others nothing may have been learned.
void lgkt_keyed_forget(lgkt_keyed *keyed, int32_t count);
// Whether a key has this number. All vectors have that of the state that stood for all of them
// while the edges of a view were to come.
bool lgkt_keyed_is(const lgkt_keyed *keyed, int32_t number, const void *key, size_t size);
// Where keys are records: puts one in the place of number 0, for questions.
lgkt_status lgkt_keyed_ask(const lgkt_keyed *keyed, const void *key, size_t size,
                           lgkt_error *error);
// Whether who loads has held all numbers of records again that are in use; true without records.
bool lgkt_keyed_sound(const lgkt_keyed *keyed);
// An act was made with this key, which lgkt_keyed_number has taken.
void lgkt_keyed_note(lgkt_keyed *keyed, const void *key);
// What lgkt_keyed_save writes. And back.
void lgkt_keyed_visit_whole(void *object, lgkt_archive *archive);
lgkt_status lgkt_keyed_load_archive(lgkt_archive *archive, const lgkt_learner_config *config,
                                    void **made, lgkt_error *error);
