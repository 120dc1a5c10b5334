// SPDX-License-Identifier: MIT
// The actor: a queue, a thread, and groups that are kept before they are answered.
//
// A group is what waited when the one before was done. Its commands are applied one by one; their
// records go to the store in one append, and then the answers out. Records of the group are found by
// key, too: a duplicate in the same group waits for the same answer. An erasure, and what follows
// on a machine that broke, end a group early.

#include "serve/actor.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "serve/monitor.h"

enum { QUEUE = 4096, GROUP = 4096, SNAPSHOT_EVERY = 50000, COMMITS = 1000, KEY_SLOTS = 16384 };

// a request as it waits
typedef struct waiting {
    srv_request request; // texts are the own copies behind
    char *texts;         // owned
    srv_answer answer;
    bool is_held; // its answer needs the commit
} waiting;

struct srv_actor {
    srv_actor_config config;
    char *path, *name;
    pthread_t thread;
    pthread_mutex_t lock; // of what follows up to the line
    pthread_cond_t wake;
    waiting *queue; // (size) a ring
    int32_t size, first, count;
    bool is_stopping;
    srv_actor_state state;
    lgkt_error failure;
    srv_actor_numbers numbers; // as they were after the last group
    double commits[COMMITS];   // seconds of the last ones
    // ---- of the thread alone ----
    waiting *group; // (GROUP)
    srv_machine *machine;
    srv_store *store;
    srv_records records; // of the group, not yet kept
    srv_item *items;     // (item_room)
    size_t item_room;
    unsigned char *read; // the record that was read last
    size_t read_size, read_room;
    unsigned char read_chain[SRV_HASH];
    int64_t snapshot_seq; // of the last one
    int64_t last_clock;
    srv_actor_numbers now;
    struct {
        uint32_t group, entry; // of records + 1
    } keys[KEY_SLOTS];         // of the group, by the first bytes
    uint32_t key_group;
};

// ---- time, disk, entropy ----

static int64_t system_clock(void *ctx)
{
    struct timespec now;
    (void)ctx;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void say(const srv_actor *actor, const char *text)
{
    if (actor->config.say != NULL)
        actor->config.say(actor->config.ctx, text);
}

static bool is_low(const srv_actor *actor)
{
    struct statvfs disk;
    return actor->config.reserve > 0 && actor->config.vfs == NULL &&
           statvfs(actor->path, &disk) == 0 &&
           (double)disk.f_bavail * (double)disk.f_frsize < (double)actor->config.reserve;
}

_Noreturn static void die(srv_actor *actor, const char *text)
{
    if (actor->config.vfs == NULL)
        srv_sqlite_mark(actor->path);
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
static lgkt_status read_record(void *ctx, int64_t seq, const void **bytes, size_t *size,
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
static uint32_t *slot_of(srv_actor *actor, const unsigned char key[SRV_HASH])
{
    for (uint32_t at = (key[0] | (uint32_t)key[1] << 8) % KEY_SLOTS;; at = (at + 1) % KEY_SLOTS) {
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
static lgkt_status find_key(srv_actor *actor, const unsigned char key[SRV_HASH], int64_t *seq,
                            lgkt_error *error)
{
    const uint32_t number = actor->records.count > 0 ? *slot_of(actor, key) : 0;
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
static lgkt_status rebuild(srv_actor *actor, lgkt_error *error)
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
        srv_machine_set_reader(machine, (srv_reader){read_record, actor});
        return take_over(actor, error);
    }
    if (seq > 0 && srv_machine_numbers(machine) != lgkt_numbers())
        return srv_other_build(srv_machine_numbers(machine), srv_machine_build(machine), error);
    LGKT_TRY(store->class->read(store, seq + 1, head.seq, replay_record, machine, error));
    if (srv_machine_head(machine).seq != head.seq)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "record %lld is missing",
                         (long long)srv_machine_head(machine).seq + 1);
    srv_machine_set_reader(machine, (srv_reader){read_record, actor});
    return LGKT_OK;
}

static lgkt_status put_snapshot(srv_actor *actor, bool anchor, lgkt_error *error)
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
    return status == LGKT_OK ? put_snapshot(actor, true, error) : status;
}

static void note_commit(srv_actor *actor, double took)
{
    srv_actor_numbers *numbers = &actor->now;
    pthread_mutex_lock(&actor->lock);
    actor->commits[numbers->commits++ % COMMITS] = took;
    pthread_mutex_unlock(&actor->lock);
    numbers->commit_seconds += took;
    numbers->records += (int64_t)actor->records.count;
}

static void set_state(srv_actor *actor, srv_actor_state state, const lgkt_error *error)
{
    pthread_mutex_lock(&actor->lock);
    actor->state = state;
    if (error != NULL)
        actor->failure = *error;
    pthread_mutex_unlock(&actor->lock);
}

// A programme that cannot be made anew is tried again with the next group.
static void make_anew(srv_actor *actor)
{
    lgkt_error error = {0};
    const lgkt_status status = rebuild(actor, &error);
    actor->now.rebuilds++;
    if (status == SRV_STORE_LOST)
        die(actor, error.text);
    if (status != LGKT_OK)
        say(actor, error.text);
    set_state(actor, status == LGKT_OK ? SRV_ACTOR_READY : SRV_ACTOR_FAILED, &error);
}

// Keeps the records of the group. What was not kept was not: the machine is made anew.
static lgkt_status commit(srv_actor *actor, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    if (actor->records.count > 0) {
        const double begin = seconds();
        status = actor->records.stub_count > 0 ? append_erasure(actor, error)
                                               : append(actor, NULL, error);
        if (status == LGKT_OK)
            note_commit(actor, seconds() - begin);
    }
    srv_records_clear(&actor->records);
    actor->key_group++;
    if (status == SRV_STORE_LOST)
        die(actor, error->text);
    if (status == LGKT_OK && !srv_machine_broken(actor->machine))
        return LGKT_OK;
    make_anew(actor);
    return status;
}

// ---- commands ----

static bool is_change(srv_verb verb)
{
    return verb < SRV_DO_EXPLAIN;
}

// The answer of a request that was made before; false if it was not. For TAKE also the decision that
// was made under the same key.
static bool answer_again(srv_actor *actor, const srv_request *request, srv_command *command,
                         srv_answer *answer)
{
    int64_t seq = 0;
    lgkt_error error = {0};
    srv_key(srv_machine_secret(actor->machine), request->verb, request->key,
            request->bytes != NULL ? request->bytes : "", request->size, command);
    lgkt_status status = find_key(actor, command->key, &seq, &error);
    if (status == LGKT_OK && seq == 0 && request->verb == SRV_DO_TAKE) {
        srv_command decided = *command;
        int64_t before = 0;
        const void *bytes;
        size_t size;
        srv_record record;
        srv_record_room room;
        unsigned char chain[SRV_HASH];
        srv_key(srv_machine_secret(actor->machine), SRV_DO_DECIDE, request->key, "", 0, &decided);
        status = find_key(actor, decided.key, &before, &error);
        if (status == LGKT_OK && before > 0)
            status = read_record(actor, before, &bytes, &size, chain, &error);
        if (status == LGKT_OK && before > 0 &&
            srv_record_decode(bytes, size, &record, &room, NULL) == LGKT_OK &&
            record.kind == SRV_DECISION)
            command->replaces = record.decision;
    }
    if (status != LGKT_OK) {
        srv_problem(answer, 503, "store", "%s", error.text);
        return true;
    }
    if (seq > 0)
        srv_machine_again(actor->machine, command, seq, answer);
    return seq > 0;
}

static int64_t now(srv_actor *actor)
{
    const int64_t time = actor->config.clock(actor->config.ctx);
    actor->now.clock_back += time < actor->last_clock;
    actor->last_clock = time;
    return time;
}

// Takes over a programme's bad moments: no room, no machine, no key.
static bool refuse(srv_actor *actor, const srv_request *request, bool low, srv_answer *answer)
{
    if (actor->state == SRV_ACTOR_FAILED)
        srv_problem(answer, 503, "store", "%s", actor->failure.text);
    else if (low && is_change(request->verb))
        srv_problem(answer, 503, "no-room",
                    "the disk has less room than the reserve: nothing is decided or reported");
    else if (srv_verb_needs_key(request->verb) && (request->key == NULL || request->key[0] == '\0'))
        srv_problem(answer, 400, "key-missing", "an Idempotency-Key is needed");
    else
        return false;
    return true;
}

static void add_commit_times(srv_actor *actor, srv_answer *answer)
{
    const srv_actor_numbers numbers = srv_actor_read_numbers(actor);
    srv_monitor_add_commits(&answer->body, numbers.commits, numbers.commit_p50, numbers.commit_p99,
                            actor->now.clock_back);
}

static void apply(srv_actor *actor, waiting *w, bool low)
{
    const srv_request *request = &w->request;
    const size_t before = actor->records.count;
    srv_command command = {.verb = request->verb,
                           .body = request->body,
                           .unit = request->unit,
                           .number = request->number,
                           .match = request->match,
                           .replaces = -1};
    w->answer = (srv_answer){0};
    if (refuse(actor, request, low, &w->answer))
        return;
    const bool is_keyed = request->key != NULL && srv_verb_needs_key(request->verb);
    if (is_keyed && answer_again(actor, request, &command, &w->answer)) {
        actor->now.retries++;
        w->is_held = true; // it may be of this group
        return;
    }
    command.time = now(actor);
    if (is_change(request->verb))
        randombytes_buf(command.entropy, sizeof command.entropy);
    srv_machine_apply(actor->machine, &command, &actor->records, &w->answer);
    w->is_held = true; // what it says may rest on what the group has done
    if (command.keyed && actor->records.count > before)
        *slot_of(actor, command.key) = (uint32_t)before + 1;
    if (request->verb == SRV_DO_MONITOR && w->answer.status == 200)
        add_commit_times(actor, &w->answer);
}

static void hand_out(srv_actor *actor, waiting *group, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        waiting *w = &group[i];
        json_decref(w->request.body);
        free(w->texts);
        actor->now.refused += w->answer.status >= 400;
        actor->now.commands++;
        w->request.done(w->request.ctx, &w->answer);
    }
    if (count > 0 && actor->config.wake != NULL)
        actor->config.wake(actor->config.ctx);
}

static void publish(srv_actor *actor)
{
    const bool is_there = actor->state == SRV_ACTOR_READY;
    actor->now.seq = is_there ? srv_machine_head(actor->machine).seq : 0;
    actor->now.decisions = is_there ? srv_machine_made(actor->machine) : 0;
    actor->now.memory_bytes = is_there ? (int64_t)srv_machine_bytes(actor->machine) : 0;
    pthread_mutex_lock(&actor->lock);
    actor->numbers = actor->now;
    pthread_mutex_unlock(&actor->lock);
}

// Commits what was applied so far, and answers it. What was looked at in the same group may not have
// been kept either.
static void finish(srv_actor *actor, waiting *group, size_t count)
{
    lgkt_error error = {0};
    const lgkt_status status = commit(actor, &error);
    for (size_t i = 0; i < count && status != LGKT_OK; i++)
        if (group[i].is_held)
            srv_problem(&group[i].answer, 503, status == SRV_STORE_FULL ? "no-room" : "store",
                        "it was not kept: %s", error.text);
    publish(actor);
    hand_out(actor, group, count);
    const int64_t every = actor->config.snapshot_every;
    if (status == LGKT_OK && actor->state == SRV_ACTOR_READY && every > 0 &&
        srv_machine_head(actor->machine).seq - actor->snapshot_seq >= every) {
        const lgkt_status kept = put_snapshot(actor, false, &error);
        if (kept == SRV_STORE_LOST)
            die(actor, error.text);
        if (kept != LGKT_OK) {
            say(actor, error.text);
            actor->snapshot_seq += every / 10; // tries again later
        }
    }
}

static void serve(srv_actor *actor, size_t count)
{
    waiting *group = actor->group;
    const bool low = is_low(actor);
    actor->now.read_only = low;
    if (actor->state == SRV_ACTOR_FAILED && actor->store != NULL)
        make_anew(actor);
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        // the log is read and overwritten by an erasure: all before it is kept first
        if (group[i].request.verb == SRV_DO_ERASE && i > first) {
            finish(actor, group + first, i - first);
            first = i;
        }
        apply(actor, &group[i], low);
        if (group[i].request.verb == SRV_DO_ERASE || srv_machine_broken(actor->machine)) {
            finish(actor, group + first, i + 1 - first);
            first = i + 1;
        }
    }
    if (first < count)
        finish(actor, group + first, count - first);
}

// ---- the thread ----

static lgkt_status check_name(const srv_actor *actor, lgkt_error *error)
{
    const char *own = srv_machine_name(actor->machine);
    if (actor->name == NULL || strcmp(own, actor->name) == 0)
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_CONFIG, "%s is of the programme \"%s\"", actor->path, own);
}

static lgkt_status open_store(srv_actor *actor, lgkt_error *error)
{
    const srv_store_config config = {
        .path = actor->path, .vfs = actor->config.vfs, .create = actor->config.create != NULL};
    LGKT_TRY(srv_sqlite_open(&config, &actor->store, error));
    LGKT_TRY(actor->store->class->fence(actor->store, error));
    if (config.create) {
        actor->machine = srv_machine_create(&actor->config.allocator);
        return actor->machine != NULL ? LGKT_OK : lgkt_fail_memory(error, "a programme");
    }
    LGKT_TRY(rebuild(actor, error));
    if (!srv_machine_ready(actor->machine))
        return lgkt_fail(error, SRV_STORE_EMPTY,
                         "%s: its making was cut off, nobody was told of it", actor->path);
    return check_name(actor, error);
}

static void remove_files(const srv_actor *actor)
{
    static const char *const endings[] = {"", "-journal", "-wal", "-shm", ".lock"};
    char name[4200];
    for (size_t i = 0; i < sizeof endings / sizeof *endings && actor->config.vfs == NULL; i++) {
        snprintf(name, sizeof name, "%s%s", actor->path, endings[i]);
        unlink(name);
    }
}

// The first command of a programme that is new. Its key is made of the secret that it will have.
static bool create(srv_actor *actor, lgkt_error *error)
{
    waiting *w = &actor->group[0];
    const srv_request *request = &w->request;
    srv_command command = {
        .verb = SRV_DO_CREATE, .body = request->body, .match = -1, .replaces = -1};
    randombytes_buf(command.entropy, sizeof command.entropy);
    command.time = now(actor);
    if (!refuse(actor, request, is_low(actor), &w->answer)) {
        unsigned char secret[32];
        srv_secret(command.entropy, secret);
        srv_key(secret, SRV_DO_CREATE, request->key, request->bytes != NULL ? request->bytes : "",
                request->size, &command);
        srv_machine_apply(actor->machine, &command, &actor->records, &w->answer);
        srv_machine_set_reader(actor->machine, (srv_reader){read_record, actor});
    }
    const lgkt_status status = w->answer.status == 201 ? commit(actor, error) : LGKT_OK;
    if (status != LGKT_OK)
        srv_problem(&w->answer, 503, "store", "it was not kept: %s", error->text);
    if (w->answer.status != 201 && status == LGKT_OK)
        lgkt_fail(error, LGKT_ERR_CONFIG, "%s",
                  json_string_value(json_object_get(w->answer.body, "detail")));
    return w->answer.status == 201;
}

static void begin(srv_actor *actor)
{
    lgkt_error error = {0};
    const bool is_new = actor->config.create != NULL;
    lgkt_status status = open_store(actor, &error);
    bool good = status == LGKT_OK;
    if (status == SRV_STORE_LOST)
        die(actor, error.text);
    // the file was made by us, or was never finished
    const bool is_ours = is_new ? good : status == SRV_STORE_EMPTY;
    if (status == SRV_STORE_EMPTY)
        error.status = LGKT_ERR_NO_FILE;
    if (is_new && good)
        good = create(actor, &error);
    else if (is_new)
        srv_problem(&actor->group[0].answer, status == LGKT_ERR_ARGUMENT ? 409 : 503, "store", "%s",
                    error.text);
    if (!good && actor->store != NULL) {
        actor->store->class->close(actor->store, false);
        actor->store = NULL;
    }
    if (!good && is_ours)
        remove_files(actor);
    set_state(actor, good ? SRV_ACTOR_READY : SRV_ACTOR_FAILED, good ? NULL : &error);
    publish(actor);
    if (is_new)
        hand_out(actor, actor->group, 1);
}

// Waits for requests and moves them out of the queue; 0: it is time to stop.
static size_t take_group(srv_actor *actor)
{
    pthread_mutex_lock(&actor->lock);
    while (actor->count == 0 && !actor->is_stopping)
        pthread_cond_wait(&actor->wake, &actor->lock);
    size_t count = 0;
    for (; actor->count > 0 && count < GROUP; count++) {
        actor->group[count] = actor->queue[actor->first];
        actor->first = (actor->first + 1) % actor->size;
        actor->count--;
    }
    pthread_mutex_unlock(&actor->lock);
    return count;
}

static void *work(void *ctx)
{
    srv_actor *actor = ctx;
    begin(actor);
    for (size_t count; (count = take_group(actor)) > 0;)
        serve(actor, count);
    if (actor->state == SRV_ACTOR_READY && actor->store != NULL) {
        lgkt_error error = {0};
        if (srv_machine_head(actor->machine).seq > actor->snapshot_seq &&
            actor->config.snapshot_every >= 0 && put_snapshot(actor, false, &error) != LGKT_OK)
            say(actor, error.text);
    }
    if (actor->store != NULL)
        actor->store->class->close(actor->store, actor->state == SRV_ACTOR_READY);
    actor->store = NULL;
    set_state(actor, SRV_ACTOR_STOPPED, NULL);
    return NULL;
}

// ---- for callers ----

// A copy of a request with its texts; false if memory is out.
static bool copy_request(const srv_request *from, waiting *to)
{
    const size_t key = from->key != NULL ? strlen(from->key) + 1 : 0,
                 unit = from->unit != NULL ? strlen(from->unit) + 1 : 0;
    *to = (waiting){.request = *from};
    to->texts = malloc(key + unit + from->size + 1);
    if (to->texts == NULL)
        return false;
    char *at = to->texts;
    if (key > 0)
        to->request.key = memcpy(at, from->key, key);
    at += key;
    if (unit > 0)
        to->request.unit = memcpy(at, from->unit, unit);
    at += unit;
    if (from->size > 0)
        to->request.bytes = memcpy(at, from->bytes, from->size);
    return true;
}

bool srv_actor_submit(srv_actor *actor, const srv_request *request)
{
    waiting w;
    if (!copy_request(request, &w)) {
        json_decref(request->body);
        return false;
    }
    pthread_mutex_lock(&actor->lock);
    const bool fits = actor->count < actor->size && !actor->is_stopping;
    if (fits) {
        actor->queue[(actor->first + actor->count) % actor->size] = w;
        if (actor->count++ == 0)
            pthread_cond_signal(&actor->wake);
    }
    pthread_mutex_unlock(&actor->lock);
    if (!fits) {
        json_decref(request->body);
        free(w.texts);
    }
    return fits;
}

static void release(srv_actor *actor)
{
    if (actor->store != NULL) // the thread ended in the middle
        actor->store->class->close(actor->store, false);
    srv_machine_destroy(actor->machine);
    srv_records_release(&actor->records);
    lgkt_free(&actor->config.allocator, actor->items);
    lgkt_free(&actor->config.allocator, actor->read);
    pthread_mutex_destroy(&actor->lock);
    pthread_cond_destroy(&actor->wake);
    free(actor->queue);
    free(actor->group);
    free(actor->path);
    free(actor->name);
    free(actor);
}

static bool set_up(srv_actor *actor, const srv_actor_config *config)
{
    actor->config = *config;
    actor->config.allocator = lgkt_allocator_resolve(&config->allocator);
    actor->records.bytes.allocator = &actor->config.allocator;
    actor->size = config->queue > 0 ? config->queue : QUEUE;
    if (config->snapshot_every == 0)
        actor->config.snapshot_every = SNAPSHOT_EVERY;
    if (config->clock == NULL)
        actor->config.clock = system_clock;
    actor->path = strdup(config->path);
    actor->name = config->name != NULL ? strdup(config->name) : NULL;
    actor->queue = calloc((size_t)actor->size, sizeof *actor->queue);
    actor->group = calloc(GROUP, sizeof *actor->group);
    const bool good = actor->path != NULL && actor->queue != NULL && actor->group != NULL &&
                      (config->name == NULL || actor->name != NULL);
    return good && (config->create == NULL || copy_request(config->create, &actor->group[0]));
}

lgkt_status srv_actor_start(const srv_actor_config *config, srv_actor **actor, lgkt_error *error)
{
    srv_actor *made = calloc(1, sizeof *made);
    if (made == NULL || sodium_init() < 0) {
        free(made);
        return lgkt_fail_memory(error, "a programme");
    }
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->wake, NULL);
    if (!set_up(made, config)) {
        release(made);
        return lgkt_fail_memory(error, "a programme");
    }
    if (pthread_create(&made->thread, NULL, work, made) != 0) {
        free(made->group[0].texts);
        release(made);
        return lgkt_fail(error, LGKT_ERR_SYSTEM, "no thread for a programme");
    }
    *actor = made;
    return LGKT_OK;
}

void srv_actor_stop(srv_actor *actor)
{
    if (actor == NULL)
        return;
    pthread_mutex_lock(&actor->lock);
    actor->is_stopping = true;
    pthread_cond_signal(&actor->wake);
    pthread_mutex_unlock(&actor->lock);
    pthread_join(actor->thread, NULL);
    release(actor);
}

srv_actor_state srv_actor_state_of(srv_actor *actor)
{
    pthread_mutex_lock(&actor->lock);
    const srv_actor_state state = actor->state;
    pthread_mutex_unlock(&actor->lock);
    return state;
}

lgkt_status srv_actor_failure(srv_actor *actor, lgkt_error *error)
{
    pthread_mutex_lock(&actor->lock);
    const lgkt_error failure = actor->failure;
    pthread_mutex_unlock(&actor->lock);
    return failure.status == LGKT_OK ? LGKT_OK
                                     : lgkt_fail(error, failure.status, "%s", failure.text);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

srv_actor_numbers srv_actor_read_numbers(srv_actor *actor)
{
    double sorted[COMMITS];
    struct stat file;
    pthread_mutex_lock(&actor->lock);
    srv_actor_numbers numbers = actor->numbers;
    numbers.waiting = actor->count;
    const size_t count = numbers.commits < COMMITS ? (size_t)numbers.commits : COMMITS;
    memcpy(sorted, actor->commits, count * sizeof *sorted);
    pthread_mutex_unlock(&actor->lock);
    qsort(sorted, count, sizeof *sorted, compare);
    if (count > 0) {
        numbers.commit_p50 = sorted[count / 2];
        numbers.commit_p99 = sorted[count * 99 / 100];
    }
    numbers.disk_bytes =
        actor->config.vfs == NULL && stat(actor->path, &file) == 0 ? (int64_t)file.st_size : 0;
    return numbers;
}
