// SPDX-License-Identifier: MIT
// From a panel to what is run (setup.h).
//
// Curves are looked at as `lgkt run` does, and also at the times where learners are compared in
// pairs. Exact values have one time, T.
#include "experiments/runner/setup.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/elementary.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/text.h"
#include "io/plain/io_folder.h"
#include "io/plain/io_text.h"

#define FEW_LEARNERS 20 // that an identity names in every panel

int64_t exp_asked_instances(const exp_asked *asked, const exp_panel *panel)
{
    if (asked->replicates > 0)
        return asked->replicates;
    return asked->quick ? panel->quick_instances : panel->instances;
}

lgkt_status exp_setup_fail(const exp_setup *setup, const char *field, const char *who,
                           const lgkt_error *why, lgkt_error *error)
{
    const char *file = setup->asked->experiment->file;
    if (file == NULL)
        return lgkt_fail(error, why->status, "%s", why->text);
    return lgkt_fail(error, why->status,
                     who[0] != '\0' ? "%s: panels[%d]%s: \"%s\": %s" : "%s: panels[%d]%s: %s%s",
                     file, (int)setup->panel->place, field, who, why->text);
}

// ---- times ----

// puts a time into an increasing list, if it is not there, and returns its place
static int32_t put_time(int64_t *times, int32_t *count, int64_t t)
{
    int32_t place = *count;
    while (place > 0 && times[place - 1] >= t)
        place--;
    if (place == *count || times[place] != t) {
        memmove(times + place + 1, times + place, (size_t)(*count - place) * sizeof *times);
        times[place] = t;
        (*count)++;
    }
    return place;
}

// Half of them evenly spaced in log t (what happens early), half evenly spaced in t (what happens
// late), so that curves look smooth on a log axis and on a plain one:
//
//     log:    T^(i/n), i = 0 .. n        plain:  T j/m, j = 1 .. m        n = m = 100; both end at T
//
// Log alone: n = 199 and m = 0.
int32_t exp_checkpoints(int64_t horizon, bool log, int64_t times[EXP_MAX_CHECKPOINTS])
{
    const int n = log ? EXP_MAX_CHECKPOINTS - 1 : EXP_MAX_CHECKPOINTS / 2;
    const int m = log ? 0 : EXP_MAX_CHECKPOINTS / 2;
    const bool all = horizon <= EXP_MAX_CHECKPOINTS;
    int32_t count = 0;
    for (int64_t t = 1; t <= horizon && all; t++)
        times[count++] = t;
    for (int i = 0; i <= n && !all; i++)
        put_time(times, &count,
                 i == n ? horizon : llround(lgkt_pow((double)horizon, (double)i / n)));
    // by the quotient and the rest, because horizon * j could overflow
    for (int j = 1; j <= m && !all; j++)
        put_time(times, &count, horizon / m * j + horizon % m * j / m);
    return count;
}

static lgkt_status set_times(exp_setup *setup, lgkt_error *error)
{
    const exp_panel *panel = setup->panel;
    const int64_t horizon = panel->horizon;
    const bool alone = panel->times == EXP_TIMES_ALONE;
    const bool given = alone || panel->times == EXP_TIMES_GIVEN;
    const size_t most = (given ? (size_t)panel->given_count : EXP_MAX_CHECKPOINTS) +
                        (size_t)panel->compare_count + 1;
    int64_t *times = setup->checkpoints = calloc(most, sizeof *times);
    int32_t *count = &setup->checkpoint_count;
    if (times == NULL)
        return lgkt_fail_memory(error, "a panel");
    if (!given && !setup->exact)
        *count = exp_checkpoints(horizon, panel->times == EXP_TIMES_LOG, times);
    for (int32_t i = 0; i < panel->given_count && given && !setup->exact; i++)
        if (alone || panel->given_times[i] < horizon)
            times[(*count)++] = panel->given_times[i];
    // from early to late, so that a place stays right
    for (int32_t i = 0; i < panel->compare_count && !setup->exact; i++)
        if (panel->compare[i] < horizon + alone)
            setup->compared[setup->compared_count++] = put_time(times, count, panel->compare[i]);
    if (!alone || setup->exact)
        setup->compared[setup->compared_count++] = put_time(times, count, horizon);
    return LGKT_OK;
}

// ---- ranges ----

static lgkt_status check_range(const char *what, int64_t value, int64_t min, int64_t max,
                               lgkt_error *error)
{
    if (value >= min && value <= max)
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s: %" PRId64 " is not in %" PRId64 " .. %" PRId64,
                     what, value, min, max);
}

static lgkt_status check_ranges(const exp_setup *setup, lgkt_error *error)
{
    const exp_panel *panel = setup->panel;
    const int32_t units = panel->units.count;
    const bool curves = setup->checkpoint_count > 0;
    LGKT_TRY(check_range("learners", panel->entry_count, 0, EXP_MAX_LEARNERS, error));
    LGKT_TRY(check_range("replicates", setup->instances, 1, EXP_MAX_REPLICATES, error));
    LGKT_TRY(check_range("horizon", panel->horizon, 1, EXP_MAX_HORIZON, error));
    LGKT_TRY(check_range("checkpoints", setup->checkpoint_count, 0, EXP_MAX_POINTS, error));
    LGKT_TRY(check_range("measures", panel->measure_count, curves, EXP_MAX_MEASURES, error));
    LGKT_TRY(check_range("regret: K", panel->regret_k, 0, EXP_MAX_HORIZON, error));
    for (int32_t c = 0; c < setup->checkpoint_count; c++)
        LGKT_TRY(check_range("checkpoint", setup->checkpoints[c],
                             c > 0 ? setup->checkpoints[c - 1] + 1 : 1, panel->horizon, error));
    if (units > 0 && panel->horizon % units != 0)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "horizon: %" PRId64 " is no whole number of rounds of %d units",
                         panel->horizon, (int)units);
    for (int32_t m = 0; m < panel->measure_count && units > 0; m++)
        if (panel->measures[m].kind != EXP_MEASURE_AVERAGE &&
            panel->measures[m].kind != EXP_MEASURE_CUMULATIVE)
            return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                             "measure: units go with average and cumulative, not with %s",
                             panel->measures[m].word);
    if (!isfinite(panel->regret_threshold))
        return lgkt_fail(error, LGKT_ERR_NOT_FINITE, "regret: the threshold is %g",
                         panel->regret_threshold);
    return LGKT_OK;
}

// ---- environments ----

lgkt_status exp_env_create(const exp_world *world, uint64_t seed, int64_t instance, lgkt_env **env,
                           lgkt_error *error)
{
    lgkt_env_config config = lgkt_env_config_default();
    config.seed = seed;
    config.instance = (uint64_t)instance;
    config.data = world->data.given;
    config.after = world->data.after;
    if (world->draws != NULL) {
        config.data.kind = LGKT_DATA_MODEL;
        LGKT_TRY(world->draws->model(world->draws->ctx, instance / world->draws->units,
                                     &config.data.model, error));
    }
    return lgkt_env_create(world->spec, &config, env, error);
}

// times, ranges, and the files that specs name; *field is where in the experiment a spec stands
static lgkt_status settle(exp_setup *setup, const char **field, lgkt_error *error)
{
    const exp_asked *asked = setup->asked;
    const exp_panel *panel = setup->panel;
    const char *folder = asked->experiment->folder != NULL ? asked->experiment->folder : "";
    // a price file is found from where the command was called
    const char *before = setup->trades && asked->prices != NULL ? "" : folder;
    exp_world *world = setup->worlds;
    LGKT_TRY(set_times(setup, error));
    LGKT_TRY(check_ranges(setup, error));
    *field = ".environment";
    world->spec = setup->env;
    world->draws = asked->draws;
    LGKT_TRY(asked->files->read(asked->files, before, world->spec, &world->data, error));
    *field = ".events";
    for (int32_t m = 0; m < panel->measure_count; m++) {
        const exp_measure *measure = &panel->measures[m];
        world = &setup->worlds[1 + m];
        if (measure->kind != EXP_MEASURE_EVENT)
            continue;
        for (int32_t e = 0; e < panel->event_count && world->spec == NULL; e++)
            if (strcmp(panel->events[e].name, measure->name) == 0)
                world->spec = panel->events[e].env;
        if (world->spec == NULL)
            return lgkt_fail(error, LGKT_ERR_UNKNOWN_NAME, "%s: there is no such event",
                             measure->word);
        LGKT_TRY(asked->files->read(asked->files, folder, world->spec, &world->data, error));
    }
    return LGKT_OK;
}

lgkt_status exp_setup_make(exp_setup *setup, const exp_asked *asked, const exp_panel *panel,
                           lgkt_error *error)
{
    const lgkt_entry *env = io_entry_of(panel->env, lgkt_env_entry);
    *setup = (exp_setup){
        .asked = asked,
        .panel = panel,
        .instances = exp_asked_instances(asked, panel),
        .trades = env != NULL && env->data == LGKT_DATA_SERIES,
        .exact = panel->measure_count > 0 && panel->measures[0].kind == EXP_MEASURE_RATIO,
    };
    io_memory spec = {0};
    io_memory_print(&spec, "%s", panel->env);
    if (setup->trades && asked->prices != NULL)
        io_memory_print(&spec, "%cfile=(%s)", strchr(panel->env, ':') != NULL ? ',' : ':',
                        asked->prices);
    setup->env = io_memory_close(&spec, NULL);
    if (setup->env == NULL)
        return lgkt_fail_memory(error, "a panel");
    for (int32_t m = 0; m < panel->measure_count; m++)
        if (panel->measures[m].kind == EXP_MEASURE_REGRET)
            setup->regret_k = panel->regret_k;
    const char *field = "";
    lgkt_error why = {0};
    const lgkt_status status = settle(setup, &field, &why);
    if (status != LGKT_OK)
        exp_setup_fail(setup, field, panel->cell != NULL ? panel->name : "", &why, error);
    return status;
}

void exp_setup_free(exp_setup *setup)
{
    for (int32_t i = 0; i <= EXP_MAX_MEASURES; i++)
        io_data_release(&setup->worlds[i].data);
    free(setup->env);
    free(setup->checkpoints);
    *setup = (exp_setup){0};
}

// ---- what it runs on ----

static uint64_t data_hash(const lgkt_data *data)
{
    uint64_t hash = LGKT_HASH_START;
    for (size_t i = 0; i < data->count && data->kind == LGKT_DATA_SERIES; i++)
        hash = lgkt_hash_f64(hash, data->series[i]);
    return data->kind == LGKT_DATA_MODEL ? lgkt_mdp_hash(data->model) : hash;
}

void exp_setup_prices(const exp_setup *setups, int32_t count, char text[EXP_PRICES_SIZE])
{
    char file[EXP_FILE_SIZE];
    text[0] = '\0';
    for (int32_t p = 0; p < count; p++)
        if (setups[p].trades && setups[p].asked->prices == NULL) {
            snprintf(text, EXP_PRICES_SIZE, "random walk");
        } else if (setups[p].trades) {
            lgkt_text_clean(file, sizeof file, io_base_name(setups[p].asked->prices));
            snprintf(text, EXP_PRICES_SIZE, "%s %016" PRIx64, file,
                     data_hash(&setups[p].worlds[0].data.given));
        }
}

// whether they are many, and those of another panel
static bool same_learners(const exp_panel *a, const exp_panel *b)
{
    bool same = b != NULL && a->entry_count > FEW_LEARNERS && a->entry_count == b->entry_count &&
                a->untold == b->untold && (a->units.count > 0) == (b->units.count > 0);
    for (int32_t l = 0; same && l < a->entry_count; l++)
        same = a->entries[l].alone == b->entries[l].alone &&
               strcmp(a->entries[l].spec, b->entries[l].spec) == 0;
    return same;
}

// `before` (nullable) is the panel before it
static void print_panel(io_memory *out, const exp_setup *setup, const exp_panel *before)
{
    const exp_panel *panel = setup->panel;
    const exp_units *units = &panel->units;
    io_memory_print(out, "panel %s\n", panel->env);
    const io_data *data = &setup->worlds[0].data;
    if (data->given.kind != LGKT_DATA_NONE)
        io_memory_print(out, "data %016" PRIx64 "\n", data_hash(&data->given));
    if (data->after.kind != LGKT_DATA_NONE)
        io_memory_print(out, "after %016" PRIx64 "\n", data_hash(&data->after));
    io_memory_print(out, "horizon %" PRId64 "\ninstances %" PRId64 "\n", panel->horizon,
                    setup->instances);
    if (units->count > 0)
        io_memory_print(out,
                        "units %d late %.17g missing %.17g patience %" PRId64 " told %" PRId64
                        " extended %" PRId64 "\n",
                        (int)units->count, units->late, units->missing, units->patience,
                        units->told, units->extended);
    for (int32_t m = 0; m < panel->measure_count; m++) {
        io_memory_print(out, "measure %s", panel->measures[m].word);
        if (panel->measures[m].kind == EXP_MEASURE_REGRET)
            io_memory_print(out, " %" PRId64 " %.17g", setup->regret_k, panel->regret_threshold);
        if (panel->measures[m].kind == EXP_MEASURE_EVENT)
            io_memory_print(out, " %s", setup->worlds[1 + m].spec);
        if (setup->worlds[1 + m].data.given.kind != LGKT_DATA_NONE)
            io_memory_print(out, " %016" PRIx64, data_hash(&setup->worlds[1 + m].data.given));
        io_memory_print(out, "\n");
    }
    for (int32_t l = 0; l < panel->entry_count && !same_learners(panel, before); l++)
        io_memory_print(out, "%s%s %s\n",
                        units->count > 0 && panel->entries[l].alone ? "alone " : "",
                        panel->untold ? "untold" : "learner", panel->entries[l].spec);
    io_memory_print(out, "times");
    for (int32_t c = 0; c < setup->checkpoint_count; c++)
        io_memory_print(out, " %" PRId64, setup->checkpoints[c]);
    io_memory_print(out, "\n");
}

char *exp_setup_identity(const exp_setup *setups, int32_t count)
{
    char prices[EXP_PRICES_SIZE];
    io_memory text = {0};
    exp_setup_prices(setups, count, prices);
    io_memory_print(&text, "experiment %s\nnumbers %d\nversion %s\nseed %" PRIu64 "\nprices %s\n",
                    setups->asked->experiment->name, LGKT_NUMBERS, lgkt_version(),
                    setups->asked->seed, prices[0] != '\0' ? prices : "none");
    for (int32_t p = 0; p < count; p++)
        print_panel(&text, &setups[p], p > 0 ? setups[p - 1].panel : NULL);
    return io_memory_close(&text, NULL);
}
