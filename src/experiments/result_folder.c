// SPDX-License-Identifier: MIT
// Reading result folders. Names of experiments, panels and learners must be those of the catalog,
// so a folder made by another version is refused and not half understood.

#include "experiments/result_folder.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/elementary.h"
#include "core/error.h"
#include "core/text.h"
#include "experiments/csv_table.h"
#include "io/io_folder.h"
#include "io/io_text.h"

#define CURVE_HEAD "panel,learner,t,mean,ci95,n"
#define SUMMARY_HEAD                                                                               \
    "panel,learner,spec,n,mean,ci95,share_of_optimum,best_other,difference,difference_ci95,score," \
    "random,median,worst_tenth"
#define PAIR_HEAD "panel,t,learner,other,difference,ci95"
#define RUN_HEAD                                                                                   \
    "panel,learner,instance,value,mean,observed,optimum,gap,bound,distance,score,random"

#define LARGEST_JSON ((size_t)1 << 24)

static lgkt_status out_of_memory(lgkt_error *error)
{
    return lgkt_fail_memory(error, "results");
}

// ---- names ----

int32_t exp_panel_find(const exp_panel *panel, const char *label)
{
    for (int32_t i = 0; i < panel->entry_count; i++)
        if (strcmp(panel->entries[i].label, label) == 0)
            return i;
    return -1;
}

static exp_panel_data *find_panel(const exp_folder *folder, const char *name)
{
    for (int32_t p = 0; p < folder->experiment->panel_count; p++)
        if (strcmp(folder->panels[p].panel->name, name) == 0)
            return &folder->panels[p];
    return NULL;
}

// A row of a table that is being read.
typedef struct row {
    const exp_csv *csv;
    int64_t number;
    lgkt_error *error;
    exp_panel_data *data; // its panel
} row;

static lgkt_status learner_of(const row *r, int32_t column, int32_t *learner)
{
    const char *label = exp_csv_text(r->csv, r->number, column);
    *learner = exp_panel_find(r->data->panel, label);
    if (*learner < 0)
        return exp_csv_fail(r->csv, r->number, r->error,
                            "this version has no such learner:", label);
    return LGKT_OK;
}

// ---- rows ----

static lgkt_status real_of(const row *r, int32_t column, double *value)
{
    return exp_csv_real(r->csv, r->number, column, value, r->error);
}

static lgkt_status count_of(const row *r, int32_t column, int64_t *value)
{
    return exp_csv_count(r->csv, r->number, column, value, r->error);
}

// numbers in neighbouring columns; where the field is NULL there is a text, or nothing of interest
static lgkt_status take_reals(const row *r, int32_t column, double *const *fields, int32_t count)
{
    lgkt_status status = LGKT_OK;
    for (int32_t i = 0; i < count && status == LGKT_OK; i++)
        if (fields[i] != NULL)
            status = real_of(r, column + i, fields[i]);
    return status;
}

// Makes room for one more element; the arrays grow by doubling.
static bool grow(void **array, int64_t count, int64_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    const int64_t wanted = *capacity > 0 ? 2 * *capacity : 64;
    void *grown = realloc(*array, (size_t)wanted * size);
    if (grown == NULL)
        return false;
    *array = grown;
    *capacity = wanted;
    return true;
}

static lgkt_status add_mark(const row *r)
{
    int32_t learner = 0;
    exp_mark mark = {0};
    int64_t n = 0;
    lgkt_status status = learner_of(r, 1, &learner);
    if (status == LGKT_OK)
        status = count_of(r, 2, &mark.t);
    if (status == LGKT_OK)
        status = real_of(r, 3, &mark.mean);
    if (status == LGKT_OK)
        status = real_of(r, 4, &mark.ci95);
    if (status == LGKT_OK)
        status = count_of(r, 5, &n);
    if (status != LGKT_OK)
        return status;
    exp_track *track = &r->data->tracks[learner];
    if (track->count > 0 && mark.t <= track->marks[track->count - 1].t)
        return exp_csv_fail(r->csv, r->number, r->error, "times must increase, but here is",
                            exp_csv_text(r->csv, r->number, 2));
    int64_t capacity = track->capacity;
    void *marks = track->marks;
    if (!grow(&marks, track->count, &capacity, sizeof mark))
        return out_of_memory(r->error);
    track->marks = marks;
    track->capacity = (int32_t)capacity;
    track->marks[track->count++] = mark;
    return LGKT_OK;
}

static lgkt_status set_summary(const row *r)
{
    int32_t learner = 0;
    lgkt_status status = learner_of(r, 1, &learner);
    if (status != LGKT_OK)
        return status;
    exp_track *track = &r->data->tracks[learner];
    if (track->n > 0)
        return exp_csv_fail(r->csv, r->number, r->error,
                            "comes twice:", exp_csv_text(r->csv, r->number, 1));
    double *const fields[] = {&track->mean,       &track->ci95,
                              &track->share,      NULL,
                              &track->difference, &track->difference_ci95,
                              &track->score,      NULL,
                              &track->median,     &track->worst};
    status = count_of(r, 3, &track->n);
    if (status == LGKT_OK)
        status = take_reals(r, 4, fields, 10);
    const char *other = exp_csv_text(r->csv, r->number, 7);
    if (status == LGKT_OK && other[0] != '\0')
        status = learner_of(r, 7, &learner);
    if (status == LGKT_OK)
        snprintf(track->best_other, sizeof track->best_other, "%s", other);
    return status;
}

static lgkt_status add_pair(const row *r)
{
    exp_pair pair = {0};
    lgkt_status status = count_of(r, 1, &pair.t);
    if (status == LGKT_OK)
        status = learner_of(r, 2, &pair.learner);
    if (status == LGKT_OK)
        status = learner_of(r, 3, &pair.other);
    if (status == LGKT_OK)
        status = real_of(r, 4, &pair.difference);
    if (status == LGKT_OK)
        status = real_of(r, 5, &pair.ci95);
    if (status == LGKT_OK)
        r->data->pairs[r->data->pair_count++] = pair;
    return status;
}

static lgkt_status add_sample(const row *r)
{
    int32_t learner = 0;
    exp_sample sample = {0};
    double *const fields[] = {&sample.value,   NULL, NULL, NULL, &sample.gap, &sample.bound,
                              &sample.distance};
    lgkt_status status = learner_of(r, 1, &learner);
    if (status == LGKT_OK)
        status = take_reals(r, 3, fields, 7);
    if (status != LGKT_OK || r->data->panel->metric != EXP_METRIC_RATIO)
        return status;
    exp_track *track = &r->data->tracks[learner];
    void *samples = track->samples;
    if (!grow(&samples, track->sample_count, &track->sample_capacity, sizeof sample))
        return out_of_memory(r->error);
    track->samples = samples;
    track->samples[track->sample_count++] = sample;
    return LGKT_OK;
}

// ---- tables ----

typedef struct table {
    const char *name, *head;
    bool optional;
    lgkt_status (*take)(const row *r);
} table;

static const table tables[] = {
    {"curves.csv", CURVE_HEAD, false, add_mark},
    {"summary.csv", SUMMARY_HEAD, false, set_summary},
    {"pairs.csv", PAIR_HEAD, false, add_pair},
    {"runs.csv", RUN_HEAD, true, add_sample},
};

static lgkt_status read_table(exp_folder *folder, const table *kind, lgkt_error *error)
{
    if (kind->optional && !io_folder_has(folder->path, kind->name))
        return LGKT_OK;
    char *path = io_folder_file(folder->path, kind->name);
    if (path == NULL)
        return out_of_memory(error);
    exp_csv csv;
    lgkt_status status = exp_csv_read(path, kind->head, &csv, error);
    if (status != LGKT_OK) {
        free(path);
        return status;
    }
    // pairs are counted by the rows of the table: one array for each panel, large enough for all
    for (int32_t p = 0; kind->take == add_pair && p < folder->experiment->panel_count; p++) {
        folder->panels[p].pairs = calloc((size_t)csv.rows + 1, sizeof *folder->panels[p].pairs);
        if (folder->panels[p].pairs == NULL)
            status = out_of_memory(error);
    }
    for (int64_t i = 0; i < csv.rows && status == LGKT_OK; i++) {
        const char *name = exp_csv_text(&csv, i, 0);
        const row r = {&csv, i, error, find_panel(folder, name)};
        status = r.data != NULL
                     ? kind->take(&r)
                     : exp_csv_fail(&csv, i, error, "this version has no such panel:", name);
    }
    exp_csv_free(&csv);
    free(path);
    return status;
}

// ---- manifest and timings ----

static lgkt_status read_json(const exp_folder *folder, const char *name, json_t **root,
                             lgkt_error *error)
{
    json_error_t why = {.line = 0}; // jansson leaves parts of it unset when memory is out
    char *path = io_folder_file(folder->path, name);
    if (path == NULL)
        return out_of_memory(error);
    char *bytes = NULL;
    size_t size = 0;
    lgkt_status status = io_file_read(path, LARGEST_JSON, &bytes, &size, error);
    *root = status == LGKT_OK ? json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &why) : NULL;
    free(bytes);
    if (status == LGKT_OK && *root == NULL) {
        const io_place place = {.name = path, .line = why.line > 0 ? why.line : 0, .error = error};
        status = io_fail_at(&place, LGKT_ERR_SPEC, "%s", why.text);
    } else if (status == LGKT_OK && !json_is_object(*root)) {
        json_decref(*root);
        status = lgkt_fail(error, LGKT_ERR_SPEC, "%s: is no JSON object", io_short_name(path));
    }
    free(path);
    return status;
}

// a text or a whole number as text; empty if there is none
static void copy_field(const json_t *root, const char *key, char text[EXP_FIELD_SIZE])
{
    const json_t *value = json_object_get(root, key);
    text[0] = '\0';
    if (json_is_string(value))
        lgkt_text_clean(text, EXP_FIELD_SIZE, json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, EXP_FIELD_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
}

// what differs between runs; nothing of it is needed
static lgkt_status read_timings(exp_folder *folder, lgkt_error *error)
{
    json_t *root = NULL;
    folder->run_seconds = NAN;
    if (!io_folder_has(folder->path, "timings.json"))
        return LGKT_OK;
    const lgkt_status status = read_json(folder, "timings.json", &root, error);
    if (status != LGKT_OK)
        return status;
    copy_field(root, "date", folder->date);
    folder->run_seconds = 0;

    // the machine without its name
    const json_t *host = json_object_get(root, "host");
    char parts[3][EXP_FIELD_SIZE], whole[4 * EXP_FIELD_SIZE];
    static const char *const keys[] = {"processors", "machine", "system"};
    for (int i = 0; i < 3; i++)
        copy_field(host, keys[i], parts[i]);
    snprintf(whole, sizeof whole, "%s processors %s, %s", parts[0], parts[1], parts[2]);
    lgkt_text_clean(folder->host, sizeof folder->host, parts[1][0] != '\0' ? whole : "");

    // the seconds of every learner: panels[].learners[] with label and seconds
    size_t p, l;
    const json_t *panel, *learner;
    json_array_foreach(json_object_get(root, "panels"), p, panel)
    {
        const char *name = json_string_value(json_object_get(panel, "name"));
        exp_panel_data *data = name != NULL ? find_panel(folder, name) : NULL;
        json_array_foreach(json_object_get(panel, "learners"), l, learner)
        {
            const char *label = json_string_value(json_object_get(learner, "label"));
            const int32_t i =
                data != NULL && label != NULL ? exp_panel_find(data->panel, label) : -1;
            if (i < 0)
                continue;
            data->tracks[i].seconds = json_number_value(json_object_get(learner, "seconds"));
            folder->run_seconds += data->tracks[i].seconds;
        }
    }
    json_decref(root);
    return LGKT_OK;
}

// ---- one folder ----

static void free_folder(exp_folder *folder)
{
    if (folder == NULL)
        return;
    for (int32_t p = 0; folder->panels != NULL && p < folder->experiment->panel_count; p++) {
        exp_panel_data *data = &folder->panels[p];
        for (int32_t l = 0; data->tracks != NULL && l < data->panel->entry_count; l++) {
            free(data->tracks[l].marks);
            free(data->tracks[l].samples);
        }
        free(data->tracks);
        free(data->pairs);
    }
    free(folder->panels);
    free(folder->path);
    free(folder);
}

// the manifest, and room for the panels it names
static lgkt_status read_manifest(exp_folder *folder, lgkt_error *error)
{
    json_t *root = NULL;
    lgkt_status status = read_json(folder, "manifest.json", &root, error);
    if (status != LGKT_OK)
        return status;
    char name[EXP_FIELD_SIZE];
    copy_field(root, "experiment", name);
    copy_field(root, "version", folder->version);
    copy_field(root, "seed", folder->seed);
    copy_field(root, "prices", folder->prices);
    json_decref(root);
    const exp_experiment *experiment = folder->experiment = exp_experiment_find(name);
    if (experiment == NULL)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "%s/manifest.json: this version has no experiment \"%.*s\"",
                         io_short_name(folder->path), (int)lgkt_text_fit(name, 60), name);
    folder->panels = calloc((size_t)experiment->panel_count, sizeof *folder->panels);
    if (folder->panels == NULL)
        return out_of_memory(error);
    for (int32_t p = 0; p < experiment->panel_count; p++) {
        const int32_t entries = experiment->panels[p].entry_count;
        exp_track *tracks = calloc((size_t)entries, sizeof *tracks);
        folder->panels[p] = (exp_panel_data){.panel = &experiment->panels[p], .tracks = tracks};
        if (tracks == NULL)
            status = out_of_memory(error);
        for (int32_t l = 0; tracks != NULL && l < entries; l++)
            tracks[l].seconds = NAN;
    }
    return status;
}

// ---- all folders ----

static lgkt_status add_folder(exp_results *results, const char *path, lgkt_error *error)
{
    exp_folder *folder = calloc(1, sizeof *folder);
    if (folder == NULL)
        return out_of_memory(error);
    folder->path = strdup(path);
    lgkt_status status = folder->path != NULL ? read_manifest(folder, error) : out_of_memory(error);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == LGKT_OK; i++)
        status = read_table(folder, &tables[i], error);
    if (status == LGKT_OK)
        status = read_timings(folder, error);
    if (status == LGKT_OK && (exp_results_find(results, folder->experiment->name) != NULL ||
                              results->count == EXP_MAX_FOLDERS))
        status = lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s: %s was read already", io_short_name(path),
                           folder->experiment->name);
    if (status == LGKT_OK)
        results->folders[results->count++] = folder;
    else
        free_folder(folder);
    return status;
}

// in the order of the catalog
static int by_catalog(const void *a, const void *b)
{
    const exp_experiment *first = (*(exp_folder *const *)a)->experiment;
    const exp_experiment *second = (*(exp_folder *const *)b)->experiment;
    int32_t i = 0;
    while (exp_experiment_at(i) != first && exp_experiment_at(i) != second)
        i++;
    return first == second ? 0 : exp_experiment_at(i) == first ? -1 : 1;
}

// ---- public ----

lgkt_status exp_results_read(const char *const *paths, int32_t count, exp_results *results,
                             lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    *results = (exp_results){0};
    for (int32_t i = 0; i < count && status == LGKT_OK; i++) {
        if (io_folder_has(paths[i], "manifest.json")) {
            status = add_folder(results, paths[i], error);
            continue;
        }
        // no result folder itself: those in it that bear the name of an experiment
        const int32_t before = results->count;
        const exp_experiment *inner;
        for (int32_t e = 0; (inner = exp_experiment_at(e)) != NULL && status == LGKT_OK; e++) {
            char *path = io_folder_file(paths[i], inner->name);
            if (path == NULL)
                status = out_of_memory(error);
            else if (io_folder_has(path, "manifest.json"))
                status = add_folder(results, path, error);
            free(path);
        }
        if (status == LGKT_OK && results->count == before)
            status = lgkt_fail(error, LGKT_ERR_NO_FILE, "%s: no finished results%s",
                               io_short_name(paths[i]),
                               io_folder_has(paths[i], "journal.bin")
                                   ? "; the reproduce command that began here goes on with it"
                                   : "");
    }
    if (status != LGKT_OK)
        exp_results_free(results);
    else
        qsort(results->folders, (size_t)results->count, sizeof *results->folders, by_catalog);
    return status;
}

void exp_results_free(exp_results *results)
{
    for (int32_t i = 0; i < results->count; i++)
        free_folder(results->folders[i]);
    *results = (exp_results){0};
}

const exp_folder *exp_results_find(const exp_results *results, const char *experiment)
{
    for (int32_t i = 0; i < results->count; i++)
        if (strcmp(results->folders[i]->experiment->name, experiment) == 0)
            return results->folders[i];
    return NULL;
}

const exp_panel_data *exp_folder_panel(const exp_folder *folder, const char *panel)
{
    return find_panel(folder, panel);
}

int64_t exp_panel_instances(const exp_panel_data *data)
{
    int64_t most = 0;
    for (int32_t l = 0; l < data->panel->entry_count; l++)
        most = data->tracks[l].n > most ? data->tracks[l].n : most;
    return most;
}

bool exp_panel_difference(const exp_panel_data *data, int32_t learner, int32_t other, int64_t t,
                          double *difference, double *ci95)
{
    for (int64_t i = 0; i < data->pair_count; i++) {
        const exp_pair *pair = &data->pairs[i];
        const bool same = pair->learner == learner && pair->other == other;
        if (pair->t != t || (!same && (pair->learner != other || pair->other != learner)))
            continue;
        *difference = same ? pair->difference : -pair->difference;
        *ci95 = pair->ci95;
        return true;
    }
    return false;
}

bool exp_track_mean(const exp_track *track, int64_t t, double *mean)
{
    int32_t i = 0;
    while (i < track->count && track->marks[i].t < t)
        i++;
    if (i == track->count || (i == 0 && track->marks[0].t != t))
        return false;
    *mean = track->marks[i].mean;
    if (track->marks[i].t == t)
        return true;
    const exp_mark *low = &track->marks[i - 1], *high = &track->marks[i];
    const double part =
        lgkt_log((double)t / (double)low->t) / lgkt_log((double)high->t / (double)low->t);
    *mean = low->mean + part * (high->mean - low->mean);
    return true;
}
