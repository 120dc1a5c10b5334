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

static const lgkt_param PARAMS[] = {
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

// Counts rows and columns of a map text and checks that it is a rectangle of known tiles.
static lgkt_status measure_map(lgkt_lake *lake, const char *map, lgkt_error *error)
{
    const size_t columns = strcspn(map, "/");
    int32_t rows = 0;
    for (const char *row = map;; row += columns + 1) {
        const size_t width = strcspn(row, "/");
        if (width != columns || width == 0 || strspn(row, "SFHG") < width)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "map: row %d is \"%.*s\", must have the %d tiles of the first row, "
                             "each S, F, H or G",
                             (int)rows, (int)(width < 40 ? width : 40), row, (int)columns);
        rows++;
        if (row[width] == '\0')
            break;
    }
    if (strlen(map) > LGKT_MAX_STATES)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "map: more than %d tiles", LGKT_MAX_STATES);
    lake->rows = rows;
    lake->columns = (int32_t)columns;
    return LGKT_OK;
}

// Copies the tiles without the slashes, and lists the start tiles.
static lgkt_status read_map(lgkt_lake *lake, const char *map, const lgkt_allocator *allocator,
                            lgkt_error *error)
{
    const lgkt_status status = measure_map(lake, map, error);
    if (status != LGKT_OK)
        return status;
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

static int32_t move(const lgkt_lake *lake, int32_t tile, int32_t direction)
{
    const int32_t row = tile / lake->columns, column = tile % lake->columns;
    switch (direction) {
    case LGKT_LAKE_LEFT:
        return column > 0 ? tile - 1 : tile;
    case LGKT_LAKE_DOWN:
        return row < lake->rows - 1 ? tile + lake->columns : tile;
    case LGKT_LAKE_RIGHT:
        return column < lake->columns - 1 ? tile + 1 : tile;
    default:
        return row > 0 ? tile - lake->columns : tile;
    }
}

static lgkt_outcome outcome_of(const lgkt_lake *lake, int32_t state, int32_t direction)
{
    const int32_t home = lake->start_count == 1 ? lake->starts[0] : -1;
    // an action in a hole or goal: back to the start
    if (lgkt_lake_terminal(lake, state))
        return (lgkt_outcome){.tile = state, .next = home, .reward = 0};
    const int32_t tile = move(lake, state, direction);
    const int reward = lake->tiles[tile] == 'G'   ? REWARD_GOAL
                       : lake->tiles[tile] == 'H' ? REWARD_HOLE
                                                  : REWARD_FROZEN;
    return (lgkt_outcome){.tile = tile,
                          .next =
                              lgkt_lake_terminal(lake, tile) && !lake->return_step ? home : tile,
                          .reward = lake->tile_reward[reward]};
}

static void fill_outcomes(lgkt_lake *lake)
{
    lgkt_outcome *outcome = lake->outcome;
    for (int32_t s = 0; s < lake->rows * lake->columns; s++)
        for (int32_t a = 0; a < LGKT_LAKE_ACTIONS; a++)
            for (int32_t turn = -1; turn <= 1; turn++)
                *outcome++ =
                    outcome_of(lake, s, (a + turn + LGKT_LAKE_ACTIONS) % LGKT_LAKE_ACTIONS);
}

// ---- the model ----

// Adds one outcome of a pair; -1 spreads over all start tiles.
static lgkt_status add_outcome(const lgkt_lake *lake, lgkt_mdp_builder *builder, int32_t s,
                               int32_t a, const lgkt_outcome *outcome, double p, lgkt_error *error)
{
    if (outcome->next >= 0)
        return lgkt_mdp_builder_edge(builder, s, a, outcome->next, p, error);
    lgkt_status status = LGKT_OK;
    for (int32_t i = 0; i < lake->start_count && status == LGKT_OK; i++)
        status =
            lgkt_mdp_builder_edge(builder, s, a, lake->starts[i], p / lake->start_count, error);
    return status;
}

static lgkt_status add_pair(const lgkt_lake *lake, lgkt_mdp_builder *builder, int32_t s, int32_t a,
                            lgkt_error *error)
{
    const lgkt_outcome *outcome = &lake->outcome[(s * LGKT_LAKE_ACTIONS + a) * LGKT_LAKE_OUTCOMES];
    const double *p = lake->probability;
    double mean = 0;
    for (int k = 0; k < LGKT_LAKE_OUTCOMES; k++) {
        mean += p[k] * outcome[k].reward;
        if (p[k] == 0)
            continue;
        const lgkt_status status = add_outcome(lake, builder, s, a, &outcome[k], p[k], error);
        if (status != LGKT_OK)
            return status;
    }
    return lgkt_mdp_builder_reward(builder, s, a, mean, error);
}

static lgkt_status fill_model(void *ctx, lgkt_mdp_builder *builder, double *start,
                              lgkt_error *error)
{
    const lgkt_lake *lake = ctx;
    const int32_t states = lake->rows * lake->columns;
    lgkt_status status = LGKT_OK;
    for (int32_t s = 0; s < states; s++)
        for (int32_t a = 0; a < LGKT_LAKE_ACTIONS && status == LGKT_OK; a++)
            status = add_pair(lake, builder, s, a, error);
    for (int32_t i = 0; i < lake->start_count; i++)
        start[lake->starts[i]] = 1.0 / lake->start_count;
    return status == LGKT_OK ? lgkt_mdp_builder_start_law(builder, start, error) : status;
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
                        .mean_reward = lgkt_mdp_reward(trajectory->env->model, state, action),
                        .state = next};
}

// ---- functions of the class ----

static void set_rules(lgkt_lake *lake, const settings *set)
{
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
}

// Half the range of the rewards that can be met, 0 of the return included.
static double reward_scale(const lgkt_lake *lake)
{
    double low = 0, high = 0;
    for (int i = 0; i < 3; i++) {
        low = lake->tile_reward[i] < low ? lake->tile_reward[i] : low;
        high = lake->tile_reward[i] > high ? lake->tile_reward[i] : high;
    }
    return (high - low) / 2;
}

static lgkt_status create(lgkt_env *env, const lgkt_spec *spec, const lgkt_env_config *config,
                          lgkt_error *error)
{
    (void)config;
    settings set;
    lgkt_status status = lgkt_settings_fill(env->class->entry, spec, &set, error);
    if (status == LGKT_OK)
        status = lgkt_env_alloc_self(env, sizeof(lgkt_lake), error);
    if (status != LGKT_OK)
        return status;
    lgkt_lake *lake = env->self;
    const char *map = strcmp(set.map, "4x4") == 0   ? MAP_4X4
                      : strcmp(set.map, "8x8") == 0 ? MAP_8X8
                                                    : set.map;
    set_rules(lake, &set);
    status = read_map(lake, map, &env->allocator, error);
    if (status != LGKT_OK)
        return status;
    fill_outcomes(lake);
    status = lgkt_env_build_model(env, lake->rows * lake->columns, LGKT_LAKE_ACTIONS, fill_model,
                                  lake, error);
    if (status != LGKT_OK)
        return status;
    env->reward_sd = reward_scale(lake);
    snprintf(env->note, sizeof env->note, "FrozenLake of %d by %d tiles, %s, return costs %s",
             (int)lake->rows, (int)lake->columns, set.slippery ? "slippery" : "not slippery",
             lake->return_step ? "one step" : "no step");
    return LGKT_OK;
}

static void destroy(lgkt_env *env)
{
    const lgkt_lake *lake = env->self;
    lgkt_free(&env->allocator, lake->tiles);
    lgkt_free(&env->allocator, lake->starts);
    lgkt_free(&env->allocator, lake->outcome);
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

static const lgkt_entry entry = {
    .name = "frozenlake",
    .summary = "Gymnasium's FrozenLake as one run without end: hole and goal lead back to "
               "the start",
    .source = "Gymnasium FrozenLake-v1; paper, section 5.1",
    .memory = "O(S)",
    .params = PARAMS,
    .param_count = LGKT_PARAM_COUNT(PARAMS),
};

const lgkt_env_class lgkt_frozenlake_class = {
    .entry = &entry,
    .create = create,
    .destroy = destroy,
    .start = start,
    .hash = hash_rules,
};
