// SPDX-License-Identifier: MIT
// What another project does with the installed lgkt-io: a model from a file and back, an
// environment made of it, then the version.
#include <stdio.h>
#include <string.h>

#include <lgkt/io.h>

static const char MODEL[] = "{\"states\": 1, \"actions\": 1, \"start\": 0, \"name\": \"one\","
                            " \"noise\": {\"kind\": \"none\"}, \"edges\": [[0, 0, 0, 1, 2.5]]}";

int main(int argc, char **argv)
{
    lgkt_error error = {0};
    lgkt_io_model *model = NULL, *again = NULL;
    lgkt_env *env = NULL;
    char spec[1000];
    bool good = false;
    if (argc != 2)
        return 2;
    snprintf(spec, sizeof spec, "model:file=(%s)", argv[1]);
    if (lgkt_io_model_parse(MODEL, strlen(MODEL), "MODEL", NULL, &model, &error) == LGKT_OK &&
        lgkt_io_model_write(model, argv[1], &error) == LGKT_OK &&
        lgkt_io_model_read(argv[1], NULL, &again, &error) == LGKT_OK &&
        lgkt_io_env_create(spec, NULL, &env, &error) == LGKT_OK)
        good = strcmp(lgkt_io_model_name(again), "one") == 0 &&
               lgkt_mdp_reward(lgkt_env_model(env), 0, 0) == 2.5;
    lgkt_env_destroy(env);
    lgkt_io_model_destroy(again);
    lgkt_io_model_destroy(model);
    if (!good) {
        fprintf(stderr, "failed: %s\n", error.text);
        return 1;
    }
    printf("lgkt %s\n", lgkt_version());
    return 0;
}
