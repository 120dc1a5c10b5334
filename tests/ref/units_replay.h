// SPDX-License-Identifier: MIT
// Units and their decisions as a log that is searched from its end to its beginning for everything:
// a slow and plain version of the front for units, for learners that keep nothing of a trajectory.
//
// A string of bytes becomes a sequence of calls, good and bad ones, that are made to both.
#ifndef LGKT_TESTS_UNITS_REPLAY_H
#define LGKT_TESTS_UNITS_REPLAY_H

#include "lgkt/units.h"
#include "ref/fault.h"

// The log, and a plain learner that is told what the log says, when it says so.
typedef struct units_replay units_replay;

// States that are keys are numbered as they come; the learner knows all of them beforehand.
units_replay *units_replay_make(const char *spec, const lgkt_learner_config *config,
                                const lgkt_units_config *set);
void units_replay_free(units_replay *replay);

// As the functions of units.h. Where states are keys, state x stands for the key of that name.
lgkt_status units_replay_act(units_replay *replay, uint64_t unit, int32_t state,
                             const uint8_t *allowed, int32_t *action);
lgkt_status units_replay_settle(units_replay *replay, uint64_t unit, int32_t state);
lgkt_status units_replay_take(units_replay *replay, uint64_t unit, int32_t state,
                              const uint8_t *allowed, int32_t action);
lgkt_status units_replay_reward(units_replay *replay, int64_t decision, double reward);
lgkt_status units_replay_next(units_replay *replay, int64_t decision, int32_t next, bool ended);
// All rows of one unit, or none.
lgkt_status units_replay_feed(units_replay *replay, const lgkt_units_row *rows, size_t count);
lgkt_status units_replay_leave(units_replay *replay, uint64_t unit);
lgkt_status units_replay_set_horizon(units_replay *replay, int64_t horizon, int64_t unit_horizon);
lgkt_status units_replay_raise_limits(units_replay *replay, int32_t unit_limit, int64_t patience);

// Makes the calls that the bytes say and compares status, action, counts and, where states are
// numbers, the whole learner after each; a refused call must leave the hash as it was. NULL, or
// what was not as it should be. About half of the calls lack memory first, and are made again.
const char *units_replay_calls(const uint8_t *bytes, size_t size, fault *memory);

#endif
