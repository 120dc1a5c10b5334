// SPDX-License-Identifier: MIT
// The one grammar that names learners and environments, and the tables behind it.
//
//     spec  = name [ ":" key "=" value { "," key "=" value } ]
//     value = text without , ( ) and blanks at its ends, or "(" any text with balanced ( ) ")"
//
// So a spec with settings within another stands in parentheses, and so does a path with a comma.
//
// Examples: lg2t:threshold=0.9,p=0.5   synthetic:states=10,actions=5   lg1t-rl:rl=(ucrl2:delta=0.1)
//
// Each learner and environment has one table of parameters. It drives parsing, validation, help and
// the settings page of the docs.
#ifndef LGKT_SPEC_H
#define LGKT_SPEC_H

#include "lgkt/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lgkt_param_type {
    LGKT_PARAM_INTEGER, ///< a whole number in [min, max]
    LGKT_PARAM_REAL,    ///< a number in [min, max]
    LGKT_PARAM_CHOICE,  ///< one of `choices`
    LGKT_PARAM_TEXT     ///< any text
} lgkt_param_type;

/// One parameter of a learner or an environment.
typedef struct lgkt_param {
    const char *name;
    lgkt_param_type type;
    /// The default as a user would type it. "@words" means: computed, as the words say.
    const char *fallback;
    double min, max;     ///< inclusive range of a number
    const char *choices; ///< "one|two|three" for LGKT_PARAM_CHOICE, else NULL
    const char *help;    ///< what it means, one sentence
    size_t offset;       ///< internal: where the value goes in the settings struct
    /// The number of saved states (docs/reproducibility.md) since which the parameter, or the
    /// default above, is there; 0: since the first.
    int32_t since;
    /// What it is in states that are older and do not say it, as a user would type it.
    const char *before;
} lgkt_param;

/// What an environment can be made from besides its settings.
typedef enum lgkt_data_kind {
    LGKT_DATA_NONE,
    LGKT_DATA_MODEL, ///< a model
    LGKT_DATA_SERIES ///< a series of numbers, e.g. prices
} lgkt_data_kind;

/// One named learner or environment.
typedef struct lgkt_entry {
    const char *name;
    const char *summary; ///< one sentence
    const char *source;  ///< the paper, section or other origin
    const char *memory;  ///< order of the memory it needs, e.g. "O(S A)"
    const lgkt_param *params;
    int32_t param_count;
    /// what it is made from besides its settings: the parameter "file" names where it is
    lgkt_data_kind data;
    /// the parameter that holds the spec of the environment that this one wraps and hands its data
    /// to, e.g. "of"; NULL: none
    const char *inner;
    /// the same of a second one, which gets the data `after`
    const char *inner_after;
} lgkt_entry;

/// The registries, in display order; NULL beyond the last.
LGKT_API const lgkt_entry *lgkt_learner_entry(int32_t i);
LGKT_API const lgkt_entry *lgkt_env_entry(int32_t i);

/// Copies the text of `key` in a spec string into `value` (capacity `size`, zero-terminated, outer
/// parentheses removed). Checks the grammar of the whole spec, not the names in it.
/// LGKT_ERR_UNKNOWN_NAME if the key is not set, LGKT_ERR_SHAPE if it does not fit.
LGKT_API lgkt_status lgkt_spec_value(const char *spec, const char *key, char *value, size_t size,
                                     lgkt_error *error);

/// Copies the name part of a spec into `name`; same errors.
LGKT_API lgkt_status lgkt_spec_name(const char *spec, char *name, size_t size, lgkt_error *error);

#ifdef __cplusplus
}
#endif
#endif
