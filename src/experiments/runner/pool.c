// SPDX-License-Identifier: MIT
// Tasks over threads (pool.h).
//
// Tasks before a failing one were all taken before it and run to their end, so the first failure is
// the same one every time.
#include "experiments/runner/pool.h"

#include <stdlib.h>
#include <time.h>

#include "core/error.h"

bool exp_pool_halted(const exp_pool *pool, int64_t task)
{
    return (pool->stop != NULL && atomic_load(pool->stop)) || atomic_load(&pool->failed) < task + 1;
}

static void fail(exp_pool *pool, int64_t place, lgkt_status status, const lgkt_error *error)
{
    pthread_mutex_lock(&pool->lock);
    if (place < atomic_load(&pool->failed)) {
        pool->error = *error;
        pool->error.status = status;
        atomic_store(&pool->failed, place);
    }
    pthread_mutex_unlock(&pool->lock);
}

// ---- threads ----

static void change_running(exp_pool *pool, int32_t change)
{
    pthread_mutex_lock(&pool->lock);
    pool->running += change;
    pthread_cond_signal(&pool->ended);
    pthread_mutex_unlock(&pool->lock);
}

static void *thread_main(void *ctx)
{
    exp_pool *pool = ctx;
    for (;;) {
        const int64_t task = atomic_fetch_add(&pool->next, 1);
        if (task >= pool->tasks || exp_pool_halted(pool, task))
            break;
        lgkt_error error = {0};
        const lgkt_status status = pool->work(pool->ctx, task, &error);
        if (status != LGKT_OK)
            fail(pool, task + 1, status, &error);
        else if (!exp_pool_halted(pool, task))
            atomic_fetch_add(&pool->done, 1);
    }
    change_running(pool, -1);
    return NULL;
}

// returns how many threads could be started; fewer than wanted is no failure
static int32_t start_threads(exp_pool *pool, pthread_t *threads, int32_t wanted)
{
    for (int32_t i = 0; i < wanted; i++) {
        change_running(pool, 1);
        if (pthread_create(&threads[i], NULL, thread_main, pool) != 0) {
            change_running(pool, -1);
            return i;
        }
    }
    return wanted;
}

// ---- the thread that waits ----

static void tick(exp_pool *pool)
{
    lgkt_error error = {0};
    if (pool->tick == NULL)
        return;
    const lgkt_status status = pool->tick(pool->ctx, &error);
    if (status != LGKT_OK)
        fail(pool, 0, status, &error);
}

// true when no thread runs any more; else after a tenth of a second
static bool wait_a_while(exp_pool *pool)
{
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int code = 0;
    pthread_mutex_lock(&pool->lock);
    while (pool->running > 0 && code == 0)
        code = pthread_cond_timedwait(&pool->ended, &pool->lock, &until);
    const bool over = pool->running == 0;
    pthread_mutex_unlock(&pool->lock);
    return over;
}

lgkt_status exp_pool_run(exp_pool *pool, lgkt_error *error)
{
    const int64_t most = pool->tasks > 1 ? pool->tasks : 1;
    const int32_t wanted = pool->jobs < most ? pool->jobs : (int32_t)most;
    pthread_t *threads = calloc((size_t)wanted, sizeof *threads); // (wanted)
    if (threads == NULL)
        return lgkt_fail_memory(error, "threads");
    atomic_store(&pool->failed, INT64_MAX);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->ended, NULL);
    const int32_t count = start_threads(pool, threads, wanted);
    while (!wait_a_while(pool))
        tick(pool);
    tick(pool);
    for (int32_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&pool->ended);
    pthread_mutex_destroy(&pool->lock);
    free(threads);

    if (count == 0)
        return lgkt_fail(error, LGKT_ERR_SYSTEM, "no thread could be started");
    if (atomic_load(&pool->failed) != INT64_MAX)
        return lgkt_fail(error, pool->error.status, "%s", pool->error.text);
    return LGKT_OK;
}
