// SPDX-License-Identifier: MIT
// The OpenAPI 3.1 file of the HTTP interface, made from the table of routes. Schemas of bodies stand
// in schemas.json, which is part of the command.

#include <stdlib.h>
#include <string.h>

#include "serve/embedded.h"
#include "serve/route.h"

static const struct {
    int status;
    const char *means;
} meanings[] = {
    {200, "Done"},
    {201, "Made"},
    {400, "The request is not well-formed, or lacks a header"},
    {401, "The token is missing or not known"},
    {403, "The token may not do this"},
    {404, "Not there"},
    {409, "It does not go together with what was before: what differs, or the mode, forbids it"},
    {410, "Too old, or erased"},
    {412, "The programme was changed meanwhile"},
    {413, "The body is too large"},
    {415, "The body is not JSON by its type"},
    {422, "The body says something that cannot be, or the key was used with another body"},
    {428, "If-Match is missing"},
    {429, "Too many requests with this token"},
    {503, "Not now: the queue is full, the disk is, or the programme is starting"},
};

// Statuses that follow from what a route is.
static bool has_status(const srv_route *route, int status)
{
    const bool asks = route->roles != 0, one = strstr(route->path, "{p}") != NULL;
    const bool changes = route->verb<SRV_DO_EXPLAIN, sends = route->limit> 0;
    char word[8];
    switch (status) {
    case 400:
        return true;
    case 401:
    case 429:
    case 503:
        if (asks)
            return true;
        break;
    case 403:
        if (asks)
            return true;
        break;
    case 404:
        if (one)
            return true;
        break;
    case 413:
    case 415:
        return sends;
    case 422:
        return sends || changes || strstr(route->path, "{u}") != NULL;
    default:
        break;
    }
    snprintf(word, sizeof word, "%d", status);
    return strstr(route->statuses, word) != NULL;
}

static json_t *reference(const char *schema)
{
    return json_pack("{s:s+}", "$ref", "#/components/schemas/", schema);
}

static json_t *content(const char *type, json_t *schema)
{
    return json_pack("{s:{s:o}}", type, "schema", schema);
}

static json_t *content_of(const srv_route *route)
{
    if (route->gives != NULL)
        return content("application/json", reference(route->gives));
    json_t *text = json_pack("{s:s}", "type", "string");
    if (strcmp(route->name, "export") == 0) {
        json_t *both = content("text/csv", text);
        json_object_update_new(both, content("application/jsonl", json_incref(text)));
        return both;
    }
    if (strcmp(route->name, "openapi") == 0) {
        json_decref(text);
        return content("application/json", json_pack("{s:s}", "type", "object"));
    }
    return content(strcmp(route->name, "page") == 0 ? "text/html" : "text/plain", text);
}

static json_t *responses_of(const srv_route *route)
{
    json_t *responses = json_object();
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        const int status = meanings[i].status;
        char number[8];
        if (!has_status(route, status))
            continue;
        snprintf(number, sizeof number, "%d", status);
        json_object_set_new(
            responses, number,
            json_pack("{s:s, s:o}", "description", meanings[i].means, "content",
                      status < 400 ? content_of(route)
                                   : content("application/problem+json", reference("Problem"))));
    }
    return responses;
}

static void add_parameter(json_t *list, const char *name, const char *in, const char *schema)
{
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:b, s:o}", "name", name, "in", in, "required",
                                    strcmp(in, "query") != 0, "schema", reference(schema)));
}

static json_t *parameters_of(const srv_route *route)
{
    json_t *list = json_array();
    if (strstr(route->path, "{p}") != NULL)
        add_parameter(list, "p", "path", "Name");
    if (strstr(route->path, "{n}") != NULL)
        add_parameter(list, "n", "path", "Number");
    if (strstr(route->path, "{u}") != NULL)
        add_parameter(list, "u", "path", "UnitName");
    if (route->query != NULL)
        add_parameter(list, route->query, "query", "Format");
    if (route->verb < SRV_VERB_COUNT && srv_verb_needs_key(route->verb))
        add_parameter(list, "Idempotency-Key", "header", "Key");
    if (route->verb == SRV_DO_CHANGE)
        add_parameter(list, "If-Match", "header", "Match");
    return list;
}

static json_t *operation_of(const srv_route *route)
{
    json_t *operation =
        json_pack("{s:s, s:s, s:o, s:o}", "operationId", route->name, "summary", route->summary,
                  "parameters", parameters_of(route), "responses", responses_of(route));
    if (route->takes != NULL)
        json_object_set_new(operation, "requestBody",
                            json_pack("{s:b, s:o}", "required", 1, "content",
                                      content("application/json", reference(route->takes))));
    // open to all
    if (route->roles == 0)
        json_object_set_new(operation, "security", json_array());
    return operation;
}

char *srv_openapi(void)
{
    json_t *paths = json_object();
    for (int i = 0; i < srv_route_count; i++) {
        const srv_route *route = &srv_routes[i];
        json_t *path = json_object_get(paths, route->path);
        if (path == NULL) {
            path = json_object();
            json_object_set_new(paths, route->path, path);
        }
        const char *method = strcmp(route->method, "GET") == 0     ? "get"
                             : strcmp(route->method, "POST") == 0  ? "post"
                             : strcmp(route->method, "PATCH") == 0 ? "patch"
                                                                   : "delete";
        json_object_set_new(path, method, operation_of(route));
    }
    json_t *whole = json_pack(
        "{s:s, s:{s:s, s:s, s:s}, s:o, s:{s:o, s:{s:{s:s, s:s}}}, s:[{s:[]}]}", "openapi", "3.1.0",
        "info", "title", "lgkt serve", "version", lgkt_version(), "description",
        "Decisions that are kept before they are answered, and can be proved.", "paths", paths,
        "components", "schemas", json_loadb((const char *)srv_schemas, srv_schemas_size, 0, NULL),
        "securitySchemes", "token", "type", "http", "scheme", "bearer", "security", "token");
    char *text = whole != NULL ? json_dumps(whole, JSON_INDENT(1)) : NULL;
    json_decref(whole);
    return text;
}
