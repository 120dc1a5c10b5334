// SPDX-License-Identifier: MIT
// A world that changes: two environments of the same states and actions, the first one before and
// the second one after.
//
// Both are made with the same seed and instance, from the specs in `before` and `after`, and must
// have a model; a random `after` can be drawn anew. At each turning time the world goes to the
// other one: at once, or by drifting, where a step follows the other with a probability w(t) that
// moves by `rate` a step (lgkt_change, lgkt/mdp.h). The times are those in `at`, or random: with
// `jumps` each step t >= 1 is a turning time with that probability, drawn from the stream "changes"
// of (seed, instance), so that all runs of an instance share them. There are MAX_TURNS at most, and
// no more changes behind the last.
//
// A run holds a run of each and plays one of them at a step, with the numbers of the one generator;
// the state is that of both. While the world drifts, 0 < w < 1, each step first draws a number that
// says which. So draws depend on the generator and on t only, and with jumps and the same spec on
// both sides the run is that of the plain environment, bit for bit. The mean reward of a step is
// that of the mixture, (1 - w) R + w R'.
//
// There is no one model: lgkt_env_model is NULL, lgkt_env_change has both. What a learner is told:
// the range of both. While the world drifts, a reward scatters about the mean of the mixture by the
// noise and by which of the two it is: with h half the largest |R - R'|, the scale is
// sqrt(sd^2 + h^2).
//
// Memory: the two environments, 16 bytes per turn, and three trajectories for a run. A step costs
// that of the inner environment, two copies of the generator and a bisection over the turns.
#include "env/env_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/number.h"

#define MAX_TURNS 10000
#define MAX_TIME  1000000000000000 // of a turn

enum { BEFORE, AFTER };
enum { DRAW_SAME, DRAW_NEW };

typedef struct settings {
    const char *before, *after, *at;
    double rate, jumps;
    int draw;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_ROW_TEXT(settings, before, "before", "riverswim",
                  "spec of the first environment, in parentheses if it has settings"),
    LGKT_ROW_TEXT(settings, after, "after", "riverswim:variant=printed",
                  "spec of the second one, of the same states and actions"),
    LGKT_ROW_TEXT(settings, at, "at", "@5000, or random with jumps",
                  "times of the changes, there and back in turn: at=5000/10000"),
    LGKT_ROW_REAL(settings, rate, "rate", "0", 0, 1,
                  "what the share of the other environment grows by in a step; 0: it changes at "
                  "once"),
    LGKT_ROW_REAL(settings, jumps, "jumps", "0", 0, 1,
                  "random times: probability of a change at each step, up to 10000 of them"),
    LGKT_ROW_CHOICE(settings, draw, "draw", "same", "same|new",
                    "whether a random `after` is drawn with the numbers of `before`, or anew"),
};

// ---- when ----

// times (MAX_TURNS) from a list 5000/10000; *count of them
static lgkt_status read_times(const char *text, int64_t *times, int32_t *count, lgkt_error *error)
{
    *count = 0;
    for (const char *at = text; at != NULL; at = strchr(at, '/')) {
        char word[LGKT_NUMBER_SIZE];
        at += *at == '/' && at > text;
        const size_t length = strcspn(at, "/");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 0, at);
        int64_t *const time = &times[*count];
        if (*count == MAX_TURNS || !lgkt_integer_parse(word, time) || *time > MAX_TIME ||
            *time < (*count > 0 ? times[*count - 1] + 1 : 0))
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "at=%.60s: it must be up to %d whole numbers from 0 on that increase, "
                             "such as 5000/10000",
                             text, MAX_TURNS);
        ++*count;
    }
    return LGKT_OK;
}

// the steps between two of them have a geometric law
static int32_t draw_times(double p, lgkt_rng rng, int64_t *times)
{
    const double scale = lgkt_log1p(-p);
    int64_t t = 0;
    int32_t count = 0;
    while (count < MAX_TURNS) {
        t += 1 + (int64_t)fmin(lgkt_log1p(-lgkt_rng_uniform(&rng)) / scale, MAX_TIME);
        if (t > MAX_TIME)
            break;
        times[count++] = t;
    }
    return count;
}

// ---- the world ----

// (S, A) of the model of one side
static const double *means_of(const lgkt_env *env, int side)
{
    return lgkt_mdp_rewards(env->inner[side]->model);
}

static lgkt_status open_sides(lgkt_env *env, const settings *set, lgkt_error *error)
{
    const lgkt_env_config *config = env->config;
    lgkt_env_config before = *config, after = *config;
    before.after = after.after = (lgkt_data){0};
    after.data = config->after;
    if (set->draw == DRAW_NEW)
        after.instance = ~config->instance;
    LGKT_TRY(lgkt_inner_create(env, "before", set->before, &before, true, error));
    return lgkt_inner_create(env, "after", set->after, &after, true, error);
}

static lgkt_status open_change(lgkt_env *env, const settings *set, int64_t *times,
                               lgkt_error *error)
{
    const lgkt_env *before = env->inner[BEFORE], *after = env->inner[AFTER];
    const lgkt_env_config *config = env->config;
    lgkt_change *change = NULL;
    int32_t count = 0;
    if (set->jumps > 0)
        count = draw_times(set->jumps, lgkt_rng_stream(config->seed, "changes", config->instance),
                           times);
    else
        LGKT_TRY(read_times(set->at == NULL ? "5000" : set->at, times, &count, error));
    LGKT_TRY(lgkt_change_create(before->model, after->model, times, count, set->rate,
                                &env->allocator, &change, error));
    env->change = change;
    snprintf(env->note, sizeof env->note, "%s %d time%s, the first one at %lld: %.60s | %.60s",
             set->rate > 0 ? "drifts" : "jumps", (int)count, count == 1 ? "" : "s",
             (long long)(count > 0 ? times[0] : -1), before->note, after->note);
    return LGKT_OK;
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    if (set->jumps > 0 && set->at != NULL)
        return lgkt_fail(error, LGKT_ERR_SPEC, "at and jumps are both given; one must do");
    LGKT_TRY(open_sides(env, set, error));
    int64_t *times = lgkt_alloc_zeroed(&env->allocator, MAX_TURNS, sizeof *times);
    if (times == NULL)
        return lgkt_fail_memory(error, "the times of a change");
    const lgkt_status status = open_change(env, set, times, error);
    lgkt_free(&env->allocator, times);

    const lgkt_env *before = env->inner[BEFORE], *after = env->inner[AFTER];
    env->mask = before->mask;
    env->states = before->states;
    env->actions = before->actions;
    env->reward_min = fmin(before->reward_min, after->reward_min);
    env->reward_max = fmax(before->reward_max, after->reward_max);
    env->reward_sd = fmax(before->reward_sd, after->reward_sd);
    double apart = 0;
    for (int32_t z = 0; status == LGKT_OK && z < env->states * env->actions && set->rate > 0; z++)
        apart = fmax(apart, fabs(means_of(env, BEFORE)[z] - means_of(env, AFTER)[z]));
    if (apart > 0)
        env->reward_sd = sqrt(env->reward_sd * env->reward_sd + apart * apart / 4);
    return status;
}

static uint64_t hash_change(const lgkt_env *env, uint64_t hash)
{
    return lgkt_hash_u64(hash, lgkt_change_hash(env->change));
}

// ---- the run ----

static void step_changing(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const lgkt_env *env = trajectory->env;
    const size_t z = (size_t)trajectory->state * (size_t)trajectory->actions + (size_t)action;
    const double w = lgkt_change_weight(env->change, trajectory->time);
    const bool after = w > 0 && (w == 1 || lgkt_rng_uniform(&trajectory->rng) < w);
    lgkt_inner_step(trajectory, after ? AFTER : BEFORE, action, step);
    trajectory->state = step->state;
    if (w > 0 && w < 1)
        step->mean_reward = (1 - w) * means_of(env, BEFORE)[z] + w * means_of(env, AFTER)[z];
}

static void start(lgkt_trajectory *trajectory, double u)
{
    lgkt_inner_start(trajectory, u);
    trajectory->step = step_changing;
}

const lgkt_env_class lgkt_changing_class = {
    LGKT_ENV_ENTRY(
        "changing", "one environment before and another one after, in jumps or by drifting", "ours",
        "that of the two", LGKT_PARAMS(PARAMS), .inner = "before", .inner_after = "after"),
    .create = create,
    .start = start,
    .hash = hash_change,
    .visit = lgkt_inner_visit,
};
