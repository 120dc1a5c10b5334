// SPDX-License-Identifier: MIT
// Tasks, over threads, into records; records into journals, journals into tables (store.h).
//
// Memory: of every task the place of its record, 8 bytes, and for the tables of a panel the main
// measure at the end of every run.
#include "experiments/runner/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/hash.h"
#include "io/plain/io_folder.h"

#define SYNC_SECONDS 0.5

// a place is the number of a journal above the bits of an offset, which is never 0
enum { OFFSET_BITS = 47 };
#define OFFSET_MASK (((int64_t)1 << OFFSET_BITS) - 1)

_Static_assert(EXP_MAX_JOURNALS < 1 << (63 - OFFSET_BITS), "a place fits into 63 bits");

// ---- journals ----

lgkt_status exp_store_make(exp_store *store, const exp_tasks *tasks, lgkt_error *error)
{
    store->tasks = tasks;
    store->places = calloc((size_t)tasks->count + (size_t)tasks->panel_count, sizeof(int64_t));
    return store->places != NULL ? LGKT_OK
                                 : lgkt_fail_memory(error, "the instances of an experiment");
}

void exp_store_free(exp_store *store)
{
    for (int32_t j = 0; j < store->journal_count; j++)
        exp_journal_close(store->journals[j]);
    free(store->journals);
    free(store->places);
    *store = (exp_store){0};
}

int64_t exp_store_count(const exp_store *store, exp_shard shard, int64_t *wanted)
{
    int64_t count = 0;
    *wanted = 0;
    for (int64_t u = 0; u < store->tasks->count; u++)
        if (exp_shard_has(shard, u)) {
            count += store->places[u] != 0;
            ++*wanted;
        }
    return count;
}

lgkt_status exp_store_add(exp_store *store, const char *path, const unsigned char *first,
                          exp_record_fn visit, void *ctx, lgkt_error *error)
{
    const int32_t number = store->journal_count;
    if (number == EXP_MAX_JOURNALS)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "more than %d journals", EXP_MAX_JOURNALS);
    exp_journal **grown = realloc(store->journals, ((size_t)number + 1) * sizeof *grown);
    if (grown == NULL)
        return lgkt_fail_memory(error, "a journal");
    store->journals = grown;
    LGKT_TRY(exp_journal_open(path, first, visit, ctx, &grown[number], error));
    store->journal_count++;
    return LGKT_OK;
}

// The frame of a record by its number; the caller frees it, after failure too.
static lgkt_status read_record(const exp_store *store, int64_t number, unsigned char **frame,
                               size_t *size, lgkt_error *error)
{
    const int64_t place = store->places[number];
    exp_journal *journal = store->journals[place >> OFFSET_BITS];
    LGKT_TRY(exp_journal_read(journal, place & OFFSET_MASK, frame, size, error));
    return exp_record_number(store->tasks, *frame + EXP_FRAME_HEAD, *size) == number
               ? LGKT_OK
               : lgkt_fail(error, LGKT_ERR_FORMAT, "%s: was changed by somebody else",
                           exp_journal_name(journal));
}

// a record with the one of the same task that was there before
static lgkt_status compare(const exp_store *store, int64_t task, const unsigned char *bytes,
                           lgkt_error *error)
{
    const exp_tasks *tasks = store->tasks;
    const int32_t p = exp_tasks_panel(tasks, task);
    unsigned char *other = NULL;
    size_t size;
    lgkt_status status = read_record(store, task, &other, &size, error);
    if (status == LGKT_OK && !exp_record_same(tasks, task, bytes, other + EXP_FRAME_HEAD))
        status = lgkt_fail(error, LGKT_ERR_FORMAT,
                           "%s: instance %" PRId64 " of panel %s has other numbers than in a "
                           "journal before it; one of the machines computes wrongly",
                           exp_journal_name(store->journals[store->journal_count]),
                           task - tasks->first[p], tasks->setups[p].panel->name);
    free(other);
    return status;
}

lgkt_status exp_store_take(void *ctx, int64_t offset, const void *bytes, size_t size,
                           lgkt_error *error)
{
    exp_store *store = ctx;
    // the first record has no number, and ends with the experiment file
    if (offset == 0) {
        const exp_experiment *now = store->tasks->asked.experiment;
        store->edited =
            now->size > 0 && (size < now->size || memcmp((const char *)bytes + size - now->size,
                                                         now->bytes, now->size) != 0);
        return LGKT_OK;
    }
    const int64_t number = exp_record_number(store->tasks, bytes, size);
    if (number < 0)
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "%s: the record at byte %" PRId64 " belongs to no instance; nothing was "
                         "changed",
                         exp_journal_name(store->journals[store->journal_count]), offset);
    if (store->places[number] != 0)
        return number < store->tasks->count ? compare(store, number, bytes, error) : LGKT_OK;
    store->places[number] = ((int64_t)store->journal_count << OFFSET_BITS) + offset;
    return LGKT_OK;
}

// ---- one journal, to write ----

lgkt_status exp_store_open(exp_store *store, const char *folder, exp_shard shard, lgkt_error *error)
{
    char text[EXP_SHARD_SIZE], name[EXP_SHARD_SIZE + 32];
    exp_shard_print(shard, "-of-", text);
    snprintf(name, sizeof name, "%s%s%s.bin", EXP_JOURNAL_STEM, text[0] != '\0' ? "-" : "", text);
    // results without the journal they came from were put there on purpose
    const char *found = exp_tables_found(folder);
    if (found != NULL && !io_folder_has(folder, name) && shard.parts <= 1)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "%s: holds %s without a journal; nothing was changed (use another --out)",
                         io_short_name(folder), found);
    LGKT_TRY(io_folder_make(folder, error));
    size_t size;
    char *path = io_folder_file(folder, name);
    unsigned char *first = exp_head_write(store->tasks, shard, &size);
    const lgkt_status status = path != NULL && first != NULL
                                   ? exp_store_add(store, path, first, exp_store_take, store, error)
                                   : lgkt_fail_memory(error, "a journal");
    free(path);
    free(first);
    return status == LGKT_OK ? io_folder_sync(folder, error) : status;
}

lgkt_status exp_store_append(exp_store *store, const unsigned char *frame, lgkt_error *error)
{
    const size_t size = (size_t)lgkt_get_u64(frame);
    const int64_t number = exp_record_number(store->tasks, frame + EXP_FRAME_HEAD, size);
    if (number < 0)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "a record of %zu bytes belongs to no instance",
                         size);
    int64_t *place = &store->places[number];
    return *place != 0 ? LGKT_OK : exp_journal_append(store->journals[0], frame, place, error);
}

// a record, as exp_record_write has it
static lgkt_status append(exp_store *store, int64_t number, const exp_outcome *outcome,
                          exp_facts *facts, lgkt_error *error)
{
    size_t size;
    unsigned char *frame = exp_record_write(store->tasks, number, outcome, facts, &size);
    const lgkt_status status = frame != NULL ? exp_store_append(store, frame, error)
                                             : lgkt_fail_memory(error, "a record of the journal");
    free(frame);
    return status;
}

static lgkt_status append_outcome(void *ctx, int64_t task, const exp_outcome *outcome,
                                  lgkt_error *error)
{
    return append(ctx, task, outcome, NULL, error);
}

static lgkt_status append_facts(void *ctx, int32_t panel, exp_facts *facts, lgkt_error *error)
{
    exp_store *store = ctx;
    return append(store, store->tasks->count + panel, NULL, facts, error);
}

// ---- tables ----

// What is known of a panel, from a journal, which makes no learner. Who has tasks alone, as those
// that came from workers, makes the panel once more.
static lgkt_status find_facts(const exp_store *store, int32_t p, exp_facts *facts,
                              lgkt_error *error)
{
    const exp_setup *setup = &store->tasks->setups[p];
    const int64_t number = store->tasks->count + p;
    if (store->places[number] == 0) {
        exp_shared shared;
        const lgkt_status status = exp_shared_make(&shared, setup, error);
        *facts = shared.facts;
        shared.facts = (exp_facts){0};
        exp_shared_free(&shared, setup);
        return status;
    }
    unsigned char *frame = NULL;
    size_t size;
    lgkt_status status = read_record(store, number, &frame, &size, error);
    if (status == LGKT_OK)
        status = exp_facts_read(facts, setup->panel, frame + EXP_FRAME_HEAD, size, error);
    free(frame);
    return status;
}

static lgkt_status tabulate_panel(const exp_store *store, int32_t p, exp_tables *tables,
                                  lgkt_error *error)
{
    const exp_tasks *tasks = store->tasks;
    const exp_setup *setup = &tasks->setups[p];
    exp_outcome *outcome = exp_outcome_new(setup);
    exp_reduction reduction = {0};
    exp_facts facts = {0};
    lgkt_status status = find_facts(store, p, &facts, error);
    if (status == LGKT_OK)
        status = exp_reduction_create(&reduction, setup, &facts, error);
    exp_facts_free(&facts);
    if (status == LGKT_OK && outcome == NULL)
        status = lgkt_fail_memory(error, "the results of an instance");
    for (int64_t task = tasks->first[p]; task < tasks->first[p + 1] && status == LGKT_OK; task++) {
        unsigned char *frame = NULL;
        size_t size;
        status = read_record(store, task, &frame, &size, error);
        if (status == LGKT_OK) {
            exp_record_read(tasks, task, frame + EXP_FRAME_HEAD, outcome);
            exp_reduction_add(&reduction, outcome);
            exp_tables_run(tables, setup, task - tasks->first[p], outcome);
        }
        free(frame);
    }
    if (status == LGKT_OK)
        exp_tables_panel(tables, &reduction);
    exp_reduction_free(&reduction);
    free(outcome);
    return status;
}

lgkt_status exp_store_tabulate(const exp_store *store, const char *folder, exp_making making,
                               lgkt_error *error)
{
    const exp_tasks *tasks = store->tasks;
    exp_tables tables;
    char prices[EXP_PRICES_SIZE];
    exp_setup_prices(tasks->setups, tasks->panel_count, prices);
    making.prices = prices;
    making.keep_runs = exp_tasks_keep_runs(tasks, making.keep_runs);
    for (int i = 0; i < EXP_TABLE_COUNT; i++)
        io_folder_clean(folder, exp_table_names[i]);
    LGKT_TRY(exp_tables_open(&tables, folder, &tasks->asked, &making, error));
    lgkt_status status = LGKT_OK;
    for (int32_t p = 0; p < tasks->panel_count && status == LGKT_OK; p++)
        status = tabulate_panel(store, p, &tables, error);
    return exp_tables_close(&tables, status, error);
}

// ---- sessions ----

static lgkt_status sync_journal(void *store, lgkt_error *error)
{
    return exp_journal_sync(((exp_store *)store)->journals[0], SYNC_SECONDS, error);
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

lgkt_status exp_reproduce_rest(exp_store *store, exp_shard shard, const exp_runner *how,
                               lgkt_error *error)
{
    exp_runner runner = *how;
    runner.tasks = store->tasks;
    runner.begin = append_facts;
    runner.take = append_outcome;
    runner.tick = sync_journal;
    runner.ctx = store;
    int64_t *missing = calloc((size_t)store->tasks->count + 1, sizeof *missing);
    if (missing == NULL)
        return lgkt_fail_memory(error, "the instances of an experiment");
    runner.numbers = missing;
    for (int64_t task = 0; task < store->tasks->count; task++)
        if (exp_shard_has(shard, task) && store->places[task] == 0)
            missing[runner.count++] = task;
        else
            runner.found += exp_shard_has(shard, task);
    const lgkt_status status = exp_runner_run(&runner, NULL, error);
    free(missing);
    // what is finished stays finished, whatever ended the session
    const lgkt_status synced =
        exp_journal_sync(store->journals[0], 0.0, status == LGKT_OK ? error : NULL);
    return status == LGKT_OK ? synced : status;
}

static lgkt_status reproduce(const exp_reproduction *asked, exp_tasks *tasks, exp_store *store,
                             exp_session *now, lgkt_error *error)
{
    const double begin = exp_clock();
    LGKT_TRY(exp_tasks_make(tasks, &asked->asked, error));
    LGKT_TRY(exp_tasks_check(tasks, asked->shard, error));
    LGKT_TRY(exp_store_make(store, tasks, error));
    LGKT_TRY(exp_store_open(store, asked->folder, asked->shard, error));
    now->edited = store->edited;
    now->found = exp_store_count(store, asked->shard, &now->instances);
    LGKT_TRY(exp_reproduce_rest(store, asked->shard, &asked->how, error));
    now->done = exp_store_count(store, asked->shard, &now->instances);
    const exp_making making = {.keep_runs = asked->keep_runs,
                               .jobs = asked->how.jobs,
                               .seconds = exp_clock() - begin,
                               .instances_run = now->done - now->found};
    if (now->done == now->instances && asked->shard.parts <= 1)
        LGKT_TRY(exp_store_tabulate(store, asked->folder, making, error));
    now->complete = now->done == now->instances;
    return LGKT_OK;
}

lgkt_status exp_reproduce(const exp_reproduction *reproduction, exp_session *session,
                          lgkt_error *error)
{
    exp_tasks tasks = {0};
    exp_store store = {0};
    *session = (exp_session){0};
    const lgkt_status status = reproduce(reproduction, &tasks, &store, session, error);
    exp_store_free(&store);
    exp_tasks_free(&tasks);
    return status;
}
