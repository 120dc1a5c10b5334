// SPDX-License-Identifier: MIT
// Any text as the spec of an environment. What is made must be a proper model, and its runs must
// stay in it.

#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Large environments take their time: not for every input.
#define MEMORY      (1 << 20)
#define MUCH_MEMORY (16 << 20)
#define STEPS       50

static void check_model(const lgkt_mdp *model)
{
    for (int32_t s = 0; s < lgkt_mdp_states(model); s++)
        for (int32_t a = 0; a < lgkt_mdp_actions(model); a++) {
            const lgkt_row row = lgkt_mdp_row(model, s, a);
            double sum = 0;
            for (int32_t i = 0; i < row.n; i++)
                sum += row.p[i];
            FUZZ_CHECK(row.n > 0 && fabs(sum - 1) <= 1e-9);
            FUZZ_CHECK(isfinite(lgkt_mdp_reward(model, s, a)));
        }
}

static void check_run(const lgkt_env *env, const lgkt_allocator *allocator)
{
    const lgkt_problem problem = lgkt_env_problem(env, STEPS);
    lgkt_trajectory *run = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_trajectory_create(env, STEPS, 1, 2, allocator, &run, &error);
    fuzz_check_outcome(status, &error);
    if (status != LGKT_OK)
        return;
    for (int t = 0; t < STEPS; t++) {
        lgkt_step step;
        size_t size = 0;
        lgkt_trajectory_observation(run, &size);
        const uint8_t *allowed = lgkt_env_allowed(env, lgkt_trajectory_state(run));
        const int32_t action = t % problem.actions;
        const bool may = allowed == NULL || allowed[action];
        FUZZ_CHECK(lgkt_trajectory_step(run, action, &step) == (may ? LGKT_OK : LGKT_ERR_ARGUMENT));
        if (!may)
            continue;
        // records have no numbers: their problem has 0 states, and steps say 0
        FUZZ_CHECK(step.state >= 0 && step.state < (problem.states > 0 ? problem.states : 1));
        FUZZ_CHECK(step.state == lgkt_trajectory_state(run));
        FUZZ_CHECK(isfinite(step.reward) && isfinite(step.mean_reward));
    }
    lgkt_trajectory_destroy(run);
}

void fuzz_env(const uint8_t *data, size_t size)
{
    char *spec = fuzz_text(data, size);
    lgkt_mdp *model = fuzz_model_small();
    double prices[64];
    for (int i = 0; i < 64; i++)
        prices[i] = 100 + i % 7;
    fault memory;
    fault_init(&memory);
    memory.limit = size % 16 == 0 ? MUCH_MEMORY : MEMORY;
    lgkt_env_config config = lgkt_env_config_default();
    config.allocator = fault_allocator(&memory);
    // a model where one is named; prices of our own for some of the inputs, a random walk for the
    // others
    if (strstr(spec, "model") != NULL)
        config.data = (lgkt_data){.kind = LGKT_DATA_MODEL, .model = model};
    else if (size % 2 == 1 && strstr(spec, "trading") != NULL)
        config.data = (lgkt_data){.kind = LGKT_DATA_SERIES, .series = prices, .count = 64};
    lgkt_env *env = NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_env_create(spec, &config, &env, &error);
    fuzz_check_outcome(status, &error);
    FUZZ_CHECK((status == LGKT_OK) == (env != NULL));
    if (env != NULL && lgkt_env_model(env) != NULL)
        check_model(lgkt_env_model(env));
    if (env != NULL)
        check_run(env, &config.allocator);
    lgkt_env_destroy(env);
    FUZZ_CHECK(fault_is_clean(&memory));
    lgkt_mdp_destroy(model);
    free(spec);
}
