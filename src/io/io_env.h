// SPDX-License-Identifier: MIT
// Environments whose spec names a file.
#ifndef IO_ENV_H
#define IO_ENV_H

#include "lgkt/env.h"

// The entry of the environment that a spec names; NULL if there is none of that name.
const lgkt_entry *io_env_entry(const char *spec);

// As lgkt_env_create, but reads the file of "model:file=PATH" and "trading:file=PATH" first, unless
// the config brings data already. Nullable: config, error.
lgkt_status io_env_create(const char *spec, const lgkt_env_config *config, lgkt_env **env,
                          lgkt_error *error);

#endif
