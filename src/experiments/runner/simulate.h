// SPDX-License-Identifier: MIT
// What learners would earn in models that a log makes believable: models drawn from what is believed
// after it (simulate.c), in each of which all learners play with the same noise.
#pragma once

#include "experiments/runner/runner.h"

// What a log has shown of a process with numbered states. Borrowed.
typedef struct exp_belief {
    int32_t states, actions;
    // Successors of pair z = s*A + a are at begin[z] .. begin[z+1]-1, increasing, each seen so often.
    const int64_t *begin;          // (S*A + 1)
    const int32_t *next;           // (begin[S*A])
    const double *counts;          // (begin[S*A]) above 0
    const double *rewards;         // (3, S, A) how many, their sum, their sum of squares
    const double *start;           // (S) law of the first state
    const uint8_t *allowed;        // (S, A), nullable
    double reward_min, reward_max; // ends of what is possible
    double unseen;                 // mass of the prior of a row, the same for each state
    bool bernoulli;                // rewards are 0 or 1
} exp_belief;

// Whether all numbers are what they must be. Nullable: error.
lgkt_status exp_belief_check(const exp_belief *belief, lgkt_error *error);
// Draw number `draw` of a model; in even ones what was never seen is as good as possible, in odd ones
// as bad. The caller destroys it. Nullable: error.
lgkt_status exp_belief_draw(const exp_belief *belief, uint64_t seed, int64_t draw,
                            const lgkt_mdp **model, lgkt_error *error);

typedef struct exp_simulation {
    const exp_belief *belief;
    const exp_entry *entries; // (entry_count)
    int32_t entry_count;
    int64_t horizon, draws; // steps of each unit; models
    int32_t units;          // that share a learner; 1: a plain trajectory
    uint64_t seed;
    bool untold;
} exp_simulation;

// Writes what each learner is expected to earn per step in each model, (entry_count, draws). `how`
// says jobs, stop and progress; after a stop some are NaN. Nullable: error.
lgkt_status exp_simulate(const exp_simulation *simulation, const exp_runner *how, double *earned,
                         lgkt_error *error);
