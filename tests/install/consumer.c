// SPDX-License-Identifier: MIT
// What another project does with the installed library: one short run, then the version.
#include <stdio.h>

#include <lgkt/lgkt.h>

#define STEPS 100

// Plays all steps of the run; 0 if every call was accepted.
static int play(lgkt_learner *learner, lgkt_trajectory *run)
{
    for (int t = 0; t < STEPS; t++) {
        int32_t action;
        lgkt_step step;
        if (lgkt_learner_act(learner, lgkt_trajectory_state(run), NULL, &action) != LGKT_OK ||
            lgkt_trajectory_step(run, action, &step) != LGKT_OK ||
            lgkt_learner_observe(learner, step.reward, step.state, step.ended) != LGKT_OK)
            return 1;
    }
    return lgkt_learner_time(learner) != STEPS;
}

int main(void)
{
    lgkt_error error = {0};
    lgkt_env *env = NULL;
    lgkt_trajectory *run = NULL;
    lgkt_learner *learner = NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    int failed = 1;

    if (lgkt_env_create("riverswim", NULL, &env, &error) != LGKT_OK)
        goto done;
    config.problem = lgkt_env_problem(env, STEPS);
    if (lgkt_trajectory_create(env, STEPS, 1, 0, NULL, &run, &error) != LGKT_OK ||
        lgkt_learner_create("lg1t", &config, &learner, &error) != LGKT_OK)
        goto done;
    failed = play(learner, run);

done:
    lgkt_learner_destroy(learner);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
    if (failed) {
        fprintf(stderr, "failed: %s\n", error.text);
        return 1;
    }
    printf("lgkt %s\n", lgkt_version());
    return 0;
}
