// SPDX-License-Identifier: MIT
// One run of 20000 steps in an environment that comes with the library.
// Calls that can fail return a status; own_loop.c shows how to look at it.
#include <stdio.h>

#include <lgkt/lgkt.h>

int main(void)
{
    lgkt_env *env;
    lgkt_trajectory *run;
    lgkt_learner *learner;
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_env_create("riverswim:states=5", NULL, &env, NULL);
    lgkt_trajectory_create(env, 20000, 1, 0, NULL, &run, NULL);
    config.problem = lgkt_env_problem(env, 20000);
    lgkt_learner_create("auto", &config, &learner, NULL);

    double total = 0;
    lgkt_step now = {.state = lgkt_trajectory_state(run)};
    for (int32_t a; lgkt_learner_act(learner, now.state, NULL, &a) == LGKT_OK;
         total += now.reward) {
        lgkt_trajectory_step(run, a, &now);
        lgkt_learner_observe(learner, now.reward, now.state, now.ended);
    }
    printf("average reward %.4f\n", total / 20000);

    lgkt_learner_destroy(learner);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
    return 0;
}
