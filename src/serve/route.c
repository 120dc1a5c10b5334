// SPDX-License-Identifier: MIT
// Requests led to programmes (route.h). What is asked by whom is looked at when the head is there,
// before any byte of a body is taken: path, token, rate, method, role, programme, headers, in this
// order, so that nobody without a token learns what there is. Then the body goes to the programme's
// actor, and its answer comes back as a note to the server's thread.

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "core/number.h"
#include "serve/programme.h"
#include "serve/route_private.h"

enum { KEY_LIMIT = 255 };

// ---- the head ----

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void srv_count_answer(srv_site *site, int status)
{
    site->answers[status / 100 % 6]++;
}

size_t srv_refuse(srv_call *call, int status, const char *type, const char *detail,
                  const char *headers)
{
    srv_count_answer(call->site, status);
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
        srv_refuse(call, 401, "token", "a known token is needed: Authorization: Bearer ..", ask);
    } else if (!srv_token_take(token, now, &wait)) {
        char again[48];
        snprintf(again, sizeof again, "Retry-After: %d\r\n", (int)wait + 1);
        srv_refuse(call, 429, "rate", "more requests than the token may make in a second", again);
        token = NULL;
    }
    return token;
}

// The text of the Idempotency-Key, which may stand in quotes; empty: there is none, or no such text.
static http_text find_key(const http_head *head)
{
    http_text key = http_header_of(head, "Idempotency-Key");
    if (key.size >= 2 && key.at[0] == '"' && key.at[key.size - 1] == '"')
        key = (http_text){key.at + 1, key.size - 2};
    for (size_t i = 0; i < key.size; i++)
        if (key.at[i] < ' ' || key.at[i] > '~' || key.at[i] == '"' || key.at[i] == '\\')
            return (http_text){0};
    return key;
}

static bool check_key(srv_call *call, const http_head *head)
{
    const http_text key = find_key(head);
    const int count = http_header_count(head, "Idempotency-Key");
    if (count == 0)
        srv_refuse(call, 400, "key-missing", "an Idempotency-Key is needed here", NULL);
    else if (count > 1 || key.size == 0 || key.size > KEY_LIMIT)
        srv_refuse(call, 400, "key",
                   "one Idempotency-Key of 1 to 255 printable ASCII letters is needed here", NULL);
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
        srv_refuse(call, 428, "match-missing",
                   "If-Match is needed here: the ETag of the programme as you know it, or *", NULL);
    else if (!read_match(value, &match))
        srv_refuse(call, 400, "match", "If-Match must be the ETag of the programme, or *", NULL);
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
    srv_refuse(call, 415, "media-type", "the body must be application/json", NULL);
    return false;
}

static bool check_query(srv_call *call, const http_head *head)
{
    if (call->route->query == NULL ? head->query.size == 0
                                   : srv_read_format(head->query, &call->format))
        return true;
    srv_refuse(call, 400, "query",
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
        srv_refuse(call, 403, "programme", "the token is for another programme", NULL);
    else if (srv_site_find(call->site, name) == NULL)
        srv_refuse(call, 404, "programme", "there is no programme of this name", NULL);
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
    const bool open = call.route != NULL
                          ? call.route->roles == 0
                          : !(head->path.size >= 3 && memcmp(head->path.at, "/v1", 3) == 0) &&
                                !http_is(head->path, "/metrics");
    if (!open && (call.token = check_token(&call)) == NULL)
        return 0;
    if (call.route == NULL && !path_known && !http_is(head->path, "*"))
        return srv_refuse(&call, 404, "path", "there is nothing at this path", NULL);
    if (call.route == NULL) {
        const bool options = http_is(head->method, "OPTIONS");
        snprintf(allowed, sizeof allowed, "Allow: %s%s%sOPTIONS\r\n", allow,
                 strstr(allow, "GET") != NULL ? ", HEAD" : "", allow[0] != '\0' ? ", " : "");
        srv_count_answer(call.site, options ? 204 : 405);
        if (options)
            http_answer_now(request, &(http_answer){.status = 204, .headers = allowed});
        else
            http_answer_problem(request, 405, "method", "this method is not allowed here", allowed);
        return 0;
    }
    if (!open && (call.route->roles & call.token->role) == 0)
        return srv_refuse(&call, 403, "role", "the token's role is not allowed to do this", NULL);
    if ((!open && !check_programme(&call)) || !check_query(&call, head) ||
        (call.route->limit > 0 && !check_type(&call, head)) ||
        (needs_key(call.route) && !check_key(&call, head)) ||
        (call.route->verb == SRV_DO_CHANGE && !check_match(&call, head)))
        return 0;
    if (call.route->limit == 0 && head->length > 0)
        return srv_refuse(&call, 400, "body", "there is no body to this request", NULL);
    return call.route->limit;
}

// ---- answers ----

void srv_answer_text(srv_call *call, int status, const char *type, const char *headers,
                     const char *text, size_t size)
{
    srv_count_answer(call->site, status);
    http_answer_now(
        call->request,
        &(http_answer){
            .status = status, .type = type, .headers = headers, .body = text, .size = size});
}

// Releases the JSON value.
void srv_answer_json(srv_call *call, int status, const char *headers, json_t *body)
{
    // most answers fit; a text of its own takes memory in many steps
    char room[4096], *text = NULL;
    const char *type = status < 400 ? "application/json" : "application/problem+json";
    // sorted, since a retry is answered from the records, which know no other order
    size_t size = json_dumpb(body, room, sizeof room, JSON_COMPACT | JSON_SORT_KEYS);
    if (size > sizeof room)
        text = srv_json_text(body, &size);
    json_decref(body);
    if (size == 0 || (size > sizeof room && text == NULL))
        srv_refuse(call, 503, "memory", "memory is out", "Retry-After: 1\r\n");
    else
        srv_answer_text(call, status, type, headers, text != NULL ? text : room, size);
    free(text);
}

static void refuse_error(srv_call *call, const lgkt_error *error)
{
    srv_refuse(call, 503, "failed", error->text, "Retry-After: 1\r\n");
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
    if (answer->body == NULL && answer->text.size > 0)
        srv_answer_text(call, answer->status, "application/json", headers,
                        (const char *)answer->text.at, answer->text.size);
    else
        srv_answer_json(call, answer->status, headers, answer->body);
    srv_bytes_release(&answer->text);
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
        srv_refuse(call, 404, "programme", "there is no programme of this name", NULL);
    } else if (srv_actor_state_of(member->actor) == SRV_ACTOR_FAILED) {
        json_decref(request->body);
        srv_actor_failure(member->actor, &error);
        refuse_error(call, &error);
    } else if (srv_actor_submit(member->actor, request)) {
        return;
    } else {
        srv_refuse(call, 503, "queue", "the programme has too much to do", "Retry-After: 1\r\n");
    }
    free(call);
}

// The name of a programme to make, or the request is answered.
static bool take_name(srv_call *call, const json_t *body)
{
    const char *name = json_string_value(json_object_get(body, "name"));
    const srv_token *token = token_of(call);
    if (token == NULL)
        srv_refuse(call, 401, "token", "the token was revoked", NULL);
    else if (name == NULL || !srv_programme_name(name) || strcmp(name, "tokens") == 0)
        srv_refuse(call, 422, "config",
                   "name must be a text [a-z0-9][a-z0-9-]{0,62}, and not \"tokens\"", NULL);
    else if (token->programme[0] != '\0' && strcmp(token->programme, name) != 0)
        srv_refuse(call, 403, "programme", "the token is for another programme", NULL);
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
    json_t *body = NULL;
    char why[SRV_WHY], key[KEY_LIMIT + 1] = "";
    // the actor reads most bodies
    if (call->route->limit > 0 && !srv_verb_asks(call->route->verb)) {
        body = srv_tree_read(bytes, head->length, why);
        if (body == NULL)
            srv_refuse(call, 400, "json", why, NULL);
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
