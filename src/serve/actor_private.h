// SPDX-License-Identifier: MIT
// What an actor holds, and the parts that it is made of. All but the first lines of srv_actor is of
// its thread alone, and so are the functions.
#pragma once

#include <pthread.h>

#include "serve/actor.h"

enum {
    SRV_QUEUE = 4096,
    SRV_GROUP = 4096,
    SRV_GROUP_RECORDS = 20000, // a group with more is ended: batches may have many
    SRV_SNAPSHOT_EVERY = 50000,
    SRV_COMMITS = 1000,
    SRV_KEY_SLOTS = 16384,
    SRV_ENTROPY = 4096
};
#define SRV_LIGHT_SECONDS 1.0

// a request as it waits
typedef struct srv_waiting {
    srv_request request; // texts are the own copies behind
    char *texts;         // owned
    srv_answer answer;
    bool is_held; // its answer needs the commit
} srv_waiting;

struct srv_actor {
    srv_actor_config config;
    char *path, *name;
    bool has_file; // of the usual disk: its room and size can be asked for
    pthread_t thread;
    pthread_mutex_t lock; // of what follows up to the line
    pthread_cond_t wake;
    srv_waiting *queue; // (size) a ring
    int32_t size, first, count;
    bool is_stopping;
    srv_actor_state state;
    lgkt_error failure;
    srv_actor_numbers numbers;   // as they were after the last group
    double commits[SRV_COMMITS]; // seconds of the last ones
    srv_light lights[SRV_LIGHTS];
    int light_count;
    // ---- of the thread alone ----
    srv_waiting *group; // (SRV_GROUP)
    srv_machine *machine;
    srv_store *store;
    srv_records records; // of the group, not yet kept
    srv_values asked;    // of the request that is done
    srv_item *items;     // (item_room)
    size_t item_room;
    unsigned char *read; // the record that was read last
    size_t read_size, read_room;
    unsigned char read_chain[SRV_HASH];
    int64_t snapshot_seq; // of the last one
    int64_t last_clock;
    srv_actor_numbers now;
    double lights_at;   // when they were looked at last, ..
    int64_t lights_seq; // .. and the last record then
    struct {
        uint32_t group, entry; // of records + 1
    } keys[SRV_KEY_SLOTS];     // of the group, by the first bytes
    uint32_t key_group;
    unsigned char wanted[SRV_GROUP][SRV_HASH]; // keys of the requests of a group
    unsigned char entropy[SRV_ENTROPY];        // random bytes for commands to come
    size_t entropy_used;
};

// ---- actor_keep.c ----

void srv_actor_say(const srv_actor *actor, const char *text);
_Noreturn void srv_actor_die(srv_actor *actor, const char *text);
void srv_actor_set_state(srv_actor *actor, srv_actor_state state, const lgkt_error *error);
// A record of the group or of the store; as srv_reader.
lgkt_status srv_actor_read(void *ctx, int64_t seq, const void **bytes, size_t *size,
                           unsigned char chain[SRV_HASH], lgkt_error *error);
// The record with a key, in the group or in the store; *seq is 0 if there is none.
lgkt_status srv_actor_find(srv_actor *actor, const unsigned char key[SRV_HASH], int64_t *seq,
                           lgkt_error *error);
// Where a key of the group is, or would be.
uint32_t *srv_actor_slot(srv_actor *actor, const unsigned char key[SRV_HASH]);
// Loads the last snapshot and replays what came after.
lgkt_status srv_actor_rebuild(srv_actor *actor, lgkt_error *error);
void srv_actor_make_anew(srv_actor *actor);
lgkt_status srv_actor_snapshot(srv_actor *actor, bool anchor, lgkt_error *error);
// Keeps the records of the group. What was not kept was not: the machine is made anew.
lgkt_status srv_actor_commit(srv_actor *actor, lgkt_error *error);

// ---- actor_group.c ----

bool srv_actor_low(const srv_actor *actor);
int64_t srv_actor_now(srv_actor *actor);
void srv_actor_entropy(srv_actor *actor, unsigned char bytes[32]);
bool srv_actor_refuse(srv_actor *actor, const srv_request *request, bool low, srv_answer *answer);
void srv_actor_publish(srv_actor *actor);
// Looks at the lights if a second has passed, and something has happened.
void srv_actor_look(srv_actor *actor, bool at_once);
double srv_actor_seconds(void);
void srv_actor_hand_out(srv_actor *actor, srv_waiting *group, size_t count);
void srv_actor_serve(srv_actor *actor, size_t count);
