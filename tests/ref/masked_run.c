// SPDX-License-Identifier: MIT
// Every name among the learners, and runs with masks.
#include "ref/masked_run.h"

#include "learners/front/learner_private.h"
#include "ref/state_learners.h"
#include "test.h"

static const char *const chosen[] = {
    "auto:depth=3,visits=1,refresh=1,sweep=1",
    "auto:refresh=50,reward-min=0,reward-max=50",
    "plugin:k=1,untried=first,threshold=none",
    "plugin:k=6,untried=last,threshold=0.5",
    "plugin:k=2,untried=share,share=0.6,scale=1",
    "lgkt:k=3,sampler=ucb",
    "lgkt:k=2,sampler=lg1t,sampler-scope=per-pair",
    "lgkt:k=2,sampler=ucrl2,sampler-scope=per-pair",
    "lg1-2t:cutoff=8,profile=practical",
    "lg1t-rl:cutoff=15,rl=ucrl2",
    "lg1t-rl:cutoff=10,first=lg2t,rl=auto",
    "lg1t-rl:cutoff=10,first=lg2t,rl=plugin",
    "anytime:of=ucbvi,first=2",
    "anytime:of=(psrl:plan=left),first=2",
};

bool masked_run_spec(int32_t i, char spec[LEARNER_RUN_SPEC])
{
    int32_t names = 0;
    while (state_learner(names) != NULL)
        names++;
    if (i >= names + (int32_t)(sizeof chosen / sizeof *chosen))
        return false;
    snprintf(spec, LEARNER_RUN_SPEC, "%s", i < names ? state_learner(i)->name : chosen[i - names]);
    return true;
}

void masked_run_mask(uint64_t seed, int64_t t, int32_t actions, uint8_t *allowed)
{
    lgkt_rng rng = lgkt_rng_stream(seed, "mask", (uint64_t)t);
    for (int32_t a = 0; a < actions; a++)
        allowed[a] = lgkt_rng_bernoulli(&rng, 0.5) ? (uint8_t)(1 + a) : 0;
    allowed[lgkt_rng_below(&rng, actions)] = 255;
}

void masked_run_play(learner_run *run, int64_t steps, int32_t *actions)
{
    uint8_t allowed[64];
    const int32_t count = lgkt_mdp_actions(run->model);
    assert_in_range(count, 1, 64);
    for (int64_t i = 0; i < steps; i++) {
        int32_t action = -1;
        masked_run_mask(run->seed, lgkt_learner_time(run->learner), count, allowed);
        if (lgkt_learner_act(run->learner, run->state, allowed, &action) != LGKT_OK)
            fail_msg("%s: %s", lgkt_learner_spec(run->learner), lgkt_learner_message(run->learner));
        assert_in_range(action, 0, count - 1);
        if (allowed[action] == 0)
            fail_msg("%s: action %d is not allowed", lgkt_learner_spec(run->learner), action);
        const lgkt_step step = learner_run_outcome(run, action);
        assert_int_equal(lgkt_learner_observe(run->learner, step.reward, step.state, step.ended),
                         LGKT_OK);
        run->state = step.state;
        if (actions != NULL)
            actions[i] = action;
    }
}
