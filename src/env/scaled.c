// SPDX-License-Identifier: MIT
// Another environment with rewards in other units: r' = by r + shift, by > 0.
//
// The inner environment is made from the spec in `of` with the same seed, instance and data. A run
// holds a run of it and plays it step by step with the same random numbers, so states, noise and
// cuts are those of the inner environment, and a learner that needs no scale takes the very same
// actions, up to rounding.
//
// The model has R' = by R + shift. Of the noise it states the scale, by times the inner one, as
// that of a normal law, also where the inner law is none (Bernoulli, drifting): two points other
// than 0 and 1 have no name there.
//
// Memory: the inner environment, its model once more, and two trajectories for a run. A step costs
// that of the inner environment and two copies of the generator.
#include "env/env_private.h"

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/hash.h"

typedef struct settings {
    double by, shift;
    const char *of;
} settings;

static const lgkt_param PARAMS[] = {
    LGKT_ROW_REAL(settings, by, "by", "1", 1e-9, 1e9, "factor of all rewards"),
    LGKT_ROW_REAL(settings, shift, "shift", "0", -1e15, 1e15, "what is added to all rewards"),
    LGKT_ROW_TEXT(settings, of, "of", "riverswim",
                  "spec of the environment, in brackets if it has settings"),
};

typedef struct scaled_world {
    lgkt_env base;
    lgkt_env *inner;
    double by, shift;
} scaled_world;

typedef struct scaled_run {
    lgkt_trajectory base;
    alignas(max_align_t) unsigned char inner[]; // the inner trajectory
} scaled_run;

static double scale(const scaled_world *world, double reward)
{
    return world->by * reward + world->shift;
}

// ---- the model ----

static lgkt_status fill_pair(const scaled_world *world, lgkt_mdp_builder *builder, int32_t s,
                             int32_t a, lgkt_error *error)
{
    const lgkt_mdp *inner = world->inner->model;
    const lgkt_row row = lgkt_mdp_row(inner, s, a);
    const double mean = scale(world, lgkt_mdp_reward(inner, s, a));
    lgkt_status status = lgkt_mdp_builder_reward(builder, s, a, mean, error);
    for (int32_t i = 0; i < row.n && status == LGKT_OK; i++)
        status = lgkt_mdp_builder_edge(builder, s, a, row.next[i], row.p[i], error);
    return status;
}

static lgkt_status fill_model(void *ctx, lgkt_mdp_builder *builder, double *p, lgkt_error *error)
{
    (void)p;
    const scaled_world *world = ctx;
    const lgkt_mdp *inner = world->inner->model;
    const double sd = world->by * lgkt_mdp_noise_sd(inner);
    const lgkt_noise noise = sd > 0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_NONE;
    lgkt_status status = lgkt_mdp_builder_start_law(builder, lgkt_mdp_start_law(inner), error);
    for (int32_t s = 0; s < lgkt_mdp_states(inner); s++)
        for (int32_t a = 0; a < lgkt_mdp_actions(inner) && status == LGKT_OK; a++)
            status = fill_pair(world, builder, s, a, error);
    return status == LGKT_OK ? lgkt_mdp_builder_noise(builder, noise, sd, error) : status;
}

// ---- the world ----

// What a learner is told: as of the inner environment, which may know more than its model says.
static void describe(scaled_world *world)
{
    lgkt_env *env = &world->base;
    const lgkt_env *inner = world->inner;
    env->states = inner->states;
    env->actions = inner->actions;
    env->reward_min = scale(world, inner->reward_min);
    env->reward_max = scale(world, inner->reward_max);
    env->reward_sd = world->by * inner->reward_sd;
    snprintf(env->note, sizeof env->note, "rewards times %g plus %g: %.120s", world->by,
             world->shift, inner->note);
}

// Scaling twice is scaling once, and specs cannot nest without end.
static lgkt_status check_inner(const lgkt_env *env, const char *of, lgkt_error *error)
{
    char name[16];
    const lgkt_status status = lgkt_spec_name(of, name, sizeof name, error);
    if (status == LGKT_OK && strcmp(name, env->kind->entry.name) == 0)
        return lgkt_fail(error, LGKT_ERR_SPEC, "of=(%.60s): an environment is scaled only once",
                         of);
    // a name that is too long for us is unknown, which creation explains
    return status == LGKT_ERR_SHAPE ? LGKT_OK : status;
}

static lgkt_status build(lgkt_env *env, const lgkt_spec *spec, const lgkt_env_config *config,
                         lgkt_error *error)
{
    scaled_world *world = (scaled_world *)env;
    settings set;
    lgkt_status status = lgkt_settings_fill(&env->kind->entry, spec, &set, error);
    if (status == LGKT_OK)
        status = check_inner(env, set.of, error);
    if (status == LGKT_OK)
        status = lgkt_env_create(set.of, config, &world->inner, error);
    if (status != LGKT_OK)
        return status;
    world->by = set.by;
    world->shift = set.shift;
    env->trajectory_size += world->inner->trajectory_size;
    if (world->inner->model != NULL)
        status = lgkt_env_build_model(env, world->inner->states, world->inner->actions, fill_model,
                                      world, error);
    describe(world);
    return status;
}

static void release(lgkt_env *env)
{
    lgkt_env_destroy(((scaled_world *)env)->inner);
}

static uint64_t hash_world(const lgkt_env *env, uint64_t hash)
{
    const scaled_world *world = (const scaled_world *)env;
    hash = lgkt_hash_f64(hash, world->by);
    hash = lgkt_hash_f64(hash, world->shift);
    return lgkt_hash_u64(hash, lgkt_env_hash(world->inner));
}

// ---- the run ----

static lgkt_trajectory *inner_run(const lgkt_trajectory *trajectory)
{
    return (lgkt_trajectory *)(void *)((scaled_run *)trajectory)->inner;
}

// Clock, state and generator are those of the outer run; the inner one has them for a call.
static lgkt_trajectory *lend(const lgkt_trajectory *trajectory)
{
    lgkt_trajectory *inner = inner_run(trajectory);
    inner->time = trajectory->time;
    inner->state = trajectory->state;
    inner->rng = trajectory->rng;
    return inner;
}

static void take_back(lgkt_trajectory *trajectory, const lgkt_trajectory *inner)
{
    trajectory->state = inner->state;
    trajectory->rng = inner->rng;
}

static void step_scaled(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const scaled_world *world = (const scaled_world *)trajectory->env;
    lgkt_trajectory *inner = lend(trajectory);
    inner->step(inner, action, step);
    take_back(trajectory, inner);
    step->reward = scale(world, step->reward);
    step->mean_reward = scale(world, step->mean_reward);
}

static void start(lgkt_trajectory *trajectory, double u)
{
    const scaled_world *world = (const scaled_world *)trajectory->env;
    lgkt_trajectory *inner = lend(trajectory);
    inner->env = world->inner;
    inner->horizon = trajectory->horizon;
    inner->actions = trajectory->actions;
    world->inner->kind->start(inner, u);
    take_back(trajectory, inner);
    trajectory->step = step_scaled;
}

static const void *observation(const lgkt_trajectory *trajectory, size_t *size)
{
    return lgkt_trajectory_observation(inner_run(trajectory), size);
}

static void visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const scaled_world *world = (const scaled_world *)trajectory->env;
    if (world->inner->kind->visit != NULL)
        world->inner->kind->visit(lend(trajectory), archive);
}

const lgkt_env_class lgkt_scaled_class = {
    .entry = {.name = "scaled",
              .summary = "another environment with all rewards times a factor plus a shift",
              .source = "ours",
              .memory = "that of the other, its model twice",
              .params = PARAMS,
              .param_count = LGKT_PARAM_COUNT(PARAMS)},
    .env_size = sizeof(scaled_world),
    .trajectory_size = sizeof(scaled_run),
    .build = build,
    .release = release,
    .start = start,
    .observation = observation,
    .hash = hash_world,
    .visit = visit,
};
