// SPDX-License-Identifier: MIT
// Many units at once, and rewards that come late or never: one learner for all of them.
//
// A unit (a patient, a machine, a player) has an id of the caller's and goes its own way through
// the same states. Each act of a unit is a decision with a number, 0, 1, 2, .. over all units. Its
// reward and its next state are reported when they are known, in any order:
//
//     lgkt_units_act(units, patient, state, NULL, &decision, &action)
//     ...
//     lgkt_units_reward(units, decision, reward)
//     lgkt_units_next(units, decision, next_state, ended)
//
// The learner learns a decision once both are known. Where a unit acts before its next state was
// reported, the state it acts in is that. The same report again changes nothing, another one is
// refused. A decision is open to reports until `patience` more have been made. One that has no
// reward by then gets the default reward, or is forgotten; one that has no next state is taken for
// cut. Later reports are refused, also those that were taken before.
//
// With one unit and prompt reports it is the plain learner, action by action; with unit_horizon
// psrl:plan=left alone is not, since its plans are as long as the longest that units may need. What
// belongs to one trajectory (an estimation run of LGKT, the pair before) stays within its unit. It
// goes on if all was reported of a decision before the unit's next one, its act included, and is
// given up otherwise; what is reported later still counts, as a step that stands alone. Learners
// that cannot be shared are refused by name. For them all, the time is the number of decisions
// made.
//
// A call that is refused returns a status, explains itself in lgkt_units_message and changes
// nothing. All memory for acts and reports is taken at creation, but for four cases: where states
// are keys, new ones take memory (keyed.h); with `window` reports may; steps that somebody else
// chose may (take, feed); and one that was loaded takes memory as there are more units and
// decisions. A lack of it is a refusal like any other, LGKT_ERR_NO_MEMORY; with `anytime` alone,
// which takes memory to act, an act that is refused for it has settled (lgkt_units_settle). A
// function that only reads answers a NULL handle with NULL, "", 0 or -1. A handle is for one thread
// at a time, also for reading.
#ifndef LGKT_UNITS_H
#define LGKT_UNITS_H

#include "lgkt/keyed.h"
#include "lgkt/learner.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lgkt_units lgkt_units;

/// Make it with lgkt_units_config_default, then set the limit of units.
typedef struct lgkt_units_config {
    size_t size;        ///< of this struct, as the program was compiled with; set by _default
    int32_t unit_limit; ///< units that there may be at the same time, 1 .. 2^24; must be set
    /// Decisions after which a report is too late, 1 .. 2^30; default 65536. Memory is taken for
    /// as many, or for the horizon if that is shorter.
    int64_t patience;
    double missing; ///< the reward of a decision whose reward never came; NaN (default): forget it
    /// Decisions of a single unit; 0 (default): as many as it likes. The horizon of the learner's
    /// config is the number of all decisions, in either case.
    int64_t unit_horizon;
    /// States are keys if state_limit is set: see keyed.h. Default: they are numbers.
    lgkt_keyed_config keys;
} lgkt_units_config;

/// Fills in the defaults of a config of `size` bytes.
LGKT_API void lgkt_units_config_init(lgkt_units_config *config, size_t size);
static inline lgkt_units_config lgkt_units_config_default(void)
{
    lgkt_units_config config;
    lgkt_units_config_init(&config, sizeof config);
    return config;
}

/// As lgkt_learner_create, or as lgkt_keyed_create where states are keys. LGKT_ERR_UNSUPPORTED for
/// a learner that units cannot share. Nullable: error.
LGKT_API lgkt_status lgkt_units_create(const char *spec, const lgkt_learner_config *config,
                                       const lgkt_units_config *units_config, lgkt_units **units,
                                       lgkt_error *error);
LGKT_API void lgkt_units_destroy(lgkt_units *units);

/// In place of a state: the one that was reported as the unit's next.
#define LGKT_STATE_REPORTED (-1)

/// Chooses an action for a unit; a new id is a new unit, LGKT_ERR_SHAPE if that is one too many.
/// Ids are found by a hash that is no secret: strangers should not choose them. `allowed` as in
/// lgkt_learner_act. LGKT_ERR_PROTOCOL if the state is another one than was reported, or none
/// was; LGKT_ERR_HORIZON at the end of all decisions or of the unit's. Nullable: allowed.
LGKT_API lgkt_status lgkt_units_act(lgkt_units *units, uint64_t unit, int32_t state,
                                    const uint8_t *allowed, int64_t *decision, int32_t *action);
/// Reports. LGKT_ERR_ARGUMENT for a decision that was never made, LGKT_ERR_HORIZON for one that is
/// too old, LGKT_ERR_PROTOCOL for a report that differs from an earlier one, or from the state that
/// the unit has acted in since. `ended` is as for lgkt_learner_observe; after it the unit's next act
/// may be in any state, which it must say.
LGKT_API lgkt_status lgkt_units_reward(lgkt_units *units, int64_t decision, double reward);
LGKT_API lgkt_status lgkt_units_next(lgkt_units *units, int64_t decision, int32_t next_state,
                                     bool ended);

/// Makes no choice and no decision, but lets the learner learn what the unit's next act in this
/// state would let it learn first: a decision before of the unit that led here, and one that the
/// next decision makes too old for reports, which is closed to them from now on. An act in the same
/// state is then bit for bit what it would have been without, and a second settle changes nothing.
/// So settle, explain, act says with which probability the action was drawn. A new unit stays new; a
/// new key becomes known. Refused where the act would be.
LGKT_API lgkt_status lgkt_units_settle(lgkt_units *units, uint64_t unit, int32_t state);
/// A decision that somebody else has made, e.g. a doctor who overrides the learner: as an act with
/// this action, with its number, its place in horizon and patience and its reports, but nothing is
/// drawn, and the learner learns it as a step that another one chose. LGKT_ERR_UNSUPPORTED for
/// learners that cannot (lgkt_learner_feed), LGKT_ERR_ARGUMENT for an action that is not allowed.
/// Nullable: allowed.
LGKT_API lgkt_status lgkt_units_take(lgkt_units *units, uint64_t unit, int32_t state,
                                     const uint8_t *allowed, int32_t action, int64_t *decision);

/// Lets the learner watch a whole step of a unit that another one chose, e.g. of its history. It
/// makes no decision and counts for no horizon; a new id is a new unit. Rows of one unit, in order,
/// are one trajectory: a row in the state that the one before led to follows on it, and so does an
/// act; `ended`, or another state, starts a new one. After a row the unit's next act may be in any
/// state. A decision of the unit that is still open says no longer where the unit is: it is learned
/// as one that stands alone when all was reported. LGKT_ERR_UNSUPPORTED as for take.
LGKT_API lgkt_status lgkt_units_feed(lgkt_units *units, uint64_t unit, int32_t state,
                                     int32_t action, double reward, int32_t next_state, bool ended);

/// A step to be fed. Where states are keys, `key` and `next_key` stand for the states; else they are
/// not read.
typedef struct lgkt_units_row {
    uint64_t unit;
    int32_t state, action, next_state;
    bool ended;
    double reward;
    const void *key, *next_key;
    size_t key_size, next_key_size;
} lgkt_units_row;

/// Feeds rows in their order, all of them or none: where one is refused nothing has changed, and the
/// message names the row, from 0 on, and what is wrong in it. `row_size` is sizeof(lgkt_units_row).
/// Takes memory and time as a save and a load do beside what the rows take.
LGKT_API lgkt_status lgkt_units_feed_rows(lgkt_units *units, const lgkt_units_row *rows,
                                          size_t count, size_t row_size);

/// As lgkt_keyed_name_feature and lgkt_keyed_category, where states are records.
LGKT_API lgkt_status lgkt_units_name_feature(lgkt_units *units, int32_t feature, const char *name);
LGKT_API lgkt_status lgkt_units_category(lgkt_units *units, int32_t feature, const char *text,
                                         int32_t *category);

/// The same where states are keys; NULL with size SIZE_MAX stands for LGKT_STATE_REPORTED.
LGKT_API lgkt_status lgkt_units_act_key(lgkt_units *units, uint64_t unit, const void *key,
                                        size_t size, const uint8_t *allowed, int64_t *decision,
                                        int32_t *action);
LGKT_API lgkt_status lgkt_units_settle_key(lgkt_units *units, uint64_t unit, const void *key,
                                           size_t size);
LGKT_API lgkt_status lgkt_units_take_key(lgkt_units *units, uint64_t unit, const void *key,
                                         size_t size, const uint8_t *allowed, int32_t action,
                                         int64_t *decision);
LGKT_API lgkt_status lgkt_units_feed_key(lgkt_units *units, uint64_t unit, const void *key,
                                         size_t size, int32_t action, double reward,
                                         const void *next_key, size_t next_size, bool ended);
LGKT_API lgkt_status lgkt_units_next_key(lgkt_units *units, int64_t decision, const void *key,
                                         size_t size, bool ended);

/// A unit is gone: its id may come again as a new unit. Reports on its decisions still count.
LGKT_API lgkt_status lgkt_units_leave(lgkt_units *units, uint64_t unit);
/// Moves the end: of all decisions, as lgkt_learner_set_horizon; and of each unit, where units have
/// an end (0: as it was). LGKT_ERR_ARGUMENT if more decisions were made already.
LGKT_API lgkt_status lgkt_units_set_horizon(lgkt_units *units, int64_t horizon,
                                            int64_t unit_horizon);

/// Raises limits, also those of one that was loaded; 0: as it was. Takes the memory for them.
/// Decisions that were too old for reports stay so. LGKT_ERR_ARGUMENT for a limit that would fall,
/// LGKT_ERR_CONFIG for one above what lgkt_units_create takes.
LGKT_API lgkt_status lgkt_units_raise_limits(lgkt_units *units, int32_t unit_limit,
                                             int64_t patience);

/// As lgkt_learner_explain, of the unit's next act, by what the learner has learned so far: the law
/// of the act itself after lgkt_units_settle in the same state. An id that is not there stands for a
/// new unit. Nullable: allowed, error.
LGKT_API lgkt_status lgkt_units_explain(const lgkt_units *units, uint64_t unit, int32_t state,
                                        const uint8_t *allowed, lgkt_reason *reasons,
                                        size_t reason_size, lgkt_error *error);
/// The same where states are keys: one that was seen, also by settle, or as above.
LGKT_API lgkt_status lgkt_units_explain_key(const lgkt_units *units, uint64_t unit, const void *key,
                                            size_t size, const uint8_t *allowed,
                                            lgkt_reason *reasons, size_t reason_size,
                                            lgkt_error *error);

/// Decisions made so far, those that still wait for a reward or a next state, and units that are
/// there.
LGKT_API int64_t lgkt_units_decisions(const lgkt_units *units);
LGKT_API int64_t lgkt_units_open(const lgkt_units *units);
LGKT_API int32_t lgkt_units_count(const lgkt_units *units);
/// Decisions whose reward never came: forgotten, or learned with the default reward.
LGKT_API int64_t lgkt_units_expired(const lgkt_units *units);
/// The learner behind, for looking only (lgkt_learner_policy ..), and its keys, NULL where states
/// are numbers; they live as long as units. What is one unit's own in it is that of the last one.
LGKT_API const lgkt_learner *lgkt_units_learner(const lgkt_units *units);
LGKT_API const lgkt_keyed *lgkt_units_keys(const lgkt_units *units);
/// Bytes held, those of the learner and of keys included. Beside them it is 32 for each decision
/// of patience, rounded up to a power of two, and for each unit of the limit 48 and what the
/// learner keeps of a trajectory, some 100 at most.
LGKT_API size_t lgkt_units_bytes(const lgkt_units *units);
/// One line on the last refused call; "" if there was none.
LGKT_API const char *lgkt_units_message(const lgkt_units *units);
/// A hash of the whole mutable state: equal before and after a refused call.
LGKT_API uint64_t lgkt_units_hash(const lgkt_units *units);

/// As lgkt_learner_copy; it takes memory as one that was saved and loaded. Nullable: error.
LGKT_API lgkt_status lgkt_units_copy(const lgkt_units *units, lgkt_units **copy, lgkt_error *error);
/// As lgkt_learner_save and lgkt_learner_load, open decisions, units and keys included; where
/// states are keys, problem.states of the config stays 0.
LGKT_API lgkt_status lgkt_units_save(const lgkt_units *units, void *buffer, size_t capacity,
                                     size_t *size, lgkt_error *error);
LGKT_API lgkt_status lgkt_units_load(const void *buffer, size_t size,
                                     const lgkt_learner_config *config, lgkt_units **units,
                                     lgkt_error *error);

#ifdef __cplusplus
}
#endif
#endif
