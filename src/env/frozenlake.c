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
//     return-step=1  one action is played there; any action leads to the start and earns 0
// The model has these returns in its rows, so it is exact. Outcomes that lead to the same state are
// merged in the model, not in the sampling. The reward depends on the outcome, not on the pair
// alone; the model has its mean R(s,a) and no noise, and the problem is told half the reward range
// as scale.
//
// With several start tiles the start is uniform among them, and each step draws a second number for
// the return, used or not. Memory O(S).
#include "env/frozenlake.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/hash.h"
#include "env/tile_map.h"

#define MAP_4X4 "SFFF/FHFH/FFFH/HFFG"
#define MAP_8X8 "SFFFFFFF/FFFFFFFF/FFFHFFFF/FFFFFHFF/FFFHFFFF/FHHFFFHF/FHFFHFHF/FFFHFFFG"

enum { REWARD_GOAL, REWARD_HOLE, REWARD_FROZEN };

typedef struct settings {
    const char *map;
    int64_t slippery;
    double success_rate;
    double reward_goal;
    double reward_hole;
    double reward_frozen;
    int64_t return_step;
} settings;

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
};

// ---- the map ----

// Copies the tiles of a map and lists the start tiles.
static lgkt_status read_map(lgkt_lake *lake, const char *map, const lgkt_allocator *allocator,
                            lgkt_error *error)
{
    LGKT_TRY(lgkt_tile_map_check(map, "SFHG", "S, F, H or G", &lake->rows, &lake->columns, error));
    const size_t states = (size_t)lake->rows * (size_t)lake->columns;
    lake->tiles = lgkt_alloc_zeroed(allocator, states, sizeof(char));
    lake->starts = lgkt_alloc_zeroed(allocator, states, sizeof(int32_t));
    lake->outcome = lgkt_alloc_zeroed(allocator, states * LGKT_LAKE_ACTIONS * LGKT_LAKE_OUTCOMES,
                                      sizeof(lgkt_outcome));
    if (!lake->tiles || !lake->starts || !lake->outcome)
        return lgkt_fail_memory(error, "a map");
    int32_t tile = 0;
    for (; *map != '\0'; map++) {
        if (*map == '/')
            continue;
        if (*map == 'S')
            lake->starts[lake->start_count++] = tile;
        lake->tiles[tile++] = *map;
    }
    if (lake->start_count == 0)
        return lgkt_fail(error, LGKT_ERR_SPEC, "map: no start tile S");
    return LGKT_OK;
}

// ---- outcomes ----

// What a move in one direction leads to.
static lgkt_outcome outcome_of(const lgkt_lake *lake, int32_t state, int32_t direction)
{
    const int32_t home = lake->start_count == 1 ? lake->starts[0] : -1;
    // an action in a hole or goal: back to the start
    if (lgkt_lake_terminal(lake, state))
        return (lgkt_outcome){.next = home, .reward = 0};
    // off the map is no move
    const int32_t row = state / lake->columns, column = state % lake->columns;
    int32_t tile = state;
    if (direction == LGKT_LAKE_LEFT && column > 0)
        tile = state - 1;
    else if (direction == LGKT_LAKE_DOWN && row < lake->rows - 1)
        tile = state + lake->columns;
    else if (direction == LGKT_LAKE_RIGHT && column < lake->columns - 1)
        tile = state + 1;
    else if (direction == LGKT_LAKE_UP && row > 0)
        tile = state - lake->columns;
    const int reward = lake->tiles[tile] == 'G'   ? REWARD_GOAL
                       : lake->tiles[tile] == 'H' ? REWARD_HOLE
                                                  : REWARD_FROZEN;
    const bool returns = lgkt_lake_terminal(lake, tile) && !lake->return_step;
    return (lgkt_outcome){.next = returns ? home : tile, .reward = lake->tile_reward[reward]};
}

static void fill_model(lgkt_draft *draft, void *ctx)
{
    double *start = draft->p;
    const lgkt_lake *lake = ctx;
    const lgkt_outcome *outcome = lake->outcome;
    const double *p = lake->probability;
    for (int32_t s = 0; s < lake->rows * lake->columns; s++)
        for (int32_t a = 0; a < LGKT_LAKE_ACTIONS; a++, outcome += LGKT_LAKE_OUTCOMES) {
            double mean = 0;
            for (int k = 0; k < LGKT_LAKE_OUTCOMES; k++) {
                // -1 spreads over all start tiles
                const int32_t n = outcome[k].next >= 0 ? 1 : lake->start_count;
                const int32_t *next = outcome[k].next >= 0 ? &outcome[k].next : lake->starts;
                mean += p[k] * outcome[k].reward;
                for (int32_t i = 0; i < n && p[k] > 0; i++)
                    lgkt_draft_edge(draft, s, a, next[i], p[k] / n);
            }
            lgkt_draft_reward(draft, s, a, mean);
        }
    for (int32_t i = 0; i < lake->start_count; i++)
        start[lake->starts[i]] = 1.0 / lake->start_count;
    lgkt_draft_start_law(draft, start);
}

// ---- stepping ----

static int32_t draw_start(const lgkt_lake *lake, double u)
{
    return lake->starts[(int32_t)(u * lake->start_count)];
}

static void step_lake(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const lgkt_lake *lake = trajectory->world;
    const int32_t state = trajectory->state;
    const lgkt_outcome *outcome =
        lgkt_lake_outcome(lake, state, action, lgkt_rng_uniform(&trajectory->rng));
    int32_t next = outcome->next;
    if (lake->start_count > 1) {
        const int32_t start = draw_start(lake, lgkt_rng_uniform(&trajectory->rng));
        next = next < 0 ? start : next;
    }
    trajectory->state = next;
    *step = (lgkt_step){.reward = outcome->reward,
                        .mean_reward = lake->mean[state * LGKT_LAKE_ACTIONS + action],
                        .state = next};
}

// ---- functions of the class ----

static lgkt_status create(lgkt_env *env, void *chosen, const lgkt_env_config *config,
                          lgkt_error *error)
{
    (void)config;
    const settings *set = chosen;
    lgkt_status status = lgkt_env_alloc_self(env, sizeof(lgkt_lake), error);
    if (status != LGKT_OK)
        return status;
    lgkt_lake *lake = env->self;
    const char *map = strcmp(set->map, "4x4") == 0   ? MAP_4X4
                      : strcmp(set->map, "8x8") == 0 ? MAP_8X8
                                                     : set->map;
    const double success = set->slippery ? set->success_rate : 1;
    double sum = 0;
    for (int k = 0; k < LGKT_LAKE_OUTCOMES; k++) {
        lake->probability[k] = k == 1 ? success : (1 - success) / 2;
        lake->cumulative[k] = sum += lake->probability[k];
    }
    lake->tile_reward[REWARD_GOAL] = set->reward_goal;
    lake->tile_reward[REWARD_HOLE] = set->reward_hole;
    lake->tile_reward[REWARD_FROZEN] = set->reward_frozen;
    lake->return_step = set->return_step != 0;
    status = read_map(lake, map, &env->allocator, error);
    if (status != LGKT_OK)
        return status;
    const int32_t states = lake->rows * lake->columns;
    lgkt_outcome *outcome = lake->outcome;
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < LGKT_LAKE_ACTIONS; a++)
            for (int32_t turn = LGKT_LAKE_ACTIONS - 1; turn <= LGKT_LAKE_ACTIONS + 1; turn++)
                *outcome++ = outcome_of(lake, s, (a + turn) % LGKT_LAKE_ACTIONS);
    status = lgkt_env_build_model(env, states, LGKT_LAKE_ACTIONS, fill_model, lake, error);
    if (status != LGKT_OK)
        return status;
    lake->mean = lgkt_mdp_rewards(env->model);

    // half the range of the rewards that can be met, 0 of the return included
    double low = 0, high = 0;
    for (int i = 0; i < 3; i++) {
        low = lake->tile_reward[i] < low ? lake->tile_reward[i] : low;
        high = lake->tile_reward[i] > high ? lake->tile_reward[i] : high;
    }
    env->reward_sd = (high - low) / 2;
    snprintf(env->note, sizeof env->note, "FrozenLake of %d by %d tiles, %s, return costs %s",
             (int)lake->rows, (int)lake->columns, set->slippery ? "slippery" : "not slippery",
             lake->return_step ? "one step" : "no step");
    return LGKT_OK;
}

static void destroy(lgkt_env *env)
{
    const lgkt_lake *lake = env->self;
    lgkt_free(&env->allocator, lake->tiles);
    lgkt_free(&env->allocator, lake->starts);
    lgkt_free(&env->allocator, lake->outcome);
    lgkt_free(&env->allocator, lake);
}

static void start(lgkt_trajectory *trajectory, double u)
{
    trajectory->state = draw_start(trajectory->world, u);
    trajectory->step = step_lake;
}

// The model has the outcomes merged; steps choose among them one by one.
static uint64_t hash_rules(const lgkt_env *env, uint64_t hash)
{
    const lgkt_lake *lake = env->self;
    hash = lgkt_hash_u64(hash, (uint64_t)lake->columns);
    hash = lgkt_hash_u64(hash, lake->return_step);
    hash = lgkt_hash_bytes(hash, lake->tiles, (size_t)env->states);
    for (int k = 0; k < LGKT_LAKE_OUTCOMES; k++)
        hash = lgkt_hash_f64(hash, lake->probability[k]);
    for (int i = 0; i < 3; i++)
        hash = lgkt_hash_f64(hash, lake->tile_reward[i]);
    return hash;
}

const lgkt_env_class lgkt_frozenlake_class = {
    .entry = {.name = "frozenlake",
              .summary =
                  "Gymnasium's FrozenLake as one run without end: hole and goal lead back to "
                  "the start",
              .source = "Gymnasium FrozenLake-v1; paper, section 5.1",
              .memory = "O(S)",
              LGKT_PARAMS(PARAMS)},
    .create = create,
    .destroy = destroy,
    .start = start,
    .hash = hash_rules,
};
