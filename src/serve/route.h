// SPDX-License-Identifier: MIT
// The HTTP interface of lgkt serve: one table of routes, which requests are led by and the OpenAPI
// file is made from.
#pragma once

#include "serve/site.h"

struct srv_call;

typedef struct srv_route {
    const char *method;
    const char *path; // with {p} programme, {n} decision, {u} unit
    srv_verb verb;    // SRV_VERB_COUNT: `answer` does it
    void (*answer)(struct srv_call *call);
    unsigned roles;   // srv_role; 0: open to all
    size_t limit;     // bytes of its body; 0: it has none
    const char *name; // operationId
    const char *summary;
    const char *takes, *gives; // schemas of body and answer; nullable
    const char *statuses;      // besides those that follow from the rest, as "201 409"
    const char *query;         // its parameters, as "format"; nullable
} srv_route;

extern const srv_route srv_routes[];
extern const int srv_route_count;

// The parts of a path that stand for {p}, {n}, {u}: decoded.
typedef struct srv_parts {
    char programme[SRV_NAME_SIZE];
    char unit[SRV_MAX_NAME + 1];
    int64_t number;
} srv_parts;

// The route of a method and a path, NULL if there is none; *path_known says whether the path is
// there with other methods, of which `allow` is then the list. Nullable: allow.
const srv_route *srv_route_find(http_text method, http_text path, srv_parts *parts,
                                bool *path_known, char allow[64]);

// For http_config.
size_t srv_route_begin(void *site, http_request *request);
void srv_route_complete(void *site, http_request *request);

// Makes the texts that are served as they are: the OpenAPI file, and the page with its headers.
lgkt_status srv_route_prepare(srv_site *site, lgkt_error *error);

// The OpenAPI file, NULL if memory is out; the caller frees it.
char *srv_openapi(void);
// The page and the header lines that go with it, which let nothing run but what is in it.
lgkt_status srv_page(char **page, char **headers, lgkt_error *error);
