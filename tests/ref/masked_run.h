// SPDX-License-Identifier: MIT
// Every name among the learners, and runs in which some actions are not allowed at some steps.
#ifndef LGKT_TESTS_MASKED_RUN_H
#define LGKT_TESTS_MASKED_RUN_H

#include "ref/learner_run.h"

// The i-th of: every name alone, then specs with learners within learners and rules that the
// defaults do not show. False beyond the last.
bool masked_run_spec(int32_t i, char spec[LEARNER_RUN_SPEC]);

// Which actions are allowed at time t: one to all of them, depending on seed and t only.
void masked_run_mask(uint64_t seed, int64_t t, int32_t actions, uint8_t *allowed);
// As learner_run_play, among those of masked_run_mask; asserts that no other is played.
void masked_run_play(learner_run *run, int64_t steps, int32_t *actions);

#endif
