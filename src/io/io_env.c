// SPDX-License-Identifier: MIT
// Environments whose spec names a file: the file is read here, since the library reads none.

#include "io/io_env.h"

#include <stdlib.h>
#include <string.h>

#include "io/io_model.h"
#include "io/io_tape.h"
#include "io/io_text.h"
#include "lgkt/spec.h"

enum { NAME_SIZE = 64, TEXT_SIZE = 4096 };

// What the file of a spec held.
typedef struct contents {
    lgkt_mdp *model;
    double *prices;
    size_t price_count;
} contents;

// What a spec has under a key; an empty text if there is nothing.
static lgkt_status find_text(const char *spec, const char *key, char *text, lgkt_error *error)
{
    text[0] = '\0';
    const lgkt_status status = lgkt_spec_value(spec, key, text, TEXT_SIZE, error);
    return status == LGKT_ERR_UNKNOWN_NAME ? LGKT_OK : status;
}

// Reads the file of an environment that has one, into the config.
static lgkt_status read_contents(const char *spec, lgkt_env_config *config, contents *read,
                                 lgkt_error *error)
{
    char name[NAME_SIZE], inner[TEXT_SIZE], path[TEXT_SIZE];
    lgkt_status status = lgkt_spec_name(spec, name, sizeof name, error);
    // the file of an environment within another
    if (status == LGKT_OK && strcmp(name, "scaled") == 0) {
        status = find_text(spec, "of", inner, error);
        if (status != LGKT_OK || inner[0] == '\0')
            return status;
        spec = inner;
        status = lgkt_spec_name(spec, name, sizeof name, error);
    }
    if (status == LGKT_OK)
        status = find_text(spec, "file", path, error);
    if (status != LGKT_OK || path[0] == '\0')
        return status;
    if (strcmp(name, "model") == 0 && config->model == NULL) {
        status = io_model_read(path, &config->allocator, &read->model, error);
        config->model = read->model;
    } else if (strcmp(name, "trading") == 0 && config->prices == NULL) {
        status = io_prices_read(path, &read->prices, &read->price_count, error);
        config->prices = read->prices;
        config->price_count = read->price_count;
    }
    return status;
}

lgkt_status io_env_create(const char *spec, const lgkt_env_config *config, lgkt_env **env,
                          lgkt_error *error)
{
    if (spec == NULL || env == NULL)
        return io_fail(error, LGKT_ERR_ARGUMENT, "spec and env must not be NULL");
    lgkt_env_config filled = config != NULL ? *config : lgkt_env_config_default();
    contents read = {0};
    lgkt_status status = read_contents(spec, &filled, &read, error);
    if (status == LGKT_OK)
        status = lgkt_env_create(spec, &filled, env, error);
    // the environment keeps the model alive and has copied the prices
    lgkt_mdp_destroy(read.model);
    free(read.prices);
    return status;
}
