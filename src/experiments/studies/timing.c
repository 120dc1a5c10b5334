// SPDX-License-Identifier: MIT
// Timing of steps on one thread.
//
// A repeat times each learner in turn on RUNS whole runs, one after the other on one instance
// each; making the runs is not timed. The best repeat counts: everything that disturbs a
// measurement makes it longer. Since the learners take turns within a repeat, a change of the clock
// frequency hits them alike.
//
// The bare environment is played with uniform actions from a generator: about 1 ns of each step.
#include "experiments/studies/studies.h"

#include <math.h>

#include "core/error.h"

#define RUNS 4

static lgkt_status play_uniform(exp_run *run, int32_t actions, int64_t steps, lgkt_rng *rng,
                                double *sums)
{
    for (int64_t i = 0; i < steps; i++) {
        lgkt_step step = {0};
        int32_t action = lgkt_rng_below(rng, actions);
        if (run->restricted != NULL) {
            const uint8_t *allowed =
                lgkt_env_allowed(run->restricted, lgkt_trajectory_state(run->trajectory));
            while (!allowed[action])
                action = lgkt_rng_below(rng, actions);
        }
        LGKT_TRY(lgkt_trajectory_step(run->trajectory, action, &step));
        sums[EXP_EXPECTED] += step.mean_reward;
        sums[EXP_OBSERVED] += step.reward;
    }
    return LGKT_OK;
}

// one learner in one repeat: makes its runs, times them, lowers *ns
static lgkt_status time_learner(const exp_timing *timing, lgkt_env *const *envs, const char *spec,
                                exp_run *runs, double *ns, lgkt_error *error)
{
    const exp_asked asked = {.seed = timing->seed};
    const exp_panel panel = {.horizon = timing->horizon};
    const exp_setup setup = {.asked = &asked, .panel = &panel};
    const exp_entry entry = {.spec = spec};
    for (int g = 0; g < RUNS; g++)
        LGKT_TRY(exp_run_open(&runs[g], &setup, spec != NULL ? &entry : NULL, envs[g], g,
                              runs[0].learner, error));
    const int32_t actions = lgkt_env_problem(envs[0], timing->horizon).actions;
    lgkt_rng rng = lgkt_rng_stream(timing->seed, "bench", 0);
    double sums[EXP_SUMS] = {0};
    const double begin = exp_clock();
    for (int g = 0; g < RUNS; g++)
        LGKT_TRY(spec != NULL ? exp_play(&runs[g], timing->horizon, NULL, 0, sums, error)
                              : play_uniform(&runs[g], actions, timing->horizon, &rng, sums));
    *ns = fmin(*ns, 1e9 * (exp_clock() - begin) / (double)(RUNS * timing->horizon));
    return LGKT_OK;
}

lgkt_status exp_time(const exp_timing *timing, double *ns, lgkt_error *error)
{
    lgkt_env *envs[RUNS] = {0};
    lgkt_status status = LGKT_OK;
    for (int g = 0; g < RUNS && status == LGKT_OK; g++)
        status = exp_env_create(&timing->world, timing->seed, g, &envs[g], error);
    for (int32_t l = 0; l < timing->learner_count; l++)
        ns[l] = NAN;
    for (int32_t i = 0; i < timing->repeats * timing->learner_count && status == LGKT_OK; i++) {
        const int32_t l = i % timing->learner_count;
        exp_run runs[RUNS] = {0};
        if (timing->stop != NULL && atomic_load(timing->stop))
            break;
        if (isinf(ns[l]))
            continue;
        status = time_learner(timing, envs, timing->learners[l], runs, &ns[l], error);
        if (status == LGKT_ERR_UNSUPPORTED && timing->skips) {
            ns[l] = INFINITY;
            status = LGKT_OK;
        }
        for (int g = 0; g < RUNS; g++)
            exp_run_close(&runs[g]);
    }
    for (int g = 0; g < RUNS; g++)
        lgkt_env_destroy(envs[g]);
    return status;
}
