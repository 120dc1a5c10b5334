// SPDX-License-Identifier: MIT
// lgkt reproduce: experiments by name, by collection or from a file. lgkt merge: journals of parts
// into the results of the whole.
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli.h"
#include "experiments/studies/studies.h"
#include "experiments/runner/store.h"
#include "io/plain/io_folder.h"
#include "io/plain/io_json.h"

// ---- list ----

static lgkt_status list(const cli_settings *s, const exp_choice *choice, lgkt_error *error)
{
    const exp_asked asked = {.replicates = s->replicates, .quick = s->quick};
    io_memory table = {0};
    io_memory_print(&table, "name\tplace\tinstances\twhat\n");
    for (int32_t i = 0; i < choice->count; i++) {
        const exp_experiment *experiment = &choice->items[i];
        int64_t least = INT64_MAX, most = 0;
        for (int32_t p = 0; p < experiment->panel_count; p++) {
            const int64_t instances = exp_asked_instances(&asked, &experiment->panels[p]);
            least = instances < least ? instances : least;
            most = instances > most ? instances : most;
        }
        // "52 x 4 to 20": panels, and the instances of each
        char range[80] = "-", end[32] = "";
        if (most > least)
            snprintf(end, sizeof end, " to %" PRId64, most);
        if (experiment->panel_count > 0)
            snprintf(range, sizeof range, "%" PRId32 " x %" PRId64 "%s", experiment->panel_count,
                     least, end);
        io_memory_print(&table, "%s\t%s\t%s\t%s\n", experiment->name, experiment->place, range,
                        experiment->title);
    }
    return cli_table_print(&table, "llll", error);
}

// ---- a plan before the bill ----

// of the samples of a panel, and of all
#define PANEL_SECONDS 0.3
#define ALL_SECONDS   30.0

enum { UNITS = 6 };

typedef struct unit {
    const char *name;
    double size;
} unit;

static const unit BYTES[UNITS] = {{"B", 1},    {"kB", 1e3},  {"MB", 1e6},
                                  {"GB", 1e9}, {"TB", 1e12}, {"PB", 1e15}};
static const unit TIMES[UNITS] = {{"ms", 1e-3}, {"s", 1},        {"min", 60},
                                  {"h", 3600},  {"days", 86400}, {"years", 365.25 * 86400}};

// "1.5 GB" and "3.2 h": the largest unit of which there is one
static const char *with_unit(char text[32], double value, const unit units[UNITS])
{
    int i = UNITS - 1;
    while (i > 0 && value < units[i].size)
        i--;
    snprintf(text, 32, "%.3g %s", value / units[i].size, units[i].name);
    return text;
}

// with so many threads, and no sooner than the longest instance
static double wall_seconds(const exp_estimation *e, int64_t jobs)
{
    return fmax(e->all.seconds / (double)jobs, e->longest);
}

static void print_load_json(io_json *json, const exp_load *load, double seconds)
{
    io_json_integer(json, "instances", load->instances);
    io_json_integer(json, "runs", load->runs);
    io_json_real(json, "steps", load->steps);
    io_json_real(json, "core_hours", seconds / 3600.0);
    io_json_integer(json, "journal_bytes", load->journal);
}

// The list that all estimates go to, unless it has begun.
static void begin_list(io_json *json)
{
    if (json->depth > 0)
        return;
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_open(json, "experiments", IO_JSON_ARRAY);
}

static void print_json(io_json *json, const cli_settings *s, const exp_experiment *experiment,
                       const exp_estimation *e)
{
    begin_list(json);
    io_json_open(json, NULL, IO_JSON_OBJECT);
    io_json_text(json, "experiment", experiment->name);
    io_json_open(json, "panels", IO_JSON_ARRAY);
    for (int32_t p = 0; p < e->panel_count; p++) {
        const exp_load *load = &e->panels[p];
        const exp_panel *panel = &experiment->panels[p];
        io_json_open(json, NULL, IO_JSON_RECORD);
        io_json_text(json, "panel", panel->name);
        io_json_integer(json, "learners", panel->entry_count);
        io_json_integer(json, "horizon", panel->horizon);
        io_json_integer(json, "sampled", load->sampled);
        io_json_real(json, "seconds_per_instance", load->seconds);
        print_load_json(json, load, (double)load->instances * load->seconds);
        io_json_close(json);
    }
    io_json_close(json);
    io_json_integer(json, "cells", e->cells);
    print_load_json(json, &e->all, e->all.seconds);
    io_json_real(json, "table_bytes", round(e->tables));
    io_json_integer(json, "jobs", s->jobs);
    io_json_real(json, "wall_hours", wall_seconds(e, s->jobs) / 3600.0);
    io_json_close(json);
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static lgkt_status print_table(const cli_settings *s, const exp_experiment *experiment,
                               const exp_estimation *e, lgkt_error *error)
{
    char a[32], b[32], c[32];
    io_memory table = {0};
    io_memory_print(&table, "panel\tlearners\tinstances\truns\tsteps\ts/instance\tsampled\t"
                            "core hours\tjournal\n");
    for (int32_t p = 0; p < e->panel_count; p++) {
        const exp_load *load = &e->panels[p];
        const exp_panel *panel = &experiment->panels[p];
        io_memory_print(&table,
                        "%s\t%" PRId32 "\t%" PRId64 "\t%" PRId64 "\t%.0f\t%.3g\t%.3g%%\t%.3g\t%s\n",
                        panel->name, panel->entry_count, load->instances, load->runs, load->steps,
                        load->seconds, 100.0 * (double)load->sampled / (double)panel->horizon,
                        (double)load->instances * load->seconds / 3600.0,
                        with_unit(a, (double)load->journal, BYTES));
    }
    LGKT_TRY(cli_table_print(&table, "lrrrrrrrr", error));
    printf("%s%s%s: %d panel%s, %" PRId64 " cell%s, %" PRId64 " instance%s, %" PRId64
           " run%s, %.0f steps\n",
           experiment->name, s->shard != NULL ? " shard " : "", s->shard != NULL ? s->shard : "",
           (int)e->panel_count, plural(e->panel_count), e->cells, plural(e->cells),
           e->all.instances, plural(e->all.instances), e->all.runs, plural(e->all.runs),
           e->all.steps);
    printf("about %.3g core hours: %s with --jobs %" PRId64 " here; disk: %s of journal%s%s%s\n",
           e->all.seconds / 3600.0, with_unit(a, wall_seconds(e, s->jobs), TIMES), s->jobs,
           with_unit(b, (double)e->all.journal, BYTES), e->tables > 0 ? ", about " : "",
           e->tables > 0 ? with_unit(c, e->tables, BYTES) : "", e->tables > 0 ? " of tables" : "");
    puts(e->whole ? "times are estimates, from a sample of the instances of each panel"
                  : "times are estimates: a sample of each panel, prolonged where less than the "
                    "whole horizon was played");
    return LGKT_OK;
}

// With about so many seconds for samples.
static lgkt_status estimate(const cli_settings *s, const exp_reproduction *reproduction,
                            double seconds, io_json *json, lgkt_error *error)
{
    const exp_experiment *experiment = reproduction->asked.experiment;
    exp_estimation estimation = {0};
    cli_watch_silence(!s->quiet);
    lgkt_status status =
        exp_estimation_make(&estimation, reproduction, PANEL_SECONDS, seconds, error);
    cli_watch_silence(false);
    if (status == LGKT_OK && s->json)
        print_json(json, s, experiment, &estimation);
    else if (status == LGKT_OK)
        status = print_table(s, experiment, &estimation, error);
    exp_estimation_free(&estimation);
    return status;
}

// ---- running ----

static lgkt_status run(const cli_settings *s, exp_reproduction reproduction, lgkt_error *error)
{
    const char *name = reproduction.asked.experiment->name;
    cli_progress line = {.name = name};
    char *folder = io_folder_file(s->out, name), shard[EXP_SHARD_SIZE];
    if (folder == NULL)
        return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory");
    reproduction.folder = folder;
    reproduction.how.stop = cli_watch_interrupts();
    reproduction.how.progress = s->quiet ? NULL : cli_watch_progress;
    reproduction.how.progress_ctx = &line;
    // what the journal holds is told in the end, however long that takes
    signal(SIGALRM, SIG_IGN);
    exp_session session = {0};
    const lgkt_status status = exp_reproduce(&reproduction, &session, error);
    free(folder);
    cli_watch_end(&line, status == LGKT_OK && session.complete);
    // what is finished is in the journal, so a lack of room costs no work
    if (status == LGKT_ERR_NO_MEMORY || status == LGKT_ERR_IO)
        return lgkt_fail(error, CLI_FAILED,
                         "%s (what is finished is kept; the same command goes on from there)",
                         error->text);
    LGKT_TRY(status);
    if (!session.complete)
        return lgkt_fail(error, CLI_INTERRUPTED,
                         "interrupted; %s/%s holds %" PRId64 " of %" PRId64
                         " instances, and the same command goes on from there",
                         s->out, name, session.done, session.instances);
    exp_shard_print(reproduction.shard, "/", shard);
    if (session.edited && shard[0] != '\0')
        cli_say("reproduce",
                "%s was edited since the journal was begun; lgkt merge --experiment FILE takes it "
                "as it is now",
                name);
    printf("%s/%s: %" PRId64 " instance%s%s%s\n", s->out, name, session.instances,
           plural(session.instances), shard[0] != '\0' ? " of shard " : "", shard);
    fflush(stdout);
    return LGKT_OK;
}

// All experiments, once nothing is wrong with any of them.
static lgkt_status run_all(const cli_settings *s, const exp_choice *choice, exp_shard shard,
                           lgkt_error *error)
{
    exp_reproduction reproduction = {
        .asked = {.replicates = s->replicates,
                  .quick = s->quick,
                  .prices = s->prices,
                  .files = &io_true_files},
        .shard = shard,
        .keep_runs = s->keep_runs,
        .how.jobs = (int32_t)s->jobs,
    };
    int64_t panels = 0;
    for (int32_t i = 0; i < choice->count; i++) {
        reproduction.asked.experiment = &choice->items[i];
        reproduction.asked.seed = s->seed.text != NULL ? s->seed.value : choice->items[i].seed;
        panels += choice->items[i].panel_count;
        if (choice->items[i].panel_count == 0)
            cli_say("reproduce", "%s has no part in --quick", choice->items[i].name);
        // An experiment that comes with the command can only lack its price file. That is found
        // when it is run; a dry run finds it before anything is printed of the ones before.
        else if (choice->count > 1 && (!choice->items[i].shipped || s->dry_run))
            LGKT_TRY(exp_reproduction_check(&reproduction, error));
    }
    io_json json = {.out = stdout};
    for (int32_t i = 0; i < choice->count && !ferror(stdout); i++) {
        const exp_experiment *experiment = &choice->items[i];
        const double part = (double)experiment->panel_count / (double)panels;
        reproduction.asked.experiment = experiment;
        reproduction.asked.seed = s->seed.text != NULL ? s->seed.value : experiment->seed;
        if (experiment->panel_count > 0)
            LGKT_TRY(s->dry_run ? estimate(s, &reproduction, ALL_SECONDS * part, &json, error)
                                : run(s, reproduction, error));
    }
    if (s->json) {
        begin_list(&json);
        io_json_close(&json);
        io_json_close(&json);
    }
    return LGKT_OK;
}

lgkt_status cmd_reproduce(cli_settings *s, lgkt_error *error)
{
    s->jobs = cli_watch_jobs(s->jobs);
    exp_shard shard = {0};
    if (s->shard != NULL && exp_shard_parse(s->shard, &shard, error) != LGKT_OK)
        return lgkt_fail(error, CLI_USAGE, "--shard: %s", error->text);
    if (s->json && !s->dry_run)
        return lgkt_fail(error, CLI_USAGE, "--json goes with --dry-run only");
    const bool listing = strcmp(s->words.items[0], "list") == 0;
    for (int i = 0; i < s->words.count; i++)
        if (s->words.count > 1 && strcmp(s->words.items[i], "list") == 0)
            return lgkt_fail(error, CLI_USAGE, "list goes with no other name");
    if (listing)
        s->words.items[0] = "all";
    // a file that may not grow is a write error like others, not a death by signal
    signal(SIGXFSZ, SIG_IGN);
    exp_choice choice;
    LGKT_TRY(exp_choose(&choice, s->words.items, s->words.count, error));
    for (int32_t i = 0; i < choice.count && s->quick; i++)
        exp_experiment_quicken(&choice.items[i]);
    const lgkt_status status =
        listing ? list(s, &choice, error) : run_all(s, &choice, shard, error);
    exp_choice_free(&choice);
    return status;
}

// ---- merge ----

lgkt_status cmd_merge(cli_settings *s, lgkt_error *error)
{
    // a file that may not grow is a write error like others, and every journal is an open file
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    const exp_merging merging = {.paths = s->words.items,
                                 .path_count = s->words.count,
                                 .experiment = s->experiment,
                                 .prices = s->prices,
                                 .out = s->out,
                                 .keep_runs = s->keep_runs};
    exp_merged merged;
    cli_watch_silence(true);
    const lgkt_status status = exp_merge(&merging, &merged, error);
    cli_watch_silence(false);
    LGKT_TRY(status);
    if (merged.complete)
        printf("%s/%s: %" PRId64 " instances from %d journal%s\n", s->out, merged.name,
               merged.instances, (int)merged.journals, plural(merged.journals));
    else // longer than an error can be
        cli_say("merge",
                "%s: %" PRId64 " of %" PRId64
                " instances are there, nothing was written; missing: %s",
                merged.name, merged.found, merged.instances, merged.missing);
    return merged.complete ? LGKT_OK : CLI_FAILED;
}
