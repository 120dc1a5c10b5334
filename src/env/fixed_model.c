// SPDX-License-Identifier: MIT
// `model`: any model as an environment, with the noise and the start law that it carries.
//
// The library reads no files: whoever knows the path in `file` loads the model and hands it over in
// lgkt_env_config.data.
#include "env/world.h"

#include <stdio.h>

#include "core/error.h"

typedef struct settings {
    const char *file;
} settings;

static const lgkt_param PARAMS[] = {
    LGKT_ROW_TEXT(settings, file, "file", "@none",
                  "model file in JSON, in parentheses if its path has a comma; the command reads "
                  "it, a program "
                  "gives the model in its config"),
};

static lgkt_status create(lgkt_env *env, const lgkt_spec *spec, const lgkt_env_config *config,
                          lgkt_error *error)
{
    settings set;
    const lgkt_status status = lgkt_settings_fill(env->class->entry, spec, &set, error);
    if (status != LGKT_OK)
        return status;
    if (config->data.kind == LGKT_DATA_NONE)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "the environment `model` needs a model: file=PATH for the command, "
                         "lgkt_env_config.data for a program");
    lgkt_env_adopt(env, lgkt_mdp_retain(config->data.model));
    snprintf(env->note, sizeof env->note, "model of %d states and %d actions%s%.100s",
             (int)env->states, (int)env->actions, set.file ? " from " : "",
             set.file ? set.file : "");
    return lgkt_world_open(env, error);
}

static const lgkt_entry entry = {
    .name = "model",
    .summary = "a model from a file",
    .source = "your own",
    .memory = "O(S A + entries)",
    .params = PARAMS,
    .param_count = LGKT_PARAM_COUNT(PARAMS),
    .data = LGKT_DATA_MODEL,
};

const lgkt_env_class lgkt_model_class = {
    .entry = &entry,
    .create = create,
    LGKT_WORLD_CLASS,
};
