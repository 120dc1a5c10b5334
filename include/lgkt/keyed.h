// SPDX-License-Identifier: MIT
// Learners on states that are not numbered beforehand: a state is any string of bytes.
//
// The front end numbers keys in the order they are first seen and lets the learner grow with them.
// It allocates during a run: tables grow geometrically, up to a limit on the number of states that
// must be given. A learner that cannot grow refuses with LGKT_ERR_UNSUPPORTED. Where a formula
// needs S, it is the number of states seen so far; lg1-2t-adaptive uses the limit.
// For the rest it is as learner.h says of refusals, memory and threads; but an act that lacks
// memory may leave a new state behind, of which nothing was learned.
//
// Keys are found by SipHash-2-4 under a secret key, so that nobody who does not know the secret can
// choose keys that collide. The secret does not influence what is learned.
//
// States may be vectors of numbers, too: with a view (view.h) a key is view.dims doubles, and its
// bins are the state. Where the edges are quantiles, all vectors are one state for the first
// view.warmup acts, the edges come from the vectors of these acts, and from the next observe on
// they stay as they are. Learning begins anew then, so that a warm-up is to be short; what was
// learned in that one state is no harm, as the run never comes back to it. A NaN is refused
// (LGKT_ERR_NOT_FINITE). docs/records.md has what this is worth.
//
// Or states are records: vectors of numbers and categories that are hardly ever the same twice and
// need no bins. The view has no cuts and state_limit is 0, a key is view.dims doubles, and NaN is
// what is missing. Learners that need states refuse records by name; `forest` takes them, and `auto`
// on records is another name of it. A record has no number: lgkt_keyed_states, lgkt_keyed_find and
// what asks for all states is LGKT_ERR_UNSUPPORTED. Names of features and texts of categories may be
// told; they belong to the state that is saved.
#ifndef LGKT_KEYED_H
#define LGKT_KEYED_H

#include "lgkt/base.h"
#include "lgkt/learner.h"
#include "lgkt/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lgkt_keyed lgkt_keyed;

/// Make it with lgkt_keyed_config_default, then set the limit.
typedef struct lgkt_keyed_config {
    size_t size; ///< of this struct, as the program was compiled with; set by _default
    /// most states there may be, 1 .. LGKT_MAX_STATES; must be set, but for records, where it is 0
    int32_t state_limit;
    size_t key_limit; ///< most bytes of a key; default 65536
    /// key of the hash; set it from a random source if keys come from strangers
    uint64_t secret[2];
    /// keys are vectors of numbers, size = dims * sizeof(double); copied. Default: keys are bytes.
    lgkt_view view;
    uint64_t reserved[4]; ///< 0
} lgkt_keyed_config;

/// Fills in the defaults of a config of `size` bytes.
LGKT_API void lgkt_keyed_config_init(lgkt_keyed_config *config, size_t size);
static inline lgkt_keyed_config lgkt_keyed_config_default(void)
{
    lgkt_keyed_config config;
    lgkt_keyed_config_init(&config, sizeof config);
    return config;
}

/// Makes a learner without states; problem.states of the config must be 0, and it can have no
/// model and no table of thresholds. Nullable: error.
LGKT_API lgkt_status lgkt_keyed_create(const char *spec, const lgkt_learner_config *config,
                                       const lgkt_keyed_config *keyed_config, lgkt_keyed **keyed,
                                       lgkt_error *error);
LGKT_API void lgkt_keyed_destroy(lgkt_keyed *keyed);

/// As lgkt_learner_act and lgkt_learner_observe, with keys for states. A key beyond the limit is
/// refused with LGKT_ERR_SHAPE and leaves everything as it was, as does a lack of memory. A key may
/// be empty (size 0, and then NULL too). Keys are copied. Nullable: allowed.
LGKT_API lgkt_status lgkt_keyed_act(lgkt_keyed *keyed, const void *key, size_t size,
                                    const uint8_t *allowed, int32_t *action);
LGKT_API lgkt_status lgkt_keyed_observe(lgkt_keyed *keyed, double reward, const void *next_key,
                                        size_t size, bool ended);
/// As lgkt_learner_jump.
LGKT_API lgkt_status lgkt_keyed_jump(lgkt_keyed *keyed);
/// As lgkt_learner_feed. Rows are pieces of trajectories: one whose state is bit for bit the next
/// state of the row before follows on it; any other, and any after `ended` or an act, starts a new
/// one. With a view these are the numbers, not their bins; rows do not count for the edges.
LGKT_API lgkt_status lgkt_keyed_feed(lgkt_keyed *keyed, const void *key, size_t size,
                                     int32_t action, double reward, const void *next_key,
                                     size_t next_size, bool ended);

/// As lgkt_learner_explain. A key that was never seen is explained by a copy that has seen it, which
/// takes memory and time as a save and a load do. Nullable: allowed, error.
LGKT_API lgkt_status lgkt_keyed_explain(const lgkt_keyed *keyed, const void *key, size_t size,
                                        const uint8_t *allowed, lgkt_reason *reasons,
                                        size_t reason_size, lgkt_error *error);

/// As lgkt_learner_set_horizon.
LGKT_API lgkt_status lgkt_keyed_set_horizon(lgkt_keyed *keyed, int64_t horizon);

/// As lgkt_learner_policy, for `count` records of a learner on records: records of shape (count, dims),
/// law of shape (count, A). LGKT_ERR_UNSUPPORTED for other keys. Nullable: error.
LGKT_API lgkt_status lgkt_keyed_policy(const lgkt_keyed *keyed, const double *records,
                                       int64_t count, double *law, lgkt_error *error);
/// As lgkt_keyed_explain, for as many records: reasons of shape (count, A). Nullable: error.
LGKT_API lgkt_status lgkt_keyed_explain_rows(const lgkt_keyed *keyed, const double *records,
                                             int64_t count, lgkt_reason *reasons,
                                             size_t reason_size, lgkt_error *error);

/// What a learner on records says of one feature of a record. All fields are doubles.
typedef struct lgkt_side {
    /// In all records with low < number <= high, and the same in other features, it does the same.
    double low, high;
    double category; ///< the same for a category, if it must be this one; else NaN
    double missing;  ///< 1 if the feature must be missing, 0 if it must not be; else NaN
    double matter;   ///< which share of what it knows of rewards comes from this feature
} lgkt_side;
/// The box around a record in which the learner takes all records for alike, but for a linear part;
/// and how much each feature matters. Sides of length dims. LGKT_ERR_UNSUPPORTED for learners that
/// have no boxes. Nullable: error.
LGKT_API lgkt_status lgkt_keyed_describe(const lgkt_keyed *keyed, const void *key, size_t size,
                                         lgkt_side *sides, lgkt_error *error);

/// What feature 0 .. dims - 1 of the records is; LGKT_ERR_UNSUPPORTED where keys are no records.
/// Nullable: error.
LGKT_API lgkt_status lgkt_keyed_kind(const lgkt_keyed *keyed, int32_t feature, lgkt_kind *kind,
                                     lgkt_error *error);
/// Tells how a feature is called, once; at most 1024 bytes. LGKT_ERR_PROTOCOL if it has another name.
LGKT_API lgkt_status lgkt_keyed_name_feature(lgkt_keyed *keyed, int32_t feature, const char *name);
/// The name of a feature; "" if it has none, NULL if there is no such feature.
LGKT_API const char *lgkt_keyed_feature_name(const lgkt_keyed *keyed, int32_t feature);
/// The number of a category that is known by a text of at most 1024 bytes. A text that is new gets
/// the first number that has none; LGKT_ERR_SHAPE if all have one.
LGKT_API lgkt_status lgkt_keyed_category(lgkt_keyed *keyed, int32_t feature, const char *text,
                                         int32_t *category);
/// The text of a category; "" if it has none, NULL if there is no such category.
LGKT_API const char *lgkt_keyed_category_text(const lgkt_keyed *keyed, int32_t feature,
                                              int32_t category);

/// States seen so far.
LGKT_API int32_t lgkt_keyed_states(const lgkt_keyed *keyed);
/// The number of a key, or -1 if it was never seen.
LGKT_API int32_t lgkt_keyed_find(const lgkt_keyed *keyed, const void *key, size_t size);
/// The key of a state seen so far, (*size) bytes that live until a further state is seen or keyed is
/// destroyed. NULL for no such state, and where there is a view, whose vectors are not kept.
LGKT_API const void *lgkt_keyed_key(const lgkt_keyed *keyed, int32_t number, size_t *size);
/// Numbers of a vector where there is a view; 0: keys are bytes.
LGKT_API int32_t lgkt_keyed_dims(const lgkt_keyed *keyed);
/// Acts still to come before the edges of a view are there; 0 without a view.
LGKT_API int64_t lgkt_keyed_warmup(const lgkt_keyed *keyed);
/// The learner behind, for looking only; it lives as long as keyed.
LGKT_API const lgkt_learner *lgkt_keyed_learner(const lgkt_keyed *keyed);
/// One line on the last refused call; "" if there was none.
LGKT_API const char *lgkt_keyed_message(const lgkt_keyed *keyed);
/// A hash of the whole mutable state, keys included: equal before and after a refused call.
LGKT_API uint64_t lgkt_keyed_hash(const lgkt_keyed *keyed);
/// Bytes held, those of the learner included.
LGKT_API size_t lgkt_keyed_bytes(const lgkt_keyed *keyed);

/// As lgkt_learner_copy; it takes memory as one that was saved and loaded. Nullable: error.
LGKT_API lgkt_status lgkt_keyed_copy(const lgkt_keyed *keyed, lgkt_keyed **copy, lgkt_error *error);
/// As lgkt_learner_save and lgkt_learner_load, keys, limits, secret and view included;
/// problem.states of the config stays 0.
LGKT_API lgkt_status lgkt_keyed_save(const lgkt_keyed *keyed, void *buffer, size_t capacity,
                                     size_t *size, lgkt_error *error);
LGKT_API lgkt_status lgkt_keyed_load(const void *buffer, size_t size,
                                     const lgkt_learner_config *config, lgkt_keyed **keyed,
                                     lgkt_error *error);

#ifdef __cplusplus
}
#endif
#endif
