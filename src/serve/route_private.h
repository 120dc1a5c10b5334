// SPDX-License-Identifier: MIT
// What the files of the HTTP interface share: a request from the time on when it is whole.
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "serve/route.h"
#include "serve/verify.h"

typedef struct srv_call {
    http_note note; // the first: an answer comes back as it
    srv_site *site;
    http_request *request;
    const srv_route *route;
    const srv_token *token; // while it begins
    srv_parts parts;
    srv_answer answer;
    bool starts; // the programme's actor
    char *place; // of the programme that is exported; owned
    lgkt_status exported;
    srv_format format; // of an export, and the file that it is written to
    FILE *file;
} srv_call;

// Routes that the server answers itself; they free the call.
typedef void srv_plain(srv_call *call);
srv_plain srv_list_programmes, srv_export_log, srv_tell_health, srv_tell_ready, srv_tell_metrics,
    srv_tell_openapi, srv_show_page;

// format=csv or format=jsonl, nothing else; csv if there is no query.
bool srv_read_format(http_text query, srv_format *format);

void srv_count_answer(srv_site *site, int status);
// Answers, each of which is counted. A refusal returns 0, the bytes of a body that are taken.
size_t srv_refuse(srv_call *call, int status, const char *type, const char *detail,
                  const char *headers);
void srv_answer_text(srv_call *call, int status, const char *type, const char *headers,
                     const char *text, size_t size);
void srv_answer_json(srv_call *call, int status, const char *headers, json_t *body); // is released
