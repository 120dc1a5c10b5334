// SPDX-License-Identifier: MIT
// What a builder of models keeps: filled in mdp_builder.c, read in mdp_build.c.
#ifndef LGKT_MDP_BUILDER_H
#define LGKT_MDP_BUILDER_H

#include "mdp/mdp_private.h"

typedef struct lgkt_log_edge {
    int32_t pair; // z = s*A + a < 2^28
    int32_t next;
    double value; // a probability > 0, or the reward of the move
} lgkt_log_edge;

typedef struct lgkt_edge_log {
    lgkt_log_edge *edges; // (count), room for capacity
    size_t count;
    size_t capacity;
} lgkt_edge_log;

struct lgkt_mdp_builder {
    lgkt_allocator allocator;
    int32_t states;
    int32_t actions;
    size_t pairs;
    double *rewards;   // (S, A)
    double *start_law; // (S)
    lgkt_edge_log chances;
    lgkt_edge_log moves; // their rewards
    lgkt_own *own;       // (S, A), noise LGKT_NOISE_MIXED: that of all; NULL: no pair has its own
    lgkt_noise noise;
    double normal_sd;
    lgkt_error refusal; // the last refused call
};

#endif
