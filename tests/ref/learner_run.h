// SPDX-License-Identifier: MIT
// Learners and runs for tests; every call asserts (cmocka) that it went well.
#ifndef LGKT_TESTS_LEARNER_RUN_H
#define LGKT_TESTS_LEARNER_RUN_H

#include "lgkt/env.h"
#include "lgkt/learner.h"
#include "lgkt/spec.h"

// Group fixtures: *state is a random model of these sizes.
enum { LEARNER_RUN_STATES = 3, LEARNER_RUN_ACTIONS = 4 };
int learner_run_setup(void **state);
int learner_run_teardown(void **state);

// Room for a spec of learner_run_spec.
#define LEARNER_RUN_SPEC 128

// The i-th of: every name alone, with each value of each choice (profiles among them), with the
// samplers, and with a few depths k. False beyond the last.
bool learner_run_spec(int32_t i, char spec[LEARNER_RUN_SPEC]);

// The entry that a spec names, and whether it knows the true model.
const lgkt_entry *learner_run_entry(const char *spec);
bool learner_run_is_oracle(const char *spec);
// Whether it may be within another: it can be fed, and need not be the outermost.
bool learner_run_can_serve(const lgkt_learner *learner);

// A config that tells all there is to tell about a model, the model included; noise 0.5.
lgkt_learner_config learner_run_config(const lgkt_mdp *model, int64_t horizon);
lgkt_learner *learner_run_make(const char *spec, const lgkt_learner_config *config);

// A run under way. Its noise depends on seed, time, state and action only, so that learners who act
// alike see the same.
typedef struct learner_run {
    lgkt_learner *learner; // borrowed
    const lgkt_mdp *model; // borrowed
    uint64_t seed;
    double cuts;   // probability that a step is cut
    int32_t state; // to act in
} learner_run;

// What a step would bring.
lgkt_step learner_run_outcome(const learner_run *run, int32_t action);
// Plays steps and writes the actions, unless that is NULL.
void learner_run_play(learner_run *run, int64_t steps, int32_t *actions);

// The value of a counter, or -1 if the learner has none of that name.
int64_t learner_run_counter(const lgkt_learner *learner, const char *name);

#endif
