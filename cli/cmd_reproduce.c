// SPDX-License-Identifier: MIT
// lgkt reproduce: experiments by name, by collection or from a file.
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "core/number.h"
#include "experiments/reproduce.h"
#include "io/io_folder.h"

typedef struct settings {
    cli_texts names;
    const char *out, *prices, *seed, *shard;
    int64_t replicates, jobs;
    bool quick, keep_runs, quiet;
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
           session.instances == 1 ? "" : "s", shard[0] != '\0' ? " of shard " : "", shard);
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
    code = listing ? list(&s, &choice) : run(&s, &choice, s.seed != NULL ? &seed : NULL, shard);
    exp_choice_free(&choice);
    return code;
}
