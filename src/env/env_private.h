// SPDX-License-Identifier: MIT
// What an environment is inside: one common head, and a class with its own world behind it; and the
// trajectory through it.
//
// To add an environment, write a class and list it in environments.def. The front in env.c has checked every
// argument before a class function is called: a class sees only actions that are allowed, with time
// left.
#pragma once

#include <stdalign.h>

#include "core/archive.h"
#include "core/bins.h"
#include "core/settings.h"
#include "lgkt/env.h"
#include "lgkt/rng.h"

// Plays one action: draws, writes *step and moves trajectory->state.
typedef void (*lgkt_step_fn)(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step);

typedef struct lgkt_env_class {
    lgkt_entry entry;
    size_t self_size; // bytes of env->self, which create finds zeroed
    // Computes the settings that are unset and checks them; fills the head and env->self, or begins
    // a model and fills that.
    lgkt_status (*create)(lgkt_env *env, void *settings, lgkt_error *error);
    lgkt_step_fn step;
    // Sets the state, and another step function where a world has several; u is the uniform number
    // of the start state.
    void (*start)(lgkt_trajectory *trajectory, double u);

    // The rest may be NULL or 0.

    // Completes head and self, after the model that create has begun, if any, is built and adopted.
    lgkt_status (*open)(lgkt_env *env, lgkt_error *error);
    size_t run_size; // bytes of trajectory->self; an environment within adds to env->run_size
    // The bytes behind the state. NULL: the state number is all there is.
    const void *(*observation)(const lgkt_trajectory *trajectory, size_t *size);
    // Where env->jumps: the state to observe, and in *bytes those behind it (lgkt_trajectory_shown).
    int32_t (*shown)(const lgkt_trajectory *trajectory, const void **bytes, size_t *size);
    // Visits what a run changes beyond time, state and generator.
    void (*visit)(lgkt_trajectory *trajectory, lgkt_archive *archive);
} lgkt_env_class;

// What every class says of itself; LGKT_PARAMS and what else an entry has come last.
#define LGKT_ENV_ENTRY(name_, summary_, source_, memory_, ...)                                     \
    .entry = {.name = name_, .summary = summary_, .source = source_, .memory = memory_, __VA_ARGS__}

enum { LGKT_ENV_BLOCKS = 5 };

struct lgkt_env {
    void *self; // the class's own world
    const lgkt_env_class *class;
    lgkt_allocator allocator;
    size_t run_size;           // of the class, and of the runs within
    const lgkt_mdp *model;     // owned; NULL where there is none
    const lgkt_mdp *hidden;    // of what is behind the states shown, owned within; mostly NULL
    const lgkt_change *change; // owned; mostly NULL
    lgkt_env *inner[2];        // environments within this one, owned; mostly NULL
    lgkt_bins *bins;           // of what states are bins of, owned; mostly NULL
    lgkt_view vector;          // of numbers behind the state, or the state itself; mostly dims = 0
    const double *low, *high;  // (vector.dims) bounds of most of these numbers
    const uint8_t *mask; // (S, A), 0 for what is forbidden, owned by a model; NULL: nothing is
    int32_t states;      // 0: they are records of `vector`, and have no numbers
    int32_t actions;
    bool jumps; // the state observed may be another than the one acted in next: lgkt_env_jumps
    double reward_min; // of the mean rewards
    double reward_max;
    double reward_sd; // sub-Gaussian scale of the observed rewards about their means
    uint64_t hash;    // of name, numbers and choices of the spec, and what create adds: see env.c
    char note[200];
    void *blocks[LGKT_ENV_BLOCKS]; // memory of lgkt_env_alloc

    // while it is made:
    const lgkt_env_config *config;
    lgkt_rng rng;              // stream "instance": what is random of the environment itself
    lgkt_mdp_builder *builder; // of a model that was begun
    double *row;               // (S) for the use of whoever fills it, 0 at first

    alignas(max_align_t) unsigned char memory[]; // (class->self_size) of self
};

struct lgkt_trajectory {
    lgkt_step_fn step;
    const void *world; // copy of env->self, for every step
    int64_t time;
    int64_t horizon;
    int32_t state;
    int32_t actions; // copy of env->actions
    int32_t free;    // actions below it need no further look; 0 where some are forbidden
    lgkt_rng rng;    // stream "environment"
    const lgkt_env *env;
    lgkt_allocator allocator;
    int32_t saved_numbers; // LGKT_NUMBERS of the build that saved it; of this one if none did
    lgkt_error error;      // the last refused call
    alignas(max_align_t) unsigned char self[]; // (env->run_size) the class's own state of the run
};

#define LGKT_CLASS(class_, files_, names_) extern const lgkt_env_class lgkt_##class_##_class;
#include "env/environments.def"
#undef LGKT_CLASS

// Zeroed memory that goes with the environment; NULL when memory is out.
void *lgkt_env_alloc(lgkt_env *env, size_t count, size_t size);

// Takes over a model and copies its sizes and reward range. A scale of rewards that is known
// already stays where that of the model is smaller.
void lgkt_env_adopt(lgkt_env *env, const lgkt_mdp *model);

// Begins a model: env->builder takes its edges and rewards. Who fills it need not look at what the
// calls return: where one was refused, the environment is, once create has returned.
lgkt_status lgkt_env_begin_model(lgkt_env *env, int64_t states, int64_t actions, lgkt_error *error);

// Visits the number of an environment's saved runs.
void lgkt_env_visit_number(const lgkt_env *env, lgkt_archive *archive);

// A hash of everything that a step depends on.
uint64_t lgkt_env_hash(const lgkt_env *env);
