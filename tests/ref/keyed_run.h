// SPDX-License-Identifier: MIT
// A process on states that come up one by one, and keyed learners on it. Calls assert (cmocka).
#ifndef LGKT_TESTS_KEYED_RUN_H
#define LGKT_TESTS_KEYED_RUN_H

#include "lgkt/env.h"
#include "lgkt/keyed.h"

enum { KEYED_RUN_ACTIONS = 3, KEYED_RUN_STATES = 200, KEYED_RUN_KEY = 40 };

// The key of state x of the process: 0 to KEYED_RUN_KEY bytes, some of them 0; returns the size.
size_t keyed_run_key(int32_t x, unsigned char key[KEYED_RUN_KEY]);

// A config without states for this many steps.
lgkt_learner_config keyed_run_config(int64_t horizon);
lgkt_keyed *keyed_run_make(const char *spec, const lgkt_learner_config *config,
                           int32_t state_limit);

// A run under way. What a step brings depends on seed, time, state and action only. Step t leads to
// one of the first 2 + t/2 states of a fixed order, while there are that many; one in ten is
// cut, and the run goes on in a state that was not told.
typedef struct keyed_run {
    lgkt_keyed *keyed; // borrowed
    uint64_t seed;
    int32_t states; // of the process
    int32_t state;  // to act in
    int32_t action; // in play; -1: act comes next
} keyed_run;

keyed_run keyed_run_start(lgkt_keyed *keyed, int32_t states, uint64_t seed);
lgkt_step keyed_run_outcome(const keyed_run *run);
// The next half of a step, act or observe; the run moves on if it is LGKT_OK.
lgkt_status keyed_run_half(keyed_run *run);
// Half steps that must go well.
void keyed_run_play(keyed_run *run, int64_t halves);

// Saved into a block of its own, to be freed.
unsigned char *keyed_run_save(const lgkt_keyed *keyed, size_t *size);
lgkt_keyed *keyed_run_load(const unsigned char *bytes, size_t size,
                           const lgkt_learner_config *config);

#endif
