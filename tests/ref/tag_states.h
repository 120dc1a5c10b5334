// SPDX-License-Identifier: MIT
// States recorded at a tag, in tests/tag-<version>/states: every later version must load them, or
// refuse them by class and version. Calls assert (cmocka).
//
// Each row of index.csv is one: kind (learner, keyed, units, trajectory), file, LGKT_NUMBERS of the
// recording build, what the process needs to go on, a hash of what it plays after it was loaded,
// and its spec, which is the rest of the line.
#ifndef LGKT_TESTS_TAG_STATES_H
#define LGKT_TESTS_TAG_STATES_H

#include "lgkt/learner.h"

// Records all registered learners, some within others, keyed learners, units and trajectories.
void tag_states_record(const char *folder);

// Loads all that the folder has and plays on; returns how many there are. What is played must be
// what was recorded. States of auto from 0.1.0 must be refused with the version to run them with,
// and do not count. `look` (nullable) is shown every learner as it was loaded.
int tag_states_check(const char *folder, void (*look)(const lgkt_learner *learner));

#endif
