// SPDX-License-Identifier: MIT
// A group of an actor: commands are applied one by one, what they wrote is kept, and then all are
// answered. An erasure, and a machine that broke, end a group early.

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "serve/actor_private.h"
#include "serve/monitor.h"

// ---- commands ----

bool srv_actor_low(const srv_actor *actor)
{
    struct statvfs disk;
    return actor->config.reserve > 0 && actor->has_file && statvfs(actor->path, &disk) == 0 &&
           (double)disk.f_bavail * (double)disk.f_frsize < (double)actor->config.reserve;
}

static bool is_change(srv_verb verb)
{
    return verb < SRV_DO_EXPLAIN;
}

static bool is_keyed(const srv_request *request)
{
    return request->key != NULL && srv_verb_needs_key(request->verb);
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
    lgkt_status status = srv_actor_find(actor, command->key, &seq, &error);
    if (status == LGKT_OK && seq == 0 && request->verb == SRV_DO_TAKE) {
        srv_command decided = *command;
        int64_t before = 0;
        const void *bytes;
        size_t size;
        srv_record record;
        srv_record_room room;
        unsigned char chain[SRV_HASH];
        srv_key(srv_machine_secret(actor->machine), SRV_DO_DECIDE, request->key, "", 0, &decided);
        status = srv_actor_find(actor, decided.key, &before, &error);
        if (status == LGKT_OK && before > 0)
            status = srv_actor_read(actor, before, &bytes, &size, chain, &error);
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

int64_t srv_actor_now(srv_actor *actor)
{
    const int64_t time = actor->config.clock(actor->config.ctx);
    actor->now.clock_back += time < actor->last_clock;
    actor->last_clock = time;
    return time;
}

// Random bytes, drawn many at a time: each draw is a call of the system.
void srv_actor_entropy(srv_actor *actor, unsigned char bytes[32])
{
    if (actor->entropy_used == 0 || actor->entropy_used == SRV_ENTROPY) {
        randombytes_buf(actor->entropy, SRV_ENTROPY);
        actor->entropy_used = 0;
    }
    memcpy(bytes, actor->entropy + actor->entropy_used, 32);
    sodium_memzero(actor->entropy + actor->entropy_used, 32);
    actor->entropy_used += 32;
}

// Takes over a programme's bad moments: no room, no machine, no key.
bool srv_actor_refuse(srv_actor *actor, const srv_request *request, bool low, srv_answer *answer)
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

// What a request asks, unless its caller has read it. False: it is no JSON, and answered.
static bool read_body(srv_actor *actor, srv_waiting *w, srv_command *command)
{
    srv_request *request = &w->request;
    char why[SRV_WHY];
    if (request->body != NULL || !srv_verb_asks(request->verb))
        return true;
    if (srv_values_read(&actor->asked, request->bytes, request->size)) {
        command->asked = actor->asked.at;
        return true;
    }
    command->body = request->body = srv_tree_read(request->bytes, request->size, why);
    if (request->body == NULL)
        srv_problem(&w->answer, 400, "json", "%s", why);
    return request->body != NULL;
}

static void apply(srv_actor *actor, srv_waiting *w, bool low)
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
    if (srv_actor_refuse(actor, request, low, &w->answer) || !read_body(actor, w, &command))
        return;
    if (is_keyed(request) && answer_again(actor, request, &command, &w->answer)) {
        actor->now.retries++;
        w->is_held = true; // it may be of this group
        return;
    }
    command.time = srv_actor_now(actor);
    if (is_change(request->verb))
        srv_actor_entropy(actor, command.entropy);
    srv_machine_apply(actor->machine, &command, &actor->records, &w->answer);
    w->is_held = true; // what it says may rest on what the group has done
    if (command.keyed && actor->records.count > before)
        *srv_actor_slot(actor, command.key) = (uint32_t)before + 1;
    if (request->verb == SRV_DO_MONITOR && w->answer.status == 200)
        add_commit_times(actor, &w->answer);
}

void srv_actor_hand_out(srv_actor *actor, srv_waiting *group, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        srv_waiting *w = &group[i];
        json_decref(w->request.body);
        free(w->texts);
        actor->now.refused += w->answer.status >= 400;
        actor->now.commands++;
        w->request.done(w->request.ctx, &w->answer);
        *w = (srv_waiting){0};
    }
    if (count > 0 && actor->config.wake != NULL)
        actor->config.wake(actor->config.ctx);
}

void srv_actor_publish(srv_actor *actor)
{
    const bool is_there = actor->state == SRV_ACTOR_READY;
    actor->now.seq = is_there ? srv_machine_head(actor->machine).seq : 0;
    actor->now.decisions = is_there ? srv_machine_made(actor->machine) : 0;
    actor->now.memory_bytes = is_there ? (int64_t)srv_machine_bytes(actor->machine) : 0;
    pthread_mutex_lock(&actor->lock);
    actor->numbers = actor->now;
    pthread_mutex_unlock(&actor->lock);
}

void srv_actor_look(srv_actor *actor, bool at_once)
{
    srv_light lights[SRV_LIGHTS];
    const double now = srv_actor_seconds();
    const int64_t seq = actor->now.seq;
    if (actor->state != SRV_ACTOR_READY || seq == actor->lights_seq ||
        (!at_once && now < actor->lights_at + SRV_LIGHT_SECONDS))
        return;
    const int count = srv_machine_lights(actor->machine, lights);
    actor->lights_at = now;
    actor->lights_seq = seq;
    pthread_mutex_lock(&actor->lock);
    memcpy(actor->lights, lights, sizeof lights);
    actor->light_count = count;
    pthread_mutex_unlock(&actor->lock);
}

// Commits what was applied so far, and answers it. What was looked at in the same group may not have
// been kept either.
static void finish(srv_actor *actor, srv_waiting *group, size_t count)
{
    lgkt_error error = {0};
    const lgkt_status status = srv_actor_commit(actor, &error);
    for (size_t i = 0; i < count && status != LGKT_OK; i++)
        if (group[i].is_held)
            srv_problem(&group[i].answer, 503, status == SRV_STORE_FULL ? "no-room" : "store",
                        "it was not kept: %s", error.text);
    srv_actor_publish(actor);
    srv_actor_hand_out(actor, group, count);
    srv_actor_look(actor, false);
    const int64_t every = actor->config.snapshot_every;
    if (status == LGKT_OK && actor->state == SRV_ACTOR_READY && every > 0 &&
        srv_machine_head(actor->machine).seq - actor->snapshot_seq >= every) {
        const lgkt_status kept = srv_actor_snapshot(actor, false, &error);
        if (kept == SRV_STORE_LOST)
            srv_actor_die(actor, error.text);
        if (kept != LGKT_OK) {
            srv_actor_say(actor, error.text);
            actor->snapshot_seq += every / 10; // tries again later
        }
    }
}

// A store that is far away is asked for all keys of a group at once. What fails here fails again when
// it is asked for one.
static void look_ahead(srv_actor *actor, size_t count)
{
    size_t wanted = 0;
    if (count < 2 || actor->state != SRV_ACTOR_READY || actor->store->class->look == NULL)
        return;
    for (size_t i = 0; i < count; i++) {
        const srv_request *request = &actor->group[i].request;
        srv_command command;
        if (!is_keyed(request))
            continue;
        srv_key(srv_machine_secret(actor->machine), request->verb, request->key, "", 0, &command);
        memcpy(actor->wanted[wanted++], command.key, SRV_HASH);
    }
    actor->store->class->look(actor->store, (const unsigned char(*)[SRV_HASH])actor->wanted, wanted,
                              NULL);
}

void srv_actor_serve(srv_actor *actor, size_t count)
{
    srv_waiting *group = actor->group;
    const bool low = srv_actor_low(actor);
    actor->now.read_only = low;
    if (actor->state == SRV_ACTOR_FAILED && actor->store != NULL)
        srv_actor_make_anew(actor);
    look_ahead(actor, count);
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        // the log is read and overwritten by an erasure: all before it is kept first
        if (group[i].request.verb == SRV_DO_ERASE && i > first) {
            finish(actor, group + first, i - first);
            first = i;
        }
        apply(actor, &group[i], low);
        if (group[i].request.verb == SRV_DO_ERASE || srv_machine_broken(actor->machine) ||
            actor->records.count > SRV_GROUP_RECORDS) {
            finish(actor, group + first, i + 1 - first);
            first = i + 1;
        }
    }
    if (first < count)
        finish(actor, group + first, count - first);
}
