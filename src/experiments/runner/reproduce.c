// SPDX-License-Identifier: MIT
// Units of an agenda, over threads, into a store (reproduce.h).
#include "experiments/runner/reproduce.h"

#include <stdlib.h>

#include "core/error.h"

#define SYNC_SECONDS 0.5

typedef struct engine {
    const exp_reproduction *asked;
    const exp_agenda *agenda;
    exp_store *store;
} engine;

static bool in_journal(void *ctx, int32_t panel, int64_t instance)
{
    const engine *e = ctx;
    const int64_t unit = e->agenda->first[panel] + instance;
    return e->store->places[unit] != 0 || !exp_shard_has(e->asked->shard, unit);
}

static lgkt_status append(void *ctx, int32_t panel, int64_t instance, const exp_outcome *outcome,
                          lgkt_error *error)
{
    engine *e = ctx;
    const size_t size = exp_record_size(e->agenda, panel);
    unsigned char *bytes = malloc(size);
    if (bytes == NULL)
        return lgkt_fail_memory(error, "a record of the journal");
    exp_record_write(e->agenda, e->agenda->first[panel] + instance, outcome, bytes);
    const lgkt_status status = exp_store_append(e->store, bytes, size, error);
    free(bytes);
    return status;
}

static lgkt_status sync_journal(void *ctx, lgkt_error *error)
{
    return exp_store_sync(((engine *)ctx)->store, SYNC_SECONDS, error);
}

lgkt_status exp_reproduction_check(const exp_reproduction *reproduction, lgkt_error *error)
{
    exp_agenda agenda;
    const lgkt_status status = exp_agenda_make(&agenda, &reproduction->asked, error);
    exp_agenda_free(&agenda);
    return status;
}

lgkt_status exp_reproduce_rest(const exp_reproduction *reproduction, exp_store *store,
                               lgkt_error *error)
{
    engine e = {.asked = reproduction, .agenda = store->agenda, .store = store};
    int64_t wanted;
    const exp_work work = {.parts = store->agenda->parts,
                           .part_count = store->agenda->panel_count,
                           .jobs = reproduction->jobs,
                           .stop = reproduction->stop,
                           .progress = reproduction->progress,
                           .progress_ctx = reproduction->progress_ctx,
                           .found = exp_store_count(store, reproduction->shard, &wanted),
                           .had = in_journal,
                           .take = append,
                           .tick = sync_journal,
                           .ctx = &e};
    const lgkt_status status = exp_work_run(&work, error);
    // what is finished stays finished, whatever ended the session
    const lgkt_status synced = exp_store_sync(store, 0.0, status == LGKT_OK ? error : NULL);
    return status == LGKT_OK ? synced : status;
}

lgkt_status exp_reproduce(const exp_reproduction *reproduction, exp_session *session,
                          lgkt_error *error)
{
    const exp_shard shard = reproduction->shard;
    const double begin = exp_clock();
    exp_agenda agenda;
    exp_store store = {0};
    exp_session now = {0};
    lgkt_status status = exp_agenda_make(&agenda, &reproduction->asked, error);
    if (status == LGKT_OK)
        status = exp_store_make(&store, &agenda, error);
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
            status = exp_store_tabulate(&store, reproduction->folder, &making, error);
    }
    exp_store_free(&store);
    exp_agenda_free(&agenda);
    if (status == LGKT_OK)
        *session = now;
    return status;
}
