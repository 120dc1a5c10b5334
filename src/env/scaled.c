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
#include "env/env_private.h"

#include <stdio.h>

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

static double scale(const settings *set, double reward)
{
    return set->by * reward + set->shift;
}

// ---- the world ----

static void fill_model(const settings *set, const lgkt_mdp *inner, lgkt_mdp_builder *builder)
{
    const bool mixed = lgkt_mdp_noise(inner) == LGKT_NOISE_MIXED;
    double sd = set->by * lgkt_mdp_noise_sd(inner);
    lgkt_mdp_builder_start_law(builder, lgkt_mdp_start_law(inner));
    lgkt_mdp_builder_noise(builder, sd > 0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_NONE, sd);
    for (int32_t s = 0; s < lgkt_mdp_states(inner); s++)
        for (int32_t a = 0; a < lgkt_mdp_actions(inner); a++) {
            if (!lgkt_mdp_allowed(inner, s, a)) {
                lgkt_mdp_builder_forbid(builder, s, a);
                continue;
            }
            const lgkt_row row = lgkt_mdp_row(inner, s, a);
            lgkt_mdp_builder_reward(builder, s, a, scale(set, lgkt_mdp_reward(inner, s, a)));
            for (int32_t i = 0; i < row.n; i++) {
                lgkt_mdp_builder_edge(builder, s, a, row.next[i], row.p[i]);
                if (row.reward != NULL)
                    lgkt_mdp_builder_edge_reward(builder, s, a, row.next[i],
                                                 scale(set, row.reward[i]));
            }
            if (mixed) {
                lgkt_mdp_pair_noise(inner, s, a, &sd);
                lgkt_mdp_builder_pair_noise(
                    builder, s, a, sd > 0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_NONE, set->by * sd);
            }
        }
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    LGKT_TRY(lgkt_inner_create(env, "of", set->of, env->config, false, error));
    const lgkt_env *inner = env->inner[0];
    *(settings *)env->self = *set;
    if (inner->model != NULL) {
        LGKT_TRY(lgkt_env_begin_model(env, inner->states, inner->actions, error));
        fill_model(set, inner->model, env->builder);
    }
    snprintf(env->note, sizeof env->note, "rewards times %g plus %g: %.120s", set->by, set->shift,
             inner->note);
    return LGKT_OK;
}

// What a learner is told: as of the inner environment, which may know more than its model says.
static lgkt_status open_scaled(lgkt_env *env, lgkt_error *error)
{
    (void)error;
    const lgkt_env *inner = env->inner[0];
    const settings *set = env->self;
    env->states = inner->states;
    env->actions = inner->actions;
    env->reward_min = scale(set, inner->reward_min);
    env->reward_max = scale(set, inner->reward_max);
    env->reward_sd = set->by * inner->reward_sd;
    return LGKT_OK;
}

static uint64_t hash_scale(const lgkt_env *env, uint64_t hash)
{
    const settings *set = env->self;
    return lgkt_hash_f64(lgkt_hash_f64(hash, set->by), set->shift);
}

// ---- the run ----

static void step_scaled(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const settings *set = trajectory->world;
    lgkt_inner_step(trajectory, 0, action, step);
    trajectory->state = step->state;
    step->reward = scale(set, step->reward);
    step->mean_reward = scale(set, step->mean_reward);
}

static void start(lgkt_trajectory *trajectory, double u)
{
    lgkt_inner_start(trajectory, u);
    trajectory->step = step_scaled;
}

static const void *observation(const lgkt_trajectory *trajectory, size_t *size)
{
    return lgkt_trajectory_observation((const void *)trajectory->self, size);
}

const lgkt_env_class lgkt_scaled_class = {
    LGKT_ENV_ENTRY("scaled", "another environment with all rewards times a factor plus a shift",
                   "ours", "that of the other, its model twice", LGKT_PARAMS(PARAMS),
                   .inner = "of"),
    .self_size = sizeof(settings),
    .create = create,
    .open = open_scaled,
    .start = start,
    .observation = observation,
    .hash = hash_scale,
    .visit = lgkt_inner_visit,
};
