// SPDX-License-Identifier: MIT
// The one way of every run: tasks are played on threads, and the outcome of each goes to a sink: a
// reduction or arrays (reduction.h), a journal (store.h).
//
// For one seed the numbers are the same for any count of threads, and a learner's row does not
// depend on which others run beside it. Only the seconds vary.
#pragma once

#include "experiments/runner/tasks.h"

// How far a run is.
typedef struct exp_progress {
    const char *name;    // of the panel that is run, e.g. "riverswim-8"
    const char *learner; // the one that began last; NULL: not said
    int64_t instances, instances_done;
    double steps, steps_done; // over all learners, without those of an earlier session
    double seconds;           // since the run began
} exp_progress;

// Called about ten times a second and once at the end, always on the thread that began the run.
typedef void (*exp_progress_fn)(void *ctx, const exp_progress *progress);

// Everything it points to is borrowed for the time of exp_runner_run.
typedef struct exp_runner {
    const exp_tasks *tasks;
    // (count) of the tasks to be played, in this order; NULL: 0 .. count - 1
    const int64_t *numbers;
    int64_t count;
    int32_t jobs;             // threads, 1 .. EXP_MAX_JOBS
    double limit;             // seconds after which no task but the first is begun; 0: no limit
    const atomic_bool *stop;  // setting it, in progress() too, ends the run early; nullable
    exp_progress_fn progress; // nullable
    void *progress_ctx;
    int64_t found; // tasks that were played before, which progress counts as done
    // The sink, with its ctx; it is never called two at a time. Before the first outcome of a panel:
    // it may take the facts over and leave {0}. Nullable.
    lgkt_status (*begin)(void *ctx, int32_t panel, exp_facts *facts, lgkt_error *error);
    // An instance that was played to its end.
    lgkt_status (*take)(void *ctx, int64_t task, const exp_outcome *outcome, lgkt_error *error);
    // Called as often as progress, after it, while outcomes may come. Nullable.
    lgkt_status (*tick)(void *ctx, lgkt_error *error);
    void *ctx;
    bool ordered; // outcomes come in the order of `numbers`, each kept until its turn comes
} exp_runner;

// Plays the tasks. What a panel needs is made when its first task is begun and dropped when its
// last one has ended. *played (nullable) is how many outcomes the sink took; a stop is no failure.
// Nullable: error.
lgkt_status exp_runner_run(const exp_runner *runner, int64_t *played, lgkt_error *error);
