// SPDX-License-Identifier: MIT
// A client of lgkt serve in C, with the sockets of the system and nothing else.
//
//     cc -std=c17 -o client examples/serve/client.c
//     LGKT_TOKEN=.. ./client PORT PROGRAMME UNIT OCCASION STATE [REWARD]
//     ./client 8077 activity p17 p17/2026-11-16/am '{"mood":1,"time":"am"}' 0.7
//
// Decides for a unit and, if a reward is given, reports it. OCCASION is the Idempotency-Key: asked
// again with the same one, after a crash or a lost answer, the server gives the same decision again.
// Without an answer, or with one of 429 or 503, it tries again for 30 seconds.
#define _POSIX_C_SOURCE 200809L
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 65536, PATIENCE = 30 };

// A connection to this machine; -1: nobody listens.
static int connect_to(const char *port)
{
    const struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    const struct timeval limit = {.tv_sec = 5};
    struct addrinfo *found;
    if (getaddrinfo("127.0.0.1", port, &wanted, &found) != 0)
        return -1;
    int s = socket(found->ai_family, found->ai_socktype, 0);
    if (s >= 0) {
        setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        if (connect(s, found->ai_addr, found->ai_addrlen) != 0) {
            close(s);
            s = -1;
        }
    }
    freeaddrinfo(found);
    return s;
}

static int send_all(int s, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t sent = send(s, text, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return 0;
        text += sent;
        size -= (size_t)sent;
    }
    return 1;
}

// The request is sent once; returns the status of the answer with its body, or 0 if none came whole.
static int exchange(const char *port, const char *request, size_t size, char body[ROOM])
{
    static char answer[ROOM];
    const int s = connect_to(port);
    size_t have = 0;
    ssize_t got = 1;
    int status = 0;
    if (s < 0)
        return 0;
    // "Connection: close" is asked for, so the answer ends where the connection does
    if (send_all(s, request, size))
        while (have < sizeof answer - 1 &&
               (got = recv(s, answer + have, sizeof answer - 1 - have, 0)) > 0)
            have += (size_t)got;
    close(s);
    answer[have] = '\0';
    const char *length = strstr(answer, "\r\nContent-Length: ");
    const char *start = strstr(answer, "\r\n\r\n");
    if (length == NULL || start == NULL || sscanf(answer, "HTTP/1.1 %d", &status) != 1 ||
        strlen(start + 4) != strtoul(length + strlen("\r\nContent-Length: "), NULL, 10))
        return 0;
    strcpy(body, start + 4);
    return status;
}

// Asks until there is an answer that is not "not now"; the same bytes each time, so with a key it
// happens once however often it is asked.
static int ask(const char *port, const char *path, const char *key, const char *text,
               char body[ROOM])
{
    static char request[ROOM];
    const char *token = getenv("LGKT_TOKEN");
    const int size =
        snprintf(request, sizeof request,
                 "POST /v1/programmes/%s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                 "Authorization: Bearer %s\r\n%s%s%sContent-Type: application/json\r\n"
                 "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
                 path, token != NULL ? token : "", key != NULL ? "Idempotency-Key: \"" : "",
                 key != NULL ? key : "", key != NULL ? "\"\r\n" : "", strlen(text), text);
    if (size < 0 || (size_t)size >= sizeof request) {
        fprintf(stderr, "client: the request is too long\n");
        exit(2);
    }
    struct timespec wait = {.tv_nsec = 100000000};
    const time_t end = time(NULL) + PATIENCE;
    int status;
    while ((status = exchange(port, request, (size_t)size, body)) == 0 || status == 429 ||
           status == 503) {
        if (time(NULL) > end) {
            fprintf(stderr, "client: no answer in %d s\n", PATIENCE);
            exit(1);
        }
        nanosleep(&wait, NULL);
    }
    return status;
}

// Where the value of a name begins. Names are unique and known in what the server answers, and no
// text of a caller stands before them; for other JSON take a library.
static const char *value_of(const char *body, const char *name)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\":", name);
    const char *at = strstr(body, wanted);
    if (at == NULL)
        return "";
    at += strlen(wanted);
    return at + strspn(at, " ");
}

int main(int argc, char **argv)
{
    static char path[256], text[ROOM], body[ROOM];
    if (argc < 6) {
        fprintf(stderr, "usage: client PORT PROGRAMME UNIT OCCASION STATE [REWARD]\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s/decisions", argv[2]);
    snprintf(text, sizeof text, "{\"unit\":\"%s\",\"state\":%s}", argv[3], argv[5]);
    if (ask(argv[1], path, argv[4], text, body) != 201) {
        fprintf(stderr, "client: %s\n", body);
        return 1;
    }
    const long long decision = strtoll(value_of(body, "decision"), NULL, 10);
    const char *action = value_of(body, "action") + 1; // behind the quote
    printf("decision %lld: %.*s with probability %.4f\n", decision, (int)strcspn(action, "\""),
           action, strtod(value_of(body, "probability"), NULL));
    if (argc < 7)
        return 0;
    snprintf(path, sizeof path, "%s/reports", argv[2]);
    snprintf(text, sizeof text, "[{\"decision\":%lld,\"reward\":%s}]", decision, argv[6]);
    // reports are taken one by one, each with a status of its own
    const int status = ask(argv[1], path, NULL, text, body);
    if (status != 200 || strtol(value_of(body, "status"), NULL, 10) != 200) {
        fprintf(stderr, "client: %s\n", body);
        return 1;
    }
    printf("reward %s reported\n", argv[6]);
    return 0;
}
