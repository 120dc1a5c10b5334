// SPDX-License-Identifier: MIT
// Tasks over threads.
//
//     exp_pool pool = {.tasks = n, .jobs = 2, .work = work, .ctx = &mine};
//     status = exp_pool_run(&pool, &error);
//
// Threads take task numbers from one counter, so a task that takes long holds up nobody. If tasks
// fail, the failure of the first of them is reported, the same one for any count of threads.
#ifndef EXPERIMENTS_POOL_H
#define EXPERIMENTS_POOL_H

#include <pthread.h>
#include <stdatomic.h>

#include "lgkt/base.h"

typedef struct exp_pool {
    int64_t tasks;
    int32_t jobs;            // threads, >= 1
    const atomic_bool *stop; // setting it ends the work early; nullable
    // One task, on any thread. A long one ends early, with LGKT_OK, once exp_pool_halted.
    lgkt_status (*work)(void *ctx, int64_t task, lgkt_error *error);
    // About ten times a second and once at the end, on the thread that called exp_pool_run. Its
    // failure ends the work. Nullable.
    lgkt_status (*tick)(void *ctx, lgkt_error *error);
    void *ctx;

    // what tasks tell while they run
    atomic_int_fast64_t steps;
    const char *_Atomic learner; // the spec that began last

    // internal
    atomic_int_fast64_t next;   // the next task to take
    atomic_int_fast64_t failed; // 1 + the first task that failed, 0 for a tick; INT64_MAX: none
    atomic_int_fast64_t done;   // tasks that were not cut short
    pthread_mutex_t lock;       // guards the rest
    pthread_cond_t ended;       // a thread has ended
    int32_t running;            // threads
    lgkt_error error;           // of `failed`
} exp_pool;

// Nullable: error. Whether all tasks were done is in pool->done; a stop is no failure.
lgkt_status exp_pool_run(exp_pool *pool, lgkt_error *error);
// Whether there is no point in going on with a task: a stop, or a failure before it.
bool exp_pool_halted(const exp_pool *pool, int64_t task);

#endif
