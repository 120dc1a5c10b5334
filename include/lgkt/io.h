// SPDX-License-Identifier: MIT
// Files: models as JSON, series of numbers as CSV, environments whose spec names one of them, logs of
// decisions.
//
// A library of its own, lgkt-io, beside liblgkt; it needs jansson. The formats are described in
// docs/model-files.md and docs/decision-log.md. Conventions are those of base.h. A file that is not there or may not be
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

// ---- logs of decisions (docs/decision-log.md) ----

typedef enum lgkt_io_format { LGKT_IO_CSV, LGKT_IO_JSON_LINES } lgkt_io_format;

/// A text or, where that is NULL, a number; a number that is NaN or infinite is written as missing.
typedef struct lgkt_io_value {
    const char *text; ///< UTF-8; what is not is written as U+FFFD
    double number;
} lgkt_io_value;

static inline lgkt_io_value lgkt_io_text(const char *text)
{
    const lgkt_io_value value = {text, 0};
    return value;
}
static inline lgkt_io_value lgkt_io_number(double number)
{
    const lgkt_io_value value = {NULL, number};
    return value;
}

/// One decision. Make it with lgkt_io_decision_default: everything is missing then. What it points
/// to is borrowed for the time of a call.
typedef struct lgkt_io_decision {
    size_t size; ///< of this struct, as the program was compiled with; set by _default
    int64_t seq; ///< the place in what happened, rewards included; below 0: missing
    double time; ///< of the decision, in seconds since 1970
    lgkt_io_value unit;
    int64_t decision; ///< its number; below 0: missing
    /// A state of `parts` values, each with its name; without names it is one value, parts = 1.
    int32_t parts;
    const char *const *names;        ///< (parts) or NULL
    const lgkt_io_value *state;      ///< (parts) or NULL: missing
    const lgkt_io_value *next_state; ///< (parts) or NULL: missing
    const lgkt_io_value *allowed;    ///< (allowed_count) actions; NULL: missing, all were
    int32_t allowed_count;
    lgkt_io_value action;
    double probability;          ///< of the action, when it was chosen
    const double *probabilities; ///< (probability_count) of all actions, in their order; NULL
    int32_t probability_count;
    const char *source; ///< who chose: "learner", "floor", ..; NULL: missing
    double reward;
    double reward_time; ///< when the reward was told, in seconds since 1970
    int32_t cut;        ///< 1: the trajectory was cut after it, 0: it was not, below 0: missing
} lgkt_io_decision;

/// Fills in the defaults of a decision of `size` bytes.
LGKT_API void lgkt_io_decision_init(lgkt_io_decision *decision, size_t size);
static inline lgkt_io_decision lgkt_io_decision_default(void)
{
    lgkt_io_decision decision;
    lgkt_io_decision_init(&decision, sizeof decision);
    return decision;
}

/// The first line of a log, nothing in JSON lines; and the line of a decision. Written into `text`,
/// with a line end, zero-terminated. *length is set to the bytes without the zero; LGKT_ERR_SHAPE if
/// the capacity is not larger than that, and then *length is set too. Nullable: text with capacity
/// 0, error.
LGKT_API lgkt_status lgkt_io_decision_header(lgkt_io_format format, char *text, size_t capacity,
                                             size_t *length, lgkt_error *error);
LGKT_API lgkt_status lgkt_io_decision_print(lgkt_io_format format, const lgkt_io_decision *decision,
                                            char *text, size_t capacity, size_t *length,
                                            lgkt_error *error);

#ifdef __cplusplus
}
#endif
#endif
