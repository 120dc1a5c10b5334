// SPDX-License-Identifier: MIT
// A programme as a machine: commands in, records and answers out. It knows no clock, no network and
// no file; `serve`, `verify`, tests and fuzzers run the same one.
//
// A command is a verb with a JSON body. It is refused, and nothing has changed, or it is applied,
// and its records are what must be kept before its answer is given. Records alone make the machine
// again (srv_machine_replay): outputs are computed anew and compared bit for bit.
//
// A lack of memory in the middle of a command leaves the machine broken: every later command is
// answered 503, and its owner makes it anew from what was kept.
//
// verb       body                                              answer
// CREATE     config (programme.h)                              201 as SHOW
// DECIDE     {unit, state?, allowed?: [action, ..]}            201 {decision, action, probability, propensities:
//                                                              {action: p} | null, source, cause?, seq, receipt}
// BATCH      {decisions: [{unit, ..}, ..]}, no unit twice      201 {decisions: [as above]}; whole or refused whole,
//                                                              with the index of the first bad item
// TAKE       {unit, state?, allowed?, action,                  201 as DECIDE, source "taken", and `replaced`: the
//            probability?, propensities?: {action: p}}         decision that was made under the same key
// REPORT     [{decision, reward?, next_state?, ended?,         200 [{decision, status, detail?}]: 200 applied or the
//            executed?}]                                       same again, 404, 409, 410, 422
// CHANGE     {mode?, reason?, horizon?, floor?, limits?}       200 as SHOW
// ERASE      command.unit                                      200 {unit: "erased-N", seq, receipt}
// EXPLAIN    {unit?, state, allowed?}                          200 {actions: [{action, probability, visits, ..}]}, of records
//                                                              also features: [{feature, matter, low, high}]
// POLICY     {states: [state, ..]}; numbered, and for all       200 {policy: [{state, propensities}]}
//            that came up where they are keyed: {}
// UNIT       command.unit                                      200 {unit, decisions, records: [..] newest first}
// DECISION   command.number                                    200 {decision, seq, time, unit, state, .., reports}
// MONITOR    -                                                 200 as monitor.h says
// SHOW       -                                                 200 {name, config.., mode, seq, decisions, ..}
#pragma once

#include <jansson.h>

#include "serve/record.h"
#include "serve/values.h"

typedef enum srv_verb {
    SRV_DO_CREATE,
    SRV_DO_DECIDE,
    SRV_DO_BATCH,
    SRV_DO_TAKE,
    SRV_DO_REPORT,
    SRV_DO_CHANGE,
    SRV_DO_ERASE,
    SRV_DO_EXPLAIN, // from here on nothing changes
    SRV_DO_POLICY,
    SRV_DO_UNIT,
    SRV_DO_DECISION,
    SRV_DO_MONITOR,
    SRV_DO_SHOW,
    SRV_VERB_COUNT
} srv_verb;

// DECIDE, BATCH, TAKE, CREATE and CHANGE need an idempotency key.
static inline bool srv_verb_needs_key(srv_verb verb)
{
    return verb <= SRV_DO_TAKE || verb == SRV_DO_CHANGE;
}

// What they ask may come as a list of values.
static inline bool srv_verb_asks(srv_verb verb)
{
    return (verb >= SRV_DO_DECIDE && verb <= SRV_DO_REPORT) || verb == SRV_DO_EXPLAIN;
}

typedef struct srv_command {
    srv_verb verb;
    int64_t time;              // of the clock, microseconds since 1970
    unsigned char entropy[32]; // random bytes: nonces, secrets, a seed that was not given
    const json_t *body;        // borrowed; NULL: none
    const srv_value *asked;    // what the body says, of verbs that ask; NULL: the body is read
    const char *unit;          // UNIT, ERASE
    int64_t number;            // DECISION
    int64_t match;             // CHANGE: the `version` that If-Match names; -1: any
    bool keyed;                // there is an idempotency key
    unsigned char key[SRV_HASH], print[SRV_HASH]; // of verb and key, and of the body (srv_key)
    int64_t replaces; // TAKE: the decision that was made under the same key, else -1 (actor.h)
} srv_command;

// The secret that a programme will have which is created with this entropy.
void srv_secret(const unsigned char entropy[32], unsigned char secret[32]);
// Key and print of a command, from the text of its Idempotency-Key and the bytes of its body. Keys of
// decisions (DECIDE, BATCH) and of TAKE are different ones. Keyed by the programme's secret.
void srv_key(const unsigned char secret[32], srv_verb verb, const char *text, const void *body,
             size_t size, srv_command *command);

// What a command is answered. A problem (status 400 or more) has the members type, status, detail
// and, of a batch, index.
typedef struct srv_answer {
    int status;      // of HTTP
    json_t *body;    // owned; NULL: there is text, or memory is out
    srv_bytes text;  // owned: the body as it is sent, of decisions and reports
    int64_t version; // of the config, for ETag; 0: none
    int64_t seq;     // of the last record of the command; 0: none was made
    unsigned char chain[SRV_HASH];
} srv_answer;

// Puts a value, which it takes over, into an object or a list. Where memory is out, also for the
// value, the whole is released and NULL from then on.
void srv_json_put(json_t **object, const char *name, json_t *value);
void srv_json_add(json_t **list, json_t *value);
json_t *srv_json_real(double value); // null for what is not finite
// Compact text of JSON, to be freed with free; NULL if memory is out.
char *srv_json_text(const json_t *json, size_t *size);
void srv_answer_release(srv_answer *answer);
// Replaces what is there by a problem: {"type": "/problems/TYPE", "status", "detail"}.
void srv_problem(srv_answer *answer, int status, const char *type, const char *format, ...)
    LGKT_PRINTF(4, 5);

// What a command wrote: records one behind the other.
typedef struct srv_entry {
    int64_t seq;
    size_t at, size; // in the bytes
    unsigned char chain[SRV_HASH];
} srv_entry;

typedef struct srv_records {
    srv_entry *entries; // (count) owned
    size_t count, capacity;
    srv_entry *stubs; // (stub_count) owned: what stands in place of older records from now on
    size_t stub_count, stub_capacity;
    srv_bytes bytes;
} srv_records;

void srv_records_clear(srv_records *records); // empty, but with its room
void srv_records_release(srv_records *records);

// Where the machine finds older records for UNIT and DECISION and for retries: the bytes live until
// the next call. LGKT_ERR_ARGUMENT if there is none.
typedef struct srv_reader {
    lgkt_status (*read)(void *ctx, int64_t seq, const void **bytes, size_t *size,
                        unsigned char chain[SRV_HASH], lgkt_error *error);
    void *ctx;
} srv_reader;

typedef struct srv_machine srv_machine;
struct srv_light;

// The failure where another lgkt has to come first: LGKT_ERR_UNSUPPORTED.
lgkt_status srv_other_build(int32_t numbers, const char *version, lgkt_error *error);

// The head of a log.
typedef struct srv_head {
    int64_t seq; // of the last record; 0: there is none
    unsigned char chain[SRV_HASH];
} srv_head;

// A machine without a programme: its first command is CREATE, or its first record is replayed.
// Nullable: allocator.
srv_machine *srv_machine_create(const lgkt_allocator *allocator);
void srv_machine_destroy(srv_machine *machine);
void srv_machine_set_reader(srv_machine *machine, srv_reader reader);

// Appends to `records` what must be kept, fills the answer. Retries are none of its business.
void srv_machine_apply(srv_machine *machine, const srv_command *command, srv_records *records,
                       srv_answer *answer);
// The answer that the command with this first record got, for a retry: the same bytes. 422 if it is
// another request, 410 if it was of a unit that was erased.
void srv_machine_again(srv_machine *machine, const srv_command *command, int64_t seq,
                       srv_answer *answer);
// Goes on by one record. LGKT_ERR_FORMAT names the first field that differs, or the link of the
// chain (`chain` NULL: is not compared).
lgkt_status srv_machine_replay(srv_machine *machine, const void *record, size_t size,
                               const unsigned char *chain, lgkt_error *error);

bool srv_machine_broken(const srv_machine *machine);
bool srv_machine_ready(const srv_machine *machine); // there is a programme
const char *srv_machine_name(const srv_machine *machine);
srv_head srv_machine_head(const srv_machine *machine);
int64_t srv_machine_made(const srv_machine *machine); // decisions
// The checks of MONITOR as numbers (monitor.h); returns how many there are.
int srv_machine_lights(const srv_machine *machine, struct srv_light *lights);
int64_t srv_machine_time(const srv_machine *machine);                // of the last record
const unsigned char *srv_machine_secret(const srv_machine *machine); // (32)
int32_t srv_machine_numbers(const srv_machine *machine);   // of the lgkt that it last went on with
const char *srv_machine_build(const srv_machine *machine); // and its version
uint64_t srv_machine_hash(const srv_machine *machine);
size_t srv_machine_bytes(const srv_machine *machine);

// Snapshots: the whole state, bit for bit.
lgkt_status srv_machine_save(const srv_machine *machine, srv_bytes *bytes, lgkt_error *error);
// Into a machine without a programme. LGKT_ERR_FORMAT for damaged bytes.
lgkt_status srv_machine_load(srv_machine *machine, const void *bytes, size_t size,
                             lgkt_error *error);
// Another build goes on: writes the record that says so (the caller has looked that the snapshot is
// at the head).
void srv_machine_adopt(srv_machine *machine, int64_t time, srv_records *records);
