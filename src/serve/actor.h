// SPDX-License-Identifier: MIT
// The actor of a programme: one thread with its machine, its store and its queue.
//
// It takes all that waits, applies it in order, lets the store keep the records, and only then
// answers: groups form by themselves, and nobody sees what could still be lost. A retry is answered
// from the records. Where the store fails, memory is ahead of the disk: everything of the group is
// answered 503 and the machine is made anew from the store. Where an fsync failed the process has to
// end: what the disk has is not known.
#pragma once

#include <stdatomic.h>

#include "serve/log_store.h"
#include "serve/monitor.h"

typedef struct srv_actor srv_actor;

// Takes over the answer (srv_answer_release). Called on the actor's thread, after the commit.
typedef void srv_done(void *ctx, srv_answer *answer);

// What is asked of a programme. The actor takes over body and keeps copies of the texts.
typedef struct srv_request {
    srv_verb verb;
    json_t *body;      // owned from submit on, also when it refuses; NULL: none, or it is read
                       // from its bytes, for verbs that ask
    const char *key;   // the text of the Idempotency-Key; NULL: none
    const void *bytes; // (size) the body as it came, for the print
    size_t size;
    const char *unit; // UNIT, ERASE
    int64_t number;   // DECISION
    int64_t match;    // CHANGE; -1: any
    srv_done *done;
    void *ctx;
} srv_request;

typedef struct srv_actor_config {
    const char *path;          // DIR/NAME.db, or postgresql://..#NAME
    const char *vfs;           // of SQLite, for tests
    const srv_request *create; // CREATE, for a programme that is new; NULL: it is there
    const char *name;          // that the file must be of; NULL: any
    // Opens the store; NULL: srv_store_open.
    lgkt_status (*open)(const srv_store_config *config, srv_store **store, lgkt_error *error);
    int32_t queue;          // most requests that wait; 0: 4096
    int64_t reserve;        // bytes that stay free on the disk; below, only reads are answered
    int64_t snapshot_every; // records; 0: 50000; negative: never but at erasures
    // Microseconds since 1970; NULL: the system's.
    int64_t (*clock)(void *ctx);
    // After the answers of a group were handed to `done`, e.g. to wake up the thread that sends them.
    void (*wake)(void *ctx);
    // The process has to end now; must not return. NULL: prints the text and _exit(1).
    void (*fatal)(void *ctx, const char *text);
    // Progress or trouble worth a line on stderr; NULL: nowhere.
    void (*say)(void *ctx, const char *text);
    void *ctx;
    lgkt_allocator allocator;
} srv_actor_config;

typedef enum srv_actor_state {
    SRV_ACTOR_STARTING, // opens, recovers, replays
    SRV_ACTOR_READY,
    SRV_ACTOR_FAILED, // could not start, or is beyond repair: srv_actor_failure says why
    SRV_ACTOR_STOPPED
} srv_actor_state;

// Starts the thread, which opens or creates the store; a CREATE is answered by its `done`, also when
// it is refused (the actor is then FAILED and its file is gone). Requests may be submitted at once.
lgkt_status srv_actor_start(const srv_actor_config *config, srv_actor **actor, lgkt_error *error);
// False if the queue is full (503 is for the caller to answer); else `done` will be called, once.
// Any thread.
bool srv_actor_submit(srv_actor *actor, const srv_request *request);
// Answers what waits, writes a snapshot, closes the file and ends the thread. Nullable.
void srv_actor_stop(srv_actor *actor);

srv_actor_state srv_actor_state_of(srv_actor *actor);
// LGKT_OK if there is none. LGKT_ERR_NO_FILE: the programme was never made, and its file is gone.
lgkt_status srv_actor_failure(srv_actor *actor, lgkt_error *error);

// For /metrics: numbers since the start.
typedef struct srv_actor_numbers {
    int64_t waiting;                    // requests in the queue
    int64_t commands, refused, retries; // answered; with a status of 400 or more; from records
    int64_t records, commits, snapshots, rebuilds;
    int64_t clock_back;                            // times that the clock went back
    double commit_seconds, commit_p50, commit_p99; // sum; quantiles of the last 1000
    int64_t seq, decisions;
    int64_t disk_bytes, memory_bytes;
    bool read_only; // less is free than the reserve
} srv_actor_numbers;
srv_actor_numbers srv_actor_read_numbers(srv_actor *actor);
// The checks of the monitor, as they were within the last second; returns how many there are.
int srv_actor_read_lights(srv_actor *actor, srv_light lights[SRV_LIGHTS]);
