// SPDX-License-Identifier: MIT
// Work on threads, and a look at it from time to time on the thread that began it.
#pragma once

#include "lgkt/base.h"

typedef struct exp_threads {
    int32_t jobs;            // threads, 1 .. EXP_MAX_JOBS
    void (*work)(void *ctx); // on each of them
    void (*look)(void *ctx); // ten times a second, and once when all have ended
    void *ctx;
} exp_threads;

// Whether there can be so many. Nullable: error.
lgkt_status exp_threads_check(int32_t jobs, lgkt_error *error);
// Returns when all work is done. Nullable: error.
lgkt_status exp_threads_run(const exp_threads *threads, lgkt_error *error);
