// SPDX-License-Identifier: MIT
// The front of lgkt serve with nothing behind it: every POST is answered at once with as many bytes
// as a decision has. What `make serve-bench` holds the server against.

#include <stdio.h>
#include <string.h>

#include "serve/http.h"

static size_t begin(void *ctx, http_request *request)
{
    (void)ctx, (void)request;
    return 65536;
}

static void complete(void *ctx, http_request *request)
{
    (void)ctx;
    static const char body[] =
        "{\"decision\":123456,\"action\":\"message\",\"probability\":0.4850000000000001,"
        "\"propensities\":[0.4850000000000001,0.4850000000000001,0.015,0.015],"
        "\"source\":\"learner\",\"seq\":123457,\"receipt\":\"0123456789abcdef0123456789abcdef\"}\n";
    http_answer_now(request, &(http_answer){.status = 201,
                                            .type = "application/json",
                                            .body = body,
                                            .size = sizeof body - 1});
}

int main(int argc, char **argv)
{
    lgkt_error error = {0};
    http_server *server;
    const http_config config = {.listen = argc > 1 ? argv[1] : "127.0.0.1:0",
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
