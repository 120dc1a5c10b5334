// SPDX-License-Identifier: MIT
// What an environment is made of, inside: a class (parameter table and functions), the immutable
// world, and the trajectory through it. A class puts lgkt_env and lgkt_trajectory first in its own
// structs and tells their sizes.
#ifndef LGKT_ENV_PRIVATE_H
#define LGKT_ENV_PRIVATE_H

#include "core/archive.h"
#include "core/settings.h"
#include "lgkt/env.h"
#include "lgkt/rng.h"

#define LGKT_PARAM_COUNT(params) ((int32_t)(sizeof(params) / sizeof((params)[0])))

// Plays one action that exists, with time left: draws, writes *step and moves trajectory->state.
typedef void (*lgkt_step_fn)(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step);

typedef struct lgkt_env_class {
    lgkt_entry entry;
    size_t env_size; // of the struct that begins with lgkt_env
    size_t
        trajectory_size; // of the struct that begins with lgkt_trajectory; build() may enlarge it
    // Fills the zeroed world; on failure release() is called on what was built.
    lgkt_status (*build)(lgkt_env *env, const lgkt_spec *spec, const lgkt_env_config *config,
                         lgkt_error *error);
    // Frees what build() allocated; accepts a partly built world.
    void (*release)(lgkt_env *env);
    // Sets state and step function; u is the uniform number of the start state.
    void (*start)(lgkt_trajectory *trajectory, double u);
    // The bytes behind the state; NULL where the state number is all there is.
    const void *(*observation)(const lgkt_trajectory *trajectory, size_t *size);
    // Adds to a hash what steps depend on beyond the model. May be NULL.
    uint64_t (*hash)(const lgkt_env *env, uint64_t hash);
    // Visits what a run changes beyond time, state and generator. May be NULL.
    void (*visit)(lgkt_trajectory *trajectory, lgkt_archive *archive);
} lgkt_env_class;

struct lgkt_env {
    const lgkt_env_class *kind;
    lgkt_allocator allocator;
    size_t trajectory_size; // of the class, or what build() has made of it
    const lgkt_mdp *model;  // owned; NULL where there is none
    int32_t states;
    int32_t actions;
    double reward_min; // of the mean rewards
    double reward_max;
    double reward_sd;
    char note[200];
};

struct lgkt_trajectory {
    lgkt_step_fn step;
    const lgkt_env *env;
    int64_t time;
    int64_t horizon;
    int32_t state;
    int32_t actions; // copy of env->actions, for the check of every step
    lgkt_rng rng;    // stream "environment"
    lgkt_allocator allocator;
    lgkt_error error; // the last refused call
};

extern const lgkt_env_class lgkt_synthetic_class;
extern const lgkt_env_class lgkt_riverswim_class;
extern const lgkt_env_class lgkt_gap_class;
extern const lgkt_env_class lgkt_linear_gap_class;
extern const lgkt_env_class lgkt_frozenlake_class;
extern const lgkt_env_class lgkt_trading_class;
extern const lgkt_env_class lgkt_model_class;
extern const lgkt_env_class lgkt_scaled_class;

// Takes over a model and copies its sizes and reward range.
void lgkt_env_adopt(lgkt_env *env, const lgkt_mdp *model);

// A hash of everything that a step depends on.
uint64_t lgkt_env_hash(const lgkt_env *env);

// Puts a model into a builder; p (S) is room to work in.
typedef lgkt_status (*lgkt_fill_fn)(void *ctx, lgkt_mdp_builder *builder, double *p,
                                    lgkt_error *error);
// Builds the model that `fill` describes and adopts it.
lgkt_status lgkt_env_build_model(lgkt_env *env, int32_t states, int32_t actions, lgkt_fill_fn fill,
                                 void *ctx, lgkt_error *error);

#endif
