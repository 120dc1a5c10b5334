// SPDX-License-Identifier: MIT
// The result files (tables.h). Numbers are the shortest that read back as the same double; what is
// not known is an empty field. A text with a comma or a quote stands in quotes.
#include "experiments/tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "core/error.h"
#include "core/number.h"
#include "experiments/untold.h"
#include "io/io_folder.h"

const char *const exp_table_names[EXP_TABLE_COUNT] = {
    "curves.csv", "summary.csv", "pairs.csv", "runs.csv", "timings.json", "manifest.json",
};

const char *const exp_table_heads[EXP_TABLE_COUNT] = {
    "panel,learner,t,mean,ci95,n",
    ("panel,learner,spec,n,mean,ci95,share_of_optimum,best_other,difference,difference_ci95,score,"
     "random,median,worst_tenth"),
    "panel,t,learner,other,difference,ci95",
    "panel,learner,instance,value,mean,observed,optimum,gap,bound,distance,score,random",
};

// ---- fields ----

static void put_text(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

// "," and the number
static void put_real(FILE *out, double value)
{
    char text[LGKT_NUMBER_SIZE];
    fprintf(out, ",%s", isnan(value) ? "" : lgkt_number_print(text, value));
}

// ",mean,ci95"
static void put_moments(FILE *out, const exp_moments *moments)
{
    put_real(out, moments->mean);
    put_real(out, exp_moments_half_width(moments));
}

// "panel,learner"
static void put_learner(FILE *out, const exp_panel *panel, int32_t learner)
{
    put_text(out, panel->name);
    fputc(',', out);
    put_text(out, panel->entries[learner].label);
}

// ---- CSV ----

void exp_tables_run(exp_tables *tables, const exp_stage *stage, const exp_record *record)
{
    if (tables->files[EXP_TABLE_RUNS] == NULL)
        return;
    FILE *out = io_output_stream(tables->files[EXP_TABLE_RUNS]);
    const int64_t checkpoints = stage->setup.checkpoint_count;
    const bool exact = stage->setup.exact;
    for (int32_t l = 0; l < stage->setup.learner_count; l++) {
        const exp_score *score = &record->scores[l];
        const double values[] = {record->curve[(l + 1) * checkpoints - 1],
                                 score->reward,
                                 score->observed,
                                 record->optimum,
                                 exact ? score->gap : NAN,
                                 exact ? score->bound : NAN,
                                 exact ? score->distance : NAN,
                                 exp_scored(score->reward, record->random, record->optimum),
                                 record->random};
        put_learner(out, stage->panel, l);
        fprintf(out, ",%" PRId64, record->instance);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            put_real(out, values[i]);
        fputc('\n', out);
    }
}

// ---- opening ----

lgkt_status exp_tables_open(exp_tables *tables, const char *folder, const exp_tables_info *info,
                            lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    *tables = (exp_tables){0};
    for (int i = 0; i < EXP_TABLE_COUNT && status == LGKT_OK; i++) {
        if (i == EXP_TABLE_RUNS && !info->runs)
            continue;
        char *path = io_folder_file(folder, exp_table_names[i]);
        status = path != NULL ? io_output_open(path, &tables->files[i], error)
                              : lgkt_fail_memory(error, "tables");
        free(path);
        if (status == LGKT_OK && exp_table_heads[i] != NULL)
            fprintf(io_output_stream(tables->files[i]), "%s\n", exp_table_heads[i]);
    }
    if (status != LGKT_OK) {
        exp_tables_discard(tables);
        return status;
    }
    tables->manifest = io_json_start(io_output_stream(tables->files[EXP_TABLE_MANIFEST]));
    io_json *json = &tables->manifest;
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "experiment", info->experiment->name);
    io_json_text(json, "title", info->experiment->title);
    io_json_text(json, "place", info->experiment->place);
    io_json_text(json, "version", lgkt_version());
    io_json_unsigned(json, "seed", info->seed);
    if (info->prices[0] != '\0')
        io_json_text(json, "prices", info->prices);
    io_json_open(json, "panels", IO_JSON_ARRAY);

    tables->timings = io_json_start(io_output_stream(tables->files[EXP_TABLE_TIMINGS]));
    json = &tables->timings;
    io_json_open(json, NULL, IO_JSON_OBJECT);
    struct utsname host;
    const bool known = uname(&host) >= 0;
    io_json_open(json, "host", IO_JSON_RECORD);
    io_json_text(json, "name", known ? host.nodename : NULL);
    io_json_text(json, "system", known ? host.sysname : NULL);
    io_json_text(json, "release", known ? host.release : NULL);
    io_json_text(json, "machine", known ? host.machine : NULL);
    io_json_integer(json, "processors", sysconf(_SC_NPROCESSORS_ONLN));
    io_json_close(json);
    // the day, by the clock of the world
    const time_t now = time(NULL);
    struct tm parts;
    char day[32] = "";
    if (gmtime_r(&now, &parts) != NULL)
        strftime(day, sizeof day, "%Y-%m-%d", &parts);
    io_json_text(json, "date", day);
    io_json_integer(json, "jobs", info->jobs);
    io_json_real(json, "session_seconds", info->seconds);
    io_json_integer(json, "session_instances", info->instances_run);
    io_json_open(json, "panels", IO_JSON_ARRAY);
    return LGKT_OK;
}

// ---- a panel ----

// the rows of one learner in curves.csv and summary.csv
static void print_learner(exp_tables *tables, exp_reduction *reduction, int32_t learner)
{
    const exp_panel *panel = reduction->stage->panel;
    const exp_setup *setup = &reduction->stage->setup;
    FILE *out = io_output_stream(tables->files[EXP_TABLE_CURVES]);
    for (int32_t c = 0; c < setup->checkpoint_count; c++) {
        const exp_moments *point =
            &reduction->curve[(int64_t)learner * setup->checkpoint_count + c];
        put_learner(out, panel, learner);
        fprintf(out, ",%" PRId64, setup->checkpoints[c]);
        put_moments(out, point);
        fprintf(out, ",%" PRId64 "\n", point->n);
    }

    out = io_output_stream(tables->files[EXP_TABLE_SUMMARY]);
    const exp_moments final = exp_reduction_final(reduction, learner);
    const int32_t other = exp_reduction_best_other(reduction, learner);
    const double reward = reduction->reward[learner].mean, optimum = reduction->optimum.mean;
    put_learner(out, panel, learner);
    fputc(',', out);
    put_text(out, panel->entries[learner].spec);
    fprintf(out, ",%" PRId64, final.n);
    put_moments(out, &final);
    put_real(out, exp_share(reward, optimum));
    fputc(',', out);
    exp_moments difference = {.mean = NAN};
    if (other >= 0) {
        put_text(out, panel->entries[other].label);
        difference =
            exp_reduction_pair(reduction, reduction->stage->pair_count - 1, learner, other);
    }
    put_moments(out, &difference);
    const exp_spread spread = exp_reduction_spread(reduction, learner);
    put_real(out, exp_scored(reward, reduction->random.mean, optimum));
    put_real(out, reduction->random.mean);
    put_real(out, spread.median);
    put_real(out, spread.worst);
    fputc('\n', out);
}

static void print_manifest(io_json *json, const exp_reduction *reduction)
{
    const exp_stage *stage = reduction->stage;
    const exp_panel *panel = stage->panel;
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "name", panel->name);
    io_json_text(json, "env", panel->env);
    io_json_text(json, "note", stage->note);
    io_json_text(json, "metric", panel->measures[0].word);
    if (panel->measures[0].kind == EXP_MEASURE_REGRET) {
        io_json_integer(json, "regret_k", panel->regret_k);
        io_json_real(json, "regret_threshold", panel->regret_threshold);
    }
    io_json_integer(json, "horizon", panel->horizon);
    if (panel->untold)
        io_json_bool(json, "untold", true);
    io_json_integer(json, "instances", stage->setup.replicates);
    io_json_integer(json, "full_instances", panel->instances);
    io_json_real(json, "optimum", reduction->optimum.mean);
    io_json_real(json, "random", reduction->random.mean);
    io_json_open(json, "checkpoints", IO_JSON_LIST);
    for (int32_t c = 0; c < stage->setup.checkpoint_count; c++)
        io_json_integer(json, NULL, stage->times[c]);
    io_json_close(json);
    io_json_open(json, "learners", IO_JSON_ARRAY);
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const exp_entry *entry = &panel->entries[l];
        const exp_counters *counters = &reduction->counters[l];
        io_json_open(json, NULL, IO_JSON_OBJECT);
        io_json_text(json, "label", entry->label);
        io_json_text(json, "spec", entry->spec);
        io_json_text(json, "resolved", lgkt_learner_spec(stage->cast.games[l].learner));
        io_json_bool(json, "oracle", entry->oracle);
        if (panel->untold) {
            char untold[EXP_UNTOLD_SIZE];
            exp_untold_describe(stage->cast.games[l].learner, untold);
            io_json_text(json, "untold", untold);
        }
        io_json_real(json, "reward", reduction->reward[l].mean);
        io_json_real(json, "observed", reduction->observed[l].mean);
        if (!stage->setup.exact) {
            io_json_open(json, "counters", IO_JSON_RECORD);
            for (int32_t i = 0; i < counters->count; i++)
                io_json_real(json, counters->names[i],
                             (double)counters->totals[i] / (double)reduction->reward[l].n);
            io_json_close(json);
        }
        io_json_close(json);
    }
    io_json_close(json);
    io_json_close(json);
}

static void print_timings(io_json *json, const exp_reduction *reduction)
{
    const exp_stage *stage = reduction->stage;
    const exp_panel *panel = stage->panel;
    const double steps = (double)stage->setup.replicates * (double)panel->horizon;
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "name", panel->name);
    io_json_open(json, "learners", IO_JSON_ARRAY);
    for (int32_t l = 0; l < panel->entry_count; l++) {
        const double seconds = exp_sum_value(&reduction->seconds[l]);
        io_json_open(json, NULL, IO_JSON_RECORD);
        io_json_text(json, "label", panel->entries[l].label);
        io_json_real(json, "seconds", seconds);
        io_json_real(json, "steps_per_second", steps / seconds);
        io_json_close(json);
    }
    io_json_close(json);
    io_json_close(json);
}

void exp_tables_panel(exp_tables *tables, exp_reduction *reduction)
{
    const exp_stage *stage = reduction->stage;
    const exp_panel *panel = stage->panel;
    for (int32_t l = 0; l < panel->entry_count; l++)
        print_learner(tables, reduction, l);
    FILE *out = io_output_stream(tables->files[EXP_TABLE_PAIRS]);
    for (int32_t at = 0; at < stage->pair_count; at++)
        for (int32_t l = 0; l < panel->entry_count; l++)
            for (int32_t m = l + 1; m < panel->entry_count; m++) {
                const exp_moments difference = exp_reduction_pair(reduction, at, l, m);
                put_text(out, panel->name);
                fprintf(out, ",%" PRId64 ",", stage->times[stage->pair_places[at]]);
                put_text(out, panel->entries[l].label);
                fputc(',', out);
                put_text(out, panel->entries[m].label);
                put_moments(out, &difference);
                fputc('\n', out);
            }
    print_manifest(&tables->manifest, reduction);
    print_timings(&tables->timings, reduction);
}

// ---- closing ----

lgkt_status exp_tables_commit(exp_tables *tables, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    for (int depth = 0; depth < 2; depth++) {
        io_json_close(&tables->manifest);
        io_json_close(&tables->timings);
    }
    for (int i = 0; i < EXP_TABLE_COUNT && status == LGKT_OK; i++) {
        io_output *file = tables->files[i];
        tables->files[i] = NULL;
        if (file != NULL)
            status = io_output_commit(file, error);
    }
    exp_tables_discard(tables);
    return status;
}

void exp_tables_discard(exp_tables *tables)
{
    for (int i = 0; i < EXP_TABLE_COUNT; i++)
        io_output_discard(tables->files[i]);
    *tables = (exp_tables){0};
}
