// SPDX-License-Identifier: MIT
// Random models: every transition row is drawn; rewards are drawn too (`synthetic`) or stand about
// a threshold (`gap`). All draws come from the stream "instance".
//
//     P(.|s,a) = (g_0, .., g_{S-1}) / sum g,  g_y ~ Gamma(shape c), c = concentration
//
// that is, rows are Dirichlet(c, .., c). A row whose sum underflows to 0 is drawn again. Cost and
// memory are O(S^2 A).
//
// `synthetic`: R(s,a) ~ Gamma(shape 0.5, scale 1). The default c = 1/S gives few likely successors
// per pair at any S. The start state is uniform. First all rewards are drawn, pair by pair, then
// all rows. rewards=tenths draws R uniformly from {0, 0.1, .., 1}, rows=uniform takes uniform
// numbers in place of the g. With 6 states, 2 actions and sd=0 this is the RandomMDP of Wei et al.
// (2020), whose costs are 1 - R. Observed rewards are normal about R. The paper says variance 0.5,
// its released code uses standard deviation 0.5, which is the default here.
//
// `gap`: in every state one action, good(s), is good enough, the others are not,
//
//     R(s, good(s)) = threshold + gap,   R(s,a) = threshold - gap for the others
//
// good(s) is drawn before the rows of its state. Since every state has one good action, Q_K(s,a) =
// R(s,a) + (K-1)(threshold + gap): good actions are worth K (threshold + gap), the others 2 gap
// less, and the threshold in the middle is G_K = K (threshold + gap) - gap. This is the family on
// which the growth of regret is measured (Theorems 4.2 and 4.4).
#include "env/world.h"

#include <math.h>
#include <stdio.h>

#include "core/error.h"

#define REWARD_SHAPE 0.5
#define MAX_ENTRIES  (INT64_C(1) << 28)

// The settings of both; `gap` has no frozen, rewards and rows, `synthetic` no threshold and gap.
typedef struct settings {
    int64_t states, actions;
    double threshold, gap, concentration, sd;
    int noise;
    int64_t frozen;
    int rewards, rows;
} settings;

enum { REWARDS_GAMMA, REWARDS_TENTHS };
enum { ROWS_DIRICHLET, ROWS_UNIFORM };

static const lgkt_param_row SYNTHETIC[] = {
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

static const lgkt_param_row GAP[] = {
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

static void draw_row(lgkt_env *env, const settings *set, int32_t s, int32_t a)
{
    double sum, *p = env->row;
    do {
        sum = 0;
        for (int64_t y = 0; y < set->states; y++)
            sum += p[y] = set->rows == ROWS_UNIFORM ? lgkt_rng_uniform(&env->rng)
                                                    : lgkt_rng_gamma(&env->rng, set->concentration);
    } while (!(sum > 0));
    for (int64_t y = 0; y < set->states; y++)
        p[y] /= sum;
    lgkt_mdp_builder_row(env->builder, s, a, p);
}

static void draw_synthetic(lgkt_env *env, const settings *set)
{
    const int32_t states = (int32_t)set->states, actions = (int32_t)set->actions;
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions; a++) {
            const double mean = set->rewards == REWARDS_TENTHS
                                    ? lgkt_rng_below(&env->rng, 11) / 10.0
                                    : lgkt_rng_gamma(&env->rng, REWARD_SHAPE);
            lgkt_mdp_builder_reward(env->builder, s, a, mean);
        }
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions; a++)
            draw_row(env, set, s, a);
    for (int32_t y = 0; y < states; y++)
        env->row[y] = 1.0 / states;
    lgkt_mdp_builder_start_law(env->builder, env->row);
}

static void draw_gap(lgkt_env *env, const settings *set)
{
    for (int32_t s = 0; s < (int32_t)set->states; s++) {
        const int32_t good = lgkt_rng_below(&env->rng, (int32_t)set->actions);
        for (int32_t a = 0; a < (int32_t)set->actions; a++) {
            const double mean = set->threshold + (a == good ? set->gap : -set->gap);
            lgkt_mdp_builder_reward(env->builder, s, a, mean);
            draw_row(env, set, s, a);
        }
    }
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const bool gap = env->class == &lgkt_gap_class;
    settings *set = chosen;
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
    if (!(set->concentration > 0))
        set->concentration = 1.0 / (double)set->states;
    char what[64] = "one good action per state";
    if (!gap)
        snprintf(what, sizeof what, "random MDP of %d states and %d actions", (int)set->states,
                 (int)set->actions);
    snprintf(env->note, sizeof env->note, "%s, seed %llu, instance %llu%s", what,
             (unsigned long long)env->config->seed, (unsigned long long)env->config->instance,
             set->frozen ? ", frozen noise" : "");
    ((lgkt_world *)env->self)->frozen = set->frozen != 0;
    LGKT_TRY(lgkt_env_begin_model(env, set->states, set->actions, error));
    lgkt_mdp_builder_noise(env->builder, set->noise == 0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_DRIFTING,
                           set->sd);
    (gap ? draw_gap : draw_synthetic)(env, set);
    return LGKT_OK;
}

const lgkt_env_class lgkt_synthetic_class = {
    LGKT_ENV_ENTRY("synthetic",
                   "random MDP: Dirichlet transition rows, Gamma mean rewards, normal noise",
                   "paper, section 5.1 and appendix E", "O(S^2 A)", LGKT_PARAMS(SYNTHETIC)),
    LGKT_WORLD_CLASS(create),
};

const lgkt_env_class lgkt_gap_class = {
    LGKT_ENV_ENTRY("gap", "one action per state above a threshold, the others below it",
                   "after Theorem 4.2", "O(S^2 A)", LGKT_PARAMS(GAP)),
    LGKT_WORLD_CLASS(create),
};
