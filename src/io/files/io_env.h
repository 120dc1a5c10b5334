// SPDX-License-Identifier: MIT
// Environments whose spec names a file: reading it, for those who make more than one of them; one
// is made by lgkt_io_env_create (lgkt/io.h).
#ifndef IO_ENV_H
#define IO_ENV_H

#include <string.h>

#include "core/alloc.h"
#include "lgkt/io.h"

// The entry of the environment that a spec names; NULL if there is none of that name. For those, too,
// who have its files from elsewhere and do without io_env.c.
static inline const lgkt_entry *io_env_entry(const char *spec)
{
    char name[64];
    if (lgkt_spec_name(spec, name, sizeof name, NULL) != LGKT_OK)
        return NULL;
    const lgkt_entry *entry;
    for (int32_t i = 0; (entry = lgkt_env_entry(i)) != NULL; i++)
        if (strcmp(entry->name, name) == 0)
            break;
    return entry;
}

// What an environment is made from besides its spec, read from a file; {0} is nothing.
typedef struct io_data {
    lgkt_data given;          // for lgkt_env_config; kind LGKT_DATA_NONE: the spec names no file
    lgkt_data after;          // the same of a second environment within
    lgkt_io_model *models[2]; // of the two
    double *series[2];
    lgkt_allocator hooks;
} io_data;

// Reads the file that a spec names, also within another environment, with `before` ("" or a folder
// that ends in '/') before a path that is not absolute. A spec that is a mere path is
// refused with the spec that would be right; what else may be wrong with one that names no file is
// left to lgkt_env_create. Release it after failure, too. Nullable: allocator, error.
lgkt_status io_data_read(const char *before, const char *spec, const lgkt_allocator *allocator,
                         io_data *data, lgkt_error *error);
// What was not read by io_data_read, but filled in, stays with whoever has it.
static inline void io_data_release(io_data *data)
{
    for (int i = 0; i < 2; i++) {
        lgkt_io_model_destroy(data->models[i]);
        lgkt_free(&data->hooks, data->series[i]);
    }
    *data = (io_data){0};
}

#endif
