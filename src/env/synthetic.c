// SPDX-License-Identifier: MIT
// Random MDPs: every row and every reward drawn at random.
//
//     R(s,a) ~ Gamma(shape 0.5, scale 1)
//     P(.|s,a) = (g_0, .., g_{S-1}) / sum g,  g_y ~ Gamma(shape c), c = concentration
//
// that is, rows are Dirichlet(c, .., c). The default c = 1/S gives few likely successors per pair
// at any S. A row whose sum underflows to 0 is drawn again. The start state is uniform. The draws
// come from the stream "instance": first all rewards, pair by pair, then all rows.
//
// rewards=tenths draws R uniformly from {0, 0.1, .., 1}, rows=uniform takes uniform numbers in
// place of the g. With 6 states, 2 actions and sd=0 this is the RandomMDP of Wei et al. (2020),
// whose costs are 1 - R.
//
// Observed rewards are normal about R. The paper says variance 0.5, its released code uses standard
// deviation 0.5, which is the default here.
//
// Cost and memory O(S^2 A).
#include "env/world.h"

#include <math.h>
#include <stdio.h>

#include "core/error.h"
#include "env/dirichlet.h"

#define REWARD_SHAPE 0.5
#define MAX_ENTRIES  (INT64_C(1) << 28)

typedef struct settings {
    int64_t states;
    int64_t actions;
    double concentration;
    double sd;
    int noise;
    int64_t frozen;
    int rewards;
    int rows;
} settings;

enum { REWARDS_GAMMA, REWARDS_TENTHS };
enum { ROWS_DIRICHLET, ROWS_UNIFORM };

static const lgkt_param PARAMS[] = {
    LGKT_ROW_INTEGER(settings, states, "states", "10", 1, LGKT_MAX_STATES, "number of states S"),
    LGKT_ROW_INTEGER(settings, actions, "actions", "5", 1, LGKT_MAX_ACTIONS, "number of actions A"),
    LGKT_ROW_REAL(settings, concentration, "concentration", "@1/states", 1e-6, 1e6,
                  "shape of the Dirichlet law of the transition rows; small values give few likely "
                  "successors"),
    LGKT_ROW_REAL(settings, sd, "sd", "0.5", 0, 1e6, "standard deviation of normal reward noise"),
    LGKT_ROW_CHOICE(
        settings, noise, "noise", "normal", "normal|drifting",
        "law of the observed rewards; drifting changes it from step to step and keeps the mean"),
    LGKT_ROW_INTEGER(
        settings, frozen, "frozen", "0", 0, 1,
        "1: all steps use the same random numbers; it exists only to compare with the published "
        "curves, which were made so"),
    LGKT_ROW_CHOICE(settings, rewards, "rewards", "gamma", "gamma|tenths",
                    "law of the mean rewards: Gamma(0.5, 1), or uniform on 0, 0.1, .., 1"),
    LGKT_ROW_CHOICE(settings, rows, "rows", "dirichlet", "dirichlet|uniform",
                    "law of the transition rows; uniform: uniform numbers over their sum"),
};

static lgkt_status check_settings(const settings *set, lgkt_error *error)
{
    const int64_t pairs = set->states * set->actions;
    if (pairs > LGKT_MAX_PAIRS || pairs * set->states > MAX_ENTRIES)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "states=%lld and actions=%lld: a random model has S*S*A entries, and they "
                         "must be at most 2^28",
                         (long long)set->states, (long long)set->actions);
    if (set->frozen && set->noise != 0)
        return lgkt_fail(error, LGKT_ERR_SPEC, "frozen=1 needs noise=normal");
    if (set->rows == ROWS_UNIFORM && !isnan(set->concentration))
        return lgkt_fail(error, LGKT_ERR_SPEC, "concentration=%g needs rows=dirichlet",
                         set->concentration);
    return LGKT_OK;
}

// ---- drawing the model ----

static double draw_reward(const settings *set, lgkt_rng *rng)
{
    return set->rewards == REWARDS_TENTHS ? lgkt_rng_below(rng, 11) / 10.0
                                          : lgkt_rng_gamma(rng, REWARD_SHAPE);
}

static void draw_row(const settings *set, lgkt_rng *rng, double *p)
{
    const int32_t states = (int32_t)set->states;
    if (set->rows == ROWS_UNIFORM)
        lgkt_uniform_row(rng, states, p);
    else
        lgkt_dirichlet(rng, set->concentration, states, p);
}

static lgkt_status draw_pairs(const settings *set, lgkt_rng *rng, lgkt_mdp_builder *builder,
                              double *p, lgkt_error *error)
{
    const int32_t states = (int32_t)set->states, actions = (int32_t)set->actions;
    lgkt_status status = LGKT_OK;
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions && status == LGKT_OK; a++)
            status = lgkt_mdp_builder_reward(builder, s, a, draw_reward(set, rng), error);
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions && status == LGKT_OK; a++) {
            draw_row(set, rng, p);
            status = lgkt_mdp_builder_row(builder, s, a, p, error);
        }
    return status;
}

typedef struct drawing {
    settings set;
    lgkt_rng rng;
} drawing;

static lgkt_status draw_model(void *ctx, lgkt_mdp_builder *builder, double *p, lgkt_error *error)
{
    drawing *draw = ctx;
    const settings *set = &draw->set;
    lgkt_status status = draw_pairs(set, &draw->rng, builder, p, error);
    for (int64_t y = 0; y < set->states; y++)
        p[y] = 1.0 / (double)set->states;
    if (status == LGKT_OK)
        status = lgkt_mdp_builder_start_law(builder, p, error);
    const lgkt_noise noise = set->noise == 0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_DRIFTING;
    return status == LGKT_OK ? lgkt_mdp_builder_noise(builder, noise, set->sd, error) : status;
}

// ---- functions of the class ----

static lgkt_status create(lgkt_env *env, const lgkt_spec *spec, const lgkt_env_config *config,
                          lgkt_error *error)
{
    drawing draw = {.rng = lgkt_rng_stream(config->seed, "instance", config->instance)};
    settings *set = &draw.set;
    lgkt_status status = lgkt_settings_fill(env->class->entry, spec, set, error);
    if (status == LGKT_OK)
        status = check_settings(set, error);
    if (status != LGKT_OK)
        return status;
    if (!(set->concentration > 0))
        set->concentration = 1.0 / (double)set->states;
    status = lgkt_env_build_model(env, (int32_t)set->states, (int32_t)set->actions, draw_model,
                                  &draw, error);
    if (status != LGKT_OK)
        return status;

    snprintf(env->note, sizeof env->note,
             "random MDP of %d states and %d actions, seed %llu, instance %llu%s", (int)env->states,
             (int)env->actions, (unsigned long long)config->seed,
             (unsigned long long)config->instance, set->frozen ? ", frozen noise" : "");
    status = lgkt_world_open(env, error);
    if (status == LGKT_OK)
        ((lgkt_world *)env->self)->frozen = set->frozen != 0;
    return status;
}

static const lgkt_entry entry = {
    .name = "synthetic",
    .summary = "random MDP: Dirichlet transition rows, Gamma mean rewards, normal noise",
    .source = "paper, section 5.1 and appendix E",
    .memory = "O(S^2 A)",
    .params = PARAMS,
    .param_count = LGKT_PARAM_COUNT(PARAMS),
};

const lgkt_env_class lgkt_synthetic_class = {
    .entry = &entry,
    .create = create,
    LGKT_WORLD_CLASS,
};
