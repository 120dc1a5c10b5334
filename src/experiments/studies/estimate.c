// SPDX-License-Identifier: MIT
// Samples of panels, and what follows from them (studies.h).
#include "experiments/studies/studies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/error.h"

#define FIRST_ROUNDS 64   // of the smallest sample
#define MAX_GROWTH   16.0 // from one to the next
#define PATIENCE     4.0  // times the seconds, as long as little of them goes into steps

// what a row of a table takes besides the names in it, and a learner or panel in the manifest
enum { ROW_BYTES = 58, MANIFEST_BYTES = 250, HEAD_BYTES = 4000 };

// ---- samples ----

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Seconds per instance of a panel, and those of them in steps, from as many of the first instances as
// are begun before `end` in seconds of the process; one is played in any case.
static lgkt_status play(const exp_asked *asked, const exp_panel *panel, double end, double *seconds,
                        double *steps, lgkt_error *error)
{
    exp_signals signals = {.failed = INT64_MAX};
    exp_setup setup;
    exp_shared shared = {0};
    int64_t count = 0;
    lgkt_status status = exp_setup_make(&setup, asked, panel, error);
    if (status == LGKT_OK)
        status = exp_shared_make(&shared, &setup, error);
    exp_outcome *outcome = status == LGKT_OK ? exp_outcome_new(&setup) : NULL;
    if (outcome == NULL && status == LGKT_OK)
        status = lgkt_fail_memory(error, "an estimate");
    const double ready = processor_seconds(), begin = exp_clock();
    double played = 0.0; // by the clock on the wall, in steps
    while (status == LGKT_OK && count < setup.instances &&
           (count == 0 || processor_seconds() < end)) {
        status = exp_instance_play(&setup, &shared, count, &signals, count, outcome, error);
        for (int32_t l = 0; l < panel->entry_count; l++)
            played += outcome->scores[l].seconds;
        count++;
    }
    *seconds = count > 0 ? (processor_seconds() - ready) / (double)count : 0.0;
    *steps = *seconds * fmin(played / (exp_clock() - begin), 1.0);
    free(outcome);
    exp_shared_free(&shared, &setup);
    exp_setup_free(&setup);
    return status;
}

static lgkt_status sample_panel(const exp_setup *setup, double seconds, exp_load *load,
                                lgkt_error *error)
{
    const exp_panel *panel = setup->panel;
    const int64_t all =
        panel->units.count > 0 ? panel->horizon / panel->units.count : panel->horizon;
    const double start = processor_seconds();
    double steps = 0.0; // seconds of an instance in steps
    // exact values cost nothing more once they have settled: no part of a horizon tells when
    int64_t rounds = setup->exact ? all : FIRST_ROUNDS;
    while (rounds < all) {
        const double begin = processor_seconds(), before = steps;
        // the panel with fewer rounds; times beyond its end are left out by its setup
        const double part = (double)rounds / (double)all;
        exp_panel cut = *panel;
        cut.horizon = panel->horizon / all * rounds;
        cut.units.extended = (int64_t)floor(part * (double)panel->units.extended);
        if (panel->units.told > 0)
            cut.units.told = 1 + (int64_t)floor(part * (double)panel->units.told);
        double growth = 2.0;
        // a failure: it is too short for this world or a learner
        if (play(setup->asked, &cut, 0.0, &load->seconds, &steps, NULL) == LGKT_OK) {
            const double now = processor_seconds();
            const double slope = (steps - before) / (double)(cut.horizon - load->sampled);
            load->sampled = cut.horizon;
            const double time = steps > load->seconds / 3.0 ? seconds : PATIENCE * seconds;
            growth = (start + time - now) / (now - begin);
            if (growth < 1.0) {
                load->seconds += fmax(slope, 0.0) * (double)(panel->horizon - cut.horizon);
                return LGKT_OK;
            }
            growth = fmin(fmax(growth, 2.0), MAX_GROWTH);
        }
        rounds = growth * (double)rounds < (double)all ? (int64_t)(growth * (double)rounds) : all;
    }
    load->sampled = panel->horizon;
    return play(setup->asked, panel, start + seconds, &load->seconds, &steps, error);
}

// ---- sizes ----

static double table_bytes(const exp_setup *setup, bool runs_kept)
{
    const exp_panel *panel = setup->panel;
    const double learners = panel->entry_count, measures = panel->measure_count;
    double label = 0;
    for (int32_t l = 0; l < panel->entry_count; l++)
        label += (double)strlen(panel->entries[l].label) / learners;
    const double row = ROW_BYTES + (double)strlen(panel->name) + label;
    const double pairs = 0.5 * learners * (learners - 1) * setup->compared_count;
    const double words = setup->exact ? 6 : 4; // of a run
    const double runs = runs_kept ? (double)setup->instances * (words * learners + 2) : 0;
    return row * ((double)exp_outcome_points(setup) + learners * (measures + 6) + 2 + runs) +
           (row + label) * pairs + MANIFEST_BYTES * (learners + 1);
}

// ---- both ----

static lgkt_status fill(exp_estimation *e, const exp_reproduction *reproduction,
                        const exp_tasks *tasks, double seconds, lgkt_error *error)
{
    const exp_shard shard = reproduction->shard;
    const bool whole = shard.parts <= 1;
    const bool runs_kept = exp_tasks_keep_runs(tasks, reproduction->keep_runs);
    size_t size;
    unsigned char *record = exp_head_write(tasks, shard, &size);
    if (record == NULL)
        return lgkt_fail_memory(error, "an estimate");
    free(record);
    e->all.journal = (int64_t)size;
    e->tables = whole ? HEAD_BYTES : 0;
    for (int32_t p = 0; p < tasks->panel_count; p++) {
        const exp_setup *setup = &tasks->setups[p];
        exp_load *load = &e->panels[p];
        load->instances = exp_tasks_in(tasks, p, shard);
        load->runs = load->instances * setup->panel->entry_count;
        load->steps = (double)load->runs * (double)setup->panel->horizon;
        load->journal = load->instances * (int64_t)(EXP_FRAME + exp_record_size(tasks, p));
        if (load->instances > 0) {
            // a panel that is made says what is wrong with it, and how much there is to say of it
            exp_shared shared;
            lgkt_status status = exp_shared_make(&shared, setup, error);
            if (status == LGKT_OK) {
                record = exp_record_write(tasks, tasks->count + p, NULL, &shared.facts, &size);
                status = record != NULL ? LGKT_OK : lgkt_fail_memory(error, "an estimate");
                free(record);
            }
            exp_shared_free(&shared, setup);
            LGKT_TRY(status);
            e->all.journal += (int64_t)size;
        }
        e->cells += setup->panel->entry_count;
        e->all.instances += load->instances;
        e->all.runs += load->runs;
        e->all.steps += load->steps;
        e->all.journal += load->journal;
        e->tables += whole ? table_bytes(setup, runs_kept) : 0;
    }
    for (int32_t p = 0; p < tasks->panel_count; p++) {
        exp_load *load = &e->panels[p];
        if (load->instances == 0)
            continue;
        LGKT_TRY(sample_panel(&tasks->setups[p], seconds, load, error));
        e->whole = e->whole && load->sampled == tasks->setups[p].panel->horizon;
        e->all.seconds += (double)load->instances * load->seconds;
        e->longest = fmax(e->longest, load->seconds);
    }
    return LGKT_OK;
}

lgkt_status exp_estimation_make(exp_estimation *estimation, const exp_reproduction *reproduction,
                                double panel, double most, lgkt_error *error)
{
    const int32_t panels = reproduction->asked.experiment->panel_count;
    *estimation = (exp_estimation){
        .panels = calloc((size_t)panels, sizeof(exp_load)), .panel_count = panels, .whole = true};
    if (estimation->panels == NULL)
        return lgkt_fail_memory(error, "an estimate");
    exp_tasks tasks;
    lgkt_status status = exp_tasks_make(&tasks, &reproduction->asked, error);
    if (status == LGKT_OK)
        status = fill(estimation, reproduction, &tasks, fmin(panel, most / panels), error);
    exp_tasks_free(&tasks);
    return status;
}

void exp_estimation_free(exp_estimation *estimation)
{
    free(estimation->panels);
    *estimation = (exp_estimation){0};
}
