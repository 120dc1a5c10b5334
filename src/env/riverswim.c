// SPDX-License-Identifier: MIT
// JumpRiverSwim: a chain of S states with a small certain reward at its left end and a large one at
// its right end, where the current drives swimmers left and every state jumps anywhere now and
// then.
//
// Actions 0 = left, 1 = right; start 0; e = 0.01/S to every state not named:
//     left   0: stay                    else: s-1                        with 1-(S-1)e
//     right  0: stay                    0.7+e, s+1   0.3-(S-1)e
//            inner: s-1 0.1+e, stay     0.6+e, s+1   0.3-(S-1)e
//            S-1: s-1                   0.7+e, stay  0.3-(S-1)e
// Rewards are Bernoulli: 0.2 at (0, left), 1 at (S-1, right), else 0.
//
// This is the paper's released code. Its text swaps two numbers of the inner row (0.6 to the left,
// 0.1 to stay), which makes going right hardly worth while: variant=printed.
//
// Cost and memory O(S^2), as the jumps reach every state.
#include "env/world.h"

#include <stdio.h>

#define MAX_STATES 8192

enum { LEFT, RIGHT, ACTIONS };
enum { VARIANT_RELEASED, VARIANT_PRINTED };

typedef struct settings {
    int64_t states;
    int variant;
    int noise;
} settings;

static const lgkt_param PARAMS[] = {
    LGKT_ROW_INTEGER(settings, states, "states", "5", 3, MAX_STATES, "length S of the chain"),
    LGKT_ROW_CHOICE(
        settings, variant, "variant", "released", "released|printed",
        "transition numbers of the paper's released code, or those printed in its text"),
    LGKT_ROW_CHOICE(
        settings, noise, "noise", "bernoulli", "bernoulli|drifting",
        "law of the observed rewards; drifting changes it from step to step and keeps the mean"),
};

// ---- the model ----

static lgkt_status fill_model(void *ctx, lgkt_mdp_builder *builder, double *p, lgkt_error *error)
{
    const settings *set = ctx;
    const int32_t states = (int32_t)set->states, last = states - 1;
    const double jump = 0.01 / states;
    const bool printed = set->variant == VARIANT_PRINTED;
    lgkt_status status = LGKT_OK;
    for (int32_t z = 0; z < states * ACTIONS && status == LGKT_OK; z++) {
        const int32_t s = z / ACTIONS;
        for (int32_t y = 0; y < states; y++)
            p[y] = jump;
        if (z % ACTIONS == LEFT) {
            p[s > 0 ? s - 1 : 0] = 1 - last * jump;
        } else {
            // at the ends, what would leave the chain is one move
            if (s > 0)
                p[s - 1] = (s == last ? 0.7 : printed ? 0.6 : 0.1) + jump;
            if (s < last)
                p[s] = (s == 0 ? 0.7 : printed ? 0.1 : 0.6) + jump;
            p[s < last ? s + 1 : last] = 0.3 - last * jump;
        }
        status = lgkt_mdp_builder_row(builder, s, z % ACTIONS, p, error);
    }
    if (status == LGKT_OK)
        status = lgkt_mdp_builder_reward(builder, 0, LEFT, 0.2, error);
    if (status == LGKT_OK)
        status = lgkt_mdp_builder_reward(builder, last, RIGHT, 1, error);
    const lgkt_noise noise = set->noise == 0 ? LGKT_NOISE_BERNOULLI : LGKT_NOISE_DRIFTING;
    return status == LGKT_OK ? lgkt_mdp_builder_noise(builder, noise, 0, error) : status;
}

// ---- functions of the class ----

static lgkt_status create(lgkt_env *env, void *chosen, const lgkt_env_config *config,
                          lgkt_error *error)
{
    (void)config;
    const settings *set = chosen;
    const lgkt_status status =
        lgkt_env_build_model(env, (int32_t)set->states, ACTIONS, fill_model, chosen, error);
    if (status != LGKT_OK)
        return status;
    snprintf(env->note, sizeof env->note, "JumpRiverSwim of %d states, %s transition numbers",
             (int)env->states, set->variant == VARIANT_RELEASED ? "released" : "printed");
    return lgkt_world_open(env, error);
}

static const lgkt_entry entry = {
    .name = "riverswim",
    .summary = "JumpRiverSwim: a chain against the current, small reward left, large right",
    .source = "paper, section 5.1 and appendix E",
    .memory = "O(S^2)",
    .params = PARAMS,
    .param_count = sizeof PARAMS / sizeof *PARAMS,
};

const lgkt_env_class lgkt_riverswim_class = {
    .entry = &entry,
    .create = create,
    LGKT_WORLD_CLASS,
};
