// SPDX-License-Identifier: MIT
// Learners on a small machine: all memory of the library is in one static array, and half way they
// are saved to another one, destroyed, and loaded again.
//
// Lines that do not begin with a blank are the same on every machine, bit for bit: hashes of the
// actions and of the learner, and the bits of the sum of rewards. This file is compiled with
// -ffp-contract=off; that sum is the one double that it computes.

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include <lgkt/lgkt.h>

#include "board.h"
#include "pool.h"

// the host's library has tables that need more
#ifndef POOL_BYTES
#define POOL_BYTES (16 * 1024)
#endif
enum { STEPS = 4000, SEED = 7, SAVED_BYTES = 4 * 1024 };

static alignas(max_align_t) unsigned char memory[POOL_BYTES];
static unsigned char saved_learner[SAVED_BYTES], saved_run[512];

typedef struct session {
    pool pool;
    lgkt_env *env;
    lgkt_learner *learner;
    lgkt_trajectory *run;
    uint64_t actions; // hash
    double reward;    // sum
    lgkt_error error;
} session;

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void show(const char *spec, const session *s)
{
    char text[250];
    snprintf(text, sizeof text,
             "%s: %d steps, actions %016llx, rewards %016llx, learner %016llx\n"
             "  the learner holds %lu bytes; the pool gave %lu at most\n",
             spec, (int)STEPS, (unsigned long long)s->actions,
             (unsigned long long)bits_of(s->reward),
             (unsigned long long)lgkt_learner_hash(s->learner),
             (unsigned long)lgkt_learner_bytes(s->learner), (unsigned long)s->pool.peak);
    board_write(text);
}

static lgkt_status play(session *s, int64_t until)
{
    while (lgkt_trajectory_time(s->run) < until) {
        int32_t action;
        lgkt_step step;
        const int32_t state = lgkt_trajectory_state(s->run);
        lgkt_status status = lgkt_learner_act(s->learner, state, NULL, &action);
        if (status == LGKT_OK)
            status = lgkt_trajectory_step(s->run, action, &step);
        if (status == LGKT_OK)
            status = lgkt_learner_observe(s->learner, step.reward, step.state, step.ended);
        if (status != LGKT_OK)
            return status;
        s->actions = (s->actions ^ (uint64_t)action) * UINT64_C(0x100000001b3);
        s->reward += step.reward;
    }
    return LGKT_OK;
}

// Both go to static arrays, and come back from there.
static lgkt_status save_and_load(session *s, const lgkt_learner_config *config)
{
    size_t learner_size, run_size;
    lgkt_status status = lgkt_learner_save(s->learner, saved_learner, sizeof saved_learner,
                                           &learner_size, &s->error);
    if (status == LGKT_OK)
        status = lgkt_trajectory_save(s->run, saved_run, sizeof saved_run, &run_size, &s->error);
    if (status != LGKT_OK)
        return status;
    lgkt_learner_destroy(s->learner);
    lgkt_trajectory_destroy(s->run);
    s->learner = NULL;
    s->run = NULL;
    status = lgkt_learner_load(saved_learner, learner_size, config, &s->learner, &s->error);
    if (status == LGKT_OK)
        status = lgkt_trajectory_load(s->env, saved_run, run_size, &config->allocator, &s->run,
                                      &s->error);
    return status;
}

static lgkt_status play_all(session *s, const char *spec)
{
    const lgkt_allocator allocator = pool_allocator(&s->pool);
    lgkt_env_config world = lgkt_env_config_default();
    world.allocator = allocator;
    lgkt_status status = lgkt_env_create("riverswim", &world, &s->env, &s->error);
    if (status != LGKT_OK)
        return status;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(s->env, STEPS);
    config.seed = SEED;
    config.allocator = allocator;
    s->pool.peak = s->pool.held; // of the learner and its run alone
    status = lgkt_learner_create(spec, &config, &s->learner, &s->error);
    if (status == LGKT_OK)
        status = lgkt_trajectory_create(s->env, STEPS, SEED, 0, &allocator, &s->run, &s->error);
    if (status == LGKT_OK)
        status = play(s, STEPS / 2);
    if (status == LGKT_OK)
        status = save_and_load(s, &config);
    if (status == LGKT_OK)
        status = play(s, STEPS);
    if (status == LGKT_OK)
        show(spec, s);
    return status;
}

int main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    static const char *const specs[] = {"auto", "lg1t"};
    int failed = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        session s = {.actions = UINT64_C(0xcbf29ce484222325)};
        pool_open(&s.pool, memory, sizeof memory);
        if (play_all(&s, specs[i]) != LGKT_OK) {
            board_write(s.error.text[0] != '\0' ? s.error.text : lgkt_learner_message(s.learner));
            board_write("\n");
            failed = 1;
        }
        lgkt_learner_destroy(s.learner);
        lgkt_trajectory_destroy(s.run);
        lgkt_env_destroy(s.env);
        failed |= s.pool.held != 0;
    }
    char text[100];
    snprintf(text, sizeof text, "  stack %lu bytes at most, heap of the C library %lu\n",
             (unsigned long)board_stack(), (unsigned long)board_heap());
    board_write(text);
    return failed;
}
