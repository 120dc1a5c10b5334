// SPDX-License-Identifier: MIT
// Any bytes as what a client sends: the head is read, led to a route, and what comes piece by piece
// is the same as what comes at once.

#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "serve/route.h"

static bool is_within(http_text text, const char *bytes, size_t size)
{
    return text.at == NULL || (text.at >= bytes && text.at + text.size <= bytes + size);
}

// What begins like `whole` must not be taken for something else.
static void check_beginnings(const http_head *whole, http_reading reading, const char *bytes,
                             size_t size)
{
    const size_t end = reading == HTTP_WHOLE ? whole->size : size;
    http_head part;
    for (size_t i = 1; i < end; i += 1 + end / 64) {
        const http_reading early = http_head_read(&part, bytes, end - i);
        FUZZ_CHECK(early == HTTP_MORE || (reading == HTTP_REFUSED && early == HTTP_REFUSED));
    }
    if (reading != HTTP_WHOLE)
        return;
    FUZZ_CHECK(http_head_read(&part, bytes, end) == HTTP_WHOLE && part.size == end);
    FUZZ_CHECK(part.length == whole->length && part.keeps == whole->keeps);
}

static void check_route(const http_head *head)
{
    srv_parts parts = {.number = -1};
    bool known;
    char allow[64] = "";
    const srv_route *route = srv_route_find(head->method, head->path, &parts, &known, allow);
    FUZZ_CHECK(route == NULL || known);
    FUZZ_CHECK(!known || route != NULL || allow[0] != '\0');
    FUZZ_CHECK(memchr(parts.programme, '\0', sizeof parts.programme) != NULL);
    FUZZ_CHECK(memchr(parts.unit, '\0', sizeof parts.unit) != NULL);
    if (route != NULL && strstr(route->path, "{n}") != NULL)
        FUZZ_CHECK(parts.number >= 0);
}

void fuzz_http(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    http_head head;
    const http_reading reading = http_head_read(&head, bytes, size);
    check_beginnings(&head, reading, bytes, size);
    if (reading == HTTP_REFUSED)
        FUZZ_CHECK(head.status >= 400 && head.status <= 505 && head.why[0] != '\0');
    if (reading != HTTP_WHOLE)
        return;
    FUZZ_CHECK(head.size <= size && head.count <= HTTP_HEADERS);
    FUZZ_CHECK(is_within(head.method, bytes, size) && is_within(head.path, bytes, size));
    FUZZ_CHECK(is_within(head.query, bytes, size) && is_within(head.host, bytes, size));
    for (int i = 0; i < head.count; i++)
        FUZZ_CHECK(is_within(head.headers[i].value, bytes, size));
    FUZZ_CHECK(http_header_count(&head, "Content-Length") <= 1);
    FUZZ_CHECK(http_header_count(&head, "Transfer-Encoding") == 0);
    check_route(&head);
}
