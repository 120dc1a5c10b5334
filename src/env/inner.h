// SPDX-License-Identifier: MIT
// What environments share that are made around another one: its creation, and its run within
// theirs.
//
// The inner run is the own state of the outer one, in trajectory->self; where there are two, the
// second follows the first. Clock and generator are those of the outer run, and the inner one has
// them for a call; its state is its own.
#ifndef LGKT_ENV_INNER_H
#define LGKT_ENV_INNER_H

#include "env/env_private.h"

// Makes the next environment within `env`, from the spec that its parameter `key` has and a config,
// that of `env` perhaps; in runs of `env` there is then room for one more of it. What needs a model
// says so.
lgkt_status lgkt_inner_create(lgkt_env *env, const char *key, const char *spec,
                              const lgkt_env_config *config, bool needs_model, lgkt_error *error);

// Bytes of an inner run.
static inline size_t lgkt_inner_size(const lgkt_env *inner)
{
    const size_t size = sizeof(lgkt_trajectory) + inner->run_size, align = alignof(max_align_t);
    return (size + align - 1) / align * align;
}

static inline lgkt_trajectory *lgkt_inner_run(lgkt_trajectory *trajectory)
{
    return (void *)trajectory->self;
}

// The second of two.
static inline lgkt_trajectory *lgkt_inner_second(lgkt_trajectory *trajectory)
{
    return (void *)(trajectory->self + lgkt_inner_size(lgkt_inner_run(trajectory)->env));
}

// Begins the run of an inner environment, with u for its start state.
void lgkt_inner_start(lgkt_trajectory *trajectory, lgkt_trajectory *run, const lgkt_env *inner,
                      double u);
// Plays an action in an inner run. Moves its state, not that of the outer run.
void lgkt_inner_step(lgkt_trajectory *trajectory, lgkt_trajectory *run, int32_t action,
                     lgkt_step *step);
// Visits what the class of an inner environment adds; the state of its run is set before.
void lgkt_inner_visit(lgkt_trajectory *trajectory, lgkt_trajectory *run, lgkt_archive *archive);

#endif
