// SPDX-License-Identifier: MIT
// serve_script FILE: asks a programme in FILE, which it makes if it is not there, the same requests
// each time it is run, and prints every answer as soon as it is given: "number answer". To be killed
// and run again. serve_script verify FILE: verifies the file.

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ref/serve_client.h"
#include "serve/verify.h"
#include "test.h"

enum { REQUESTS = 60 };

static const char CONFIG[] =
    "{\"name\":\"kill\",\"learner\":\"auto\",\"actions\":[\"x\",\"y\",\"z\"],\"state\":[{\"name\":"
    "\"s\",\"values\":3}],"
    "\"horizon\":1000,\"unit_limit\":20,\"patience\":40,\"seed\":3,\"floor\":0.05}";

static void tell(int number, const char *answer)
{
    char line[600];
    const int length = snprintf(line, sizeof line, "%d %s\n", number, answer);
    if (write(1, line, (size_t)length) != length)
        exit(1);
}

static int verify(const char *path)
{
    srv_verdict verdict;
    lgkt_error error = {0};
    if (srv_verify(path, NULL, NULL, NULL, &verdict, &error) == LGKT_OK)
        return 0;
    fprintf(stderr, "%s\n", error.text);
    return 1;
}

// Makes the programme, or opens what is there; what was begun and never answered is begun again.
static void open_programme(serve_client *client, const char *path)
{
    lgkt_error error = {0};
    serve_client_start(client, path, access(path, F_OK) == 0 ? NULL : CONFIG);
    while (srv_actor_state_of(client->actor) == SRV_ACTOR_STARTING)
        serve_client_pause();
    if (srv_actor_failure(client->actor, &error) == LGKT_ERR_NO_FILE) {
        serve_client_stop(client);
        serve_client_start(client, path, CONFIG);
    }
    if (srv_actor_state_of(client->actor) != SRV_ACTOR_READY) {
        srv_actor_failure(client->actor, &error);
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "verify") == 0)
        return verify(argv[2]);
    if (argc != 2)
        return 2;
    serve_client client = {.config.snapshot_every = 25};
    open_programme(&client, argv[1]);
    for (int i = 0; i < REQUESTS; i++) {
        char key[16], body[120], *text = NULL;
        snprintf(key, sizeof key, "k%d", i);
        client.time += 1000;
        snprintf(body, sizeof body, "{\"unit\":\"u%d\",\"state\":{\"s\":%d}}", i % 7, i % 3);
        if (serve_client_ask(&client, SRV_DO_DECIDE, key, body, &text) != 201) {
            fprintf(stderr, "request %d: %s\n", i, text);
            return 1;
        }
        tell(i, text);
        free(text);
        snprintf(body, sizeof body, "[{\"decision\":%d,\"reward\":%g}]", i, i % 4 * 0.25);
        serve_client_ask(&client, SRV_DO_REPORT, NULL, body, NULL);
    }
    serve_client_stop(&client);
    return 0;
}
