// SPDX-License-Identifier: MIT
// An HTTP/1.1 server on libevent, which nothing outside http.c sees: connections, limits, timeouts,
// and answers that come later, from other threads. It knows no routes.
//
// One thread runs the server and calls what it is given. A connection has one request at a time;
// what a client sends ahead waits in the socket.
#pragma once

#include <stdint.h>

#include "core/error.h"
#include "serve/http_head.h"

typedef struct http_server http_server;
typedef struct http_request http_request;

typedef struct http_config {
    const char *listen;       // address:port, as 127.0.0.1:8077 or [::1]:8077; port 0: any
    const char *const *hosts; // (host_count) names it is asked by, besides localhost and numbers
    int32_t host_count;
    int32_t connections; // at most, at a time
    double seconds;      // for a request to come whole, and between requests
    // The head is there, the body is not. Returns how many bytes of it are taken, or answers.
    size_t (*begin)(void *ctx, http_request *request);
    // All of it is there. Answers now, or later with http_post.
    void (*complete)(void *ctx, http_request *request);
    void *ctx;
} http_config;

// Binds and listens; the loop does not run yet. Nullable: error.
lgkt_status http_server_create(const http_config *config, http_server **server, lgkt_error *error);
void http_server_destroy(http_server *server);
// The port it listens on.
int http_server_port(const http_server *server);

// Runs until SIGINT or SIGTERM, then until all requests that came whole are answered. Returns the
// number of the signal.
int http_run(http_server *server);

typedef struct http_counts {
    int64_t accepted, refused, requests; // connections, connections above the limit, requests
    int64_t timeouts, malformed;
    int32_t open; // connections
} http_counts;
// In the thread of the server.
http_counts http_counts_of(const http_server *server);

// ---- requests ----

const http_head *http_head_of(const http_request *request);
// (length) of its head, with a zero behind it; NULL before it is complete.
const char *http_body_of(const http_request *request);
// Room for whoever answers, zeroed with each request.
void **http_user_of(http_request *request);

// ---- answers ----

typedef struct http_answer {
    int status;
    const char *type;    // of the body; NULL: there is none
    const char *headers; // further lines, each with CR LF; nullable
    const char *body;    // (size)
    size_t size;
    int file; // a descriptor that the body is read from in place of `body`, and then closed; 0: none
    bool closes; // the connection
} http_answer;

// In the thread of the server; each request is answered once. What the answer points to is copied
// or sent.
void http_answer_now(http_request *request, const http_answer *answer);
// An answer of a problem (RFC 9457): /problems/TYPE, and one line. Nullable: headers.
void http_answer_problem(http_request *request, int status, const char *type, const char *detail,
                         const char *headers);

// What the thread of the server is to do; the caller owns it until `run` is called, and it must
// stay until then.
typedef struct http_note {
    void (*run)(struct http_note *note);
    struct http_note *next;
} http_note;
// From any thread: notes run in their order.
void http_post(http_server *server, http_note *note);
