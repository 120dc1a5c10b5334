// SPDX-License-Identifier: MIT
// The engine: (panel, instance) units over threads, each into the journal, the journal into tables.
//
// Memory: the learners of all panels, and of every instance the place of its record in the journal.
#include "experiments/reproduce.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "experiments/journal.h"
#include "experiments/tables.h"
#include "io/io_folder.h"

#define SYNC_SECONDS 0.5

typedef struct engine {
    const exp_reproduction *asked;
    int32_t panel_count;
    exp_stage *stages; // (panel_count)
    int64_t *first;    // (panel_count + 1) unit number of instance 0 of a panel
    int64_t *places;   // (units) where in the journal; 0: not done yet
    int64_t units;
    int64_t found; // units done in earlier sessions
    double steps;  // still to do when the session began
    char prices[EXP_PRICES_SIZE];
    exp_journal *journal;
    exp_pool pool;
    double begin;
} engine;

static int32_t panel_of(const engine *e, int64_t unit)
{
    int32_t p = 0;
    while (unit >= e->first[p + 1])
        p++;
    return p;
}

// ---- the work of the pool ----

// one unit: all learners on one instance, into the journal
static lgkt_status run_unit(void *ctx, int64_t unit, lgkt_error *error)
{
    engine *e = ctx;
    if (e->places[unit] != 0)
        return LGKT_OK;
    const int32_t p = panel_of(e, unit);
    const exp_stage *stage = &e->stages[p];
    const int64_t instance = unit - e->first[p];
    exp_outcome outcome = {0};
    exp_record record;
    lgkt_status status = exp_record_create(&record, stage, error);
    if (status == LGKT_OK)
        status = exp_outcome_create(&outcome, &stage->setup, error);
    if (status == LGKT_OK)
        status = exp_instance_play(&stage->setup, &stage->cast, instance, &e->pool, unit, &outcome,
                                   error);
    // a unit that was cut short is void
    if (status == LGKT_OK && !exp_pool_halted(&e->pool, unit)) {
        record.panel = p;
        record.instance = instance;
        exp_record_take(&record, stage, &outcome);
        exp_record_pack(&record, stage);
        status = exp_journal_append(e->journal, record.bytes, record.size, &e->places[unit], error);
    }
    exp_outcome_free(&outcome);
    exp_record_free(&record);
    return status;
}

static lgkt_status tick(void *ctx, lgkt_error *error)
{
    engine *e = ctx;
    const exp_reproduction *asked = e->asked;
    const int64_t next = atomic_load(&e->pool.next);
    const char *panel = e->stages[panel_of(e, next < e->units ? next : e->units - 1)].panel->name;
    const bool one = strcmp(asked->experiment->name, panel) == 0;
    char name[128];
    snprintf(name, sizeof name, "%s %s", asked->experiment->name, panel);
    const exp_progress progress = {
        .name = one ? asked->experiment->name : name,
        .learner = atomic_load(&e->pool.learner),
        .instances = e->units,
        .instances_done = atomic_load(&e->pool.done),
        .steps = e->steps,
        .steps_done = (double)atomic_load(&e->pool.steps),
        .seconds = exp_clock() - e->begin,
    };
    if (asked->progress != NULL)
        asked->progress(asked->progress_ctx, &progress);
    return exp_journal_sync(e->journal, SYNC_SECONDS, error);
}

// ---- the journal into tables ----

static lgkt_status reduce_panel(engine *e, int32_t p, exp_tables *tables, lgkt_error *error)
{
    const exp_stage *stage = &e->stages[p];
    exp_reduction reduction;
    exp_record record = {0};
    lgkt_status status = exp_reduction_create(&reduction, stage, error);
    if (status == LGKT_OK)
        status = exp_record_create(&record, stage, error);
    for (int64_t u = e->first[p]; u < e->first[p + 1] && status == LGKT_OK; u++) {
        status = exp_journal_read(e->journal, e->places[u], record.bytes, record.size, error);
        if (status != LGKT_OK)
            break;
        exp_record_unpack(&record, stage);
        exp_reduction_add(&reduction, &record);
        exp_tables_run(tables, stage, &record);
    }
    if (status == LGKT_OK)
        exp_tables_panel(tables, &reduction);
    exp_record_free(&record);
    exp_reduction_free(&reduction);
    return status;
}

static lgkt_status write_tables(engine *e, lgkt_error *error)
{
    // exact values are few: they are always kept
    bool keep_runs = e->asked->keep_runs;
    for (int32_t p = 0; p < e->panel_count; p++)
        keep_runs = keep_runs || e->stages[p].setup.exact;
    const exp_tables_info info = {
        .experiment = e->asked->experiment,
        .seed = e->asked->seed,
        .prices = e->prices,
        .runs = keep_runs,
        .jobs = e->asked->jobs,
        .seconds = exp_clock() - e->begin,
        .instances_run = e->units - e->found,
    };
    exp_tables tables;
    lgkt_status status = exp_tables_open(&tables, e->asked->folder, &info, error);
    for (int32_t p = 0; p < e->panel_count && status == LGKT_OK; p++)
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
    e->stages = calloc((size_t)e->panel_count, sizeof *e->stages);
    e->first = calloc((size_t)e->panel_count + 1, sizeof *e->first);
    if (e->stages == NULL || e->first == NULL)
        return lgkt_fail_memory(error, "an experiment");
    for (int32_t p = 0; p < e->panel_count; p++) {
        const exp_panel *panel = &asked->experiment->panels[p];
        const exp_stage_options options = {
            .instances = exp_reproduction_instances(asked, panel),
            .seed = asked->seed,
            .prices = asked->prices,
            .folder = asked->experiment->folder,
        };
        lgkt_error why = {0};
        const lgkt_status status = exp_stage_make(&e->stages[p], panel, &options, &why);
        if (status != LGKT_OK)
            return lgkt_fail(error, status, "%s: panels[%d]%s", asked->experiment->file,
                             (int)panel->place, why.text);
        e->first[p + 1] = e->first[p] + options.instances;
    }
    e->units = e->first[e->panel_count];
    e->places = calloc((size_t)e->units, sizeof *e->places);
    if (e->places == NULL)
        return lgkt_fail_memory(error, "the instances of an experiment");
    return exp_stage_prices(e->stages, e->panel_count, asked->prices, e->prices, error);
}

static lgkt_status find_record(void *ctx, int64_t offset, const void *bytes, size_t size,
                               lgkt_error *error)
{
    engine *e = ctx;
    int32_t p;
    int64_t instance;
    if (!exp_record_place(bytes, size, e->stages, e->panel_count, &p, &instance))
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "%s: the record at byte %" PRId64 " belongs to no instance; nothing was "
                         "changed",
                         EXP_JOURNAL_NAME, offset);
    int64_t *place = &e->places[e->first[p] + instance];
    e->found += *place == 0;
    *place = offset;
    return LGKT_OK;
}

static lgkt_status open_folder(engine *e, lgkt_error *error)
{
    const exp_reproduction *asked = e->asked;
    const char *folder = asked->folder;
    // results without the journal they came from were put there on purpose
    const bool journal = io_folder_has(folder, EXP_JOURNAL_NAME);
    for (int i = 0; i < EXP_TABLE_COUNT && !journal; i++)
        if (io_folder_has(folder, exp_table_names[i]))
            return lgkt_fail(error, LGKT_ERR_CONFIG,
                             "%s: holds %s without a journal; nothing was changed (use another "
                             "--out)",
                             io_short_name(folder), exp_table_names[i]);
    lgkt_status status = io_folder_make(folder, error);
    if (status != LGKT_OK)
        return status;
    char *path = io_folder_file(folder, EXP_JOURNAL_NAME);
    char *identity = exp_stage_identity(asked->experiment, e->stages, asked->seed, e->prices);
    status = path != NULL && identity != NULL
                 ? exp_journal_open(path, identity, find_record, e, &e->journal, error)
                 : lgkt_fail_memory(error, "a journal");
    free(path);
    free(identity);
    for (int i = 0; i < EXP_TABLE_COUNT && status == LGKT_OK; i++)
        io_folder_clean(folder, exp_table_names[i]);
    return status == LGKT_OK ? io_folder_sync(folder, error) : status;
}

static void close_engine(engine *e)
{
    exp_journal_close(e->journal);
    for (int32_t p = 0; p < e->panel_count && e->stages != NULL; p++)
        exp_stage_free(&e->stages[p]);
    free(e->stages);
    free(e->first);
    free(e->places);
}

lgkt_status exp_reproduction_check(const exp_reproduction *reproduction, lgkt_error *error)
{
    engine e = {.asked = reproduction, .panel_count = reproduction->experiment->panel_count};
    const lgkt_status status = make_stages(&e, error);
    close_engine(&e);
    return status;
}

lgkt_status exp_reproduce(const exp_reproduction *reproduction, exp_session *session,
                          lgkt_error *error)
{
    engine e = {.asked = reproduction,
                .panel_count = reproduction->experiment->panel_count,
                .begin = exp_clock()};
    lgkt_status status = make_stages(&e, error);
    if (status == LGKT_OK)
        status = open_folder(&e, error);
    if (status == LGKT_OK) {
        for (int64_t u = 0; u < e.units; u++) {
            const exp_setup *setup = &e.stages[panel_of(&e, u)].setup;
            if (e.places[u] == 0)
                e.steps += (double)setup->horizon * setup->learner_count;
        }
        e.pool = (exp_pool){.units = e.units,
                            .jobs = reproduction->jobs,
                            .stop = reproduction->stop,
                            .work = run_unit,
                            .tick = tick,
                            .ctx = &e};
        status = exp_pool_run(&e.pool, error);
        // what is finished stays finished, whatever ended the session
        const lgkt_status synced =
            exp_journal_sync(e.journal, 0.0, status == LGKT_OK ? error : NULL);
        status = status == LGKT_OK ? synced : status;
    }
    if (status == LGKT_OK) {
        *session = (exp_session){.instances = e.units, .found = e.found};
        for (int64_t u = 0; u < e.units; u++)
            session->done += e.places[u] != 0;
        session->complete = session->done == e.units;
        if (session->complete)
            status = write_tables(&e, error);
        session->seconds = exp_clock() - e.begin;
    }
    close_engine(&e);
    return status;
}
