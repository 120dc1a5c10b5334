// SPDX-License-Identifier: MIT
// Environments: immutable worlds, and one-way trajectories through them.
//
// An lgkt_env is one drawn instance (its model, its prices): never written after creation, shared
// between threads. An lgkt_trajectory is started once in it and stepped to its horizon; there is no
// reset. Trajectories with the same (seed, instance) share their noise: at each step they consume
// the same random numbers, whatever state they are in and whatever was played, so that learners can
// be compared side by side. A trajectory is for one thread at a time.
//
// A function that only reads answers a NULL handle with NULL, "", 0 or -1; the message then says
// that it is NULL.
//
// Streams of a root seed: "instance" i draws the model, "environment" i the noise, "changes" i the
// times at which the model changes where these are random.
#ifndef LGKT_ENV_H
#define LGKT_ENV_H

#include "lgkt/base.h"
#include "lgkt/mdp.h"
#include "lgkt/problem.h"
#include "lgkt/spec.h"
#include "lgkt/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lgkt_env lgkt_env;
typedef struct lgkt_trajectory lgkt_trajectory;

/// What an environment is made from besides its settings. This struct never changes.
typedef struct lgkt_data {
    lgkt_data_kind kind;
    const lgkt_mdp *model; ///< LGKT_DATA_MODEL: kept alive by the environment
    const double *series;  ///< LGKT_DATA_SERIES: (count), copied
    size_t count;
} lgkt_data;

/// What a spec string cannot say. Make it with lgkt_env_config_default.
typedef struct lgkt_env_config {
    size_t size;       ///< of this struct, as the program was compiled with; set by _default
    uint64_t seed;     ///< root seed; default 0
    uint64_t instance; ///< which instance of the environment; default 0
    /// for an environment whose entry asks for it; kind LGKT_DATA_NONE (default): none is given
    lgkt_data data;
    lgkt_data after;          ///< for the second of two environments within: of `changing`, `after`
    lgkt_allocator allocator; ///< default: malloc and free
} lgkt_env_config;

/// Fills in the defaults of a config of `size` bytes.
LGKT_API void lgkt_env_config_init(lgkt_env_config *config, size_t size);
static inline lgkt_env_config lgkt_env_config_default(void)
{
    lgkt_env_config config;
    lgkt_env_config_init(&config, sizeof config);
    return config;
}

/// Makes the environment that a spec names, e.g. "riverswim:states=8". LGKT_ERR_UNKNOWN_NAME and
/// LGKT_ERR_SPEC for what is wrong with the spec, LGKT_ERR_CONFIG for data that is missing or of
/// another kind than the entry asks for. Nullable: config, error.
LGKT_API lgkt_status lgkt_env_create(const char *spec, const lgkt_env_config *config,
                                     lgkt_env **env, lgkt_error *error);
LGKT_API void lgkt_env_destroy(lgkt_env *env);

/// The exact model, which scores learners and serves the oracles; NULL where there is none
/// (trading, merged, worlds of numbers such as cartpole) or more than one (changing).
LGKT_API const lgkt_mdp *lgkt_env_model(const lgkt_env *env);
/// The models before and after, and when, where the model changes (changing); else NULL.
LGKT_API const lgkt_change *lgkt_env_change(const lgkt_env *env);
/// The model of the process behind the states shown, where these are not its own (merged); else
/// NULL. It scores learners too: its optimum is what one would earn who saw the hidden state. No
/// learner is told it.
LGKT_API const lgkt_mdp *lgkt_env_hidden_model(const lgkt_env *env);
/// What a learner is told about it: sizes, reward range, whether actions are forbidden, and the
/// true model for oracles. The horizon is the caller's.
LGKT_API void lgkt_env_get_problem(const lgkt_env *env, int64_t horizon, lgkt_problem *problem,
                                   size_t size);
static inline lgkt_problem lgkt_env_problem(const lgkt_env *env, int64_t horizon)
{
    lgkt_problem problem;
    lgkt_env_get_problem(env, horizon, &problem, sizeof problem);
    return problem;
}
/// Which actions may be played in a state, as 1 and 0 of length A; NULL: all of them, in every
/// state. Lives as long as env.
LGKT_API const uint8_t *lgkt_env_allowed(const lgkt_env *env, int32_t state);
/// What a record is where states are records (view=record): its numbers and their kinds, as
/// lgkt_keyed_config.view takes them. Such states have no numbers: the problem has 0 states, those
/// of steps are 0, and lgkt_trajectory_observation has the record. NULL: states are numbered. Lives
/// as long as env.
LGKT_API const lgkt_view *lgkt_env_record(const lgkt_env *env);
/// Whether several observations are one state (cartpole, stock): a learner is then to be given the
/// number of the state, or a keyed one a view of the observation.
LGKT_API bool lgkt_env_coarse(const lgkt_env *env);
/// Whether the state that is observed may be another one than that in which the next act is, without
/// a cut that is told (frozenlake:return=tile, trading:cut=kept). Then lgkt_trajectory_shown says
/// what to observe, and lgkt_learner_jump is called where that is not the state to act in.
LGKT_API bool lgkt_env_jumps(const lgkt_env *env);
/// One line on what was made, e.g. which prices trading uses. Lives as long as env.
LGKT_API const char *lgkt_env_note(const lgkt_env *env);

/// One step: what was earned, and where it led. This struct never changes.
typedef struct lgkt_step {
    double reward;      ///< the reward observed
    double mean_reward; ///< the expected reward R(s,a) of the pair played; the reward where no
                        ///< model is
    int32_t state; ///< the state to act in next, 0 if it is a record; see lgkt_trajectory_shown
    bool ended;    ///< the process was cut here: `state` is no consequence of the action
} lgkt_step;

/// Starts the one run of `horizon` >= 1 steps. The environment must outlive it. Seed and instance
/// select the noise. Nullable: allocator, error.
LGKT_API lgkt_status lgkt_trajectory_create(const lgkt_env *env, int64_t horizon, uint64_t seed,
                                            uint64_t instance, const lgkt_allocator *allocator,
                                            lgkt_trajectory **trajectory, lgkt_error *error);
LGKT_API void lgkt_trajectory_destroy(lgkt_trajectory *trajectory);

/// The state to act in.
LGKT_API int32_t lgkt_trajectory_state(const lgkt_trajectory *trajectory);
/// Steps taken so far.
LGKT_API int64_t lgkt_trajectory_time(const lgkt_trajectory *trajectory);
/// The number of steps of the run.
LGKT_API int64_t lgkt_trajectory_horizon(const lgkt_trajectory *trajectory);
/// The observation behind the state as bytes (trading: the window of prices; a record, or the
/// numbers that bins are of: doubles); size 0 where the state number is all there is. Valid until the next step.
LGKT_API const void *lgkt_trajectory_observation(const lgkt_trajectory *trajectory, size_t *size);
/// What a learner is to observe as next state of the last step: its number and, in *bytes, its
/// observation as above. This is the state to act in, but for environments that jump (see
/// lgkt_env_jumps). Nullable: bytes and size, both or none.
LGKT_API int32_t lgkt_trajectory_shown(const lgkt_trajectory *trajectory, const void **bytes,
                                       size_t *size);
/// Plays an action. LGKT_ERR_ARGUMENT for one that does not exist or is forbidden in the state,
/// LGKT_ERR_HORIZON when the run is over; the trajectory is then as before. Allocates nothing.
LGKT_API lgkt_status lgkt_trajectory_step(lgkt_trajectory *trajectory, int32_t action,
                                          lgkt_step *step);
/// One line on the last failure of a call on this trajectory; "" if there was none.
LGKT_API const char *lgkt_trajectory_message(const lgkt_trajectory *trajectory);

// ---- save and resume ----

/// Writes where the run stands (horizon, time, state, noise) into a buffer. Of the environment it
/// holds only a hash. *size is set to the bytes needed; LGKT_ERR_SHAPE if the capacity is smaller.
/// The bytes do not depend on the machine. Nullable: buffer with capacity 0, error.
LGKT_API lgkt_status lgkt_trajectory_save(const lgkt_trajectory *trajectory, void *buffer,
                                          size_t capacity, size_t *size, lgkt_error *error);
/// Makes a trajectory from such a buffer: it goes on bit for bit as the saved one would have. The
/// environment must be the same, made anew perhaps, and outlive it: LGKT_ERR_CONFIG for another
/// one. LGKT_ERR_FORMAT for bytes that are damaged, cut or not a trajectory's. Nullable: allocator,
/// error.
LGKT_API lgkt_status lgkt_trajectory_load(const lgkt_env *env, const void *buffer, size_t size,
                                          const lgkt_allocator *allocator,
                                          lgkt_trajectory **trajectory, lgkt_error *error);
/// LGKT_NUMBERS of the build that saved the run that a trajectory was loaded from; those of this
/// library if it was not loaded. A run loads whatever they are.
LGKT_API int32_t lgkt_trajectory_saved_numbers(const lgkt_trajectory *trajectory);

#ifdef __cplusplus
}
#endif
#endif
