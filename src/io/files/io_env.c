// SPDX-License-Identifier: MIT
// Environments whose spec names a file: the file is read here, since the library reads none. A spec
// that names none, as most do, is scanned by the library alone.
#include "io/files/io_env.h"

#include <string.h>
#include <sys/stat.h>

#include "core/settings.h"
#include "core/sized.h"
#include "core/text.h"
#include "io/plain/io_text.h"

enum { NAME_SIZE = 64, TEXT_SIZE = LGKT_MAX_SPEC + 1 };

// What a spec has under a key; an empty text if there is nothing.
static void find_text(const char *spec, const char *key, char *text)
{
    if (lgkt_spec_value(spec, key, text, TEXT_SIZE, NULL) != LGKT_OK)
        text[0] = '\0';
}

// A spec may be a mere path, alone or in place of the settings: the environment that reads such a
// file, and where the path begins. NULL: it does not look like one.
static const char *reader_of(const char *spec, const char **path)
{
    const char *colon = strchr(spec, ':'), *dot = strrchr(spec, '.');
    struct stat info;
    char word[NAME_SIZE];
    snprintf(word, sizeof word, "%.*s", colon != NULL ? (int)(colon - spec) : 0, spec);
    const lgkt_entry *entry = io_env_entry(word);
    *path = entry == NULL ? spec : colon + 1;
    if (entry != NULL)
        return entry->data != LGKT_DATA_NONE && strchr(colon, '=') == NULL && **path != '\0'
                   ? entry->name
                   : NULL;
    if (strstr(spec, ":file=") != NULL)
        return NULL;
    if (dot != NULL && strcmp(dot, ".csv") == 0)
        return "trading";
    if (dot != NULL && strcmp(dot, ".json") == 0)
        return "model";
    return stat(spec, &info) == 0 && S_ISREG(info.st_mode) ? "model" : NULL;
}

// The innermost environment of a spec, each spec being shorter than the one around it: `within` gets
// that one.
static const lgkt_entry *find_innermost(const char *spec, char *within)
{
    char inner[TEXT_SIZE];
    snprintf(within, TEXT_SIZE, "%s", spec);
    const lgkt_entry *entry = io_env_entry(within);
    while (entry != NULL && entry->inner != NULL) {
        find_text(within, entry->inner, inner);
        strcpy(within, inner);
        entry = io_env_entry(within);
    }
    return entry;
}

// Reads a file of the kind of an entry, as one of the two that there may be.
static lgkt_status read_file(const char *before, const char *file, const lgkt_entry *entry,
                             io_data *data, bool after, lgkt_error *error)
{
    const size_t size = strlen(before) + strlen(file) + 1;
    char *whole = lgkt_alloc_zeroed(&data->hooks, size, 1);
    if (whole == NULL)
        return lgkt_fail_memory(error, "the name of a file");
    snprintf(whole, size, "%s%s", file[0] == '/' ? "" : before, file);
    lgkt_data *given = after ? &data->after : &data->given;
    const lgkt_status status =
        entry->data == LGKT_DATA_MODEL
            ? lgkt_io_model_read(whole, &data->hooks, &data->models[after], error)
            : lgkt_io_series_read(whole, &data->hooks, &data->series[after], &given->count, error);
    lgkt_free(&data->hooks, whole);
    if (status == LGKT_OK) {
        given->kind = entry->data;
        given->model = lgkt_io_model_mdp(data->models[after]);
        given->series = data->series[after];
    }
    return status;
}

lgkt_status io_data_read(const char *before, const char *spec, const lgkt_allocator *allocator,
                         io_data *data, lgkt_error *error)
{
    *data = (io_data){.hooks = lgkt_allocator_resolve(allocator)};
    // a second environment within may have a file, too
    const lgkt_entry *outer = io_env_entry(spec);
    const int sides = outer != NULL && outer->inner_after != NULL ? 2 : 1;
    char second[TEXT_SIZE], within[TEXT_SIZE], file[TEXT_SIZE];
    if (sides == 2)
        find_text(spec, outer->inner_after, second);
    lgkt_status status = LGKT_OK;
    for (int i = 0; i < sides && status == LGKT_OK; i++) {
        const lgkt_entry *entry = find_innermost(i == 0 ? spec : second, within);
        if (entry != NULL && entry->data == LGKT_DATA_NONE)
            continue;
        find_text(within, "file", file);
        const char *path, *reader = reader_of(within, &path);
        if (file[0] == '\0' && reader == NULL)
            continue;

        // without its files the environment is refused: for what else is wrong with the spec, if
        // anything is
        lgkt_env_config config = lgkt_env_config_default();
        if (allocator != NULL)
            config.allocator = *allocator;
        lgkt_env *env = NULL;
        lgkt_error why = {0};
        status = lgkt_env_create(spec, &config, &env, &why);
        lgkt_env_destroy(env);
        if (status == LGKT_ERR_CONFIG && entry != NULL && file[0] != '\0') {
            status = read_file(before, file, entry, data, i == 1, &why);
        } else if ((status == LGKT_ERR_SPEC || status == LGKT_ERR_UNKNOWN_NAME) && reader != NULL) {
            const bool special = strpbrk(path, ",()") != NULL;
            lgkt_fail(&why, status,
                      "\"%.*s\" names no environment; did you mean \"%s:file=%s%s%s\"?",
                      (int)lgkt_text_fit(within, 60), within, reader, special ? "(" : "",
                      io_short_name(path), special ? ")" : "");
        }
        if (status != LGKT_OK && error != NULL)
            *error = why;
    }
    return status;
}

lgkt_status lgkt_io_env_create(const char *spec, const lgkt_env_config *config, lgkt_env **env,
                               lgkt_error *error)
{
    if (spec == NULL || env == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "spec and env must not be NULL");
    static const lgkt_sized_kind kind = {sizeof(lgkt_env_config),
                                         LGKT_SIZE_UP_TO(lgkt_env_config, allocator), "config",
                                         "lgkt_env_config_default"};
    lgkt_env_config filled = lgkt_env_config_default();
    if (config != NULL)
        LGKT_TRY(lgkt_sized_take(&kind, config, &filled, error));
    if (filled.data.kind != LGKT_DATA_NONE || filled.after.kind != LGKT_DATA_NONE)
        return lgkt_env_create(spec, &filled, env, error);
    io_data data;
    lgkt_status status = io_data_read("", spec, &filled.allocator, &data, error);
    filled.data = data.given;
    filled.after = data.after;
    if (status == LGKT_OK)
        status = lgkt_env_create(spec, &filled, env, error);
    // the environment keeps the model alive and has copied the numbers
    io_data_release(&data);
    return status;
}
