// SPDX-License-Identifier: MIT
// The instance of Theorem 3.4: whoever looks k steps ahead or fewer stays where it is bad.
//
// State 0 is bad and the start; 1 .. S-1 are good. Action 0 stays on its side, the others cross:
//     from 0     action 0: to 0, reward -1           others: to a good state, reward -(k+1)
//     from good  action 0: to a good state, reward 0  others: to 0, reward -1
// A good state is chosen uniformly. Leaving costs k+1 at once and saves 1 at each later step, so it
// pays from the (k+2)nd step on: a lookahead of up to k steps never leaves, and loses 1 at each
// step. The optimum of T > k + 1 steps is -(k+1) in all.
//
// Observed rewards are exact, as in the theorem, or normal about the mean.
//
// Cost and memory O(S^2 + S A).
#include "env/world.h"

#include <stdio.h>

#include "core/error.h"

#define MAX_ENTRIES (INT64_C(1) << 28)
#define MAX_K       1000000

typedef struct settings {
    int64_t states, actions, k;
    double sd;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_ROW_INTEGER(settings, states, "states", "4", 2, LGKT_MAX_STATES, "number of states S"),
    LGKT_ROW_INTEGER(settings, actions, "actions", "3", 2, LGKT_MAX_ACTIONS, "number of actions A"),
    LGKT_ROW_INTEGER(settings, k, "k", "4", 1, MAX_K, "the lookahead that is too short"),
    LGKT_ROW_REAL(settings, sd, "sd", "0", 0, 1e6, "standard deviation of normal reward noise"),
};

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    const int32_t states = (int32_t)set->states;
    if (set->states * (set->states + set->actions) > MAX_ENTRIES)
        return lgkt_fail(error, LGKT_ERR_SHAPE,
                         "states=%lld and actions=%lld: S*(S+A) must be at most 2^28",
                         (long long)set->states, (long long)set->actions);
    snprintf(env->note, sizeof env->note, "linear gap for lookahead up to %lld, %d states",
             (long long)set->k, (int)set->states);
    LGKT_TRY(lgkt_env_begin_model(env, set->states, set->actions, error));
    const lgkt_noise noise = set->sd > 0 ? LGKT_NOISE_NORMAL : LGKT_NOISE_NONE;
    lgkt_mdp_builder_noise(env->builder, noise, set->sd);
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < (int32_t)set->actions; a++) {
            const bool bad = s == 0, stays = a == 0, to_bad = bad == stays;
            const double mean = bad && !stays ? -(double)(set->k + 1) : bad || !stays ? -1 : 0;
            lgkt_mdp_builder_reward(env->builder, s, a, mean);
            for (int32_t y = to_bad ? 0 : 1; y < (to_bad ? 1 : states); y++)
                lgkt_mdp_builder_edge(env->builder, s, a, y, to_bad ? 1 : 1.0 / (states - 1));
        }
    return LGKT_OK;
}

const lgkt_env_class lgkt_linear_gap_class = {
    LGKT_ENV_ENTRY("linear-gap",
                   "a bad state that no lookahead of k steps leaves, and good ones beyond",
                   "paper, Theorem 3.4", "O(S^2 + S A)", LGKT_PARAMS(PARAMS)),
    LGKT_WORLD_CLASS(create),
};
