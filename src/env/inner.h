// SPDX-License-Identifier: MIT
// What environments share that are made around another one: its creation, and its run within
// theirs.
//
// The inner run is the own state of the outer one, in trajectory->self. Clock and generator are
// those of the outer run, and the inner one has them for a call; its state is its own.
#ifndef LGKT_ENV_INNER_H
#define LGKT_ENV_INNER_H

#include "env/env_private.h"

// Whether a spec is of the environment `name`.
bool lgkt_inner_named(const char *spec, const char *name);
// Makes the inner environment from the same seed, instance and data as `env`, in whose runs there
// is then room for one of it. Who calls has seen to it that specs cannot nest without end.
lgkt_status lgkt_inner_create(lgkt_env *env, const char *spec, const lgkt_env_config *config,
                              lgkt_env **inner, lgkt_error *error);

static inline lgkt_trajectory *lgkt_inner_run(lgkt_trajectory *trajectory)
{
    return (void *)trajectory->self;
}

// Begins the inner run, with u for its start state.
void lgkt_inner_start(lgkt_trajectory *trajectory, const lgkt_env *inner, double u);
// Plays an action in the inner run. Moves its state, not that of the outer run.
void lgkt_inner_step(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step);
// Visits what the class of the inner environment adds; the state of the inner run is set before.
void lgkt_inner_visit(lgkt_trajectory *trajectory, lgkt_archive *archive);

#endif
