// SPDX-License-Identifier: MIT
// Environments whose spec names a file: the file is read here, since the library reads none.
#include "io/io_env.h"

#include <stdlib.h>
#include <string.h>

#include "io/io_model.h"
#include "io/io_tape.h"
#include "io/io_text.h"

enum { NAME_SIZE = 64, TEXT_SIZE = 4097 };

const lgkt_entry *io_env_entry(const char *spec)
{
    char name[NAME_SIZE];
    if (lgkt_spec_name(spec, name, sizeof name, NULL) != LGKT_OK)
        return NULL;
    for (int32_t i = 0;; i++) {
        const lgkt_entry *entry = lgkt_env_entry(i);
        if (entry == NULL || strcmp(entry->name, name) == 0)
            return entry;
    }
}

// What a spec has under a key; an empty text if there is nothing.
static lgkt_status find_text(const char *spec, const char *key, char *text, lgkt_error *error)
{
    text[0] = '\0';
    const lgkt_status status = lgkt_spec_value(spec, key, text, TEXT_SIZE, error);
    return status == LGKT_ERR_UNKNOWN_NAME ? LGKT_OK : status;
}

// Reads the file that a spec names, as its environment wants it, into *data, whose arrays are new.
static lgkt_status read_data(const char *spec, const lgkt_allocator *allocator, lgkt_data *data,
                             lgkt_mdp **model, double **series, lgkt_error *error)
{
    char inner[TEXT_SIZE], text[TEXT_SIZE];
    const lgkt_entry *entry = io_env_entry(spec);
    // the file is that of the innermost environment; each spec is shorter than the one around it
    while (entry != NULL && entry->inner != NULL) {
        const lgkt_status status = find_text(spec, entry->inner, text, error);
        if (status != LGKT_OK || text[0] == '\0')
            return status;
        spec = strcpy(inner, text);
        entry = io_env_entry(spec);
    }
    if (entry == NULL || entry->data == LGKT_DATA_NONE)
        return LGKT_OK;
    lgkt_status status = find_text(spec, "file", text, error);
    if (status != LGKT_OK || text[0] == '\0')
        return status;
    if (entry->data == LGKT_DATA_MODEL)
        status = io_model_read(text, allocator, model, error);
    else
        status = io_prices_read(text, series, &data->count, error);
    data->kind = entry->data;
    data->model = *model;
    data->series = *series;
    return status;
}

lgkt_status io_env_create(const char *spec, const lgkt_env_config *config, lgkt_env **env,
                          lgkt_error *error)
{
    if (spec == NULL || env == NULL)
        return io_fail(error, LGKT_ERR_ARGUMENT, "spec and env must not be NULL");
    lgkt_env_config filled = config != NULL ? *config : lgkt_env_config_default();
    lgkt_mdp *model = NULL;
    double *series = NULL;
    lgkt_status status = LGKT_OK;
    if (filled.data.kind == LGKT_DATA_NONE)
        status = read_data(spec, &filled.allocator, &filled.data, &model, &series, error);
    if (status == LGKT_OK)
        status = lgkt_env_create(spec, &filled, env, error);
    // the environment keeps the model alive and has copied the numbers
    lgkt_mdp_destroy(model);
    free(series);
    return status;
}
