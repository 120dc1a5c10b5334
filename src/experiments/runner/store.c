// SPDX-License-Identifier: MIT
// Records into journals, journals into tables (store.h).
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
#include "experiments/runner/tables.h"
#include "io/plain/io_folder.h"

// a place is the number of a journal above the bits of an offset, which is never 0
enum { OFFSET_BITS = 47 };
#define OFFSET_MASK (((int64_t)1 << OFFSET_BITS) - 1)

_Static_assert(EXP_MAX_JOURNALS < 1 << (63 - OFFSET_BITS), "a place fits into 63 bits");

static int64_t place_of(int32_t journal, int64_t offset)
{
    return ((int64_t)journal << OFFSET_BITS) + offset;
}

lgkt_status exp_store_make(exp_store *store, const exp_tasks *tasks, lgkt_error *error)
{
    *store =
        (exp_store){.tasks = tasks, .places = calloc((size_t)tasks->count, sizeof *store->places)};
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

static lgkt_status keep_journal(exp_store *store, exp_journal *journal, lgkt_error *error)
{
    exp_journal **grown =
        realloc(store->journals, ((size_t)store->journal_count + 1) * sizeof *grown);
    if (grown == NULL || store->journal_count == EXP_MAX_JOURNALS) {
        store->journals = grown != NULL ? grown : store->journals;
        exp_journal_close(journal);
        return grown != NULL
                   ? lgkt_fail(error, LGKT_ERR_SHAPE, "more than %d journals", EXP_MAX_JOURNALS)
                   : lgkt_fail_memory(error, "a journal");
    }
    store->journals = grown;
    store->journals[store->journal_count++] = journal;
    return LGKT_OK;
}

// ---- going through a journal ----

// A walk over the journal that becomes number journal_count.
typedef struct visit {
    exp_store *store;
    const char *path;
    exp_journal *journal;      // to compare with; NULL: the last record of a task counts
    exp_origin *origin;        // to be read, or
    const unsigned char *ours; // (ours_size) to be looked for
    size_t ours_size;
    bool ours_last;
} visit;

static lgkt_status compare(const visit *v, int64_t task, const unsigned char *bytes, size_t size,
                           lgkt_error *error)
{
    const exp_tasks *tasks = v->store->tasks;
    unsigned char *other = malloc(size);
    if (other == NULL)
        return lgkt_fail_memory(error, "a record of the journal");
    const int64_t place = v->store->places[task];
    const int32_t p = exp_tasks_panel(tasks, task);
    // the journal that is gone through is not among the others yet
    exp_journal *there = place >> OFFSET_BITS == v->store->journal_count
                             ? v->journal
                             : v->store->journals[place >> OFFSET_BITS];
    lgkt_status status = exp_journal_read(there, place & OFFSET_MASK, other, size, error);
    if (status == LGKT_OK && !exp_record_same(tasks, task, bytes, other))
        status =
            lgkt_fail(error, LGKT_ERR_FORMAT,
                      "%s: instance %" PRId64 " of panel %s has other numbers than in a "
                      "journal before it; one of the machines computes wrongly",
                      io_short_name(v->path), task - tasks->first[p], tasks->setups[p].panel->name);
    free(other);
    return status;
}

static lgkt_status find_record(void *ctx, int64_t offset, const void *bytes, size_t size,
                               lgkt_error *error)
{
    visit *v = ctx;
    exp_store *store = v->store;
    if (exp_origin_is(bytes, size)) {
        v->ours_last = v->ours != NULL && size == v->ours_size && memcmp(bytes, v->ours, size) == 0;
        return v->origin != NULL ? exp_origin_read(v->origin, v->path, bytes, size, error)
                                 : LGKT_OK;
    }
    const int64_t task = exp_record_task(store->tasks, bytes, size);
    if (task < 0)
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "%s: the record at byte %" PRId64 " belongs to no instance; nothing was "
                         "changed",
                         io_short_name(v->path), offset);
    if (store->places[task] != 0 && v->journal != NULL)
        return compare(v, task, bytes, size, error);
    store->places[task] = place_of(store->journal_count, offset);
    return LGKT_OK;
}

// ---- one journal, to write ----

static lgkt_status open_journal(exp_store *store, const char *path, exp_shard shard,
                                lgkt_error *error)
{
    exp_journal *journal = NULL;
    visit v = {.store = store, .path = io_base_name(path)};
    unsigned char *origin = exp_origin_write(store->tasks, shard, &v.ours_size);
    if (origin == NULL)
        return lgkt_fail_memory(error, "a journal");
    v.ours = origin;
    lgkt_status status =
        exp_journal_open(path, store->tasks->identity, find_record, &v, &journal, error);
    if (status == LGKT_OK)
        status = keep_journal(store, journal, error);
    if (status == LGKT_OK && !v.ours_last)
        status = exp_journal_append(journal, origin, v.ours_size, NULL, error);
    free(origin);
    return status;
}

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
    lgkt_status status = io_folder_make(folder, error);
    if (status != LGKT_OK)
        return status;
    char *path = io_folder_file(folder, name);
    status = path != NULL ? open_journal(store, path, shard, error)
                          : lgkt_fail_memory(error, "a journal");
    free(path);
    return status == LGKT_OK ? io_folder_sync(folder, error) : status;
}

lgkt_status exp_store_append(exp_store *store, const unsigned char *bytes, size_t size,
                             lgkt_error *error)
{
    const int64_t task = exp_record_task(store->tasks, bytes, size);
    if (task < 0)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "a record of %zu bytes belongs to no instance",
                         size);
    int64_t *place = &store->places[task];
    return *place != 0 ? LGKT_OK
                       : exp_journal_append(store->journals[0], bytes, size, place, error);
}

static lgkt_status append_outcome(void *ctx, int64_t task, const exp_outcome *outcome,
                                  lgkt_error *error)
{
    exp_store *store = ctx;
    const size_t size = exp_record_size(store->tasks, exp_tasks_panel(store->tasks, task));
    unsigned char *bytes = malloc(size);
    if (bytes == NULL)
        return lgkt_fail_memory(error, "a record of the journal");
    exp_record_write(store->tasks, task, outcome, bytes);
    const lgkt_status status = exp_store_append(store, bytes, size, error);
    free(bytes);
    return status;
}

exp_sink exp_store_sink(exp_store *store)
{
    return (exp_sink){.take = append_outcome, .ctx = store};
}

lgkt_status exp_store_sync(exp_store *store, double seconds, lgkt_error *error)
{
    return exp_journal_sync(store->journals[0], seconds, error);
}

// ---- many journals, to read ----

lgkt_status exp_store_add(exp_store *store, exp_journal *journal, const char *path,
                          exp_origin *origin, lgkt_error *error)
{
    visit v = {.store = store, .path = path, .journal = journal, .origin = origin};
    const lgkt_status status = exp_journal_walk(journal, find_record, &v, error);
    exp_journal_rest(journal);
    if (status == LGKT_OK)
        return keep_journal(store, journal, error);
    exp_journal_close(journal);
    return status;
}

// ---- tables ----

static lgkt_status read_place(const exp_store *store, int64_t place, unsigned char *bytes,
                              size_t size, lgkt_error *error)
{
    return exp_journal_read(store->journals[place >> OFFSET_BITS], place & OFFSET_MASK, bytes, size,
                            error);
}

// The panel is made once more, for what tables say of it besides its numbers.
static lgkt_status tabulate_panel(const exp_store *store, int32_t p, exp_tables *tables,
                                  lgkt_error *error)
{
    const exp_tasks *tasks = store->tasks;
    const exp_setup *setup = &tasks->setups[p];
    const size_t size = exp_record_size(tasks, p);
    unsigned char *bytes = malloc(size);
    exp_outcome outcome = {0};
    exp_reduction reduction = {0};
    exp_shared shared;
    lgkt_status status = exp_shared_make(&shared, setup, error);
    if (status == LGKT_OK)
        status = exp_reduction_create(&reduction, setup, &shared.facts, error);
    exp_shared_free(&shared, setup);
    if (status == LGKT_OK)
        status = exp_outcome_create(&outcome, setup, error);
    if (status == LGKT_OK && bytes == NULL)
        status = lgkt_fail_memory(error, "a record of the journal");
    for (int64_t task = tasks->first[p]; task < tasks->first[p + 1] && status == LGKT_OK; task++) {
        status = read_place(store, store->places[task], bytes, size, error);
        if (status != LGKT_OK)
            break;
        exp_record_read(tasks, task, bytes, &outcome);
        exp_reduction_add(&reduction, &outcome);
        exp_tables_run(tables, setup, task - tasks->first[p], &outcome);
    }
    if (status == LGKT_OK) {
        exp_reduction_finish(&reduction);
        exp_tables_panel(tables, &reduction);
    }
    exp_reduction_free(&reduction);
    exp_outcome_free(&outcome);
    free(bytes);
    return status;
}

lgkt_status exp_store_tabulate(const exp_store *store, const char *folder, exp_making making,
                               lgkt_error *error)
{
    const exp_tasks *tasks = store->tasks;
    exp_tables tables;
    making.keep_runs = exp_tasks_keep_runs(tasks, making.keep_runs);
    making.prices = tasks->prices;
    for (int i = 0; i < EXP_TABLE_COUNT; i++)
        io_folder_clean(folder, exp_table_names[i]);
    LGKT_TRY(exp_tables_open(&tables, folder, &tasks->asked, &making, error));
    lgkt_status status = LGKT_OK;
    for (int32_t p = 0; p < tasks->panel_count && status == LGKT_OK; p++)
        status = tabulate_panel(store, p, &tables, error);
    if (status == LGKT_OK)
        return exp_tables_commit(&tables, error);
    exp_tables_discard(&tables);
    return status;
}
