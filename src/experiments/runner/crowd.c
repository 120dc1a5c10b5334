// SPDX-License-Identifier: MIT
// Many units in turn, with late and missing rewards (crowd.h).
//
// Unit u of instance i is instance i N + u of the environment and has its own noise. Of each step
// two numbers of the stream "reports" say whether and when its reward is reported: the same ones
// for all learners, so that they are compared on the same delays.
#include "experiments/runner/crowd.h"

#include <stdlib.h>

#include "core/elementary.h"
#include "core/error.h"
#include "experiments/runner/untold.h"
#include "lgkt/rng.h"

typedef struct report {
    int64_t due; // round
    int64_t decision;
    double reward;
    int32_t unit;
} report;

struct exp_crowd {
    exp_units set;
    int64_t horizon, step;
    lgkt_env **envs;        // (N)
    lgkt_trajectory **runs; // (N)
    lgkt_units **fronts;    // (front_count) one for all, or (N)
    int32_t front_count;
    lgkt_rng rng;
    report *reports; // (capacity) still to come, in the order of their decisions
    size_t count, capacity;
};

static lgkt_units *front_of(const exp_crowd *crowd, int32_t unit)
{
    return crowd->fronts[crowd->front_count > 1 ? unit : 0];
}

static lgkt_status refused(const lgkt_units *front, lgkt_status status, lgkt_error *error)
{
    return lgkt_fail(error, status, "%s", lgkt_units_message(front));
}

// ---- making ----

static lgkt_status open_unit(exp_crowd *crowd, const exp_crowd_plan *plan, int32_t unit,
                             lgkt_error *error)
{
    const int32_t count = crowd->set.count;
    const int64_t number = (int64_t)plan->config.instance * count + unit;
    lgkt_status status = plan->make(plan->ctx, number, &crowd->envs[unit], error);
    if (status == LGKT_OK)
        status =
            lgkt_trajectory_create(crowd->envs[unit], crowd->horizon / count, plan->config.seed,
                                   (uint64_t)number, NULL, &crowd->runs[unit], error);
    size_t size = 0;
    if (status == LGKT_OK)
        lgkt_trajectory_observation(crowd->runs[unit], &size);
    if (size > 0)
        status = lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                           "units need an environment whose states are numbers");
    return status;
}

static lgkt_status open_front(exp_crowd *crowd, const exp_crowd_plan *plan, int32_t number,
                              lgkt_error *error)
{
    const exp_units *set = &crowd->set;
    const int32_t count = crowd->front_count > 1 ? 1 : set->count;
    const int64_t rounds = set->told > 0 ? set->told : crowd->horizon / set->count;
    lgkt_learner_config config = plan->config;
    config.problem = lgkt_env_problem(crowd->envs[number], rounds * count);
    if (plan->untold)
        exp_untell(&config.problem);
    // learners that units have for themselves draw their own numbers
    config.instance = config.instance * (uint64_t)crowd->front_count + (uint64_t)number;
    if (number > 0)
        config.like = lgkt_units_learner(crowd->fronts[0]);
    lgkt_units_config units = lgkt_units_config_default();
    units.unit_limit = count;
    units.patience = set->patience * count;
    return lgkt_units_create(plan->spec, &config, &units, &crowd->fronts[number], error);
}

lgkt_status exp_crowd_open(exp_crowd **crowd, const exp_crowd_plan *plan, lgkt_error *error)
{
    const exp_units *set = plan->units;
    const size_t count = (size_t)set->count;
    exp_crowd *made = calloc(1, sizeof *made);
    if (made == NULL)
        return lgkt_fail_memory(error, "units");
    made->set = *set;
    made->horizon = plan->horizon;
    made->rng = lgkt_rng_stream(plan->config.seed, "reports", plan->config.instance);
    made->envs = calloc(count, sizeof(lgkt_env *));
    made->runs = calloc(count, sizeof(lgkt_trajectory *));
    made->fronts = calloc(count, sizeof(lgkt_units *));
    made->front_count = plan->spec == NULL ? 0 : plan->alone ? set->count : 1;
    lgkt_status status = made->envs != NULL && made->runs != NULL && made->fronts != NULL
                             ? LGKT_OK
                             : lgkt_fail_memory(error, "units");
    for (int32_t u = 0; u < set->count && status == LGKT_OK; u++)
        status = open_unit(made, plan, u, error);
    for (int32_t f = 0; f < made->front_count && status == LGKT_OK; f++)
        status = open_front(made, plan, f, error);
    if (status == LGKT_OK)
        *crowd = made;
    else
        exp_crowd_close(made);
    return status;
}

void exp_crowd_close(exp_crowd *crowd)
{
    if (crowd == NULL)
        return;
    for (int32_t u = 0; u < crowd->set.count; u++) {
        if (crowd->fronts != NULL)
            lgkt_units_destroy(crowd->fronts[u]);
        if (crowd->runs != NULL)
            lgkt_trajectory_destroy(crowd->runs[u]);
        if (crowd->envs != NULL)
            lgkt_env_destroy(crowd->envs[u]);
    }
    free(crowd->fronts);
    free(crowd->runs);
    free(crowd->envs);
    free(crowd->reports);
    free(crowd);
}

// ---- playing ----

// the whole number of rounds that a report takes, geometric with mean `late`
static int64_t delay_of(double late, double u)
{
    if (!(late > 0))
        return 0;
    const double rounds = lgkt_log(1 - u) / lgkt_log(late / (1 + late));
    return rounds < 1e15 ? (int64_t)rounds : (int64_t)1e15;
}

static lgkt_status keep(exp_crowd *crowd, const report *late, lgkt_error *error)
{
    if (crowd->count == crowd->capacity) {
        const size_t more = crowd->capacity > 0 ? 2 * crowd->capacity : 64;
        report *reports = realloc(crowd->reports, more * sizeof *reports);
        if (reports == NULL)
            return lgkt_fail_memory(error, "late reports");
        crowd->reports = reports;
        crowd->capacity = more;
    }
    crowd->reports[crowd->count++] = *late;
    return LGKT_OK;
}

// what happens between two rounds: late reports come in, and the end is moved
static lgkt_status begin_round(exp_crowd *crowd, int64_t round, lgkt_error *error)
{
    const exp_units *set = &crowd->set;
    lgkt_status status = LGKT_OK;
    size_t left = 0;
    for (size_t i = 0; i < crowd->count && status == LGKT_OK; i++) {
        const report *r = &crowd->reports[i];
        if (r->due > round) {
            crowd->reports[left++] = *r;
            continue;
        }
        lgkt_units *front = front_of(crowd, r->unit);
        status = lgkt_units_reward(front, r->decision, r->reward);
        // nobody waited for it
        if (status == LGKT_ERR_HORIZON)
            status = LGKT_OK;
        if (status != LGKT_OK)
            return refused(front, status, error);
    }
    crowd->count = left;
    for (int32_t f = 0; f < crowd->front_count && set->told > 0 && round == set->extended; f++) {
        status = lgkt_units_set_horizon(crowd->fronts[f], crowd->horizon / crowd->front_count, 0);
        if (status != LGKT_OK)
            return refused(crowd->fronts[f], status, error);
    }
    return LGKT_OK;
}

lgkt_status exp_crowd_step(exp_crowd *crowd, lgkt_step *step, lgkt_error *error)
{
    const exp_units *set = &crowd->set;
    const int32_t unit = (int32_t)(crowd->step % set->count);
    const int64_t round = crowd->step / set->count;
    lgkt_status status = unit == 0 ? begin_round(crowd, round, error) : LGKT_OK;
    if (status != LGKT_OK)
        return status;
    lgkt_units *front = front_of(crowd, unit);
    lgkt_trajectory *run = crowd->runs[unit];
    const int32_t state = lgkt_trajectory_state(run);
    const uint8_t *allowed = lgkt_env_allowed(crowd->envs[unit], state);
    int64_t decision = -1;
    int32_t action = -1;
    status = lgkt_units_act(front, (uint64_t)unit, state, allowed, &decision, &action);
    if (status != LGKT_OK)
        return refused(front, status, error);
    status = lgkt_trajectory_step(run, action, step);
    if (status != LGKT_OK)
        return lgkt_fail(error, status, "%s", lgkt_trajectory_message(run));
    const bool missing = lgkt_rng_uniform(&crowd->rng) < set->missing;
    const int64_t delay = delay_of(set->late, lgkt_rng_uniform(&crowd->rng));
    const report late = {round + delay, decision, step->reward, unit};
    if (!missing && delay == 0)
        status = lgkt_units_reward(front, decision, step->reward);
    else if (!missing && (status = keep(crowd, &late, error)) != LGKT_OK)
        return status;
    if (status == LGKT_OK)
        status = lgkt_units_next(front, decision, step->state, step->ended);
    if (status != LGKT_OK)
        return refused(front, status, error);
    crowd->step++;
    return LGKT_OK;
}

const lgkt_learner *exp_crowd_learner(const exp_crowd *crowd)
{
    return crowd->front_count > 0 ? lgkt_units_learner(crowd->fronts[0]) : NULL;
}

const lgkt_env *exp_crowd_env(const exp_crowd *crowd, int32_t unit)
{
    return crowd->envs[unit];
}

int32_t exp_crowd_state(const exp_crowd *crowd, int32_t unit)
{
    return lgkt_trajectory_state(crowd->runs[unit]);
}
