// SPDX-License-Identifier: MIT
// Experiments from files and by word (experiment.h): what one names, and what comes with the command.
//
// The folder of the latter is $LGKT_EXPERIMENTS; else share/lgkt/experiments beside the folder of
// an installed command, or experiments beside that of one in a Python package or a build tree, or in
// the sources.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "experiments/reader/experiment_file.h"
#include "io/formats/io_document.h"
#include "io/plain/io_folder.h"

// ---- files ----

lgkt_status exp_experiment_parse(exp_experiment *experiment, const char *bytes, size_t size,
                                 const char *path, lgkt_error *error)
{
    io_document *d = calloc(1, sizeof *d);
    *experiment = (exp_experiment){0};
    if (d == NULL)
        return lgkt_fail_memory(error, "an experiment");
    d->file = (io_place){.name = path, .error = error};
    io_document_parse(d, bytes, size);
    exp_experiment_fill(experiment, d, bytes, size, path);
    const lgkt_status status = d->status;
    if (status != LGKT_OK)
        exp_experiment_free(experiment);
    return status;
}

lgkt_status exp_experiment_read(exp_experiment *experiment, const char *path, lgkt_error *error)
{
    char *bytes = NULL;
    size_t size = 0;
    *experiment = (exp_experiment){0};
    LGKT_TRY(io_file_read(path, EXP_FILE_BYTES, &bytes, &size, error));
    const lgkt_status status = exp_experiment_parse(experiment, bytes, size, path, error);
    free(bytes);
    return status;
}

// ---- words ----

// collections in the order in which they are listed, then other words
static const char *const WORDS[] = {"paper", "beyond", "arena", "practice", "all", "list"};
enum { COLLECTION_COUNT = 4, WORD_COUNT = sizeof WORDS / sizeof *WORDS, PATH_SIZE = 4096 };

static const char *find_folder(char path[PATH_SIZE])
{
    static const char *const beside[] = {"/../share/lgkt/experiments", "/../experiments"};
    const char *given = getenv("LGKT_EXPERIMENTS");
    if (given != NULL && given[0] != '\0')
        return given;
    const ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 64);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    for (size_t i = 0; i < sizeof beside / sizeof *beside && slash != NULL; i++) {
        strcpy(slash, beside[i]);
        if (access(path, R_OK) == 0)
            return path;
    }
#ifdef LGKT_EXPERIMENTS
    return LGKT_EXPERIMENTS;
#else
    return path; // where they should be
#endif
}

static bool is_file(const char *word)
{
    const size_t length = strlen(word);
    return strchr(word, '/') != NULL || (length > 5 && strcmp(word + length - 5, ".json") == 0);
}

static int64_t rank(const exp_experiment *experiment)
{
    int64_t i = 0;
    while (i < COLLECTION_COUNT && strcmp(WORDS[i], experiment->collection) != 0)
        i++;
    return i * INT32_MAX + experiment->order;
}

static int by_order(const void *a, const void *b)
{
    const exp_experiment *x = a, *y = b;
    return rank(x) != rank(y) ? (rank(x) > rank(y)) - (rank(x) < rank(y))
                              : strcmp(x->name, y->name);
}

// Moves what was read. One that is there already is there once; two of one name would go to one
// folder.
static lgkt_status push(exp_choice *choice, exp_experiment *experiment, lgkt_error *error)
{
    for (int32_t i = 0; i < choice->count; i++) {
        const exp_experiment *other = &choice->items[i];
        if (strcmp(other->name, experiment->name) == 0)
            return other->panels == experiment->panels
                       ? LGKT_OK
                       : lgkt_fail(error, LGKT_ERR_CONFIG,
                                   "two experiments are named %s: %s%s and %s%s", other->name,
                                   io_short_name(other->folder), other->file,
                                   io_short_name(experiment->folder), experiment->file);
    }
    exp_experiment *more = realloc(choice->items, ((size_t)choice->count + 1) * sizeof *more);
    if (more == NULL)
        return lgkt_fail_memory(error, "experiments");
    choice->items = more;
    more[choice->count++] = *experiment;
    experiment->memory = NULL; // who has it can still be read
    return LGKT_OK;
}

static lgkt_status push_file(exp_choice *choice, const char *path, bool shipped, lgkt_error *error)
{
    exp_experiment experiment;
    LGKT_TRY(exp_experiment_read(&experiment, path, error));
    experiment.shipped = shipped;
    const lgkt_status status = push(choice, &experiment, error);
    exp_experiment_free(&experiment);
    return status;
}

// All that come with the command, in order.
static lgkt_status open_shelf(exp_choice *shelf, lgkt_error *error)
{
    char buffer[PATH_SIZE];
    const char *folder = find_folder(buffer);
    DIR *files = opendir(folder);
    if (files == NULL)
        return lgkt_fail(error, LGKT_ERR_NO_FILE,
                         "%s: there are no experiments (LGKT_EXPERIMENTS can name their folder)",
                         io_short_name(folder));
    lgkt_status status = LGKT_OK;
    for (struct dirent *file; status == LGKT_OK && (file = readdir(files)) != NULL;) {
        if (file->d_name[0] == '.' || !is_file(file->d_name))
            continue;
        char *path = io_folder_file(folder, file->d_name);
        struct stat info;
        if (path == NULL)
            status = lgkt_fail_memory(error, "experiments");
        // to open a pipe would be to wait for its writer
        else if (stat(path, &info) != 0 || S_ISREG(info.st_mode))
            status = push_file(shelf, path, true, error);
        free(path);
    }
    closedir(files);
    if (shelf->count > 0)
        qsort(shelf->items, (size_t)shelf->count, sizeof *shelf->items, by_order);
    return status;
}

static lgkt_status push_named(exp_choice *choice, const exp_choice *shelf, const char *word,
                              lgkt_error *error)
{
    bool found = false;
    for (int32_t i = 0; i < shelf->count; i++) {
        exp_experiment *experiment = &shelf->items[i];
        if (strcmp(word, experiment->name) == 0 || strcmp(word, experiment->collection) == 0 ||
            strcmp(word, "all") == 0) {
            found = true;
            LGKT_TRY(push(choice, experiment, error));
        }
    }
    if (found)
        return LGKT_OK;
    lgkt_hint hint = {.word = word};
    for (int32_t i = 0; i < shelf->count; i++)
        lgkt_hint_add(&hint, shelf->items[i].name);
    // the words for several of them and for a list
    for (int32_t i = 0; i < WORD_COUNT; i++)
        lgkt_hint_add(&hint, WORDS[i]);
    const char *near = hint.nearest;
    if (near != NULL && strcmp(near, word) == 0)
        return lgkt_fail(error, LGKT_ERR_UNKNOWN_NAME,
                         "there are no experiments that \"%s\" stands for; see lgkt reproduce list",
                         word);
    return lgkt_fail(error, LGKT_ERR_UNKNOWN_NAME, "unknown experiment \"%.*s\"; %s%s%s",
                     (int)lgkt_text_fit(word, 60), word, near != NULL ? "did you mean " : "",
                     near != NULL ? near : "see lgkt reproduce list (a file ends in .json)",
                     near != NULL ? "?" : "");
}

lgkt_status exp_choose(exp_choice *choice, const char *const *words, int32_t count,
                       lgkt_error *error)
{
    exp_choice shelf = {0};
    lgkt_status status = LGKT_OK;
    *choice = (exp_choice){0};
    for (int32_t i = 0; i < count && status == LGKT_OK; i++) {
        if (!is_file(words[i]) && shelf.items == NULL)
            status = open_shelf(&shelf, error);
        if (status == LGKT_OK)
            status = is_file(words[i]) ? push_file(choice, words[i], false, error)
                                       : push_named(choice, &shelf, words[i], error);
    }
    exp_choice_free(&shelf); // what was not chosen
    if (status != LGKT_OK)
        exp_choice_free(choice);
    return status;
}

void exp_choice_free(exp_choice *choice)
{
    for (int32_t i = 0; i < choice->count; i++)
        exp_experiment_free(&choice->items[i]);
    free(choice->items);
    *choice = (exp_choice){0};
}
