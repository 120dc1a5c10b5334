// SPDX-License-Identifier: MIT
// An actor with its file, asked by a test that waits for the answers.
#ifndef LGKT_TESTS_SERVE_CLIENT_H
#define LGKT_TESTS_SERVE_CLIENT_H

#include <pthread.h>
#include <stdatomic.h>

#include "serve/actor.h"

typedef struct serve_client {
    srv_actor_config config; // ctx is the client
    srv_actor *actor;
    int64_t time;     // what its clock says; it does not move by itself
    atomic_bool died; // the actor called `fatal`
    pthread_mutex_t lock;
    pthread_cond_t told;
    int waiting;
} serve_client;

// A slot for an answer.
typedef struct serve_slot {
    serve_client *client;
    srv_answer answer;
    bool is_there;
} serve_slot;

// The client must stay where it is. With a config it creates the programme and fails the test if
// that is refused; NULL: it is there.
void serve_client_start(serve_client *client, const char *path, const char *config);
// Starts with a CREATE, whose answer comes into the slot; NULL: the programme is there.
void serve_client_begin(serve_client *client, const char *path, serve_slot *slot,
                        const char *config);
void serve_client_stop(serve_client *client);
// Submits; the slot gets the answer. False if the queue is full.
bool serve_client_send(serve_client *client, serve_slot *slot, srv_verb verb, const char *key,
                       const char *body);
// Waits for all that was sent.
void serve_client_wait(serve_client *client);
// A moment for other threads.
void serve_client_pause(void);
// One request and its status; *text is compact JSON, which the caller frees. Nullable: text.
int serve_client_ask(serve_client *client, srv_verb verb, const char *key, const char *body,
                     char **text);
#endif
