// SPDX-License-Identifier: MIT
// serve_bare [evhttp]: a server that answers every POST with as many bytes as a decision has, and does
// nothing else: with the front of lgkt serve, or with the HTTP that libevent brings. What
// `make serve-bench` holds the server against.

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "serve/http.h"

static const char body[] =
    "{\"action\":\"message\",\"decision\":123456,\"probability\":0.48500000000000004,"
    "\"propensities\":{\"call\":0.0,\"message\":0.48500000000000004,\"nothing\":0.515,\"plan\":0.0}"
    ","
    "\"receipt\":\"0123456789abcdef0123456789abcdef\",\"seq\":123457,\"source\":\"learner\"}";

static size_t begin(void *ctx, http_request *request)
{
    (void)ctx, (void)request;
    return 65536;
}

static void complete(void *ctx, http_request *request)
{
    (void)ctx;
    http_answer_now(request, &(http_answer){.status = 201,
                                            .type = "application/json",
                                            .body = body,
                                            .size = sizeof body - 1});
}

static int run_ours(void)
{
    lgkt_error error = {0};
    http_server *server;
    const http_config config = {.listen = "127.0.0.1:0",
                                .connections = 4096,
                                .seconds = 10,
                                .begin = begin,
                                .complete = complete};
    if (http_server_create(&config, &server, &error) != LGKT_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("%d\n", http_server_port(server));
    fflush(stdout);
    http_run(server);
    http_server_destroy(server);
    return 0;
}

static void answer(struct evhttp_request *request, void *ctx)
{
    (void)ctx;
    struct evbuffer *out = evbuffer_new();
    evbuffer_add(out, body, sizeof body - 1);
    evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type",
                      "application/json");
    evhttp_send_reply(request, 201, "Created", out);
    evbuffer_free(out);
}

static int run_evhttp(void)
{
    struct event_base *base = event_base_new();
    struct evhttp *http = evhttp_new(base);
    evhttp_set_gencb(http, answer, NULL);
    struct evhttp_bound_socket *bound = evhttp_bind_socket_with_handle(http, "127.0.0.1", 0);
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    if (bound == NULL ||
        getsockname(evhttp_bound_socket_get_fd(bound), (struct sockaddr *)&address, &size) != 0)
        return 1;
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    event_base_dispatch(base);
    return 0;
}

int main(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "evhttp") == 0 ? run_evhttp() : run_ours();
}
