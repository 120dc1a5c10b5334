// SPDX-License-Identifier: MIT
// What a programme is: its config as read from JSON, and its states between JSON and bytes.
//
// {"name": "berg",                        [a-z0-9][a-z0-9-]{0,62}
//  "learner": "auto",                     a spec; `explore` is refused: set floor instead
//  "actions": ["nothing", "message", ..], 1 .. 256 names
//  "state": [{"name": "mood", "values": 3}, {"name": "time", "values": ["am", "pm"]}],
//                                         numbered: all combinations; with "state_limit": keyed, as
//                                         they come; a part without `values` is any text then
//  "features": [{"name": "age"}, {"name": "sex", "values": ["f", "m"]}],
//                                         in place of `state`: records, numbers or categories; null
//                                         and what is left out is missing
//  "horizon": 24000, "unit_limit": 200,
//  "patience": 8000,                      default 65536; at least 2 unit_limit
//  "missing": null, "seed": 42,           default: drawn
//  "floor": 0.02,                         default 0
//  "fallback": [0.7, 0.3, 0, 0],          default: all alike
//  "limits": [{"action": "call", "max": 2, "window": "P7D"}],
//  "reward_range": [0, 1], "reward_sd": 0.5,
//  "propensities": "required",            or "optional"
//  "mode": "live"}                        or "apprentice"
#pragma once

#include <jansson.h>

#include "lgkt/lgkt.h"
#include "serve/record.h"
#include "serve/values.h"

typedef enum srv_mode {
    SRV_APPRENTICE, // the product decides, the learner watches
    SRV_LIVE,
    SRV_FALLBACK, // the kill switch
    SRV_PAUSED,   // no decisions
    SRV_ENDED,    // reports only
    SRV_SEALED,   // nothing changes any more
    SRV_MODE_COUNT
} srv_mode;
const char *srv_mode_name(srv_mode mode);

// a part of a state, or a feature
typedef struct srv_part {
    const char *name;
    int32_t count;       // of values; 0: any number (feature), any text (key)
    const json_t *texts; // borrowed from the config: the values; NULL: 0 .. count - 1
} srv_part;

typedef struct srv_limit {
    int32_t action;
    int32_t most;   // 1 .. 1000
    int64_t window; // microseconds
} srv_limit;

typedef enum srv_states { SRV_NUMBERED, SRV_KEYED, SRV_RECORDS } srv_states;

enum { SRV_MAX_LIMITS = 16, SRV_MAX_PARTS = 256 };

typedef struct srv_programme {
    json_t *config; // owned: as it was given, with defaults filled in and what was changed since
    const char *name, *learner;
    int32_t actions;
    const char *action_names[SRV_MAX_ACTIONS];
    int32_t by_name[SRV_MAX_ACTIONS]; // (actions) the actions in the order of their names
    srv_states kind;
    int32_t parts;
    srv_part part[SRV_MAX_PARTS];
    int32_t states; // numbered: all; keyed: the limit
    int64_t horizon, patience;
    int32_t unit_limit;
    double missing, floor, reward_min, reward_max, reward_sd;
    uint64_t seed;
    double fallback[SRV_MAX_ACTIONS];
    int32_t limits;
    srv_limit limit[SRV_MAX_LIMITS];
    bool law_required;
    srv_mode mode;
    uint32_t traits;
} srv_programme;

// LGKT_ERR_CONFIG and others, with a line that names the bad value. Takes a reference to the config.
// `drawn` is the seed where none is given.
lgkt_status srv_programme_read(json_t *config, uint64_t drawn, srv_programme *programme,
                               lgkt_error *error);
void srv_programme_release(srv_programme *programme);
// Whether a text can be the name of a programme.
bool srv_programme_name(const char *name);
// Applies {mode?, reason?, horizon?, floor?, limits?}; on failure nothing has changed.
lgkt_status srv_programme_change(srv_programme *programme, const json_t *change, int64_t made,
                                 lgkt_error *error);

// A state by name as bytes: a number (4 bytes), a key, or doubles. Returns the size, 0 on failure:
// LGKT_ERR_ARGUMENT with a line that names the part.
size_t srv_state_read(const srv_programme *programme, const srv_value *state,
                      unsigned char bytes[SRV_MAX_STATE], lgkt_error *error);
// The state that bytes stand for; NULL if memory is out, or they stand for none.
json_t *srv_state_json(const srv_programme *programme, const unsigned char *bytes, size_t size);
// The number of an action's name; -1 with a line that has the nearest one.
int32_t srv_action_named(const srv_programme *programme, const char *text, int32_t size,
                         lgkt_error *error);
int32_t srv_action_of(const srv_programme *programme, const srv_value *name, lgkt_error *error);

// The seconds of "P7D", "PT12H", "P1DT30M"; without years and months, whose length is not fixed.
bool srv_duration_read(const char *text, int64_t *microseconds);
