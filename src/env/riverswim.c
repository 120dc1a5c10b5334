// SPDX-License-Identifier: MIT
// RiverSwim: a chain of S states with a small certain reward at its left end and a large one at its
// right end, where the current drives swimmers left. Actions 0 = left, 1 = right. `variant` says
// which of the chains that go by this name it is.
//
// released, printed: JumpRiverSwim, where every state jumps anywhere now and then. Start 0;
// e = 0.01/S to every state not named:
//     left   0: stay                    else: s-1                        with 1-(S-1)e
//     right  0: stay                    0.7+e, s+1   0.3-(S-1)e
//            inner: s-1 0.1+e, stay     0.6+e, s+1   0.3-(S-1)e
//            S-1: s-1                   0.7+e, stay  0.3-(S-1)e
// Rewards are Bernoulli: 0.2 at (0, left), 1 at (S-1, right), else 0. This is the paper's released
// code. Its text swaps two numbers of the inner row (0.6 to the left, 0.1 to stay), which makes
// going right hardly worth while: variant=printed.
//
// sl, osband: the classic chain, with no jumps and certain rewards. left: s-1, or stay in 0.
//            Strehl & Littman (2008)         Osband et al. (2013)
//     right  0:     stay 0.7, s+1 0.3            stay 0.4, s+1 0.6
//            inner: s-1 0.1, stay 0.6, s+1 0.3   s-1 0.05, stay 0.6, s+1 0.35
//            S-1:   s-1 0.7, stay 0.3            s-1 0.4, stay 0.6
//     reward (0, left) 5/10000                   5/1000
// and 1 at (S-1, right): the published rewards over their largest. reward-on=pair pays it for the
// pair, as most of the literature does; edge only if the step stays in S-1, as Strehl & Littman do.
// The start is 0; start=original is theirs, 1 or 2 with probability 1/2.
//
// Cost and memory O(S^2) with jumps, which reach every state; O(S) without.
#include "env/world.h"

#include <stdio.h>

#include "core/error.h"

#define MAX_STATES 8192

enum { LEFT, RIGHT, ACTIONS };
enum { VARIANT_RELEASED, VARIANT_PRINTED, VARIANT_SL, VARIANT_OSBAND };
enum { NOISE_BERNOULLI, NOISE_DRIFTING };
enum { REWARD_ON_PAIR, REWARD_ON_EDGE };
enum { START_FIRST, START_ORIGINAL };

typedef struct settings {
    int64_t states;
    int variant;
    int noise;
    int reward_on;
    int start;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_ROW_INTEGER(settings, states, "states", "@5, or 6 for sl and osband", 3, MAX_STATES,
                     "length S of the chain"),
    LGKT_ROW_CHOICE(
        settings, variant, "variant", "released", "released|printed|sl|osband",
        "JumpRiverSwim with the transition numbers of the paper's released code, or those printed "
        "in its text; or the classic chain of Strehl & Littman 2008, or of Osband 2013"),
    LGKT_ROW_CHOICE(
        settings, noise, "noise", "@bernoulli", "bernoulli|drifting",
        "law of the observed rewards; drifting changes it from step to step and keeps the mean; "
        "sl and osband have certain rewards"),
    LGKT_ROW_CHOICE(settings, reward_on, "reward-on", "@pair", "pair|edge",
                    "sl and osband: the large reward is for going right in the last state, or only "
                    "if the step stays there"),
    LGKT_ROW_CHOICE(settings, start, "start", "first", "first|original",
                    "sl: start in state 0, or in 1 or 2 with probability 1/2 as published"),
};

static void fill_model(lgkt_mdp_builder *builder, const settings *set)
{
    // going right: down, stay, up in the first state, in those between, and in the last
    static const double LAWS[][3][3] = {
        [VARIANT_RELEASED] = {{0, 0.7, 0.3}, {0.1, 0.6, 0.3}, {0.7, 0.3, 0}},
        [VARIANT_PRINTED] = {{0, 0.7, 0.3}, {0.6, 0.1, 0.3}, {0.7, 0.3, 0}},
        [VARIANT_SL] = {{0, 0.7, 0.3}, {0.1, 0.6, 0.3}, {0.7, 0.3, 0}},
        [VARIANT_OSBAND] = {{0, 0.4, 0.6}, {0.05, 0.6, 0.35}, {0.4, 0.6, 0}},
    };
    static const double SMALL[] = {0.2, 0.2, 5.0 / 10000, 5.0 / 1000};
    const bool jumps = set->variant <= VARIANT_PRINTED;
    const int32_t states = (int32_t)set->states, last = states - 1;
    const double jump = jumps ? 0.01 / states : 0;
    for (int32_t z = 0; z < states * ACTIONS; z++) {
        const int32_t s = z / ACTIONS, a = z % ACTIONS;
        const double *law = LAWS[set->variant][s == 0 ? 0 : s < last ? 1 : 2];
        // the step as meant gives to the jumps what all others have of them
        const int32_t below = s > 0 ? s - 1 : 0, above = s < last ? s + 1 : last;
        const int32_t meant = a == LEFT ? below : above;
        for (int32_t y = jumps ? 0 : below; y <= (jumps ? last : above); y++) {
            const double right = y >= below && y <= above ? law[y - s + 1] : 0;
            const double p = a == RIGHT ? right : y == meant ? 1 : 0;
            lgkt_mdp_builder_edge(builder, s, a, y, y == meant ? p - last * jump : p + jump);
        }
    }
    lgkt_mdp_builder_reward(builder, 0, LEFT, SMALL[set->variant]);
    if (set->reward_on == REWARD_ON_EDGE)
        lgkt_mdp_builder_edge_reward(builder, last, RIGHT, last, 1);
    else
        lgkt_mdp_builder_reward(builder, last, RIGHT, 1);
    if (jumps)
        lgkt_mdp_builder_noise(
            builder, set->noise == NOISE_DRIFTING ? LGKT_NOISE_DRIFTING : LGKT_NOISE_BERNOULLI, 0);
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    static const char *const SOURCES[] = {"released transition numbers",
                                          "printed transition numbers", "Strehl & Littman 2008",
                                          "Osband et al. 2013"};
    settings *set = chosen;
    const bool jumps = set->variant <= VARIANT_PRINTED;
    if (set->states == LGKT_UNSET_INTEGER)
        set->states = jumps ? 5 : 6;
    // what was set must be of the variant; unset choices stay unset, which is none of those asked
    // for
    if (!jumps && set->noise != LGKT_UNSET_CHOICE)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "noise: variant=sl and variant=osband have certain rewards; noise goes "
                         "with released and printed");
    if (jumps && set->reward_on != LGKT_UNSET_CHOICE)
        return lgkt_fail(error, LGKT_ERR_SPEC, "reward-on needs variant=sl or variant=osband");
    if (set->variant != VARIANT_SL && set->start == START_ORIGINAL)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "start=original needs variant=sl; the others start in state 0");
    snprintf(env->note, sizeof env->note, "%sRiverSwim of %d states, %s%s", jumps ? "Jump" : "",
             (int)set->states, SOURCES[set->variant],
             set->reward_on == REWARD_ON_EDGE ? ", the large reward for staying" : "");
    LGKT_TRY(lgkt_env_begin_model(env, set->states, ACTIONS, error));
    fill_model(env->builder, set);
    if (set->start == START_ORIGINAL) {
        env->row[1] = env->row[2] = 0.5;
        lgkt_mdp_builder_start_law(env->builder, env->row);
    }
    return LGKT_OK;
}

const lgkt_env_class lgkt_riverswim_class = {
    LGKT_ENV_ENTRY(
        "riverswim",
        "a chain against the current, small reward left, large right: JumpRiverSwim or the "
        "classic RiverSwim",
        "paper, section 5.1 and appendix E; Strehl & Littman 2008; Osband et al. 2013",
        "O(S^2); sl and osband O(S)", LGKT_PARAMS(PARAMS)),
    LGKT_WORLD_CLASS(create),
};
