// SPDX-License-Identifier: MIT
// The engine: (panel, instance) units over threads, each into the journal, the journal into tables.
//
// Memory: the learners of all panels, and of every instance the place of its record in the journal.
#include "experiments/reproduce.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/identity.h"
#include "experiments/journal.h"
#include "experiments/play.h"
#include "experiments/tables.h"
#include "io/io_folder.h"

#define SYNC_SECONDS 0.5

typedef struct engine {
    const exp_reproduction *asked;
    exp_stage *stages; // (panel_count)
    int64_t *first;    // (panel_count + 1) unit number of instance 0 of a panel
    int64_t *places;   // (units) where in the journal; 0: not done yet
    int64_t found;     // units done in earlier sessions
    double steps;      // still to do when the session began
    char prices[EXP_PRICES_SIZE];
    exp_journal *journal;
    exp_pool pool;
    double begin;
} engine;

static int32_t panel_count(const engine *e)
{
    return e->asked->experiment->panel_count;
}

static int32_t panel_of(const engine *e, int64_t unit)
{
    int32_t p = 0;
    while (unit >= e->first[p + 1])
        p++;
    return p;
}

// ---- one unit: all learners on one instance ----

static lgkt_status write_outcome(engine *e, int64_t unit, const exp_outcome *outcome,
                                 lgkt_error *error)
{
    const int32_t p = panel_of(e, unit);
    const exp_stage *stage = &e->stages[p];
    exp_record record;
    lgkt_status status = exp_record_create(&record, stage, error);
    if (status != LGKT_OK)
        return status;
    const size_t size = exp_record_size(stage);
    unsigned char *bytes = malloc(size);
    if (bytes == NULL)
        status = io_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    if (status == LGKT_OK) {
        record.panel = p;
        record.instance = unit - e->first[p];
        exp_record_take(&record, stage, outcome);
        exp_record_pack(&record, stage, bytes);
        status = exp_journal_append(e->journal, bytes, size, &e->places[unit], error);
    }
    free(bytes);
    exp_record_free(&record);
    return status;
}

static lgkt_status run_unit(void *ctx, int64_t unit, lgkt_error *error)
{
    engine *e = ctx;
    if (e->places[unit] != 0)
        return LGKT_OK;
    const int32_t p = panel_of(e, unit);
    const exp_stage *stage = &e->stages[p];
    exp_outcome outcome;
    lgkt_status status = exp_outcome_create(&outcome, &stage->setup, error);
    if (status == LGKT_OK)
        status = exp_stage_play(stage, unit - e->first[p], &e->pool, unit, &outcome, error);
    // a unit that was cut short is void
    if (status == LGKT_OK && !exp_pool_halted(&e->pool, unit))
        status = write_outcome(e, unit, &outcome, error);
    exp_outcome_free(&outcome);
    return status;
}

// ---- all units ----

static void report(const engine *e)
{
    const exp_reproduction *asked = e->asked;
    const int64_t units = e->pool.units, next = atomic_load(&e->pool.next);
    const int32_t p = panel_of(e, next < units ? next : units - 1);
    char name[128];
    snprintf(name, sizeof name, "%s %s", asked->experiment->name, e->stages[p].panel->name);
    const bool one = strcmp(asked->experiment->name, e->stages[p].panel->name) == 0;
    const exp_progress progress = {
        .name = one ? asked->experiment->name : name,
        .learner = atomic_load(&e->pool.learner),
        .instances = units,
        .instances_done = atomic_load(&e->pool.done),
        .steps = e->steps,
        .steps_done = (double)atomic_load(&e->pool.steps),
        .seconds = exp_clock() - e->begin,
    };
    if (asked->progress != NULL)
        asked->progress(asked->progress_ctx, &progress);
}

static lgkt_status tick(void *ctx, lgkt_error *error)
{
    engine *e = ctx;
    report(e);
    return exp_journal_sync(e->journal, SYNC_SECONDS, error);
}

static lgkt_status run_units(engine *e, lgkt_error *error)
{
    e->pool = (exp_pool){.units = e->first[panel_count(e)],
                         .jobs = e->asked->jobs,
                         .stop = e->asked->stop,
                         .work = run_unit,
                         .tick = tick,
                         .ctx = e};
    const lgkt_status status = exp_pool_run(&e->pool, error);
    // what is finished stays finished, whatever ended the session
    const lgkt_status synced = exp_journal_sync(e->journal, 0.0, status == LGKT_OK ? error : NULL);
    return status == LGKT_OK ? synced : status;
}

static int64_t count_done(const engine *e)
{
    int64_t done = 0;
    for (int64_t u = 0; u < e->first[panel_count(e)]; u++)
        done += e->places[u] != 0;
    return done;
}

// ---- the journal into tables ----

// A record on its way from the file to the statistics.
typedef struct reader {
    exp_record record;
    unsigned char *bytes; // (size)
    size_t size;
} reader;

static lgkt_status reader_open(reader *r, const exp_stage *stage, lgkt_error *error)
{
    *r = (reader){.size = exp_record_size(stage)};
    r->bytes = malloc(r->size);
    return r->bytes != NULL ? exp_record_create(&r->record, stage, error)
                            : io_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
}

static void reader_close(reader *r)
{
    exp_record_free(&r->record);
    free(r->bytes);
}

static lgkt_status reduce_panel(engine *e, int32_t p, exp_tables *tables, lgkt_error *error)
{
    const exp_stage *stage = &e->stages[p];
    exp_reduction reduction;
    reader r = {0};
    lgkt_status status = exp_reduction_create(&reduction, stage, error);
    if (status == LGKT_OK)
        status = reader_open(&r, stage, error);
    for (int64_t u = e->first[p]; u < e->first[p + 1] && status == LGKT_OK; u++) {
        status = exp_journal_read(e->journal, e->places[u], r.bytes, r.size, error);
        if (status != LGKT_OK)
            break;
        exp_record_unpack(&r.record, stage, r.bytes);
        exp_reduction_add(&reduction, &r.record);
        exp_tables_run(tables, stage, &r.record);
    }
    if (status == LGKT_OK)
        exp_tables_panel(tables, &reduction);
    reader_close(&r);
    exp_reduction_free(&reduction);
    return status;
}

// exact values are few: they are always kept
static bool wants_runs(const engine *e)
{
    bool wanted = e->asked->keep_runs;
    for (int32_t p = 0; p < panel_count(e); p++)
        wanted = wanted || e->stages[p].panel->metric == EXP_METRIC_RATIO;
    return wanted;
}

static lgkt_status write_tables(engine *e, lgkt_error *error)
{
    const exp_tables_info info = {
        .experiment = e->asked->experiment,
        .seed = e->asked->seed,
        .prices = e->prices,
        .runs = wants_runs(e),
        .jobs = e->asked->jobs,
        .seconds = exp_clock() - e->begin,
        .instances_run = e->first[panel_count(e)] - e->found,
    };
    exp_tables tables;
    lgkt_status status = exp_tables_open(&tables, e->asked->folder, &info, error);
    for (int32_t p = 0; p < panel_count(e) && status == LGKT_OK; p++)
        status = reduce_panel(e, p, &tables, error);
    if (status == LGKT_OK)
        return exp_tables_commit(&tables, error);
    exp_tables_discard(&tables);
    return status;
}

// ---- a session ----

int64_t exp_reproduction_instances(const exp_reproduction *reproduction, const exp_panel *panel)
{
    if (reproduction->replicates > 0)
        return reproduction->replicates;
    return reproduction->quick ? panel->quick_instances : panel->instances;
}

static lgkt_status make_stages(engine *e, lgkt_error *error)
{
    const exp_reproduction *asked = e->asked;
    const int32_t panels = panel_count(e);
    e->stages = calloc((size_t)panels, sizeof *e->stages);
    e->first = calloc((size_t)panels + 1, sizeof *e->first);
    if (e->stages == NULL || e->first == NULL)
        return io_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    for (int32_t p = 0; p < panels; p++) {
        const exp_panel *panel = &asked->experiment->panels[p];
        const exp_stage_options options = {
            .instances = exp_reproduction_instances(asked, panel),
            .seed = asked->seed,
            .prices = asked->prices,
        };
        const lgkt_status status = exp_stage_make(&e->stages[p], panel, &options, error);
        if (status != LGKT_OK)
            return status;
        e->first[p + 1] = e->first[p] + options.instances;
    }
    e->places = calloc((size_t)e->first[panels], sizeof *e->places);
    return e->places != NULL ? LGKT_OK : io_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
}

static lgkt_status find_record(void *ctx, int64_t offset, const void *bytes, size_t size,
                               lgkt_error *error)
{
    engine *e = ctx;
    int32_t p;
    int64_t instance;
    if (!exp_record_place(bytes, size, e->stages, panel_count(e), &p, &instance))
        return io_fail(error, LGKT_ERR_FORMAT,
                       "%s: the record at byte %" PRId64 " belongs to no instance; nothing was "
                       "changed",
                       EXP_JOURNAL_NAME, offset);
    int64_t *place = &e->places[e->first[p] + instance];
    e->found += *place == 0;
    *place = offset;
    return LGKT_OK;
}

// Results without the journal they came from were put there on purpose.
static lgkt_status check_folder(const char *folder, lgkt_error *error)
{
    if (io_folder_has(folder, EXP_JOURNAL_NAME))
        return LGKT_OK;
    for (int i = 0; i < EXP_TABLE_COUNT; i++)
        if (io_folder_has(folder, exp_table_names[i]))
            return io_fail(error, LGKT_ERR_CONFIG,
                           "%s: holds %s without a journal; nothing was changed (use another "
                           "--out)",
                           io_short_name(folder), exp_table_names[i]);
    return LGKT_OK;
}

static lgkt_status open_folder(engine *e, lgkt_error *error)
{
    const exp_reproduction *asked = e->asked;
    const char *folder = asked->folder;
    lgkt_status status = check_folder(folder, error);
    if (status == LGKT_OK)
        status = io_folder_make(folder, error);
    if (status != LGKT_OK)
        return status;
    char *path = io_folder_file(folder, EXP_JOURNAL_NAME);
    char *identity = exp_identity(asked->experiment, e->stages, asked->seed, e->prices);
    status = path != NULL && identity != NULL
                 ? exp_journal_open(path, identity, find_record, e, &e->journal, error)
                 : io_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    free(path);
    free(identity);
    for (int i = 0; i < EXP_TABLE_COUNT && status == LGKT_OK; i++)
        io_folder_clean(folder, exp_table_names[i]);
    return status == LGKT_OK ? io_folder_sync(folder, error) : status;
}

static void count_steps(engine *e)
{
    for (int64_t u = 0; u < e->first[panel_count(e)]; u++) {
        const exp_setup *setup = &e->stages[panel_of(e, u)].setup;
        if (e->places[u] == 0)
            e->steps += (double)setup->horizon * setup->learner_count;
    }
}

static void close_engine(engine *e)
{
    exp_journal_close(e->journal);
    for (int32_t p = 0; p < panel_count(e) && e->stages != NULL; p++)
        exp_stage_free(&e->stages[p]);
    free(e->stages);
    free(e->first);
    free(e->places);
}

lgkt_status exp_reproduce(const exp_reproduction *reproduction, exp_session *session,
                          lgkt_error *error)
{
    engine e = {.asked = reproduction, .begin = exp_clock()};
    lgkt_status status =
        exp_identity_prices(reproduction->experiment, reproduction->prices, e.prices, error);
    if (status == LGKT_OK)
        status = make_stages(&e, error);
    if (status == LGKT_OK)
        status = open_folder(&e, error);
    if (status == LGKT_OK) {
        count_steps(&e);
        status = run_units(&e, error);
    }
    if (status == LGKT_OK) {
        const int64_t units = e.first[panel_count(&e)], done = count_done(&e);
        *session = (exp_session){
            .instances = units, .found = e.found, .done = done, .complete = done == units};
        if (session->complete)
            status = write_tables(&e, error);
        session->seconds = exp_clock() - e.begin;
    }
    close_engine(&e);
    return status;
}
