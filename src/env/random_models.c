// SPDX-License-Identifier: MIT
// Random models: every transition row is drawn; rewards are drawn too (`synthetic`, `garnet`) or
// stand about a threshold (`gap`). All draws come from the stream "instance", but for those of
// `garnet`, which has a generator of its own. In the first two
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
// frozen=1 is the world of the released code, which makes its generator anew from one seed at every
// step: all transitions use one uniform number u and all rewards one normal number z. So a pair leads
// to the one state y, the smallest with P(0) + .. + P(y) > u, and earns R(s,a) + sd z at every visit.
// That is what the model has: one successor per pair, and no noise. u and z are the second and the
// third number of the stream "environment", whose first one is that of the start.
//
// `gap`: in every state one action, good(s), is good enough, the others are not,
//
//     R(s, good(s)) = threshold + gap,   R(s,a) = threshold - gap for the others
//
// good(s) is drawn before the rows of its state. Since every state has one good action, Q_K(s,a) =
// R(s,a) + (K-1)(threshold + gap): good actions are worth K (threshold + gap), the others 2 gap
// less, and the threshold in the middle is G_K = K (threshold + gap) - gap. This is the family on
// which the growth of regret is measured (Theorems 4.2 and 4.4).
//
// `garnet`: few successors per pair (Archibald, McKinnon and Thomas 1995), made by a generator that
// fits into one line, so that anybody can make the same ones. With b branches and a seed x
//     x <- 6364136223846793005 x + 1442695040888963407 mod 2^64,   d = floor(x / 2^33),
//     u = d / 2^31 in [0, 1)
// is one draw. For each s, and in it for each a:
//     1. idx = (0, .., S-1); for k = 0 .. b-1: j = k + d mod (S-k), swap idx[k] and idx[j]
//     2. b-1 draws u, sorted, cut [0, 1] into b gaps; gap k is the probability of idx[k]
//     3. R(s,a) is a draw u
// Observed rewards are Bernoulli, the start is state 0. d mod (S-k) favours small numbers by at
// most S 2^-31. Equal cuts leave a gap of 0, and a pair with a successor less. The seed is
// a parameter. It names the model whatever the root seed is: garnet:seed=1 is the same in all runs.
// Without it each instance has its own model, whose seed is the first number of the stream
// "instance". Nothing makes sure that every state can be reached; with one branch many cannot. Cost
// O(S A b^2), memory O(S A b).
#include "env/world.h"

#include <math.h>
#include <stdio.h>

#include "core/alloc.h"
#include "core/error.h"

#define REWARD_SHAPE 0.5
#define MAX_ENTRIES  (INT64_C(1) << 28)
#define MAX_BRANCHES 1000
#define MAX_SEED     9007199254740992.0 // 2^53

// The settings of all three models; each has parameters for some of them.
typedef struct settings {
    int64_t states, actions, branches, seed;
    double threshold, gap, concentration, sd;
    int noise;
    int64_t frozen;
    int rewards, rows;
    double frozen_u, offset; // of a frozen world, see above
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
        "1: all steps use the same random numbers, so that a pair always leads to the same state "
        "and "
        "earns the same; it exists only to compare with the published curves, which were made so"),
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

static const lgkt_param_row GARNET[] = {
    LGKT_ROW_INTEGER(settings, states, "states", "10", 1, LGKT_MAX_STATES, "number of states S"),
    LGKT_ROW_INTEGER(settings, actions, "actions", "3", 1, LGKT_MAX_ACTIONS, "number of actions A"),
    LGKT_ROW_INTEGER(settings, branches, "branches", "3", 1, MAX_BRANCHES,
                     "successors of a pair, at most S"),
    LGKT_ROW_INTEGER(
        settings, seed, "seed", "@another one for each instance", 0, MAX_SEED,
        "seed of the model itself: the same one gives the same model in all instances"),
};

// ---- synthetic and gap ----

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
    if (set->frozen)
        lgkt_mdp_builder_edge(env->builder, s, a,
                              lgkt_sample_index(p, (int32_t)set->states, set->frozen_u), 1);
    else
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
            lgkt_mdp_builder_reward(env->builder, s, a, mean + set->offset);
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

// The numbers that all steps share. A learner is told the scale of noise that there would be, as
// those of the released code assume it.
static void freeze(lgkt_env *env, settings *set)
{
    env->reward_sd = set->sd;
    lgkt_rng rng = lgkt_rng_stream(env->config->seed, "environment", env->config->instance);
    lgkt_rng_uniform(&rng);
    set->frozen_u = lgkt_rng_uniform(&rng);
    set->offset = set->sd * lgkt_rng_normal(&rng);
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
    if (set->frozen)
        freeze(env, set);
    LGKT_TRY(lgkt_env_begin_model(env, set->states, set->actions, error));
    lgkt_mdp_builder_noise(env->builder,
                           set->frozen       ? LGKT_NOISE_NONE
                           : set->noise == 0 ? LGKT_NOISE_NORMAL
                                             : LGKT_NOISE_DRIFTING,
                           set->frozen ? 0 : set->sd);
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

// ---- garnet ----

static uint32_t draw_bits(uint64_t *x)
{
    *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*x >> 33);
}

static double draw_unit(uint64_t *x)
{
    return draw_bits(x) * 0x1p-31;
}

// index (S) and swapped (b) are for the use of this function, and zero
static void fill_garnet(lgkt_env *env, const settings *set, uint64_t x, int32_t *index,
                        int32_t *swapped)
{
    double *cut = env->row;
    const int32_t states = (int32_t)set->states, branches = (int32_t)set->branches;
    for (int32_t s = 0; s < states; s++)
        index[s] = s;
    lgkt_mdp_builder_noise(env->builder, LGKT_NOISE_BERNOULLI, 0);
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < (int32_t)set->actions; a++) {
            for (int32_t k = 0; k < branches; k++) {
                const int32_t j = k + (int32_t)(draw_bits(&x) % (uint32_t)(states - k));
                const int32_t kept = index[k];
                index[k] = index[j];
                index[j] = kept;
                swapped[k] = j;
            }
            for (int32_t n = 0; n < branches - 1; n++) {
                const double u = draw_unit(&x);
                int32_t at = n;
                for (; at > 0 && cut[at - 1] > u; at--)
                    cut[at] = cut[at - 1];
                cut[at] = u;
            }
            for (int32_t k = 0; k < branches; k++) {
                const double p = (k < branches - 1 ? cut[k] : 1) - (k > 0 ? cut[k - 1] : 0);
                lgkt_mdp_builder_edge(env->builder, s, a, index[k], p);
            }
            lgkt_mdp_builder_reward(env->builder, s, a, draw_unit(&x));
            // only these were moved: cheaper than to write all S anew
            for (int32_t k = 0; k < branches; k++) {
                index[k] = k;
                index[swapped[k]] = swapped[k];
            }
        }
}

static lgkt_status create_garnet(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    if (set->branches > set->states)
        return lgkt_fail(error, LGKT_ERR_SPEC, "branches=%lld, must be at most states=%lld",
                         (long long)set->branches, (long long)set->states);
    const int64_t pairs = set->states * set->actions;
    if (pairs > LGKT_MAX_PAIRS || pairs * set->branches > MAX_ENTRIES)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "states=%lld, actions=%lld and branches=%lld: S*A*b must be at most 2^28",
                         (long long)set->states, (long long)set->actions, (long long)set->branches);
    const bool own = set->seed != LGKT_UNSET_INTEGER;
    const uint64_t seed = own ? (uint64_t)set->seed : lgkt_rng_next(&env->rng);
    snprintf(env->note, sizeof env->note,
             "Garnet of %d states, %d actions and %d branches, its seed %llu%s", (int)set->states,
             (int)set->actions, (int)set->branches, (unsigned long long)seed,
             own ? "" : " drawn for the instance");
    LGKT_TRY(lgkt_env_begin_model(env, set->states, set->actions, error));
    const size_t numbers = (size_t)(set->states + set->branches);
    int32_t *index = lgkt_alloc_zeroed(&env->allocator, numbers, sizeof *index);
    if (index == NULL)
        return lgkt_fail_memory(error, "the successors of a pair");
    fill_garnet(env, set, seed, index, index + set->states);
    lgkt_free(&env->allocator, index);
    return LGKT_OK;
}

const lgkt_env_class lgkt_garnet_class = {
    LGKT_ENV_ENTRY("garnet",
                   "random MDP with a given number of successors per pair, the same on any machine",
                   "Archibald et al. 1995", "O(S A b)", LGKT_PARAMS(GARNET)),
    LGKT_WORLD_CLASS(create_garnet),
};
