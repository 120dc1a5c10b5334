// SPDX-License-Identifier: MIT
// Taking the whole state of a trajectory out and back in.
//
// Saved are a hash of the environment, the horizon, and what a run changes: time, state, generator,
// and what the class adds. The environment itself is not: whoever loads has made it anew from the
// same spec, seed and data, and the hash tells whether it is the same. It covers everything that a
// step depends on, so saving costs time in proportion to the model or the prices.

#include "env/env_private.h"

#include <string.h>

#include "core/error.h"
#include "core/hash.h"
#include "core/archive.h"

uint64_t lgkt_env_hash(const lgkt_env *env)
{
    const lgkt_env_class *kind = env->kind;
    uint64_t hash = lgkt_hash_bytes(LGKT_HASH_START, kind->entry.name, strlen(kind->entry.name));
    hash = lgkt_hash_u64(hash, env->model == NULL ? 0 : lgkt_mdp_hash(env->model));
    return kind->hash == NULL ? hash : kind->hash(env, hash);
}

// what a run changes
static void visit_run(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const lgkt_env *env = trajectory->env;
    lgkt_visit_i64(archive, &trajectory->time, 1, 0, trajectory->horizon);
    lgkt_visit_i32(archive, &trajectory->state, 1, 0, env->states - 1);
    lgkt_visit_rng(archive, &trajectory->rng);
    if (env->kind->visit != NULL)
        env->kind->visit(trajectory, archive);
}

// what must be known before there is a trajectory to load
static void visit_birth(lgkt_archive *archive, uint64_t *hash, int64_t *horizon)
{
    lgkt_visit_u64(archive, hash, 1);
    lgkt_visit_i64(archive, horizon, 1, 1, INT64_MAX);
}

typedef struct saving {
    lgkt_trajectory *trajectory;
    uint64_t hash; // of its environment
} saving;

static void visit_whole(void *object, lgkt_archive *archive)
{
    saving *whole = object;
    visit_birth(archive, &whole->hash, &whole->trajectory->horizon);
    visit_run(whole->trajectory, archive);
}

lgkt_status lgkt_trajectory_save(const lgkt_trajectory *trajectory, void *buffer, size_t capacity,
                                 size_t *size)
{
    if (trajectory == NULL || size == NULL || (buffer == NULL && capacity > 0))
        return LGKT_ERR_ARGUMENT;
    // saving only reads, but visits are written for loading too
    saving whole = {(lgkt_trajectory *)trajectory, lgkt_env_hash(trajectory->env)};
    return lgkt_saved_write(LGKT_SAVED_TRAJECTORY, visit_whole, &whole, buffer, capacity, size,
                            NULL);
}

// a trajectory at its start, in the environment and with the horizon of the saved one
static lgkt_status make_anew(const lgkt_env *env, lgkt_archive *archive,
                             const lgkt_allocator *allocator, lgkt_trajectory **trajectory,
                             lgkt_error *error)
{
    uint64_t hash = 0;
    int64_t horizon = 1;
    visit_birth(archive, &hash, &horizon);
    if (archive->bad)
        return lgkt_saved_close(archive, error);
    if (hash != lgkt_env_hash(env))
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "saved in another environment than this one: %.100s", env->note);
    return lgkt_trajectory_create(env, horizon, 0, 0, allocator, trajectory, error);
}

lgkt_status lgkt_trajectory_load(const lgkt_env *env, const void *buffer, size_t size,
                                 const lgkt_allocator *allocator, lgkt_trajectory **trajectory,
                                 lgkt_error *error)
{
    if (env == NULL || trajectory == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "a trajectory needs an environment and a place to go");
    lgkt_archive archive;
    lgkt_trajectory *made = NULL;
    lgkt_status status = lgkt_saved_open(LGKT_SAVED_TRAJECTORY, buffer, size, &archive, error);
    if (status == LGKT_OK)
        status = make_anew(env, &archive, allocator, &made, error);
    if (status != LGKT_OK)
        return status;
    visit_run(made, &archive);
    status = lgkt_saved_close(&archive, error);
    if (status != LGKT_OK)
        goto fail;
    *trajectory = made;
    return LGKT_OK;
fail:
    lgkt_trajectory_destroy(made);
    return status;
}
