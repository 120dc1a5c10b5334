// SPDX-License-Identifier: MIT
// serve_load KIND PORT CONNECTIONS SECONDS [TOKEN PROGRAMME UNITS]: asks a server on loopback as fast as it
// answers, one request at a time on each connection, and prints what came of it as JSON. KIND is
// decide (lgkt serve) or set (Redis: SET of as many bytes as a decision's record has).

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, SAMPLES = 1 << 20, RECORD = 160 };

typedef struct connection {
    int socket;
    double asked;
    char got[2048];
    size_t size;
} connection;

typedef struct load {
    bool redis;
    const char *token, *programme;
    int64_t units, sent, answered, refused;
    unsigned run;    // so that keys of two runs differ
    double *samples; // latencies of the first SAMPLES answers
} load;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static size_t make_request(load *l, char *to, size_t room)
{
    const long long number = (long long)l->sent++;
    if (l->redis) {
        char key[40], value[RECORD + 1];
        memset(value, 'x', RECORD);
        value[RECORD] = '\0';
        const int size = snprintf(key, sizeof key, "%u/%lld", l->run, number);
        return (size_t)snprintf(to, room, "*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n", size,
                                key, RECORD, value);
    }
    char body[200];
    const int size = snprintf(body, sizeof body,
                              "{\"unit\":\"p%lld\",\"state\":{\"mood\":%lld,\"time\":\"am\"},"
                              "\"allowed\":[\"nothing\",\"message\"]}",
                              number % (long long)l->units, number % 3);
    return (size_t)snprintf(to, room,
                            "POST /v1/programmes/%s/decisions HTTP/1.1\r\nHost: localhost\r\n"
                            "Authorization: Bearer %s\r\nContent-Type: application/json\r\n"
                            "Idempotency-Key: \"p%lld/%u/%lld\"\r\nContent-Length: %d\r\n\r\n%s",
                            l->programme, l->token, number % (long long)l->units, l->run, number,
                            size, body);
}

static void ask(load *l, connection *c)
{
    char request[1024];
    const size_t size = make_request(l, request, sizeof request);
    c->asked = now();
    c->size = 0;
    if (send(c->socket, request, size, MSG_NOSIGNAL) != (ssize_t)size)
        give_up("send");
}

// Whether an answer is there whole; *good whether it is what was hoped for.
static bool is_whole(const load *l, const connection *c, bool *good)
{
    if (l->redis) {
        *good = c->got[0] == '+';
        return c->size > 2 && c->got[c->size - 1] == '\n';
    }
    const char *end = memmem(c->got, c->size, "\r\n\r\n", 4);
    const char *length = memmem(c->got, c->size, "Content-Length: ", 16);
    *good = c->size > 12 && c->got[9] == '2';
    return end != NULL && length != NULL &&
           c->size >= (size_t)(end + 4 - c->got) + (size_t)atol(length + 16);
}

static void answer(load *l, connection *c)
{
    bool good;
    const ssize_t got = recv(c->socket, c->got + c->size, sizeof c->got - c->size, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0)
        give_up("the server closed a connection");
    c->size += (size_t)got;
    if (!is_whole(l, c, &good))
        return;
    if (l->answered < SAMPLES)
        l->samples[l->answered] = now() - c->asked;
    l->answered++;
    l->refused += !good;
    ask(l, c);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr,
                "usage: serve_load decide|set PORT CONNECTIONS SECONDS [TOKEN PROGRAMME UNITS]\n");
        return 2;
    }
    static connection connections[MOST];
    load l = {.redis = strcmp(argv[1], "set") == 0,
              .token = argc > 5 ? argv[5] : "none",
              .programme = argc > 6 ? argv[6] : "bench",
              .units = argc > 7 ? atoll(argv[7]) : 100000,
              .run = (unsigned)getpid(),
              .samples = malloc(SAMPLES * sizeof(double))};
    const int count = atoi(argv[3]) < MOST ? atoi(argv[3]) : MOST, all = epoll_create1(0), on = 1;
    const double seconds = atof(argv[4]);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)atoi(argv[2])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0; i < count; i++) {
        connection *c = &connections[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        c->socket = socket(AF_INET, SOCK_STREAM, 0);
        if (c->socket < 0 || connect(c->socket, (struct sockaddr *)&address, sizeof address) != 0)
            give_up("connect");
        setsockopt(c->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        epoll_ctl(all, EPOLL_CTL_ADD, c->socket, &event);
    }
    const double begin = now();
    for (int i = 0; i < count; i++)
        ask(&l, &connections[i]);
    struct epoll_event events[256];
    while (now() - begin < seconds) {
        const int ready = epoll_wait(all, events, 256, 100);
        for (int i = 0; i < ready; i++)
            answer(&l, events[i].data.ptr);
    }
    const double took = now() - begin;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    const size_t samples = (size_t)(l.answered < SAMPLES ? l.answered : SAMPLES);
    if (samples == 0)
        give_up("no answer");
    qsort(l.samples, samples, sizeof(double), by_size);
    printf("{\"per_second\": %.1f, \"answered\": %lld, \"refused\": %lld, \"p10\": %.6f, \"p50\": "
           "%.6f, \"p99\": "
           "%.6f, "
           "\"own_cpu\": %.3f}\n",
           (double)l.answered / took, (long long)l.answered, (long long)l.refused,
           l.samples[samples / 10], l.samples[samples / 2], l.samples[samples * 99 / 100],
           (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
    return l.refused > 0;
}
