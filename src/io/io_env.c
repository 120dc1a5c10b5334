// SPDX-License-Identifier: MIT
// Environments whose spec names a file: the file is read here, since the library reads none.
#include "io/io_env.h"

#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/settings.h"
#include "core/text.h"
#include "io/io_text.h"

enum { TEXT_SIZE = LGKT_MAX_SPEC + 1 };

// What a spec has under a key; an empty text if there is nothing.
static lgkt_status find_text(const char *spec, const char *key, char *text, lgkt_error *error)
{
    text[0] = '\0';
    const lgkt_status status = lgkt_spec_value(spec, key, text, TEXT_SIZE, error);
    return status == LGKT_ERR_UNKNOWN_NAME ? LGKT_OK : status;
}

static const lgkt_entry *find_entry(const char *name, size_t length)
{
    const lgkt_entry *entry;
    for (int32_t i = 0; (entry = lgkt_env_entry(i)) != NULL; i++)
        if (strlen(entry->name) == length && strncmp(entry->name, name, length) == 0)
            break;
    return entry;
}

// A spec that failed may be a mere path, alone or in place of the settings: says how a file is
// named.
static lgkt_status suggest_file(const char *spec, lgkt_status status, lgkt_error *error)
{
    const char *colon = strchr(spec, ':'), *path = spec, *name = NULL;
    const char *dot = strrchr(spec, '.');
    const lgkt_entry *entry = colon != NULL ? find_entry(spec, (size_t)(colon - spec)) : NULL;
    if (entry != NULL && entry->data != LGKT_DATA_NONE && strchr(colon, '=') == NULL) {
        name = entry->name;
        path = colon + 1;
    } else if (entry == NULL && dot != NULL && strcmp(dot, ".csv") == 0) {
        name = "trading";
    } else if (entry == NULL && ((dot != NULL && strcmp(dot, ".json") == 0) ||
                                 (strpbrk(spec, "./") != NULL && access(spec, F_OK) == 0))) {
        name = "model";
    }
    if (name == NULL || path[0] == '\0')
        return status;
    const bool special = strpbrk(path, ",()") != NULL;
    return lgkt_fail(error, status,
                     "\"%.*s\" names no environment; did you mean \"%s:file=%s%s%s\"?",
                     (int)lgkt_text_fit(spec, 60), spec, name, special ? "(" : "",
                     io_short_name(path), special ? ")" : "");
}

lgkt_status io_env_entry(const char *spec, const lgkt_entry **entry, char *inner, size_t size,
                         lgkt_error *error)
{
    char name[TEXT_SIZE], next[TEXT_SIZE];
    snprintf(inner, size, "%s", spec);
    for (;;) {
        lgkt_status status = lgkt_spec_name(inner, name, sizeof name, error);
        if (status != LGKT_OK)
            return suggest_file(inner, status, error);
        *entry = find_entry(name, strlen(name));
        if (*entry == NULL || (*entry)->inner == NULL)
            return LGKT_OK;
        // within it, if the spec says what is there; each is shorter than the one around it
        status = find_text(inner, (*entry)->inner, next, error);
        if (status != LGKT_OK || next[0] == '\0')
            return status;
        snprintf(inner, size, "%s", next);
    }
}

lgkt_status lgkt_io_env_create(const char *spec, const lgkt_env_config *config, lgkt_env **env,
                               lgkt_error *error)
{
    if (spec == NULL || env == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "spec and env must not be NULL");
    char inner[TEXT_SIZE], path[TEXT_SIZE] = "";
    lgkt_env_config filled = config != NULL ? *config : lgkt_env_config_default();
    const lgkt_entry *entry = NULL;
    lgkt_io_model *model = NULL;
    double *series = NULL;
    lgkt_allocator hooks = {0};
    lgkt_status status = LGKT_OK;
    // a config that its maker did not make is refused below; nothing in it can be trusted
    if (filled.cookie == lgkt_env_config_default().cookie)
        status = io_env_entry(spec, &entry, inner, sizeof inner, error);
    if (status == LGKT_OK && entry != NULL && entry->data != LGKT_DATA_NONE &&
        filled.data.kind == LGKT_DATA_NONE)
        status = find_text(inner, "file", path, error);
    if (status == LGKT_OK && path[0] != '\0') {
        hooks = lgkt_allocator_resolve(&filled.allocator);
        filled.data.kind = entry->data;
        if (entry->data == LGKT_DATA_MODEL)
            status = lgkt_io_model_read(path, &hooks, &model, error);
        else
            status = lgkt_io_series_read(path, &hooks, &series, &filled.data.count, error);
        filled.data.model = model != NULL ? lgkt_io_model_mdp(model) : NULL;
        filled.data.series = series;
    }
    if (status == LGKT_OK)
        status = lgkt_env_create(spec, &filled, env, error);
    // the environment keeps the model alive and has copied the numbers
    lgkt_io_model_destroy(model);
    lgkt_free(&hooks, series);
    return status;
}
