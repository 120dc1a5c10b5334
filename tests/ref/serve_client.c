// SPDX-License-Identifier: MIT
#include "ref/serve_client.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "ref/serve_answer.h"
#include "test.h"

bool serve_in_database(void)
{
    return getenv("LGKT_TEST_STORE") != NULL;
}

const char *serve_place(const char *folder, const char *name)
{
    static char places[8][400];
    static int count;
    char *place = places[count++ % 8];
    if (serve_in_database())
        snprintf(place, sizeof *places, "%s#%s-%d-%d", getenv("LGKT_TEST_STORE"), name,
                 (int)getpid(), count);
    else
        snprintf(place, sizeof *places, "%s/%s.db", folder, name);
    return place;
}

static int64_t test_clock(void *ctx)
{
    return ((serve_client *)ctx)->time;
}

static void test_fatal(void *ctx, const char *text)
{
    serve_client *client = ctx;
    pthread_mutex_lock(&client->lock);
    snprintf(client->fatal, sizeof client->fatal, "%s", text);
    client->died = true;
    pthread_cond_broadcast(&client->told);
    pthread_mutex_unlock(&client->lock);
    pthread_exit(NULL);
}

static void take(void *ctx, srv_answer *answer)
{
    serve_slot *slot = ctx;
    serve_client *client = slot->client;
    pthread_mutex_lock(&client->lock);
    slot->answer = *answer;
    serve_answer_read(&slot->answer);
    slot->is_there = true;
    client->waiting--;
    pthread_cond_broadcast(&client->told);
    pthread_mutex_unlock(&client->lock);
}

static srv_request make_request(serve_slot *slot, srv_verb verb, const char *key, const char *body)
{
    srv_request request = {.verb = verb, .key = key, .match = -1, .done = take, .ctx = slot};
    const bool by_unit = verb == SRV_DO_UNIT || verb == SRV_DO_ERASE;
    if (by_unit)
        request.unit = body;
    else if (verb == SRV_DO_DECISION)
        request.number = atoll(body);
    else if (body != NULL && !srv_verb_asks(verb))
        request.body = json_loads(body, JSON_DECODE_ANY, NULL);
    if (body != NULL && !by_unit) {
        request.bytes = body;
        request.size = strlen(body);
    }
    return request;
}

void serve_client_begin(serve_client *client, const char *path, serve_slot *slot,
                        const char *config)
{
    lgkt_error error = {0};
    srv_request request;
    if (client->time == 0) {
        client->time = INT64_C(1700000000000000);
        pthread_mutex_init(&client->lock, NULL);
        pthread_cond_init(&client->told, NULL);
    }
    *slot = (serve_slot){.client = client};
    client->died = false;
    client->config.path = path;
    client->config.clock = test_clock;
    client->config.fatal = test_fatal;
    client->config.ctx = client;
    client->config.create = NULL;
    if (config != NULL) {
        request = make_request(slot, SRV_DO_CREATE, "create", config);
        client->config.create = &request;
        client->waiting++;
    }
    assert_ok(srv_actor_start(&client->config, &client->actor, &error), error);
    client->config.create = NULL;
}

void serve_client_start(serve_client *client, const char *path, const char *config)
{
    serve_slot slot;
    serve_client_begin(client, path, &slot, config);
    if (config == NULL)
        return;
    serve_client_wait(client);
    if (slot.answer.status != 201 && !client->died)
        fail_msg("%s", json_string_value(json_object_get(slot.answer.body, "detail")));
    srv_answer_release(&slot.answer);
}

void serve_client_stop(serve_client *client)
{
    srv_actor_stop(client->actor);
    client->actor = NULL;
}

bool serve_client_send(serve_client *client, serve_slot *slot, srv_verb verb, const char *key,
                       const char *body)
{
    *slot = (serve_slot){.client = client};
    const srv_request request = make_request(slot, verb, key, body);
    pthread_mutex_lock(&client->lock);
    client->waiting++;
    pthread_mutex_unlock(&client->lock);
    const bool sent = srv_actor_submit(client->actor, &request);
    if (!sent) {
        pthread_mutex_lock(&client->lock);
        client->waiting--;
        pthread_mutex_unlock(&client->lock);
    }
    return sent;
}

void serve_client_wait(serve_client *client)
{
    pthread_mutex_lock(&client->lock);
    while (client->waiting > 0 && !client->died)
        pthread_cond_wait(&client->told, &client->lock);
    if (client->died)
        client->waiting = 0;
    pthread_mutex_unlock(&client->lock);
}

int serve_client_ask(serve_client *client, srv_verb verb, const char *key, const char *body,
                     char **text)
{
    serve_slot slot;
    assert_true(serve_client_send(client, &slot, verb, key, body));
    serve_client_wait(client);
    const int status = slot.is_there ? slot.answer.status : 0;
    if (text != NULL)
        *text = slot.is_there ? json_dumps(slot.answer.body, JSON_COMPACT) : NULL;
    srv_answer_release(&slot.answer);
    return status;
}

void serve_client_pause(void)
{
    sched_yield();
}
