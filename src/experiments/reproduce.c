// SPDX-License-Identifier: MIT
// The instances of all panels into the journal, the journal into tables.
//
// Memory: the learners of all panels, of every instance the place of its record in the journal, and
// the reduction of one panel at a time (reduction.h).
//
// A record of the journal is 64-bit words, little-endian: panel, instance, optimum, value of
// uniform play; for each learner its exp_score; for each learner its curves, one measure after the
// other. A double is its bits.
#include "experiments/reproduce.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/hash.h"
#include "experiments/journal.h"
#include "experiments/runner.h"
#include "experiments/tables.h"
#include "io/io_folder.h"

#define SYNC_SECONDS 0.5

typedef struct engine {
    const exp_reproduction *asked;
    int32_t panel_count;
    exp_stage *stages; // (panel_count)
    exp_part *parts;   // (panel_count)
    int64_t *first;    // (panel_count + 1) place of instance 0 of a panel in `places`
    int64_t *places;   // (units) where in the journal; 0: not done yet
    int64_t units;     // instances of all panels
    int64_t found;     // of these done in earlier sessions
    char prices[EXP_PRICES_SIZE];
    exp_journal *journal;
    double begin;
} engine;

// ---- records ----

enum { WORD = 8, HEAD = 2 * WORD };

_Static_assert(sizeof(exp_score) == (7 + EXP_MAX_COUNTERS) * WORD, "a score is words");

static size_t record_size(const exp_setup *setup)
{
    return HEAD + 2 * WORD + (size_t)setup->learner_count * sizeof(exp_score) +
           exp_outcome_points(setup) * WORD;
}

// `count` words at `values` to the bytes or back; returns what is behind them
static unsigned char *pass(unsigned char *bytes, bool writing, void *values, size_t count)
{
    unsigned char *at = values;
    for (size_t i = 0; i < count; i++, bytes += WORD, at += WORD) {
        uint64_t word;
        memcpy(&word, at, WORD);
        if (writing)
            lgkt_put_u64(bytes, word);
        else
            word = lgkt_get_u64(bytes);
        memcpy(at, &word, WORD);
    }
    return bytes;
}

// all behind panel and instance
static void pass_outcome(unsigned char *bytes, bool writing, const exp_setup *setup,
                         exp_outcome *outcome)
{
    const size_t scores = (size_t)setup->learner_count * sizeof(exp_score) / WORD;
    bytes = pass(bytes + HEAD, writing, &outcome->optimum, 1);
    bytes = pass(bytes, writing, &outcome->random, 1);
    bytes = pass(bytes, writing, outcome->scores, scores);
    pass(bytes, writing, outcome->curve, exp_outcome_points(setup));
}

// ---- instances into the journal ----

static bool in_journal(void *ctx, int32_t panel, int64_t instance)
{
    const engine *e = ctx;
    return e->places[e->first[panel] + instance] != 0;
}

static lgkt_status append(void *ctx, int32_t panel, int64_t instance, const exp_outcome *outcome,
                          lgkt_error *error)
{
    engine *e = ctx;
    const exp_setup *setup = &e->stages[panel].setup;
    const size_t size = record_size(setup);
    unsigned char *bytes = malloc(size);
    exp_outcome numbers = *outcome;
    if (bytes == NULL)
        return lgkt_fail_memory(error, "a record of the journal");
    lgkt_put_u64(bytes, (uint64_t)panel);
    lgkt_put_u64(bytes + WORD, (uint64_t)instance);
    pass_outcome(bytes, true, setup, &numbers);
    const lgkt_status status =
        exp_journal_append(e->journal, bytes, size, &e->places[e->first[panel] + instance], error);
    free(bytes);
    return status;
}

static lgkt_status sync_journal(void *ctx, lgkt_error *error)
{
    return exp_journal_sync(((engine *)ctx)->journal, SYNC_SECONDS, error);
}

// ---- the journal into tables ----

static lgkt_status write_panel(engine *e, int32_t p, exp_tables *tables, lgkt_error *error)
{
    const exp_stage *stage = &e->stages[p];
    const size_t size = record_size(&stage->setup);
    unsigned char *bytes = malloc(size);
    exp_outcome outcome = {0};
    exp_reduction reduction = {0};
    // The place of an instance is not needed once its record was read, and makes room for the first
    // of its numbers: all in all 8 bytes a run. Memory from calloc has the type that was last
    // stored in it.
    double *lent = (double *)(void *)(e->places + e->first[p]);
    _Static_assert(sizeof *lent == sizeof *e->places, "a number has the size of a place");
    lgkt_status status =
        bytes != NULL ? LGKT_OK : lgkt_fail_memory(error, "a record of the journal");
    if (status == LGKT_OK)
        status = exp_outcome_create(&outcome, &stage->setup, error);
    if (status == LGKT_OK)
        status = exp_reduction_create(&reduction, &stage->setup, stage->cast.counters, lent, error);
    for (int64_t i = 0; i < stage->setup.replicates && status == LGKT_OK; i++) {
        status = exp_journal_read(e->journal, e->places[e->first[p] + i], bytes, size, error);
        if (status != LGKT_OK)
            break;
        pass_outcome(bytes, false, &stage->setup, &outcome);
        exp_reduction_add(&reduction, &outcome);
        exp_tables_run(tables, stage, i, &outcome);
    }
    if (status == LGKT_OK) {
        exp_reduction_finish(&reduction);
        exp_tables_panel(tables, stage, &reduction);
    }
    exp_reduction_free(&reduction);
    exp_outcome_free(&outcome);
    free(bytes);
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
        status = write_panel(e, p, &tables, error);
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
    const size_t panels = (size_t)e->panel_count;
    e->stages = calloc(panels, sizeof *e->stages);
    e->parts = calloc(panels, sizeof *e->parts);
    e->first = calloc(panels + 1, sizeof *e->first);
    if (e->stages == NULL || e->parts == NULL || e->first == NULL)
        return lgkt_fail_memory(error, "an experiment");
    for (int32_t p = 0; p < e->panel_count; p++) {
        const exp_panel *panel = &asked->experiment->panels[p];
        const exp_stage_options options = {
            .instances = exp_reproduction_instances(asked, panel),
            .seed = asked->seed,
            .prices = asked->prices,
            .folder = asked->experiment->folder,
            .file = asked->experiment->file,
        };
        const lgkt_status status = exp_stage_make(&e->stages[p], panel, &options, error);
        if (status != LGKT_OK)
            return status;
        e->first[p + 1] = e->first[p] + options.instances;
        e->parts[p] = (exp_part){panel->name, &e->stages[p].setup, &e->stages[p].cast};
    }
    e->units = e->first[e->panel_count];
    e->places = calloc((size_t)e->units, sizeof *e->places);
    if (e->places == NULL)
        return lgkt_fail_memory(error, "the instances of an experiment");
    exp_stage_prices(e->stages, e->panel_count, asked->prices, e->prices);
    return LGKT_OK;
}

static lgkt_status find_record(void *ctx, int64_t offset, const void *bytes, size_t size,
                               lgkt_error *error)
{
    engine *e = ctx;
    const uint64_t p = size >= HEAD ? lgkt_get_u64(bytes) : UINT64_MAX;
    const uint64_t instance = size >= HEAD ? lgkt_get_u64((const unsigned char *)bytes + WORD) : 0;
    if (p >= (uint64_t)e->panel_count || instance >= (uint64_t)e->stages[p].setup.replicates ||
        size != record_size(&e->stages[p].setup))
        return lgkt_fail(error, LGKT_ERR_FORMAT,
                         "%s: the record at byte %" PRId64 " belongs to no instance; nothing was "
                         "changed",
                         EXP_JOURNAL_NAME, offset);
    int64_t *place = &e->places[e->first[p] + (int64_t)instance];
    e->found += *place == 0;
    *place = offset;
    return LGKT_OK;
}

static lgkt_status open_folder(engine *e, lgkt_error *error)
{
    const exp_reproduction *asked = e->asked;
    const char *folder = asked->folder;
    // results without the journal they came from were put there on purpose
    const char *found = exp_tables_found(folder);
    if (found != NULL && !io_folder_has(folder, EXP_JOURNAL_NAME))
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "%s: holds %s without a journal; nothing was changed (use another --out)",
                         io_short_name(folder), found);
    lgkt_status status = io_folder_make(folder, error);
    if (status != LGKT_OK)
        return status;
    char *path = io_folder_file(folder, EXP_JOURNAL_NAME);
    char *identity = exp_stage_identity(asked->experiment->name, e->stages, e->panel_count,
                                        asked->seed, e->prices);
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
    free(e->parts);
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
        const exp_work work = {.parts = e.parts,
                               .part_count = e.panel_count,
                               .jobs = reproduction->jobs,
                               .stop = reproduction->stop,
                               .progress = reproduction->progress,
                               .progress_ctx = reproduction->progress_ctx,
                               .had = in_journal,
                               .take = append,
                               .tick = sync_journal,
                               .ctx = &e};
        status = exp_work_run(&work, error);
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
    }
    close_engine(&e);
    return status;
}
