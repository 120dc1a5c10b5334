// SPDX-License-Identifier: MIT
// Must not compile: a settings struct that is larger than the room there is for settings.

#include "learners/front/learner_private.h"

typedef struct large_settings {
    double value;
    char rest[LGKT_SETTINGS_BYTES];
} large_settings;

const lgkt_param_row large_params[] = {
    LGKT_ROW_REAL(large_settings, value, "value", "1", 0, 1, "a number"),
};
