// SPDX-License-Identifier: MIT
// The table of routes (route.h), and which of them a path leads to.

#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "serve/route_private.h"

enum { BODY_BYTES = 64 * 1024, BATCH_BYTES = 1024 * 1024 };
enum {
    ALL_ROLES = SRV_DECIDES | SRV_READS | SRV_ADMIN,
    LOOKS = SRV_READS | SRV_ADMIN,
    DECIDES = SRV_DECIDES | SRV_ADMIN
};

#define P "/v1/programmes/{p}"
const srv_route srv_routes[] = {
    {"GET", "/v1/programmes", SRV_VERB_COUNT, srv_list_programmes, ALL_ROLES, 0, "listProgrammes",
     "The programmes that the token may see", NULL, "Programmes", "200", NULL},
    {"POST", "/v1/programmes", SRV_DO_CREATE, NULL, SRV_ADMIN, BODY_BYTES, "createProgramme",
     "Makes a programme", "NewProgramme", "Programme", "201 409", NULL},
    {"GET", P, SRV_DO_SHOW, NULL, ALL_ROLES, 0, "showProgramme",
     "Its settings, mode and counts; its version is the ETag", NULL, "Programme", "200", NULL},
    {"PATCH", P, SRV_DO_CHANGE, NULL, SRV_ADMIN, BODY_BYTES, "changeProgramme",
     "Changes mode, horizon, floor or limits", "Change", "Programme", "200 409 412 428", NULL},
    {"POST", P "/decisions", SRV_DO_DECIDE, NULL, DECIDES, BODY_BYTES, "decide",
     "Decides for a unit", "Occasion", "Decision", "201 409 410", NULL},
    {"POST", P "/decisions:batch", SRV_DO_BATCH, NULL, DECIDES, BATCH_BYTES, "decideBatch",
     "Decides for many units, or for none if one is refused", "Batch", "Decisions", "201 409 410",
     NULL},
    {"POST", P "/decisions:taken", SRV_DO_TAKE, NULL, DECIDES, BODY_BYTES, "takeDecision",
     "A decision that was made elsewhere", "Taken", "Decision", "201 409 410", NULL},
    {"POST", P "/reports", SRV_DO_REPORT, NULL, DECIDES, BATCH_BYTES, "report",
     "Rewards and next states of decisions, each taken or refused by itself", "Reports", "Reported",
     "200 409", NULL},
    {"POST", P "/explain", SRV_DO_EXPLAIN, NULL, ALL_ROLES, BODY_BYTES, "explain",
     "What is known of each action in a state; changes nothing", "Question", "Reasons", "200 409",
     NULL},
    {"GET", P "/policy", SRV_DO_POLICY, NULL, LOOKS, 0, "policy",
     "The law of every state, of those that came up where states are keyed", NULL, "Policy",
     "200 409", NULL},
    {"POST", P "/policy", SRV_DO_POLICY, NULL, LOOKS, BATCH_BYTES, "policyOf",
     "The law of these states", "States", "Policy", "200 409", NULL},
    {"GET", P "/decisions/{n}", SRV_DO_DECISION, NULL, ALL_ROLES, 0, "showDecision",
     "A decision with its reports", NULL, "DecisionRecord", "200 410", NULL},
    {"GET", P "/units/{u}", SRV_DO_UNIT, NULL, LOOKS, 0, "showUnit",
     "What happened to a unit, the newest first", NULL, "Unit", "200 410", NULL},
    {"DELETE", P "/units/{u}", SRV_DO_ERASE, NULL, SRV_ADMIN, 0, "eraseUnit",
     "Erases a unit: its name and all that is told of it", NULL, "Erased", "200 409 410", NULL},
    {"GET", P "/monitor", SRV_DO_MONITOR, NULL, LOOKS, 0, "monitor",
     "Whether what is recorded is what happens: checks with lights", NULL, "Monitor", "200", NULL},
    {"GET", P "/export", SRV_VERB_COUNT, srv_export_log, LOOKS, 0, "export",
     "The decision log as CSV or JSON lines", NULL, NULL, "200", "format"},
    {"GET", "/metrics", SRV_VERB_COUNT, srv_tell_metrics, LOOKS, 0, "metrics",
     "Numbers for Prometheus", NULL, NULL, "200", NULL},
    {"GET", "/healthz", SRV_VERB_COUNT, srv_tell_health, 0, 0, "healthz",
     "Whether the server lives", NULL, "Status", "200", NULL},
    {"GET", "/readyz", SRV_VERB_COUNT, srv_tell_ready, 0, 0, "readyz",
     "Whether every programme answers", NULL, "Status", "200 503", NULL},
    {"GET", "/openapi.json", SRV_VERB_COUNT, srv_tell_openapi, 0, 0, "openapi", "This file", NULL,
     NULL, "200", NULL},
    {"GET", "/", SRV_VERB_COUNT, srv_show_page, 0, 0, "page", "The dashboard", NULL, NULL, "200",
     NULL},
};
const int srv_route_count = sizeof srv_routes / sizeof *srv_routes;

// ---- paths ----

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// A part of a path with %41 as A; false for what does not fit or is no text.
static bool decode(http_text part, char *to, size_t room)
{
    size_t at = 0;
    for (size_t i = 0; i < part.size; i++) {
        int c = (unsigned char)part.at[i];
        if (c == '%') {
            const int high = i + 2 < part.size ? hex_digit(part.at[i + 1]) : -1;
            const int low = high >= 0 ? hex_digit(part.at[i + 2]) : -1;
            c = low >= 0 ? 16 * high + low : 0;
            i += 2;
        }
        if (c == 0 || at + 1 >= room)
            return false;
        to[at++] = (char)c;
    }
    to[at] = '\0';
    return at > 0;
}

static bool take_part(char kind, http_text part, srv_parts *parts)
{
    char number[24];
    if (kind == 'p')
        return decode(part, parts->programme, sizeof parts->programme);
    if (kind == 'u')
        return decode(part, parts->unit, sizeof parts->unit);
    return decode(part, number, sizeof number) && strspn(number, "0123456789") == strlen(number) &&
           lgkt_integer_parse(number, &parts->number);
}

static bool matches(const char *pattern, http_text path, srv_parts *parts)
{
    size_t at = 0;
    while (*pattern != '\0') {
        if (*pattern != '{') {
            if (at >= path.size || path.at[at++] != *pattern++)
                return false;
            continue;
        }
        http_text part = {path.at + at, 0};
        while (at + part.size < path.size && path.at[at + part.size] != '/')
            part.size++;
        if (!take_part(pattern[1], part, parts))
            return false;
        at += part.size;
        pattern += sizeof "{p}" - 1;
    }
    return at == path.size;
}

const srv_route *srv_route_find(http_text method, http_text path, srv_parts *parts,
                                bool *path_known, char allow[64])
{
    const bool head = http_is(method, "HEAD");
    size_t length = 0;
    *path_known = true;
    for (int i = 0; i < srv_route_count; i++) {
        const srv_route *route = &srv_routes[i];
        const bool goes =
            http_is(method, route->method) || (head && strcmp(route->method, "GET") == 0);
        if (goes && matches(route->path, path, parts))
            return route;
    }
    // what else the path can do
    *path_known = false;
    for (int i = 0; i < srv_route_count; i++) {
        if (!matches(srv_routes[i].path, path, parts))
            continue;
        *path_known = true;
        if (allow != NULL)
            length += (size_t)snprintf(allow + length, 64 - length, "%s%s", length > 0 ? ", " : "",
                                       srv_routes[i].method);
    }
    return NULL;
}
