// SPDX-License-Identifier: MIT
// Requests led to programmes (route.h). What is asked by whom is looked at when the head is there,
// before any byte of a body is taken: path, token, rate, method, role, programme, headers, in this
// order, so that nobody without a token learns what there is. Then the body goes to the programme's
// actor, and its answer comes back as a note to the server's thread.

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/number.h"
#include "serve/programme.h"
#include "serve/route.h"
#include "serve/verify.h"

enum { BODY_BYTES = 64 * 1024, BATCH_BYTES = 1024 * 1024, KEY_LIMIT = 255, EXPORTS = 2 };
enum { ALL_ROLES = SRV_DECIDES | SRV_READS | SRV_ADMIN, LOOKS = SRV_READS | SRV_ADMIN,
       DECIDES = SRV_DECIDES | SRV_ADMIN };

// A request from the time on when it is whole.
typedef struct srv_call {
    http_note note; // the first: an answer comes back as it
    srv_site *site;
    http_request *request;
    const srv_route *route;
    const srv_token *token; // while it begins
    srv_parts parts;
    srv_answer answer;
    bool starts;  // the programme's actor
    lgkt_status exported;
    srv_format format; // of an export, and the file that it is written to
    FILE *file;
} srv_call;

static void list_programmes(srv_call *call);
static void export_log(srv_call *call);
static void tell_health(srv_call *call);
static void tell_ready(srv_call *call);
static void tell_metrics(srv_call *call);
static void tell_openapi(srv_call *call);
static void show_page(srv_call *call);

#define P "/v1/programmes/{p}"
const srv_route srv_routes[] = {
    {"GET", "/v1/programmes", SRV_VERB_COUNT, list_programmes, ALL_ROLES, 0, "listProgrammes",
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
     "The law of every state, where states are numbered", NULL, "Policy", "200 409", NULL},
    {"POST", P "/policy", SRV_DO_POLICY, NULL, LOOKS, BATCH_BYTES, "policyOf", "The law of these states",
     "States", "Policy", "200 409", NULL},
    {"GET", P "/decisions/{n}", SRV_DO_DECISION, NULL, ALL_ROLES, 0, "showDecision",
     "A decision with its reports", NULL, "DecisionRecord", "200 410", NULL},
    {"GET", P "/units/{u}", SRV_DO_UNIT, NULL, LOOKS, 0, "showUnit",
     "What happened to a unit, the newest first", NULL, "Unit", "200 410", NULL},
    {"DELETE", P "/units/{u}", SRV_DO_ERASE, NULL, SRV_ADMIN, 0, "eraseUnit",
     "Erases a unit: its name and all that is told of it", NULL, "Erased", "200 409 410", NULL},
    {"GET", P "/monitor", SRV_DO_MONITOR, NULL, LOOKS, 0, "monitor",
     "Whether what is recorded is what happens: checks with lights", NULL, "Monitor", "200", NULL},
    {"GET", P "/export", SRV_VERB_COUNT, export_log, LOOKS, 0, "export",
     "The decision log as CSV or JSON lines", NULL, NULL, "200", "format"},
    {"GET", "/metrics", SRV_VERB_COUNT, tell_metrics, LOOKS, 0, "metrics",
     "Numbers for Prometheus", NULL, NULL, "200", NULL},
    {"GET", "/healthz", SRV_VERB_COUNT, tell_health, 0, 0, "healthz", "Whether the server lives",
     NULL, "Status", "200", NULL},
    {"GET", "/readyz", SRV_VERB_COUNT, tell_ready, 0, 0, "readyz",
     "Whether every programme answers", NULL, "Status", "200 503", NULL},
    {"GET", "/openapi.json", SRV_VERB_COUNT, tell_openapi, 0, 0, "openapi", "This file", NULL, NULL,
     "200", NULL},
    {"GET", "/", SRV_VERB_COUNT, show_page, 0, 0, "page", "The dashboard", NULL, NULL, "200",
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
    const srv_route *found = NULL;
    size_t length = 0;
    *path_known = false;
    for (int i = 0; i < srv_route_count && found == NULL; i++) {
        const srv_route *route = &srv_routes[i];
        if (!matches(route->path, path, parts))
            continue;
        *path_known = true;
        if (http_is(method, route->method) || (head && strcmp(route->method, "GET") == 0))
            found = route;
        else if (allow != NULL)
            length += (size_t)snprintf(allow + length, 64 - length, "%s%s",
                                       length > 0 ? ", " : "", route->method);
    }
    return found;
}

// ---- the head ----

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void count_answer(srv_site *site, int status)
{
    site->answers[status / 100 % 6]++;
}

static size_t refuse(srv_call *call, int status, const char *type, const char *detail,
                     const char *headers)
{
    count_answer(call->site, status);
    http_answer_problem(call->request, status, type, detail, headers);
    return 0;
}

// The token that a request names; NULL if it names none.
static srv_token *token_of(const srv_call *call)
{
    const http_head *head = http_head_of(call->request);
    const http_text given = http_header_of(head, "Authorization");
    const bool bearer = given.size > 7 && strncasecmp(given.at, "Bearer ", 7) == 0 &&
                        http_header_count(head, "Authorization") == 1;
    return bearer ? srv_tokens_find(call->site->tokens, given.at + 7, given.size - 7) : NULL;
}

// The token of a request that it may use now, or it is answered.
static srv_token *check_token(srv_call *call)
{
    static const char ask[] = "WWW-Authenticate: Bearer realm=\"lgkt\"\r\n";
    srv_site *site = call->site;
    const double now = seconds_now();
    lgkt_error error;
    if (now - site->tokens_read > 0.5) {
        // where that fails, what was read last holds
        (void)srv_tokens_refresh(site->tokens, &error);
        site->tokens_read = now;
    }
    srv_token *token = token_of(call);
    double wait = 0;
    if (token == NULL) {
        refuse(call, 401, "token", "a known token is needed: Authorization: Bearer ..", ask);
    } else if (!srv_token_take(token, now, &wait)) {
        char again[48];
        snprintf(again, sizeof again, "Retry-After: %d\r\n", (int)wait + 1);
        refuse(call, 429, "rate", "more requests than the token may make in a second", again);
        token = NULL;
    }
    return token;
}

// The text of the Idempotency-Key, with or without quotes, in the middle of `text`; empty: none.
static http_text find_key(const http_head *head)
{
    http_text key = http_header_of(head, "Idempotency-Key");
    if (key.size >= 2 && key.at[0] == '"' && key.at[key.size - 1] == '"')
        key = (http_text){key.at + 1, key.size - 2};
    return key;
}

static bool check_key(srv_call *call, const http_head *head)
{
    const http_text key = find_key(head);
    const int count = http_header_count(head, "Idempotency-Key");
    if (count == 0)
        refuse(call, 400, "key-missing", "an Idempotency-Key is needed here", NULL);
    else if (count > 1 || key.size == 0 || key.size > KEY_LIMIT)
        refuse(call, 400, "key", "one Idempotency-Key of 1 to 255 letters is needed here", NULL);
    else
        return true;
    return false;
}

// "3" or 3 or *; false: it is something else.
static bool read_match(http_text value, int64_t *match)
{
    char text[24] = "";
    if (value.size >= 2 && value.at[0] == '"' && value.at[value.size - 1] == '"')
        value = (http_text){value.at + 1, value.size - 2};
    if (value.size > 0 && value.size < sizeof text)
        memcpy(text, value.at, value.size);
    *match = -1;
    return strcmp(text, "*") == 0 ||
           (text[0] != '\0' && strspn(text, "0123456789") == strlen(text) &&
            lgkt_integer_parse(text, match));
}

static bool check_match(srv_call *call, const http_head *head)
{
    const http_text value = http_header_of(head, "If-Match");
    int64_t match;
    if (value.at == NULL)
        refuse(call, 428, "match-missing",
               "If-Match is needed here: the ETag of the programme as you know it, or *", NULL);
    else if (!read_match(value, &match))
        refuse(call, 400, "match", "If-Match must be the ETag of the programme, or *", NULL);
    else
        return true;
    return false;
}

static bool check_type(srv_call *call, const http_head *head)
{
    http_text type = http_header_of(head, "Content-Type");
    const char *end = type.size > 0 ? memchr(type.at, ';', type.size) : NULL;
    if (end != NULL)
        type.size = (size_t)(end - type.at);
    while (type.size > 0 && type.at[type.size - 1] == ' ')
        type.size--;
    // the second is what curl -d says
    if (type.size == 0 || http_is_like(type, "application/json") ||
        http_is_like(type, "application/x-www-form-urlencoded"))
        return true;
    refuse(call, 415, "media-type", "the body must be application/json", NULL);
    return false;
}

// format=csv or format=jsonl, nothing else; csv if there is no query.
static bool read_format(http_text query, srv_format *format)
{
    *format = http_is(query, "format=jsonl") ? SRV_JSON_LINES : SRV_CSV;
    return query.size == 0 || *format == SRV_JSON_LINES || http_is(query, "format=csv");
}

static bool check_query(srv_call *call, const http_head *head)
{
    if (call->route->query == NULL ? head->query.size == 0
                                   : read_format(head->query, &call->format))
        return true;
    refuse(call, 400, "query",
           call->route->query == NULL ? "there are no parameters here"
                                      : "the only parameter is format, csv or jsonl",
           NULL);
    return false;
}

static bool needs_key(const srv_route *route)
{
    return route->verb < SRV_VERB_COUNT && srv_verb_needs_key(route->verb);
}

// Whether what a request is about is there and may be seen by its token.
static bool check_programme(srv_call *call)
{
    const char *only = call->token->programme, *name = call->parts.programme;
    if (name[0] == '\0')
        return true;
    // it learns nothing of others, not even whether they are there
    if (only[0] != '\0' && strcmp(only, name) != 0)
        refuse(call, 403, "programme", "the token is for another programme", NULL);
    else if (srv_site_find(call->site, name) == NULL)
        refuse(call, 404, "programme", "there is no programme of this name", NULL);
    else
        return true;
    return false;
}

size_t srv_route_begin(void *ctx, http_request *request)
{
    srv_call call = {.site = ctx, .request = request};
    const http_head *head = http_head_of(request);
    bool path_known;
    char allow[64] = "", allowed[128];
    call.route = srv_route_find(head->method, head->path, &call.parts, &path_known, allow);
    const bool open = call.route != NULL ? call.route->roles == 0
                                         : !(head->path.size >= 3 && memcmp(head->path.at, "/v1", 3) == 0) &&
                                               !http_is(head->path, "/metrics");
    if (!open && (call.token = check_token(&call)) == NULL)
        return 0;
    if (call.route == NULL && !path_known && !http_is(head->path, "*"))
        return refuse(&call, 404, "path", "there is nothing at this path", NULL);
    if (call.route == NULL) {
        const bool options = http_is(head->method, "OPTIONS");
        snprintf(allowed, sizeof allowed, "Allow: %s%s%sOPTIONS\r\n", allow,
                 strstr(allow, "GET") != NULL ? ", HEAD" : "", allow[0] != '\0' ? ", " : "");
        count_answer(call.site, options ? 204 : 405);
        if (options)
            http_answer_now(request, &(http_answer){.status = 204, .headers = allowed});
        else
            http_answer_problem(request, 405, "method", "this method is not allowed here", allowed);
        return 0;
    }
    if (!open && (call.route->roles & call.token->role) == 0)
        return refuse(&call, 403, "role", "the token's role is not allowed to do this", NULL);
    if ((!open && !check_programme(&call)) || !check_query(&call, head) ||
        (call.route->limit > 0 && !check_type(&call, head)) ||
        (needs_key(call.route) && !check_key(&call, head)) ||
        (call.route->verb == SRV_DO_CHANGE && !check_match(&call, head)))
        return 0;
    if (call.route->limit == 0 && head->length > 0)
        return refuse(&call, 400, "body", "there is no body to this request", NULL);
    return call.route->limit;
}

// ---- answers ----

static void answer_text(srv_call *call, int status, const char *type, const char *headers,
                        const char *text, size_t size)
{
    count_answer(call->site, status);
    http_answer_now(call->request, &(http_answer){.status = status,
                                                  .type = type,
                                                  .headers = headers,
                                                  .body = text,
                                                  .size = size});
}

// Releases the JSON value.
static void answer_json(srv_call *call, int status, const char *headers, json_t *body)
{
    char *text = body != NULL ? json_dumps(body, JSON_COMPACT) : NULL;
    json_decref(body);
    if (text == NULL)
        refuse(call, 503, "memory", "memory is out", "Retry-After: 1\r\n");
    else
        answer_text(call, status, status < 400 ? "application/json" : "application/problem+json",
                    headers, text, strlen(text));
    free(text);
}

static void refuse_error(srv_call *call, const lgkt_error *error)
{
    refuse(call, 503, "failed", error->text, "Retry-After: 1\r\n");
}

// What the actor answered, in the thread of the server.
static void give_answer(http_note *note)
{
    srv_call *call = (srv_call *)note;
    srv_answer *answer = &call->answer;
    char headers[160] = "";
    int at = 0;
    if (answer->version > 0)
        at = snprintf(headers, sizeof headers, "ETag: \"%lld\"\r\n", (long long)answer->version);
    if (answer->status == 503)
        at = snprintf(headers, sizeof headers, "Retry-After: 1\r\n");
    if (call->route->verb == SRV_DO_CREATE && answer->status == 201)
        snprintf(headers + at, sizeof headers - (size_t)at, "Location: /v1/programmes/%s\r\n",
                 call->parts.programme);
    if (call->starts && answer->status >= 400)
        srv_site_drop(call->site, call->parts.programme);
    answer_json(call, answer->status, headers, answer->body);
    free(call);
}

// On the actor's thread.
static void take_answer(void *ctx, srv_answer *answer)
{
    srv_call *call = ctx;
    call->answer = *answer;
    *answer = (srv_answer){.status = 0};
    call->note.run = give_answer;
    http_post(call->site->http, &call->note);
}

// ---- programmes ----

// A programme that is there answers by itself: a retry, or that it is there.
static void submit(srv_call *call, const srv_request *request)
{
    lgkt_error error = {0};
    srv_member *member = srv_site_find(call->site, call->parts.programme);
    if (member == NULL && call->route->verb == SRV_DO_CREATE) {
        call->starts = true;
        if (srv_site_start(call->site, call->parts.programme, request, &error) == LGKT_OK)
            return;
        json_decref(request->body);
        refuse_error(call, &error);
    } else if (member == NULL) {
        json_decref(request->body);
        refuse(call, 404, "programme", "there is no programme of this name", NULL);
    } else if (srv_actor_state_of(member->actor) == SRV_ACTOR_FAILED) {
        json_decref(request->body);
        srv_actor_failure(member->actor, &error);
        refuse_error(call, &error);
    } else if (srv_actor_submit(member->actor, request)) {
        return;
    } else {
        refuse(call, 503, "queue", "the programme has too much to do", "Retry-After: 1\r\n");
    }
    free(call);
}

// The name of a programme to make, or the request is answered.
static bool take_name(srv_call *call, const json_t *body)
{
    const char *name = json_string_value(json_object_get(body, "name"));
    const srv_token *token = token_of(call);
    if (token == NULL)
        refuse(call, 401, "token", "the token was revoked", NULL);
    else if (name == NULL || !srv_programme_name(name) || strcmp(name, "tokens") == 0)
        refuse(call, 422, "config",
               "name must be a text [a-z0-9][a-z0-9-]{0,62}, and not \"tokens\"", NULL);
    else if (token->programme[0] != '\0' && strcmp(token->programme, name) != 0)
        refuse(call, 403, "programme", "the token is for another programme", NULL);
    else {
        snprintf(call->parts.programme, sizeof call->parts.programme, "%s", name);
        return true;
    }
    return false;
}

static void ask_programme(srv_call *call)
{
    const http_head *head = http_head_of(call->request);
    const char *bytes = http_body_of(call->request);
    json_error_t where = {.line = 0};
    json_t *body = NULL;
    char why[300], key[KEY_LIMIT + 1] = "";
    if (call->route->limit > 0) {
        body = json_loadb(bytes, head->length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
        snprintf(why, sizeof why, "the body is no JSON: line %d: %s", where.line, where.text);
        if (body == NULL)
            refuse(call, 400, "json", why, NULL);
        if (body == NULL || (call->route->verb == SRV_DO_CREATE && !take_name(call, body))) {
            json_decref(body);
            free(call);
            return;
        }
    }
    const http_text text = find_key(head);
    if (needs_key(call->route))
        memcpy(key, text.at, text.size);
    srv_request request = {.verb = call->route->verb,
                           .body = body,
                           .key = key[0] != '\0' ? key : NULL,
                           .bytes = bytes,
                           .size = head->length,
                           .unit = call->parts.unit,
                           .number = call->parts.number,
                           .match = -1,
                           .done = take_answer,
                           .ctx = call};
    if (request.verb == SRV_DO_CHANGE)
        read_match(http_header_of(head, "If-Match"), &request.match);
    submit(call, &request);
}

void srv_route_complete(void *ctx, http_request *request)
{
    srv_call *call = calloc(1, sizeof *call);
    if (call == NULL) {
        http_answer_problem(request, 503, "memory", "memory is out", "Retry-After: 1\r\n");
        return;
    }
    const http_head *head = http_head_of(request);
    bool known;
    call->site = ctx;
    call->request = request;
    call->route = srv_route_find(head->method, head->path, &call->parts, &known, NULL);
    if (call->route->answer == NULL) {
        ask_programme(call);
    } else {
        call->token = token_of(call);
        call->route->answer(call);
    }
}

// ---- what the server answers itself ----

static void list_programmes(srv_call *call)
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
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:I, s:I, s:s*}", "name", member->name, "state",
                            states[state], "seq", (json_int_t)numbers.seq, "decisions",
                            (json_int_t)numbers.decisions, "detail",
                            state == SRV_ACTOR_FAILED ? failure.text : NULL));
    }
    answer_json(call, 200, NULL, json_pack("{s:o}", "programmes", list));
    free(call);
}

static void tell_health(srv_call *call)
{
    answer_json(call, 200, NULL, json_pack("{s:s}", "status", "ok"));
    free(call);
}

// Says nothing of what there is: it needs no token.
static void tell_ready(srv_call *call)
{
    const srv_actor_state state = srv_site_state(call->site);
    if (state == SRV_ACTOR_READY)
        answer_json(call, 200, NULL, json_pack("{s:s}", "status", "ready"));
    else if (state == SRV_ACTOR_FAILED)
        refuse(call, 503, "failed", "not everything could be started: see the log", NULL);
    else
        refuse(call, 503, "starting", "the server is starting", "Retry-After: 1\r\n");
    free(call);
}

static void tell_metrics(srv_call *call)
{
    size_t size;
    char *text = srv_metrics(call->site, call->token->programme, &size);
    if (text != NULL)
        answer_text(call, 200, "text/plain; version=0.0.4; charset=utf-8", NULL, text, size);
    else
        refuse(call, 503, "memory", "memory is out", NULL);
    free(text);
    free(call);
}

static void tell_openapi(srv_call *call)
{
    const char *text = call->site->openapi;
    answer_text(call, 200, "application/json", NULL, text, strlen(text));
    free(call);
}

static void show_page(srv_call *call)
{
    const srv_site *site = call->site;
    answer_text(call, 200, "text/html; charset=utf-8", site->page_headers, site->page,
                strlen(site->page));
    free(call);
}

lgkt_status srv_route_prepare(srv_site *site, lgkt_error *error)
{
    site->openapi = srv_openapi();
    return site->openapi == NULL ? lgkt_fail_memory(error, "the OpenAPI file")
                                 : srv_page(&site->page, &site->page_headers, error);
}

// ---- exports ----

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
        count_answer(call->site, 200);
        http_answer_now(
            call->request,
            &(http_answer){.status = 200,
                           .type = call->format == SRV_CSV ? "text/csv; charset=utf-8"
                                                           : "application/jsonl",
                           .file = copy,
                           .size = (size_t)made.st_size});
    } else {
        refuse(call, 503, "export", "the log could not be written out", "Retry-After: 1\r\n");
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
    snprintf(path, sizeof path, "%s/%s.db", call->site->folder, call->parts.programme);
    call->exported = call->file != NULL
                         ? srv_export(path, call->format, put_bytes, call, NULL)
                         : LGKT_ERR_IO;
    call->note.run = give_export;
    http_post(call->site->http, &call->note);
    return NULL;
}

static void export_log(srv_call *call)
{
    pthread_t thread;
    read_format(http_head_of(call->request)->query, &call->format);
    if (++call->site->exports <= EXPORTS &&
        pthread_create(&thread, NULL, write_export, call) == 0) {
        pthread_detach(thread);
        return;
    }
    call->site->exports--;
    refuse(call, 503, "queue", "other exports are being written", "Retry-After: 5\r\n");
    free(call);
}
