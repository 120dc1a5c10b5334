// SPDX-License-Identifier: MIT
// From a panel to what is run (stage.h).
//
// Curves are looked at as `lgkt run` does, and also at the times where learners are compared in
// pairs. Exact values have one time, T.
#include "experiments/runner/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/hash.h"
#include "core/text.h"
#include "io/plain/io_folder.h"

#define FILE_SIZE 101 // of the name of a price file, as it is shown

static void set_times(exp_stage *stage)
{
    const exp_panel *panel = stage->panel;
    const int64_t horizon = panel->horizon;
    int64_t *times = stage->times;
    int32_t count = 0;
    if (stage->setup.exact) {
        times[count++] = horizon;
    } else if (panel->times == EXP_TIMES_GIVEN) {
        while (count < panel->given_count && panel->given_times[count] < horizon) {
            times[count] = panel->given_times[count];
            count++;
        }
        times[count++] = horizon;
    } else {
        count = panel->times == EXP_TIMES_LOG ? exp_log_checkpoints(horizon, times)
                                              : exp_checkpoints(horizon, times);
    }

    // these go into the increasing list from early to late, so that a place stays right
    for (int32_t i = 0; i < panel->compare_count && !stage->setup.exact; i++) {
        const int64_t t = panel->compare[i];
        int32_t place = 0;
        if (t >= horizon)
            break;
        while (times[place] < t)
            place++;
        if (times[place] != t) {
            memmove(times + place + 1, times + place, (size_t)(count - place) * sizeof *times);
            times[place] = t;
            count++;
        }
        stage->pair_places[stage->setup.compared_count++] = place;
    }
    stage->pair_places[stage->setup.compared_count++] = count - 1;
    stage->setup.compared = stage->pair_places;
    stage->setup.checkpoints = times;
    stage->setup.checkpoint_count = count;
}

lgkt_status exp_stage_make(exp_stage *stage, const exp_panel *panel,
                           const exp_stage_options *options, lgkt_error *error)
{
    const size_t count = (size_t)panel->entry_count;
    const exp_measure_kind main = panel->measures[0].kind;
    const lgkt_entry *env = io_env_entry(panel->env);
    *stage = (exp_stage){
        .panel = panel,
        .files = options->files,
        .trades = env != NULL && env->data == LGKT_DATA_SERIES,
        .learners = calloc(count, sizeof(const char *)),
        .alone = calloc(count, sizeof(bool)),
        .events = calloc((size_t)panel->measure_count, sizeof(exp_world)),
        .event_data = calloc((size_t)panel->measure_count, sizeof(io_data)),
        .setup = {.learner_count = panel->entry_count,
                  .horizon = panel->horizon,
                  .replicates = options->instances,
                  .seed = options->seed,
                  .jobs = 1,
                  .measures = panel->measures,
                  .measure_count = panel->measure_count,
                  .regret_threshold = panel->regret_threshold,
                  .exact = main == EXP_MEASURE_RATIO,
                  .units = panel->units.count > 0 ? &panel->units : NULL,
                  .untold = panel->untold},
    };
    const char *prices = stage->trades ? options->prices : NULL;
    const size_t size = strlen(panel->env) + (prices != NULL ? strlen(prices) : 0) + 16;
    stage->env = malloc(size);
    if (stage->env == NULL || stage->learners == NULL || stage->alone == NULL ||
        stage->events == NULL || stage->event_data == NULL) {
        exp_stage_free(stage);
        return lgkt_fail_memory(error, "a panel");
    }
    if (prices == NULL)
        snprintf(stage->env, size, "%s", panel->env);
    else
        snprintf(stage->env, size, "%s%cfile=(%s)", panel->env,
                 strchr(panel->env, ':') != NULL ? ',' : ':', prices);
    for (size_t l = 0; l < count; l++) {
        stage->learners[l] = panel->entries[l].spec;
        stage->alone[l] = panel->entries[l].alone;
    }
    stage->setup.world.spec = stage->env;
    stage->setup.learners = stage->learners;
    stage->setup.alone = stage->alone;
    set_times(stage);
    const char *folder = options->folder != NULL ? options->folder : "";
    const char *place = "";
    lgkt_error why = {0};
    lgkt_status status = exp_setup_check(&stage->setup, &why);
    if (status == LGKT_OK) {
        place = ".environment";
        status = options->files->read(options->files, prices == NULL ? folder : "", stage->env,
                                      &stage->data, &why);
    }
    stage->setup.world.data = stage->data.given;
    stage->setup.world.after = stage->data.after;
    for (int32_t m = 0; m < panel->measure_count && status == LGKT_OK; m++) {
        const exp_measure *measure = &panel->measures[m];
        if (measure->kind == EXP_MEASURE_REGRET)
            stage->setup.regret_k = panel->regret_k;
        for (int32_t e = 0; e < panel->event_count && measure->kind == EXP_MEASURE_EVENT; e++)
            if (strcmp(panel->events[e].name, measure->name) == 0)
                stage->events[m].spec = panel->events[e].env;
        place = ".events";
        if (stage->events[m].spec != NULL)
            status = options->files->read(options->files, folder, stage->events[m].spec,
                                          &stage->event_data[m], &why);
        else if (measure->kind == EXP_MEASURE_EVENT)
            status =
                lgkt_fail(&why, LGKT_ERR_UNKNOWN_NAME, "%s: there is no such event", measure->word);
        stage->events[m].data = stage->event_data[m].given;
        stage->events[m].after = stage->event_data[m].after;
    }
    stage->setup.events = stage->events;
    if (status == LGKT_OK) {
        place = ".environment";
        status = exp_cast_make(&stage->cast, &stage->setup, &why);
    }
    // the learner that would be wrong; exact values are those of one kind
    int32_t l = stage->cast.count;
    for (int32_t e = 0; e < panel->entry_count && stage->setup.exact && status == LGKT_OK; e++)
        if (strncmp(panel->entries[e].spec, "kstep:", 6) != 0) {
            l = e;
            status = lgkt_fail(&why, LGKT_ERR_UNSUPPORTED, "ratio is known for kstep:k=... only");
        }
    if (status != LGKT_OK) {
        const bool learner = stage->cast.env != NULL && l < panel->entry_count;
        place = stage->cast.env == NULL ? place : learner ? ".learners" : ".measure";
        // who of those that stand at one place in the file
        const char *who = learner               ? panel->entries[l].label
                          : panel->cell != NULL ? panel->name
                                                : "";
        if (options->file == NULL)
            lgkt_fail(error, status, "%s", why.text);
        else
            lgkt_fail(error, status, "%s: panels[%d]%s: %s%s%s%s", options->file, (int)panel->place,
                      place, who[0] != '\0' ? "\"" : "", who, who[0] != '\0' ? "\": " : "",
                      why.text);
        exp_stage_free(stage);
        return status;
    }
    // where prices are from, but not in which folder, which is another one on another machine
    char file[FILE_SIZE];
    if (prices != NULL) {
        lgkt_text_clean(file, sizeof file, io_base_name(prices));
        snprintf(stage->note, sizeof stage->note, "prices of %s", file);
    } else {
        lgkt_text_clean(stage->note, sizeof stage->note, lgkt_env_note(stage->cast.env));
    }
    return LGKT_OK;
}

void exp_stage_free(exp_stage *stage)
{
    exp_cast_free(&stage->cast);
    if (stage->files != NULL)
        stage->files->release(&stage->data);
    free(stage->env);
    free(stage->learners);
    free(stage->alone);
    for (int32_t m = 0; m < stage->setup.measure_count && stage->event_data != NULL; m++)
        stage->files->release(&stage->event_data[m]);
    free(stage->event_data);
    free(stage->events);
    *stage = (exp_stage){0};
}

// ---- whose journal it is ----

static uint64_t data_hash(const lgkt_data *data)
{
    uint64_t hash = LGKT_HASH_START;
    for (size_t i = 0; i < data->count && data->kind == LGKT_DATA_SERIES; i++)
        hash = lgkt_hash_f64(hash, data->series[i]);
    return data->kind == LGKT_DATA_MODEL ? lgkt_mdp_hash(data->model) : hash;
}

void exp_stage_prices(const exp_stage *stages, int32_t count, const char *path,
                      char text[EXP_PRICES_SIZE])
{
    char file[FILE_SIZE];
    text[0] = '\0';
    for (int32_t p = 0; p < count; p++)
        if (stages[p].trades && path == NULL) {
            snprintf(text, EXP_PRICES_SIZE, "random walk");
        } else if (stages[p].trades) {
            lgkt_text_clean(file, sizeof file, io_base_name(path));
            snprintf(text, EXP_PRICES_SIZE, "%s %016" PRIx64, file,
                     data_hash(&stages[p].setup.world.data));
        }
}

char *exp_stage_identity(const char *experiment, const exp_stage *stages, int32_t count,
                         uint64_t seed, const char *prices)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "experiment %s\nversion %s\nseed %" PRIu64 "\nprices %s\n", experiment,
            lgkt_version(), seed, prices[0] != '\0' ? prices : "none");
    for (int32_t p = 0; p < count; p++) {
        const exp_setup *setup = &stages[p].setup;
        fprintf(out, "panel %s\n", stages[p].panel->env);
        if (setup->world.data.kind != LGKT_DATA_NONE)
            fprintf(out, "data %016" PRIx64 "\n", data_hash(&setup->world.data));
        if (setup->world.after.kind != LGKT_DATA_NONE)
            fprintf(out, "after %016" PRIx64 "\n", data_hash(&setup->world.after));
        fprintf(out, "horizon %" PRId64 "\ninstances %" PRId64 "\n", setup->horizon,
                setup->replicates);
        if (setup->units != NULL)
            fprintf(out,
                    "units %d late %.17g missing %.17g patience %" PRId64 " told %" PRId64
                    " extended %" PRId64 "\n",
                    (int)setup->units->count, setup->units->late, setup->units->missing,
                    setup->units->patience, setup->units->told, setup->units->extended);
        for (int32_t m = 0; m < setup->measure_count; m++) {
            fprintf(out, "measure %s", setup->measures[m].word);
            if (setup->measures[m].kind == EXP_MEASURE_REGRET)
                fprintf(out, " %" PRId64 " %.17g", setup->regret_k, setup->regret_threshold);
            if (setup->measures[m].kind == EXP_MEASURE_EVENT)
                fprintf(out, " %s", setup->events[m].spec);
            if (setup->events[m].data.kind != LGKT_DATA_NONE)
                fprintf(out, " %016" PRIx64, data_hash(&setup->events[m].data));
            fputc('\n', out);
        }
        for (int32_t l = 0; l < setup->learner_count; l++)
            fprintf(out, "%s%s %s\n", setup->units != NULL && setup->alone[l] ? "alone " : "",
                    setup->untold ? "untold" : "learner", setup->learners[l]);
        fputs("times", out);
        for (int32_t c = 0; c < setup->checkpoint_count; c++)
            fprintf(out, " %" PRId64, setup->checkpoints[c]);
        fputc('\n', out);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
