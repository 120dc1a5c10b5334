// SPDX-License-Identifier: MIT
// Many journals into one set of tables (studies.h).
//
// The first journal says what the experiment is; every other one must say the same, line by line.
// The tasks are made anew from the file that the journals carry, and must have the identity that
// they have: a result is never made from a guess.
#include "experiments/studies/studies.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/hash.h"
#include "experiments/runner/store.h"
#include "io/plain/io_folder.h"

// ---- finding journals ----

#define PATTERN EXP_JOURNAL_STEM "*.bin"

// Adds what a path with a pattern behind it stands for; 0, or why not, as glob has it.
static int find(const char *path, const char *pattern, glob_t *found)
{
    char *all = malloc(2 * strlen(path) + strlen(pattern) + 1), *to = all;
    if (all == NULL)
        return GLOB_NOSPACE;
    for (; *path != '\0'; *to++ = *path++)
        if (strchr("*?[\\", *path) != NULL)
            *to++ = '\\';
    strcpy(to, pattern);
    const int code = glob(all, found->gl_pathc > 0 ? GLOB_APPEND : 0, NULL, found);
    free(all);
    return code;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// of a folder without journals, those of the folders in it
static lgkt_status find_journals(const exp_merging *asked, glob_t *found, lgkt_error *error)
{
    for (int32_t i = 0; i < asked->path_count; i++) {
        const char *path = asked->paths[i];
        struct stat info;
        if (stat(path, &info) != 0 || access(path, R_OK) != 0)
            return io_fail_errno(error, path);
        const bool folder = S_ISDIR(info.st_mode);
        int code = find(path, folder ? "/" PATTERN : "", found);
        if (code == GLOB_NOMATCH && folder)
            code = find(path, "/*/" PATTERN, found);
        if (code == GLOB_NOMATCH)
            return lgkt_fail(error, LGKT_ERR_NO_FILE, "%s: holds no journal (" PATTERN ")",
                             io_short_name(path));
        if (code != 0)
            return lgkt_fail_memory(error, "the names of journals");
    }
    qsort(found->gl_pathv, found->gl_pathc, sizeof *found->gl_pathv, by_name);
    return LGKT_OK;
}

// ---- what the experiment is ----

// A merge under way.
typedef struct merge {
    const exp_merging *asked;
    glob_t paths;
    const char *path;       // of the journal at hand
    const char *first_path; // of the one that says what the experiment is; NULL: none yet
    exp_head head;          // its first record
    exp_experiment experiment;
    exp_tasks tasks;
    exp_store store;
    char *folder;     // of the results
    int32_t journals; // that hold something
    int64_t parts;    // N, if all journals are of shards i/N; -1: they are not
} merge;

static lgkt_status read_experiment(merge *m, lgkt_error *error)
{
    const exp_experiment *carried = &m->head.experiment;
    if (m->asked->experiment != NULL)
        return exp_experiment_read(&m->experiment, m->asked->experiment, error);
    if (carried->size == 0)
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "%s: carries no experiment file; say with --experiment FILE what was run",
                         io_short_name(m->first_path));
    char *path = io_folder_file(carried->folder, carried->file);
    const lgkt_status status = path != NULL ? exp_experiment_parse(&m->experiment, carried->bytes,
                                                                   carried->size, path, error)
                                            : lgkt_fail_memory(error, "an experiment");
    free(path);
    return status;
}

// The tasks of the first journal, and a store for them.
static lgkt_status make_tasks(merge *m, lgkt_error *error)
{
    exp_asked asked = m->head.asked;
    LGKT_TRY(read_experiment(m, error));
    if (asked.quick)
        exp_experiment_quicken(&m->experiment);
    asked.experiment = &m->experiment;
    asked.files = &io_true_files;
    if (m->asked->prices != NULL)
        asked.prices = m->asked->prices;
    lgkt_status status = exp_tasks_make(&m->tasks, &asked, error);
    if (status == LGKT_ERR_NO_FILE && error != NULL)
        lgkt_fail(error, status, "%s (if it is elsewhere now, --experiment or --prices says where)",
                  error->text);
    if (status != LGKT_OK)
        return status;
    char difference[EXP_DIFFERENCE_SIZE];
    size_t size;
    unsigned char *ours = exp_head_write(&m->tasks, m->head.shard, &size);
    if (ours == NULL)
        status = lgkt_fail_memory(error, "an experiment");
    else if (!exp_journal_same(m->head.text, (char *)ours + EXP_FRAME_HEAD, difference))
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
    const exp_experiment *ours = &m->head.experiment, *theirs = &head->experiment;
    const char *name = io_short_name(m->path), *first = io_short_name(m->first_path);
    char difference[EXP_DIFFERENCE_SIZE];
    if (!exp_journal_same(head->text, m->head.text, difference))
        return lgkt_fail(error, LGKT_ERR_CONFIG, "%s: made with %s as in %s", name, difference,
                         first);
    if (m->asked->experiment != NULL ||
        (theirs->size == ours->size && memcmp(theirs->bytes, ours->bytes, ours->size) == 0))
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_CONFIG,
                     "%s: from %s with hash %016" PRIx64 ", %s from one with %016" PRIx64
                     "; say with --experiment FILE which one counts",
                     name, theirs->file,
                     lgkt_hash_bytes(LGKT_HASH_START, theirs->bytes, theirs->size), first,
                     lgkt_hash_bytes(LGKT_HASH_START, ours->bytes, ours->size));
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
        const exp_shard shard = {g, m->parts};
        const int64_t begin = shards ? g : m->tasks.first[g];
        const int64_t end = shards ? m->tasks.count : m->tasks.first[g + 1];
        int64_t wanted = 0, found = 0;
        for (int64_t u = begin; u < end; u += shards ? m->parts : 1) {
            wanted++;
            found += m->store.places[u] != 0;
        }
        if (found == wanted)
            continue;
        char name[EXP_SHARD_SIZE], part[64] = "", words[200];
        exp_shard_print(shard, "/", name);
        if (found > 0)
            snprintf(part, sizeof part, "%" PRId64 " of the %" PRId64 " instances of ",
                     wanted - found, wanted);
        snprintf(words, sizeof words, "%s%s%s", part, shards ? "shard " : "panel ",
                 shards ? name : m->tasks.setups[g].panel->name);
        const bool fits = used + strlen(words) + 16 <= EXP_MISSING_SIZE;
        used += (size_t)snprintf(text + used, EXP_MISSING_SIZE - used, "%s%s", used > 0 ? ", " : "",
                                 fits ? words : "and more");
        if (!fits)
            return;
    }
}

// ---- the whole ----

static lgkt_status write_results(merge *m, double begin, lgkt_error *error)
{
    glob_t journals = {0};
    const char *folder = m->folder = io_folder_file(m->asked->out, m->experiment.name);
    if (folder == NULL)
        return lgkt_fail_memory(error, "a folder");
    // Results without a journal beside them were put there on purpose. Tables without a manifest,
    // which appears last, are no results but what a killed merge left.
    const bool published = io_folder_has(folder, exp_table_names[EXP_TABLE_MANIFEST]);
    const int code = published ? find(folder, "/" PATTERN, &journals) : 0;
    globfree(&journals);
    if (code == GLOB_NOMATCH)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "%s: holds %s without a journal; nothing was changed (use another --out)",
                         io_short_name(folder), exp_tables_found(folder));
    LGKT_TRY(code == 0 ? io_folder_make(folder, error) : lgkt_fail_memory(error, "a folder"));
    const exp_making making = {
        .keep_runs = m->asked->keep_runs, .jobs = 1, .seconds = exp_clock() - begin};
    return exp_store_tabulate(&m->store, folder, making, error);
}

static lgkt_status merge_all(merge *m, exp_merged *now, lgkt_error *error)
{
    const double begin = exp_clock();
    LGKT_TRY(find_journals(m->asked, &m->paths, error));
    for (size_t i = 0; i < m->paths.gl_pathc; i++) {
        m->path = m->paths.gl_pathv[i];
        LGKT_TRY(exp_store_add(&m->store, m->path, NULL, take_record, m, error));
    }
    now->journals = m->journals;
    if (now->journals == 0)
        return lgkt_fail(error, LGKT_ERR_FORMAT, "%s: holds nothing yet",
                         io_short_name(m->paths.gl_pathv[0]));
    now->found = exp_store_count(&m->store, (exp_shard){0}, &now->instances);
    now->complete = now->found == now->instances;
    snprintf(now->name, sizeof now->name, "%s", m->experiment.name);
    if (now->complete)
        return write_results(m, begin, error);
    tell_missing(m, now->missing);
    return LGKT_OK;
}

lgkt_status exp_merge(const exp_merging *merging, exp_merged *merged, lgkt_error *error)
{
    merge m = {.asked = merging};
    *merged = (exp_merged){0};
    const lgkt_status status = merge_all(&m, merged, error);
    exp_store_free(&m.store);
    exp_tasks_free(&m.tasks);
    exp_experiment_free(&m.experiment);
    exp_head_free(&m.head);
    free(m.folder);
    globfree(&m.paths);
    return status;
}
