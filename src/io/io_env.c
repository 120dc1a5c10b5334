// SPDX-License-Identifier: MIT
// Environments whose spec names a file: the file is read here, since the library reads none. A spec
// that names none, as most do, is scanned by the library alone.
#include "io/io_env.h"

#include <string.h>
#include <sys/stat.h>

#include "core/alloc.h"
#include "core/settings.h"
#include "core/text.h"
#include "io/io_text.h"

enum { NAME_SIZE = 64, TEXT_SIZE = LGKT_MAX_SPEC + 1 };

// What a spec has under a key; an empty text if there is nothing.
static void find_text(const char *spec, const char *key, char *text)
{
    if (lgkt_spec_value(spec, key, text, TEXT_SIZE, NULL) != LGKT_OK)
        text[0] = '\0';
}

// A spec that failed may be a mere path, alone or in place of the settings: says how a file is
// named.
static void suggest_file(const char *spec, lgkt_status status, lgkt_error *error)
{
    const char *colon = strchr(spec, ':'), *path = spec, *name = NULL;
    const char *dot = strrchr(spec, '.');
    struct stat info;
    char word[NAME_SIZE];
    snprintf(word, sizeof word, "%.*s", colon != NULL ? (int)(colon - spec) : 0, spec);
    const lgkt_entry *entry = io_env_entry(word);
    if (entry != NULL && entry->data != LGKT_DATA_NONE && strchr(colon, '=') == NULL) {
        name = entry->name;
        path = colon + 1;
    } else if (entry == NULL && dot != NULL && strcmp(dot, ".csv") == 0) {
        name = "trading";
    } else if (entry == NULL && ((dot != NULL && strcmp(dot, ".json") == 0) ||
                                 (stat(spec, &info) == 0 && S_ISREG(info.st_mode)))) {
        name = "model";
    }
    const bool special = strpbrk(path, ",()") != NULL;
    if (name != NULL && path[0] != '\0')
        lgkt_fail(error, status, "\"%.*s\" names no environment; did you mean \"%s:file=%s%s%s\"?",
                  (int)lgkt_text_fit(spec, 60), spec, name, special ? "(" : "", io_short_name(path),
                  special ? ")" : "");
}

const lgkt_entry *io_env_entry(const char *spec)
{
    char name[NAME_SIZE];
    if (lgkt_spec_name(spec, name, sizeof name, NULL) != LGKT_OK)
        return NULL;
    const lgkt_entry *entry;
    for (int32_t i = 0; (entry = lgkt_env_entry(i)) != NULL; i++)
        if (strcmp(entry->name, name) == 0)
            break;
    return entry;
}

lgkt_status lgkt_io_env_create(const char *spec, const lgkt_env_config *config, lgkt_env **env,
                               lgkt_error *error)
{
    if (spec == NULL || env == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "spec and env must not be NULL");
    const lgkt_env_config untouched = lgkt_env_config_default();
    lgkt_env_config filled = config != NULL ? *config : untouched;
    lgkt_error why = {0};
    lgkt_status status = lgkt_env_create(spec, &filled, env, &why);
    if (status == LGKT_OK)
        return LGKT_OK;

    // what was refused is the innermost environment, or one that lacks its file; each spec is
    // shorter than the one around it
    char inner[TEXT_SIZE], text[TEXT_SIZE];
    const char *within = spec;
    const lgkt_entry *entry = io_env_entry(spec);
    while (entry != NULL && entry->inner != NULL) {
        find_text(within, entry->inner, text);
        within = strcpy(inner, text);
        entry = io_env_entry(inner);
    }
    text[0] = '\0';
    // a config that its maker did not make is refused, too, and nothing in it can be trusted
    if (status == LGKT_ERR_CONFIG && filled.cookie == untouched.cookie &&
        filled.data.kind == LGKT_DATA_NONE && entry != NULL && entry->data != LGKT_DATA_NONE)
        find_text(within, "file", text);
    if (text[0] != '\0') {
        const lgkt_allocator hooks = lgkt_allocator_resolve(&filled.allocator);
        lgkt_io_model *model = NULL;
        double *series = NULL;
        filled.data.kind = entry->data;
        if (entry->data == LGKT_DATA_MODEL)
            status = lgkt_io_model_read(text, &hooks, &model, &why);
        else
            status = lgkt_io_series_read(text, &hooks, &series, &filled.data.count, &why);
        filled.data.model = lgkt_io_model_mdp(model);
        filled.data.series = series;
        if (status == LGKT_OK)
            status = lgkt_env_create(spec, &filled, env, &why);
        // the environment keeps the model alive and has copied the numbers
        lgkt_io_model_destroy(model);
        lgkt_free(&hooks, series);
    }
    if (status == LGKT_ERR_SPEC || status == LGKT_ERR_UNKNOWN_NAME)
        suggest_file(within, status, &why);
    if (status != LGKT_OK && error != NULL)
        *error = why;
    return status;
}
