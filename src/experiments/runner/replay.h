// SPDX-License-Identifier: MIT
// A learner on the rows of a log in place of a world (Mandel, Liu, Brunskill and Popovic, Offline
// evaluation of online reinforcement learning algorithms, 2016). See replay.c.
#pragma once

#include <stdatomic.h>

#include "experiments/runner/runner.h"

// Why a run has ended.
typedef enum exp_replay_stop {
    EXP_REPLAY_HORIZON, // all steps were played
    EXP_REPLAY_ROWS,    // the pair, or the state, has no row left
    EXP_REPLAY_STARTS,  // a trajectory was cut, and there is no start state left
    EXP_REPLAY_LAW      // what the learner would do has probability 0 in the log
} exp_replay_stop;

typedef struct exp_replay {
    int32_t states, actions;
    const int32_t *starts; // (start_count) the first states of trajectories
    int64_t start_count;
    const int32_t *state, *action, *next; // (count) rows; next -1: cut there
    const double *reward;                 // (count)
    int64_t count;
    // The law of each row (by_row) or of each state, (count or S, A): rejection per state; NULL:
    // queues per pair.
    const double *law;
    bool by_row;
    const uint8_t *allowed; // (S, A), nullable
    const char *spec;
    lgkt_problem problem; // what the learner is told; sizes and horizon are those of the runs
    int64_t runs;
    uint64_t seed;
    bool in_order;              // the rows of every run: else each has an order of its own
    const int64_t *checkpoints; // (checkpoint_count) increasing, from 1 on
    int32_t checkpoint_count;
    int32_t jobs;
    const atomic_bool *stop;  // as of a runner
    exp_progress_fn progress; // nullable
    void *progress_ctx;
} exp_replay;

typedef struct exp_replayed {
    int64_t steps;         // that were played
    int64_t used;          // rows that were looked at
    double reward;         // in sum
    int32_t stopped;       // exp_replay_stop
    int32_t state, action; // where; -1: at the horizon, and no action in rejection
} exp_replayed;

// Plays all runs, into (runs) and the sums of rewards at the checkpoints, (runs, checkpoint_count),
// NaN beyond the end of a run. After a stop the rest is 0. Nullable: sums, error.
lgkt_status exp_replay_run(const exp_replay *replay, exp_replayed *runs, double *sums,
                           lgkt_error *error);
