// SPDX-License-Identifier: MIT
// Many journals into one set of tables (merge.h).
//
// The first journal says what the experiment is; every other one must say the same, line by line.
// The tasks are made anew from the file that the journals carry, and must have the identity that
// they have: a result is never made from a guess.
#include "experiments/studies/merge.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/error.h"
#include "core/hash.h"
#include "experiments/runner/store.h"
#include "experiments/runner/tables.h"
#include "io/plain/io_folder.h"

// ---- finding journals ----

typedef struct path_list {
    char **items; // (count)
    int32_t count;
} path_list;

// takes a path that is to be freed, or NULL when there was no memory for it
static lgkt_status add_path(path_list *list, char *path, lgkt_error *error)
{
    char **grown = path != NULL && list->count < EXP_MAX_JOURNALS
                       ? realloc(list->items, ((size_t)list->count + 1) * sizeof *grown)
                       : NULL;
    if (grown == NULL) {
        const bool many = list->count == EXP_MAX_JOURNALS;
        free(path);
        return many ? lgkt_fail(error, LGKT_ERR_SHAPE, "more than %d journals", EXP_MAX_JOURNALS)
                    : lgkt_fail_memory(error, "the names of journals");
    }
    list->items = grown;
    list->items[list->count++] = path;
    return LGKT_OK;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_journal(const char *name)
{
    const size_t length = strlen(name), stem = strlen(EXP_JOURNAL_STEM);
    return length >= stem + 4 && strncmp(name, EXP_JOURNAL_STEM, stem) == 0 &&
           (name[stem] == '.' || name[stem] == '-') && strcmp(name + length - 4, ".bin") == 0;
}

// The journals of a folder; if there are none and `deep`, those of the folders in it.
static lgkt_status search(const char *folder, bool deep, path_list *list, lgkt_error *error)
{
    const int32_t before = list->count;
    lgkt_status status = LGKT_OK;
    for (int level = 0; level <= deep && list->count == before && status == LGKT_OK; level++) {
        DIR *entries = opendir(folder);
        const struct dirent *entry;
        if (entries == NULL)
            return io_fail_errno(error, folder);
        while (status == LGKT_OK && (entry = readdir(entries)) != NULL) {
            if (level == 0 ? !is_journal(entry->d_name) : entry->d_name[0] == '.')
                continue;
            char *path = io_folder_file(folder, entry->d_name);
            if (level == 0 || path == NULL) {
                status = add_path(list, path, error);
                continue;
            }
            if (is_folder(path))
                status = search(path, false, list, error);
            free(path);
        }
        closedir(entries);
    }
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static lgkt_status find_journals(const exp_merging *asked, path_list *list, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    for (int32_t i = 0; i < asked->path_count && status == LGKT_OK; i++) {
        const int32_t before = list->count;
        status = is_folder(asked->paths[i]) ? search(asked->paths[i], true, list, error)
                                            : add_path(list, strdup(asked->paths[i]), error);
        if (status == LGKT_OK && list->count == before)
            status = lgkt_fail(error, LGKT_ERR_NO_FILE, "%s: holds no journal (%s*.bin)",
                               io_short_name(asked->paths[i]), EXP_JOURNAL_STEM);
    }
    if (status == LGKT_OK)
        qsort(list->items, (size_t)list->count, sizeof *list->items, by_name);
    return status;
}

// ---- what the experiment is ----

// A merge under way.
typedef struct merge {
    const exp_merging *asked;
    path_list paths;
    const char *path;       // of the journal at hand
    const char *first_path; // of the one that says what the experiment is; NULL: none yet
    exp_head head;          // its first record
    exp_experiment experiment;
    exp_tasks tasks;
    exp_store store;
    int32_t journals; // that hold something
    int64_t parts;    // N, if all journals are of shards i/N; -1: they are not
} merge;

static lgkt_status read_experiment(merge *m, lgkt_error *error)
{
    const exp_head *head = &m->head;
    if (m->asked->experiment != NULL)
        return exp_experiment_read(&m->experiment, m->asked->experiment, error);
    if (head->size == 0)
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "%s: carries no experiment file; say with --experiment FILE what was run",
                         io_short_name(m->first_path));
    char *path = io_folder_file(head->folder, head->file);
    const lgkt_status status =
        path != NULL ? exp_experiment_parse(&m->experiment, head->bytes, head->size, path, error)
                     : lgkt_fail_memory(error, "an experiment");
    free(path);
    return status;
}

// The tasks of the first journal, and a store for them.
static lgkt_status make_tasks(merge *m, lgkt_error *error)
{
    const exp_head *head = &m->head;
    LGKT_TRY(read_experiment(m, error));
    if (head->quick)
        exp_experiment_quicken(&m->experiment);
    const char *prices = head->prices[0] != '\0' ? head->prices : NULL;
    const exp_asked asked = {.experiment = &m->experiment,
                             .replicates = head->replicates,
                             .quick = head->quick,
                             .seed = head->seed,
                             .prices = m->asked->prices != NULL ? m->asked->prices : prices,
                             .files = &exp_true_files};
    lgkt_status status = exp_tasks_make(&m->tasks, &asked, error);
    if (status == LGKT_ERR_NO_FILE && error != NULL)
        lgkt_fail(error, status, "%s (if it is elsewhere now, --experiment or --prices says where)",
                  error->text);
    if (status != LGKT_OK)
        return status;
    char difference[EXP_DIFFERENCE_SIZE];
    size_t size;
    unsigned char *ours = exp_head_write(&m->tasks, head->shard, &size);
    if (ours == NULL)
        status = lgkt_fail_memory(error, "an experiment");
    else if (!exp_journal_same(head->text, (char *)ours + EXP_FRAME_HEAD, difference))
        status = lgkt_fail(error, LGKT_ERR_CONFIG, "%s: made with %s", io_short_name(m->first_path),
                           difference);
    free(ours);
    return status == LGKT_OK ? exp_store_make(&m->store, &m->tasks, error) : status;
}

// ---- journals into the store ----

// Another journal is of the same experiment as the first. What is shown must be the same, too,
// unless one says which file counts.
static lgkt_status check_head(const merge *m, const exp_head *head, lgkt_error *error)
{
    const exp_head *first = &m->head;
    const char *name = io_short_name(m->path), *first_name = io_short_name(m->first_path);
    char difference[EXP_DIFFERENCE_SIZE];
    if (!exp_journal_same(head->text, first->text, difference))
        return lgkt_fail(error, LGKT_ERR_CONFIG, "%s: made with %s as in %s", name, difference,
                         first_name);
    if (m->asked->experiment != NULL ||
        (head->size == first->size && memcmp(head->bytes, first->bytes, first->size) == 0))
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_CONFIG,
                     "%s: from %s with hash %016" PRIx64 ", %s from one with %016" PRIx64
                     "; say with --experiment FILE which one counts",
                     name, head->file, lgkt_hash_bytes(LGKT_HASH_START, head->bytes, head->size),
                     first_name, lgkt_hash_bytes(LGKT_HASH_START, first->bytes, first->size));
}

static lgkt_status take_record(void *ctx, int64_t offset, const void *bytes, size_t size,
                               lgkt_error *error)
{
    merge *m = ctx;
    exp_head head;
    if (offset > 0)
        return exp_store_take(&m->store, offset, bytes, size, error);
    LGKT_TRY(exp_head_read(&head, io_short_name(m->path), bytes, size, error));
    const int64_t parts = head.shard.parts > 0 ? head.shard.parts : 1;
    m->parts = m->journals == 0 || m->parts == parts ? parts : -1;
    m->journals++;
    if (m->first_path == NULL) {
        m->first_path = m->path;
        m->head = head;
        return make_tasks(m, error);
    }
    const lgkt_status status = check_head(m, &head, error);
    exp_head_free(&head);
    return status;
}

// ---- what is missing ----

// The parts i/N that have gaps, or the panels that have some.
static void tell_missing(const merge *m, char text[EXP_MISSING_SIZE])
{
    const bool shards = m->parts > 1;
    const int64_t groups = shards ? m->parts : m->tasks.panel_count;
    size_t used = 0;
    for (int64_t g = 0; g < groups; g++) {
        int64_t wanted = 0, found = 0;
        const exp_shard shard = {g, m->parts};
        const int64_t begin = shards ? g : m->tasks.first[g];
        const int64_t end = shards ? m->tasks.count : m->tasks.first[g + 1];
        for (int64_t u = begin; u < end; u += shards ? m->parts : 1) {
            wanted++;
            found += m->store.places[u] != 0;
        }
        if (found == wanted)
            continue;
        char name[EXP_SHARD_SIZE], words[200];
        exp_shard_print(shard, "/", name);
        if (found == 0)
            snprintf(words, sizeof words, "%s%s", shards ? "shard " : "panel ",
                     shards ? name : m->tasks.setups[g].panel->name);
        else
            snprintf(words, sizeof words, "%" PRId64 " of the %" PRId64 " instances of %s%s",
                     wanted - found, wanted, shards ? "shard " : "panel ",
                     shards ? name : m->tasks.setups[g].panel->name);
        if (used + strlen(words) + 16 > EXP_MISSING_SIZE) {
            snprintf(text + used, EXP_MISSING_SIZE - used, ", and more");
            return;
        }
        used += (size_t)snprintf(text + used, EXP_MISSING_SIZE - used, "%s%s", used > 0 ? ", " : "",
                                 words);
    }
}

// ---- the whole ----

static lgkt_status write_results(merge *m, double begin, lgkt_error *error)
{
    path_list there = {0};
    char *folder = io_folder_file(m->asked->out, m->experiment.name);
    if (folder == NULL)
        return lgkt_fail_memory(error, "a folder");
    // Results without a journal beside them were put there on purpose. Tables without a manifest,
    // which appears last, are no results but what a killed merge left.
    const bool published = io_folder_has(folder, exp_table_names[EXP_TABLE_MANIFEST]);
    const char *found = published ? exp_tables_found(folder) : NULL;
    lgkt_status status = found != NULL ? search(folder, false, &there, error) : LGKT_OK;
    if (status == LGKT_OK && found != NULL && there.count == 0)
        status =
            lgkt_fail(error, LGKT_ERR_CONFIG,
                      "%s: holds %s without a journal; nothing was changed (use another --out)",
                      io_short_name(folder), found);
    if (status == LGKT_OK)
        status = io_folder_make(folder, error);
    const exp_making making = {
        .keep_runs = m->asked->keep_runs, .jobs = 1, .seconds = exp_clock() - begin};
    if (status == LGKT_OK)
        status = exp_store_tabulate(&m->store, folder, making, error);
    for (int32_t i = 0; i < there.count; i++)
        free(there.items[i]);
    free(there.items);
    free(folder);
    return status;
}

lgkt_status exp_merge(const exp_merging *merging, exp_merged *merged, lgkt_error *error)
{
    const double begin = exp_clock();
    merge m = {.asked = merging};
    exp_merged now = {0};
    lgkt_status status = find_journals(merging, &m.paths, error);
    for (int32_t i = 0; i < m.paths.count && status == LGKT_OK; i++) {
        m.path = m.paths.items[i];
        status = exp_store_add(&m.store, m.path, NULL, take_record, &m, error);
    }
    if (status == LGKT_OK && m.journals == 0)
        status = lgkt_fail(error, LGKT_ERR_FORMAT, "%s: holds nothing yet",
                           io_short_name(m.paths.items[0]));
    if (status == LGKT_OK) {
        now.journals = m.journals;
        now.found = exp_store_count(&m.store, (exp_shard){0}, &now.instances);
        now.complete = now.found == now.instances;
        now.name = strdup(m.experiment.name);
        if (now.name == NULL)
            status = lgkt_fail_memory(error, "a name");
        else if (now.complete)
            status = write_results(&m, begin, error);
        else
            tell_missing(&m, now.missing);
    }
    exp_store_free(&m.store);
    exp_tasks_free(&m.tasks);
    exp_experiment_free(&m.experiment);
    exp_head_free(&m.head);
    for (int32_t i = 0; i < m.paths.count; i++)
        free(m.paths.items[i]);
    free(m.paths.items);
    if (status == LGKT_OK)
        *merged = now;
    else
        free(now.name);
    return status;
}
