// SPDX-License-Identifier: MIT
// Connections that come, the time, notes from other threads, and begin and end of the server
// (http.h). Twice a second all connections are looked through for those that are too late.

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "serve/http_private.h"

#define LINGER_SECONDS 2.0
#define SWEEP_SECONDS  0.5

// ---- connections ----

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
    r->readable = event_new(s->base, socket, EV_READ | EV_PERSIST, http_read_on, r);
    r->writable = event_new(s->base, socket, EV_WRITE | EV_PERSIST, http_write_on, r);
    if (r->readable == NULL || r->writable == NULL || !http_make_room(r, 1))
        r->stage = GONE;
    http_advance(r);
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
            http_forget(r);
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
    const long port =
        colon != NULL && colon[1] >= '0' && colon[1] <= '9' ? strtol(colon + 1, &end, 10) : -1;
    if (host[0] == '\0' || end == NULL || *end != '\0' || port < 0 || port > 65535)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "--listen is \"%s\"; it must be an address and a port, as 127.0.0.1:8077",
                         text);
    const struct addrinfo wanted = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                                    .ai_socktype = SOCK_STREAM};
    const int failed = getaddrinfo(host, colon + 1, &wanted, found);
    return failed == 0
               ? LGKT_OK
               : lgkt_fail(error, LGKT_ERR_ARGUMENT, "--listen %s: %s", text, gai_strerror(failed));
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
        http_forget(s->first);
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
