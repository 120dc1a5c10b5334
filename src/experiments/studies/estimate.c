// SPDX-License-Identifier: MIT
// Samples of panels, and what follows from them (estimate.h).
#include "experiments/studies/estimate.h"

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

static double processor_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Instances of one panel on a thread of their own.
typedef struct sample {
    int32_t learners;
    double end;   // in seconds of the process, when no further one is begun
    double ready; // of the thread, when the panel was made
    double begin; // by the clock on the wall, then
    atomic_bool over;
    double seconds; // of all of them
    double steps;   // by the clock on the wall, of those in steps
    int64_t count;
} sample;

static lgkt_status start_clock(void *ctx, int32_t panel, exp_facts *facts, lgkt_error *error)
{
    (void)panel, (void)facts, (void)error;
    sample *s = ctx;
    s->ready = processor_seconds(CLOCK_THREAD_CPUTIME_ID);
    s->begin = exp_clock();
    return LGKT_OK;
}

static lgkt_status read_clock(void *ctx, int64_t task, const exp_outcome *outcome,
                              lgkt_error *error)
{
    (void)task, (void)error;
    sample *s = ctx;
    for (int32_t l = 0; l < s->learners; l++)
        s->steps += outcome->scores[l].seconds;
    s->seconds = processor_seconds(CLOCK_THREAD_CPUTIME_ID) - s->ready;
    s->count++;
    atomic_store(&s->over, processor_seconds(CLOCK_PROCESS_CPUTIME_ID) >= s->end);
    return LGKT_OK;
}

// seconds per instance of a panel, and those of them in steps; one is played in any case
static lgkt_status play(const exp_asked *whole, const exp_panel *panel, int64_t instances,
                        double end, double *seconds, double *steps, lgkt_error *error)
{
    exp_experiment alone = *whole->experiment;
    alone.panels = panel;
    alone.panel_count = 1;
    exp_asked asked = *whole;
    asked.experiment = &alone;
    asked.replicates = instances;
    exp_tasks tasks;
    sample s = {.learners = panel->entry_count, .end = end};
    lgkt_status status = exp_tasks_make(&tasks, &asked, error);
    if (status == LGKT_OK) {
        const exp_runner runner = {.tasks = &tasks,
                                   .count = instances,
                                   .jobs = 1,
                                   .stop = &s.over,
                                   .sink = {.begin = start_clock, .take = read_clock, .ctx = &s}};
        status = exp_runner_run(&runner, NULL, error);
    }
    exp_tasks_free(&tasks);
    *seconds = s.count > 0 ? s.seconds / (double)s.count : 0.0;
    *steps = *seconds * fmin(s.steps / (exp_clock() - s.begin), 1.0);
    return status;
}

// the panel with fewer rounds; times beyond its end are left out by its setup
static exp_panel cut_panel(const exp_panel *panel, int64_t rounds, int64_t all)
{
    exp_panel cut = *panel;
    const double part = (double)rounds / (double)all;
    cut.horizon = panel->units.count > 0 ? rounds * panel->units.count : rounds;
    if (panel->units.told > 0) {
        cut.units.extended = (int64_t)floor(part * (double)panel->units.extended);
        cut.units.told = 1 + (int64_t)floor(part * (double)panel->units.told);
    }
    return cut;
}

static lgkt_status sample_panel(const exp_tasks *tasks, int32_t p, double seconds, exp_load *load,
                                lgkt_error *error)
{
    const exp_setup *setup = &tasks->setups[p];
    const exp_panel *panel = setup->panel;
    const int64_t all =
        panel->units.count > 0 ? panel->horizon / panel->units.count : panel->horizon;
    const double start = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
    double steps = 0.0; // seconds of an instance in steps
    // exact values cost nothing more once they have settled: no part of a horizon tells when
    int64_t rounds = setup->exact ? all : FIRST_ROUNDS;
    while (rounds < all) {
        const double begin = processor_seconds(CLOCK_PROCESS_CPUTIME_ID), before = steps;
        const exp_panel cut = cut_panel(panel, rounds, all);
        double growth = 2.0;
        // a failure: it is too short for this world or a learner
        if (play(&tasks->asked, &cut, 1, 0.0, &load->seconds, &steps, NULL) == LGKT_OK) {
            const double now = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
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
    return play(&tasks->asked, panel, setup->instances, start + seconds, &load->seconds, &steps,
                error);
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

// all but the seconds
static lgkt_status count(exp_estimation *e, const exp_reproduction *reproduction,
                         const exp_tasks *tasks, lgkt_error *error)
{
    const exp_shard shard = reproduction->shard;
    size_t size;
    unsigned char *head = exp_head_write(tasks, shard, &size);
    if (head == NULL)
        return lgkt_fail_memory(error, "an estimate");
    free(head);
    e->all.journal = (int64_t)size;
    const bool runs_kept = exp_tasks_keep_runs(tasks, reproduction->keep_runs);
    e->tables = shard.parts <= 1 ? HEAD_BYTES : 0;
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
            unsigned char *facts =
                status == LGKT_OK ? exp_facts_write(&shared.facts, p, &size) : NULL;
            if (status == LGKT_OK && facts == NULL)
                status = lgkt_fail_memory(error, "an estimate");
            free(facts);
            exp_shared_free(&shared, setup);
            if (status != LGKT_OK)
                return status;
            e->all.journal += (int64_t)size;
        }
        e->cells += setup->panel->entry_count;
        e->all.instances += load->instances;
        e->all.runs += load->runs;
        e->all.steps += load->steps;
        e->all.journal += load->journal;
        if (shard.parts <= 1)
            e->tables += table_bytes(setup, runs_kept);
    }
    return LGKT_OK;
}

// ---- both ----

lgkt_status exp_estimation_make(exp_estimation *estimation, const exp_reproduction *reproduction,
                                double panel, double most, lgkt_error *error)
{
    const int32_t panels = reproduction->asked.experiment->panel_count;
    *estimation = (exp_estimation){
        .panels = calloc((size_t)panels, sizeof(exp_load)), .panel_count = panels, .whole = true};
    exp_tasks tasks = {0};
    lgkt_status status = estimation->panels != NULL
                             ? exp_tasks_make(&tasks, &reproduction->asked, error)
                             : lgkt_fail_memory(error, "an estimate");
    if (status == LGKT_OK)
        status = count(estimation, reproduction, &tasks, error);
    for (int32_t p = 0; p < panels && status == LGKT_OK; p++) {
        exp_load *load = &estimation->panels[p];
        if (load->instances == 0)
            continue;
        status = sample_panel(&tasks, p, fmin(panel, most / panels), load, error);
        estimation->whole = estimation->whole && load->sampled == tasks.setups[p].panel->horizon;
        estimation->all.seconds += (double)load->instances * load->seconds;
        estimation->longest = fmax(estimation->longest, load->seconds);
    }
    exp_tasks_free(&tasks);
    return status;
}

void exp_estimation_free(exp_estimation *estimation)
{
    free(estimation->panels);
    *estimation = (exp_estimation){0};
}
