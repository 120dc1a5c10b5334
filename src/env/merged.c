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
#include "env/env_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    LGKT_TRY(lgkt_inner_create(env, "of", set->of, env->config, true, error));
    const lgkt_env *inner = env->inner[0];
    if (set->states > inner->states)
        return lgkt_fail(error, LGKT_ERR_SPEC, "states=%lld, must be in 1 .. %d, its states",
                         (long long)set->states, (int)inner->states);
    const int32_t shown =
        set->states == LGKT_UNSET_INTEGER ? (inner->states + 1) / 2 : (int32_t)set->states;

    const int32_t odd = odd_state(inner, shown);
    if (odd >= 0)
        return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                         "of=(%.60s): states %d and %d look alike but allow other actions", set->of,
                         (int)(odd % shown), (int)odd);

    const double half = half_range(inner->model, shown);
    env->hidden = inner->model;
    env->mask = inner->mask; // its first rows: those of the states 0 .. M-1
    env->states = shown;
    env->actions = inner->actions;
    env->reward_min = inner->reward_min;
    env->reward_max = inner->reward_max;
    env->reward_sd = sqrt(inner->reward_sd * inner->reward_sd + half * half);
    snprintf(env->note, sizeof env->note, "%d states shown of %d: %.120s", (int)shown,
             (int)inner->states, inner->note);
    return LGKT_OK;
}

static uint64_t hash_shown(const lgkt_env *env, uint64_t hash)
{
    return lgkt_hash_u64(hash, (uint64_t)env->states);
}

// ---- the run ----

static int32_t shown_state(lgkt_trajectory *trajectory)
{
    return lgkt_inner_run(trajectory, 0)->state % trajectory->env->states;
}

static void step_merged(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    lgkt_inner_step(trajectory, 0, action, step);
    trajectory->state = step->state = shown_state(trajectory);
}

static void start(lgkt_trajectory *trajectory, double u)
{
    lgkt_inner_start(trajectory, u);
    trajectory->state = shown_state(trajectory);
    trajectory->step = step_merged;
}

static void visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    lgkt_inner_visit(trajectory, archive);
    archive->bad |= trajectory->state != shown_state(trajectory);
}

const lgkt_env_class lgkt_merged_class = {
    LGKT_ENV_ENTRY("merged",
                   "another environment with hidden state: states that are M apart look alike",
                   "ours", "that of the other", LGKT_PARAMS(PARAMS), .inner = "of"),
    .create = create,
    .start = start,
    .hash = hash_shown,
    .visit = visit,
};
