// SPDX-License-Identifier: MIT
// Problems with a gap about a threshold: in every state one action is good enough, the others are
// not.
//
//     R(s, good(s)) = threshold + gap,   R(s,a) = threshold - gap for the others
//
// good(s) is drawn for each state, rows are Dirichlet as in `synthetic`. Since every state has one
// good action, Q_K(s,a) = R(s,a) + (K-1)(threshold + gap): good actions are worth K (threshold +
// gap), the others 2 gap less, and the threshold in the middle is G_K = K (threshold + gap) - gap.
// This is the family on which the growth of regret is measured (Theorems 4.2 and 4.4).
//
// Cost and memory O(S^2 A).
#include "env/world.h"

#include <stdio.h>

#include "core/error.h"
#include "env/dirichlet.h"

#define MAX_ENTRIES (INT64_C(1) << 28)

typedef struct settings {
    int64_t states, actions;
    double threshold, gap, concentration, sd;
    int noise;
} settings;

static const lgkt_param PARAMS[] = {
    LGKT_ROW_INTEGER(settings, states, "states", "5", 1, LGKT_MAX_STATES, "number of states S"),
    LGKT_ROW_INTEGER(settings, actions, "actions", "3", 1, LGKT_MAX_ACTIONS, "number of actions A"),
    LGKT_ROW_REAL(settings, threshold, "threshold", "0.5", -1e15, 1e15,
                  "what lies in the middle, for K = 1"),
    LGKT_ROW_REAL(settings, gap, "gap", "0.2", 0, 1e15,
                  "how far good and other actions are from it"),
    LGKT_ROW_REAL(settings, concentration, "concentration", "1", 1e-6, 1e6,
                  "shape of the Dirichlet law of the transition rows"),
    LGKT_ROW_REAL(settings, sd, "sd", "0.5", 0, 1e6, "standard deviation of normal reward noise"),
    LGKT_ROW_CHOICE(
        settings, noise, "noise", "normal", "normal|drifting",
        "law of the observed rewards; drifting changes it from step to step and keeps the mean"),
};

typedef struct drawing {
    settings set;
    lgkt_rng rng;
} drawing;

static lgkt_status draw_state(drawing *draw, lgkt_mdp_builder *builder, int32_t s, double *p,
                              lgkt_error *error)
{
    const settings *set = &draw->set;
    const int32_t good = lgkt_rng_below(&draw->rng, (int32_t)set->actions);
    lgkt_status status = LGKT_OK;
    for (int32_t a = 0; a < (int32_t)set->actions && status == LGKT_OK; a++) {
        const double mean = set->threshold + (a == good ? set->gap : -set->gap);
        status = lgkt_mdp_builder_reward(builder, s, a, mean, error);
        if (status != LGKT_OK)
            return status;
        lgkt_dirichlet(&draw->rng, set->concentration, (int32_t)set->states, p);
        status = lgkt_mdp_builder_row(builder, s, a, p, error);
    }
    return status;
}

static lgkt_status draw_model(void *ctx, lgkt_mdp_builder *builder, double *p, lgkt_error *error)
{
    drawing *draw = ctx;
    lgkt_status status = LGKT_OK;
    for (int32_t s = 0; s < (int32_t)draw->set.states && status == LGKT_OK; s++)
        status = draw_state(draw, builder, s, p, error);
    const lgkt_noise noise = draw->set.noise == 0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_DRIFTING;
    return status == LGKT_OK ? lgkt_mdp_builder_noise(builder, noise, draw->set.sd, error) : status;
}

static lgkt_status create(lgkt_env *env, const lgkt_spec *spec, const lgkt_env_config *config,
                          lgkt_error *error)
{
    drawing draw = {.rng = lgkt_rng_stream(config->seed, "instance", config->instance)};
    settings *set = &draw.set;
    lgkt_status status = lgkt_settings_fill(env->class->entry, spec, set, error);
    if (status != LGKT_OK)
        return status;
    const int64_t pairs = set->states * set->actions;
    if (pairs > LGKT_MAX_PAIRS || pairs * set->states > MAX_ENTRIES)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "states=%lld and actions=%lld: S*S*A must be at most 2^28",
                         (long long)set->states, (long long)set->actions);
    status = lgkt_env_build_model(env, (int32_t)set->states, (int32_t)set->actions, draw_model,
                                  &draw, error);
    if (status != LGKT_OK)
        return status;
    snprintf(env->note, sizeof env->note, "one good action per state, seed %llu, instance %llu",
             (unsigned long long)config->seed, (unsigned long long)config->instance);
    return lgkt_world_open(env, error);
}

static const lgkt_entry entry = {
    .name = "gap",
    .summary = "one action per state above a threshold, the others below it",
    .source = "after Theorem 4.2",
    .memory = "O(S^2 A)",
    .params = PARAMS,
    .param_count = LGKT_PARAM_COUNT(PARAMS),
};

const lgkt_env_class lgkt_gap_class = {
    .entry = &entry,
    .create = create,
    LGKT_WORLD_CLASS,
};
