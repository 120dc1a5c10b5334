// SPDX-License-Identifier: MIT
// Environments within another one, and their runs within a run of that. See inner.c.
#pragma once

#include "env/env_private.h"

// Makes the next environment within `env`, from the spec that its parameter `key` has; in runs of
// `env` there is then room for one of it. What a learner is told of `env` is what it would be of
// the first one.
lgkt_status lgkt_inner_add(lgkt_env *env, const char *key, const char *spec,
                           const lgkt_env_config *config, bool needs_model, lgkt_error *error);

// Run i within a run.
lgkt_trajectory *lgkt_inner_run(lgkt_trajectory *trajectory, int i);
// Begins the runs of all inner environments, and takes over the state of the first one.
void lgkt_inner_start(lgkt_trajectory *trajectory, double u);
// Plays an action in inner run i. Moves its state, not that of the outer run; where that is hidden
// behind the one shown, the inner run keeps its own.
void lgkt_inner_step(lgkt_trajectory *trajectory, int i, bool hidden, int32_t action,
                     lgkt_step *step);
// Visits what the classes of the inner environments add.
void lgkt_inner_visit(lgkt_trajectory *trajectory, lgkt_archive *archive);
