// SPDX-License-Identifier: MIT
// The server of http.h. libevent says which sockets are ready and keeps the timer and the signals;
// bytes are read and written here, so that a request costs one read and one write.
//
// A connection goes through these stages; http_advance is the only place that moves it on:
//
//   HEAD -> BODY -> BUSY -> [SENDING ->] ANSWERED -> HEAD ..   or, where the answer was the last,
//                                        ANSWERED -> LINGERING -> GONE
//
// LINGERING: what still comes is thrown away for a moment, since a socket that is closed with unread
// bytes resets the connection, and the client may never see the answer. While a connection is BUSY
// or SENDING nothing is read, so a client that sends without end fills its own socket.

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/text.h"
#include "serve/http_private.h"

enum {
    FIRST_BYTES = 2048,        // of a buffer
    KEPT_BYTES = 64 * 1024,    // a buffer above this is given back after its request
    SKIPPED_BYTES = 64 * 1024, // the largest body that is read only to be thrown away
    HEAD_BYTES = 2048,         // of an answer
    FILE_BYTES = 256 * 1024    // of a file that are sent at a time
};

// ---- answers ----

static const char *reason_of(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {{200, "OK"},
                   {201, "Created"},
                   {202, "Accepted"},
                   {204, "No Content"},
                   {304, "Not Modified"},
                   {400, "Bad Request"},
                   {401, "Unauthorized"},
                   {403, "Forbidden"},
                   {404, "Not Found"},
                   {405, "Method Not Allowed"},
                   {406, "Not Acceptable"},
                   {408, "Request Timeout"},
                   {409, "Conflict"},
                   {410, "Gone"},
                   {411, "Length Required"},
                   {412, "Precondition Failed"},
                   {413, "Content Too Large"},
                   {415, "Unsupported Media Type"},
                   {417, "Expectation Failed"},
                   {421, "Misdirected Request"},
                   {422, "Unprocessable Content"},
                   {428, "Precondition Required"},
                   {429, "Too Many Requests"},
                   {431, "Request Header Fields Too Large"},
                   {500, "Internal Server Error"},
                   {501, "Not Implemented"},
                   {503, "Service Unavailable"},
                   {505, "HTTP Version Not Supported"}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Unknown";
}

// Keeps what could not be sent, from `offset` of head and body on.
static bool keep_rest(http_request *r, const struct iovec parts[2], size_t offset)
{
    const size_t whole = parts[0].iov_len + parts[1].iov_len;
    r->out = malloc(whole - offset + 1);
    if (r->out == NULL)
        return false;
    r->out_size = 0;
    r->sent = 0;
    for (int i = 0; i < 2; i++) {
        const size_t skip = offset < parts[i].iov_len ? offset : parts[i].iov_len;
        offset -= skip;
        if (parts[i].iov_len > skip)
            memcpy(r->out + r->out_size, (const char *)parts[i].iov_base + skip,
                   parts[i].iov_len - skip);
        r->out_size += parts[i].iov_len - skip;
    }
    return true;
}

// Sends the answer, as much of it as the socket takes. False: the client is gone.
static bool send_answer(http_request *r, const struct iovec parts[2])
{
    const size_t whole = parts[0].iov_len + parts[1].iov_len;
    const struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)parts, .msg_iovlen = 2};
    const ssize_t sent = sendmsg(r->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    r->stage = SENDING;
    if (sent >= 0 && (size_t)sent == whole && r->file == 0)
        r->stage = ANSWERED;
    else if (sent >= 0 || errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
        return keep_rest(r, parts, sent > 0 ? (size_t)sent : 0);
    return r->stage == ANSWERED;
}

// The head of an answer, which is written for each of them: without printf.
typedef struct answer_head {
    char bytes[HEAD_BYTES];
    size_t size;
    bool is_full;
} answer_head;

static void add(answer_head *head, const char *text)
{
    const size_t size = text != NULL ? strlen(text) : 0;
    head->is_full |= size > sizeof head->bytes - head->size;
    if (head->is_full || size == 0)
        return;
    memcpy(head->bytes + head->size, text, size);
    head->size += size;
}

static void add_number(answer_head *head, size_t number)
{
    char digits[24], *at = digits + sizeof digits;
    *--at = '\0';
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    add(head, at);
}

static void write_head(answer_head *head, const http_request *r, const http_answer *answer)
{
    add(head, "HTTP/1.1 ");
    add_number(head, (size_t)answer->status);
    add(head, " ");
    add(head, reason_of(answer->status));
    add(head, "\r\nDate: ");
    add(head, r->server->date);
    if (answer->status != 204) {
        add(head, "\r\nContent-Length: ");
        add_number(head, answer->size);
    }
    if (answer->type != NULL) {
        add(head, "\r\nContent-Type: ");
        add(head, answer->type);
    }
    add(head, "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n");
    add(head, answer->headers);
    add(head, r->closes     ? "Connection: close\r\n\r\n"
              : r->head.old ? "Connection: keep-alive\r\n\r\n"
                            : "\r\n");
}

void http_answer_now(http_request *r, const http_answer *answer)
{
    http_server *s = r->server;
    s->busy -= r->stage == BUSY;
    // a body that is still to come is skipped if it is short
    const size_t ahead = r->stage == BODY ? r->head.length : 0;
    r->closes = r->closes || answer->closes || s->stops || !r->head.keeps ||
                ahead > SKIPPED_BYTES || (ahead > 0 && r->head.expects);
    r->skips = ahead;
    const bool bodiless =
        answer->status == 204 || (r->stage != HEAD && http_is(r->head.method, "HEAD"));
    r->file = answer->file;
    r->file_left = bodiless ? 0 : answer->size;
    answer_head head;
    head.size = 0;
    head.is_full = false;
    write_head(&head, r, answer);
    const struct iovec parts[2] = {
        {head.bytes, head.size},
        {(void *)(uintptr_t)answer->body, bodiless || r->file > 0 ? 0 : answer->size},
    };
    // headers of ours never come near the room
    if (head.is_full || !send_answer(r, parts))
        r->stage = GONE;
    r->since = s->now;
    if (!r->advancing)
        http_advance(r);
}

void http_answer_problem(http_request *r, int status, const char *type, const char *detail,
                         const char *headers)
{
    // one line of UTF-8, in which quotes and backslashes are to be marked
    char line[400], body[1024];
    lgkt_text_clean(line, sizeof line, detail);
    int at = snprintf(body, sizeof body, "{\"type\":\"/problems/%s\",\"status\":%d,\"detail\":\"",
                      type, status);
    for (const char *letter = line; *letter != '\0'; letter++) {
        if (*letter == '"' || *letter == '\\')
            body[at++] = '\\';
        body[at++] = *letter;
    }
    memcpy(body + at, "\"}\n", 3);
    http_answer_now(r, &(http_answer){.status = status,
                                      .type = "application/problem+json",
                                      .headers = headers,
                                      .body = body,
                                      .size = (size_t)at + 3});
}

// ---- requests ----

bool http_make_room(http_request *r, size_t wanted)
{
    size_t room = r->room > 0 ? r->room : FIRST_BYTES;
    while (room <= wanted)
        room *= 2;
    if (room == r->room)
        return true;
    char *larger = realloc(r->in, room);
    if (larger == NULL)
        return false;
    r->in = larger;
    r->room = room;
    return true;
}

static void refuse_request(http_request *r, int status, const char *type, const char *why)
{
    r->server->counts.malformed++;
    r->closes = true;
    http_answer_problem(r, status, type, why, NULL);
}

// Whether a request that names this host is for us. A page from elsewhere can make a name of its own
// lead here, but the browser then says that name; it cannot be a number or localhost.
static bool is_our_host(const http_server *s, http_text host)
{
    http_text name = host;
    const char *colon = host.size > 0 && host.at[0] != '[' ? memchr(host.at, ':', host.size) : NULL;
    if (colon != NULL)
        name.size = (size_t)(colon - host.at);
    if (host.size == 0 || host.at[0] == '[' || http_is_like(name, "localhost"))
        return true;
    char number[INET_ADDRSTRLEN] = "";
    struct in_addr parsed;
    if (name.size < sizeof number)
        memcpy(number, name.at, name.size);
    if (inet_pton(AF_INET, number, &parsed) == 1)
        return true;
    for (int32_t i = 0; i < s->config.host_count; i++)
        if (http_is_like(name, s->config.hosts[i]))
            return true;
    return false;
}

// A head has come whole; the body is still to come.
static void begin_request(http_request *r)
{
    http_server *s = r->server;
    r->stage = BODY;
    s->counts.requests++;
    if (!is_our_host(s, r->head.host)) {
        refuse_request(r, 421, "host", "this server is not known by that name: see --host");
        return;
    }
    const char *const before = r->in;
    const size_t taken = s->config.begin(s->config.ctx, r);
    if (r->stage != BODY)
        return;
    if (r->head.length > taken) {
        char why[96];
        snprintf(why, sizeof why, "a body of %zu bytes is above the limit here, %zu",
                 r->head.length, taken);
        refuse_request(r, 413, "too-large", why);
    } else if (!http_make_room(r, r->head.size + r->head.length)) {
        refuse_request(r, 503, "memory", "memory is out");
    } else {
        // it points into the buffer
        if (r->in != before)
            http_head_read(&r->head, r->in, r->got);
        if (r->head.expects && r->got < r->head.size + r->head.length &&
            send(r->socket, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL | MSG_DONTWAIT) != 25)
            r->stage = GONE;
    }
}

static void drop_front(http_request *r, size_t bytes)
{
    r->got -= bytes;
    memmove(r->in, r->in + bytes, r->got);
}

// The answer is out: makes ready for what comes next.
static void end_request(http_request *r)
{
    free(r->out);
    r->out = NULL;
    r->out_size = r->sent = 0;
    if (r->file > 0)
        close(r->file);
    r->file = 0;
    r->stage = r->closes ? LINGERING : HEAD;
    if (r->closes) {
        shutdown(r->socket, SHUT_WR);
        return;
    }
    // what came behind the request stays
    if (r->marked)
        r->in[r->head.size + r->head.length] = r->kept;
    drop_front(r, r->head.size + (r->marked ? r->head.length : 0));
    r->marked = false;
    r->user = NULL;
    if (r->room > KEPT_BYTES && r->got < FIRST_BYTES) {
        char *smaller = realloc(r->in, FIRST_BYTES);
        r->in = smaller != NULL ? smaller : r->in;
        r->room = smaller != NULL ? FIRST_BYTES : r->room;
    }
}

static void read_head(http_request *r)
{
    const http_reading reading = http_head_read(&r->head, r->in, r->got);
    if (reading == HTTP_WHOLE)
        begin_request(r);
    else if (reading == HTTP_REFUSED)
        refuse_request(r, r->head.status, "http", r->head.why);
}

static void complete_request(http_request *r)
{
    const size_t end = r->head.size + r->head.length;
    r->kept = r->in[end];
    r->in[end] = '\0';
    r->marked = true;
    r->stage = BUSY;
    r->server->busy++;
    r->server->config.complete(r->server->config.ctx, r);
}

// ---- connections ----

void http_forget(http_request *r)
{
    http_server *s = r->server;
    *(r->previous != NULL ? &r->previous->next : &s->first) = r->next;
    if (r->next != NULL)
        r->next->previous = r->previous;
    s->counts.open--;
    if (r->readable != NULL)
        event_free(r->readable);
    if (r->writable != NULL)
        event_free(r->writable);
    close(r->socket);
    if (r->file > 0)
        close(r->file);
    free(r->in);
    free(r->out);
    free(r);
}

void http_advance(http_request *r)
{
    r->advancing = true;
    http_stage before;
    size_t had;
    do {
        before = r->stage;
        had = r->got;
        if (r->stage == HEAD && r->skips > 0) {
            const size_t skipped = r->got < r->skips ? r->got : r->skips;
            drop_front(r, skipped);
            r->skips -= skipped;
        } else if (r->stage == HEAD && r->got > 0) {
            read_head(r);
        } else if (r->stage == BODY && r->got >= r->head.size + r->head.length) {
            complete_request(r);
        } else if (r->stage == ANSWERED) {
            end_request(r);
        }
    } while (r->stage != before || r->got != had);
    r->advancing = false;
    const bool reads = r->stage == HEAD || r->stage == BODY || r->stage == LINGERING;
    if (r->stage == GONE) {
        http_forget(r);
        return;
    }
    if (reads && !r->reads)
        r->reads = event_add(r->readable, NULL) == 0;
    if ((r->stage == SENDING) != r->writes) {
        r->writes = !r->writes;
        r->writes ? event_add(r->writable, NULL) : event_del(r->writable);
    }
}

void http_write_on(evutil_socket_t socket, short what, void *ctx)
{
    (void)what;
    http_request *r = ctx;
    const bool from_file = r->sent == r->out_size;
    const size_t most = r->file_left < FILE_BYTES ? r->file_left : FILE_BYTES;
    const ssize_t sent = !from_file
                             ? send(socket, r->out + r->sent, r->out_size - r->sent, MSG_NOSIGNAL)
                         : most > 0 ? sendfile(socket, r->file, NULL, most)
                                    : 0;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return;
    if (sent > 0 && from_file)
        r->file_left -= (size_t)sent;
    else if (sent > 0)
        r->sent += (size_t)sent;
    r->since = r->server->now; // it goes on
    // a file that is shorter than it was said to be cannot be mended
    if (sent < 0 || (from_file && most > 0 && sent == 0))
        r->stage = GONE;
    else if (r->sent == r->out_size && r->file_left == 0)
        r->stage = ANSWERED;
    http_advance(r);
}

void http_read_on(evutil_socket_t socket, short what, void *ctx)
{
    (void)what;
    http_request *r = ctx;
    if (r->stage != HEAD && r->stage != BODY && r->stage != LINGERING) {
        // it waits until the answer is out
        event_del(r->readable);
        r->reads = false;
        return;
    }
    // a body has its room already
    if (r->stage == LINGERING)
        r->got = 0;
    if (r->got + 1 >= r->room && !http_make_room(r, r->room)) {
        r->stage = GONE;
        http_advance(r);
        return;
    }
    if (r->stage == HEAD && r->got == 0)
        r->since = r->server->now;
    const ssize_t got = recv(socket, r->in + r->got, r->room - r->got - 1, 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return;
    if (got <= 0)
        r->stage = GONE;
    else
        r->got += (size_t)got;
    // of a head that comes byte by byte only whole lines are worth a look
    if (got > 0 && r->stage == HEAD && r->got < HTTP_HEAD_LIMIT &&
        memchr(r->in + r->got - got, '\n', (size_t)got) == NULL)
        return;
    http_advance(r);
}

// ---- what those who answer see ----

const http_head *http_head_of(const http_request *r)
{
    return &r->head;
}

const char *http_body_of(const http_request *r)
{
    return r->marked ? r->in + r->head.size : NULL;
}

void **http_user_of(http_request *r)
{
    return &r->user;
}
