// SPDX-License-Identifier: MIT
#include "ref/env_facts.h"

#include <stdlib.h>

#include "ref/chance.h"
#include "ref/env_run.h"
#include "test.h"

double env_facts_gain(const char *spec)
{
    lgkt_env *env = env_run_make(spec, NULL);
    lgkt_error error = {0};
    double gain = NAN;
    assert_ok(lgkt_plan_gain(lgkt_env_model(env), 1e-12, NULL, &gain, NULL, &error), error);
    lgkt_env_destroy(env);
    return gain;
}

double env_facts_uniform_gain(const char *spec, double tolerance)
{
    lgkt_env *env = env_run_make(spec, NULL);
    lgkt_policy *policy = NULL;
    lgkt_error error = {0};
    double gain = NAN;
    assert_ok(lgkt_policy_uniform(lgkt_env_model(env), 1, NULL, &policy, &error), error);
    assert_ok(lgkt_policy_gain(policy, tolerance, NULL, &gain, NULL, &error), error);
    lgkt_policy_destroy(policy);
    lgkt_env_destroy(env);
    return gain;
}

double env_facts_span(const char *spec)
{
    lgkt_env *env = env_run_make(spec, NULL);
    lgkt_error error = {0};
    const int32_t states = lgkt_env_problem(env, 1).states;
    double gain, span = 0, *bias = calloc((size_t)states, sizeof *bias);
    assert_non_null(bias);
    assert_ok(lgkt_plan_gain(lgkt_env_model(env), 1e-12, NULL, &gain, bias, &error), error);
    for (int32_t s = 0; s < states; s++)
        span = fmax(span, bias[s]);
    free(bias);
    lgkt_env_destroy(env);
    return span;
}

double env_facts_probability(const lgkt_mdp *mdp, int32_t s, int32_t a, int32_t next)
{
    const lgkt_row row = lgkt_mdp_row(mdp, s, a);
    for (int32_t i = 0; i < row.n; i++)
        if (row.next[i] == next)
            return row.p[i];
    return 0;
}

void env_facts_check_run(const char *spec, int64_t steps)
{
    lgkt_env *env = env_run_make(spec, NULL);
    const lgkt_mdp *mdp = lgkt_env_model(env);
    const lgkt_problem problem = lgkt_env_problem(env, steps);
    const size_t states = (size_t)problem.states, pairs = states * (size_t)problem.actions;
    int64_t *moves = calloc(pairs * states, sizeof *moves), *plays = calloc(pairs, sizeof *plays);
    double *excess = calloc(pairs, sizeof *excess);
    assert_true(moves != NULL && plays != NULL && excess != NULL);
    assert_true(problem.reward_min == lgkt_mdp_reward_min(mdp) &&
                problem.reward_max == lgkt_mdp_reward_max(mdp));

    lgkt_trajectory *run = env_run_start(env, steps, 5);
    lgkt_rng rng = lgkt_rng_stream(5, "actions", 0);
    int32_t state = lgkt_trajectory_state(run);
    assert_true(lgkt_mdp_start_law(mdp)[state] > 0);
    for (int64_t t = 0; t < steps; t++) {
        const int32_t action = lgkt_rng_below(&rng, problem.actions);
        const size_t pair = (size_t)(state * problem.actions + action);
        const lgkt_step step = env_run_play(run, action);
        assert_true(step.mean_reward == lgkt_mdp_rewards(mdp)[pair] && !step.ended);
        moves[pair * states + (size_t)step.state]++;
        plays[pair]++;
        excess[pair] += step.reward - step.mean_reward;
        state = step.state;
    }
    const double log_level = log(2 / CHANCE_LEVEL);
    for (size_t z = 0; z < pairs; z++) {
        const double n = (double)plays[z];
        const int32_t s = (int32_t)z / problem.actions, a = (int32_t)z % problem.actions;
        assert_close(excess[z], 0, problem.reward_sd * sqrt(2 * n * log_level) + 1e-12 * n);
        for (int32_t y = 0; y < problem.states; y++) {
            const double p = env_facts_probability(mdp, s, a, y);
            const double count = (double)moves[z * states + (size_t)y];
            assert_close(count, n * p, p > 0 && p < 1 ? chance_count_bound(n, p) : 1e-9);
        }
    }
    free(moves);
    free(plays);
    free(excess);
    lgkt_trajectory_destroy(run);
    lgkt_env_destroy(env);
}

void env_facts_best(const lgkt_env *env, int32_t *actions)
{
    const lgkt_mdp *mdp = lgkt_env_model(env);
    double gain, bias[128];
    lgkt_error error = {0};
    assert_in_range(lgkt_mdp_states(mdp), 1, 128);
    assert_ok(lgkt_plan_gain(mdp, 1e-12, NULL, &gain, bias, &error), error);
    for (int32_t s = 0; s < lgkt_mdp_states(mdp); s++) {
        double best = -INFINITY;
        for (int32_t a = 0; a < lgkt_mdp_actions(mdp); a++) {
            const lgkt_row row = lgkt_mdp_row(mdp, s, a);
            double value = lgkt_mdp_reward(mdp, s, a);
            for (int32_t i = 0; i < row.n; i++)
                value += row.p[i] * bias[row.next[i]];
            if (value > best + 1e-9) {
                best = value;
                actions[s] = a;
            }
        }
    }
}

void env_facts_check_refused(const env_facts_bad *cases)
{
    for (; cases->spec != NULL; cases++) {
        lgkt_env *env = NULL;
        lgkt_error error = {0};
        assert_refused(lgkt_env_create(cases->spec, NULL, &env, &error), LGKT_ERR_SPEC, error,
                       cases->words);
        assert_null(env);
    }
}
