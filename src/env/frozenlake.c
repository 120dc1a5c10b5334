// SPDX-License-Identifier: MIT
// FrozenLake: Gymnasium's FrozenLake-v1, made one run without end.
//
// A map of tiles S (start), F (frozen), H (hole), G (goal); state = row*columns + column; actions
// 0 left, 1 down, 2 right, 3 up. On slippery ice a move has three outcomes, in this order: the
// directions a-1, a, a+1 (mod 4) with probabilities (1-q)/2, q, (1-q)/2, q = success-rate. A move
// off the map stays. The reward is that of the tile entered (S and a bump count as frozen). One
// uniform number u per step chooses the first outcome whose cumulative probability exceeds u, so
// that with Gymnasium's own numbers the trajectories are Gymnasium's, bit for bit.
//
// Gymnasium ends an episode in a hole or goal. Here the run goes on at the start:
//     return-step=0  entering the hole or goal leads to the start at once, as when a caller resets
//                    between two steps; nobody ever acts in the hole or goal
//     return=tile    the same process, but what is observed as next state is the hole or goal, and
//                    the way from there to the start is not: the learners of the released code
//                    ignore ends, so that one that is optimistic takes these tiles, on which nobody
//                    ever acts, for the best of all
//     return-step=1  one action is played there; any action leads to the start and earns 0
// The model has these returns in its rows, so it is exact. Outcomes that lead to the same state are
// merged in the model, not in the sampling. The reward depends on the outcome, not on the pair
// alone; the model has its mean R(s,a) and no noise, and the problem is told half the reward range
// as scale.
//
// With several start tiles the start is uniform among them, and each step draws a second number for
// the return, used or not. Memory O(S).
#include "env/tile_map.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"

#define MAP_4X4 "SFFF/FHFH/FFFH/HFFG"
#define MAP_8X8 "SFFFFFFF/FFFFFFFF/FFFHFFFF/FFFFFHFF/FFFHFFFF/FHHFFFHF/FHFFHFHF/FFFHFFFG"

typedef struct settings {
    const char *map;
    int64_t slippery;
    double success_rate;
    double reward_goal;
    double reward_hole;
    double reward_frozen;
    int64_t return_step;
    int back;
} settings;

enum { RETURN_START, RETURN_TILE };

static const lgkt_param_row PARAMS[] = {
    LGKT_ROW_TEXT(settings, map, "map", "4x4",
                  "4x4, 8x8, or rows of S, F, H, G joined with /, e.g. SFF/FHG"),
    LGKT_ROW_INTEGER(settings, slippery, "slippery", "1", 0, 1, "0: moves always go as meant"),
    LGKT_ROW_REAL(settings, success_rate, "success-rate", "0.3333333333333333", 0, 1,
                  "probability that a slippery move goes as meant; the two sides share the rest"),
    LGKT_ROW_REAL(settings, reward_goal, "reward-goal", "1", -1e6, 1e6,
                  "reward for entering a goal"),
    LGKT_ROW_REAL(settings, reward_hole, "reward-hole", "0", -1e6, 1e6,
                  "reward for entering a hole"),
    LGKT_ROW_REAL(settings, reward_frozen, "reward-frozen", "0.2", -1e6, 1e6,
                  "reward for entering any other tile"),
    LGKT_ROW_INTEGER(
        settings, return_step, "return-step", "0", 0, 1,
        "1: an action is played in the hole or goal before the run goes on at the start"),
    LGKT_ROW_CHOICE(
        settings, back, "return", "start", "start|tile",
        "what is observed as next state at a fall or the goal; tile: hole or goal, as in "
        "the released code, whose learners never see the way back",
        .since = 1, .before = "start"),
};

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    // left, down, right, up: rows and columns
    static const int32_t MOVES[][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    const settings *set = chosen;
    const bool returns = set->return_step == 0, shown = set->back == RETURN_TILE;
    const double success = set->slippery ? set->success_rate : 1, side = (1 - success) / 2;
    if (shown && !returns)
        return lgkt_fail(error, LGKT_ERR_SPEC, "return=tile needs return-step=0");
    const lgkt_map_rules rules = {
        .map = strcmp(set->map, "4x4") == 0   ? MAP_4X4
               : strcmp(set->map, "8x8") == 0 ? MAP_8X8
                                              : set->map,
        .tiles = {{'S', .enter = set->reward_frozen},
                  {'F', .enter = set->reward_frozen},
                  {'H', .enter = set->reward_hole, .returns = returns, .shown = shown,
                   .leaves = true},
                  {'G', .enter = set->reward_goal, .returns = returns, .shown = shown,
                   .leaves = true}},
        .names = "S, F, H or G",
        .moves = MOVES,
        .turn = {3, 0, 1, 1},
        .p = {side, success, side, 0},
    };
    LGKT_TRY(lgkt_map_create(env, &rules, error));
    const lgkt_map *lake = env->self;
    // half the range of the rewards that can be met, 0 of the return included
    env->reward_sd = (fmax(fmax(0, set->reward_frozen), fmax(set->reward_hole, set->reward_goal)) -
                      fmin(fmin(0, set->reward_frozen), fmin(set->reward_hole, set->reward_goal))) /
                     2;
    snprintf(env->note, sizeof env->note, "FrozenLake of %d by %d tiles, %s, return costs %s%s",
             (int)lake->rows, (int)lake->columns, set->slippery ? "slippery" : "not slippery",
             returns ? "no step" : "one step", shown ? " and is not seen" : "");
    return LGKT_OK;
}

const lgkt_env_class lgkt_frozenlake_class = {
    LGKT_ENV_ENTRY("frozenlake",
                   "Gymnasium's FrozenLake as one run without end: hole and goal lead back to the "
                   "start",
                   "Gymnasium FrozenLake-v1; paper, section 5.1", "O(S)", LGKT_PARAMS(PARAMS)),
    LGKT_MAP_CLASS(create),
};
