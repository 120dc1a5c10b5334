// SPDX-License-Identifier: MIT
// Timing of steps on one thread.
//
// A repeat times each learner in turn on GAMES whole runs, one after the other on one instance
// each; making the runs is not timed. The best repeat counts: everything that disturbs a
// measurement makes it longer. Since the learners take turns within a repeat, a change of the clock
// frequency hits them alike.
//
// The bare environment is played with uniform actions from a generator: about 1 ns of each step.
#include "experiments/studies/timing.h"

#include <math.h>

#include "lgkt/rng.h"

#define GAMES 4

static lgkt_status play_uniform(exp_game *game, int32_t actions, int64_t steps, lgkt_rng *rng,
                                exp_tally *tally)
{
    lgkt_status status = LGKT_OK;
    for (int64_t i = 0; i < steps && status == LGKT_OK; i++) {
        lgkt_step step = {0};
        int32_t action = lgkt_rng_below(rng, actions);
        if (game->restricted != NULL) {
            const uint8_t *allowed =
                lgkt_env_allowed(game->restricted, lgkt_trajectory_state(game->trajectory));
            while (!allowed[action])
                action = lgkt_rng_below(rng, actions);
        }
        status = lgkt_trajectory_step(game->trajectory, action, &step);
        tally->expected += step.mean_reward;
        tally->observed += step.reward;
    }
    return status;
}

static lgkt_status play_all(const exp_timing *timing, lgkt_env *const *envs, exp_game *games,
                            lgkt_error *error)
{
    lgkt_rng rng = lgkt_rng_stream(timing->seed, "bench", 0);
    exp_tally tally = {0};
    lgkt_status status = LGKT_OK;
    for (int g = 0; g < GAMES && status == LGKT_OK; g++) {
        const int32_t actions = lgkt_env_problem(envs[g], timing->horizon).actions;
        status = games[g].learner != NULL
                     ? exp_play(&games[g], timing->horizon, &tally, error)
                     : play_uniform(&games[g], actions, timing->horizon, &rng, &tally);
    }
    return status;
}

// one learner in one repeat: makes its runs, times them, lowers *ns
static lgkt_status time_learner(const exp_timing *timing, lgkt_env *const *envs, const char *spec,
                                double *ns, lgkt_error *error)
{
    exp_game games[GAMES] = {0};
    lgkt_status status = LGKT_OK;
    for (int g = 0; g < GAMES && status == LGKT_OK; g++)
        status = exp_game_open(&games[g], envs[g], spec, timing->horizon, timing->seed, g,
                               games[0].learner, false, error);
    if (status == LGKT_OK) {
        const double begin = exp_clock();
        status = play_all(timing, envs, games, error);
        *ns = fmin(*ns, 1e9 * (exp_clock() - begin) / (double)(GAMES * timing->horizon));
    }
    for (int g = 0; g < GAMES; g++)
        exp_game_close(&games[g]);
    return status;
}

lgkt_status exp_time(const exp_timing *timing, double *ns, lgkt_error *error)
{
    lgkt_env *envs[GAMES] = {0};
    lgkt_status status = LGKT_OK;
    for (int g = 0; g < GAMES && status == LGKT_OK; g++)
        status = exp_env_create(&timing->world, timing->seed, g, &envs[g], error);
    for (int32_t l = 0; l < timing->learner_count; l++)
        ns[l] = NAN;
    for (int32_t i = 0; i < timing->repeats * timing->learner_count && status == LGKT_OK; i++) {
        const int32_t l = i % timing->learner_count;
        if (timing->stop != NULL && atomic_load(timing->stop))
            break;
        status = time_learner(timing, envs, timing->learners[l], &ns[l], error);
    }
    for (int g = 0; g < GAMES; g++)
        lgkt_env_destroy(envs[g]);
    return status;
}
