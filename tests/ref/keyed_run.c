// SPDX-License-Identifier: MIT
// Keyed learners on a process whose states come up one by one.

#include "ref/keyed_run.h"

#include <stdlib.h>

#include "test.h"

// ---- making ----

size_t keyed_run_key(int32_t x, unsigned char key[KEYED_RUN_KEY])
{
    // state 0 has the empty key; the others their number and a tail that may end in zeros
    if (x == 0)
        return 0;
    const size_t tail = (size_t)(x * 7 % 29);
    for (size_t i = 0; i < 4; i++)
        key[i] = (unsigned char)((uint32_t)x >> (8 * i));
    for (size_t i = 0; i < tail; i++)
        key[4 + i] = (unsigned char)(x % 3 == 0 ? 0 : 31 * i);
    return 4 + tail;
}

lgkt_learner_config keyed_run_config(int64_t horizon)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.actions = KEYED_RUN_ACTIONS;
    config.problem.horizon = horizon;
    config.problem.reward_min = 0;
    config.problem.reward_max = 1;
    config.problem.reward_sd = 0.5;
    config.seed = 4;
    config.instance = 7;
    return config;
}

lgkt_keyed *keyed_run_make(const char *spec, const lgkt_learner_config *config, int32_t state_limit)
{
    lgkt_keyed_config set = lgkt_keyed_config_default();
    set.state_limit = state_limit;
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    if (lgkt_keyed_create(spec, config, &set, &keyed, &error) != LGKT_OK)
        fail_msg("%s: %s", spec, error.text);
    return keyed;
}

// ---- playing ----

keyed_run keyed_run_start(lgkt_keyed *keyed, int32_t states, uint64_t seed)
{
    assert_in_range(states, 1, KEYED_RUN_STATES);
    return (keyed_run){
        .keyed = keyed, .seed = seed, .states = states, .state = states / 2, .action = -1};
}

lgkt_step keyed_run_outcome(const keyed_run *run)
{
    const int64_t t = lgkt_learner_time(lgkt_keyed_learner(run->keyed));
    const uint64_t pair = (uint64_t)(run->state * KEYED_RUN_ACTIONS + run->action);
    lgkt_rng rng = lgkt_rng_stream(run->seed + 1000 * pair, "outcome", (uint64_t)t);
    const int32_t known = 2 + t / 2 < run->states ? (int32_t)(2 + t / 2) : run->states;
    const double mean = (double)(pair * 37 % 101) / 101;
    // the order is a walk in steps of 1 downwards from the middle
    const int32_t next =
        (run->states / 2 + run->states - lgkt_rng_below(&rng, known)) % run->states;
    return (lgkt_step){.reward = mean + 0.3 * lgkt_rng_normal(&rng),
                       .mean_reward = mean,
                       .state = next,
                       .ended = lgkt_rng_bernoulli(&rng, 0.1)};
}

static lgkt_status act(keyed_run *run)
{
    unsigned char key[KEYED_RUN_KEY];
    const size_t size = keyed_run_key(run->state, key);
    return lgkt_keyed_act(run->keyed, size > 0 ? key : NULL, size, NULL, &run->action);
}

static lgkt_status observe(keyed_run *run)
{
    const lgkt_step step = keyed_run_outcome(run);
    unsigned char key[KEYED_RUN_KEY];
    const size_t size = keyed_run_key(step.state, key);
    const lgkt_status status = lgkt_keyed_observe(run->keyed, step.reward, key, size, step.ended);
    // keys are copied
    memset(key, 0xee, sizeof key);
    if (status != LGKT_OK)
        return status;
    // after a cut the run goes on elsewhere, perhaps where it never was
    run->state = step.ended ? (step.state + 3) % run->states : step.state;
    run->action = -1;
    return LGKT_OK;
}

lgkt_status keyed_run_half(keyed_run *run)
{
    return run->action < 0 ? act(run) : observe(run);
}

void keyed_run_play(keyed_run *run, int64_t halves)
{
    const lgkt_learner *learner = lgkt_keyed_learner(run->keyed);
    for (int64_t i = 0; i < halves; i++)
        if (keyed_run_half(run) != LGKT_OK)
            fail_msg("%s at step %lld: %s", lgkt_learner_spec(learner),
                     (long long)lgkt_learner_time(learner), lgkt_keyed_message(run->keyed));
}

// ---- saving ----

unsigned char *keyed_run_save(const lgkt_keyed *keyed, size_t *size)
{
    size_t needed = 0;
    assert_int_equal(lgkt_keyed_save(keyed, NULL, 0, &needed, NULL), LGKT_ERR_SHAPE);
    unsigned char *bytes = malloc(needed);
    assert_non_null(bytes);
    assert_int_equal(lgkt_keyed_save(keyed, bytes, needed, size, NULL), LGKT_OK);
    assert_int_equal(*size, needed);
    return bytes;
}

lgkt_keyed *keyed_run_load(const unsigned char *bytes, size_t size,
                           const lgkt_learner_config *config)
{
    lgkt_keyed *keyed = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_keyed_load(bytes, size, config, &keyed, &error), error);
    return keyed;
}
