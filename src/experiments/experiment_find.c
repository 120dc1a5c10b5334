// SPDX-License-Identifier: MIT
// Experiments by word (experiment.h): files, and what comes with the command.
//
// The folder of the latter is $LGKT_EXPERIMENTS; else share/lgkt/experiments beside the folder of
// an installed command, or experiments beside that of one in a build tree, or in the sources.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/text.h"
#include "experiments/experiment.h"
#include "io/io_folder.h"
#include "io/io_text.h"

// words for several of them: collections, in this order, then others
static const char *const WORDS[] = {"paper", "beyond", "arena", "all", "list"};
enum { COLLECTION_COUNT = 3, WORD_COUNT = sizeof WORDS / sizeof *WORDS, PATH_SIZE = 4096 };

// The folder of the experiments that come with the command, in `path`.
static lgkt_status find_folder(char path[PATH_SIZE], lgkt_error *error)
{
    static const char *const beside[] = {"/../share/lgkt/experiments", "/../experiments"};
    const char *given = getenv("LGKT_EXPERIMENTS");
    if (given != NULL && given[0] != '\0') {
        snprintf(path, PATH_SIZE, "%s", given);
        return access(path, R_OK | X_OK) == 0 ? LGKT_OK : io_fail_errno(error, given);
    }
    const ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 64);
    char *slash = NULL;
    if (length > 0) {
        path[length] = '\0';
        slash = strrchr(path, '/');
    }
    for (size_t i = 0; i < sizeof beside / sizeof *beside && slash != NULL; i++) {
        strcpy(slash, beside[i]);
        if (access(path, R_OK | X_OK) == 0)
            return LGKT_OK;
    }
    snprintf(path, PATH_SIZE, "%s", LGKT_EXPERIMENTS);
    if (access(path, R_OK | X_OK) == 0)
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_NO_FILE,
                     "the experiments that come with the command are not there; LGKT_EXPERIMENTS "
                     "can name their folder");
}

static bool is_file(const char *word)
{
    const size_t length = strlen(word);
    return strchr(word, '/') != NULL || (length > 5 && strcmp(word + length - 5, ".json") == 0);
}

static int is_experiment(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && is_file(entry->d_name);
}

// ---- choosing ----

// Takes an experiment over, also after a failure. One that is there already is there once.
static lgkt_status add(exp_choice *choice, exp_experiment *experiment, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    bool there = false;
    for (int32_t i = 0; i < choice->count && status == LGKT_OK && !there; i++) {
        const exp_experiment *other = &choice->items[i];
        if (strcmp(other->name, experiment->name) != 0)
            continue;
        there = strcmp(other->folder, experiment->folder) == 0 &&
                strcmp(other->file, experiment->file) == 0;
        if (!there)
            status =
                lgkt_fail(error, LGKT_ERR_CONFIG, "two experiments are named %s: %s%s and %s%s",
                          other->name, io_short_name(other->folder), other->file,
                          io_short_name(experiment->folder), experiment->file);
    }
    exp_experiment *more = status == LGKT_OK && !there
                               ? realloc(choice->items, ((size_t)choice->count + 1) * sizeof *more)
                               : NULL;
    if (more != NULL) {
        choice->items = more;
        more[choice->count++] = *experiment;
        return LGKT_OK;
    }
    exp_experiment_free(experiment);
    return status == LGKT_OK && !there ? lgkt_fail_memory(error, "experiments") : status;
}

static int rank(const char *collection)
{
    int i = 0;
    while (i < COLLECTION_COUNT && strcmp(WORDS[i], collection) != 0)
        i++;
    return i;
}

static int by_order(const void *a, const void *b)
{
    const exp_experiment *x = a, *y = b;
    const int64_t ranks = rank(x->collection) - rank(y->collection);
    const int64_t order = ranks != 0 ? ranks : x->order - y->order;
    return order != 0 ? (order > 0) - (order < 0) : strcmp(x->name, y->name);
}

// What comes with the command; {0} is not looked for yet.
typedef struct shelf {
    char folder[PATH_SIZE];
    struct dirent **files; // (count) named without ".json"
    int count;
} shelf;

static lgkt_status open_shelf(shelf *s, lgkt_error *error)
{
    if (s->files != NULL)
        return LGKT_OK;
    const lgkt_status status = find_folder(s->folder, error);
    if (status != LGKT_OK)
        return status;
    s->count = scandir(s->folder, &s->files, is_experiment, alphasort);
    if (s->count < 0)
        return io_fail_errno(error, s->folder);
    for (int i = 0; i < s->count; i++)
        s->files[i]->d_name[strlen(s->files[i]->d_name) - 5] = '\0';
    return LGKT_OK;
}

// the experiments, then the words for several of them, and for a list
static const char *name_at(const void *ctx, int32_t i)
{
    const shelf *s = ctx;
    return i < s->count                ? s->files[i]->d_name
           : i < s->count + WORD_COUNT ? WORDS[i - s->count]
                                       : NULL;
}

// What a word that is no file asks for.
static lgkt_status add_named(exp_choice *choice, const shelf *s, const char *word,
                             lgkt_error *error)
{
    const int32_t before = choice->count;
    lgkt_status status = LGKT_OK;
    bool found = false, single = false;
    for (int i = 0; i < s->count; i++)
        single = single || strcmp(s->files[i]->d_name, word) == 0;
    for (int i = 0; i < s->count && status == LGKT_OK; i++) {
        const char *name = s->files[i]->d_name;
        if (single && strcmp(name, word) != 0)
            continue;
        char path[PATH_SIZE + 300];
        exp_experiment experiment;
        snprintf(path, sizeof path, "%s/%s.json", s->folder, name);
        status = exp_experiment_read(&experiment, path, error);
        if (status != LGKT_OK)
            break;
        if (single || strcmp(word, "all") == 0 || strcmp(word, experiment.collection) == 0) {
            found = experiment.shipped = true;
            status = add(choice, &experiment, error);
        } else {
            exp_experiment_free(&experiment);
        }
    }
    if (choice->count > before)
        qsort(choice->items + before, (size_t)(choice->count - before), sizeof *choice->items,
              by_order);
    if (found || status != LGKT_OK)
        return status;
    const int shown = (int)lgkt_text_fit(word, 60);
    const char *near = lgkt_nearest(word, name_at, s);
    return near != NULL
               ? lgkt_fail(error, LGKT_ERR_UNKNOWN_NAME,
                           "unknown experiment \"%.*s\"; did you mean %s?", shown, word, near)
               : lgkt_fail(error, LGKT_ERR_UNKNOWN_NAME,
                           "unknown experiment \"%.*s\"; see lgkt reproduce list (a file "
                           "ends in .json)",
                           shown, word);
}

lgkt_status exp_choose(exp_choice *choice, const char *const *words, int32_t count,
                       lgkt_error *error)
{
    shelf s = {.count = 0};
    lgkt_status status = LGKT_OK;
    *choice = (exp_choice){0};
    for (int32_t i = 0; i < count && status == LGKT_OK; i++) {
        exp_experiment experiment;
        if (is_file(words[i])) {
            status = exp_experiment_read(&experiment, words[i], error);
            if (status == LGKT_OK)
                status = add(choice, &experiment, error);
            continue;
        }
        status = open_shelf(&s, error);
        if (status == LGKT_OK)
            status = add_named(choice, &s, words[i], error);
    }
    for (int i = 0; i < s.count; i++)
        free(s.files[i]);
    free(s.files);
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
