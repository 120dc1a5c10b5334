// SPDX-License-Identifier: MIT
// Exact values of K-step greedy policies (ratio.h).
#include "experiments/ratio.h"

#include <math.h>
#include <stdlib.h>

#include "experiments/play.h"
#include "io/io_text.h"
#include "lgkt/plan.h"
#include "lgkt/spec.h"

// V per step from the start law
static lgkt_status value_of(const lgkt_policy *policy, const lgkt_mdp *model, double *mean,
                            lgkt_error *error)
{
    const int32_t states = lgkt_mdp_states(model);
    const double *law = lgkt_mdp_start_law(model);
    double *value = calloc((size_t)states, sizeof *value); // (S)
    if (value == NULL)
        return io_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    const lgkt_status status = lgkt_policy_value(policy, NULL, value, error);
    double sum = 0.0;
    for (int32_t s = 0; s < states; s++)
        sum += law[s] * value[s];
    *mean = sum / (double)lgkt_policy_horizon(policy);
    free(value);
    return status;
}

static lgkt_status depth_of(const char *spec, int64_t *k, lgkt_error *error)
{
    char text[32];
    const lgkt_status status = lgkt_spec_value(spec, "k", text, sizeof text, error);
    if (status != LGKT_OK)
        return status;
    return io_parse_integer(text, k)
               ? LGKT_OK
               : io_fail(error, LGKT_ERR_SPEC, "%.100s: k is no whole number", spec);
}

static lgkt_status score_depth(const lgkt_mdp *model, int64_t k, int64_t horizon, double optimum,
                               exp_score *score, lgkt_error *error)
{
    const double steps = (double)horizon;
    lgkt_policy *policy = NULL;
    lgkt_status status = lgkt_policy_greedy(model, k, horizon, LGKT_TIES_LOW, NULL, &policy, error);
    if (status == LGKT_OK)
        status = value_of(policy, model, &score->reward, error);
    if (status == LGKT_OK)
        status = lgkt_plan_gap_bound(policy, k, NULL, &score->bound, error);
    if (status == LGKT_OK)
        status = lgkt_plan_gap_distance(policy, k, NULL, &score->distance, error);
    lgkt_policy_destroy(policy);
    score->gap = optimum - score->reward;
    score->bound /= steps;
    score->distance /= steps;
    score->observed = NAN;
    return status;
}

lgkt_status exp_ratio_play(const exp_setup *setup, int64_t number, exp_pool *pool, int64_t unit,
                           exp_outcome *outcome, lgkt_error *error)
{
    lgkt_env *env = NULL;
    lgkt_status status = exp_env_create(setup->env, setup->seed, number, &env, error);
    const lgkt_mdp *model = status == LGKT_OK ? lgkt_env_model(env) : NULL;
    if (status == LGKT_OK && model == NULL)
        status = io_fail(error, LGKT_ERR_UNSUPPORTED, "%.100s has no model", setup->env);
    if (status == LGKT_OK)
        status = exp_plan_ends(model, setup->horizon, lgkt_mdp_start_law(model), outcome, error);
    for (int32_t l = 0; l < setup->learner_count && status == LGKT_OK; l++) {
        int64_t k = 0;
        exp_score *score = &outcome->scores[l];
        if (exp_pool_halted(pool, unit))
            break;
        atomic_store(&pool->learner, setup->learners[l]);
        const double begin = exp_clock();
        status = depth_of(setup->learners[l], &k, error);
        if (status == LGKT_OK)
            status = score_depth(model, k, setup->horizon, outcome->optimum, score, error);
        score->seconds = exp_clock() - begin;
        outcome->points[l].expected = score->reward / outcome->optimum;
        atomic_fetch_add(&pool->steps, setup->horizon);
    }
    lgkt_env_destroy(env);
    return status;
}
