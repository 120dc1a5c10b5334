// SPDX-License-Identifier: MIT
// Tasks, over threads, into a store (reproduce.h).
#include "experiments/runner/reproduce.h"

#include <stdlib.h>

#include "core/error.h"

#define SYNC_SECONDS 0.5

static lgkt_status sync_journal(void *store, lgkt_error *error)
{
    return exp_store_sync(store, SYNC_SECONDS, error);
}

lgkt_status exp_reproduction_check(const exp_reproduction *reproduction, lgkt_error *error)
{
    exp_tasks tasks;
    lgkt_status status = exp_tasks_make(&tasks, &reproduction->asked, error);
    if (status == LGKT_OK)
        status = exp_tasks_check(&tasks, reproduction->shard, error);
    exp_tasks_free(&tasks);
    return status;
}

lgkt_status exp_reproduce_rest(const exp_reproduction *reproduction, exp_store *store,
                               lgkt_error *error)
{
    int64_t wanted, count = 0;
    const int64_t found = exp_store_count(store, reproduction->shard, &wanted);
    int64_t *missing = calloc((size_t)(wanted - found) + 1, sizeof *missing);
    if (missing == NULL)
        return lgkt_fail_memory(error, "the instances of an experiment");
    for (int64_t task = 0; task < store->tasks->count; task++)
        if (store->places[task] == 0 && exp_shard_has(reproduction->shard, task))
            missing[count++] = task;
    const exp_runner runner = {.tasks = store->tasks,
                               .numbers = missing,
                               .count = count,
                               .jobs = reproduction->jobs,
                               .stop = reproduction->stop,
                               .progress = reproduction->progress,
                               .progress_ctx = reproduction->progress_ctx,
                               .found = found,
                               .sink = exp_store_sink(store),
                               .tick = sync_journal};
    const lgkt_status status = exp_runner_run(&runner, NULL, error);
    free(missing);
    // what is finished stays finished, whatever ended the session
    const lgkt_status synced = exp_store_sync(store, 0.0, status == LGKT_OK ? error : NULL);
    return status == LGKT_OK ? synced : status;
}

lgkt_status exp_reproduce(const exp_reproduction *reproduction, exp_session *session,
                          lgkt_error *error)
{
    const exp_shard shard = reproduction->shard;
    const double begin = exp_clock();
    exp_tasks tasks;
    exp_store store = {0};
    exp_session now = {0};
    lgkt_status status = exp_tasks_make(&tasks, &reproduction->asked, error);
    if (status == LGKT_OK)
        status = exp_tasks_check(&tasks, shard, error);
    if (status == LGKT_OK)
        status = exp_store_make(&store, &tasks, error);
    if (status == LGKT_OK)
        status = exp_store_open(&store, reproduction->folder, shard, error);
    if (status == LGKT_OK) {
        now.found = exp_store_count(&store, shard, &now.instances);
        status = exp_reproduce_rest(reproduction, &store, error);
    }
    if (status == LGKT_OK) {
        now.done = exp_store_count(&store, shard, &now.instances);
        now.complete = now.done == now.instances;
        const exp_making making = {.keep_runs = reproduction->keep_runs,
                                   .jobs = reproduction->jobs,
                                   .seconds = exp_clock() - begin,
                                   .instances_run = now.done - now.found};
        if (now.complete && shard.parts <= 1)
            status = exp_store_tabulate(&store, reproduction->folder, making, error);
    }
    exp_store_free(&store);
    exp_tasks_free(&tasks);
    if (status == LGKT_OK)
        *session = now;
    return status;
}
