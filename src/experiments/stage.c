// SPDX-License-Identifier: MIT
// From a panel to what is run (stage.h).
//
// Curves are looked at as `lgkt run` does, and also at the times of MILESTONES, where learners are
// compared in pairs. Regret grows by powers of t: its times are evenly spaced in log t. Exact
// values have one time, T.
#include "experiments/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/ratio.h"
#include "io/io_env.h"
#include "io/io_folder.h"
#include "io/io_text.h"
#include "lgkt/spec.h"

static const int64_t MILESTONES[EXP_PAIR_TIMES - 1] = {100, 1000, 5000, 10000, 100000};

// ---- times ----

// the place of a time in the increasing list, where it is put if it is not there
static int32_t place_time(int64_t *times, int32_t *count, int64_t t)
{
    int32_t place = 0;
    while (place < *count && times[place] < t)
        place++;
    if (place < *count && times[place] == t)
        return place;
    memmove(times + place + 1, times + place, (size_t)(*count - place) * sizeof *times);
    times[place] = t;
    (*count)++;
    return place;
}

static void set_times(exp_stage *stage)
{
    const int64_t horizon = stage->panel->horizon;
    int64_t *times = stage->times;
    int32_t count = 0;
    if (stage->panel->metric == EXP_METRIC_RATIO)
        times[count++] = horizon;
    else if (stage->panel->metric == EXP_METRIC_REGRET)
        count = exp_log_checkpoints(horizon, times);
    else
        count = exp_checkpoints(horizon, times);

    // from early to late, so that a place stays right
    for (int i = 0; i < EXP_PAIR_TIMES - 1 && stage->panel->metric != EXP_METRIC_RATIO; i++)
        if (MILESTONES[i] < horizon)
            stage->pair_places[stage->pair_count++] = place_time(times, &count, MILESTONES[i]);
    stage->pair_places[stage->pair_count++] = count - 1;
    stage->setup.checkpoints = times;
    stage->setup.checkpoint_count = count;
}

// ---- specs ----

bool exp_spec_trades(const char *spec)
{
    const lgkt_entry *entry = io_env_entry(spec);
    return entry != NULL && entry->data == LGKT_DATA_SERIES;
}

// the spec of the panel, with the price file if it trades
static char *make_env(const char *spec, const char *prices)
{
    if (prices == NULL || !exp_spec_trades(spec))
        return strdup(spec);
    const size_t size = strlen(spec) + strlen(prices) + 16;
    char *made = malloc(size);
    if (made != NULL)
        snprintf(made, size, "%s%cfile=(%s)", spec, strchr(spec, ':') != NULL ? ',' : ':', prices);
    return made;
}

// What is played. The note says where prices are from but not in which folder, which is another one
// on another machine.
static lgkt_status make_cast(exp_stage *stage, const char *prices, lgkt_error *error)
{
    const lgkt_status status = exp_cast_make(&stage->cast, &stage->setup, error);
    if (status != LGKT_OK)
        return status;
    for (int32_t l = 0; l < stage->cast.count; l++)
        exp_counters_name(&stage->counters[l], stage->cast.games[l].learner);
    if (prices != NULL && exp_spec_trades(stage->panel->env))
        snprintf(stage->note, sizeof stage->note, "prices of %.100s", io_base_name(prices));
    else
        snprintf(stage->note, sizeof stage->note, "%s", stage->cast.note);
    return LGKT_OK;
}

// ---- the stage ----

lgkt_status exp_stage_make(exp_stage *stage, const exp_panel *panel,
                           const exp_stage_options *options, lgkt_error *error)
{
    const size_t count = (size_t)panel->entry_count;
    *stage = (exp_stage){
        .panel = panel,
        .env = make_env(panel->env, options->prices),
        .learners = calloc(count, sizeof(const char *)),
        .counters = calloc(count, sizeof(exp_counters)),
        .setup = {.learner_count = panel->entry_count,
                  .horizon = panel->horizon,
                  .replicates = options->instances,
                  .seed = options->seed,
                  .jobs = 1,
                  .regret_k = panel->metric == EXP_METRIC_REGRET ? panel->regret_k : 0,
                  .regret_threshold = panel->regret_threshold},
    };
    lgkt_status status = LGKT_OK;
    if (stage->env == NULL || stage->learners == NULL || stage->counters == NULL)
        status = io_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    if (status == LGKT_OK) {
        for (size_t l = 0; l < count; l++)
            stage->learners[l] = panel->entries[l].spec;
        stage->setup.env = stage->env;
        stage->setup.learners = stage->learners;
        set_times(stage);
        status = exp_setup_check(&stage->setup, error);
    }
    if (status == LGKT_OK)
        status = make_cast(stage, options->prices, error);
    if (status != LGKT_OK)
        exp_stage_free(stage);
    return status;
}

void exp_stage_free(exp_stage *stage)
{
    exp_cast_free(&stage->cast);
    free(stage->env);
    free(stage->learners);
    free(stage->counters);
    *stage = (exp_stage){0};
}

lgkt_status exp_stage_play(const exp_stage *stage, int64_t number, exp_pool *pool, int64_t unit,
                           exp_outcome *outcome, lgkt_error *error)
{
    if (stage->panel->metric == EXP_METRIC_RATIO)
        return exp_ratio_play(&stage->setup, number, pool, unit, outcome, error);
    return exp_instance_play(&stage->setup, &stage->cast, number, pool, unit, outcome, error);
}
