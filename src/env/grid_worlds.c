// SPDX-License-Identifier: MIT
// Worlds on a map of tiles: mazes of one's own, the four rooms, and the cliff.
//
// A map is a rectangle of tiles: # wall, . free, S start, G goal, and for the cliff C. States are
// the tiles on which one can act, counted row by row from the upper left; rows and columns count
// from 0. Actions 0 up, 1 right, 2 down, 3 left. A move goes as meant, or turned by one, two or
// three quarters, with probabilities turn[0..3]:
//     slip p           1-p, p/3, p/3, p/3
//     slippery ice     1/3, 1/3, 0, 1/3, as in FrozenLake
// A move into a wall or off the map stays. One uniform number per step chooses the turn.
//
// `maze`: there is one S and at least one G. On a G any action pays the reward and leads to S;
// nothing else pays. Tiles that cannot be reached from S are refused, since no run could come there
// and the optimum of the model would depend on the start. A cost of each step is one of
// scaled:shift=-1. The map of the default is the Dyna maze of Sutton (1990).
//
// `fourrooms`: the same with the map of Sutton, Precup and Singh (1999), S in row 1, column 1, and
// G where one wants it. 104 states.
//
// `cliffwalking`: Gymnasium's CliffWalking (Sutton and Barto, example 6.6), made one run without
// end. Every move costs 1, stepping on the cliff 100 and leads to S at once; stepping on the goal
// pays reward-goal in place of the cost and leads to S at once. So nobody acts on cliff or goal,
// and there are 37 states, with the numbers that Gymnasium gives them. Gymnasium pays -1 for the
// last step, too; then all policies that keep off the cliff earn -1 a step and there is nothing to
// learn, so the default is 0.
//
// On ice the reward depends on the outcome: from S, a step on the cliff and one into the wall both
// lead to S, but one costs 100 and the other 1. So outcomes are kept one by one, and merged in the
// model only, which has the mean rewards and no noise. The problem is told, as scale, half the
// largest range that the rewards of one pair have. That is 0 where moves do not slip, and in mazes.
//
// Cost and memory O(tiles).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/hash.h"
#include "env/env_private.h"
#include "env/tile_map.h"

#define DYNA_MAZE ".......#G/..#....#./S.#....#./..#....../.....#.../........."
#define FOUR_ROOMS                                                                                 \
    "#############/#S....#.....#/#.....#.....#/#...........#/#.....#.....#/#.....#.....#/"         \
    "##.####.....#/#.....###.###/#.....#.....#/#.....#.....#/#...........#/#.....#.....#/"         \
    "#############"
#define FOUR_ROOMS_WIDTH 13
#define CLIFF            "............/............/............/SCCCCCCCCCCG"

enum { UP, RIGHT, DOWN, LEFT, ACTIONS };

// The settings of all three.
typedef struct settings {
    const char *map;
    double slip, reward_goal;
    int64_t goal_row, goal_column, slippery;
} settings;

#define SLIP(fallback_)                                                                            \
    LGKT_ROW_REAL(settings, slip, "slip", fallback_, 0, 1,                                         \
                  "probability that a move does not go as meant but in one of the other three "    \
                  "directions")

static const lgkt_param_row MAZE[] = {
    LGKT_ROW_TEXT(settings, map, "map", DYNA_MAZE,
                  "rows joined with /, of # wall, . free, one S start, G goals, e.g. S.#/..G"),
    SLIP("0"),
    LGKT_ROW_REAL(settings, reward_goal, "reward-goal", "1", -1e6, 1e6,
                  "reward of any action on a goal"),
};

static const lgkt_param_row FOURROOMS[] = {
    SLIP("0.3333333333333333"),
    LGKT_ROW_INTEGER(settings, goal_row, "goal-row", "11", 1, FOUR_ROOMS_WIDTH - 2,
                     "row of the goal; the start is in row 1"),
    LGKT_ROW_INTEGER(settings, goal_column, "goal-column", "11", 1, FOUR_ROOMS_WIDTH - 2,
                     "column of the goal; the start is in column 1"),
    LGKT_ROW_REAL(settings, reward_goal, "reward-goal", "1", -1e6, 1e6,
                  "reward of any action on the goal"),
};

static const lgkt_param_row CLIFFWALKING[] = {
    LGKT_ROW_INTEGER(settings, slippery, "slippery", "0", 0, 1,
                     "1: a move goes as meant or to one of its two sides, 1/3 each"),
    LGKT_ROW_REAL(settings, reward_goal, "reward-goal", "0", -1e6, 1e6,
                  "reward for entering the goal; other moves earn -1, or -100 on the cliff"),
};

// What the three make of their settings.
typedef struct grid_rules {
    const char *map;
    const char *tiles, *names; // what may be in the map
    double turn[ACTIONS];      // probability of a turn by this many quarters
    double goal, move, cliff;  // rewards
    bool at_once;              // entering the goal leads to the start; else an action there does
} grid_rules;

// Where a move in one direction leads.
typedef struct grid_outcome {
    int32_t next;
    double reward;
} grid_outcome;

typedef struct grid_world {
    double turn[ACTIONS];
    double cumulative[ACTIONS];
    grid_outcome *outcome; // (S, 4) by direction
    int32_t *number;       // (tiles) the state of a tile, -1 where nobody acts
    const double *mean;    // (S, 4) rewards, of the model
    int32_t rows, columns;
    int32_t states;
    int32_t start;
} grid_world;

// ---- the map ----

static char tile_at(const grid_world *grid, const grid_rules *rules, int32_t i)
{
    return rules->map[i / grid->columns * (grid->columns + 1) + i % grid->columns];
}

// Numbers the states and finds the start; one S and a G must be there.
static lgkt_status number_tiles(grid_world *grid, const grid_rules *rules, lgkt_error *error)
{
    int32_t goals = 0;
    grid->start = -1;
    for (int32_t i = 0; i < grid->rows * grid->columns; i++) {
        const char tile = tile_at(grid, rules, i);
        const bool off = tile == '#' || tile == 'C' || (tile == 'G' && rules->at_once);
        if (tile == 'S' && grid->start >= 0)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "map: a second S in row %d, column %d; there must be one",
                             (int)(i / grid->columns), (int)(i % grid->columns));
        grid->start = tile == 'S' ? grid->states : grid->start;
        goals += tile == 'G';
        grid->number[i] = off ? -1 : grid->states++;
    }
    if (grid->start < 0 || goals == 0)
        return lgkt_fail(error, LGKT_ERR_SPEC, "map: no %s; there must be one S and at least one G",
                         grid->start < 0 ? "S" : "G");
    return LGKT_OK;
}

// What a move from a tile in one direction leads to.
static grid_outcome outcome_of(const grid_world *grid, const grid_rules *rules, int32_t from,
                               int32_t direction)
{
    if (tile_at(grid, rules, from) == 'G')
        return (grid_outcome){.next = grid->start, .reward = rules->goal};
    const int32_t row = from / grid->columns + (direction == DOWN) - (direction == UP);
    const int32_t column = from % grid->columns + (direction == RIGHT) - (direction == LEFT);
    const bool off = row < 0 || row >= grid->rows || column < 0 || column >= grid->columns;
    const int32_t to = off ? from : row * grid->columns + column;
    const char tile = tile_at(grid, rules, to);
    if (tile == 'C')
        return (grid_outcome){.next = grid->start, .reward = rules->cliff};
    if (tile == 'G' && rules->at_once)
        return (grid_outcome){.next = grid->start, .reward = rules->goal};
    return (grid_outcome){.next = grid->number[tile == '#' ? from : to], .reward = rules->move};
}

// Every state must be within reach of the start; it is left by its way back, or through a goal.
static lgkt_status check_reach(const lgkt_env *env, const grid_rules *rules, lgkt_error *error)
{
    const grid_world *grid = env->self;
    lgkt_status status = LGKT_OK;
    int32_t *queue = lgkt_alloc_zeroed(&env->allocator, (size_t)grid->states, sizeof(int32_t));
    bool *reached = lgkt_alloc_zeroed(&env->allocator, (size_t)grid->states, sizeof(bool));
    if (queue == NULL || reached == NULL) {
        status = lgkt_fail_memory(error, "a map");
        goto done;
    }
    int32_t count = 1;
    queue[0] = grid->start;
    reached[grid->start] = true;
    for (int32_t i = 0; i < count; i++)
        for (int32_t d = 0; d < ACTIONS; d++) {
            const int32_t next = grid->outcome[queue[i] * ACTIONS + d].next;
            if (!reached[next])
                queue[count++] = next;
            reached[next] = true;
        }
    for (int32_t i = 0; i < grid->rows * grid->columns && status == LGKT_OK; i++)
        if (grid->number[i] >= 0 && !reached[grid->number[i]])
            status = lgkt_fail(
                error, LGKT_ERR_SPEC, "map: the '%c' in row %d, column %d cannot be reached from S",
                tile_at(grid, rules, i), (int)(i / grid->columns), (int)(i % grid->columns));
done:
    lgkt_free(&env->allocator, queue);
    lgkt_free(&env->allocator, reached);
    return status;
}

// ---- the model ----

// The rewards that a pair can pay: their mean, and half their range.
static double pair_reward(const grid_world *grid, int32_t s, int32_t a, double *half)
{
    double mean = 0, low = INFINITY, high = -INFINITY;
    for (int32_t k = 0; k < ACTIONS; k++) {
        const double reward = grid->outcome[s * ACTIONS + (a + k) % ACTIONS].reward;
        if (!(grid->turn[k] > 0))
            continue;
        mean += grid->turn[k] * reward;
        low = reward < low ? reward : low;
        high = reward > high ? reward : high;
    }
    *half = (high - low) / 2;
    return low == high ? low : mean; // thirds need not sum to 1
}

static void fill_model(lgkt_draft *draft, void *ctx)
{
    const grid_world *grid = ctx;
    lgkt_draft_start(draft, grid->start);
    for (int32_t s = 0; s < grid->states; s++)
        for (int32_t a = 0; a < ACTIONS; a++) {
            double half;
            lgkt_draft_reward(draft, s, a, pair_reward(grid, s, a, &half));
            for (int32_t k = 0; k < ACTIONS; k++)
                if (grid->turn[k] > 0)
                    lgkt_draft_edge(draft, s, a,
                                    grid->outcome[s * ACTIONS + (a + k) % ACTIONS].next,
                                    grid->turn[k]);
        }
}

// ---- stepping ----

static void step_grid(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const grid_world *grid = trajectory->world;
    const double u = lgkt_rng_uniform(&trajectory->rng), *sum = grid->cumulative;
    const int32_t turn = (sum[0] <= u) + (sum[1] <= u) + (sum[2] <= u);
    const int32_t first = trajectory->state * ACTIONS;
    const grid_outcome *outcome = &grid->outcome[first + (action + turn) % ACTIONS];
    trajectory->state = outcome->next;
    *step = (lgkt_step){.reward = outcome->reward,
                        .mean_reward = grid->mean[first + action],
                        .state = outcome->next};
}

// ---- functions of the classes ----

static lgkt_status open_grid(lgkt_env *env, const grid_rules *rules, lgkt_error *error)
{
    int32_t rows, columns;
    lgkt_status status =
        lgkt_tile_map_check(rules->map, rules->tiles, rules->names, &rows, &columns, error);
    if (status == LGKT_OK)
        status = lgkt_env_alloc_self(env, sizeof(grid_world), error);
    if (status != LGKT_OK)
        return status;
    grid_world *grid = env->self;
    grid->rows = rows;
    grid->columns = columns;
    const size_t tiles = (size_t)rows * (size_t)columns;
    grid->number = lgkt_alloc_zeroed(&env->allocator, tiles, sizeof(int32_t));
    grid->outcome = lgkt_alloc_zeroed(&env->allocator, tiles * ACTIONS, sizeof(grid_outcome));
    if (grid->number == NULL || grid->outcome == NULL)
        return lgkt_fail_memory(error, "a map");
    status = number_tiles(grid, rules, error);
    if (status != LGKT_OK)
        return status;

    double sum = 0;
    for (int32_t k = 0; k < ACTIONS; k++) {
        grid->turn[k] = rules->turn[k];
        grid->cumulative[k] = sum += rules->turn[k];
    }
    grid_outcome *outcome = grid->outcome;
    for (int32_t i = 0; i < (int32_t)tiles; i++)
        for (int32_t d = 0; d < ACTIONS && grid->number[i] >= 0; d++)
            *outcome++ = outcome_of(grid, rules, i, d);
    status = check_reach(env, rules, error);
    if (status == LGKT_OK)
        status = lgkt_env_build_model(env, grid->states, ACTIONS, fill_model, grid, error);
    if (status != LGKT_OK)
        return status;
    grid->mean = lgkt_mdp_rewards(env->model);
    for (int32_t z = 0; z < grid->states * ACTIONS; z++) {
        double half;
        pair_reward(grid, z / ACTIONS, z % ACTIONS, &half);
        env->reward_sd = half > env->reward_sd ? half : env->reward_sd;
    }
    return LGKT_OK;
}

// Moves as meant with 1 - slip; a goal pays once an action is played on it, and moves cost nothing.
static grid_rules rules_of_maze(const char *map, const settings *set)
{
    const double turned = set->slip / (ACTIONS - 1);
    return (grid_rules){.map = map,
                        .tiles = "#.SG",
                        .names = "#, ., S and G",
                        .turn = {1 - set->slip, turned, turned, turned},
                        .goal = set->reward_goal};
}

static lgkt_status create_maze(lgkt_env *env, void *chosen, const lgkt_env_config *config,
                               lgkt_error *error)
{
    (void)config;
    const settings *set = chosen;
    const grid_rules rules = rules_of_maze(set->map, set);
    snprintf(env->note, sizeof env->note, "maze %.60s%s, moves slip with %g", set->map,
             strlen(set->map) > 60 ? ".." : "", set->slip);
    return open_grid(env, &rules, error);
}

static lgkt_status create_fourrooms(lgkt_env *env, void *chosen, const lgkt_env_config *config,
                                    lgkt_error *error)
{
    (void)config;
    const settings *set = chosen;
    char map[] = FOUR_ROOMS;
    char *goal = &map[set->goal_row * (FOUR_ROOMS_WIDTH + 1) + set->goal_column];
    if (*goal != '.')
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "goal-row=%lld,goal-column=%lld is %s; the goal must be on a free tile",
                         (long long)set->goal_row, (long long)set->goal_column,
                         *goal == 'S' ? "the start" : "a wall");
    *goal = 'G';
    const grid_rules rules = rules_of_maze(map, set);
    snprintf(env->note, sizeof env->note,
             "four rooms, goal in row %lld, column %lld, moves slip with %g",
             (long long)set->goal_row, (long long)set->goal_column, set->slip);
    return open_grid(env, &rules, error);
}

static lgkt_status create_cliffwalking(lgkt_env *env, void *chosen, const lgkt_env_config *config,
                                       lgkt_error *error)
{
    (void)config;
    const settings *set = chosen;
    const double third = 1.0 / 3;
    const grid_rules rules = {.map = CLIFF,
                              .tiles = ".SGC",
                              .names = "., S, G and C",
                              .turn = {set->slippery ? third : 1, set->slippery ? third : 0, 0,
                                       set->slippery ? third : 0},
                              .goal = set->reward_goal,
                              .move = -1,
                              .cliff = -100,
                              .at_once = true};
    snprintf(env->note, sizeof env->note, "CliffWalking, %s, the goal pays %g",
             set->slippery ? "slippery" : "not slippery", set->reward_goal);
    return open_grid(env, &rules, error);
}

static void destroy(lgkt_env *env)
{
    const grid_world *grid = env->self;
    lgkt_free(&env->allocator, grid->number);
    lgkt_free(&env->allocator, grid->outcome);
    lgkt_free(&env->allocator, grid);
}

static void start(lgkt_trajectory *trajectory, double u)
{
    (void)u;
    trajectory->state = ((const grid_world *)trajectory->world)->start;
    trajectory->step = step_grid;
}

// The model has the outcomes merged; steps choose among them one by one.
static uint64_t hash_outcomes(const lgkt_env *env, uint64_t hash)
{
    const grid_world *grid = env->self;
    for (int32_t k = 0; k < ACTIONS; k++)
        hash = lgkt_hash_f64(hash, grid->turn[k]);
    for (int32_t i = 0; i < grid->states * ACTIONS; i++) {
        hash = lgkt_hash_u64(hash, (uint64_t)grid->outcome[i].next);
        hash = lgkt_hash_f64(hash, grid->outcome[i].reward);
    }
    return hash;
}

#define GRID_CLASS .destroy = destroy, .start = start, .hash = hash_outcomes

const lgkt_env_class lgkt_maze_class = {
    .entry = {.name = "maze",
              .summary = "a maze drawn as text; the goal pays and leads back to the start",
              .source = "the default: Sutton 1990",
              .memory = "O(tiles)",
              LGKT_PARAMS(MAZE)},
    .create = create_maze,
    GRID_CLASS,
};

const lgkt_env_class lgkt_fourrooms_class = {
    .entry = {.name = "fourrooms",
              .summary = "four rooms joined by doors; the goal pays and leads back to the start",
              .source = "Sutton, Precup and Singh 1999",
              .memory = "O(S)",
              LGKT_PARAMS(FOURROOMS)},
    .create = create_fourrooms,
    GRID_CLASS,
};

const lgkt_env_class lgkt_cliffwalking_class = {
    .entry =
        {.name = "cliffwalking",
         .summary =
             "Gymnasium's CliffWalking as one run without end: cliff and goal lead back to the "
             "start",
         .source = "Gymnasium CliffWalking-v1; Sutton and Barto, example 6.6",
         .memory = "O(S)",
         LGKT_PARAMS(CLIFFWALKING)},
    .create = create_cliffwalking,
    GRID_CLASS,
};
