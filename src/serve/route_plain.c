// SPDX-License-Identifier: MIT
// What the server answers itself: the list of programmes, health, metrics, the files that are part
// of it, and exports.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/route_private.h"

enum { EXPORTS = 2 }; // at a time

void srv_list_programmes(srv_call *call)
{
    static const char *const states[] = {[SRV_ACTOR_STARTING] = "starting",
                                         [SRV_ACTOR_READY] = "ready",
                                         [SRV_ACTOR_FAILED] = "failed",
                                         [SRV_ACTOR_STOPPED] = "stopped"};
    json_t *list = json_array();
    for (int32_t i = 0; i < call->site->count; i++) {
        const srv_member *member = call->site->members[i];
        const char *only = call->token->programme;
        if (only[0] != '\0' && strcmp(only, member->name) != 0)
            continue;
        const srv_actor_numbers numbers = srv_actor_read_numbers(member->actor);
        lgkt_error failure = {0};
        const srv_actor_state state = srv_actor_state_of(member->actor);
        if (state == SRV_ACTOR_FAILED)
            srv_actor_failure(member->actor, &failure);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:I, s:I, s:s*}", "name", member->name, "state",
                                        states[state], "seq", (json_int_t)numbers.seq, "decisions",
                                        (json_int_t)numbers.decisions, "detail",
                                        state == SRV_ACTOR_FAILED ? failure.text : NULL));
    }
    srv_answer_json(call, 200, NULL, json_pack("{s:o}", "programmes", list));
    free(call);
}

void srv_tell_health(srv_call *call)
{
    srv_answer_json(call, 200, NULL, json_pack("{s:s}", "status", "ok"));
    free(call);
}

// Says nothing of what there is: it needs no token.
void srv_tell_ready(srv_call *call)
{
    const srv_actor_state state = srv_site_state(call->site);
    if (state == SRV_ACTOR_READY)
        srv_answer_json(call, 200, NULL, json_pack("{s:s}", "status", "ready"));
    else if (state == SRV_ACTOR_FAILED)
        srv_refuse(call, 503, "failed", "not everything could be started: see the log", NULL);
    else
        srv_refuse(call, 503, "starting", "the server is starting", "Retry-After: 1\r\n");
    free(call);
}

void srv_tell_metrics(srv_call *call)
{
    size_t size;
    char *text = srv_metrics(call->site, call->token->programme, &size);
    if (text != NULL)
        srv_answer_text(call, 200, "text/plain; version=0.0.4; charset=utf-8", NULL, text, size);
    else
        srv_refuse(call, 503, "memory", "memory is out", NULL);
    free(text);
    free(call);
}

void srv_tell_openapi(srv_call *call)
{
    const char *text = call->site->openapi;
    srv_answer_text(call, 200, "application/json", NULL, text, strlen(text));
    free(call);
}

void srv_show_page(srv_call *call)
{
    const srv_site *site = call->site;
    srv_answer_text(call, 200, "text/html; charset=utf-8", site->page_headers, site->page,
                    strlen(site->page));
    free(call);
}

// ---- exports ----

bool srv_read_format(http_text query, srv_format *format)
{
    *format = http_is(query, "format=jsonl") ? SRV_JSON_LINES : SRV_CSV;
    return query.size == 0 || *format == SRV_JSON_LINES || http_is(query, "format=csv");
}

// The log is written to a file without a name first: who reads slowly then holds up nobody, and the
// answer has a length by which it is known to be whole.

static bool put_bytes(void *ctx, const void *bytes, size_t size)
{
    const srv_call *call = ctx;
    return fwrite(bytes, 1, size, call->file) == size;
}

static void give_export(http_note *note)
{
    srv_call *call = (srv_call *)note;
    struct stat made;
    const bool whole = call->exported == LGKT_OK && fflush(call->file) == 0 &&
                       fstat(fileno(call->file), &made) == 0;
    const int copy = whole ? dup(fileno(call->file)) : -1;
    if (call->file != NULL)
        fclose(call->file);
    call->site->exports--;
    if (copy >= 0 && lseek(copy, 0, SEEK_SET) == 0) {
        srv_count_answer(call->site, 200);
        http_answer_now(call->request,
                        &(http_answer){.status = 200,
                                       .type = call->format == SRV_CSV ? "text/csv; charset=utf-8"
                                                                       : "application/jsonl",
                                       .file = copy,
                                       .size = (size_t)made.st_size});
    } else {
        srv_refuse(call, 503, "export", "the log could not be written out", "Retry-After: 1\r\n");
    }
    free(call);
}

static void *write_export(void *ctx)
{
    srv_call *call = ctx;
    char path[4096];
    snprintf(path, sizeof path, "%s/.export-XXXXXX", call->site->folder);
    const int file = mkstemp(path);
    if (file >= 0)
        unlink(path);
    call->file = file >= 0 ? fdopen(file, "w+") : NULL;
    call->exported = call->file != NULL && call->place != NULL
                         ? srv_export(call->place, call->format, put_bytes, call, NULL)
                         : LGKT_ERR_IO;
    free(call->place);
    call->note.run = give_export;
    http_post(call->site->http, &call->note);
    return NULL;
}

void srv_export_log(srv_call *call)
{
    pthread_t thread;
    srv_read_format(http_head_of(call->request)->query, &call->format);
    call->place = srv_site_place(call->site, call->parts.programme);
    if (++call->site->exports <= EXPORTS &&
        pthread_create(&thread, NULL, write_export, call) == 0) {
        pthread_detach(thread);
        return;
    }
    call->site->exports--;
    free(call->place);
    srv_refuse(call, 503, "queue", "other exports are being written", "Retry-After: 5\r\n");
    free(call);
}
