// SPDX-License-Identifier: MIT
// The server of http.h. libevent says which sockets are ready and keeps the timer and the signals;
// bytes are read and written here, so that a request costs one read and one write.
//
// A connection goes through these stages; `advance` is the only place that moves it on:
//
//   HEAD -> BODY -> BUSY -> [SENDING ->] ANSWERED -> HEAD ..   or, where the answer was the last,
//                                        ANSWERED -> LINGERING -> GONE
//
// LINGERING: what still comes is thrown away for a moment, since a socket that is closed with unread
// bytes resets the connection, and the client may never see the answer. While a connection is BUSY
// or SENDING nothing is read, so a client that sends without end fills its own socket. Twice a
// second all connections are looked through for those that are too late.

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "serve/http.h"

enum {
    FIRST_BYTES = 2048,        // of a buffer
    KEPT_BYTES = 64 * 1024,    // a buffer above this is given back after its request
    SKIPPED_BYTES = 64 * 1024, // the largest body that is read only to be thrown away
    HEAD_BYTES = 2048,         // of an answer
    FILE_BYTES = 256 * 1024    // of a file that are sent at a time
};
#define LINGER_SECONDS 2.0
#define SWEEP_SECONDS  0.5

typedef enum stage { HEAD, BODY, BUSY, SENDING, ANSWERED, LINGERING, GONE } stage;

struct http_request {
    http_server *server;
    http_request *next, *previous; // of all connections
    int socket;
    struct event *readable, *writable;
    bool reads, writes; // which of them are on
    stage stage;
    double since;   // when the first byte of the request came, or the stage began
    bool advancing; // in `advance`, which goes on by itself
    bool closes;    // after the answer
    char *in;       // (room), `got` bytes; one byte more is always free
    size_t got, room;
    http_head head; // of `in`, from BODY on
    size_t skips;   // bytes of a body that is thrown away, before the next head
    char kept;      // the byte behind the body, where its zero is
    bool marked;    // it is there
    char *out;      // (out_size), what is not sent yet from `sent` on; owned
    size_t out_size, sent;
    int file;         // what is sent behind it; 0: none
    size_t file_left; // bytes of it
    void *user;
};

struct http_server {
    http_config config;
    struct event_base *base;
    struct evconnlistener *listener;
    struct event *sweep, *woken, *signals[2];
    int wake; // an eventfd
    http_request *first;
    http_counts counts;
    int32_t busy; // requests that are to be answered
    double now;
    char date[40];
    bool stops;
    int signal;
    pthread_mutex_t lock; // of the notes
    http_note *notes, **last_note;
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

static void advance(http_request *r);

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

void http_answer_now(http_request *r, const http_answer *answer)
{
    http_server *s = r->server;
    s->busy -= r->stage == BUSY;
    // a body that is still to come is skipped if it is short
    const size_t ahead = r->stage == BODY ? r->head.length : 0;
    r->closes = r->closes || answer->closes || s->stops || !r->head.keeps ||
                ahead > SKIPPED_BYTES || (ahead > 0 && r->head.expects);
    r->skips = ahead;
    const bool has_type = answer->type != NULL, empty = answer->status == 204;
    const bool bodiless = empty || (r->stage != HEAD && http_is(r->head.method, "HEAD"));
    r->file = answer->file;
    r->file_left = bodiless ? 0 : answer->size;
    char head[HEAD_BYTES], length[48] = "";
    if (!empty)
        snprintf(length, sizeof length, "Content-Length: %zu\r\n", answer->size);
    const int size =
        snprintf(head, sizeof head,
                 "HTTP/1.1 %d %s\r\nDate: %s\r\n%s%s%s%sCache-Control: no-store\r\n"
                 "X-Content-Type-Options: nosniff\r\n%s%s\r\n",
                 answer->status, reason_of(answer->status), s->date, length,
                 has_type ? "Content-Type: " : "", has_type ? answer->type : "",
                 has_type ? "\r\n" : "", answer->headers != NULL ? answer->headers : "",
                 r->closes ? "Connection: close\r\n" : "");
    const struct iovec parts[2] = {
        {head, (size_t)size},
        {(void *)(uintptr_t)answer->body, bodiless || r->file > 0 ? 0 : answer->size},
    };
    // headers of ours never come near the room
    if (size >= (int)sizeof head || !send_answer(r, parts))
        r->stage = GONE;
    r->since = s->now;
    if (!r->advancing)
        advance(r);
}

void http_answer_problem(http_request *r, int status, const char *type, const char *detail,
                         const char *headers)
{
    char body[1024];
    int at = snprintf(body, sizeof body,
                      "{\"type\":\"/problems/%s\",\"title\":\"%s\",\"status\":%d,\"detail\":\"", type,
                      reason_of(status), status);
    // one line of UTF-8 (lgkt_fail): only quotes and backslashes are to be marked
    for (; *detail != '\0' && at < (int)sizeof body - 8; detail++) {
        if (*detail == '"' || *detail == '\\')
            body[at++] = '\\';
        body[at++] = (unsigned char)*detail < ' ' ? ' ' : *detail;
    }
    memcpy(body + at, "\"}\n", 3);
    http_answer_now(r, &(http_answer){.status = status,
                                      .type = "application/problem+json",
                                      .headers = headers,
                                      .body = body,
                                      .size = (size_t)at + 3});
}

// ---- requests ----

// Room for so many bytes and one more. What points into the buffer must be read again.
static bool make_room(http_request *r, size_t wanted)
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
    const char *colon =
        host.size > 0 && host.at[0] != '[' ? memchr(host.at, ':', host.size) : NULL;
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
    } else if (!make_room(r, r->head.size + r->head.length)) {
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

static void forget(http_request *r)
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

// Moves a connection on as far as it goes with what is there; it may be gone then.
static void advance(http_request *r)
{
    r->advancing = true;
    stage before;
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
        forget(r);
        return;
    }
    if (reads && !r->reads)
        r->reads = event_add(r->readable, NULL) == 0;
    if ((r->stage == SENDING) != r->writes) {
        r->writes = !r->writes;
        r->writes ? event_add(r->writable, NULL) : event_del(r->writable);
    }
}

static void write_on(evutil_socket_t socket, short what, void *ctx)
{
    (void)what;
    http_request *r = ctx;
    const bool from_file = r->sent == r->out_size;
    const size_t most = r->file_left < FILE_BYTES ? r->file_left : FILE_BYTES;
    const ssize_t sent = !from_file ? send(socket, r->out + r->sent, r->out_size - r->sent, MSG_NOSIGNAL)
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
    advance(r);
}

static void read_on(evutil_socket_t socket, short what, void *ctx)
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
    if (r->got + 1 >= r->room && !make_room(r, r->room)) {
        r->stage = GONE;
        advance(r);
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
    advance(r);
}

static void accept_on(struct evconnlistener *listener, evutil_socket_t socket,
                      struct sockaddr *address, int size, void *ctx)
{
    (void)listener, (void)address, (void)size;
    http_server *s = ctx;
    http_request *r = s->counts.open < s->config.connections ? calloc(1, sizeof *r) : NULL;
    if (r == NULL) {
        static const char full[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n"
                                   "Retry-After: 1\r\nConnection: close\r\n\r\n";
        s->counts.refused++;
        (void)!send(socket, full, sizeof full - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        close(socket);
        return;
    }
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    s->counts.accepted++;
    s->counts.open++;
    r->server = s;
    r->socket = socket;
    r->since = s->now;
    r->next = s->first;
    if (s->first != NULL)
        s->first->previous = r;
    s->first = r;
    r->readable = event_new(s->base, socket, EV_READ | EV_PERSIST, read_on, r);
    r->writable = event_new(s->base, socket, EV_WRITE | EV_PERSIST, write_on, r);
    if (r->readable == NULL || r->writable == NULL || !make_room(r, 1))
        r->stage = GONE;
    advance(r);
}

// No more descriptors, say: those who wait are taken a moment later, by the sweep.
static void accept_failed(struct evconnlistener *listener, void *ctx)
{
    (void)ctx;
    evconnlistener_disable(listener);
}

// ---- time ----

static void read_clock(http_server *s)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    s->now = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    const time_t wall = time(NULL);
    struct tm parts;
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    // not by strftime, whose names are those of the locale
    if (gmtime_r(&wall, &parts) != NULL)
        snprintf(s->date, sizeof s->date, "%s, %02d %s %d %02d:%02d:%02d GMT", days[parts.tm_wday],
                 parts.tm_mday, months[parts.tm_mon], 1900 + parts.tm_year, parts.tm_hour,
                 parts.tm_min, parts.tm_sec);
}

static void sweep_on(evutil_socket_t socket, short what, void *ctx)
{
    (void)socket, (void)what;
    http_server *s = ctx;
    read_clock(s);
    if (!s->stops)
        evconnlistener_enable(s->listener);
    bool unfinished = s->busy > 0;
    for (http_request *r = s->first, *next; r != NULL; r = next) {
        next = r->next;
        const double late = s->now - r->since;
        const bool begun = r->stage == BODY || (r->stage == HEAD && (r->got > 0 || r->skips > 0));
        unfinished = unfinished || r->stage == SENDING || (r->stage == LINGERING && late < 0.25);
        if (r->stage == BUSY)
            continue;
        if (late > s->config.seconds && begun) {
            s->counts.timeouts++;
            r->closes = true;
            http_answer_problem(r, 408, "timeout", "the request did not come whole in time", NULL);
        } else if (late > (r->stage == LINGERING ? LINGER_SECONDS : s->config.seconds)) {
            s->counts.timeouts += r->stage == SENDING;
            forget(r);
        }
    }
    // requests that did not come whole are left
    if (s->stops && !unfinished)
        event_base_loopbreak(s->base);
}

// ---- other threads ----

void http_post(http_server *s, http_note *note)
{
    note->next = NULL;
    pthread_mutex_lock(&s->lock);
    const bool first = s->notes == NULL;
    *s->last_note = note;
    s->last_note = &note->next;
    pthread_mutex_unlock(&s->lock);
    const uint64_t one = 1;
    if (first)
        (void)!write(s->wake, &one, sizeof one);
}

static void wake_on(evutil_socket_t socket, short what, void *ctx)
{
    (void)what;
    http_server *s = ctx;
    uint64_t count;
    (void)!read(socket, &count, sizeof count);
    pthread_mutex_lock(&s->lock);
    http_note *note = s->notes;
    s->notes = NULL;
    s->last_note = &s->notes;
    pthread_mutex_unlock(&s->lock);
    while (note != NULL) {
        http_note *const next = note->next; // the note may be freed by what it does
        note->run(note);
        note = next;
    }
}

// ---- the server ----

static void signal_on(evutil_socket_t number, short what, void *ctx)
{
    (void)what;
    http_server *s = ctx;
    s->signal = (int)number;
    s->stops = true;
    evconnlistener_disable(s->listener);
    event_active(s->sweep, 0, 0);
}

int http_run(http_server *s)
{
    event_base_loop(s->base, EVLOOP_NO_EXIT_ON_EMPTY);
    return s->signal;
}

// "127.0.0.1:8077" or "[::1]:8077"
static lgkt_status find_address(const char *text, struct addrinfo **found, lgkt_error *error)
{
    const char *colon = strrchr(text, ':');
    char host[256] = "";
    const size_t size = colon != NULL ? (size_t)(colon - text) : 0;
    if (size > 0 && size < sizeof host) {
        const bool bracketed = text[0] == '[' && text[size - 1] == ']';
        memcpy(host, text + bracketed, size - 2 * (size_t)bracketed);
    }
    char *end = NULL;
    const long port = colon != NULL && colon[1] >= '0' && colon[1] <= '9'
                          ? strtol(colon + 1, &end, 10)
                          : -1;
    if (host[0] == '\0' || end == NULL || *end != '\0' || port < 0 || port > 65535)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "--listen is \"%s\"; it must be an address and a port, as 127.0.0.1:8077",
                         text);
    const struct addrinfo wanted = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                                    .ai_socktype = SOCK_STREAM};
    const int failed = getaddrinfo(host, colon + 1, &wanted, found);
    return failed == 0 ? LGKT_OK
                       : lgkt_fail(error, LGKT_ERR_ARGUMENT, "--listen %s: %s", text,
                                   gai_strerror(failed));
}

static lgkt_status open_listener(http_server *s, lgkt_error *error)
{
    struct addrinfo *address = NULL;
    LGKT_TRY(find_address(s->config.listen, &address, error));
    s->listener = evconnlistener_new_bind(
        s->base, accept_on, s, LEV_OPT_REUSEABLE | LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC,
        1024, address->ai_addr, (int)address->ai_addrlen);
    const int failed = errno;
    freeaddrinfo(address);
    if (s->listener == NULL)
        return lgkt_fail(error, LGKT_ERR_SYSTEM, "cannot listen on %s: %s", s->config.listen,
                         strerror(failed));
    evconnlistener_set_error_cb(s->listener, accept_failed);
    return LGKT_OK;
}

static bool add_events(http_server *s)
{
    static const int numbers[2] = {SIGINT, SIGTERM};
    const struct timeval period = {0, (long)(1e6 * SWEEP_SECONDS)};
    s->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    s->sweep = event_new(s->base, -1, EV_PERSIST, sweep_on, s);
    s->woken = s->wake >= 0 ? event_new(s->base, s->wake, EV_READ | EV_PERSIST, wake_on, s) : NULL;
    bool good = s->sweep != NULL && s->woken != NULL && event_add(s->sweep, &period) == 0 &&
                event_add(s->woken, NULL) == 0;
    for (int i = 0; i < 2; i++) {
        s->signals[i] = evsignal_new(s->base, numbers[i], signal_on, s);
        good = good && s->signals[i] != NULL && event_add(s->signals[i], NULL) == 0;
    }
    return good;
}

lgkt_status http_server_create(const http_config *config, http_server **server, lgkt_error *error)
{
    http_server *s = calloc(1, sizeof *s);
    if (s == NULL)
        return lgkt_fail_memory(error, "the server");
    s->config = *config;
    s->last_note = &s->notes;
    s->wake = -1;
    pthread_mutex_init(&s->lock, NULL);
    read_clock(s);
    lgkt_status status = LGKT_OK;
    s->base = event_base_new();
    if (s->base == NULL || !add_events(s))
        status = lgkt_fail(error, LGKT_ERR_SYSTEM, "the system gave no event loop");
    if (status == LGKT_OK)
        status = open_listener(s, error);
    if (status == LGKT_OK)
        *server = s;
    else
        http_server_destroy(s);
    return status;
}

void http_server_destroy(http_server *s)
{
    if (s == NULL)
        return;
    while (s->first != NULL)
        forget(s->first);
    if (s->listener != NULL)
        evconnlistener_free(s->listener);
    struct event *const events[] = {s->sweep, s->woken, s->signals[0], s->signals[1]};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i] != NULL)
            event_free(events[i]);
    if (s->base != NULL)
        event_base_free(s->base);
    if (s->wake >= 0)
        close(s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

int http_server_port(const http_server *s)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(evconnlistener_get_fd(s->listener), (struct sockaddr *)&address, &size) != 0)
        return 0;
    return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                               : ((struct sockaddr_in *)&address)->sin_port);
}

http_counts http_counts_of(const http_server *s)
{
    return s->counts;
}

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
