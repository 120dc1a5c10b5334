// SPDX-License-Identifier: MIT
// Another environment with rewards in other units: r' = by r + shift, by > 0.
//
// The inner environment is made from the spec in `of` with the same seed, instance and data. A run
// holds a run of it and plays it step by step with the same random numbers, so states, noise and
// cuts are those of the inner environment, and a learner that needs no scale takes the very same
// actions, up to rounding.
//
// The model has R' = by R + shift, also of moves. Of the noise it states the scale, by times the
// inner one, as that of a normal law, also where the inner law is none (Bernoulli, drifting): two
// points other than 0 and 1 have no name there.
//
// Memory: the inner environment, its model once more, and two trajectories for a run. A step costs
// that of the inner environment and two copies of the generator.
#include "env/inner.h"

#include <stdio.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/hash.h"

typedef struct settings {
    double by, shift;
    const char *of;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_ROW_REAL(settings, by, "by", "1", 1e-9, 1e9, "factor of all rewards"),
    LGKT_ROW_REAL(settings, shift, "shift", "0", -1e15, 1e15, "what is added to all rewards"),
    LGKT_ROW_TEXT(
        settings, of, "of", "riverswim",
        "spec of the environment, in parentheses if it has settings: of=(riverswim:states=8)"),
};

typedef struct scaled_world {
    lgkt_env *inner;
    double by, shift;
} scaled_world;

static double scale(const scaled_world *world, double reward)
{
    return world->by * reward + world->shift;
}

// ---- the world ----

static void fill_model(lgkt_draft *draft, void *ctx)
{
    const scaled_world *world = ctx;
    const lgkt_mdp *inner = world->inner->model;
    const bool mixed = lgkt_mdp_noise(inner) == LGKT_NOISE_MIXED;
    double sd = world->by * lgkt_mdp_noise_sd(inner);
    lgkt_noise noise = sd > 0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_NONE;
    lgkt_draft_start_law(draft, lgkt_mdp_start_law(inner));
    lgkt_draft_noise(draft, noise, sd);
    for (int32_t s = 0; s < lgkt_mdp_states(inner); s++)
        for (int32_t a = 0; a < lgkt_mdp_actions(inner); a++) {
            if (!lgkt_mdp_allowed(inner, s, a)) {
                lgkt_draft_forbid(draft, s, a);
                continue;
            }
            const lgkt_row row = lgkt_mdp_row(inner, s, a);
            const double mean = scale(world, lgkt_mdp_reward(inner, s, a));
            lgkt_draft_reward(draft, s, a, mean);
            for (int32_t i = 0; i < row.n; i++) {
                lgkt_draft_edge(draft, s, a, row.next[i], row.p[i]);
                if (row.reward != NULL)
                    lgkt_draft_edge_reward(draft, s, a, row.next[i], scale(world, row.reward[i]));
            }
            if (mixed) {
                lgkt_mdp_pair_noise(inner, s, a, &sd);
                noise = sd > 0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_NONE;
                lgkt_draft_pair_noise(draft, s, a, noise, world->by * sd);
            }
        }
}

static lgkt_status create(lgkt_env *env, void *chosen, const lgkt_env_config *config,
                          lgkt_error *error)
{
    const settings *set = chosen;
    lgkt_status status = lgkt_env_alloc_self(env, sizeof(scaled_world), error);
    // scaling twice is scaling once, merging and changing go around it, and specs cannot nest
    // without end
    if (status == LGKT_OK && lgkt_inner_named(set->of, env->class->entry.name))
        status = lgkt_fail(error, LGKT_ERR_SPEC, "of=(%.60s): an environment is scaled only once",
                           set->of);
    if (status == LGKT_OK && lgkt_inner_named(set->of, lgkt_merged_class.entry.name))
        status = lgkt_fail(error, LGKT_ERR_SPEC,
                           "of=(%.60s): merge what is scaled, merged:of=(scaled:...)", set->of);
    if (status == LGKT_OK && lgkt_inner_named(set->of, lgkt_changing_class.entry.name))
        status = lgkt_fail(error, LGKT_ERR_SPEC,
                           "of=(%.60s): scale what changes, changing:before=(scaled:...)", set->of);
    scaled_world *world = env->self;
    if (status == LGKT_OK)
        status = lgkt_inner_create(env, set->of, config, &world->inner, error);
    if (status != LGKT_OK)
        return status;
    const lgkt_env *inner = world->inner;
    world->by = set->by;
    world->shift = set->shift;
    if (inner->model != NULL)
        status = lgkt_env_build_model(env, inner->states, inner->actions, fill_model, world, error);

    // what a learner is told: as of the inner environment, which may know more than its model says
    env->states = inner->states;
    env->actions = inner->actions;
    env->coarse = inner->coarse;
    env->reward_min = scale(world, inner->reward_min);
    env->reward_max = scale(world, inner->reward_max);
    env->reward_sd = world->by * inner->reward_sd;
    snprintf(env->note, sizeof env->note, "rewards times %g plus %g: %.120s", world->by,
             world->shift, inner->note);
    return status;
}

static void destroy(lgkt_env *env)
{
    lgkt_env_destroy(((scaled_world *)env->self)->inner);
    lgkt_free(&env->allocator, env->self);
}

static uint64_t hash_world(const lgkt_env *env, uint64_t hash)
{
    const scaled_world *world = env->self;
    hash = lgkt_hash_f64(hash, world->by);
    hash = lgkt_hash_f64(hash, world->shift);
    return lgkt_hash_u64(hash, lgkt_env_hash(world->inner));
}

// ---- the run ----

static void step_scaled(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const scaled_world *world = trajectory->world;
    // whoever plays this one within another may have moved it
    lgkt_inner_run(trajectory)->state = trajectory->state;
    lgkt_inner_step(trajectory, lgkt_inner_run(trajectory), action, step);
    trajectory->state = step->state;
    step->reward = scale(world, step->reward);
    step->mean_reward = scale(world, step->mean_reward);
}

static void start(lgkt_trajectory *trajectory, double u)
{
    const scaled_world *world = trajectory->world;
    lgkt_inner_start(trajectory, lgkt_inner_run(trajectory), world->inner, u);
    trajectory->state = lgkt_inner_run(trajectory)->state;
    trajectory->step = step_scaled;
}

static const void *observation(const lgkt_trajectory *trajectory, size_t *size)
{
    return lgkt_trajectory_observation((const void *)trajectory->self, size);
}

static void visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    lgkt_inner_run(trajectory)->state = trajectory->state;
    lgkt_inner_visit(trajectory, lgkt_inner_run(trajectory), archive);
}

const lgkt_env_class lgkt_scaled_class = {
    .entry = {.name = "scaled",
              .summary = "another environment with all rewards times a factor plus a shift",
              .source = "ours",
              .memory = "that of the other, its model twice",
              LGKT_PARAMS(PARAMS),
              .inner = "of"},
    .create = create,
    .destroy = destroy,
    .start = start,
    .observation = observation,
    .hash = hash_world,
    .visit = visit,
};
