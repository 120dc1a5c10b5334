// SPDX-License-Identifier: MIT
// The head of a request (http_head.h), after RFC 9112.

#include <string.h>
#include <strings.h>

#include "serve/http_head.h"

// ---- texts ----

bool http_is(http_text text, const char *word)
{
    return strlen(word) == text.size && memcmp(text.at, word, text.size) == 0;
}

bool http_is_like(http_text text, const char *word)
{
    return strlen(word) == text.size && strncasecmp(text.at, word, text.size) == 0;
}

// RFC 9110, 5.6.2
static bool is_token(char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-')
        return true;
    return c != '\0' && strchr("!#$%&'*+.^_`|~", c) != NULL;
}

static inline bool is_all(http_text text, bool (*good)(char c))
{
    for (size_t i = 0; i < text.size; i++)
        if (!good(text.at[i]))
            return false;
    return true;
}

static bool is_visible(char c)
{
    return c > ' ' && c < 127 && c != '#';
}

// a blank, a tab, or any byte that is not of control
static bool is_value(char c)
{
    return c == '\t' || ((unsigned char)c >= ' ' && c != 127);
}

static http_text trimmed(http_text text)
{
    while (text.size > 0 && (text.at[0] == ' ' || text.at[0] == '\t'))
        text.at++, text.size--;
    while (text.size > 0 && (text.at[text.size - 1] == ' ' || text.at[text.size - 1] == '\t'))
        text.size--;
    return text;
}

// Takes what stands before `mark` off the front of a text, and the mark; false if there is none.
static bool take_until(http_text *text, char mark, http_text *before)
{
    const char *at = text->size > 0 ? memchr(text->at, mark, text->size) : NULL;
    if (at == NULL)
        return false;
    *before = (http_text){text->at, (size_t)(at - text->at)};
    text->size -= before->size + 1;
    text->at = at + 1;
    return true;
}

http_text http_header_of(const http_head *head, const char *name)
{
    for (int i = 0; i < head->count; i++)
        if (http_is_like(head->headers[i].name, name))
            return head->headers[i].value;
    return (http_text){0};
}

int http_header_count(const http_head *head, const char *name)
{
    int count = 0;
    for (int i = 0; i < head->count; i++)
        count += http_is_like(head->headers[i].name, name);
    return count;
}

// ---- reading ----

static http_reading refuse(http_head *head, int status, const char *why)
{
    head->status = status;
    head->why = why;
    return HTTP_REFUSED;
}

// GET /v1/programmes?limit=3 HTTP/1.1
static http_reading read_request_line(http_head *head, http_text line)
{
    http_text target;
    if (!take_until(&line, ' ', &head->method) || !take_until(&line, ' ', &target))
        return refuse(head, 400, "the first line must be a method, a path and HTTP/1.1");
    if (head->method.size == 0 || head->method.size > HTTP_METHOD_LIMIT ||
        !is_all(head->method, is_token))
        return refuse(head, 400, "the method is no name");
    head->old = http_is(line, "HTTP/1.0");
    if (!head->old && !http_is(line, "HTTP/1.1"))
        return refuse(head, line.size == 8 && memcmp(line.at, "HTTP/", 5) == 0 ? 505 : 400,
                      "only HTTP/1.1 and HTTP/1.0 are spoken here");
    head->keeps = !head->old;
    if (!is_all(target, is_visible))
        return refuse(head, 400, "the path has a character that must be encoded");
    // a proxy may be told the whole address
    if (target.size > 7 && strncasecmp(target.at, "http://", 7) == 0) {
        http_text rest = {target.at + 7, target.size - 7};
        const char *slash = memchr(rest.at, '/', rest.size);
        if (slash == NULL)
            return refuse(head, 400, "the address has no path");
        head->host = (http_text){rest.at, (size_t)(slash - rest.at)};
        target = (http_text){slash, rest.size - head->host.size};
    }
    if (!http_is(target, "*") && (target.size == 0 || target.at[0] != '/'))
        return refuse(head, 400, "the path must begin with /");
    head->path = target;
    if (take_until(&target, '?', &head->path))
        head->query = target;
    return HTTP_WHOLE;
}

static http_reading read_length(http_head *head, http_text value)
{
    if (http_header_count(head, "Content-Length") > 1)
        return refuse(head, 400, "Content-Length is given twice");
    // 15 digits are a petabyte; more could overflow
    if (value.size == 0 || value.size > 15)
        return refuse(head, value.size == 0 ? 400 : 413,
                      "Content-Length must be a number of bytes");
    for (size_t i = 0; i < value.size; i++) {
        if (value.at[i] < '0' || value.at[i] > '9')
            return refuse(head, 400, "Content-Length must be a number of bytes");
        head->length = 10 * head->length + (size_t)(value.at[i] - '0');
    }
    return HTTP_WHOLE;
}

static void read_connection(http_head *head, http_text value)
{
    while (value.size > 0) {
        http_text word = value;
        if (!take_until(&value, ',', &word))
            value = (http_text){0};
        word = trimmed(word);
        if (http_is_like(word, "close"))
            head->keeps = false;
        else if (http_is_like(word, "keep-alive"))
            head->keeps = true;
    }
}

static http_reading read_header(http_head *head, http_text line)
{
    if (head->count == HTTP_HEADERS)
        return refuse(head, 431, "more than 64 headers");
    http_header *header = &head->headers[head->count++];
    if (!take_until(&line, ':', &header->name) || header->name.size == 0 ||
        !is_all(header->name, is_token))
        return refuse(head, 400, "a header must be a name, a colon and a value on one line");
    header->value = trimmed(line);
    if (!is_all(header->value, is_value))
        return refuse(head, 400, "a header has a control character");
    if (http_is_like(header->name, "Content-Length"))
        return read_length(head, header->value);
    if (http_is_like(header->name, "Transfer-Encoding"))
        return refuse(head, 411, "a body in chunks is not taken: give its Content-Length");
    if (http_is_like(header->name, "Connection"))
        read_connection(head, header->value);
    if (http_is_like(header->name, "Expect")) {
        head->expects = http_is_like(header->value, "100-continue");
        if (!head->expects)
            return refuse(head, 417, "the only expectation that is met is 100-continue");
    }
    return HTTP_WHOLE;
}

static http_reading read_host(http_head *head)
{
    const int hosts = http_header_count(head, "Host");
    if (hosts > 1)
        return refuse(head, 400, "Host is given twice");
    if (hosts == 0 && !head->old && head->host.at == NULL)
        return refuse(head, 400, "Host is missing");
    if (head->host.at == NULL)
        head->host = http_header_of(head, "Host");
    return HTTP_WHOLE;
}

http_reading http_head_read(http_head *head, const char *bytes, size_t size)
{
    const http_head empty = {0};
    *head = empty;
    // an empty line before a request is nothing (RFC 9112, 2.2)
    const size_t skipped = size >= 2 && memcmp(bytes, "\r\n", 2) == 0 ? 2 : 0;
    http_text rest = {bytes + skipped, size - skipped};
    const size_t limit = rest.size < HTTP_HEAD_LIMIT ? rest.size : HTTP_HEAD_LIMIT;
    rest.size = limit;
    http_reading reading = HTTP_WHOLE;
    for (int number = 0;; number++) {
        http_text line;
        if (!take_until(&rest, '\n', &line)) {
            if (limit == HTTP_HEAD_LIMIT)
                return refuse(head, 431, "the head of the request is above 32 KiB");
            return HTTP_MORE;
        }
        if (line.size == 0 || line.at[line.size - 1] != '\r')
            return refuse(head, 400, "a line of the head does not end with CR LF");
        line.size--;
        if (line.size == 0 && number > 0)
            break;
        reading = number == 0 ? read_request_line(head, line) : read_header(head, line);
        if (reading != HTTP_WHOLE)
            return reading;
    }
    head->size = (size_t)(rest.at - bytes);
    return read_host(head);
}
