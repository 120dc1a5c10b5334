// SPDX-License-Identifier: MIT
// The example of the README: a process of one's own, and one run of 1000 days. A machine earns less
// the more it is worn; a service makes it new. Calls that can fail return a status; own_loop.c
// shows how to look at it.
#include <stdio.h>

#include <lgkt/lgkt.h>

int main(void)
{
    lgkt_learner *learner;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 5, config.problem.actions = 2, config.problem.horizon = 1000;
    lgkt_learner_create("auto", &config, &learner, NULL);
    double total = 0;
    for (int32_t wear = 0, action; lgkt_learner_act(learner, wear, NULL, &action) == LGKT_OK;) {
        const double reward = action == 1 ? -0.2 : 1 - wear / 4.0; // 0: run it, 1: service it
        wear = action == 1 ? 0 : wear < 4 ? wear + 1 : 4;
        lgkt_learner_observe(learner, reward, wear, false);
        total += reward;
    }
    printf("%.3f per day\n", total / 1000);

    lgkt_learner_destroy(learner);
    return 0;
}
