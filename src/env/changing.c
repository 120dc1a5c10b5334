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
#include "env/inner.h"

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

enum { BEFORE, AFTER, SIDES };
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

typedef struct changing_world {
    lgkt_env *sides[SIDES];
    lgkt_change *change;
    const double *means[SIDES]; // (S, A) of the models
} changing_world;

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

static lgkt_status open_sides(lgkt_env *env, const settings *set, const lgkt_env_config *config,
                              lgkt_error *error)
{
    const char *const specs[] = {set->before, set->after}, *const names[] = {"before", "after"};
    changing_world *world = env->self;
    for (int i = BEFORE; i <= AFTER; i++) {
        // specs cannot nest without end, and what is merged has no model
        if (lgkt_inner_named(specs[i], env->class->entry.name) ||
            lgkt_inner_named(specs[i], lgkt_merged_class.entry.name))
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "%s=(%.60s): what changes can be neither merged nor changing",
                             names[i], specs[i]);
        lgkt_env_config side = *config;
        side.data = i == AFTER ? config->after : config->data;
        side.after = (lgkt_data){0};
        if (i == AFTER && set->draw == DRAW_NEW)
            side.instance = ~config->instance;
        LGKT_TRY(lgkt_inner_create(env, specs[i], &side, &world->sides[i], error));
        if (world->sides[i]->model == NULL)
            return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                             "%s=(%.60s): only environments with a model can change", names[i],
                             specs[i]);
        world->means[i] = lgkt_mdp_rewards(world->sides[i]->model);
    }
    return LGKT_OK;
}

static lgkt_status create(lgkt_env *env, void *chosen, const lgkt_env_config *config,
                          lgkt_error *error)
{
    const settings *set = chosen;
    if (set->jumps > 0 && set->at != NULL)
        return lgkt_fail(error, LGKT_ERR_SPEC, "at and jumps are both given; one must do");
    lgkt_status status = lgkt_env_alloc_self(env, sizeof(changing_world), error);
    if (status == LGKT_OK)
        status = open_sides(env, set, config, error);
    if (status != LGKT_OK)
        return status;

    changing_world *world = env->self;
    const lgkt_env *before = world->sides[BEFORE], *after = world->sides[AFTER];
    int32_t count = 0;
    int64_t *times = lgkt_alloc_zeroed(&env->allocator, MAX_TURNS, sizeof *times);
    if (times == NULL)
        return lgkt_fail_memory(error, "the times of a change");
    if (set->jumps > 0)
        count = draw_times(set->jumps, lgkt_rng_stream(config->seed, "changes", config->instance),
                           times);
    else
        status = read_times(set->at == NULL ? "5000" : set->at, times, &count, error);
    if (status == LGKT_OK)
        status = lgkt_change_create(before->model, after->model, times, count, set->rate,
                                    &env->allocator, &world->change, error);
    if (status == LGKT_OK)
        snprintf(env->note, sizeof env->note, "%s %d time%s, the first one at %lld: %.60s | %.60s",
                 set->rate > 0 ? "drifts" : "jumps", (int)count, count == 1 ? "" : "s",
                 (long long)(count > 0 ? times[0] : -1), before->note, after->note);
    lgkt_free(&env->allocator, times);
    if (status != LGKT_OK)
        return status;

    env->change = world->change;
    env->mask = before->mask;
    env->states = before->states;
    env->actions = before->actions;
    env->reward_min = fmin(before->reward_min, after->reward_min);
    env->reward_max = fmax(before->reward_max, after->reward_max);
    env->reward_sd = fmax(before->reward_sd, after->reward_sd);
    double apart = 0;
    for (int32_t z = 0; z < env->states * env->actions && set->rate > 0; z++)
        apart = fmax(apart, fabs(world->means[BEFORE][z] - world->means[AFTER][z]));
    if (apart > 0)
        env->reward_sd = sqrt(env->reward_sd * env->reward_sd + apart * apart / 4);
    return LGKT_OK;
}

static void destroy(lgkt_env *env)
{
    changing_world *world = env->self;
    lgkt_change_destroy(world->change);
    lgkt_env_destroy(world->sides[BEFORE]);
    lgkt_env_destroy(world->sides[AFTER]);
    lgkt_free(&env->allocator, world);
}

static uint64_t hash_world(const lgkt_env *env, uint64_t hash)
{
    const changing_world *world = env->self;
    hash = lgkt_hash_u64(hash, lgkt_change_hash(world->change));
    hash = lgkt_hash_u64(hash, lgkt_env_hash(world->sides[BEFORE]));
    return lgkt_hash_u64(hash, lgkt_env_hash(world->sides[AFTER]));
}

// ---- the run ----

static void step_changing(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const changing_world *world = trajectory->world;
    const size_t z = (size_t)trajectory->state * (size_t)trajectory->actions + (size_t)action;
    const double w = lgkt_change_weight(world->change, trajectory->time);
    const bool after = w > 0 && (w == 1 || lgkt_rng_uniform(&trajectory->rng) < w);
    lgkt_trajectory *const first = lgkt_inner_run(trajectory);
    lgkt_trajectory *const second = lgkt_inner_second(trajectory);
    lgkt_inner_step(trajectory, after ? second : first, action, step);
    trajectory->state = first->state = second->state = step->state;
    if (w > 0 && w < 1)
        step->mean_reward = (1 - w) * world->means[BEFORE][z] + w * world->means[AFTER][z];
}

static void start(lgkt_trajectory *trajectory, double u)
{
    const changing_world *world = trajectory->world;
    const lgkt_rng rng = trajectory->rng;
    lgkt_trajectory *const first = lgkt_inner_run(trajectory);
    lgkt_inner_start(trajectory, first, world->sides[BEFORE], u);
    // what the second one may draw for itself are the same numbers
    lgkt_trajectory *const second = lgkt_inner_second(trajectory);
    const lgkt_rng begun = trajectory->rng;
    trajectory->rng = rng;
    lgkt_inner_start(trajectory, second, world->sides[AFTER], u);
    trajectory->rng = begun;
    trajectory->state = second->state = first->state;
    trajectory->step = step_changing;
}

static void visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    lgkt_trajectory *const first = lgkt_inner_run(trajectory);
    lgkt_trajectory *const second = lgkt_inner_second(trajectory);
    first->state = second->state = trajectory->state;
    lgkt_inner_visit(trajectory, first, archive);
    lgkt_inner_visit(trajectory, second, archive);
}

const lgkt_env_class lgkt_changing_class = {
    .entry = {.name = "changing",
              .summary = "one environment before and another one after, in jumps or by drifting",
              .source = "ours",
              .memory = "that of the two",
              LGKT_PARAMS(PARAMS),
              .inner = "before",
              .inner_after = "after"},
    .create = create,
    .destroy = destroy,
    .start = start,
    .hash = hash_world,
    .visit = visit,
};
