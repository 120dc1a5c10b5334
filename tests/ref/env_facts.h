// SPDX-License-Identifier: MIT
// What is asked of an environment with a model: its gains, and that its runs follow it. Every call
// asserts (cmocka) that it went well.
#ifndef LGKT_TESTS_ENV_FACTS_H
#define LGKT_TESTS_ENV_FACTS_H

#include "lgkt/env.h"

// Average reward per step of the best policy, to 1e-12.
double env_facts_gain(const char *spec);
// That of playing all actions alike, to a tolerance: random play can take long to mix.
double env_facts_uniform_gain(const char *spec, double tolerance);
// The largest minus the smallest entry of the bias of the best policy.
double env_facts_span(const char *spec);

// P(next | s, a) of a model, 0 where there is no such move.
double env_facts_probability(const lgkt_mdp *mdp, int32_t s, int32_t a, int32_t next);

// Plays `steps` random actions. Counts of moves are those of the model and rewards have its means,
// within bounds that hold except with probability 1e-7 each; for rewards it is that of the noise
// scale that the problem tells.
void env_facts_check_run(const char *spec, int64_t steps);

// The best action of each state in the long run, ties to the lowest. At most 128 states.
void env_facts_best(const lgkt_env *env, int32_t *actions);

// Each of the specs, up to the first that is NULL, is refused with LGKT_ERR_SPEC and its words.
typedef struct env_facts_bad {
    const char *spec;
    const char *words;
} env_facts_bad;
void env_facts_check_refused(const env_facts_bad *cases);

#endif
