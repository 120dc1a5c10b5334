// SPDX-License-Identifier: MIT
// lgkt slurm: a script that runs the parts of an experiment as an array job of Slurm.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "core/number.h"
#include "experiments/studies/estimate.h"
#include "experiments/runner/store.h"
#include "io/plain/io_folder.h"

typedef struct settings {
    cli_texts names, sbatch;
    const char *out, *script, *prices, *seed, *partition, *account;
    double hours;
    int64_t nodes, shards, cpus, replicates;
    bool quick, keep_runs;
} settings;

#define AT(field) offsetof(settings, field)

// Slurm keeps time in minutes, and a task is told NOTICE seconds before its end, or a minute more
#define NOTICE    90
#define MIN_HOURS 0.05

// of the samples of a panel, and of all
#define PANEL_SECONDS 0.05
#define ALL_SECONDS   5.0

static const cli_option options[] = {
    {"hours", 0, CLI_REAL, "H", NULL, MIN_HOURS, 8760, NULL, AT(hours),
     "time limit of a task; one that needs longer is queued again and goes on"},
    {"nodes", 0, CLI_INTEGER, "N", NULL, 1, EXP_MAX_JOURNALS, NULL, AT(nodes),
     "how many tasks are to run at a time, each on one node"},
    {"shards", 0, CLI_INTEGER, "N", NULL, 1, EXP_MAX_JOURNALS, NULL, AT(shards),
     "parts of the experiment, one task each (default: as many as nodes)"},
    {"cpus", 0, CLI_INTEGER, "N", NULL, 1, EXP_MAX_JOBS, NULL, AT(cpus),
     "processors of a task (default: a whole node with all it has)"},
    {"out", 'o', CLI_TEXT, "DIR", "results", 0, 0, NULL, AT(out),
     "where the folder of the experiment is; all nodes must see it"},
    {"script", 0, CLI_TEXT, "FILE", NULL, 0, 0, NULL, AT(script),
     "file for the script (default: it is printed)"},
    {"replicates", 'n', CLI_INTEGER, "N", NULL, 1, EXP_MAX_REPLICATES, NULL, AT(replicates),
     "number of instances of each panel (default: as the experiment says)"},
    {"quick", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(quick),
     "few instances: everything within minutes"},
    {"seed", 's', CLI_TEXT, "X", NULL, 0, 0, NULL, AT(seed),
     "root of all random numbers (default: as the experiment says)"},
    {"keep-runs", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(keep_runs),
     "also write runs.csv with one row per run"},
    {"prices", 0, CLI_TEXT, "FILE", NULL, 0, 0, NULL, AT(prices),
     "CSV with a column Close for the trading experiments (default: a random walk)"},
    {"partition", 0, CLI_TEXT, "P", NULL, 0, 0, NULL, AT(partition), "--partition of sbatch"},
    {"account", 0, CLI_TEXT, "A", NULL, 0, 0, NULL, AT(account), "--account of sbatch"},
    {"sbatch", 0, CLI_TEXTS, "OPTION", NULL, 0, 0, NULL, AT(sbatch),
     "any other option of sbatch, as --sbatch=--mem=4G"},
};

static const cli_command command = {
    .name = "slurm",
    .usage = "NAME or FILE --hours H --nodes N [options]",
    .about =
        "Writes a shell script that runs an experiment on a cluster with Slurm. Run with sh, it\n"
        "submits an array job with a task for each shard (lgkt reproduce --shard) and a job that\n"
        "merges them when all are done (lgkt merge). A task that its time limit, a preemption or\n"
        "the failure of a node ends is queued again and goes on from its journal. Nothing is\n"
        "submitted here; the script is there to be read, and edited.\n",
    .examples =
        "lgkt slurm mine.json --hours 2 --nodes 16 --script mine.slurm.sh\n"
        "lgkt slurm mine.json --hours 2 --nodes 16 --shards 64 --cpus 8 --partition short\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .max_words = CLI_MAX_TEXTS,
    .words_offset = AT(names),
};

// ---- paths ----

// The path from the root, so that it means the same on a node; NULL when memory is out or the
// folder we are in is gone.
static char *whole_path(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 1 + strspn(path + 1, "/");
    char *folder = path[0] != '/' ? getcwd(NULL, 0) : NULL;
    char *whole = path[0] == '/'   ? strdup(path)
                  : folder == NULL ? NULL
                  : path[0] == '\0' || strcmp(path, ".") == 0
                      ? strdup(folder)
                      : io_folder_file(strcmp(folder, "/") == 0 ? "" : folder, path);
    free(folder);
    return whole;
}

// The command as it was called, which may be a link that outlives what it leads to. A name alone
// that is not in PATH stays as it is.
static char *find_program(const char *called)
{
    if (strchr(called, '/') != NULL)
        return whole_path(called);
    for (const char *at = getenv("PATH"); at != NULL;) {
        const size_t length = strcspn(at, ":");
        char *folder = length > 0 ? strndup(at, length) : strdup(".");
        char *path = folder != NULL ? io_folder_file(folder, called) : NULL;
        const bool found = path != NULL && access(path, X_OK) == 0;
        char *whole = found ? whole_path(path) : NULL;
        free(folder);
        free(path);
        if (found)
            return whole;
        at = at[length] == ':' ? at + length + 1 : NULL;
    }
    return strdup(called);
}

// ---- the script ----

// one word of the shell, whatever is in the text
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    fputc('\'', out);
}

// " --name 'text'", if there is one
static void put_option(FILE *out, const char *name, const char *text)
{
    if (text == NULL)
        return;
    fputs(name, out);
    put_quoted(out, text);
}

// What the script is made from, with whole paths.
typedef struct plan {
    const settings *asked;
    const char *name; // of the experiment
    char *program, *experiment, *out, *prices;
} plan;

static void put_script(FILE *out, const plan *p)
{
    const settings *s = p->asked;
    fputs("#!/bin/sh\n"
          "# An experiment on a cluster with Slurm. Submit it with sh and the name of this file:\n"
          "# that queues an array job, each task of which plays one part of the experiment, and\n"
          "# a job that makes the result files when all tasks are done. After a failure submit it\n"
          "# again: what is finished is kept, and the rest is played.\n"
          "set -eu\n\n"
          "# what is run, and where the results go; every node must see these paths\n"
          "lgkt=",
          out);
    put_quoted(out, p->program);
    fputs("\nexperiment=", out);
    put_quoted(out, p->experiment);
    fputs("\nname=", out);
    put_quoted(out, p->name);
    fputs("\nout=", out);
    put_quoted(out, p->out);
    fprintf(
        out,
        "\n\n# parts of the experiment, each with a journal of its own (with another number of\n"
        "# parts all is played anew), and how many of them run at a time\n"
        "shards=%" PRId64 "\nnodes=%" PRId64 "\n"
        "# time limit of a task in minutes, and how many seconds before it the task stops\n"
        "minutes=%.0f\nnotice=%d\n\n",
        s->shards, s->nodes, ceil(60.0 * s->hours - 1e-9), NOTICE);

    fputs("# one task of the array: a part with a journal of its own\n"
          "task() {\n"
          "    again=no work=\n"
          "    # the notice of the time limit: lgkt keeps what is finished and ends\n"
          "    trap 'again=yes; kill -INT \"$work\" || :' USR1\n"
          "    \"$lgkt\" reproduce \"$experiment\" --shard \"$SLURM_ARRAY_TASK_ID/$shards\" \\\n"
          "        --out \"$out\"",
          out);
    if (s->replicates > 0)
        fprintf(out, " --replicates %" PRId64, s->replicates);
    fputs(s->quick ? " --quick" : "", out);
    put_option(out, " --seed ", s->seed);
    put_option(out, " --prices ", p->prices);
    fprintf(out, " --jobs \"$%s\" --quiet &\n",
            s->cpus > 0 ? "SLURM_CPUS_PER_TASK" : "SLURM_CPUS_ON_NODE");
    fputs("    work=$!\n"
          "    # a signal ends wait, but not yet the work\n"
          "    code=0\n"
          "    wait \"$work\" || code=$?\n"
          "    while kill -0 \"$work\" 2>/dev/null; do\n"
          "        code=0\n"
          "        wait \"$work\" || code=$?\n"
          "    done\n"
          "    # not finished in time: the same task again, which goes on from its journal\n"
          "    if [ \"$again\" = yes ] && [ \"$code\" -ne 0 ]; then\n"
          "        scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\n"
          "        code=0\n"
          "    fi\n"
          "    exit \"$code\"\n"
          "}\n\n"
          "# the last job: the journals of all parts into the result files\n"
          "merge() {\n"
          "    exec \"$lgkt\" merge \"$out/$name\" --out \"$out\"",
          out);
    fputs(s->keep_runs ? " --keep-runs" : "", out);
    put_option(out, " --prices ", p->prices);
    fputs(
        "\n}\n\n"
        "# what both jobs are submitted with; logs are beside the journals, and a task that runs\n"
        "# again adds to its own\n"
        "submit() {\n"
        "    sbatch --parsable --chdir=\"$out/$name\" --open-mode=append --time=\"$minutes\" \\\n"
        "        --requeue --nodes=1 --ntasks=1",
        out);
    put_option(out, " --partition=", s->partition);
    put_option(out, " --account=", s->account);
    for (int i = 0; i < s->sbatch.count; i++)
        put_option(out, " \\\n        ", s->sbatch.items[i]);
    fputs(" \"$@\"\n"
          "}\n\n"
          "case ${1-} in\n"
          "task | merge) \"$1\" ;;\n"
          "esac\n\n"
          "case $0 in\n"
          "/*) script=$0 ;;\n"
          "*) script=$PWD/$0 ;;\n"
          "esac\n"
          "mkdir -p \"$out/$name\"\n"
          "# USR1 comes to the shell that runs task()\n"
          "array=$(submit --job-name=\"$name\" --array=\"1-$shards%$nodes\" --output=slurm-%a.log "
          "\\\n    --signal=\"B:USR1@$notice\" ",
          out);
    if (s->cpus > 0)
        fprintf(out, "--cpus-per-task=%" PRId64, s->cpus);
    else
        fputs("--exclusive", out);
    fputs(" \"$script\" task)\n"
          "array=${array%%;*}\n"
          "# it waits for all tasks, and goes if one of them fails\n"
          "merge=$(submit --job-name=\"$name-merge\" --dependency=\"afterok:$array\" \\\n"
          "    --kill-on-invalid-dep=yes --output=slurm-merge.log \"$script\" merge)\n"
          "echo \"array job $array, merge job ${merge%%;*}; logs and results: $out/$name\"\n",
          out);
}

// Refuses what cannot be one line of a script.
static int check_paths(const plan *p)
{
    const char *const texts[] = {p->program, p->experiment, p->name, p->out,
                                 p->prices != NULL ? p->prices : ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i] == NULL)
            return cli_fail("slurm", CLI_FAILED, "cannot find the folder it is called in: %s",
                            strerror(errno));
        for (const char *c = texts[i]; *c != '\0'; c++)
            if ((unsigned char)*c < ' ' || *c == 127)
                return cli_fail("slurm", CLI_USAGE,
                                "\"%s\": a path with control characters cannot stand in a script",
                                texts[i]);
    }
    return CLI_OK;
}

static int write_script(const plan *p)
{
    const char *path = p->asked->script;
    if (path == NULL) {
        put_script(stdout, p);
        return CLI_OK;
    }
    struct stat script, other;
    const char *const read[] = {p->experiment, p->prices};
    for (int i = 0; i < 2; i++)
        if (read[i] != NULL && stat(path, &script) == 0 && stat(read[i], &other) == 0 &&
            script.st_dev == other.st_dev && script.st_ino == other.st_ino)
            return cli_fail("slurm", CLI_USAGE, "--script %s: this file is what is to be run%s",
                            path, i > 0 ? " on" : "");
    io_output *output;
    lgkt_error error = {0};
    if (cli_output_open(path, &output, &error) != LGKT_OK)
        return cli_fail_error("slurm", &error);
    put_script(io_output_stream(output), p);
    return io_output_commit(output, &error) == LGKT_OK ? CLI_OK : cli_fail_error("slurm", &error);
}

// A line if a sample says that more than one run of each task is needed, or more than any number.
static void warn(const settings *s, const exp_estimation *e)
{
    const int64_t cpus = s->cpus > 0 ? s->cpus : cli_watch_cores();
    const int64_t nodes = s->nodes < s->shards ? s->nodes : s->shards; // of which a task has one
    const double hours = s->hours * (double)nodes * (double)cpus;
    if (e->longest > 3600.0 * s->hours - NOTICE)
        fprintf(stderr,
                "lgkt: slurm: by a sample, one instance takes about %.3g hours; no task of %.3g "
                "hours would ever end it\n",
                e->longest / 3600.0, s->hours);
    else if (e->all.seconds > 3600.0 * hours)
        fprintf(stderr,
                "lgkt: slurm: by a sample, it takes about %.3g core hours, and %.3g hours on "
                "%" PRId64 " nodes with %" PRId64 " processors%s are %.3g; tasks will be queued "
                "again and go on\n",
                e->all.seconds / 3600.0, s->hours, nodes, cpus,
                s->cpus > 0 ? "" : ", as many as here,", hours);
}

int cmd_slurm(int argc, char **argv)
{
    settings s = {.hours = NAN};
    int code = cli_parse(&command, argc, argv, &s);
    if (code != CLI_CONTINUE)
        return code;
    uint64_t seed = 0;
    char quoted[CLI_QUOTED_SIZE];
    if (s.names.count == 0)
        return cli_fail("slurm", CLI_USAGE,
                        "the name of an experiment is needed; see lgkt reproduce list");
    if (isnan(s.hours) || s.nodes == 0)
        return cli_fail("slurm", CLI_USAGE, "--%s is needed", isnan(s.hours) ? "hours" : "nodes");
    if (s.seed != NULL && !lgkt_seed_parse(s.seed, &seed))
        return cli_fail("slurm", CLI_USAGE,
                        "--seed is \"%s\"; it must be a whole number in 0 .. 2^64-1",
                        cli_quoted(s.seed, quoted));
    for (int i = 0; i < s.sbatch.count; i++)
        if (s.sbatch.items[i][0] != '-')
            return cli_fail("slurm", CLI_USAGE,
                            "--sbatch is \"%s\"; it must be an option of sbatch, such as --mem=4G",
                            cli_quoted(s.sbatch.items[i], quoted));
    if (s.shards == 0)
        s.shards = s.nodes;

    exp_choice choice;
    lgkt_error error = {0};
    if (exp_choose(&choice, s.names.items, s.names.count, &error) != LGKT_OK)
        return cli_fail_error("slurm", &error);
    exp_experiment *experiment = &choice.items[0];
    if (s.quick)
        exp_experiment_quicken(experiment);
    const exp_reproduction reproduction = {
        .asked = {.experiment = experiment,
                  .replicates = s.replicates,
                  .quick = s.quick,
                  .seed = s.seed != NULL ? seed : experiment->seed,
                  .prices = s.prices,
                  .files = &exp_true_files}};
    // a name that comes with the command is one there, too
    const char *word = s.names.items[0];
    plan p = {.asked = &s,
              .name = experiment->name,
              .program = find_program(argv[-1]),
              .experiment = experiment->shipped ? strdup(word) : whole_path(word),
              .out = whole_path(s.out),
              .prices = s.prices != NULL ? whole_path(s.prices) : NULL};
    if (choice.count > 1)
        code =
            cli_fail("slurm", CLI_USAGE, "these are %d experiments; each needs a script of its own",
                     (int)choice.count);
    else if (experiment->panel_count == 0)
        code = cli_fail("slurm", CLI_USAGE, "%s has no part in --quick", experiment->name);
    else
        code = check_paths(&p);
    exp_estimation estimation = {0};
    cli_watch_silence(true);
    if (code == CLI_OK && exp_estimation_make(&estimation, &reproduction, PANEL_SECONDS,
                                              ALL_SECONDS, &error) != LGKT_OK)
        code = cli_fail_error("slurm", &error);
    cli_watch_silence(false);
    if (code == CLI_OK)
        code = write_script(&p);
    if (code == CLI_OK)
        warn(&s, &estimation);
    exp_estimation_free(&estimation);
    free(p.program);
    free(p.experiment);
    free(p.out);
    free(p.prices);
    exp_choice_free(&choice);
    return code;
}
