// SPDX-License-Identifier: MIT
// Any bytes as a saved run, in one environment of each kind: as they are, and once more with size
// and checksum made right. What is loaded must be able to go on, and come back the same after
// saving and loading. The first byte selects the environment, the saved run is what follows it.

#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#define STEPS 20

typedef struct saved_run {
    uint8_t *bytes;
    size_t size;
} saved_run;

static lgkt_trajectory *load(const lgkt_env *env, const uint8_t *bytes, size_t size, fault *memory)
{
    const lgkt_allocator allocator = fault_allocator(memory);
    lgkt_trajectory *run = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_trajectory_load(env, bytes, size, &allocator, &run, &error);
    fuzz_check_outcome(status, &error);
    FUZZ_CHECK((status == LGKT_OK) == (run != NULL));
    return run;
}

static saved_run save(const lgkt_trajectory *run)
{
    saved_run saved = {NULL, 0};
    FUZZ_CHECK(lgkt_trajectory_save(run, NULL, 0, &saved.size, NULL) == LGKT_ERR_SHAPE);
    saved.bytes = malloc(saved.size);
    FUZZ_CHECK(saved.bytes != NULL);
    FUZZ_CHECK(lgkt_trajectory_save(run, saved.bytes, saved.size, &saved.size, NULL) == LGKT_OK);
    return saved;
}

static void play(lgkt_trajectory *run, const lgkt_env *env)
{
    const lgkt_problem problem = lgkt_env_problem(env, 1);
    for (int32_t t = 0; t < STEPS; t++) {
        lgkt_step step = {0};
        int32_t action = t % problem.actions;
        const uint8_t *allowed = lgkt_env_allowed(env, lgkt_trajectory_state(run));
        while (allowed != NULL && allowed[action] == 0)
            action = (action + 1) % problem.actions;
        size_t size = 0;
        const unsigned char *seen = lgkt_trajectory_observation(run, &size);
        unsigned sum = 0;
        for (size_t i = 0; i < size; i++)
            sum += seen[i];
        FUZZ_CHECK(sum <= 255 * size);
        const lgkt_status status = lgkt_trajectory_step(run, action, &step);
        if (status == LGKT_ERR_HORIZON)
            return;
        FUZZ_CHECK(status == LGKT_OK);
        FUZZ_CHECK(step.state >= 0 && step.state < problem.states);
        FUZZ_CHECK(step.state == lgkt_trajectory_state(run));
        FUZZ_CHECK(step.reward - step.reward == 0);
    }
}

static void check_run(lgkt_trajectory *run, const lgkt_env *env, fault *memory)
{
    const saved_run before = save(run);
    lgkt_trajectory *copy = load(env, before.bytes, before.size, memory);
    FUZZ_CHECK(copy != NULL);
    play(run, env);
    play(copy, env);
    const saved_run here = save(run), there = save(copy);
    FUZZ_CHECK(here.size == there.size && memcmp(here.bytes, there.bytes, here.size) == 0);
    free(before.bytes);
    free(here.bytes);
    free(there.bytes);
    lgkt_trajectory_destroy(copy);
}

static void try_bytes(const lgkt_env *env, const uint8_t *bytes, size_t size)
{
    fault memory;
    fault_init(&memory);
    lgkt_trajectory *run = load(env, bytes, size, &memory);
    if (run != NULL)
        check_run(run, env, &memory);
    lgkt_trajectory_destroy(run);
    FUZZ_CHECK(fault_is_clean(&memory));
}

void fuzz_trajectory(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    lgkt_env *env = fuzz_env_small(data[0] % FUZZ_ENVS);
    try_bytes(env, data + 1, size - 1);
    uint8_t *sealed = fuzz_sealed(data + 1, size - 1);
    try_bytes(env, sealed, size - 1);
    free(sealed);
    lgkt_env_destroy(env);
}
