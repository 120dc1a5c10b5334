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

static const cli_option options[] = {
    CLI_ROW("out", 'o', CLI_TEXT, "DIR", out, "where the folder of the experiment is written",
            "results"),
    CLI_ROW("experiment", 0, CLI_TEXT, "FILE", experiment,
            "experiment file to use (default: the one that the journals carry)"),
    CLI_ROW("prices", 0, CLI_TEXT, "FILE", prices,
            "price file to use (default: the one that they name)"),
    CLI_ROW("keep-runs", 0, CLI_FLAG, NULL, keep_runs, "also write runs.csv with one row per run"),
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
    CLI_OPTIONS(options),
    .takes_words = true,
};

lgkt_status cmd_merge(int argc, char **argv, lgkt_error *error)
{
    settings s = {0};
    LGKT_TRY(cli_parse(&command, argc, argv, &s, error));
    if (s.paths.count == 0)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "a folder with journals is needed");
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
    cli_watch_silence(true);
    const lgkt_status status = exp_merge(&merging, &merged, error);
    cli_watch_silence(false);
    LGKT_TRY(status);
    if (merged.complete)
        printf("%s/%s: %" PRId64 " instances from %d journal%s\n", s.out, merged.name,
               merged.instances, (int)merged.journals, merged.journals == 1 ? "" : "s");
    else // longer than an error can be
        cli_say("merge",
                "%s: %" PRId64 " of %" PRId64
                " instances are there, nothing was written; missing: %s",
                merged.name, merged.found, merged.instances, merged.missing);
    free(merged.name);
    return merged.complete ? LGKT_OK : CLI_FAILED;
}
