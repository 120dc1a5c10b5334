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

typedef struct drawing {
    const settings *set;
    uint64_t x;       // state of the generator
    int32_t *index;   // (S) 0 .. S-1, but for the pair at work
    int32_t *swapped; // (b) what index[k] was swapped with
} drawing;

static uint32_t draw_bits(drawing *draw)
{
    draw->x = draw->x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(draw->x >> 33);
}

static double draw_unit(drawing *draw)
{
    return draw_bits(draw) * 0x1p-31;
}

static void fill_model(lgkt_draft *draft, void *ctx)
{
    double *cut = draft->p;
    drawing *draw = ctx;
    const int32_t states = (int32_t)draw->set->states, actions = (int32_t)draw->set->actions;
    const int32_t branches = (int32_t)draw->set->branches;
    int32_t *index = draw->index;
    lgkt_draft_noise(draft, LGKT_NOISE_BERNOULLI, 0);
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < actions; a++) {
            for (int32_t k = 0; k < branches; k++) {
                const int32_t j = k + (int32_t)(draw_bits(draw) % (uint32_t)(states - k));
                const int32_t kept = index[k];
                index[k] = index[j];
                index[j] = kept;
                draw->swapped[k] = j;
            }
            for (int32_t n = 0; n < branches - 1; n++) {
                const double u = draw_unit(draw);
                int32_t at = n;
                for (; at > 0 && cut[at - 1] > u; at--)
                    cut[at] = cut[at - 1];
                cut[at] = u;
            }
            for (int32_t k = 0; k < branches; k++) {
                const double p = (k < branches - 1 ? cut[k] : 1) - (k > 0 ? cut[k - 1] : 0);
                if (p > 0)
                    lgkt_draft_edge(draft, s, a, index[k], p);
            }
            lgkt_draft_reward(draft, s, a, draw_unit(draw));
            // only these were moved: cheaper than to write all S anew
            for (int32_t k = 0; k < branches; k++) {
                index[k] = k;
                index[draw->swapped[k]] = draw->swapped[k];
            }
        }
}

static lgkt_status create(lgkt_env *env, void *chosen, const lgkt_env_config *config,
                          lgkt_error *error)
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
    lgkt_rng rng = lgkt_rng_stream(config->seed, "instance", config->instance);
    const uint64_t seed = own ? (uint64_t)set->seed : lgkt_rng_next(&rng);

    const lgkt_allocator *allocator = &env->allocator;
    drawing draw = {.set = set, .x = seed};
    draw.index = lgkt_alloc_zeroed(allocator, (size_t)set->states, sizeof(int32_t));
    draw.swapped = lgkt_alloc_zeroed(allocator, (size_t)set->branches, sizeof(int32_t));
    lgkt_status status = LGKT_OK;
    if (draw.index == NULL || draw.swapped == NULL)
        status = lgkt_fail_memory(error, "the successors of a pair");
    for (int32_t s = 0; s < set->states && status == LGKT_OK; s++)
        draw.index[s] = s;
    if (status == LGKT_OK)
        status = lgkt_env_build_model(env, (int32_t)set->states, (int32_t)set->actions, fill_model,
                                      &draw, error);
    lgkt_free(allocator, draw.index);
    lgkt_free(allocator, draw.swapped);
    if (status != LGKT_OK)
        return status;
    snprintf(env->note, sizeof env->note,
             "Garnet of %d states, %d actions and %d branches, its seed %llu%s", (int)env->states,
             (int)env->actions, (int)set->branches, (unsigned long long)seed,
             own ? "" : " drawn for the instance");
    return lgkt_world_open(env, error);
}

const lgkt_env_class lgkt_garnet_class = {
    .entry = {.name = "garnet",
              .summary =
                  "random MDP with a given number of successors per pair, the same on any machine",
              .source = "Archibald et al. 1995",
              .memory = "O(S A b)",
              LGKT_PARAMS(PARAMS)},
    .create = create,
    LGKT_WORLD_CLASS,
};
