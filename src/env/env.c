// SPDX-License-Identifier: MIT
// The front of all environments: the registry, creation from a spec, and the checks around a step.
//
// A world is immutable and a trajectory owns the rest: its generator, its clock and its state. The
// generator is the stream "environment" of (seed, instance). Its first number chooses the start
// state, also where the start is certain, so that the numbers of the steps are the same for all
// worlds and all trajectories of one (seed, instance).
//
// Saved are a hash of the environment, the horizon, and what a run changes: time, state, generator,
// and what the class adds. The environment itself is not: whoever loads has made it anew from the
// same spec, seed and data, and the hash tells whether it is the same. It covers everything that a
// step depends on, so saving costs time in proportion to the model or the prices.
#include "env/env_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/sized.h"
#include "core/hash.h"
#include "mdp/mdp_private.h"

// ---- registry ----

// the rows of all environments, or of those that the build has (cmake/choice.cmake)
#ifndef LGKT_ENVIRONMENT_TABLE
#define LGKT_ENVIRONMENT_TABLE "env/environments.def"
#endif

#define LGKT_CLASS(class_, files_, names_) &lgkt_##class_##_class,
#define LGKT_LEFT_OUT(names_)
static const lgkt_env_class *const CLASSES[] = {
#include LGKT_ENVIRONMENT_TABLE
    NULL, // there may be none
};
#undef LGKT_CLASS
#undef LGKT_LEFT_OUT
enum { CLASS_COUNT = sizeof CLASSES / sizeof *CLASSES - 1 };

const lgkt_entry *lgkt_env_entry(int32_t i)
{
    return i >= 0 && i < CLASS_COUNT ? &CLASSES[i]->entry : NULL;
}

#define LGKT_CLASS(class_, files_, names_)
#define LGKT_LEFT_OUT(names_) .left_out = (names_),
static const lgkt_registry registry = {
    .what = "environment",
    .entry = lgkt_env_entry,
#include LGKT_ENVIRONMENT_TABLE
};
#undef LGKT_CLASS
#undef LGKT_LEFT_OUT

// ---- worlds ----

void lgkt_env_config_init(lgkt_env_config *config, size_t size)
{
    const lgkt_env_config standard = {.size = size};
    lgkt_sized_fill(config, size, &standard, sizeof standard);
}

void *lgkt_env_alloc(lgkt_env *env, size_t count, size_t size)
{
    int i = 0;
    while (i < LGKT_ENV_BLOCKS && env->blocks[i] != NULL)
        i++;
    return i < LGKT_ENV_BLOCKS ? env->blocks[i] = lgkt_alloc_zeroed(&env->allocator, count, size)
                               : NULL;
}

void lgkt_env_adopt(lgkt_env *env, const lgkt_mdp *model)
{
    env->model = model;
    env->mask = model->mask;
    env->states = model->states;
    env->actions = model->actions;
    env->reward_min = model->reward_min;
    env->reward_max = model->reward_max;
    env->reward_sd = fmax(env->reward_sd, model->noise_sd);
    // the reward of the move scatters too, by half its range at most; coins have their 1/2 in all
    for (int32_t z = 0; z < env->states * env->actions && model->own != NULL; z++) {
        double low = INFINITY, high = -INFINITY;
        const lgkt_own own = model->own[z];
        if (!own.moves || own.noise == LGKT_NOISE_BERNOULLI)
            continue;
        for (size_t i = model->all.begin[z]; i < model->all.begin[z + 1]; i++) {
            low = fmin(low, model->move_rewards[i]);
            high = fmax(high, model->move_rewards[i]);
        }
        const double half = (high - low) / 2;
        env->reward_sd = fmax(env->reward_sd, sqrt(own.sd * own.sd + half * half));
    }
}

lgkt_status lgkt_env_begin_model(lgkt_env *env, int64_t states, int64_t actions, lgkt_error *error)
{
    env->row = lgkt_alloc_zeroed(&env->allocator, (size_t)states, sizeof(double));
    if (env->row == NULL)
        return lgkt_fail_memory(error, "a row of probabilities");
    return lgkt_mdp_builder_create((int32_t)states, (int32_t)actions, &env->allocator,
                                   &env->builder, error);
}

// What is given must be what the class is made from. One that wraps another leaves it to that.
static lgkt_status check_data(const lgkt_entry *entry, const lgkt_data *data, bool after,
                              lgkt_error *error)
{
    const char *const inner = after ? entry->inner_after : entry->inner;
    const lgkt_data_kind taken = after ? LGKT_DATA_NONE : entry->data;
    static const char *const NAMES[] = {"no data", "a model", "a series of numbers"};
    if ((unsigned)data->kind > LGKT_DATA_SERIES)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "data.kind %d; allowed are 0 to %d",
                         (int)data->kind, LGKT_DATA_SERIES);
    if (data->kind != LGKT_DATA_NONE && inner == NULL && data->kind != taken)
        return lgkt_fail(error, LGKT_ERR_CONFIG, "%s is given to `%s`, which takes %s",
                         NAMES[data->kind], entry->name, NAMES[taken]);
    if ((data->kind == LGKT_DATA_MODEL && data->model == NULL) ||
        (data->kind == LGKT_DATA_SERIES && data->series == NULL))
        return lgkt_fail(error, LGKT_ERR_CONFIG, "data.kind says %s, but data.%s is NULL",
                         NAMES[data->kind], data->kind == LGKT_DATA_MODEL ? "model" : "series");
    return LGKT_OK;
}

// Adds the numbers and choices of filled settings to a hash. Texts are no part of it: what they
// name or say is in the model, in the environments within, or added by create. Nor is a choice that
// was not there from the beginning, where it is the first one: runs that were saved before load.
static uint64_t hash_settings(uint64_t hash, const lgkt_entry *entry, const char *settings)
{
    const lgkt_param_row *const rows = entry->params;
    for (int32_t i = 0; i < entry->param_count; i++) {
        const void *const value = settings + rows[i].offset;
        if (rows[i].param.type == LGKT_PARAM_REAL)
            hash = lgkt_hash_f64(hash, *(const double *)value);
        else if (rows[i].param.type == LGKT_PARAM_INTEGER)
            hash = lgkt_hash_u64(hash, (uint64_t) * (const int64_t *)value);
        else if (rows[i].param.type == LGKT_PARAM_CHOICE &&
                 (rows[i].since == 0 || *(const int *)value != 0))
            hash = lgkt_hash_u64(hash, (uint64_t) * (const int *)value);
    }
    return hash;
}

static void end_model(lgkt_env *env)
{
    lgkt_mdp_builder_destroy(env->builder);
    lgkt_free(&env->allocator, env->row);
    env->builder = NULL;
    env->row = NULL;
}

// From filled settings to an environment; what was made before a failure is in env.
static lgkt_status make(lgkt_env *env, void *settings, lgkt_error *error)
{
    const lgkt_env_class *class = env->class;
    env->hash = lgkt_hash_bytes(LGKT_HASH_START, class->entry.name, strlen(class->entry.name));
    LGKT_TRY(class->create(env, settings, error));
    env->hash = hash_settings(env->hash, &class->entry, settings);
    if (env->builder != NULL) {
        lgkt_mdp *model = NULL;
        const lgkt_error *refused = lgkt_mdp_builder_refusal(env->builder);
        if (refused->status != LGKT_OK)
            return lgkt_fail(error, refused->status, "%s", refused->text);
        LGKT_TRY(lgkt_mdp_builder_build(env->builder, &model, error));
        lgkt_env_adopt(env, model);
        end_model(env);
    }
    return class->open == NULL ? LGKT_OK : class->open(env, error);
}

static lgkt_status create(lgkt_settings *settings, const lgkt_env_config *config, lgkt_env **env,
                          lgkt_error *error)
{
    const lgkt_env_class *class = CLASSES[settings->index];
    LGKT_TRY(check_data(&class->entry, &config->data, false, error));
    LGKT_TRY(check_data(&class->entry, &config->after, true, error));
    const lgkt_allocator allocator = lgkt_allocator_resolve(&config->allocator);
    lgkt_env *made = lgkt_alloc_zeroed(&allocator, 1, sizeof *made + class->self_size);
    if (made == NULL)
        return lgkt_fail_memory(error, "an environment");
    made->self = made->memory;
    made->class = class;
    made->allocator = allocator;
    made->run_size = class->run_size;
    made->config = config;
    made->rng = lgkt_rng_stream(config->seed, "instance", config->instance);
    const lgkt_status status = make(made, settings->values, error);
    made->config = NULL;
    if (status == LGKT_OK)
        *env = made;
    else
        lgkt_env_destroy(made);
    return status;
}

lgkt_status lgkt_env_create(const char *text, const lgkt_env_config *config, lgkt_env **env,
                            lgkt_error *error)
{
    static const lgkt_sized_kind kind = {sizeof(lgkt_env_config),
                                         LGKT_SIZE_UP_TO(lgkt_env_config, allocator), "config",
                                         "lgkt_env_config_default"};
    lgkt_env_config own = lgkt_env_config_default();
    lgkt_settings settings;
    if (text == NULL || env == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "an environment needs a spec and a place to go");
    if (config != NULL) {
        LGKT_TRY(lgkt_sized_take(&kind, config, &own, error));
    }
    LGKT_TRY(lgkt_settings_read(text, &registry, LGKT_STATES, &own.allocator, &settings, error));
    const lgkt_status status = create(&settings, &own, env, error);
    lgkt_free(&own.allocator, settings.text);
    return status;
}

void lgkt_env_destroy(lgkt_env *env)
{
    if (env == NULL)
        return;
    const lgkt_allocator allocator = env->allocator;
    end_model(env);
    lgkt_mdp_destroy(env->model);
    lgkt_change_destroy(env->change);
    lgkt_free(&allocator, env->bins);
    for (int i = 0; i < 2; i++)
        lgkt_env_destroy(env->inner[i]);
    for (int i = 0; i < LGKT_ENV_BLOCKS; i++)
        lgkt_free(&allocator, env->blocks[i]);
    lgkt_free(&allocator, env);
}

uint64_t lgkt_env_hash(const lgkt_env *env)
{
    uint64_t hash = lgkt_hash_u64(env->hash, env->model == NULL ? 0 : lgkt_mdp_hash(env->model));
    if (env->change != NULL)
        hash = lgkt_hash_u64(hash, lgkt_change_hash(env->change));
    if (env->bins != NULL) {
        lgkt_archive archive = lgkt_archive_hash();
        lgkt_bins *bins = env->bins;
        lgkt_bins_visit(&bins, &archive, NULL);
        hash = lgkt_hash_u64(hash, archive.hash);
    }
    for (int i = 0; i < 2 && env->inner[i] != NULL; i++)
        hash = lgkt_hash_u64(hash, lgkt_env_hash(env->inner[i]));
    return hash;
}

const lgkt_mdp *lgkt_env_model(const lgkt_env *env)
{
    return env == NULL ? NULL : env->model;
}

const lgkt_change *lgkt_env_change(const lgkt_env *env)
{
    return env == NULL ? NULL : env->change;
}

const lgkt_mdp *lgkt_env_hidden_model(const lgkt_env *env)
{
    return env == NULL ? NULL : env->hidden;
}

void lgkt_env_get_problem(const lgkt_env *env, int64_t horizon, lgkt_problem *problem, size_t size)
{
    lgkt_problem told = {.horizon = horizon};
    if (env != NULL)
        told = (lgkt_problem){.states = env->states,
                              .actions = env->actions,
                              .horizon = horizon,
                              .reward_min = env->reward_min,
                              .reward_max = env->reward_max,
                              .reward_sd = env->reward_sd,
                              .model = env->model,
                              .change = env->change,
                              .masked = env->mask != NULL};
    lgkt_sized_fill(problem, size, &told, sizeof told);
}

const uint8_t *lgkt_env_allowed(const lgkt_env *env, int32_t state)
{
    if (env == NULL || env->mask == NULL || state < 0 || state >= env->states)
        return NULL;
    return env->mask + (size_t)state * (size_t)env->actions;
}

const lgkt_view *lgkt_env_record(const lgkt_env *env)
{
    return env != NULL && env->states == 0 && env->vector.dims > 0 ? &env->vector : NULL;
}

bool lgkt_env_coarse(const lgkt_env *env)
{
    return env != NULL && (env->bins != NULL || lgkt_env_coarse(env->inner[0]));
}

bool lgkt_env_jumps(const lgkt_env *env)
{
    return env != NULL && env->jumps;
}

const char *lgkt_env_note(const lgkt_env *env)
{
    return env == NULL ? "" : env->note;
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
    lgkt_trajectory *made = lgkt_alloc_zeroed(&hooks, 1, sizeof *made + env->run_size);
    if (made == NULL)
        return lgkt_fail_memory(error, "a trajectory");
    made->env = env;
    made->world = env->self;
    made->horizon = horizon;
    made->actions = env->actions;
    made->free = env->mask == NULL ? env->actions : 0;
    made->allocator = hooks;
    made->saved_numbers = LGKT_NUMBERS;
    made->rng = lgkt_rng_stream(seed, "environment", instance);
    made->step = env->class->step;
    env->class->start(made, lgkt_rng_uniform(&made->rng));
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
    return trajectory == NULL ? -1 : trajectory->state;
}

int64_t lgkt_trajectory_time(const lgkt_trajectory *trajectory)
{
    return trajectory == NULL ? 0 : trajectory->time;
}

int64_t lgkt_trajectory_horizon(const lgkt_trajectory *trajectory)
{
    return trajectory == NULL ? 0 : trajectory->horizon;
}

const void *lgkt_trajectory_observation(const lgkt_trajectory *trajectory, size_t *size)
{
    if (size != NULL)
        *size = 0;
    if (trajectory == NULL || size == NULL || trajectory->env->class->observation == NULL)
        return NULL;
    return trajectory->env->class->observation(trajectory, size);
}

int32_t lgkt_trajectory_shown(const lgkt_trajectory *trajectory, const void **bytes, size_t *size)
{
    const void *unused;
    size_t none;
    bytes = bytes == NULL || size == NULL ? &unused : bytes;
    size = size == NULL ? &none : size;
    if (trajectory != NULL && trajectory->env->jumps)
        return trajectory->env->class->shown(trajectory, bytes, size);
    *bytes = lgkt_trajectory_observation(trajectory, size);
    return lgkt_trajectory_state(trajectory);
}

// Whether a step may be taken that the front has not let pass: there is no such action, no time
// left, or something is forbidden, but perhaps not this. Out of line, so that all others stay
// small.
LGKT_COLD static lgkt_status look_closer(lgkt_trajectory *trajectory, int32_t action)
{
    if (trajectory->time >= trajectory->horizon)
        return lgkt_fail(&trajectory->error, LGKT_ERR_HORIZON,
                         "the run is over after its %lld steps", (long long)trajectory->horizon);
    if (action < 0 || action >= trajectory->actions)
        return lgkt_fail(&trajectory->error, LGKT_ERR_ARGUMENT, "action %d, must be in 0..%d",
                         (int)action, (int)trajectory->actions - 1);
    if (!lgkt_env_allowed(trajectory->env, trajectory->state)[action])
        return lgkt_fail(&trajectory->error, LGKT_ERR_ARGUMENT,
                         "action %d is forbidden in state %d", (int)action, (int)trajectory->state);
    return LGKT_OK;
}

lgkt_status lgkt_trajectory_step(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    if (trajectory == NULL || step == NULL)
        return LGKT_ERR_ARGUMENT;
    if (trajectory->time >= trajectory->horizon || (uint32_t)action >= (uint32_t)trajectory->free) {
        LGKT_TRY(look_closer(trajectory, action));
    }
    trajectory->step(trajectory, action, step);
    trajectory->time++;
    return LGKT_OK;
}

const char *lgkt_trajectory_message(const lgkt_trajectory *trajectory)
{
    return trajectory == NULL ? "trajectory must not be NULL" : trajectory->error.text;
}

// ---- save and resume ----

void lgkt_env_visit_number(const lgkt_env *env, lgkt_archive *archive)
{
    // none has changed since 0.1.0
    lgkt_visit_number(archive, &(lgkt_readable){.name = env->class->entry.name, .newest = 1});
}

// what a run changes
static void visit_run(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const lgkt_env *env = trajectory->env;
    lgkt_env_visit_number(env, archive);
    lgkt_visit_i64(archive, &trajectory->time, 1, 0, trajectory->horizon);
    lgkt_visit_i32(archive, &trajectory->state, 1, 0, env->states > 0 ? env->states - 1 : 0);
    lgkt_visit_rng(archive, &trajectory->rng);
    if (env->class->visit != NULL)
        env->class->visit(trajectory, archive);
}

#define NAME_BYTES 32 // of an environment's name in a saved run, with zeros behind it

// What is saved: what must be known before there is a trajectory to load, and the run.
typedef struct saving {
    char name[NAME_BYTES + 1]; // of the environment
    uint64_t hash;             // of it
    int32_t numbers;           // LGKT_NUMBERS of the build in which the run began
    int64_t horizon;
    lgkt_trajectory *trajectory; // NULL: there is none yet
} saving;

static void visit_saving(void *object, lgkt_archive *archive)
{
    saving *whole = object;
    lgkt_visit_bytes(archive, whole->name, NAME_BYTES);
    lgkt_visit_u64(archive, &whole->hash, 1);
    lgkt_visit_i32(archive, &whole->numbers, 1, 1, INT32_MAX);
    lgkt_visit_i64(archive, &whole->horizon, 1, 1, INT64_MAX);
    if (whole->trajectory != NULL)
        visit_run(whole->trajectory, archive);
}

lgkt_status lgkt_trajectory_save(const lgkt_trajectory *trajectory, void *buffer, size_t capacity,
                                 size_t *size, lgkt_error *error)
{
    if (trajectory == NULL || size == NULL || (buffer == NULL && capacity > 0))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "trajectory, size and buffer must not be NULL");
    // saving only reads, but visits are written for loading too
    saving whole = {.hash = lgkt_env_hash(trajectory->env),
                    .numbers = trajectory->saved_numbers,
                    .horizon = trajectory->horizon,
                    .trajectory = (lgkt_trajectory *)trajectory};
    snprintf(whole.name, NAME_BYTES, "%s", trajectory->env->class->entry.name);
    return lgkt_saved_write(LGKT_SAVED_TRAJECTORY, visit_saving, &whole, buffer, capacity, size,
                            error);
}

// Whether a run was saved in this environment. Where the class's own number tells, that says why
// not.
static lgkt_status check_saved(const lgkt_archive *archive, const saving *saved,
                               const lgkt_env *env, lgkt_error *error)
{
    const char *name = env->class->entry.name, *version = archive->writer.version;
    if (archive->bad)
        return lgkt_saved_close(archive, error);
    if (strcmp(saved->name, name) != 0)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "saved by lgkt %s in a \"%s\", and this is a \"%s\": %.100s", version,
                         saved->name, name, env->note);
    lgkt_archive number = *archive;
    lgkt_env_visit_number(env, &number);
    if (number.bad)
        return lgkt_saved_close(&number, error);
    if (saved->hash != lgkt_env_hash(env))
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "saved by lgkt %s in another environment than this one: %.100s", version,
                         env->note);
    return LGKT_OK;
}

lgkt_status lgkt_trajectory_load(const lgkt_env *env, const void *buffer, size_t size,
                                 const lgkt_allocator *allocator, lgkt_trajectory **trajectory,
                                 lgkt_error *error)
{
    if (env == NULL || trajectory == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "a trajectory needs an environment and a place to go");
    lgkt_archive archive;
    saving saved = {.horizon = 1};
    LGKT_TRY(lgkt_saved_open(LGKT_SAVED_TRAJECTORY, buffer, size, &archive, error));
    visit_saving(&saved, &archive);
    LGKT_TRY(check_saved(&archive, &saved, env, error));

    // a trajectory at its start, which the saved run overwrites
    lgkt_trajectory *made = NULL;
    LGKT_TRY(lgkt_trajectory_create(env, saved.horizon, 0, 0, allocator, &made, error));
    visit_run(made, &archive);
    // a build with other numbers than this one is told of, the last one first
    const int32_t writer = archive.writer.numbers;
    made->saved_numbers = writer != LGKT_NUMBERS ? writer : saved.numbers;
    const lgkt_status status = lgkt_saved_close(&archive, error);
    if (status == LGKT_OK)
        *trajectory = made;
    else
        lgkt_trajectory_destroy(made);
    return status;
}

int32_t lgkt_trajectory_saved_numbers(const lgkt_trajectory *trajectory)
{
    return trajectory == NULL ? 0 : trajectory->saved_numbers;
}
