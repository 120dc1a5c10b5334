// SPDX-License-Identifier: MIT
// Environments whose spec names a file: reading it, for those who make more than one of them; one
// is made by lgkt_io_env_create (lgkt/io.h).
#pragma once

#include <string.h>

#include "core/alloc.h"
#include "lgkt/io.h"

// The entry that a spec names in a registry, lgkt_env_entry or lgkt_learner_entry; NULL if there is
// none of that name. For those, too, who have files from elsewhere and do without io_env.c.
static inline const lgkt_entry *io_entry_of(const char *spec,
                                            const lgkt_entry *(*registry)(int32_t i))
{
    char name[64];
    const lgkt_entry *entry = NULL;
    const bool good = lgkt_spec_name(spec, name, sizeof name, NULL) == LGKT_OK;
    for (int32_t i = 0; good && (entry = registry(i)) != NULL; i++)
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

// What reads the files that specs name: io_data_read, or whoever has them from elsewhere.
typedef struct io_files {
    lgkt_status (*read)(const struct io_files *files, const char *before, const char *spec,
                        io_data *data, lgkt_error *error);
    lgkt_allocator allocator; // of what is read; {0}: the usual one
} io_files;

// They are files.
extern const io_files io_true_files;

// Reads the file that a spec names, also within another environment, with `before` ("" or a folder
// that ends in '/') before a path that is not absolute. A spec that is a mere path is
// refused with the spec that would be right; what else may be wrong with one that names no file is
// left to lgkt_env_create. Release it after failure, too. Nullable: error.
lgkt_status io_data_read(const io_files *files, const char *before, const char *spec, io_data *data,
                         lgkt_error *error);
// What was not read by io_data_read, but filled in, stays with whoever has it.
static inline void io_data_release(io_data *data)
{
    for (int i = 0; i < 2; i++) {
        lgkt_io_model_destroy(data->models[i]);
        lgkt_free(&data->hooks, data->series[i]);
    }
    *data = (io_data){0};
}
