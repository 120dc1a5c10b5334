// SPDX-License-Identifier: MIT
// What an actor keeps: records of a group in the store, and the machine made anew from there.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "serve/actor_private.h"

// ---- trouble ----

void srv_actor_say(const srv_actor *actor, const char *text)
{
    if (actor->config.say != NULL)
        actor->config.say(actor->config.ctx, text);
}

void srv_actor_die(srv_actor *actor, const char *text)
{
    if (actor->config.fatal != NULL)
        actor->config.fatal(actor->config.ctx, text);
    fprintf(stderr, "lgkt: serve: %s\n", text);
    _exit(1);
}

// ---- records ----

static lgkt_status keep_read(void *ctx, int64_t seq, const void *bytes, size_t size,
                             const unsigned char chain[SRV_HASH], lgkt_error *error)
{
    srv_actor *actor = ctx;
    (void)seq;
    void *room = actor->read;
    if (!lgkt_grow(&actor->config.allocator, &room, &actor->read_room, 0, size, 1))
        return lgkt_fail_memory(error, "a record");
    actor->read = room;
    actor->read_size = size;
    memcpy(actor->read, bytes, size);
    memcpy(actor->read_chain, chain, SRV_HASH);
    return LGKT_OK;
}

// A record of the group or of the store.
lgkt_status srv_actor_read(void *ctx, int64_t seq, const void **bytes, size_t *size,
                           unsigned char chain[SRV_HASH], lgkt_error *error)
{
    srv_actor *actor = ctx;
    const srv_records *records = &actor->records;
    if (records->count > 0 && seq >= records->entries[0].seq &&
        seq < records->entries[0].seq + (int64_t)records->count) {
        const srv_entry *entry = &records->entries[seq - records->entries[0].seq];
        *bytes = records->bytes.at + entry->at;
        *size = entry->size;
        memcpy(chain, entry->chain, SRV_HASH);
        return LGKT_OK;
    }
    actor->read_size = 0;
    LGKT_TRY(actor->store->class->read(actor->store, seq, seq, keep_read, actor, error));
    if (actor->read_size == 0)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "there is no record %lld", (long long)seq);
    *bytes = actor->read;
    *size = actor->read_size;
    memcpy(chain, actor->read_chain, SRV_HASH);
    return LGKT_OK;
}

// Where a key of the group is, or would be. There are more slots than records of a group have keys.
uint32_t *srv_actor_slot(srv_actor *actor, const unsigned char key[SRV_HASH])
{
    for (uint32_t at = (key[0] | (uint32_t)key[1] << 8) % SRV_KEY_SLOTS;;
         at = (at + 1) % SRV_KEY_SLOTS) {
        if (actor->keys[at].group != actor->key_group) {
            actor->keys[at].group = actor->key_group;
            actor->keys[at].entry = 0;
        }
        const uint32_t number = actor->keys[at].entry;
        const srv_entry *entry = number > 0 ? &actor->records.entries[number - 1] : NULL;
        if (entry == NULL ||
            memcmp(srv_record_key(actor->records.bytes.at + entry->at, entry->size), key,
                   SRV_HASH) == 0)
            return &actor->keys[at].entry;
    }
}

// The record with a key, in the group or in the store; *seq is 0 if there is none.
lgkt_status srv_actor_find(srv_actor *actor, const unsigned char key[SRV_HASH], int64_t *seq,
                           lgkt_error *error)
{
    const uint32_t number = actor->records.count > 0 ? *srv_actor_slot(actor, key) : 0;
    if (number > 0) {
        *seq = actor->records.entries[number - 1].seq;
        return LGKT_OK;
    }
    return actor->store->class->find(actor->store, key, seq, error);
}

// ---- the machine from the store ----

static lgkt_status replay_record(void *ctx, int64_t seq, const void *bytes, size_t size,
                                 const unsigned char chain[SRV_HASH], lgkt_error *error)
{
    srv_machine *machine = ctx;
    const int64_t next = srv_machine_head(machine).seq + 1;
    if (seq != next)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "record %lld is missing", (long long)next);
    return srv_machine_replay(machine, bytes, size, chain, error);
}

static lgkt_status load_snapshot(srv_actor *actor, srv_machine *machine, int64_t *seq,
                                 lgkt_error *error)
{
    void *bytes = NULL;
    size_t size;
    LGKT_TRY(actor->store->class->get_snapshot(actor->store, INT64_MAX, seq, &bytes, &size, error));
    lgkt_status status = LGKT_OK;
    if (bytes != NULL)
        status = srv_machine_load(machine, bytes, size, error);
    free(bytes);
    return status;
}

// The link that stands in the log must be that of the snapshot.
static lgkt_status check_link(void *ctx, int64_t seq, const void *bytes, size_t size,
                              const unsigned char chain[SRV_HASH], lgkt_error *error)
{
    const srv_head head = srv_machine_head(ctx);
    (void)bytes;
    (void)size;
    return memcmp(head.chain, chain, SRV_HASH) == 0
               ? LGKT_OK
               : lgkt_fail(error, LGKT_ERR_FORMAT,
                           "record %lld: the link of the chain is not that of the snapshot",
                           (long long)seq);
}

static lgkt_status take_over(srv_actor *actor, lgkt_error *error);

// Loads the last snapshot and replays what came after.
lgkt_status srv_actor_rebuild(srv_actor *actor, lgkt_error *error)
{
    srv_machine_destroy(actor->machine);
    actor->machine = srv_machine_create(&actor->config.allocator);
    if (actor->machine == NULL)
        return lgkt_fail_memory(error, "a programme");
    srv_machine *machine = actor->machine;
    srv_store *store = actor->store;
    int64_t seq = 0;
    srv_head head;
    LGKT_TRY(store->class->head(store, &head, error));
    LGKT_TRY(load_snapshot(actor, machine, &seq, error));
    actor->snapshot_seq = seq;
    if (seq > 0)
        LGKT_TRY(store->class->read(store, seq, seq, check_link, machine, error));
    if (seq == head.seq && seq > 0 && srv_machine_numbers(machine) != lgkt_numbers()) {
        srv_machine_set_reader(machine, (srv_reader){srv_actor_read, actor});
        return take_over(actor, error);
    }
    if (seq > 0 && srv_machine_numbers(machine) != lgkt_numbers())
        return srv_other_build(srv_machine_numbers(machine), srv_machine_build(machine), error);
    LGKT_TRY(store->class->read(store, seq + 1, head.seq, replay_record, machine, error));
    if (srv_machine_head(machine).seq != head.seq)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "record %lld is missing",
                         (long long)srv_machine_head(machine).seq + 1);
    srv_machine_set_reader(machine, (srv_reader){srv_actor_read, actor});
    return LGKT_OK;
}

lgkt_status srv_actor_snapshot(srv_actor *actor, bool anchor, lgkt_error *error)
{
    srv_bytes bytes = {.allocator = &actor->config.allocator};
    const int64_t seq = srv_machine_head(actor->machine).seq;
    lgkt_status status = srv_machine_save(actor->machine, &bytes, error);
    if (status == LGKT_OK)
        status = actor->store->class->put_snapshot(actor->store, seq, anchor, bytes.at, bytes.size,
                                                   error);
    srv_bytes_release(&bytes);
    if (status == LGKT_OK) {
        actor->snapshot_seq = seq;
        actor->now.snapshots++;
    }
    return status;
}

// ---- keeping ----

double srv_actor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static lgkt_status append(srv_actor *actor, const srv_overwrite *overwrite, lgkt_error *error)
{
    srv_records *records = &actor->records;
    void *items = actor->items;
    if (!lgkt_grow(&actor->config.allocator, &items, &actor->item_room, 0, records->count,
                   sizeof *actor->items))
        return lgkt_fail_memory(error, "records");
    actor->items = items;
    for (size_t i = 0; i < records->count; i++) {
        const srv_entry *entry = &records->entries[i];
        const unsigned char *bytes = records->bytes.at + entry->at;
        actor->items[i] = (srv_item){.seq = entry->seq,
                                     .bytes = bytes,
                                     .size = entry->size,
                                     .key = srv_record_key(bytes, entry->size)};
        memcpy(actor->items[i].chain, entry->chain, SRV_HASH);
    }
    return actor->store->class->append(actor->store, actor->items, records->count, overwrite,
                                       error);
}

// With stubs and the snapshot after them.
static lgkt_status append_erasure(srv_actor *actor, lgkt_error *error)
{
    srv_records *records = &actor->records;
    srv_bytes snapshot = {.allocator = &actor->config.allocator};
    srv_item *stubs =
        lgkt_alloc_zeroed(&actor->config.allocator, records->stub_count, sizeof *stubs);
    lgkt_status status = stubs == NULL ? lgkt_fail_memory(error, "an erasure")
                                       : srv_machine_save(actor->machine, &snapshot, error);
    for (size_t i = 0; i < records->stub_count && status == LGKT_OK; i++)
        stubs[i] = (srv_item){.seq = records->stubs[i].seq,
                              .bytes = records->bytes.at + records->stubs[i].at,
                              .size = records->stubs[i].size};
    const srv_overwrite overwrite = {stubs, records->stub_count, snapshot.at, snapshot.size};
    if (status == LGKT_OK)
        status = append(actor, &overwrite, error);
    if (status == LGKT_OK)
        actor->snapshot_seq = srv_machine_head(actor->machine).seq;
    lgkt_free(&actor->config.allocator, stubs);
    srv_bytes_release(&snapshot);
    return status;
}

// Another build goes on: a record says so, and the snapshot behind it is where verification begins.
static lgkt_status take_over(srv_actor *actor, lgkt_error *error)
{
    srv_machine_adopt(actor->machine, srv_machine_time(actor->machine), &actor->records);
    lgkt_status status = srv_machine_broken(actor->machine) ? lgkt_fail_memory(error, "a record")
                                                            : append(actor, NULL, error);
    srv_records_release(&actor->records);
    return status == LGKT_OK ? srv_actor_snapshot(actor, true, error) : status;
}

static void note_commit(srv_actor *actor, double took)
{
    srv_actor_numbers *numbers = &actor->now;
    pthread_mutex_lock(&actor->lock);
    actor->commits[numbers->commits++ % SRV_COMMITS] = took;
    pthread_mutex_unlock(&actor->lock);
    numbers->commit_seconds += took;
    numbers->records += (int64_t)actor->records.count;
}

void srv_actor_set_state(srv_actor *actor, srv_actor_state state, const lgkt_error *error)
{
    pthread_mutex_lock(&actor->lock);
    actor->state = state;
    if (error != NULL)
        actor->failure = *error;
    pthread_mutex_unlock(&actor->lock);
}

// A programme that cannot be made anew is tried again with the next group.
void srv_actor_make_anew(srv_actor *actor)
{
    lgkt_error error = {0};
    const lgkt_status status = srv_actor_rebuild(actor, &error);
    actor->now.rebuilds++;
    if (status == SRV_STORE_LOST)
        srv_actor_die(actor, error.text);
    if (status != LGKT_OK)
        srv_actor_say(actor, error.text);
    srv_actor_set_state(actor, status == LGKT_OK ? SRV_ACTOR_READY : SRV_ACTOR_FAILED, &error);
}

// Keeps the records of the group. What was not kept was not: the machine is made anew.
lgkt_status srv_actor_commit(srv_actor *actor, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    if (actor->records.count == 0 && actor->store != NULL) {
        status = append(actor, NULL, error);
    } else if (actor->records.count > 0) {
        const double begin = srv_actor_seconds();
        status = actor->records.stub_count > 0 ? append_erasure(actor, error)
                                               : append(actor, NULL, error);
        if (status == LGKT_OK)
            note_commit(actor, srv_actor_seconds() - begin);
    }
    srv_records_clear(&actor->records);
    actor->key_group++;
    if (status == SRV_STORE_LOST)
        srv_actor_die(actor, error->text);
    if (status == LGKT_OK && !srv_machine_broken(actor->machine))
        return LGKT_OK;
    srv_actor_make_anew(actor);
    return status;
}
