// SPDX-License-Identifier: MIT
// Environments whose spec names a file; they are made by lgkt_io_env_create (lgkt/io.h).
#ifndef IO_ENV_H
#define IO_ENV_H

#include "lgkt/io.h"

// The entry of the environment that a spec names; NULL if there is none of that name.
const lgkt_entry *io_env_entry(const char *spec);

#endif
