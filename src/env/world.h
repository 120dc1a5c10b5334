// SPDX-License-Identifier: MIT
// Stepping any model: a sampler of its transitions in one cache line per pair, and the reward
// noise. See world.c.
#pragma once

#include "env/env_private.h"

#define LGKT_HEAD_BOUNDS 5

// The five most likely successors of a pair, most likely first. bound[k] is the first 64-bit number
// beyond the share of next[k]. next[5] is the sixth and last successor or, if negative, ~r for row
// r of the tails. Rows of fewer successors repeat the last one.
typedef struct lgkt_head {
    uint64_t bound[LGKT_HEAD_BOUNDS];
    int32_t next[LGKT_HEAD_BOUNDS + 1];
} lgkt_head;

// All further successors of the rows that have more than six, in increasing order per row. Entry i
// of row r = first[r] .. first[r+1]-1 takes the numbers below bound[i] that no entry before takes;
// the last entry takes the rest.
typedef struct lgkt_tails {
    size_t *first;   // (rows + 1)
    uint64_t *bound; // (entries)
    int32_t *next;   // (entries)
} lgkt_tails;

typedef struct lgkt_world {
    const lgkt_head *head; // (S, A), at a multiple of 64 bytes
    lgkt_tails tail;
    const double *mean;    // (S, A), of the model
    double low, high;      // the two points of the drifting noise
    double sd;             // of normal noise
    const lgkt_mdp *model; // of the environment
    lgkt_step_fn step;     // by the noise of the model
} lgkt_world;

// The functions of a class whose world is an lgkt_world: a sampler of the model that it has begun
// or adopted.
lgkt_status lgkt_world_open(lgkt_env *env, lgkt_error *error);
void lgkt_world_start(lgkt_trajectory *trajectory, double u);
#define LGKT_WORLD_CLASS(create_)                                                                  \
    .self_size = sizeof(lgkt_world), .create = create_, .open = lgkt_world_open,                   \
    .start = lgkt_world_start

// Row r of the tails for the number u.
int32_t lgkt_world_tail(const lgkt_tails *tail, int32_t row, uint64_t u);

// The successor that 64 random bits choose.
static inline int32_t lgkt_world_next(const lgkt_world *world, size_t pair, uint64_t u)
{
    const lgkt_head *head = &world->head[pair];
    const int rank = (head->bound[0] <= u) + (head->bound[1] <= u) + (head->bound[2] <= u) +
                     (head->bound[3] <= u) + (head->bound[4] <= u);
    const int32_t next = head->next[rank];
    return next >= 0 ? next : lgkt_world_tail(&world->tail, ~next, u);
}
