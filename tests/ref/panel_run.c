// SPDX-License-Identifier: MIT
#include "ref/panel_run.h"

#include <stdlib.h>
#include <string.h>

struct run_kept {
    exp_files files; // finds the data that was given
    const run_setup *setup;
    exp_event events[EXP_MAX_MEASURES];
    exp_entry *entries;
    exp_panel panel;
    exp_experiment experiment;
    exp_tasks tasks;
    exp_result result;
};

static lgkt_status give_data(const exp_files *files, const char *before, const char *spec,
                             io_data *data, lgkt_error *error)
{
    (void)before, (void)error;
    const run_setup *setup = ((const struct run_kept *)(const void *)files)->setup;
    if (spec != NULL && strcmp(spec, setup->world.spec) == 0)
        *data = (io_data){.given = setup->world.data.given, .after = setup->world.data.after};
    return LGKT_OK;
}

static void fill(struct run_kept *kept, const run_setup *setup)
{
    kept->setup = setup;
    kept->files = (exp_files){give_data};
    for (int32_t l = 0; l < setup->learner_count; l++)
        kept->entries[l] = (exp_entry){.label = setup->learners[l], .spec = setup->learners[l]};
    int32_t events = 0;
    for (int32_t m = 0; m < setup->measure_count; m++)
        if (setup->measures[m].kind == EXP_MEASURE_EVENT)
            kept->events[events++] = (exp_event){setup->measures[m].name, setup->events[m].spec};
    kept->panel = (exp_panel){.name = "panel",
                              .env = setup->world.spec,
                              .horizon = setup->horizon,
                              .instances = setup->replicates,
                              .measures = setup->measures,
                              .measure_count = setup->measure_count,
                              .regret_k = setup->regret_k,
                              .regret_threshold = setup->regret_threshold,
                              .events = kept->events,
                              .event_count = events,
                              .times = EXP_TIMES_ALONE,
                              .given_times = setup->checkpoints,
                              .given_count = setup->checkpoint_count,
                              .entries = kept->entries,
                              .entry_count = setup->learner_count,
                              .untold = setup->untold};
    kept->experiment =
        (exp_experiment){.name = "experiment", .panels = &kept->panel, .panel_count = 1};
}

static void describe(run_result *result, const run_setup *setup)
{
    struct run_kept *kept = result->kept;
    const exp_arrays *arrays = &kept->result.arrays;
    *result = (run_result){
        .learner_count = setup->learner_count,
        .checkpoint_count = setup->checkpoint_count,
        .replicates = setup->replicates,
        .complete = kept->result.complete,
        .note = kept->result.reduction.facts.note,
        .optimum = arrays->optimum,
        .random = arrays->random,
        .reward = arrays->reward,
        .observed = arrays->observed,
        .seconds = arrays->seconds,
        .regret = arrays->regret,
        .curve = arrays->curve,
        .counters = kept->result.reduction.facts.entries,
        .reduction = kept->result.reduction,
        .untold = setup->untold ? calloc((size_t)setup->learner_count + 1, EXP_UNTOLD_SIZE) : NULL,
        .kept = kept};
    for (int32_t l = 0; l < setup->learner_count && setup->untold && result->complete; l++)
        exp_untold_describe(kept->result.reduction.facts.entries[l].spec, result->untold[l]);
}

lgkt_status run_open(exp_run *run, const char *spec, int64_t horizon, uint64_t seed,
                     const lgkt_env *env, int64_t instance, lgkt_error *error)
{
    const exp_asked asked = {.seed = seed};
    const exp_panel panel = {.horizon = horizon};
    const exp_setup setup = {.asked = &asked, .panel = &panel};
    const exp_entry entry = {.spec = spec};
    return exp_run_open(run, &setup, spec != NULL ? &entry : NULL, env, instance, NULL, error);
}

lgkt_status run_panel(const run_setup *setup, run_result *result, lgkt_error *error)
{
    run_result made = {.kept = calloc(1, sizeof *made.kept)};
    struct run_kept *kept = made.kept;
    if (kept == NULL)
        return LGKT_ERR_NO_MEMORY;
    kept->entries = calloc((size_t)setup->learner_count + 1, sizeof *kept->entries);
    if (kept->entries == NULL) {
        run_result_free(&made);
        return LGKT_ERR_NO_MEMORY;
    }
    fill(kept, setup);
    const exp_asked asked = {
        .experiment = &kept->experiment, .seed = setup->seed, .files = &kept->files};
    const exp_runner how = {.jobs = setup->jobs,
                            .stop = setup->stop,
                            .progress = setup->progress,
                            .progress_ctx = setup->progress_ctx};
    lgkt_status status = exp_tasks_make(&kept->tasks, &asked, error);
    if (status == LGKT_OK)
        status = exp_result_run(&kept->result, &kept->tasks, true, &how, error);
    if (status != LGKT_OK) {
        run_result_free(&made);
        return status;
    }
    describe(&made, setup);
    *result = made;
    return LGKT_OK;
}

void run_result_free(run_result *result)
{
    if (result->kept != NULL) {
        exp_result_free(&result->kept->result);
        exp_tasks_free(&result->kept->tasks);
        free(result->kept->entries);
    }
    free(result->kept);
    free(result->untold);
    *result = (run_result){0};
}

const double *run_curve_row(const run_result *result, int32_t measure, int32_t learner,
                            int32_t checkpoint)
{
    const int64_t line = (int64_t)measure * result->learner_count + learner;
    return result->curve + (line * result->checkpoint_count + checkpoint) * result->replicates;
}
