// SPDX-License-Identifier: MIT
// What one server serves: the programmes of a folder, each with its actor, and the tokens. Used by
// the thread of the HTTP server alone.
#pragma once

#include "serve/actor.h"
#include "serve/http.h"
#include "serve/tokens.h"

enum { SRV_NAME_SIZE = 64, SRV_MAX_PROGRAMMES = 1000 };

typedef struct srv_member {
    char name[SRV_NAME_SIZE];
    char *path; // of its file; owned
    srv_actor *actor;
} srv_member;

typedef struct srv_site {
    const char *folder;
    int64_t reserve;
    http_server *http; // set before it runs
    srv_tokens *tokens;
    double tokens_read; // when they were looked at last, seconds
    srv_member **members;
    int32_t count;
    int64_t answers[6];                  // by the first digit of the status
    int exports;                         // that are being written
    int lock;                            // of the folder; 0: none
    char *openapi, *page, *page_headers; // owned
} srv_site;

// Opens the folder, made where it is not there, and starts an actor for every programme in it.
// Nullable: error.
lgkt_status srv_site_open(srv_site *site, const char *folder, int64_t reserve, lgkt_error *error);
// Stops all actors, after what waits is done.
void srv_site_close(srv_site *site);

// NULL if there is none.
srv_member *srv_site_find(srv_site *site, const char *name);
// Starts the actor of a programme; `create` is NULL where it is there already.
lgkt_status srv_site_start(srv_site *site, const char *name, const srv_request *create,
                           lgkt_error *error);
// A programme that could not be made is none.
void srv_site_drop(srv_site *site, const char *name);
// Whether all programmes answer.
srv_actor_state srv_site_state(const srv_site *site);

// What /metrics says, in the text format of Prometheus; the caller frees it. `only` is "" or the one
// programme that is told of.
char *srv_metrics(const srv_site *site, const char *only, size_t *size);
