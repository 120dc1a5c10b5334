// SPDX-License-Identifier: MIT
// Long work in sight and under control: a progress line, and Ctrl-C.
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include <stdatomic.h>

#include "cli.h"
#include "experiments/runner.h"

// From now on Ctrl-C sets the flag returned; the third one ends the program at once.
const atomic_bool *cli_watch_interrupts(void);

// State of a progress line on stderr; {0} is one at its beginning.
typedef struct cli_progress {
    double next; // seconds at which to print next
    bool shown;
} cli_progress;

// An exp_progress_fn whose ctx is a cli_progress. Nothing in the first two seconds; then a line
// that is rewritten on a terminal, and a line now and then elsewhere.
void cli_watch_progress(void *ctx, const exp_progress *progress);

// Ends the line: removes it from a terminal, or leaves it there as where the work stopped.
void cli_watch_end(const cli_progress *line, bool complete);

// exp_run with both of these (without the line if `quiet`). Returns CLI_OK, or the exit code after
// the one line of a failure or an interruption.
int cli_watch_run(const char *command, exp_setup *setup, bool quiet, exp_result *result);

// The processors at hand.
int32_t cli_watch_cores(void);

#endif
