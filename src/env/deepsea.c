// SPDX-License-Identifier: MIT
// DeepSea (Osband et al. 2020, bsuite) as one run without end: only N times the right action in a
// row finds the treasure, each of them costs a little, and every other path earns nothing.
//
// Cells (r, c) of a triangle, 0 <= c <= r < N = size, start (0, 0); state = r(r+1)/2 + c, so S =
// N(N+1)/2. Two actions, and every step leads one row down:
//     right  to (r+1, c+1), earns -0.01/N, and 1 more in (N-1, N-1)
//     left   to (r+1, max(c-1, 0)), earns 0
// From the last row every move leads to (0, 0). Which of the actions 0, 1 is right is a coin of its
// own in each cell, thrown in order of the states from the stream "instance". windy=1: right keeps
// its column with probability 1/N; cost and reward are the same.
//
// Rewards are exact; bsuite's stochastic version is windy with normal noise of sd=1 in the two
// corners (N-1, 0) and (N-1, N-1), whatever is played there.
//
// Optimal is always right: gain 0.99/N without wind. The chain has period N under every policy:
// plain value iteration does not converge on it.
//
// Cost and memory O(N^2).
#include "env/world.h"

#include <stdio.h>

#include "core/error.h"

#define MAX_SIZE 1024
#define COST     0.01 // of N steps to the right

enum { ACTIONS = 2 };

typedef struct settings {
    int64_t size, windy;
    double sd;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_ROW_INTEGER(settings, size, "size", "10", 2, MAX_SIZE,
                     "rows N of the triangle; it has N(N+1)/2 states"),
    LGKT_ROW_INTEGER(settings, windy, "windy", "0", 0, 1,
                     "1: going right keeps its column with probability 1/N"),
    LGKT_ROW_REAL(settings, sd, "sd", "0", 0, 1e6,
                  "standard deviation of normal reward noise in the two bottom corners; bsuite has "
                  "1 with wind"),
};

static int32_t cell(int32_t row, int32_t column)
{
    return row * (row + 1) / 2 + column;
}

// Both actions of a cell.
static void fill_cell(lgkt_mdp_builder *builder, const settings *set, int32_t row, int32_t column,
                      int32_t right)
{
    const int32_t last = (int32_t)set->size - 1, s = cell(row, column), left = 1 - right;
    const double size = (double)set->size, wind = set->windy ? 1 / size : 0;
    const bool corner = row == last && (column == 0 || column == last);
    const double treasure = row == last && column == last ? 1 : 0;
    lgkt_mdp_builder_reward(builder, s, right, treasure - COST / size);
    if (row == last) {
        for (int32_t a = 0; a < ACTIONS; a++)
            lgkt_mdp_builder_edge(builder, s, a, 0, 1);
    } else {
        const int32_t back = column > 0 ? column - 1 : 0;
        lgkt_mdp_builder_edge(builder, s, left, cell(row + 1, back), 1);
        lgkt_mdp_builder_edge(builder, s, right, cell(row + 1, column + 1), 1 - wind);
        if (wind > 0)
            lgkt_mdp_builder_edge(builder, s, right, cell(row + 1, column), wind);
    }
    for (int32_t a = 0; a < ACTIONS && corner && set->sd > 0; a++)
        lgkt_mdp_builder_pair_noise(builder, s, a, LGKT_NOISE_NORMAL, set->sd);
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    const int32_t size = (int32_t)set->size;
    snprintf(env->note, sizeof env->note, "DeepSea of %d rows%s, seed %llu, instance %llu",
             (int)size, set->windy ? ", windy" : "", (unsigned long long)env->config->seed,
             (unsigned long long)env->config->instance);
    LGKT_TRY(lgkt_env_begin_model(env, cell(size, 0), ACTIONS, error));
    for (int32_t row = 0; row < size; row++)
        for (int32_t column = 0; column <= row; column++)
            fill_cell(env->builder, set, row, column, lgkt_rng_below(&env->rng, ACTIONS));
    return LGKT_OK;
}

const lgkt_env_class lgkt_deepsea_class = {
    LGKT_ENV_ENTRY("deepsea",
                   "a treasure that only one path of N costly steps finds, as one run without end",
                   "Osband et al. 2020 (bsuite)", "O(N^2)", LGKT_PARAMS(PARAMS)),
    LGKT_WORLD_CLASS(create),
};
