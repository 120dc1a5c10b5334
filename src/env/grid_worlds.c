// SPDX-License-Identifier: MIT
// Worlds on a map of tiles: mazes of one's own, the four rooms, and the cliff.
//
// Tiles are # wall, . free, S start, G goal, and for the cliff C. Actions 0 up, 1 right, 2 down, 3
// left. A move goes as meant, or turned by one, two or three quarters, with probabilities
//     slip p           1-p, p/3, p/3, p/3
//     slippery ice     1/3, 1/3, 0, 1/3, as in FrozenLake
// What maps share is in tile_map.c.
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
// lead to S, but one costs 100 and the other 1.
//
// Cost and memory O(tiles).
#include "env/tile_map.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"

#define DYNA_MAZE ".......#G/..#....#./S.#....#./..#....../.....#.../........."
#define FOUR_ROOMS                                                                                 \
    "#############/#S....#.....#/#.....#.....#/#...........#/#.....#.....#/#.....#.....#/"         \
    "##.####.....#/#.....###.###/#.....#.....#/#.....#.....#/#...........#/#.....#.....#/"         \
    "#############"
#define FOUR_ROOMS_WIDTH 13
#define CLIFF            "............/............/............/SCCCCCCCCCCG"

// up, right, down, left: rows and columns
static const int32_t MOVES[][2] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}};

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

// Moves as meant with 1 - slip; a goal pays once an action is played on it, and moves cost nothing.
static lgkt_status open_maze(lgkt_env *env, const char *map, const settings *set, lgkt_error *error)
{
    const double turned = set->slip / 3;
    const lgkt_map_rules rules = {
        .map = map,
        .tiles = {{'#', .wall = true},
                  {.tile = '.'},
                  {.tile = 'S'},
                  {'G', .leaves = true, .leave = set->reward_goal}},
        .names = "#, ., S and G",
        .moves = MOVES,
        .turn = {0, 1, 2, 3},
        .p = {1 - set->slip, turned, turned, turned},
        .strict = true,
        .exact = true,
    };
    return lgkt_map_create(env, &rules, error);
}

static lgkt_status create_maze(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    snprintf(env->note, sizeof env->note, "maze %.60s%s, moves slip with %g", set->map,
             strlen(set->map) > 60 ? ".." : "", set->slip);
    return open_maze(env, set->map, set, error);
}

static lgkt_status create_fourrooms(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    char map[] = FOUR_ROOMS;
    char *goal = &map[set->goal_row * (FOUR_ROOMS_WIDTH + 1) + set->goal_column];
    if (*goal != '.')
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "goal-row=%lld,goal-column=%lld is %s; the goal must be on a free tile",
                         (long long)set->goal_row, (long long)set->goal_column,
                         *goal == 'S' ? "the start" : "a wall");
    *goal = 'G';
    snprintf(env->note, sizeof env->note,
             "four rooms, goal in row %lld, column %lld, moves slip with %g",
             (long long)set->goal_row, (long long)set->goal_column, set->slip);
    return open_maze(env, map, set, error);
}

static lgkt_status create_cliffwalking(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    const double third = set->slippery ? 1.0 / 3 : 0;
    const lgkt_map_rules rules = {
        .map = CLIFF,
        .tiles = {{'.', .enter = -1},
                  {'S', .enter = -1},
                  {'C', .no_one = true, .returns = true, .enter = -100},
                  {'G', .no_one = true, .returns = true, .enter = set->reward_goal}},
        .moves = MOVES,
        .turn = {0, 1, 2, 3},
        .p = {set->slippery ? third : 1, third, 0, third},
        .strict = true,
        .exact = true,
    };
    snprintf(env->note, sizeof env->note, "CliffWalking, %s, the goal pays %g",
             set->slippery ? "slippery" : "not slippery", set->reward_goal);
    return lgkt_map_create(env, &rules, error);
}

const lgkt_env_class lgkt_maze_class = {
    LGKT_ENV_ENTRY("maze", "a maze drawn as text; the goal pays and leads back to the start",
                   "the default: Sutton 1990", "O(tiles)", LGKT_PARAMS(MAZE)),
    LGKT_MAP_CLASS(create_maze),
};

const lgkt_env_class lgkt_fourrooms_class = {
    LGKT_ENV_ENTRY("fourrooms",
                   "four rooms joined by doors; the goal pays and leads back to the start",
                   "Sutton, Precup and Singh 1999", "O(S)", LGKT_PARAMS(FOURROOMS)),
    LGKT_MAP_CLASS(create_fourrooms),
};

const lgkt_env_class lgkt_cliffwalking_class = {
    LGKT_ENV_ENTRY(
        "cliffwalking",
        "Gymnasium's CliffWalking as one run without end: cliff and goal lead back to the start",
        "Gymnasium CliffWalking-v1; Sutton and Barto, example 6.6", "O(S)",
        LGKT_PARAMS(CLIFFWALKING)),
    LGKT_MAP_CLASS(create_cliffwalking),
};
