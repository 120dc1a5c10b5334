// SPDX-License-Identifier: MIT
// Records: what a programme's log consists of, as structs and as bytes, and the chain over them.
//
// A record says what came in and what came out of it, so that the log alone makes the programme
// again. Bytes are little-endian, doubles are kept as their bits. chain(n) is BLAKE2b-128 of
// chain(n - 1) and the bytes of record n; chain(0) is zero. A record that tells of a unit begins
// with 16 random bytes: when it was erased, the chain does not help to guess what stood there.
#pragma once

#include <string.h>

#include "core/error.h"

enum {
    SRV_HASH = 16,         // bytes of a link of the chain, of a key and of a print
    SRV_MAX_ACTIONS = 256, // of a programme
    SRV_MAX_NAME = 128,    // bytes of a unit's name
    SRV_MAX_STATE = 2048,  // bytes of a state: 256 doubles
    SRV_MAX_BATCH = 1000,  // items of a command
    SRV_RECEIPT = 33       // a link of the chain as hexadecimal text, with its zero
};

typedef enum srv_kind {
    SRV_PROGRAMME = 1, // the first: config, with the build that made it
    SRV_DECISION = 2,
    SRV_REPORT = 3,
    SRV_CHANGE = 4, // of mode, horizon, floor, limits
    SRV_ERASURE = 5,
    SRV_STUB = 6,  // in place of a record of an erased unit
    SRV_BUILD = 7, // another build goes on from here: its numbers differ
    SRV_KIND_COUNT = 8
} srv_kind;

// who chose the action
typedef enum srv_source {
    SRV_BY_LEARNER,
    SRV_BY_FLOOR,
    SRV_BY_FALLBACK, // of the mode, or since the learner refused: then there is a cause
    SRV_BY_OTHERS,   // :taken
    SRV_SOURCE_COUNT
} srv_source;

// why the fallback decided in live mode
typedef enum srv_cause {
    SRV_NO_CAUSE,
    SRV_CAUSE_MODE,    // mode is fallback
    SRV_CAUSE_LAW,     // the learner's law is not known
    SRV_CAUSE_MEMORY,  // the learner lacked memory
    SRV_CAUSE_REFUSED, // it refused for another reason
    SRV_CAUSE_COUNT
} srv_cause;

// marks of a report: what it tells
enum { SRV_TOLD_REWARD = 1, SRV_TOLD_NEXT = 2, SRV_TOLD_END = 4, SRV_TOLD_NOT = 8 };

// One record. Which fields mean something depends on the kind; the others are 0. Pointers are
// borrowed, from the bytes that it was decoded from or from whoever made it.
typedef struct srv_record {
    srv_kind kind;
    int64_t time; // microseconds since 1970, never less than that of the record before
    int64_t made; // decisions made so far, this one included
    bool keyed;   // there is an idempotency key: the first record of its command
    unsigned char key[SRV_HASH], print[SRV_HASH];

    // of a unit: decision, report, erasure, stub
    unsigned char nonce[SRV_HASH];
    int32_t unit;     // its number
    int64_t before;   // seq of the unit's record before; 0: none
    const char *name; // (name_size) of a unit that is new, else NULL
    size_t name_size;

    // decision; report and stub have the number
    int64_t decision;
    int32_t action;
    srv_source source;
    srv_cause cause;
    int32_t item, items;          // its place in the batch, 0 of 1 if there is none
    int64_t replaces;             // the decision that it stands for, which was not executed; -1
    const unsigned char *allowed; // (actions) 0 or 1, after limits
    int32_t actions;
    const double *law;          // (actions); NULL: not known
    double probability;         // of the action; NaN: not known
    const unsigned char *state; // (state_size) a decision's; a report's next state
    size_t state_size;

    // report
    uint32_t told; // SRV_TOLD_REWARD | ..; of a stub, the kind of record that was there
    double reward;

    // programme, change, build
    const char *text; // (text_size) JSON
    size_t text_size;
    int32_t numbers;           // programme, build: LGKT_NUMBERS of the lgkt that wrote it, ..
    char version[16];          // .. and its version
    unsigned char entropy[32]; // programme: what its secrets and its seed were drawn from
} srv_record;

// Bytes that grow.
typedef struct srv_bytes {
    unsigned char *at; // owned
    size_t size, capacity;
    const lgkt_allocator *allocator;
    bool failed; // memory was out: the bytes are not whole
} srv_bytes;

// Room for so many more; false if memory is out.
bool srv_bytes_grow(srv_bytes *bytes, size_t size);
static inline void srv_bytes_put(srv_bytes *bytes, const void *from, size_t size)
{
    if (size == 0 || (size > bytes->capacity - bytes->size && !srv_bytes_grow(bytes, size)))
        return;
    memcpy(bytes->at + bytes->size, from, size);
    bytes->size += size;
}
void srv_bytes_release(srv_bytes *bytes);

// What decoding needs to hold beside the bytes.
typedef struct srv_record_room {
    unsigned char allowed[SRV_MAX_ACTIONS];
    double law[SRV_MAX_ACTIONS];
} srv_record_room;

// Appends the bytes of a record; false if memory is out.
bool srv_record_encode(const srv_record *record, srv_bytes *bytes);
// Reads a record; LGKT_ERR_FORMAT for bytes that are none. Encoding it again gives the same bytes.
lgkt_status srv_record_decode(const void *bytes, size_t size, srv_record *record,
                              srv_record_room *room, lgkt_error *error);
// Where its idempotency key is in the bytes of a record; NULL if it has none.
const unsigned char *srv_record_key(const void *bytes, size_t size);
// Names the first field in which two records differ; NULL if none does.
const char *srv_record_difference(const srv_record *a, const srv_record *b);

// The link behind `before`.
void srv_chain(const unsigned char before[SRV_HASH], const void *record, size_t size,
               unsigned char after[SRV_HASH]);
const char *srv_receipt(const unsigned char chain[SRV_HASH], char text[SRV_RECEIPT]);

const char *srv_source_name(srv_source source); // "learner", "floor", "fallback", "taken"
const char *srv_cause_name(srv_cause cause);    // "mode", "law", "memory", "refused"; "" for none
