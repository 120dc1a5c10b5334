// SPDX-License-Identifier: MIT
// lgkt merge: journals of parts into the results of the whole.
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "cli.h"
#include "experiments/studies/merge.h"

lgkt_status cmd_merge(cli_settings *s, lgkt_error *error)
{
    if (s->words.count == 0)
        return lgkt_fail(error, CLI_USAGE, "a folder with journals is needed");
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
               merged.instances, (int)merged.journals, merged.journals == 1 ? "" : "s");
    else // longer than an error can be
        cli_say("merge",
                "%s: %" PRId64 " of %" PRId64
                " instances are there, nothing was written; missing: %s",
                merged.name, merged.found, merged.instances, merged.missing);
    free(merged.name);
    return merged.complete ? LGKT_OK : CLI_FAILED;
}
