// SPDX-License-Identifier: MIT
// Environments and runs for tests.
#include "ref/env_run.h"

#include <string.h>

#include "test.h"

lgkt_data env_run_data(const char *spec, const lgkt_mdp *model, const double *series, size_t count)
{
    if (model != NULL && strstr(spec, "model") != NULL)
        return (lgkt_data){.kind = LGKT_DATA_MODEL, .model = model};
    if (series != NULL && strstr(spec, "trading") != NULL)
        return (lgkt_data){.kind = LGKT_DATA_SERIES, .series = series, .count = count};
    return (lgkt_data){0};
}

lgkt_env *env_run_make(const char *spec, const lgkt_env_config *config)
{
    lgkt_env *env = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_env_create(spec, config, &env, &error), error);
    return env;
}

lgkt_trajectory *env_run_start(const lgkt_env *env, int64_t horizon, uint64_t seed)
{
    lgkt_trajectory *run = NULL;
    lgkt_error error = {0};
    assert_ok(lgkt_trajectory_create(env, horizon, seed, 0, NULL, &run, &error), error);
    return run;
}

int32_t env_run_allowed(const lgkt_env *env, const lgkt_trajectory *run, int32_t action)
{
    const uint8_t *allowed = lgkt_env_allowed(env, lgkt_trajectory_state(run));
    while (allowed != NULL && !allowed[action])
        action = (action + 1) % lgkt_env_problem(env, 1).actions;
    return action;
}

lgkt_step env_run_play(lgkt_trajectory *run, int32_t action)
{
    lgkt_step step;
    assert_int_equal(lgkt_trajectory_step(run, action, &step), LGKT_OK);
    assert_int_equal(step.state, lgkt_trajectory_state(run));
    return step;
}

void env_run_check_all_named(const char *const *specs, int count)
{
    const lgkt_entry *entry;
    for (int32_t i = 0; (entry = lgkt_env_entry(i)) != NULL; i++) {
        bool found = false;
        char name[64];
        for (int k = 0; k < count && !found; k++)
            found = lgkt_spec_name(specs[k], name, sizeof name, NULL) == LGKT_OK &&
                    strcmp(name, entry->name) == 0;
        if (!found)
            print_error("environment \"%s\" is not in the list of this test\n", entry->name);
        assert_true(found);
    }
}

void env_run_check_refused(const char *const (*specs)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lgkt_env *env = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_env_create(specs[i][0], NULL, &env, &error), LGKT_ERR_SPEC, error,
                       specs[i][1]);
        assert_null(env);
    }
}
