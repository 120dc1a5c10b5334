// SPDX-License-Identifier: MIT
// The actor: a queue, a thread, its start and its end.
//
// A group is what waited when the one before was done. Its commands are applied one by one; their
// records go to the store in one append, and then the answers out (actor_group.c, actor_keep.c).

#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "serve/actor_private.h"

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
    LGKT_TRY(actor->config.open(&config, &actor->store, error));
    LGKT_TRY(actor->store->class->fence(actor->store, error));
    if (config.create) {
        actor->machine = srv_machine_create(&actor->config.allocator);
        return actor->machine != NULL ? LGKT_OK : lgkt_fail_memory(error, "a programme");
    }
    LGKT_TRY(srv_actor_rebuild(actor, error));
    if (!srv_machine_ready(actor->machine))
        return lgkt_fail(error, SRV_STORE_EMPTY,
                         "%s: its making was cut off, nobody was told of it", actor->path);
    return check_name(actor, error);
}

static void remove_files(const srv_actor *actor)
{
    static const char *const endings[] = {"", "-journal", "-wal", "-shm", ".lock"};
    char name[4200];
    for (size_t i = 0; i < sizeof endings / sizeof *endings && actor->has_file; i++) {
        snprintf(name, sizeof name, "%s%s", actor->path, endings[i]);
        unlink(name);
    }
}

// The first command of a programme that is new. Its key is made of the secret that it will have.
static bool create(srv_actor *actor, lgkt_error *error)
{
    srv_waiting *w = &actor->group[0];
    const srv_request *request = &w->request;
    srv_command command = {
        .verb = SRV_DO_CREATE, .body = request->body, .match = -1, .replaces = -1};
    srv_actor_entropy(actor, command.entropy);
    command.time = srv_actor_now(actor);
    if (!srv_actor_refuse(actor, request, srv_actor_low(actor), &w->answer)) {
        unsigned char secret[32];
        srv_secret(command.entropy, secret);
        srv_key(secret, SRV_DO_CREATE, request->key, request->bytes != NULL ? request->bytes : "",
                request->size, &command);
        srv_machine_apply(actor->machine, &command, &actor->records, &w->answer);
        srv_machine_set_reader(actor->machine, (srv_reader){srv_actor_read, actor});
    }
    const lgkt_status status = w->answer.status == 201 ? srv_actor_commit(actor, error) : LGKT_OK;
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
    // a server that waits for the end of another one is started again by what runs it
    if (status == SRV_STORE_LOST ||
        (status == SRV_STORE_HELD && !is_new && !srv_store_is_file(actor->path)))
        srv_actor_die(actor, error.text);
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
    srv_actor_set_state(actor, good ? SRV_ACTOR_READY : SRV_ACTOR_FAILED, good ? NULL : &error);
    srv_actor_publish(actor);
    if (is_new)
        srv_actor_hand_out(actor, actor->group, 1);
}

// Waits for requests and moves them out of the queue; 0: it is time to stop.
static size_t take_group(srv_actor *actor)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_mutex_lock(&actor->lock);
    while (actor->count == 0 && !actor->is_stopping) {
        // what the last group changed is shown, though no other may come
        if (actor->lights_seq == actor->now.seq) {
            pthread_cond_wait(&actor->wake, &actor->lock);
        } else if (pthread_cond_timedwait(&actor->wake, &actor->lock, &until) == ETIMEDOUT) {
            pthread_mutex_unlock(&actor->lock);
            srv_actor_look(actor, true);
            actor->lights_seq = actor->now.seq;
            pthread_mutex_lock(&actor->lock);
        }
    }
    size_t count = 0;
    for (; actor->count > 0 && count < SRV_GROUP; count++) {
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
        srv_actor_serve(actor, count);
    if (actor->state == SRV_ACTOR_READY && actor->store != NULL) {
        lgkt_error error = {0};
        if (srv_machine_head(actor->machine).seq > actor->snapshot_seq &&
            actor->config.snapshot_every >= 0 &&
            srv_actor_snapshot(actor, false, &error) != LGKT_OK)
            srv_actor_say(actor, error.text);
    }
    if (actor->store != NULL)
        actor->store->class->close(actor->store, actor->state == SRV_ACTOR_READY);
    actor->store = NULL;
    srv_actor_set_state(actor, SRV_ACTOR_STOPPED, NULL);
    return NULL;
}

// ---- for callers ----

static int64_t system_clock(void *ctx)
{
    struct timespec now;
    (void)ctx;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// A copy of a request with its texts; false if memory is out.
static bool copy_request(const srv_request *from, srv_waiting *to)
{
    const size_t key = from->key != NULL ? strlen(from->key) + 1 : 0,
                 unit = from->unit != NULL ? strlen(from->unit) + 1 : 0;
    *to = (srv_waiting){.request = *from};
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
    srv_waiting w;
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

static void drop_request(srv_waiting *w)
{
    json_decref(w->request.body);
    srv_answer_release(&w->answer);
    free(w->texts);
}

static void release(srv_actor *actor)
{
    // what is left where the thread ended in the middle
    if (actor->store != NULL)
        actor->store->class->close(actor->store, false);
    for (size_t i = 0; i < SRV_GROUP && actor->group != NULL; i++)
        drop_request(&actor->group[i]);
    for (int32_t i = 0; i < actor->count; i++)
        drop_request(&actor->queue[(actor->first + i) % actor->size]);
    srv_machine_destroy(actor->machine);
    srv_records_release(&actor->records);
    srv_values_release(&actor->asked);
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
    actor->size = config->queue > 0 ? config->queue : SRV_QUEUE;
    if (config->snapshot_every == 0)
        actor->config.snapshot_every = SRV_SNAPSHOT_EVERY;
    if (config->open == NULL)
        actor->config.open = srv_store_open;
    if (config->clock == NULL)
        actor->config.clock = system_clock;
    actor->path = strdup(config->path);
    actor->has_file = config->vfs == NULL && srv_store_is_file(config->path);
    actor->name = config->name != NULL ? strdup(config->name) : NULL;
    actor->queue = calloc((size_t)actor->size, sizeof *actor->queue);
    actor->group = calloc(SRV_GROUP, sizeof *actor->group);
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

int srv_actor_read_lights(srv_actor *actor, srv_light lights[SRV_LIGHTS])
{
    pthread_mutex_lock(&actor->lock);
    memcpy(lights, actor->lights, sizeof actor->lights);
    const int count = actor->light_count;
    pthread_mutex_unlock(&actor->lock);
    return count;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

srv_actor_numbers srv_actor_read_numbers(srv_actor *actor)
{
    double sorted[SRV_COMMITS];
    struct stat file;
    pthread_mutex_lock(&actor->lock);
    srv_actor_numbers numbers = actor->numbers;
    numbers.waiting = actor->count;
    const size_t count = numbers.commits < SRV_COMMITS ? (size_t)numbers.commits : SRV_COMMITS;
    memcpy(sorted, actor->commits, count * sizeof *sorted);
    pthread_mutex_unlock(&actor->lock);
    qsort(sorted, count, sizeof *sorted, compare);
    if (count > 0) {
        numbers.commit_p50 = sorted[count / 2];
        numbers.commit_p99 = sorted[count * 99 / 100];
    }
    numbers.disk_bytes =
        actor->has_file && stat(actor->path, &file) == 0 ? (int64_t)file.st_size : 0;
    return numbers;
}
