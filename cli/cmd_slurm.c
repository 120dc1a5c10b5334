// SPDX-License-Identifier: MIT
// lgkt slurm: a script that runs the parts of an experiment as an array job of Slurm.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "experiments/studies/studies.h"

// a task is told so many seconds before its end, or a minute more: Slurm keeps time in minutes
#define NOTICE 90

// of the samples of a panel, and of all
#define PANEL_SECONDS 0.05
#define ALL_SECONDS   5.0

// ---- paths ----

enum { PATH_SIZE = 4096 }; // a longer one there cannot be

// What the script is made from, with whole paths.
typedef struct plan {
    const cli_settings *asked;
    const char *name; // of the experiment
    char program[PATH_SIZE], experiment[PATH_SIZE], out[PATH_SIZE];
    char prices[PATH_SIZE]; // "": none
} plan;

// The path from the root, so that it means the same on a node.
static lgkt_status whole_path(const char *path, char whole[PATH_SIZE], lgkt_error *error)
{
    char folder[PATH_SIZE] = "";
    while (path[0] == '.' && path[1] == '/')
        path += 1 + strspn(path + 1, "/");
    if (strcmp(path, ".") == 0)
        path = "";
    if (path[0] != '/' && getcwd(folder, sizeof folder) == NULL)
        return lgkt_fail(error, LGKT_ERR_SYSTEM, "cannot find the folder it is called in: %s",
                         strerror(errno));
    const bool joined = path[0] != '\0' && path[0] != '/' && strcmp(folder, "/") != 0;
    if (snprintf(whole, PATH_SIZE, "%s%s%s", folder, joined ? "/" : "", path) >= PATH_SIZE)
        return lgkt_fail(error, CLI_USAGE, "%s: the path is too long", io_short_name(path));
    if (!cli_is_good_text(whole))
        return lgkt_fail(error, CLI_USAGE,
                         "\"%s\": a path with control characters cannot stand in a script", whole);
    return LGKT_OK;
}

// The command as it was called, which may be a link that outlives what it leads to. A name alone
// that is not in PATH stays as it is.
static lgkt_status find_program(const char *called, char whole[PATH_SIZE], lgkt_error *error)
{
    if (strchr(called, '/') != NULL)
        return whole_path(called, whole, error);
    for (const char *at = getenv("PATH"); at != NULL;) {
        char path[PATH_SIZE];
        const int length = (int)strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", length > 0 ? length : 1, length > 0 ? at : ".",
                 called);
        if (access(path, X_OK) == 0)
            return whole_path(path, whole, error);
        at = at[length] == ':' ? at + length + 1 : NULL;
    }
    snprintf(whole, PATH_SIZE, "%s", called);
    return LGKT_OK;
}

static lgkt_status find_paths(plan *p, const exp_experiment *experiment, lgkt_error *error)
{
    const cli_settings *s = p->asked;
    const char *word = s->words.items[0];
    LGKT_TRY(find_program(s->program, p->program, error));
    // a name that comes with the command is one there, too
    if (experiment->shipped)
        snprintf(p->experiment, PATH_SIZE, "%s", word);
    else
        LGKT_TRY(whole_path(word, p->experiment, error));
    LGKT_TRY(whole_path(s->out, p->out, error));
    if (s->prices != NULL)
        LGKT_TRY(whole_path(s->prices, p->prices, error));
    // a script must not take the place of what it is to run
    struct stat script, other;
    const char *const read[] = {p->experiment, p->prices};
    for (int i = 0; s->script != NULL && i < 2; i++)
        if (stat(s->script, &script) == 0 && stat(read[i], &other) == 0 &&
            script.st_dev == other.st_dev && script.st_ino == other.st_ino)
            return lgkt_fail(error, CLI_USAGE, "--script %s: this file is what is to be run%s",
                             s->script, i > 0 ? " on" : "");
    return LGKT_OK;
}

// ---- the script ----

// " --name 'text'", if there is a text: one word of the shell, whatever is in it
static void put_option(FILE *out, const char *name, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    fprintf(out, "%s'", name);
    for (; *text != '\0'; text++)
        fprintf(out, *text == '\'' ? "'\\%c'" : "%c", *text);
    fputc('\'', out);
}

static void put_script(FILE *out, const plan *p)
{
    const cli_settings *s = p->asked;
    fputs("#!/bin/sh\n"
          "# An experiment on a cluster with Slurm. Submit it with sh and the name of this file:\n"
          "# that queues an array job, each task of which plays one part of the experiment, and\n"
          "# a job that makes the result files when all tasks are done. After a failure submit it\n"
          "# again: what is finished is kept, and the rest is played.\n"
          "set -eu\n\n"
          "# what is run, and where the results go; every node must see these paths\n",
          out);
    put_option(out, "lgkt=", p->program);
    put_option(out, "\nexperiment=", p->experiment);
    put_option(out, "\nname=", p->name);
    put_option(out, "\nout=", p->out);
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
    put_option(out, " --seed ", s->seed.text);
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

// A line if a sample says that more than one run of each task is needed, or more than any number.
static void warn(const cli_settings *s, const exp_estimation *e)
{
    const int64_t cpus = cli_watch_jobs(s->cpus);
    const int64_t nodes = s->nodes < s->shards ? s->nodes : s->shards; // of which a task has one
    const double hours = s->hours * (double)nodes * (double)cpus;
    if (e->longest > 3600.0 * s->hours - NOTICE)
        cli_say("slurm",
                "by a sample, one instance takes about %.3g hours; no task of %.3g hours would "
                "ever end it",
                e->longest / 3600.0, s->hours);
    else if (e->all.seconds > 3600.0 * hours)
        cli_say("slurm",
                "by a sample, it takes about %.3g core hours, and %.3g hours on %" PRId64
                " nodes with %" PRId64 " processors%s are %.3g; tasks will be queued again and "
                "go on",
                e->all.seconds / 3600.0, s->hours, nodes, cpus,
                s->cpus > 0 ? "" : ", as many as here,", hours);
}

static lgkt_status write_script(plan *p, const exp_experiment *experiment, lgkt_error *error)
{
    const cli_settings *s = p->asked;
    const exp_reproduction reproduction = {
        .asked = {.experiment = experiment,
                  .replicates = s->replicates,
                  .quick = s->quick,
                  .seed = s->seed.text != NULL ? s->seed.value : experiment->seed,
                  .prices = s->prices,
                  .files = &io_true_files}};
    LGKT_TRY(find_paths(p, experiment, error));
    exp_estimation estimation = {0};
    cli_watch_silence(true);
    lgkt_status status =
        exp_estimation_make(&estimation, &reproduction, PANEL_SECONDS, ALL_SECONDS, error);
    cli_watch_silence(false);
    io_output output = {0};
    if (status == LGKT_OK && s->script != NULL)
        status = cli_output_open(s->script, &output, error);
    if (status == LGKT_OK)
        put_script(output.stream != NULL ? output.stream : stdout, p);
    if (output.stream != NULL)
        status = io_output_commit(&output, error);
    if (status == LGKT_OK)
        warn(s, &estimation);
    exp_estimation_free(&estimation);
    return status;
}

lgkt_status cmd_slurm(cli_settings *s, lgkt_error *error)
{
    char quoted[CLI_QUOTED_SIZE];
    if (isnan(s->hours) || s->nodes == 0)
        return lgkt_fail(error, CLI_USAGE, "--%s is needed", isnan(s->hours) ? "hours" : "nodes");
    for (int i = 0; i < s->sbatch.count; i++)
        if (s->sbatch.items[i][0] != '-')
            return lgkt_fail(error, CLI_USAGE,
                             "--sbatch is \"%s\"; it must be an option of sbatch, such as --mem=4G",
                             cli_quoted(s->sbatch.items[i], quoted));
    s->shards = s->shards > 0 ? s->shards : s->nodes;
    exp_choice choice;
    LGKT_TRY(exp_choose(&choice, s->words.items, s->words.count, error));
    exp_experiment *experiment = &choice.items[0];
    if (s->quick)
        exp_experiment_quicken(experiment);
    plan p = {.asked = s, .name = experiment->name};
    lgkt_status status;
    if (choice.count > 1)
        status =
            lgkt_fail(error, CLI_USAGE, "these are %d experiments; each needs a script of its own",
                      (int)choice.count);
    else if (experiment->panel_count == 0)
        status = lgkt_fail(error, CLI_USAGE, "%s has no part in --quick", experiment->name);
    else
        status = write_script(&p, experiment, error);
    exp_choice_free(&choice);
    return status;
}
