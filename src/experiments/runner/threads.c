// SPDX-License-Identifier: MIT
// Work on threads (threads.h).
#include "experiments/runner/threads.h"

#include <pthread.h>
#include <time.h>

#include "core/error.h"
#include "experiments/runner/experiment.h"

typedef struct crew {
    const exp_threads *threads;
    pthread_mutex_t lock; // guards the rest
    pthread_cond_t ended; // a thread has ended
    int32_t running;
} crew;

static void *thread_main(void *ctx)
{
    crew *c = ctx;
    c->threads->work(c->threads->ctx);
    pthread_mutex_lock(&c->lock);
    c->running--;
    pthread_cond_signal(&c->ended);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

lgkt_status exp_threads_check(int32_t jobs, lgkt_error *error)
{
    if (jobs < 1 || jobs > EXP_MAX_JOBS)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "jobs: %d is not in 1 .. %d", (int)jobs,
                         EXP_MAX_JOBS);
    return LGKT_OK;
}

lgkt_status exp_threads_run(const exp_threads *threads, lgkt_error *error)
{
    crew c = {threads, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_t started[EXP_MAX_JOBS];
    int32_t count = 0;
    pthread_mutex_lock(&c.lock);
    // fewer than wanted is no failure
    while (count < threads->jobs && pthread_create(&started[count], NULL, thread_main, &c) == 0)
        count++;
    c.running = count;
    while (c.running > 0) {
        struct timespec until;
        timespec_get(&until, TIME_UTC);
        until.tv_nsec += 100000000; // a tenth of a second
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&c.ended, &c.lock, &until) == 0)
            continue;
        pthread_mutex_unlock(&c.lock);
        threads->look(threads->ctx);
        pthread_mutex_lock(&c.lock);
    }
    pthread_mutex_unlock(&c.lock);
    threads->look(threads->ctx);
    for (int32_t i = 0; i < count; i++)
        pthread_join(started[i], NULL);
    return count > 0 ? LGKT_OK : lgkt_fail(error, LGKT_ERR_SYSTEM, "no thread could be started");
}
