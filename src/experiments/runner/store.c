// SPDX-License-Identifier: MIT
// Tasks, over threads, into records; records into journals, journals into tables (store.h).
//
// Memory: of every task the place of its record, 8 bytes, and for the tables of a panel the main
// measure at the end of every run.
#define _XOPEN_SOURCE 700 // realpath
#include "experiments/runner/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/archive.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/number.h"
#include "io/plain/io_folder.h"
#include "io/plain/io_text.h"

#define SYNC_SECONDS 0.5

// a place is the number of a journal above the bits of an offset, which is never 0
enum { OFFSET_BITS = 47 };
#define OFFSET_MASK (((int64_t)1 << OFFSET_BITS) - 1)

_Static_assert(EXP_MAX_JOURNALS < 1 << (63 - OFFSET_BITS), "a place fits into 63 bits");

// ---- the first record ----

// The whole path of a folder or file, so that it is found from elsewhere; "" for none. One that is
// no line becomes a dot. NULL when memory is out.
static char *whole_path(const char *path, bool folder)
{
    if (path == NULL || (path[0] == '\0' && !folder))
        return strdup("");
    char *whole = realpath(path[0] != '\0' ? path : ".", NULL);
    if (whole == NULL)
        whole = strdup(path);
    if (whole != NULL && strchr(whole, '\n') != NULL)
        memcpy(whole, ".", 2);
    return whole;
}

unsigned char *exp_head_write(const exp_tasks *tasks, exp_shard shard, size_t *size)
{
    const exp_asked *asked = &tasks->asked;
    const exp_experiment *experiment = asked->experiment;
    const char room[EXP_FRAME_HEAD] = {0};
    char *written = NULL, part[EXP_SHARD_SIZE];
    char *identity = exp_setup_identity(tasks->setups, tasks->panel_count);
    char *folder = whole_path(experiment->folder, true), *prices = whole_path(asked->prices, false);
    if (identity != NULL && folder != NULL && prices != NULL) {
        io_memory text = {0};
        exp_shard_print(shard, "/", part);
        io_memory_write(&text, room, EXP_FRAME_HEAD);
        io_memory_print(&text,
                        EXP_JOURNAL_MAGIC "%s\nfile %s\nfolder %s\nseed %" PRIu64
                                          "\nreplicates %" PRId64
                                          "\nquick %d\nprices %s\nshard %s\n\n",
                        identity, experiment->file != NULL ? experiment->file : experiment->name,
                        folder, asked->seed, asked->replicates, asked->quick, prices, part);
        if (experiment->size > 0)
            io_memory_write(&text, experiment->bytes, experiment->size);
        io_memory_write(&text, room, EXP_FRAME_TAIL);
        written = io_memory_close(&text, size);
    }
    if (written != NULL)
        exp_frame_close((unsigned char *)written, *size - EXP_FRAME);
    free(identity);
    free(folder);
    free(prices);
    return (unsigned char *)written;
}

// what stands behind a word and a blank at the beginning of a line, which it cuts off; NULL if the
// line has another word
static const char *next_line(char **at, const char *word)
{
    char *line = *at, *end = strchr(line, '\n');
    const size_t length = strlen(word);
    if (end == NULL || strncmp(line, word, length) != 0 || line[length] != ' ')
        return NULL;
    *end = '\0';
    *at = end + 1;
    return line + length + 1;
}

lgkt_status exp_head_read(exp_head *head, const char *name, const char *bytes, size_t size,
                          lgkt_error *error)
{
    *head = (exp_head){.text = malloc(size + 1)};
    if (head->text == NULL)
        return lgkt_fail_memory(error, "a record of the journal");
    memcpy(head->text, bytes, size);
    head->text[size] = '\0';
    char *at = strstr(head->text, "\n\n");
    at = at != NULL ? at + 2 : head->text + size;
    static const char *const words[] = {"file",  "folder", "seed", "replicates",
                                        "quick", "prices", "shard"};
    enum { FILE_NAME, FOLDER, SEED, REPLICATES, QUICK, PRICES, SHARD, WORDS };
    const char *said[WORDS];
    bool good = true;
    for (int i = 0; i < WORDS && good; i++)
        good = (said[i] = next_line(&at, words[i])) != NULL;
    if (!good || *at != '\n' || !lgkt_seed_parse(said[SEED], &head->asked.seed) ||
        !lgkt_integer_parse(said[REPLICATES], &head->asked.replicates) ||
        (said[SHARD][0] != '\0' && exp_shard_parse(said[SHARD], &head->shard, NULL) != LGKT_OK)) {
        exp_head_free(head);
        return lgkt_fail(error, LGKT_ERR_FORMAT, "%s: the record of its origin is not readable",
                         name);
    }
    head->asked.quick = strcmp(said[QUICK], "1") == 0;
    head->asked.prices = said[PRICES][0] != '\0' ? said[PRICES] : NULL;
    head->experiment = (exp_experiment){.file = said[FILE_NAME],
                                        .folder = said[FOLDER],
                                        .bytes = at + 1,
                                        .size = size - (size_t)(at + 1 - head->text)};
    return LGKT_OK;
}

void exp_head_free(exp_head *head)
{
    free(head->text);
    *head = (exp_head){0};
}

// ---- what is known of a panel ----

#define FACTS UINT64_MAX // the first word of such a record, which is the panel in one of a task

static void visit_facts(lgkt_archive *archive, uint64_t panel, exp_facts *facts)
{
    const bool loads = archive->mode == LGKT_ARCHIVE_LOAD;
    lgkt_visit_u64(archive, (uint64_t[]){FACTS, panel}, 2);
    lgkt_visit_bytes(archive, facts->note, EXP_NOTE_SIZE - 1);
    for (int32_t l = 0; l < facts->count && !archive->bad; l++) {
        exp_entry_facts *entry = &facts->entries[l];
        int64_t length = loads ? 0 : (int64_t)strlen(entry->spec);
        lgkt_visit_i64(archive, &length, 1, 0, (int64_t)archive->capacity);
        if (loads && (entry->spec = calloc((size_t)length + 1, 1)) == NULL)
            lgkt_archive_starve(archive);
        if (entry->spec != NULL)
            lgkt_visit_bytes(archive, entry->spec, (size_t)length);
        lgkt_visit_i32(archive, &entry->count, 1, 0, EXP_MAX_COUNTERS);
        for (int32_t i = 0; i < entry->count; i++)
            lgkt_visit_bytes(archive, entry->names[i], EXP_COUNTER_SIZE - 1);
    }
}

unsigned char *exp_facts_write(exp_facts *facts, int32_t panel, size_t *size)
{
    lgkt_archive counted = lgkt_archive_save(NULL, 0);
    visit_facts(&counted, (uint64_t)panel, facts);
    *size = EXP_FRAME + counted.at;
    unsigned char *frame = malloc(*size);
    if (frame != NULL) {
        lgkt_archive written = lgkt_archive_save(frame + EXP_FRAME_HEAD, counted.at);
        visit_facts(&written, (uint64_t)panel, facts);
        exp_frame_close(frame, counted.at);
    }
    return frame;
}

// the number of a record: that of its task or, behind all tasks, of the panel that it tells about;
// -1: neither
static int64_t number_of(const exp_tasks *tasks, const unsigned char *bytes, size_t size)
{
    const bool facts = size >= 16 && lgkt_get_u64(bytes) == FACTS &&
                       lgkt_get_u64(bytes + 8) < (uint64_t)tasks->panel_count;
    return facts ? tasks->count + (int64_t)lgkt_get_u64(bytes + 8)
                 : exp_record_task(tasks, bytes, size);
}

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
    return number_of(store->tasks, *frame + EXP_FRAME_HEAD, *size) == number
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
    // the first record has no number
    if (offset == 0)
        return LGKT_OK;
    const int64_t number = number_of(store->tasks, bytes, size);
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
    const int64_t number = number_of(store->tasks, frame + EXP_FRAME_HEAD, size);
    if (number < 0)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "a record of %zu bytes belongs to no instance",
                         size);
    int64_t *place = &store->places[number];
    return *place != 0 ? LGKT_OK : exp_journal_append(store->journals[0], frame, place, error);
}

static lgkt_status append_outcome(void *ctx, int64_t task, const exp_outcome *outcome,
                                  lgkt_error *error)
{
    exp_store *store = ctx;
    const size_t size = exp_record_size(store->tasks, exp_tasks_panel(store->tasks, task));
    unsigned char *frame = malloc(EXP_FRAME + size);
    if (frame == NULL)
        return lgkt_fail_memory(error, "a record of the journal");
    exp_record_write(store->tasks, task, outcome, frame + EXP_FRAME_HEAD);
    exp_frame_close(frame, size);
    const lgkt_status status = exp_store_append(store, frame, error);
    free(frame);
    return status;
}

static lgkt_status append_facts(void *ctx, int32_t panel, exp_facts *facts, lgkt_error *error)
{
    size_t size;
    unsigned char *frame = exp_facts_write(facts, panel, &size);
    const lgkt_status status = frame != NULL ? exp_store_append(ctx, frame, error)
                                             : lgkt_fail_memory(error, "a record of the journal");
    free(frame);
    return status;
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
    *facts = (exp_facts){.count = setup->panel->entry_count};
    facts->entries = calloc((size_t)facts->count + 1, sizeof *facts->entries);
    if (status == LGKT_OK && facts->entries != NULL) {
        lgkt_archive archive = lgkt_archive_load(frame + EXP_FRAME_HEAD, size);
        visit_facts(&archive, 0, facts);
        if (archive.starved)
            status = lgkt_fail_memory(error, "what is known of a panel");
        else if (archive.bad || archive.at != size)
            status = lgkt_fail(error, LGKT_ERR_FORMAT, "what is known of panel %s is damaged",
                               setup->panel->name);
    } else if (status == LGKT_OK) {
        status = lgkt_fail_memory(error, "what is known of a panel");
    }
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
                               .sink = {append_facts, append_outcome, store},
                               .tick = sync_journal};
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
    now->found = exp_store_count(store, asked->shard, &now->instances);
    LGKT_TRY(exp_reproduce_rest(asked, store, error));
    now->done = exp_store_count(store, asked->shard, &now->instances);
    now->complete = now->done == now->instances;
    if (!now->complete || asked->shard.parts > 1)
        return LGKT_OK;
    const exp_making making = {.keep_runs = asked->keep_runs,
                               .jobs = asked->jobs,
                               .seconds = exp_clock() - begin,
                               .instances_run = now->done - now->found};
    return exp_store_tabulate(store, asked->folder, making, error);
}

lgkt_status exp_reproduce(const exp_reproduction *reproduction, exp_session *session,
                          lgkt_error *error)
{
    exp_tasks tasks = {0};
    exp_store store = {0};
    exp_session now = {0};
    const lgkt_status status = reproduce(reproduction, &tasks, &store, &now, error);
    exp_store_free(&store);
    exp_tasks_free(&tasks);
    if (status == LGKT_OK)
        *session = now;
    return status;
}
