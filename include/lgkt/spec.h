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

/// One parameter of a learner or an environment. Only the library makes these and entries, so that
/// both may get more fields.
typedef struct lgkt_param {
    const char *name;
    lgkt_param_type type;
    /// The default as a user would type it. "@words" means: computed, as the words say.
    const char *fallback;
    double min, max;     ///< inclusive range of a number
    const char *choices; ///< "one|two|three" for LGKT_PARAM_CHOICE, else NULL
    const char *help;    ///< what it means, one sentence
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
    const char *summary;                 ///< one sentence
    const char *source;                  ///< the paper, section or other origin
    const char *memory;                  ///< order of the memory it needs, e.g. "O(S A)"
    const struct lgkt_param_row *params; ///< read by lgkt_entry_param
    int32_t param_count;
    /// what it is made from besides its settings: the parameter "file" names where it is
    lgkt_data_kind data;
    /// the parameter that holds the spec of the environment that this one wraps and hands its data
    /// to, e.g. "of"; NULL: none
    const char *inner;
    /// the same of a second one, which gets the data `after`
    const char *inner_after;
    /// of a learner, with its defaults: LGKT_TRAIT_LAW | .., see lgkt_learner_traits
    uint32_t traits;
} lgkt_entry;

/// What a learner can do besides acting and observing, as bits of a set.
typedef enum lgkt_trait {
    /// lgkt_learner_explain knows with which probabilities it would act, whenever there is a choice
    /// to make; without it they are NaN at times, where a model is drawn before the choice
    LGKT_TRAIT_LAW = 1,
    LGKT_TRAIT_FED = 2,     ///< learns from steps that another one chose: feed
    LGKT_TRAIT_SHARED = 4,  ///< units can share it: units.h
    LGKT_TRAIT_MASKED = 8,  ///< can leave out actions: act with `allowed`
    LGKT_TRAIT_GROWN = 16,  ///< states may become known one by one: keyed.h
    LGKT_TRAIT_STATES = 32, ///< its states may be numbered, by the caller or as they become known
    /// its states may be records of numbers and categories: keyed.h. On these `auto` is another
    /// name of `forest`, whose traits are asked for by that name.
    LGKT_TRAIT_RECORDS = 64
} lgkt_trait;
/// One word for trait number i, whose bit is 1 << i: "law", "fed", "shared", "masked", "grown",
/// "states", "records"; NULL beyond the last.
LGKT_API const char *lgkt_trait_name(int32_t i);
/// The traits of a spec: of the learner that it names with these settings and with the learners that
/// it holds. LGKT_ERR_UNKNOWN_NAME and LGKT_ERR_SPEC for what is wrong with the spec. Nullable:
/// error.
LGKT_API lgkt_status lgkt_learner_traits(const char *spec, uint32_t *traits, lgkt_error *error);

/// Parameter number i of an entry; NULL beyond the last.
LGKT_API const lgkt_param *lgkt_entry_param(const lgkt_entry *entry, int32_t i);
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
