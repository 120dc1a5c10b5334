// SPDX-License-Identifier: MIT
// lgkt merge: journals of parts into the results of the whole.
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "args.h"
#include "experiments/studies/merge.h"

typedef struct settings {
    cli_texts paths;
    const char *out, *experiment, *prices;
    bool keep_runs;
} settings;

#define AT(field) offsetof(settings, field)

static const cli_option options[] = {
    {"out", 'o', CLI_TEXT, "DIR", "results", 0, 0, NULL, AT(out),
     "where the folder of the experiment is written"},
    {"experiment", 0, CLI_TEXT, "FILE", NULL, 0, 0, NULL, AT(experiment),
     "experiment file to use (default: the one that the journals carry)"},
    {"prices", 0, CLI_TEXT, "FILE", NULL, 0, 0, NULL, AT(prices),
     "price file to use (default: the one that they name)"},
    {"keep-runs", 0, CLI_FLAG, NULL, NULL, 0, 0, NULL, AT(keep_runs),
     "also write runs.csv with one row per run"},
};

static const cli_command command = {
    .name = "merge",
    .usage = "DIR ... [options]",
    .about =
        "Makes the results of an experiment from the journals of its parts (lgkt reproduce\n"
        "--shard), byte for byte those of one machine. A DIR is a journal, a folder that holds\n"
        "some, or one with such folders. All must be of one experiment: the same file, version,\n"
        "seed and size. What is there twice counts once, and what is missing is named; then\n"
        "nothing is written and the exit code is 1.\n",
    .examples = "lgkt reproduce mine.json --shard 1/2\n"
                "lgkt reproduce mine.json --shard 2/2\n"
                "lgkt merge results/mine\n"
                "lgkt merge from-host-a from-host-b --out results\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .max_words = CLI_MAX_TEXTS,
    .words_offset = AT(paths),
};

int cmd_merge(int argc, char **argv)
{
    settings s = {0};
    const int code = cli_parse(&command, argc, argv, &s);
    if (code != CLI_CONTINUE)
        return code;
    if (s.paths.count == 0)
        return cli_fail("merge", CLI_USAGE, "a folder with journals is needed");
    // a file that may not grow is a write error like others, and every journal is an open file
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    const exp_merging merging = {.paths = s.paths.items,
                                 .path_count = s.paths.count,
                                 .experiment = s.experiment,
                                 .prices = s.prices,
                                 .out = s.out,
                                 .keep_runs = s.keep_runs};
    exp_merged merged;
    lgkt_error error = {0};
    cli_watch_silence(true);
    const lgkt_status status = exp_merge(&merging, &merged, &error);
    cli_watch_silence(false);
    if (status != LGKT_OK)
        return cli_fail_error("merge", &error);
    int result = CLI_OK;
    if (merged.complete)
        printf("%s/%s: %" PRId64 " instances from %d journal%s\n", s.out, merged.name,
               merged.instances, (int)merged.journals, merged.journals == 1 ? "" : "s");
    else
        result = cli_fail("merge", CLI_FAILED,
                          "%s: %" PRId64 " of %" PRId64
                          " instances are there, nothing was written; missing: %s",
                          merged.name, merged.found, merged.instances, merged.missing);
    free(merged.name);
    return result;
}
