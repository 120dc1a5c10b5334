// SPDX-License-Identifier: MIT
// The innermost loop of every experiment and benchmark, and what it needs.
//
// Nothing but the three calls and two additions happens per step. Where an environment shows more
// than the number of a state (trading: the window of prices), learners get these bytes and have to
// find out by themselves how many states there are; the number of states is their limit.
#include "experiments/runner/play.h"

#include <time.h>

#include "core/error.h"
#include "experiments/runner/untold.h"

lgkt_status exp_env_create(const exp_world *world, uint64_t seed, int64_t instance, lgkt_env **env,
                           lgkt_error *error)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = seed;
    config.instance = (uint64_t)instance;
    config.data = world->data;
    config.after = world->after;
    return lgkt_env_create(world->spec, &config, env, error);
}

// ---- making ----

lgkt_status exp_run_open(exp_run *run, const lgkt_env *env, const char *spec, int64_t horizon,
                         uint64_t seed, int64_t instance, const lgkt_learner *like, bool untold,
                         lgkt_error *error)
{
    *run = (exp_run){.restricted = lgkt_env_allowed(env, 0) != NULL ? env : NULL};
    lgkt_status status = lgkt_trajectory_create(env, horizon, seed, (uint64_t)instance, NULL,
                                                &run->trajectory, error);
    if (status != LGKT_OK || spec == NULL)
        return status;
    size_t size;
    lgkt_trajectory_observation(run->trajectory, &size);
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = lgkt_env_problem(env, horizon);
    if (untold)
        exp_untell(&config.problem);
    config.seed = seed;
    config.instance = (uint64_t)instance;
    config.like = like;
    const bool numbered = size == 0 || lgkt_env_coarse(env);
    if (numbered) {
        status = lgkt_learner_create(spec, &config, &run->by_number, error);
        run->learner = run->by_number;
    } else {
        lgkt_keyed_config keys = lgkt_keyed_config_default();
        keys.state_limit = config.problem.states;
        keys.key_limit = size;
        config.problem.states = 0;
        status = lgkt_keyed_create(spec, &config, &keys, &run->by_key, error);
        if (status == LGKT_OK)
            run->learner = lgkt_keyed_learner(run->by_key);
    }
    if (status != LGKT_OK)
        exp_run_close(run);
    return status;
}

void exp_run_close(exp_run *run)
{
    lgkt_learner_destroy(run->by_number);
    lgkt_keyed_destroy(run->by_key);
    lgkt_trajectory_destroy(run->trajectory);
    exp_crowd_close(run->crowd);
    *run = (exp_run){0};
}

// the message of whoever refused a call; the learner is asked first, it sees both sides
static lgkt_status refused(const exp_run *run, lgkt_status status, lgkt_error *error)
{
    const char *text =
        run->by_key != NULL ? lgkt_keyed_message(run->by_key) : lgkt_learner_message(run->learner);
    return lgkt_fail(error, status, "%s",
                     text[0] != '\0' ? text : lgkt_trajectory_message(run->trajectory));
}

// ---- the loop ----

// Calls are a third of a step: all that the loop calls is compiled into it, however many others
// call it, too.
#ifdef __GNUC__
#define FLAT __attribute__((flatten))
#else
#define FLAT
#endif

// `keyed` and `restricted` are known when this is compiled, here and below

static inline lgkt_status act(const exp_run *run, int32_t state, int32_t *action, const bool keyed,
                              const bool restricted)
{
    const uint8_t *allowed = restricted ? lgkt_env_allowed(run->restricted, state) : NULL;
    if (!keyed)
        return restricted ? lgkt_learner_act(run->by_number, state, allowed, action)
                          : lgkt_learner_act(run->by_number, state, NULL, action);
    size_t size;
    const void *key = lgkt_trajectory_observation(run->trajectory, &size);
    return restricted ? lgkt_keyed_act(run->by_key, key, size, allowed, action)
                      : lgkt_keyed_act(run->by_key, key, size, NULL, action);
}

static inline lgkt_status observe(const exp_run *run, const lgkt_step *step, const bool keyed)
{
    if (!keyed)
        return lgkt_learner_observe(run->by_number, step->reward, step->state, step->ended);
    size_t size;
    const void *key = lgkt_trajectory_observation(run->trajectory, &size);
    return lgkt_keyed_observe(run->by_key, step->reward, key, size, step->ended);
}

static inline lgkt_status play(exp_run *run, int64_t steps, exp_tally *tally, lgkt_error *error,
                               const bool keyed, const bool restricted)
{
    const exp_run here = *run;
    lgkt_step step = {.state = lgkt_trajectory_state(here.trajectory)};
    double expected = tally->expected, observed = tally->observed;
    int32_t action = run->action;
    for (int64_t i = 0; i < steps; i++) {
        lgkt_status status = act(&here, step.state, &action, keyed, restricted);
        if (status == LGKT_OK)
            status = lgkt_trajectory_step(here.trajectory, action, &step);
        if (status == LGKT_OK)
            status = observe(&here, &step, keyed);
        if (status != LGKT_OK)
            return refused(run, status, error);
        expected += step.mean_reward;
        observed += step.reward;
    }
    tally->expected = expected;
    tally->observed = observed;
    run->action = action;
    return LGKT_OK;
}

FLAT static lgkt_status play_flat(exp_run *run, int64_t steps, exp_tally *tally, lgkt_error *error)
{
    return run->by_key != NULL ? play(run, steps, tally, error, true, false)
                               : play(run, steps, tally, error, false, false);
}

static lgkt_status play_crowd(exp_crowd *crowd, int64_t steps, exp_tally *tally, lgkt_error *error)
{
    for (int64_t i = 0; i < steps; i++) {
        lgkt_step step = {0};
        LGKT_TRY(exp_crowd_step(crowd, &step, error));
        tally->expected += step.mean_reward;
        tally->observed += step.reward;
    }
    return LGKT_OK;
}

lgkt_status exp_play(exp_run *run, int64_t steps, exp_tally *tally, lgkt_error *error)
{
    if (run->crowd != NULL)
        return play_crowd(run->crowd, steps, tally, error);
    if (run->restricted != NULL)
        return play(run, steps, tally, error, run->by_key != NULL, true);
    return play_flat(run, steps, tally, error);
}

lgkt_status exp_play_counting(exp_run *run, int64_t steps, const exp_worth *worths, int32_t count,
                              exp_tally *tally, lgkt_error *error)
{
    for (int64_t i = 0; i < steps; i++) {
        const int64_t t = lgkt_trajectory_time(run->trajectory);
        const int32_t state = lgkt_trajectory_state(run->trajectory);
        LGKT_TRY(exp_play(run, 1, tally, error));
        for (int32_t w = 0; w < count; w++)
            tally->worths[w] += worths[w].cost != NULL
                                    ? lgkt_cost_at(worths[w].cost, t, state, run->action)
                                    : lgkt_mdp_reward(worths[w].model, state, run->action);
    }
    return LGKT_OK;
}

double exp_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
