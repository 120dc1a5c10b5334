// SPDX-License-Identifier: MIT
// Files: models as JSON, series of numbers as CSV, environments whose spec names one of them.
//
// A library of its own, lgkt-io, beside liblgkt; it needs jansson. The formats are described in
// docs/model-files.md. Conventions are those of base.h. A file that is not there or may not be
// opened is LGKT_ERR_NO_FILE, one that cannot be read or written to its end LGKT_ERR_IO, a text
// that is no such file LGKT_ERR_FORMAT; sizes and numbers that do not fit have their own statuses.
// Messages name the file and the place in it. A function that only reads answers a NULL model with
// NULL.
#ifndef LGKT_IO_H
#define LGKT_IO_H

#include "lgkt/base.h"
#include "lgkt/env.h"
#include "lgkt/mdp.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- models ----

/// A model with what its file says about it: never written after creation, shared between threads.
typedef struct lgkt_io_model lgkt_io_model;

/// Reads a model file. Nullable: allocator (of what is kept; the text and its parts come from
/// malloc while they are read), error.
LGKT_API lgkt_status lgkt_io_model_read(const char *path, const lgkt_allocator *allocator,
                                        lgkt_io_model **model, lgkt_error *error);
/// The same from `size` bytes in memory, which need no zero behind them; `name` stands for the file
/// in messages.
LGKT_API lgkt_status lgkt_io_model_parse(const char *bytes, size_t size, const char *name,
                                         const lgkt_allocator *allocator, lgkt_io_model **model,
                                         lgkt_error *error);
/// A model to be written: keeps the mdp alive and copies the texts, which are UTF-8; the name is
/// one line. LGKT_ERR_FORMAT for other texts. Nullable: name, comment, allocator, error.
LGKT_API lgkt_status lgkt_io_model_create(const lgkt_mdp *mdp, const char *name,
                                          const char *comment, const lgkt_allocator *allocator,
                                          lgkt_io_model **model, lgkt_error *error);
LGKT_API void lgkt_io_model_destroy(lgkt_io_model *model);

/// Lives as long as the model, or longer if retained (lgkt_mdp_retain).
LGKT_API const lgkt_mdp *lgkt_io_model_mdp(const lgkt_io_model *model);
/// Live as long as the model. NULL: there is none.
LGKT_API const char *lgkt_io_model_name(const lgkt_io_model *model);
LGKT_API const char *lgkt_io_model_comment(const lgkt_io_model *model);

/// Writes a file that reads back with the same lgkt_mdp_hash, name and comment. It appears under
/// its name only when it is complete; on failure what was there before is untouched.
/// LGKT_ERR_UNSUPPORTED for drifting noise, which a file cannot say. Nullable: error.
LGKT_API lgkt_status lgkt_io_model_write(const lgkt_io_model *model, const char *path,
                                         lgkt_error *error);
/// The same into `text`, zero-terminated. *size is set to the bytes without the zero;
/// LGKT_ERR_SHAPE if the capacity is not larger than that, and then *size is set too. Nullable:
/// text with capacity 0, error.
LGKT_API lgkt_status lgkt_io_model_print(const lgkt_io_model *model, char *text, size_t capacity,
                                         size_t *size, lgkt_error *error);

// ---- series ----

/// Reads prices: the column Close (in any case) of a CSV with a header, or the only column of a
/// file with or without one; all positive and finite. The caller frees *values as the allocator
/// does, with free where there is none. Nullable: allocator, error.
LGKT_API lgkt_status lgkt_io_series_read(const char *path, const lgkt_allocator *allocator,
                                         double **values, size_t *count, lgkt_error *error);
/// The same from memory; `name` stands for the file in messages.
LGKT_API lgkt_status lgkt_io_series_parse(const char *bytes, size_t size, const char *name,
                                          const lgkt_allocator *allocator, double **values,
                                          size_t *count, lgkt_error *error);

// ---- environments ----

/// As lgkt_env_create, but reads the file that a spec names
/// ("model:file=PATH", "trading:file=PATH", also within another environment), unless the config
/// brings data already. Nullable: config, error.
LGKT_API lgkt_status lgkt_io_env_create(const char *spec, const lgkt_env_config *config,
                                        lgkt_env **env, lgkt_error *error);

#ifdef __cplusplus
}
#endif
#endif
