// SPDX-License-Identifier: MIT
// Hidden state: another environment of S states, of which only s mod M is seen.
//
// The inner environment is made from the spec in `of` with the same seed, instance and data, and
// must have a model. A run holds a run of it and plays it step by step with the same random
// numbers; shown is o = s mod M, M = states. States that are M apart look alike, so what is seen is
// no Markov chain, and no policy of o alone need come near the optimum.
//
// So the environment has no model: lgkt_env_model is NULL, and oracles refuse it. Scores are known
// all the same: the mean reward of a step is that of the hidden pair (s,a), and
// lgkt_env_hidden_model is the inner model, whose optimum is what one would earn who saw s.
//
// States that look alike must allow the same actions: a mask that depends on the hidden state would
// tell it.
//
// A learner is told the range of the mean rewards of the hidden pairs. For it, the reward of (o,a)
// scatters about a mean by the inner noise and by which s it is: with h half the largest range of
// R(s,a) over the s that look alike, the scale is sqrt(sd^2 + h^2).
//
// Memory: the inner environment, and two trajectories for a run. A step costs that of the inner
// environment and two copies of the generator.
#include "env/inner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/hash.h"

typedef struct settings {
    int64_t states;
    const char *of;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_ROW_INTEGER(settings, states, "states", "@half of its states, rounded up", 1,
                     LGKT_MAX_STATES, "number M of states shown; seen is the hidden one mod M"),
    LGKT_ROW_TEXT(
        settings, of, "of", "riverswim",
        "spec of the environment, in parentheses if it has settings: of=(riverswim:states=8)"),
};

typedef struct merged_world {
    lgkt_env *inner;
    int32_t shown; // M
} merged_world;

// ---- the world ----

// Half the largest range of the mean rewards of one action in states that look alike.
static double half_range(const lgkt_mdp *model, int32_t shown)
{
    double widest = 0;
    for (int32_t o = 0; o < shown; o++)
        for (int32_t a = 0; a < lgkt_mdp_actions(model); a++) {
            double low = INFINITY, high = -INFINITY;
            for (int32_t s = o; s < lgkt_mdp_states(model); s += shown) {
                low = fmin(low, lgkt_mdp_reward(model, s, a));
                high = fmax(high, lgkt_mdp_reward(model, s, a));
            }
            widest = fmax(widest, high - low);
        }
    return widest / 2;
}

// The lowest hidden state that allows other actions than one that looks like it; -1: none does.
static int32_t odd_state(const lgkt_env *inner, int32_t shown)
{
    const size_t actions = (size_t)inner->actions;
    for (int32_t s = shown; s < inner->states && inner->mask != NULL; s++)
        if (memcmp(lgkt_env_allowed(inner, s), lgkt_env_allowed(inner, s % shown), actions) != 0)
            return s;
    return -1;
}

static lgkt_status create(lgkt_env *env, void *chosen, const lgkt_env_config *config,
                          lgkt_error *error)
{
    const settings *set = chosen;
    lgkt_status status = lgkt_env_alloc_self(env, sizeof(merged_world), error);
    // specs cannot nest without end, and what is merged has no model
    if (status == LGKT_OK && lgkt_inner_named(set->of, env->class->entry.name))
        status = lgkt_fail(error, LGKT_ERR_SPEC, "of=(%.60s): an environment is merged only once",
                           set->of);
    if (status == LGKT_OK && lgkt_inner_named(set->of, lgkt_changing_class.entry.name))
        status =
            lgkt_fail(error, LGKT_ERR_SPEC, "of=(%.60s): what changes cannot be merged", set->of);
    merged_world *world = env->self;
    if (status == LGKT_OK)
        status = lgkt_inner_create(env, set->of, config, &world->inner, error);
    if (status != LGKT_OK)
        return status;
    const lgkt_env *inner = world->inner;
    if (inner->model == NULL)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "of=(%.60s): only an environment with a model can be merged", set->of);
    if (set->states > inner->states)
        return lgkt_fail(error, LGKT_ERR_SPEC, "states=%lld, must be in 1 .. %d, its states",
                         (long long)set->states, (int)inner->states);
    world->shown =
        set->states == LGKT_UNSET_INTEGER ? (inner->states + 1) / 2 : (int32_t)set->states;

    const int32_t odd = odd_state(inner, world->shown);
    if (odd >= 0)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "of=(%.60s): states %d and %d look alike but allow other actions", set->of,
                         (int)(odd % world->shown), (int)odd);

    const double half = half_range(inner->model, world->shown);
    env->hidden = inner->model;
    env->mask = inner->mask; // its first rows: those of the states 0 .. M-1
    env->states = world->shown;
    env->actions = inner->actions;
    env->reward_min = inner->reward_min;
    env->reward_max = inner->reward_max;
    env->reward_sd = sqrt(inner->reward_sd * inner->reward_sd + half * half);
    snprintf(env->note, sizeof env->note, "%d states shown of %d: %.120s", (int)world->shown,
             (int)inner->states, inner->note);
    return LGKT_OK;
}

static void destroy(lgkt_env *env)
{
    lgkt_env_destroy(((merged_world *)env->self)->inner);
    lgkt_free(&env->allocator, env->self);
}

static uint64_t hash_world(const lgkt_env *env, uint64_t hash)
{
    const merged_world *world = env->self;
    hash = lgkt_hash_u64(hash, (uint64_t)world->shown);
    return lgkt_hash_u64(hash, lgkt_env_hash(world->inner));
}

// ---- the run ----

static int32_t shown_state(lgkt_trajectory *trajectory)
{
    const merged_world *world = trajectory->world;
    return lgkt_inner_run(trajectory)->state % world->shown;
}

static void step_merged(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    lgkt_inner_step(trajectory, lgkt_inner_run(trajectory), action, step);
    trajectory->state = step->state = shown_state(trajectory);
}

static void start(lgkt_trajectory *trajectory, double u)
{
    const merged_world *world = trajectory->world;
    lgkt_inner_start(trajectory, lgkt_inner_run(trajectory), world->inner, u);
    trajectory->state = shown_state(trajectory);
    trajectory->step = step_merged;
}

static void visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const merged_world *world = trajectory->world;
    lgkt_visit_i32(archive, &lgkt_inner_run(trajectory)->state, 1, 0, world->inner->states - 1);
    lgkt_inner_visit(trajectory, lgkt_inner_run(trajectory), archive);
    archive->bad |= trajectory->state != shown_state(trajectory);
}

const lgkt_env_class lgkt_merged_class = {
    .entry = {.name = "merged",
              .summary =
                  "another environment with hidden state: states that are M apart look alike",
              .source = "ours",
              .memory = "that of the other",
              LGKT_PARAMS(PARAMS),
              .inner = "of"},
    .create = create,
    .destroy = destroy,
    .start = start,
    .hash = hash_world,
    .visit = visit,
};
