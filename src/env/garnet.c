// SPDX-License-Identifier: MIT
// Garnet: random models with few successors per pair (Archibald, McKinnon and Thomas 1995), made by
// a generator that fits into one line, so that anybody can make the same ones.
//
// S states, A actions, b branches, a seed x:
//     x <- 6364136223846793005 x + 1442695040888963407 mod 2^64,   d = floor(x / 2^33),
//     u = d / 2^31 in [0, 1)
// is one draw. For each s, and in it for each a:
//     1. idx = (0, .., S-1); for k = 0 .. b-1: j = k + d mod (S-k), swap idx[k] and idx[j]
//     2. b-1 draws u, sorted, cut [0, 1] into b gaps; gap k is the probability of idx[k]
//     3. R(s,a) is a draw u
// Observed rewards are Bernoulli, the start is state 0. d mod (S-k) favours small numbers by at
// most S 2^-31. Equal cuts leave a gap of 0, and a pair with a successor less.
//
// The seed is a parameter. It names the model whatever the root seed is: garnet:seed=1 is the same
// in all runs. Without it each instance has its own model, whose seed is the first number of the
// stream "instance".
//
// Nothing makes sure that every state can be reached; with one branch many cannot.
//
// Cost O(S A b^2), memory O(S A b).
#include "env/world.h"

#include <stdio.h>

#include "core/alloc.h"
#include "core/error.h"

#define MAX_ENTRIES  (INT64_C(1) << 28)
#define MAX_BRANCHES 1000
#define MAX_SEED     9007199254740992.0 // 2^53

typedef struct settings {
    int64_t states, actions, branches, seed;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_ROW_INTEGER(settings, states, "states", "10", 1, LGKT_MAX_STATES, "number of states S"),
    LGKT_ROW_INTEGER(settings, actions, "actions", "3", 1, LGKT_MAX_ACTIONS, "number of actions A"),
    LGKT_ROW_INTEGER(settings, branches, "branches", "3", 1, MAX_BRANCHES,
                     "successors of a pair, at most S"),
    LGKT_ROW_INTEGER(
        settings, seed, "seed", "@another one for each instance", 0, MAX_SEED,
        "seed of the model itself: the same one gives the same model in all instances"),
};

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
static void fill_model(lgkt_env *env, const settings *set, uint64_t x, int32_t *index,
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
                if (p > 0)
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

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
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
    fill_model(env, set, seed, index, index + set->states);
    lgkt_free(&env->allocator, index);
    return LGKT_OK;
}

const lgkt_env_class lgkt_garnet_class = {
    LGKT_ENV_ENTRY("garnet",
                   "random MDP with a given number of successors per pair, the same on any machine",
                   "Archibald et al. 1995", "O(S A b)", LGKT_PARAMS(PARAMS)),
    LGKT_WORLD_CLASS(create),
};
