// SPDX-License-Identifier: MIT
// lgkt reproduce: experiments by name, by collection or from a file.
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "core/number.h"
#include "experiments/studies/estimate.h"
#include "experiments/runner/reproduce.h"
#include "io/plain/io_folder.h"
#include "io/plain/io_json.h"

typedef struct settings {
    cli_texts names;
    const char *out, *prices, *seed, *shard;
    int64_t replicates, jobs;
    bool quick, keep_runs, quiet, dry_run, json;
} settings;

#define AT(field) offsetof(settings, field)

static const cli_option options[] = {
    {"out", 'o', CLI_TEXT, "DIR", "results", 0, 0, NULL, AT(out),
     "where the folders of the experiments are"},
    {"replicates", 'n', CLI_INTEGER, "N", NULL, 1, EXP_MAX_REPLICATES, NULL, AT(replicates),
     "number of instances of each panel (default: as the experiment says)"},
    {"quick", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(quick),
     "few instances: everything within minutes"},
    {"seed", 's', CLI_TEXT, "X", NULL, 0, 0, NULL, AT(seed),
     "root of all random numbers (default: as the experiment says)"},
    {"jobs", 'j', CLI_INTEGER, "J", NULL, 1, EXP_MAX_JOBS, NULL, AT(jobs),
     "number of threads; it changes no result (default: one per processor)"},
    {"shard", 0, CLI_TEXT, "I/N", NULL, 0, 0, NULL, AT(shard),
     "only part I of N, with a journal of its own; lgkt merge makes results of all parts"},
    {"keep-runs", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(keep_runs),
     "also write runs.csv with one row per run"},
    {"prices", 0, CLI_TEXT, "FILE", NULL, 0, 0, NULL, AT(prices),
     "CSV with a column Close for the trading experiments (default: a random walk)"},
    {"dry-run", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(dry_run),
     "print how much there is to run and an estimate of what it takes; writes nothing"},
    {"json", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(json), "that as JSON"},
    {"quiet", 'q', CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(quiet), "no progress line"},
};

static const cli_command command = {
    .name = "reproduce",
    .usage = "NAME or FILE ... | paper | beyond | arena | practice | all | list [options]",
    .about =
        "Runs experiments into DIR/NAME/: curves, summaries and paired differences as CSV, and a\n"
        "manifest. A name is that of an experiment that comes with the command, or paper (those\n"
        "of the paper and around it), beyond (learners of our own), arena (all learners on the\n"
        "environments of the literature), practice (many units, late rewards, drift, coarse\n"
        "views) or all of them; a file is an experiment of your own (docs/experiments.md).\n"
        "Finished instances are kept in a journal as they come; the same command goes on where it\n"
        "was interrupted and ends with the same files.\n",
    .examples = "lgkt reproduce list\n"
                "lgkt reproduce synthetic-10\n"
                "lgkt reproduce all --quick --out quick\n"
                "lgkt reproduce mine.json\n"
                "lgkt reproduce mine.json --dry-run\n"
                "lgkt reproduce mine.json --shard 3/16\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .max_words = CLI_MAX_TEXTS,
    .words_offset = AT(names),
};

// ---- list ----

static int list(const settings *s, const exp_choice *choice)
{
    const exp_asked asked = {.replicates = s->replicates, .quick = s->quick};
    cli_table *table = cli_table_create("llll", "name|place|instances|what");
    for (int32_t i = 0; i < choice->count; i++) {
        const exp_experiment *experiment = &choice->items[i];
        // "52 x 4 to 20": panels, and the instances of each
        char text[80];
        int64_t least = INT64_MAX, most = 0;
        for (int32_t p = 0; p < experiment->panel_count; p++) {
            const exp_panel *panel = &experiment->panels[p];
            const int64_t instances = exp_asked_instances(&asked, panel);
            least = instances < least ? instances : least;
            most = instances > most ? instances : most;
        }
        const int used =
            snprintf(text, sizeof text, "%d x %" PRId64, (int)experiment->panel_count, least);
        if (most > least)
            snprintf(text + used, sizeof text - (size_t)used, " to %" PRId64, most);
        cli_table_cell(table, "%s", experiment->name);
        cli_table_cell(table, "%s", experiment->place);
        cli_table_cell(table, "%s", experiment->panel_count > 0 ? text : "-");
        cli_table_cell(table, "%s", experiment->title);
    }
    return cli_table_print("reproduce", table);
}

// ---- a plan before the bill ----

// of the samples of a panel, and of all
#define PANEL_SECONDS 0.3
#define ALL_SECONDS   30.0

// "1.5 GB" and "3.2 h": the largest unit of which there is one
static const char *with_unit(char text[32], double value, const char *const *names,
                             const double *sizes, int count)
{
    int i = count - 1;
    while (i > 0 && value < sizes[i])
        i--;
    snprintf(text, 32, "%.3g %s", value / sizes[i], names[i]);
    return text;
}

static const char *bytes_text(char text[32], double bytes)
{
    static const char *const names[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    static const double sizes[] = {1, 1e3, 1e6, 1e9, 1e12, 1e15};
    return with_unit(text, bytes, names, sizes, 6);
}

static const char *time_text(char text[32], double seconds)
{
    static const char *const names[] = {"ms", "s", "min", "h", "days", "years"};
    static const double sizes[] = {1e-3, 1, 60, 3600, 86400, 365.25 * 86400};
    return with_unit(text, seconds, names, sizes, 6);
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

static void print_json(io_json *json, const settings *s, const exp_experiment *experiment,
                       const exp_estimation *e)
{
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

static int print_table(const settings *s, const exp_experiment *experiment, const exp_estimation *e)
{
    char a[32], b[32], c[32];
    cli_table *table = cli_table_create(
        "lrrrrrrrr", "panel|learners|instances|runs|steps|s/instance|sampled|core hours|journal");
    for (int32_t p = 0; p < e->panel_count; p++) {
        const exp_load *load = &e->panels[p];
        const exp_panel *panel = &experiment->panels[p];
        cli_table_cell(table, "%s", panel->name);
        cli_table_cell(table, "%d", (int)panel->entry_count);
        cli_table_cell(table, "%" PRId64, load->instances);
        cli_table_cell(table, "%" PRId64, load->runs);
        cli_table_cell(table, "%.0f", load->steps);
        cli_table_cell(table, "%.3g", load->seconds);
        cli_table_cell(table, "%.3g%%", 100.0 * (double)load->sampled / (double)panel->horizon);
        cli_table_cell(table, "%.3g", (double)load->instances * load->seconds / 3600.0);
        cli_table_cell(table, "%s", bytes_text(a, (double)load->journal));
    }
    const int code = cli_table_print("reproduce", table);
    if (code != CLI_OK)
        return code;
    printf("%s%s%s: %d panel%s, %" PRId64 " cell%s, %" PRId64 " instance%s, %" PRId64
           " run%s, %.0f steps\n",
           experiment->name, s->shard != NULL ? " shard " : "", s->shard != NULL ? s->shard : "",
           (int)e->panel_count, plural(e->panel_count), e->cells, plural(e->cells),
           e->all.instances, plural(e->all.instances), e->all.runs, plural(e->all.runs),
           e->all.steps);
    printf("about %.3g core hours: %s with --jobs %" PRId64 " here; disk: %s of journal%s%s%s\n",
           e->all.seconds / 3600.0, time_text(a, wall_seconds(e, s->jobs)), s->jobs,
           bytes_text(b, (double)e->all.journal), e->tables > 0 ? ", about " : "",
           e->tables > 0 ? bytes_text(c, e->tables) : "", e->tables > 0 ? " of tables" : "");
    puts(e->whole ? "times are estimates, from a sample of the instances of each panel"
                  : "times are estimates: a sample of each panel, prolonged where less than the "
                    "whole horizon was played");
    return CLI_OK;
}

static int estimate(const settings *s, const exp_choice *choice, const uint64_t *seed,
                    exp_shard shard)
{
    const size_t count = (size_t)choice->count;
    exp_estimation *estimations = calloc(count, sizeof *estimations); // (count)
    if (estimations == NULL)
        return cli_fail("reproduce", CLI_FAILED, "out of memory");
    double panels = 0;
    for (size_t i = 0; i < count; i++)
        panels += choice->items[i].panel_count;
    int code = CLI_OK;
    cli_watch_silence(!s->quiet);
    for (size_t i = 0; i < count && code == CLI_OK; i++) {
        const exp_experiment *experiment = &choice->items[i];
        const exp_reproduction reproduction = {
            .asked = {.experiment = experiment,
                      .replicates = s->replicates,
                      .quick = s->quick,
                      .seed = seed != NULL ? *seed : experiment->seed,
                      .prices = s->prices,
                      .files = &exp_true_files},
            .shard = shard,
            .keep_runs = s->keep_runs,
        };
        lgkt_error error = {0};
        if (experiment->panel_count == 0)
            fprintf(stderr, "lgkt: reproduce: %s has no part in --quick\n", experiment->name);
        else if (exp_estimation_make(&estimations[i], &reproduction, PANEL_SECONDS,
                                     ALL_SECONDS * experiment->panel_count / panels,
                                     &error) != LGKT_OK)
            code = cli_fail_error("reproduce", &error);
    }
    cli_watch_silence(false);
    io_json json = io_json_start(stdout);
    if (s->json && code == CLI_OK) {
        io_json_open(&json, NULL, IO_JSON_OBJECT);
        io_json_open(&json, "experiments", IO_JSON_ARRAY);
    }
    for (size_t i = 0; i < count && code == CLI_OK; i++)
        if (choice->items[i].panel_count > 0 && s->json)
            print_json(&json, s, &choice->items[i], &estimations[i]);
        else if (choice->items[i].panel_count > 0)
            code = print_table(s, &choice->items[i], &estimations[i]);
    if (s->json && code == CLI_OK) {
        io_json_close(&json);
        io_json_close(&json);
    }
    for (size_t i = 0; i < count; i++)
        exp_estimation_free(&estimations[i]);
    free(estimations);
    return code;
}

// ---- running ----

static int run_one(const settings *s, exp_reproduction reproduction)
{
    const char *name = reproduction.asked.experiment->name;
    cli_progress line = {.name = name};
    char *folder = io_folder_file(s->out, name);
    if (folder == NULL)
        return cli_fail("reproduce", CLI_FAILED, "out of memory");
    reproduction.folder = folder;
    reproduction.progress_ctx = &line;
    exp_session session = {0};
    lgkt_error error = {0};
    const lgkt_status status = exp_reproduce(&reproduction, &session, &error);
    free(folder);
    cli_watch_end(&line, status == LGKT_OK && session.complete);
    // what is finished is in the journal, so a lack of room costs no work
    if (status == LGKT_ERR_NO_MEMORY || status == LGKT_ERR_IO)
        return cli_fail("reproduce", CLI_FAILED,
                        "%s (what is finished is kept; the same command goes on from there)",
                        error.text);
    if (status != LGKT_OK)
        return cli_fail_error("reproduce", &error);
    if (!session.complete)
        return cli_fail("reproduce", CLI_INTERRUPTED,
                        "interrupted; %s/%s holds %" PRId64 " of %" PRId64
                        " instances, and the same command goes on from there",
                        s->out, name, session.done, session.instances);
    char shard[EXP_SHARD_SIZE];
    exp_shard_print(reproduction.shard, "/", shard);
    printf("%s/%s: %" PRId64 " instance%s%s%s\n", s->out, name, session.instances,
           plural(session.instances), shard[0] != '\0' ? " of shard " : "", shard);
    fflush(stdout);
    return CLI_OK;
}

// All experiments, once nothing is wrong with any of them. Nullable: seed.
static int run(const settings *s, const exp_choice *choice, const uint64_t *seed, exp_shard shard)
{
    // a file that may not grow is a write error like others, not a death by signal
    signal(SIGXFSZ, SIG_IGN);
    exp_reproduction reproduction = {
        .asked = {.replicates = s->replicates,
                  .quick = s->quick,
                  .prices = s->prices,
                  .files = &exp_true_files},
        .shard = shard,
        .keep_runs = s->keep_runs,
        .jobs = (int32_t)s->jobs,
        .stop = cli_watch_interrupts(),
        .progress = s->quiet ? NULL : cli_watch_progress,
    };
    // what the journal holds is told in the end, however long that takes
    signal(SIGALRM, SIG_IGN);
    int code = CLI_OK;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < choice->count && code == CLI_OK && !ferror(stdout); i++) {
            lgkt_error error = {0};
            reproduction.asked.experiment = &choice->items[i];
            reproduction.asked.seed = seed != NULL ? *seed : choice->items[i].seed;
            if (choice->items[i].panel_count == 0) {
                if (pass == 0)
                    fprintf(stderr, "lgkt: reproduce: %s has no part in --quick\n",
                            choice->items[i].name);
            } else if (pass > 0) {
                code = run_one(s, reproduction);
            } else if (!choice->items[i].shipped && choice->count > 1 &&
                       exp_reproduction_check(&reproduction, &error) != LGKT_OK) {
                code = cli_fail_error("reproduce", &error);
            }
        }
    return code;
}

int cmd_reproduce(int argc, char **argv)
{
    settings s = {.jobs = cli_watch_cores()};
    int code = cli_parse(&command, argc, argv, &s);
    if (code != CLI_CONTINUE)
        return code;
    if (s.names.count == 0)
        return cli_fail("reproduce", CLI_USAGE,
                        "the name of an experiment is needed; see lgkt reproduce list");
    uint64_t seed = 0;
    char quoted[CLI_QUOTED_SIZE];
    if (s.seed != NULL && !lgkt_seed_parse(s.seed, &seed))
        return cli_fail("reproduce", CLI_USAGE,
                        "--seed is \"%s\"; it must be a whole number in 0 .. 2^64-1",
                        cli_quoted(s.seed, quoted));
    exp_shard shard = {0};
    lgkt_error error = {0};
    if (s.shard != NULL && exp_shard_parse(s.shard, &shard, &error) != LGKT_OK)
        return cli_fail("reproduce", CLI_USAGE, "--shard: %s", error.text);
    if (s.json && !s.dry_run)
        return cli_fail("reproduce", CLI_USAGE, "--json goes with --dry-run only");
    const bool listing = strcmp(s.names.items[0], "list") == 0;
    for (int i = 0; i < s.names.count; i++)
        if (s.names.count > 1 && strcmp(s.names.items[i], "list") == 0)
            return cli_fail("reproduce", CLI_USAGE, "list goes with no other name");
    if (listing)
        s.names.items[0] = "all";
    exp_choice choice;
    if (exp_choose(&choice, s.names.items, s.names.count, &error) != LGKT_OK)
        return cli_fail_error("reproduce", &error);
    for (int32_t i = 0; i < choice.count && s.quick; i++)
        exp_experiment_quicken(&choice.items[i]);
    const uint64_t *given = s.seed != NULL ? &seed : NULL;
    code = listing     ? list(&s, &choice)
           : s.dry_run ? estimate(&s, &choice, given, shard)
                       : run(&s, &choice, given, shard);
    exp_choice_free(&choice);
    return code;
}
