// SPDX-License-Identifier: MIT
// The inside of FrozenLake, for its tests. See frozenlake.c.
#ifndef LGKT_ENV_FROZENLAKE_H
#define LGKT_ENV_FROZENLAKE_H

#include "env/env_private.h"

enum { LGKT_LAKE_LEFT, LGKT_LAKE_DOWN, LGKT_LAKE_RIGHT, LGKT_LAKE_UP, LGKT_LAKE_ACTIONS };

#define LGKT_LAKE_OUTCOMES 3

// One way a move can end.
typedef struct lgkt_outcome {
    int32_t next; // the state to act in next; -1: a start tile, drawn anew
    double reward;
} lgkt_outcome;

typedef struct lgkt_lake {
    char *tiles; // (S)
    int32_t rows;
    int32_t columns;
    double probability[LGKT_LAKE_OUTCOMES]; // of the outcomes a-1, a, a+1
    double cumulative[LGKT_LAKE_OUTCOMES];
    double tile_reward[3]; // goal, hole, frozen
    lgkt_outcome *outcome; // (S, A, 3)
    const double *mean;    // (S, A) rewards, of the model
    int32_t *starts;       // (start_count)
    int32_t start_count;
    bool return_step;
} lgkt_lake;

// The outcome that a uniform number chooses.
static inline const lgkt_outcome *lgkt_lake_outcome(const lgkt_lake *lake, int32_t state,
                                                    int32_t action, double u)
{
    const int k = (lake->cumulative[0] <= u) + (lake->cumulative[1] <= u);
    return &lake->outcome[(state * LGKT_LAKE_ACTIONS + action) * LGKT_LAKE_OUTCOMES + k];
}

// Whether a tile ends an episode in Gymnasium.
static inline bool lgkt_lake_terminal(const lgkt_lake *lake, int32_t tile)
{
    return lake->tiles[tile] == 'G' || lake->tiles[tile] == 'H';
}

#endif
