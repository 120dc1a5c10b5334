// SPDX-License-Identifier: MIT
// Worlds on a map of tiles, from rules that say what happens on each kind of tile. See tile_map.c.
#pragma once

#include "env/env_private.h"

enum { LGKT_MAP_ACTIONS = 4, LGKT_MAP_OUTCOMES = 4, LGKT_MAP_TILES = 4 };

// What happens on the tiles of one kind.
typedef struct lgkt_tile {
    char tile;
    bool wall;    // a move to it stays
    bool no_one;  // nobody acts here, so it is no state
    bool returns; // entering it leads to the start at once
    bool shown;   // which is not told: what a learner observes is this tile
    bool leaves;  // any action here leads to the start
    double enter; // the reward for entering it
    double leave; // the reward for an action that leads from here to the start
} lgkt_tile;

typedef struct lgkt_map_rules {
    const char *map;                 // rows joined with '/', e.g. SFF/FHG; S is a start, G a goal
    lgkt_tile tiles[LGKT_MAP_TILES]; // all that may be in it
    const char *names;               // of these, for a message: "S, F, H or G"
    const int32_t (*moves)[2];       // (4, 2) rows and columns that direction d leads on by
    int32_t turn[LGKT_MAP_OUTCOMES]; // outcome k goes in direction a + turn[k] (mod 4)
    double p[LGKT_MAP_OUTCOMES];     // with this probability
    bool strict; // there must be one S, and a G, and no state that S does not lead to
    bool exact;  // the mean of equal rewards is that reward, whatever thirds sum to
} lgkt_map_rules;

// Where a move leads.
typedef struct lgkt_outcome {
    int32_t next;  // the state to act in next; -1: a start, drawn anew
    int32_t shown; // the state to observe; -1: that one
    double reward;
} lgkt_outcome;

typedef struct lgkt_map {
    int32_t rows, columns;
    int32_t states;
    int32_t *number; // (tiles) the state of a tile, -1 where nobody acts
    int32_t *starts; // (start_count) states
    int32_t start_count;
    lgkt_outcome *outcome; // (S, A, 4)
    double cumulative[LGKT_MAP_OUTCOMES];
} lgkt_map;

// What a run keeps.
typedef struct lgkt_stroll {
    int32_t shown; // the state that was to be observed last; -1: that to act in
} lgkt_stroll;

// Makes env->self, an lgkt_map, and fills its model.
lgkt_status lgkt_map_create(lgkt_env *env, const lgkt_map_rules *rules, lgkt_error *error);

// The functions of a class whose world is an lgkt_map.
void lgkt_map_start(lgkt_trajectory *trajectory, double u);
void lgkt_map_step(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step);
int32_t lgkt_map_shown(const lgkt_trajectory *trajectory, const void **bytes, size_t *size);
void lgkt_map_visit(lgkt_trajectory *trajectory, lgkt_archive *archive);
#define LGKT_MAP_CLASS(create_)                                                                    \
    .self_size = sizeof(lgkt_map), .run_size = sizeof(lgkt_stroll), .create = create_,             \
    .start = lgkt_map_start, .step = lgkt_map_step, .shown = lgkt_map_shown,                       \
    .visit = lgkt_map_visit

// The outcome that a uniform number chooses: the first whose cumulative probability exceeds it.
static inline const lgkt_outcome *lgkt_map_outcome(const lgkt_map *map, int32_t state,
                                                   int32_t action, double u)
{
    const double *sum = map->cumulative;
    const int32_t k = (sum[0] <= u) + (sum[1] <= u) + (sum[2] <= u);
    return &map->outcome[(state * LGKT_MAP_ACTIONS + action) * LGKT_MAP_OUTCOMES + k];
}
