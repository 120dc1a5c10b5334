// SPDX-License-Identifier: MIT
// The result files (tables.h). All CSV files have the same columns. Numbers are the shortest that
// read back as the same double; what does not exist is an empty field. A text with a comma or a
// quote stands in quotes.
#include "experiments/runner/tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "core/error.h"
#include "core/hash.h"
#include "core/number.h"
#include "io/plain/io_folder.h"

const char *const exp_table_names[EXP_TABLE_COUNT] = {
    "curves.csv", "summary.csv", "pairs.csv", "runs.csv", "timings.json", "manifest.json",
};

// ---- what the words mean ----

enum { COLUMN_COUNT = 9 };

static const char *const COLUMNS[COLUMN_COUNT][2] = {
    {"panel", "name of the panel"},
    {"learner", "label of the learner; empty: a number of the environment"},
    {"other", "label of the learner that is subtracted, on the same instances; empty: none"},
    {"measure", "what was measured, see measures"},
    {"t", "steps played"},
    {"instance", "number of the instance, from 0; empty: all of them"},
    {"n", "instances that the mean is over"},
    {"mean", "mean over the instances; empty: does not exist"},
    {"ci95", "half the width of Student's 95% interval of the mean; empty: there is none"},
};

typedef struct term {
    const char *name, *meaning, *unit, *better;
} term;

static const char STEP[] = "reward per step", SAME[] = "that of the measure";

static const term KINDS[] = {
    [EXP_MEASURE_AVERAGE] = {"", "expected reward per step so far", STEP, "higher"},
    [EXP_MEASURE_CUMULATIVE] = {"", "observed reward so far", "reward", "higher"},
    [EXP_MEASURE_REGRET] = {"", "regret so far to K-step thresholding", "reward", "lower"},
    [EXP_MEASURE_RATIO] = {"", "value of K-step greedy / optimum, exact", "share", "higher"},
    [EXP_MEASURE_COUNTER] = {"", "counter of the learner so far", "count", "none"},
    [EXP_MEASURE_EVENT] = {"", "mean rewards of the pairs played in the environment of the event",
                           "reward so far", "none"},
};

enum { REWARD, OBSERVED, SCORE, SHARE, MEDIAN, WORST, OPTIMUM, RANDOM, GAP, BOUND, DISTANCE };

static const term WORDS[] = {
    [REWARD] = {"reward", "expected reward per step of whole runs", STEP, "higher"},
    [OBSERVED] = {"observed", "observed reward per step of whole runs", STEP, "higher"},
    [SCORE] = {"score", "100 (reward - random) / (optimum - random), of means", "points", "higher"},
    [SHARE] = {"share", "reward / optimum, of means, if that is above 0", "share", "higher"},
    [MEDIAN] = {"median", "of the first measure of the panel at the end", SAME, "none"},
    [WORST] = {"worst_tenth", "mean of the worst tenth by the first measure", SAME, "none"},
    [OPTIMUM] = {"optimum", "most that can be expected with full knowledge, exact", STEP, "none"},
    [RANDOM] = {"random", "expected of uniform actions, exact", STEP, "none"},
    [GAP] = {"gap", "optimum - value of K-step greedy, exact", STEP, "lower"},
    [BOUND] = {"bound", "what Theorem 3.5 allows for the gap", STEP, "none"},
    [DISTANCE] = {"distance", "sum of L1 distances in that bound", "per step", "none"},
};

// ---- rows ----

// What is not said is that of the whole panel: all instances, and the end of the run.
typedef struct line {
    const exp_setup *setup;
    const exp_entry *learner, *other; // nullable
    const char *measure;
    int64_t t;               // 0: the horizon
    const int64_t *instance; // the only one that it is about; nullable
    exp_estimate value;
} line;

static void put_byte(exp_table *table, char byte)
{
    putc(byte, table->out);
    table->hash = lgkt_hash_bytes(table->hash, &byte, 1);
}

// a field, and what stands behind it
static void put(exp_table *table, const char *text, char behind)
{
    const bool quoted = strpbrk(text, ",\"\n") != NULL;
    if (quoted)
        put_byte(table, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"')
            put_byte(table, '"');
        put_byte(table, *text);
    }
    if (quoted)
        put_byte(table, '"');
    put_byte(table, behind);
}

static void put_row(exp_table *table, line row)
{
    const exp_panel *panel = row.setup->panel;
    const double reals[2] = {row.value.mean, row.value.ci95};
    char t[32], instance[32] = "", n[32], texts[2][LGKT_NUMBER_SIZE] = {"", ""};
    snprintf(t, sizeof t, "%" PRId64, row.t > 0 ? row.t : panel->horizon);
    if (row.instance != NULL)
        snprintf(instance, sizeof instance, "%" PRId64, *row.instance);
    snprintf(n, sizeof n, "%" PRId64, row.instance != NULL ? 1 : row.setup->instances);
    for (int i = 0; i < 2; i++)
        if (!isnan(reals[i]))
            lgkt_number_print(texts[i], reals[i]);
    const char *const fields[COLUMN_COUNT] = {panel->name,
                                              row.learner != NULL ? row.learner->label : "",
                                              row.other != NULL ? row.other->label : "",
                                              row.measure,
                                              t,
                                              instance,
                                              n,
                                              texts[0],
                                              texts[1]};
    for (int i = 0; i < COLUMN_COUNT; i++)
        put(table, fields[i], i + 1 < COLUMN_COUNT ? ',' : '\n');
    table->rows++;
}

static exp_table start_table(FILE *out)
{
    exp_table table = {.out = out, .hash = LGKT_HASH_START};
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        put(&table, COLUMNS[i][0], i + 1 < COLUMN_COUNT ? ',' : '\n');
    return table;
}

// what does not exist has no row in summary.csv and in runs.csv
static void put_known(exp_table *table, line row, int word, exp_estimate value)
{
    row.measure = WORDS[word].name;
    row.value = value;
    if (!isnan(value.mean))
        put_row(table, row);
}

// the same without an interval
static void put_number(exp_table *table, line row, int word, double value)
{
    put_known(table, row, word, (exp_estimate){value, NAN});
}

// ---- CSV ----

static void write_curves(exp_table *table, const exp_reduction *reduction)
{
    const exp_setup *setup = reduction->setup;
    const exp_panel *panel = setup->panel;
    for (int32_t l = 0; l < panel->entry_count; l++)
        for (int32_t m = 0; m < panel->measure_count; m++)
            for (int32_t c = 0; c < setup->checkpoint_count; c++)
                put_row(table, (line){.setup = setup,
                                      .learner = &panel->entries[l],
                                      .measure = panel->measures[m].word,
                                      .t = setup->checkpoints[c],
                                      .value = exp_curve_point(reduction, m, l, c)});
}

static void write_summary(exp_table *table, const exp_reduction *reduction)
{
    const exp_setup *setup = reduction->setup;
    line row = {.setup = setup};
    for (int32_t l = 0; l < setup->panel->entry_count; l++) {
        const exp_summary summary = exp_summarize(reduction, l);
        row.learner = &setup->panel->entries[l];
        for (int32_t m = 0; m < setup->panel->measure_count; m++) {
            row.measure = setup->panel->measures[m].word;
            row.value = exp_curve_point(reduction, m, l, setup->checkpoint_count - 1);
            put_row(table, row);
        }
        put_known(table, row, REWARD, summary.reward);
        put_known(table, row, OBSERVED, summary.observed);
        put_number(table, row, SCORE, summary.score);
        put_number(table, row, SHARE, summary.share);
        put_number(table, row, MEDIAN, summary.spread.median);
        put_number(table, row, WORST, summary.spread.worst);
    }
    row.learner = NULL;
    put_known(table, row, OPTIMUM, exp_estimate_of(reduction, reduction->optimum));
    put_known(table, row, RANDOM, exp_estimate_of(reduction, reduction->random));
}

static void write_pairs(exp_table *table, const exp_reduction *reduction)
{
    const exp_setup *setup = reduction->setup;
    const exp_entry *entries = setup->panel->entries;
    for (int32_t at = 0; at < setup->compared_count; at++)
        for (int32_t l = 0; l < setup->panel->entry_count; l++)
            for (int32_t m = l + 1; m < setup->panel->entry_count; m++)
                put_row(table, (line){.setup = setup,
                                      .learner = &entries[l],
                                      .other = &entries[m],
                                      .measure = setup->panel->measures[0].word,
                                      .t = setup->checkpoints[setup->compared[at]],
                                      .value = exp_pair_point(reduction, at, l, m)});
}

void exp_tables_run(exp_tables *tables, const exp_setup *setup, int64_t instance,
                    const exp_outcome *outcome)
{
    exp_table *table = &tables->tables[EXP_TABLE_RUNS];
    line row = {.setup = setup, .instance = &instance};
    if (tables->files[EXP_TABLE_RUNS].stream == NULL)
        return;
    for (int32_t l = 0; l < setup->panel->entry_count; l++) {
        const exp_measured *score = &outcome->scores[l];
        row.learner = &setup->panel->entries[l];
        row.measure = setup->panel->measures[0].word;
        row.value = (exp_estimate){exp_outcome_last(outcome, setup, l), NAN};
        put_row(table, row);
        put_number(table, row, REWARD, score->reward);
        put_number(table, row, OBSERVED, score->observed);
        put_number(table, row, SCORE, exp_scored(score->reward, outcome->random, outcome->optimum));
        if (setup->exact) {
            put_number(table, row, GAP, score->gap);
            put_number(table, row, BOUND, score->bound);
            put_number(table, row, DISTANCE, score->distance);
        }
    }
    row.learner = NULL;
    put_number(table, row, OPTIMUM, outcome->optimum);
    put_number(table, row, RANDOM, outcome->random);
}

void exp_tables_curves(FILE *out, const exp_reduction *reduction)
{
    exp_table table = start_table(out);
    write_curves(&table, reduction);
}

// ---- opening ----

const char *exp_tables_found(const char *folder)
{
    for (int i = 0; i < EXP_TABLE_COUNT; i++)
        if (io_folder_has(folder, exp_table_names[i]))
            return exp_table_names[i];
    return NULL;
}

static void write_word(io_json *json, const char *name, const term *word)
{
    io_json_open(json, name, IO_JSON_RECORD);
    io_json_text(json, "meaning", word->meaning);
    io_json_text(json, "unit", word->unit);
    io_json_text(json, "better", word->better);
    io_json_close(json);
}

// each measure of the panels once, then those that all have
static void write_words(io_json *json, const exp_experiment *experiment)
{
    io_json_open(json, "columns", IO_JSON_OBJECT);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        io_json_text(json, COLUMNS[i][0], COLUMNS[i][1]);
    io_json_close(json);
    io_json_open(json, "measures", IO_JSON_OBJECT);
    for (int32_t p = 0; p < experiment->panel_count; p++)
        for (int32_t m = 0; m < experiment->panels[p].measure_count; m++) {
            const exp_panel *panels = experiment->panels;
            const exp_measure *measure = &panels[p].measures[m];
            bool seen = false;
            for (int32_t q = 0; q <= p && !seen; q++)
                for (int32_t i = 0; i < (q < p ? panels[q].measure_count : m); i++)
                    seen = seen || strcmp(panels[q].measures[i].word, measure->word) == 0;
            if (!seen)
                write_word(json, measure->word, &KINDS[measure->kind]);
        }
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        write_word(json, WORDS[i].name, &WORDS[i]);
    io_json_close(json);
}

// "fnv1a64:0123456789abcdef"
static void write_hash(io_json *json, uint64_t hash)
{
    char text[32];
    snprintf(text, sizeof text, "fnv1a64:%016" PRIx64, hash);
    io_json_text(json, "hash", text);
}

static void begin_manifest(io_json *json, const exp_asked *asked, const exp_making *making)
{
    const exp_experiment *experiment = asked->experiment;
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_integer(json, "format", 2);
    io_json_text(json, "experiment", experiment->name);
    io_json_text(json, "title", experiment->title);
    io_json_text(json, "question", experiment->question);
    io_json_text(json, "place", experiment->place);
    io_json_text(json, "collection", experiment->collection);
    io_json_text(json, "section", experiment->section);
    io_json_integer(json, "order", experiment->order);
    io_json_text(json, "version", lgkt_version());
    io_json_unsigned(json, "seed", asked->seed);
    if (experiment->file != NULL) {
        io_json_open(json, "source", IO_JSON_RECORD);
        io_json_text(json, "file", experiment->file);
        write_hash(json, lgkt_hash_bytes(LGKT_HASH_START, experiment->bytes, experiment->size));
        io_json_close(json);
    }
    if (making->prices[0] != '\0')
        io_json_text(json, "prices", making->prices);
    write_words(json, experiment);
    io_json_open(json, "panels", IO_JSON_ARRAY);
}

static void begin_timings(io_json *json, const exp_making *making)
{
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
    io_json_integer(json, "jobs", making->jobs);
    io_json_real(json, "session_seconds", making->seconds);
    io_json_integer(json, "session_instances", making->instances_run);
    io_json_open(json, "panels", IO_JSON_ARRAY);
}

lgkt_status exp_tables_open(exp_tables *tables, const char *folder, const exp_asked *asked,
                            const exp_making *making, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    *tables = (exp_tables){0};
    for (int i = 0; i < EXP_TABLE_COUNT && status == LGKT_OK; i++) {
        if (i == EXP_TABLE_RUNS && !making->keep_runs)
            continue;
        char *path = io_folder_file(folder, exp_table_names[i]);
        status = path != NULL ? io_output_open(path, &tables->files[i], error)
                              : lgkt_fail_memory(error, "tables");
        free(path);
        if (status == LGKT_OK && i <= EXP_TABLE_RUNS)
            tables->tables[i] = start_table(tables->files[i].stream);
    }
    if (status != LGKT_OK)
        return exp_tables_close(tables, status, error);
    tables->manifest = (io_json){.out = tables->files[EXP_TABLE_MANIFEST].stream};
    tables->timings = (io_json){.out = tables->files[EXP_TABLE_TIMINGS].stream};
    begin_manifest(&tables->manifest, asked, making);
    begin_timings(&tables->timings, making);
    return LGKT_OK;
}

// ---- a panel ----

static void write_cell(io_json *json, const exp_cell *cell)
{
    if (cell == NULL)
        return;
    io_json_text(json, "grid", cell->grid);
    io_json_open(json, "cell", IO_JSON_RECORD);
    for (int32_t i = 0; i < cell->count; i++)
        if (isnan(cell->values[i].number))
            io_json_text(json, cell->values[i].name, cell->values[i].text);
        else
            io_json_real(json, cell->values[i].name, cell->values[i].number);
    io_json_close(json);
}

static void write_entry(io_json *json, const exp_reduction *reduction, int32_t learner)
{
    const exp_setup *setup = reduction->setup;
    const exp_entry *entry = &setup->panel->entries[learner];
    const exp_entry_facts *facts = &reduction->facts.entries[learner];
    const exp_summary summary = exp_summarize(reduction, learner);
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "label", entry->label);
    io_json_text(json, "spec", entry->spec);
    io_json_text(json, "resolved", facts->spec);
    io_json_text(json, "group", entry->group);
    io_json_text(json, "section", entry->section);
    write_cell(json, entry->cell);
    if (entry->style.color != NULL || entry->style.dash != NULL || entry->style.width > 0.0) {
        io_json_open(json, "style", IO_JSON_RECORD);
        if (entry->style.color != NULL)
            io_json_text(json, "color", entry->style.color);
        if (entry->style.dash != NULL)
            io_json_text(json, "dash", entry->style.dash);
        if (entry->style.width > 0.0)
            io_json_real(json, "width", entry->style.width);
        io_json_close(json);
    }
    io_json_bool(json, "oracle", entry->oracle);
    if (setup->panel->untold) {
        char untold[EXP_UNTOLD_SIZE];
        exp_untold_describe(facts->spec, untold);
        io_json_text(json, "untold", untold);
    }
    io_json_real(json, "reward", summary.reward.mean);
    io_json_real(json, "observed", summary.observed.mean);
    if (!setup->exact) {
        io_json_open(json, "counters", IO_JSON_RECORD);
        for (int32_t i = 0; i < facts->count; i++)
            io_json_real(json, facts->names[i],
                         (double)facts->totals[i] / (double)setup->instances);
        io_json_close(json);
    }
    io_json_close(json);
}

static void write_panel(io_json *json, const exp_reduction *reduction)
{
    const exp_setup *setup = reduction->setup;
    const exp_panel *panel = setup->panel;
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "name", panel->name);
    io_json_text(json, "title", panel->title);
    io_json_text(json, "environment", panel->env);
    write_cell(json, panel->cell);
    io_json_text(json, "note", reduction->facts.note);
    io_json_integer(json, "horizon", panel->horizon);
    io_json_integer(json, "instances", setup->instances);
    io_json_integer(json, "full_instances", panel->instances);
    io_json_open(json, "measures", IO_JSON_LIST);
    for (int32_t m = 0; m < panel->measure_count; m++)
        io_json_text(json, NULL, panel->measures[m].word);
    io_json_close(json);
    if (setup->regret_k > 0) {
        io_json_open(json, "regret", IO_JSON_RECORD);
        io_json_integer(json, "k", panel->regret_k);
        io_json_real(json, "threshold", panel->regret_threshold);
        io_json_close(json);
    }
    if (panel->event_count > 0) {
        io_json_open(json, "events", IO_JSON_OBJECT);
        for (int32_t e = 0; e < panel->event_count; e++)
            io_json_text(json, panel->events[e].name, panel->events[e].env);
        io_json_close(json);
    }
    if (panel->untold)
        io_json_bool(json, "untold", true);
    io_json_open(json, "checkpoints", IO_JSON_LIST);
    for (int32_t c = 0; c < setup->checkpoint_count; c++)
        io_json_integer(json, NULL, setup->checkpoints[c]);
    io_json_close(json);
    io_json_open(json, "compare", IO_JSON_LIST);
    for (int32_t at = 0; at < setup->compared_count; at++)
        io_json_integer(json, NULL, setup->checkpoints[setup->compared[at]]);
    io_json_close(json);
    io_json_real(json, "optimum", reduction->optimum.mean);
    io_json_real(json, "random", reduction->random.mean);
    io_json_open(json, "learners", IO_JSON_ARRAY);
    for (int32_t l = 0; l < panel->entry_count; l++)
        write_entry(json, reduction, l);
    io_json_close(json);
    io_json_close(json);
}

static void write_timings(io_json *json, const exp_reduction *reduction)
{
    const exp_setup *setup = reduction->setup;
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "name", setup->panel->name);
    io_json_open(json, "learners", IO_JSON_ARRAY);
    for (int32_t l = 0; l < setup->panel->entry_count; l++) {
        const exp_summary summary = exp_summarize(reduction, l);
        io_json_open(json, NULL, IO_JSON_RECORD);
        io_json_text(json, "label", setup->panel->entries[l].label);
        io_json_real(json, "seconds", summary.seconds);
        io_json_real(json, "steps_per_second", summary.steps_per_second);
        io_json_close(json);
    }
    io_json_close(json);
    io_json_close(json);
}

void exp_tables_panel(exp_tables *tables, const exp_reduction *reduction)
{
    write_curves(&tables->tables[EXP_TABLE_CURVES], reduction);
    write_summary(&tables->tables[EXP_TABLE_SUMMARY], reduction);
    write_pairs(&tables->tables[EXP_TABLE_PAIRS], reduction);
    write_panel(&tables->manifest, reduction);
    write_timings(&tables->timings, reduction);
}

// ---- closing ----

lgkt_status exp_tables_close(exp_tables *tables, lgkt_status status, lgkt_error *error)
{
    io_json *json = &tables->manifest;
    if (status == LGKT_OK) {
        io_json_close(json);
        io_json_open(json, "files", IO_JSON_OBJECT);
        for (int i = 0; i <= EXP_TABLE_RUNS; i++)
            if (tables->files[i].stream != NULL) {
                io_json_open(json, exp_table_names[i], IO_JSON_RECORD);
                io_json_integer(json, "rows", tables->tables[i].rows);
                write_hash(json, tables->tables[i].hash);
                io_json_close(json);
            }
        io_json_close(json);
        io_json_close(json);
        io_json_close(&tables->timings);
        io_json_close(&tables->timings);
    }
    for (int i = 0; i < EXP_TABLE_COUNT; i++)
        if (status != LGKT_OK)
            io_output_discard(&tables->files[i]);
        else if (tables->files[i].stream != NULL)
            status = io_output_commit(&tables->files[i], error);
    *tables = (exp_tables){0};
    return status;
}
