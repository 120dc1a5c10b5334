// SPDX-License-Identifier: MIT
// A programme in memory for tests: a machine, the log that it wrote, and a clock that is set.
#ifndef LGKT_TESTS_SERVE_RUN_H
#define LGKT_TESTS_SERVE_RUN_H

#include "ref/fault.h"
#include "serve/machine.h"

enum { SERVE_LOG = 20000 }; // most records

typedef struct serve_log {
    srv_bytes bytes;
    srv_entry *entries; // (count)
    size_t count, capacity;
    bool keyed[SERVE_LOG]; // whether a record had a key, and which
    unsigned char keys[SERVE_LOG][SRV_HASH];
} serve_log;

typedef struct serve_run {
    srv_machine *machine;
    const lgkt_allocator *allocator; // NULL: malloc and free
    fault *memory;     // whose allocation `fail_at` fails within the next command; NULL
    long long fail_at; // 0: none
    serve_log log;
    int64_t time; // microseconds; a second later with each command
    uint64_t drawn;
    srv_answer answer; // the last one
    char *text;        // of it
} serve_run;

// Fails the test if the config is refused.
serve_run *serve_run_make(const char *config);
// A run without a programme; a CREATE may follow.
serve_run *serve_run_empty(const lgkt_allocator *allocator);
void serve_run_free(serve_run *run);
// Makes a command; for UNIT and ERASE the body is the unit's name, for DECISION its number. Returns the
// status. A key that was used before is answered from the log. Nullable: key, body.
int serve_run_do(serve_run *run, srv_verb verb, const char *key, const char *body);
int serve_run_json(serve_run *run, srv_verb verb, const char *key, const json_t *body);
// Makes the machine anew from the log, as after a lack of memory.
void serve_run_rebuild(serve_run *run);
// The last answer as compact JSON.
const char *serve_run_text(serve_run *run);
double serve_run_number(const serve_run *run, const char *name);
// Replays the log and compares all of the machine, and does as below.
void serve_run_check(serve_run *run);
// A snapshot is the machine again.
void serve_run_check_snapshot(serve_run *run);
// The machine that the first `count` records make; NULL with an error in the way.
srv_machine *serve_run_replay(const serve_run *run, size_t count, lgkt_error *error);

#endif
