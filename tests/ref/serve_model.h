// SPDX-License-Identifier: MIT
// A programme as a list of all that happened, searched from its end to its beginning for everything,
// with the plain version of units (units_replay.h) as learner: what the machine must answer.
#ifndef LGKT_TESTS_SERVE_MODEL_H
#define LGKT_TESTS_SERVE_MODEL_H

#include "ref/serve_run.h"

// Makes the commands that the bytes say, good and bad ones, of both: statuses, actions and numbers of
// decisions must be the same. At the end the log is replayed, and a snapshot saved and loaded. NULL,
// or what was not as it should be.
const char *serve_model_calls(const uint8_t *bytes, size_t size);

#endif
