// SPDX-License-Identifier: MIT
// The head of an HTTP/1.1 request: read strictly, from bytes alone. What two programs could read in
// different ways is refused: a line that does not end with CR LF, a blank before a colon, a folded
// line, a second Content-Length or Host, Transfer-Encoding of any kind.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
    HTTP_HEAD_LIMIT = 32 * 1024, // bytes of a head
    HTTP_HEADERS = 64,           // lines of it
    HTTP_METHOD_LIMIT = 32       // letters of a method
};

// Bytes within the request, not zero-terminated; {0} is none.
typedef struct http_text {
    const char *at;
    size_t size;
} http_text;

typedef struct http_header {
    http_text name, value; // without blanks around the value
} http_header;

typedef struct http_head {
    http_text method;
    http_text path;  // from '/' on and still encoded; or "*"
    http_text query; // behind the '?'
    http_text host;
    http_header headers[HTTP_HEADERS];
    int count;
    size_t size;   // bytes of the head with its empty line
    size_t length; // bytes of the body that follows
    bool old;      // HTTP/1.0, where a connection is kept only if both sides say so
    bool keeps;    // the connection, after the answer
    bool expects;  // "100 Continue" before it sends the body
    // of a head that is refused: the status to answer with, and one line on what is wrong
    int status;
    const char *why;
} http_head;

typedef enum http_reading {
    HTTP_MORE,   // the head is not complete yet
    HTTP_WHOLE,  // it is
    HTTP_REFUSED // it never will be; `status` and `why` say the rest
} http_reading;

// Reads the head that `bytes` begin with. What it points to is in `bytes`.
http_reading http_head_read(http_head *head, const char *bytes, size_t size);

// The value of a header, its name in any letters; {0} where there is none, and of several the first.
http_text http_header_of(const http_head *head, const char *name);
// How many headers have this name.
int http_header_count(const http_head *head, const char *name);

// Whether a text is this word; the second in any letters.
bool http_is(http_text text, const char *word);
bool http_is_like(http_text text, const char *word);
