// SPDX-License-Identifier: MIT
// What an environment is inside: one common head, and a class with its own world behind it; and the
// trajectory through it.
//
// To add an environment, write a class and list it in env.c. The front there has checked every
// argument before a class function is called: a class sees only actions that are allowed, with time
// left.
#ifndef LGKT_ENV_PRIVATE_H
#define LGKT_ENV_PRIVATE_H

#include <stdalign.h>

#include "core/archive.h"
#include "core/settings.h"
#include "lgkt/env.h"
#include "lgkt/rng.h"

// Plays one action: draws, writes *step and moves trajectory->state.
typedef void (*lgkt_step_fn)(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step);

typedef struct lgkt_env_class {
    lgkt_entry entry;
    // Builds env->self from filled settings, after computing those that are unset, and fills the
    // head. On failure destroy is called, with self as far as it was built.
    lgkt_status (*create)(lgkt_env *env, void *settings, const lgkt_env_config *config,
                          lgkt_error *error);
    // Frees self and all that it holds. Not called where there is no self.
    void (*destroy)(lgkt_env *env);
    // Sets state and step function; u is the uniform number of the start state.
    void (*start)(lgkt_trajectory *trajectory, double u);

    // The rest may be NULL or 0.

    size_t run_size; // bytes of trajectory->self; create may enlarge env->run_size
    // The bytes behind the state. NULL: the state number is all there is.
    const void *(*observation)(const lgkt_trajectory *trajectory, size_t *size);
    // Adds to a hash what steps depend on beyond the model.
    uint64_t (*hash)(const lgkt_env *env, uint64_t hash);
    // Visits what a run changes beyond time, state and generator.
    void (*visit)(lgkt_trajectory *trajectory, lgkt_archive *archive);
    // The number of its saved runs, as that of a learner's state: LGKT_STATES when they changed last;
    // 0 stands for 1, the number of 0.1.0.
    int32_t state;
    int32_t oldest_state; // runs with lower numbers are no longer loaded
} lgkt_env_class;

struct lgkt_env {
    void *self; // the class's own world
    const lgkt_env_class *class;
    lgkt_allocator allocator;
    size_t run_size;           // of the class, or what create has made of it
    const lgkt_mdp *model;     // owned; NULL where there is none
    const lgkt_mdp *hidden;    // of what is behind the states shown, owned by self; mostly NULL
    const lgkt_change *change; // owned by self; mostly NULL
    const uint8_t *mask; // (S, A), 0 for what is forbidden, owned by a model; NULL: nothing is
    int32_t states;
    int32_t actions;
    double reward_min; // of the mean rewards
    double reward_max;
    double reward_sd; // sub-Gaussian scale of the observed rewards about their means
    bool coarse;      // observations are finer than states: lgkt_env_coarse
    char note[200];
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
    lgkt_error error;                          // the last refused call
    int32_t state_number;                      // of the saved run that is loaded
    lgkt_writer writer;                        // of it; this build if there is none
    alignas(max_align_t) unsigned char self[]; // (env->run_size) the class's own state of the run
};

extern const lgkt_env_class lgkt_synthetic_class;
extern const lgkt_env_class lgkt_riverswim_class;
extern const lgkt_env_class lgkt_gap_class;
extern const lgkt_env_class lgkt_linear_gap_class;
extern const lgkt_env_class lgkt_frozenlake_class;
extern const lgkt_env_class lgkt_trading_class;
extern const lgkt_env_class lgkt_taxi_class;
extern const lgkt_env_class lgkt_cliffwalking_class;
extern const lgkt_env_class lgkt_fourrooms_class;
extern const lgkt_env_class lgkt_maze_class;
extern const lgkt_env_class lgkt_garnet_class;
extern const lgkt_env_class lgkt_inventory_class;
extern const lgkt_env_class lgkt_admission_class;
extern const lgkt_env_class lgkt_replacement_class;
extern const lgkt_env_class lgkt_model_class;
extern const lgkt_env_class lgkt_scaled_class;
extern const lgkt_env_class lgkt_sixarms_class;
extern const lgkt_env_class lgkt_chain_class;
extern const lgkt_env_class lgkt_lock_class;
extern const lgkt_env_class lgkt_deepsea_class;
extern const lgkt_env_class lgkt_merged_class;
extern const lgkt_env_class lgkt_cartpole_class;
extern const lgkt_env_class lgkt_stock_class;
extern const lgkt_env_class lgkt_changing_class;
extern const lgkt_env_class lgkt_programme_class;

// env->self as `size` zeroed bytes.
lgkt_status lgkt_env_alloc_self(lgkt_env *env, size_t size, lgkt_error *error);

// Takes over a model and copies its sizes and reward range.
void lgkt_env_adopt(lgkt_env *env, const lgkt_mdp *model);

// Visits the number of an environment's saved runs, and returns it.
int32_t lgkt_env_visit_number(const lgkt_env *env, lgkt_archive *archive);

// A hash of everything that a step depends on.
uint64_t lgkt_env_hash(const lgkt_env *env);

// ---- drafts of models ----

// A model in the making. The calls below are those of lgkt_mdp_builder; after the first one that
// fails they do nothing, so that nobody has to look before the end.
typedef struct lgkt_draft {
    lgkt_mdp_builder *builder;
    double *p; // (S) for the use of whoever fills the draft, 0 at first
    lgkt_status status;
} lgkt_draft;

void lgkt_draft_reward(lgkt_draft *draft, int32_t state, int32_t action, double mean);
void lgkt_draft_edge(lgkt_draft *draft, int32_t state, int32_t action, int32_t next, double p);
void lgkt_draft_edge_reward(lgkt_draft *draft, int32_t state, int32_t action, int32_t next,
                            double reward);
void lgkt_draft_row(lgkt_draft *draft, int32_t state, int32_t action, const double *p);
void lgkt_draft_start(lgkt_draft *draft, int32_t state);
void lgkt_draft_start_law(lgkt_draft *draft, const double *p);
void lgkt_draft_noise(lgkt_draft *draft, lgkt_noise kind, double sd);
void lgkt_draft_pair_noise(lgkt_draft *draft, int32_t state, int32_t action, lgkt_noise kind,
                           double sd);
void lgkt_draft_forbid(lgkt_draft *draft, int32_t state, int32_t action);

typedef void (*lgkt_fill_fn)(lgkt_draft *draft, void *ctx);
// Builds the model that `fill` describes and adopts it.
lgkt_status lgkt_env_build_model(lgkt_env *env, int32_t states, int32_t actions, lgkt_fill_fn fill,
                                 void *ctx, lgkt_error *error);

#endif
