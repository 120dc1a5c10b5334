// SPDX-License-Identifier: MIT
// Environments and runs for tests; every call asserts (cmocka) that it went well.
#ifndef LGKT_TESTS_ENV_RUN_H
#define LGKT_TESTS_ENV_RUN_H

#include "lgkt/env.h"

// What the environment of a spec takes of a model and a series (both nullable).
lgkt_data env_run_data(const char *spec, const lgkt_mdp *model, const double *series, size_t count);
// Nullable: config.
lgkt_env *env_run_make(const char *spec, const lgkt_env_config *config);
// The run of instance 0 of a seed.
lgkt_trajectory *env_run_start(const lgkt_env *env, int64_t horizon, uint64_t seed);
// An action that may be played: this one, or the next one that is allowed.
int32_t env_run_allowed(const lgkt_env *env, const lgkt_trajectory *run, int32_t action);
// Plays an action; the state of the step is that of the run.
lgkt_step env_run_play(lgkt_trajectory *run, int32_t action);
// Every environment of the registry is named by one of the specs.
void env_run_check_all_named(const char *const *specs, int count);

// That each spec, specs[i][0], is refused with words that specs[i][1] are part of.
void env_run_check_refused(const char *const (*specs)[2], size_t count);

#endif
