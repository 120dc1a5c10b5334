// SPDX-License-Identifier: MIT
// What the fuzz targets share.

#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/tamper.h"

// ---- checks ----

void fuzz_fail(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

void fuzz_check_outcome(lgkt_status status, const lgkt_error *error)
{
    FUZZ_CHECK(status <= LGKT_OK && status > -LGKT_STATUS_COUNT);
    FUZZ_CHECK(memchr(error->text, '\0', sizeof error->text) != NULL);
    if (status == LGKT_OK)
        return;
    FUZZ_CHECK(error->status == status);
    FUZZ_CHECK(error->text[0] != '\0' && strpbrk(error->text, "\r\n") == NULL);
}

// ---- inputs ----

// with a zero byte behind
static uint8_t *copy_of(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    FUZZ_CHECK(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    copy[size] = 0;
    return copy;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    return (char *)copy_of(data, size);
}

uint8_t *fuzz_sealed(const uint8_t *data, size_t size)
{
    uint8_t *bytes = copy_of(data, size);
    if (size >= TAMPER_HEAD + TAMPER_TAIL)
        tamper_seal(bytes, size);
    return bytes;
}

// ---- worlds ----

static void add_pair(lgkt_mdp_builder *builder, int32_t s, int32_t a)
{
    const double stay = a == 0 ? 0.75 : 0.125;
    FUZZ_CHECK(lgkt_mdp_builder_reward(builder, s, a, 0.25 * s + 0.5 * a) == LGKT_OK);
    FUZZ_CHECK(lgkt_mdp_builder_edge(builder, s, a, s, stay) == LGKT_OK);
    FUZZ_CHECK(lgkt_mdp_builder_edge(builder, s, a, (s + 1) % FUZZ_STATES, 1 - stay) == LGKT_OK);
}

lgkt_mdp *fuzz_model_small(void)
{
    lgkt_mdp_builder *builder = NULL;
    lgkt_mdp *model = NULL;
    lgkt_error error;
    FUZZ_CHECK(lgkt_mdp_builder_create(FUZZ_STATES, FUZZ_ACTIONS, NULL, &builder, &error) ==
               LGKT_OK);
    for (int32_t s = 0; s < FUZZ_STATES; s++)
        for (int32_t a = 0; a < FUZZ_ACTIONS; a++)
            add_pair(builder, s, a);
    FUZZ_CHECK(lgkt_mdp_builder_noise(builder, LGKT_NOISE_NORMAL, 0.5) == LGKT_OK);
    FUZZ_CHECK(lgkt_mdp_builder_build(builder, &model, &error) == LGKT_OK);
    lgkt_mdp_builder_destroy(builder);
    return model;
}

lgkt_env *fuzz_env_small(int i)
{
    static const char *const specs[FUZZ_ENVS] = {
        "synthetic:states=3,actions=2",
        "synthetic:states=3,actions=2,frozen=1",
        "riverswim:states=3,noise=drifting",
        "frozenlake",
        "frozenlake:return-step=1",
        "trading:window=2,frame-lo=2,frame-hi=8",
        "linear-gap:states=3,sd=0.5",
        "synthetic:states=3,actions=2,rewards=tenths,rows=uniform",
        "scaled:by=3,of=(riverswim:states=3,noise=drifting)",
        "scaled:shift=-50,of=(trading:window=2,frame-lo=2,frame-hi=8)",
        "cartpole:view=quantiles,bins=2,warmup=50",
        "stock:bins=2,actions=2",
    };
    static const double prices[] = {1, 2, 1.5, 3, 2, 2, 1, 4, 5, 4, 3, 4};
    lgkt_env_config config = lgkt_env_config_default();
    if (strstr(specs[i], "trading") != NULL)
        config.data = (lgkt_data){LGKT_DATA_SERIES, NULL, prices, sizeof prices / sizeof *prices};
    lgkt_env *env = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_env_create(specs[i], &config, &env, &error);
    FUZZ_CHECK(status == LGKT_OK);
    return env;
}

lgkt_learner_config fuzz_config(const lgkt_mdp *model, fault *memory)
{
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = (lgkt_problem){.states = FUZZ_STATES,
                                    .actions = FUZZ_ACTIONS,
                                    .horizon = FUZZ_HORIZON,
                                    .reward_min = 0,
                                    .reward_max = 1,
                                    .reward_sd = 0.5,
                                    .model = model};
    if (memory != NULL)
        config.allocator = fault_allocator(memory);
    return config;
}

// ---- copies ----

lgkt_learner *fuzz_copy(const lgkt_learner *learner, const lgkt_learner_config *config,
                        const fault *memory)
{
    size_t size = 0;
    FUZZ_CHECK(lgkt_learner_save(learner, NULL, 0, &size, NULL) == LGKT_ERR_SHAPE);
    void *bytes = malloc(size);
    FUZZ_CHECK(bytes != NULL && lgkt_learner_save(learner, bytes, size, &size, NULL) == LGKT_OK);
    lgkt_learner *copy = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_learner_load(bytes, size, config, &copy, &error);
    fuzz_check_outcome(status, &error);
    FUZZ_CHECK(copy != NULL || atomic_load(&memory->refused) > 0);
    if (copy != NULL)
        FUZZ_CHECK(lgkt_learner_hash(copy) == lgkt_learner_hash(learner));
    free(bytes);
    return copy;
}

// ---- runs ----

double fuzz_reward(int i)
{
    static const double rewards[] = {0.5, 0, 1, -0.25, 1e9, 0.75, -1e100, 0.125};
    return rewards[i % 8];
}

// one step; false when the run is over or memory is out
static bool play_one(lgkt_learner *learner, int i)
{
    const lgkt_problem problem = lgkt_learner_problem(learner);
    const int32_t next = lgkt_learner_next_state(learner);
    int32_t action = -1;
    lgkt_status status =
        lgkt_learner_act(learner, next >= 0 ? next : i % problem.states, NULL, &action);
    if (status == LGKT_ERR_HORIZON || status == LGKT_ERR_NO_MEMORY)
        return false;
    // a state can be saved between act and observe
    const bool open = status == LGKT_ERR_PROTOCOL && i == 0;
    FUZZ_CHECK(status == LGKT_OK || open);
    FUZZ_CHECK(open || (action >= 0 && action < problem.actions));
    status =
        lgkt_learner_observe(learner, fuzz_reward(i), (3 * i + 1) % problem.states, i % 7 == 6);
    FUZZ_CHECK(status == LGKT_OK || status == LGKT_ERR_NO_MEMORY);
    return status == LGKT_OK;
}

void fuzz_play(lgkt_learner *learner, int steps)
{
    for (int i = 0; i < steps && play_one(learner, i); i++) {
    }
}
