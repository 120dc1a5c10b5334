// SPDX-License-Identifier: MIT
// The commands and what they share: exit codes, failures, tables, and long work in sight.
//
// Results go to stdout, everything else to stderr. A failure is one line `lgkt: <command>: text`.
// When nobody reads stdout any more the program ends as others do, by SIGPIPE and without a word.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdatomic.h>
#include <stdio.h>

#include "core/error.h"
#include "experiments/runner/result.h"
#include "io/plain/io_text.h"

enum {
    CLI_OK = 0,
    CLI_FAILED = 1,       // the work failed: no memory, a full disk, a check that did not hold
    CLI_USAGE = 2,        // bad usage or bad input
    CLI_INTERRUPTED = 130 // by SIGINT
};

// Each takes argv[0] = its name, with the program as it was called in argv[-1], and returns an exit
// code; what it leaves in the buffer of stdout is written later, by cli_finish.
int cmd_list(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_demo(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_slurm(int argc, char **argv);

// ---- ends ----

// Prints the one line of a failure and returns `code`. A command of NULL is left out.
int cli_fail(const char *command, int code, const char *format, ...) LGKT_PRINTF(3, 4);
// The same for a failed library call; the code follows from the status.
int cli_fail_error(const char *command, const lgkt_error *error);
// What the user typed, for a failure line: long texts are cut, so that the reason still fits.
#define CLI_QUOTED_SIZE 64
const char *cli_quoted(const char *text, char quoted[CLI_QUOTED_SIZE]);
// The last thing the program does: closes stdout and turns a write error into CLI_FAILED; otherwise
// returns `code`.
int cli_finish(const char *command, int code);

// io_output_open, but not for the file that stdout goes to: the one would replace the other.
lgkt_status cli_output_open(const char *path, io_output **output, lgkt_error *error);

// ---- tables and text ----

typedef struct cli_table cli_table;

// A table with one letter per column, 'l' left or 'r' right, and its headings separated by '|'.
// NULL when memory is out; all functions accept NULL, and cli_table_print reports it.
cli_table *cli_table_create(const char *columns, const char *headings);
// The next cell; rows fill from left to right.
void cli_table_cell(cli_table *table, const char *format, ...) LGKT_PRINTF(2, 3);
// A number as `format` says, for one double; "-" for NaN.
void cli_table_real(cli_table *table, const char *format, double value);
// Prints columns two blanks apart, without blanks at line ends, and frees the table. CLI_OK, or
// CLI_FAILED after the line of a failure.
int cli_table_print(const char *command, cli_table *table);

// Prints text in lines of at most `width` characters, each behind `indent` blanks; the first one
// begins at column `at` (what is already printed on it).
void cli_print_wrapped(const char *text, int at, int indent, int width);

// ---- long work ----

// From now on Ctrl-C sets the flag returned; what does not look at it is ended eight seconds later,
// and the third one ends the program at once.
const atomic_bool *cli_watch_interrupts(void);
// Begin and end of work without a progress line: after two seconds, and then once a minute, a line
// on stderr says that it goes on.
void cli_watch_silence(bool begin);

// State of a progress line on stderr; {0} is one at its beginning.
typedef struct cli_progress {
    const char *name; // what is run, if that has parts
    double next;      // seconds at which to print next
    bool shown;
} cli_progress;

// An exp_progress_fn whose ctx is a cli_progress. Nothing in the first two seconds; then a line
// that is rewritten on a terminal, and a line now and then elsewhere.
void cli_watch_progress(void *ctx, const exp_progress *progress);
// Ends the line: removes it from a terminal, or leaves it there as where the work stopped.
void cli_watch_end(const cli_progress *line, bool complete);

// exp_result_run with both of these (without the line if `quiet`). Returns CLI_OK, or the exit code
// after the one line of a failure or an interruption; then there is nothing to free.
int cli_watch_run(const char *command, const exp_tasks *tasks, bool arrays, int64_t jobs,
                  bool quiet, exp_result *result);

// The processors at hand.
int32_t cli_watch_cores(void);

#endif
