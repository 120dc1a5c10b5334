// SPDX-License-Identifier: MIT
// All learners on one instance: learners over the instance, steps over a learner.
//
//   - Learners on one instance get trajectories with the same noise (see lgkt/env.h), so their
//     differences are paired. The environment and its optimum are made once per instance.
//   - Each learner spec has a prototype, made on instance 0, whose O(T) tables the others share.
//   - Steps run in blocks of BLOCK, cut at checkpoints. Sums are plain inside a block and
//     compensated over blocks; cutting a block does not change its sum, so a curve does not change
//     the results, and its last point is the result.
//   - A run looks at the pool between blocks.
#include "experiments/instance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiments/play.h"
#include "experiments/regret.h"
#include "experiments/statistics.h"
#include "io/io_text.h"
#include "lgkt/plan.h"

#define BLOCK 512

// What the runs of all learners on one instance share.
typedef struct instance {
    const exp_setup *setup;
    int64_t number;
    exp_pool *pool;
    int64_t unit;
    lgkt_env *env;
    exp_regret regret; // empty if not asked for
} instance;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// ---- one learner ----

// Sums over the whole blocks of a run.
typedef struct totals {
    exp_sum expected, observed, cost;
} totals;

static void end_block(totals *sums, exp_tally *block)
{
    exp_sum_add(&sums->expected, block->expected);
    exp_sum_add(&sums->observed, block->observed);
    exp_sum_add(&sums->cost, block->cost);
    *block = (exp_tally){0};
}

static lgkt_status play(const instance *at, exp_game *game, int64_t steps, exp_tally *block,
                        lgkt_error *error)
{
    return at->regret.cost == NULL ? exp_play(game, steps, block, error)
                                   : exp_regret_play(&at->regret, game, steps, block, error);
}

// the run so far at checkpoint c, in the middle of a block or at its end
static exp_point point_at(const instance *at, int32_t c, const totals *sums, const exp_tally *block)
{
    const double steps = (double)at->setup->checkpoints[c];
    exp_point point = {
        .expected = (exp_sum_value(&sums->expected) + block->expected) / steps,
        .observed = exp_sum_value(&sums->observed) + block->observed,
    };
    if (at->regret.cost != NULL)
        point.regret = exp_sum_value(&sums->cost) + block->cost - at->regret.by[c];
    return point;
}

// the whole run, block by block; ends early without an error when halted
static lgkt_status walk(const instance *at, exp_game *game, exp_score *score, exp_point *points,
                        lgkt_error *error)
{
    const exp_setup *setup = at->setup;
    const int64_t horizon = setup->horizon;
    totals sums = {0};
    exp_tally block = {0};
    int32_t c = 0;
    for (int64_t t = 0; t < horizon && !exp_pool_halted(at->pool, at->unit);) {
        // to the end of the block or the next checkpoint
        int64_t until = least(horizon, t - t % BLOCK + BLOCK);
        if (c < setup->checkpoint_count)
            until = least(until, setup->checkpoints[c]);
        const lgkt_status status = play(at, game, until - t, &block, error);
        if (status != LGKT_OK)
            return status;
        atomic_fetch_add_explicit(&at->pool->steps, until - t, memory_order_relaxed);
        t = until;

        if (t % BLOCK == 0 || t == horizon)
            end_block(&sums, &block);
        if (c < setup->checkpoint_count && t == setup->checkpoints[c]) {
            points[c] = point_at(at, c, &sums, &block);
            c++;
        }
    }
    score->reward = exp_sum_value(&sums.expected) / (double)horizon;
    score->observed = exp_sum_value(&sums.observed) / (double)horizon;
    if (at->regret.cost != NULL)
        score->regret = exp_sum_value(&sums.cost) - at->regret.total;
    return LGKT_OK;
}

static void read_counters(const lgkt_learner *learner, int64_t values[EXP_MAX_COUNTERS])
{
    lgkt_counter counters[EXP_MAX_COUNTERS];
    const int32_t count = lgkt_learner_counters(learner, counters, EXP_MAX_COUNTERS);
    for (int32_t i = 0; i < count && i < EXP_MAX_COUNTERS; i++)
        values[i] = counters[i].value;
}

static lgkt_status run_learner(const instance *at, const exp_cast *cast, int32_t l,
                               exp_outcome *outcome, lgkt_error *error)
{
    const exp_setup *setup = at->setup;
    exp_score *score = &outcome->scores[l];
    exp_game game;
    lgkt_status status = exp_game_open(&game, at->env, setup->learners[l], setup->horizon,
                                       setup->seed, at->number, cast->games[l].learner, error);
    if (status != LGKT_OK)
        return status;
    atomic_store_explicit(&at->pool->learner, setup->learners[l], memory_order_relaxed);
    const double begin = exp_clock();
    status = walk(at, &game, score, outcome->points + (size_t)l * (size_t)setup->checkpoint_count,
                  error);
    score->seconds = exp_clock() - begin;
    read_counters(game.learner, score->counters);
    exp_game_close(&game);
    return status;
}

// ---- one instance ----

lgkt_status exp_plan_ends(const lgkt_mdp *model, int64_t horizon, const double *law,
                          exp_outcome *outcome, lgkt_error *error)
{
    const int32_t states = lgkt_mdp_states(model);
    double *value = calloc((size_t)states, sizeof *value); // (S)
    lgkt_status status = LGKT_OK;
    if (value == NULL)
        status = io_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    for (int i = 0; i < 2 && status == LGKT_OK; i++) {
        lgkt_policy *policy = NULL;
        status = i == 0 ? lgkt_policy_optimal(model, horizon, LGKT_TIES_LOW, NULL, &policy, error)
                        : lgkt_policy_uniform(model, horizon, NULL, &policy, error);
        if (status == LGKT_OK)
            status = lgkt_policy_value(policy, NULL, value, error);
        lgkt_policy_destroy(policy);
        double sum = 0.0;
        for (int32_t s = 0; s < states; s++)
            sum += law[s] * value[s];
        *(i == 0 ? &outcome->optimum : &outcome->random) = sum / (double)horizon;
    }
    free(value);
    return status;
}

// the state that all runs on this instance start in
static lgkt_status find_start(const instance *at, int32_t *start, lgkt_error *error)
{
    exp_game game;
    const lgkt_status status = exp_game_open(&game, at->env, NULL, at->setup->horizon,
                                             at->setup->seed, at->number, NULL, error);
    if (status != LGKT_OK)
        return status;
    *start = lgkt_trajectory_state(game.trajectory);
    exp_game_close(&game);
    return LGKT_OK;
}

// what learners are held against: the optimum and uniform play (NaN where there is no model) and
// the thresholding policy
static lgkt_status plan_instance(instance *at, exp_outcome *outcome, lgkt_error *error)
{
    const exp_setup *setup = at->setup;
    const lgkt_mdp *model = lgkt_env_model(at->env);
    outcome->optimum = outcome->random = NAN;
    if (model == NULL)
        return LGKT_OK;
    int32_t start = 0;
    double *law = calloc((size_t)lgkt_mdp_states(model), sizeof *law); // (S) all at the start
    lgkt_status status = law != NULL ? find_start(at, &start, error)
                                     : io_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    if (status == LGKT_OK) {
        law[start] = 1.0;
        status = exp_plan_ends(model, setup->horizon, law, outcome, error);
    }
    if (status == LGKT_OK && setup->regret_k > 0) {
        const exp_regret_setup regret = {setup->regret_k, setup->regret_threshold, setup->horizon,
                                         setup->checkpoints, setup->checkpoint_count};
        status = exp_regret_open(&at->regret, &regret, model, law, error);
    }
    free(law);
    return status;
}

lgkt_status exp_instance_play(const exp_setup *setup, const exp_cast *cast, int64_t number,
                              exp_pool *pool, int64_t unit, exp_outcome *outcome, lgkt_error *error)
{
    instance at = {.setup = setup, .number = number, .pool = pool, .unit = unit};
    lgkt_status status = exp_env_create(setup->env, setup->seed, number, &at.env, error);
    if (status == LGKT_OK)
        status = plan_instance(&at, outcome, error);
    for (int32_t l = 0; l < setup->learner_count && status == LGKT_OK; l++)
        status = run_learner(&at, cast, l, outcome, error);
    exp_regret_close(&at.regret);
    lgkt_env_destroy(at.env);
    return status;
}

// ---- what the instances have in common ----

static lgkt_status make_learner(exp_cast *cast, const exp_setup *setup, const lgkt_env *env,
                                lgkt_error *error)
{
    exp_game *game = &cast->games[cast->count];
    const lgkt_status status = exp_game_open(game, env, setup->learners[cast->count],
                                             setup->horizon, setup->seed, 0, NULL, error);
    if (status != LGKT_OK)
        return status;
    // the trajectory must not outlive the environment, the learner may
    lgkt_trajectory_destroy(game->trajectory);
    game->trajectory = NULL;
    cast->count++;
    return LGKT_OK;
}

lgkt_status exp_cast_make(exp_cast *cast, const exp_setup *setup, lgkt_error *error)
{
    lgkt_env *env = NULL;
    *cast = (exp_cast){.games = calloc((size_t)setup->learner_count, sizeof(exp_game))};
    lgkt_status status = cast->games != NULL
                             ? exp_env_create(setup->env, setup->seed, 0, &env, error)
                             : io_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    if (status == LGKT_OK)
        snprintf(cast->note, sizeof cast->note, "%s", lgkt_env_note(env));
    if (status == LGKT_OK && setup->regret_k > 0 && lgkt_env_model(env) == NULL)
        status =
            io_fail(error, LGKT_ERR_UNSUPPORTED,
                    "regret is known only where there is a model, and %.100s has none", setup->env);
    while (status == LGKT_OK && cast->count < setup->learner_count)
        status = make_learner(cast, setup, env, error);
    lgkt_env_destroy(env);
    if (status != LGKT_OK)
        exp_cast_free(cast);
    return status;
}

void exp_cast_free(exp_cast *cast)
{
    for (int32_t l = 0; l < cast->count; l++)
        exp_game_close(&cast->games[l]);
    free(cast->games);
    *cast = (exp_cast){0};
}

// ---- storage ----

lgkt_status exp_outcome_create(exp_outcome *outcome, const exp_setup *setup, lgkt_error *error)
{
    const size_t learners = (size_t)setup->learner_count;
    *outcome = (exp_outcome){
        .scores = calloc(learners, sizeof(exp_score)),
        .points = calloc(learners * (size_t)setup->checkpoint_count + 1, sizeof(exp_point)),
    };
    if (outcome->scores != NULL && outcome->points != NULL)
        return LGKT_OK;
    exp_outcome_free(outcome);
    return io_fail(error, LGKT_ERR_NO_MEMORY, "no memory for the results of %zu runs", learners);
}

void exp_outcome_free(exp_outcome *outcome)
{
    free(outcome->scores);
    free(outcome->points);
    *outcome = (exp_outcome){0};
}
