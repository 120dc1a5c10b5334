// SPDX-License-Identifier: MIT
// What the two files of the HTTP server share: http.c moves connections on, http_server.c accepts
// them, keeps the time and takes notes from other threads.
#pragma once

#include <event2/event.h>
#include <event2/listener.h>
#include <pthread.h>

#include "serve/http.h"

typedef enum http_stage { HEAD, BODY, BUSY, SENDING, ANSWERED, LINGERING, GONE } http_stage;

struct http_request {
    http_server *server;
    http_request *next, *previous; // of all connections
    int socket;
    struct event *readable, *writable;
    bool reads, writes; // which of them are on
    http_stage stage;
    double since;   // when the first byte of the request came, or the stage began
    bool advancing; // in `advance`, which goes on by itself
    bool closes;    // after the answer
    char *in;       // (room), `got` bytes; one byte more is always free
    size_t got, room;
    http_head head; // of `in`, from BODY on
    size_t skips;   // bytes of a body that is thrown away, before the next head
    char kept;      // the byte behind the body, where its zero is
    bool marked;    // it is there
    char *out;      // (out_size), what is not sent yet from `sent` on; owned
    size_t out_size, sent;
    int file;         // what is sent behind it; 0: none
    size_t file_left; // bytes of it
    void *user;
};

struct http_server {
    http_config config;
    struct event_base *base;
    struct evconnlistener *listener;
    struct event *sweep, *woken, *signals[2];
    int wake; // an eventfd
    http_request *first;
    http_counts counts;
    int32_t busy; // requests that are to be answered
    double now;
    char date[40];
    bool stops;
    int signal;
    pthread_mutex_t lock; // of the notes
    http_note *notes, **last_note;
};

// Moves a connection on as far as it goes with what is there; it may be gone then.
void http_advance(http_request *request);
// Closes a connection that nobody has to answer.
void http_forget(http_request *request);
// Room for so many bytes of a request and one more. What points into the buffer must be read again.
bool http_make_room(http_request *request, size_t wanted);
// For libevent: the socket is ready.
void http_read_on(evutil_socket_t socket, short what, void *request);
void http_write_on(evutil_socket_t socket, short what, void *request);
