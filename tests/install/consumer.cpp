// SPDX-License-Identifier: MIT
// The same from C++: the inline functions of the headers, a mask, reasons and a copy.
#include <cstdio>
#include <vector>

#include <lgkt/lgkt.h>

namespace {

const int STEPS = 50;

// Plays all steps with the first action left out; 0 if every call was accepted.
int play(const lgkt_learner *origin, lgkt_trajectory *run, lgkt_error *error)
{
    lgkt_learner *learner = NULL;
    if (lgkt_learner_copy(origin, &learner, error) != LGKT_OK)
        return 1;
    const lgkt_problem problem = lgkt_learner_problem(learner);
    std::vector<unsigned char> allowed(static_cast<size_t>(problem.actions), 1);
    std::vector<lgkt_reason> reasons(allowed.size());
    allowed[0] = 0;
    int bad = 0;
    for (int t = 0; t < STEPS && bad == 0; t++) {
        const int32_t state = lgkt_trajectory_state(run);
        int32_t action = 0;
        lgkt_step step;
        bad = lgkt_learner_explain(learner, state, &allowed[0], &reasons[0], sizeof(lgkt_reason),
                                   error) != LGKT_OK ||
              lgkt_learner_act(learner, state, &allowed[0], &action) != LGKT_OK || action == 0 ||
              reasons[0].probability != 0 || lgkt_trajectory_step(run, action, &step) != LGKT_OK ||
              lgkt_learner_observe(learner, step.reward, step.state, step.ended) != LGKT_OK;
    }
    lgkt_learner_destroy(learner);
    return bad;
}

} // namespace

int main()
{
    lgkt_error error = lgkt_error();
    lgkt_env *env = NULL;
    lgkt_trajectory *run = NULL;
    lgkt_learner *learner = NULL;
    const lgkt_env_config world = lgkt_env_config_default();
    lgkt_learner_config config = lgkt_learner_config_default();
    bool good = lgkt_env_create("riverswim", &world, &env, &error) == LGKT_OK;
    config.problem = lgkt_env_problem(env, STEPS);
    config.problem.masked = true;
    good = good && lgkt_trajectory_create(env, STEPS, 1, 0, NULL, &run, &error) == LGKT_OK &&
           lgkt_learner_create("auto", &config, &learner, &error) == LGKT_OK &&
           play(learner, run, &error) == 0;
    lgkt_learner_destroy(learner);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
    if (!good) {
        std::fprintf(stderr, "failed: %s\n", error.text);
        return 1;
    }
    std::printf("lgkt %s\n", lgkt_version());
    return 0;
}
