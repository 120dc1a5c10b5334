// SPDX-License-Identifier: MIT
// The front of all environments: the registry, creation from a spec, and the checks around a step.
//
// A world is immutable and a trajectory owns the rest: its generator, its clock and its state. The
// generator is the stream "environment" of (seed, instance). Its first number chooses the start
// state, also where the start is certain, so that the numbers of the steps are the same for all
// worlds and all trajectories of one (seed, instance).
#include "env/env_private.h"

#include "core/alloc.h"
#include "core/error.h"

#define CONFIG_COOKIE 0x656e7601u

static const lgkt_env_class *const CLASSES[] = {
    &lgkt_synthetic_class,  &lgkt_riverswim_class, &lgkt_gap_class,   &lgkt_linear_gap_class,
    &lgkt_frozenlake_class, &lgkt_trading_class,   &lgkt_model_class, &lgkt_scaled_class,
};

// ---- registry ----

const lgkt_entry *lgkt_env_entry(int32_t i)
{
    return i >= 0 && i < LGKT_PARAM_COUNT(CLASSES) ? &CLASSES[i]->entry : NULL;
}

// ---- worlds ----

lgkt_env_config lgkt_env_config_default(void)
{
    return (lgkt_env_config){.cookie = CONFIG_COOKIE};
}

void lgkt_env_adopt(lgkt_env *env, const lgkt_mdp *model)
{
    env->model = model;
    env->states = lgkt_mdp_states(model);
    env->actions = lgkt_mdp_actions(model);
    env->reward_min = lgkt_mdp_reward_min(model);
    env->reward_max = lgkt_mdp_reward_max(model);
    env->reward_sd = lgkt_mdp_noise_sd(model);
}

lgkt_status lgkt_env_build_model(lgkt_env *env, int32_t states, int32_t actions, lgkt_fill_fn fill,
                                 void *ctx, lgkt_error *error)
{
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *model = NULL;
    double *p = lgkt_alloc_zeroed(&env->allocator, (size_t)states, sizeof(double));
    if (p == NULL)
        return lgkt_fail_memory(error, "a row of probabilities");
    lgkt_status status = lgkt_mdp_builder_create(states, actions, &env->allocator, &builder, error);
    if (status == LGKT_OK)
        status = fill(ctx, builder, p, error);
    if (status == LGKT_OK)
        status = lgkt_mdp_builder_build(builder, &model, error);
    if (status == LGKT_OK)
        lgkt_env_adopt(env, model);
    lgkt_mdp_builder_destroy(builder);
    lgkt_free(&env->allocator, p);
    return status;
}

// The world of one class from a spec whose name is already known.
static lgkt_status create_world(const lgkt_env_class *kind, const lgkt_spec *spec,
                                const lgkt_env_config *config, lgkt_env **env, lgkt_error *error)
{
    const lgkt_allocator allocator = lgkt_allocator_resolve(&config->allocator);
    lgkt_env *made = lgkt_alloc_zeroed(&allocator, 1, kind->env_size);
    if (made == NULL)
        return lgkt_fail_memory(error, "an environment");
    made->kind = kind;
    made->allocator = allocator;
    made->trajectory_size = kind->trajectory_size;
    const lgkt_status status = kind->build(made, spec, config, error);
    if (status != LGKT_OK)
        goto fail;
    *env = made;
    return LGKT_OK;
fail:
    lgkt_env_destroy(made);
    return status;
}

lgkt_status lgkt_env_create(const char *text, const lgkt_env_config *config, lgkt_env **env,
                            lgkt_error *error)
{
    const lgkt_env_config standard = lgkt_env_config_default();
    if (config == NULL)
        config = &standard;
    if (text == NULL || env == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "an environment needs a spec and a place to go");
    if (config->cookie != CONFIG_COOKIE)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "the config was not made by lgkt_env_config_default");

    lgkt_spec spec;
    lgkt_status status = lgkt_spec_parse(text, &config->allocator, &spec, error);
    if (status != LGKT_OK)
        return status;
    int32_t index = 0;
    status = lgkt_spec_find(&spec, "environment", lgkt_env_entry, &index, error);
    if (status == LGKT_OK)
        status = create_world(CLASSES[index], &spec, config, env, error);
    lgkt_spec_release(&spec);
    return status;
}

void lgkt_env_destroy(lgkt_env *env)
{
    if (env == NULL)
        return;
    env->kind->release(env);
    lgkt_mdp_destroy(env->model);
    const lgkt_allocator allocator = env->allocator;
    lgkt_free(&allocator, env);
}

const lgkt_mdp *lgkt_env_model(const lgkt_env *env)
{
    return env->model;
}

lgkt_problem lgkt_env_problem(const lgkt_env *env, int64_t horizon)
{
    return (lgkt_problem){.states = env->states,
                          .actions = env->actions,
                          .horizon = horizon,
                          .reward_min = env->reward_min,
                          .reward_max = env->reward_max,
                          .reward_sd = env->reward_sd,
                          .model = env->model};
}

const char *lgkt_env_note(const lgkt_env *env)
{
    return env->note;
}

// ---- trajectories ----

lgkt_status lgkt_trajectory_create(const lgkt_env *env, int64_t horizon, uint64_t seed,
                                   uint64_t instance, const lgkt_allocator *allocator,
                                   lgkt_trajectory **trajectory, lgkt_error *error)
{
    if (env == NULL || trajectory == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "a trajectory needs an environment and a place to go");
    if (horizon < 1)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "horizon %lld, must be at least 1",
                         (long long)horizon);
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    lgkt_trajectory *made = lgkt_alloc_zeroed(&hooks, 1, env->trajectory_size);
    if (made == NULL)
        return lgkt_fail_memory(error, "a trajectory");
    made->env = env;
    made->horizon = horizon;
    made->actions = env->actions;
    made->allocator = hooks;
    made->rng = lgkt_rng_stream(seed, "environment", instance);
    env->kind->start(made, lgkt_rng_uniform(&made->rng));
    *trajectory = made;
    return LGKT_OK;
}

void lgkt_trajectory_destroy(lgkt_trajectory *trajectory)
{
    if (trajectory == NULL)
        return;
    const lgkt_allocator allocator = trajectory->allocator;
    lgkt_free(&allocator, trajectory);
}

int32_t lgkt_trajectory_state(const lgkt_trajectory *trajectory)
{
    return trajectory->state;
}

int64_t lgkt_trajectory_time(const lgkt_trajectory *trajectory)
{
    return trajectory->time;
}

const void *lgkt_trajectory_observation(const lgkt_trajectory *trajectory, size_t *size)
{
    *size = 0;
    const lgkt_env_class *kind = trajectory->env->kind;
    return kind->observation == NULL ? NULL : kind->observation(trajectory, size);
}

// Kept out of line, so that a step that is taken stays small.
static lgkt_status refuse(lgkt_trajectory *trajectory, int32_t action)
{
    if (trajectory->time >= trajectory->horizon)
        return lgkt_fail(&trajectory->error, LGKT_ERR_HORIZON,
                         "the run is over after its %lld steps", (long long)trajectory->horizon);
    return lgkt_fail(&trajectory->error, LGKT_ERR_ARGUMENT, "action %d, must be in 0..%d",
                     (int)action, (int)trajectory->actions - 1);
}

lgkt_status lgkt_trajectory_step(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    if (trajectory == NULL || step == NULL)
        return LGKT_ERR_ARGUMENT;
    if (trajectory->time >= trajectory->horizon ||
        (uint32_t)action >= (uint32_t)trajectory->actions)
        return refuse(trajectory, action);
    trajectory->step(trajectory, action, step);
    trajectory->time++;
    return LGKT_OK;
}

const char *lgkt_trajectory_message(const lgkt_trajectory *trajectory)
{
    return trajectory->error.text;
}
