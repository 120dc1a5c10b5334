// SPDX-License-Identifier: MIT
// The commands and what they share: exit codes, failures, tables, and long work in sight.
//
// Results go to stdout, everything else to stderr. A failure is one line `lgkt: <command>: text`.
// When nobody reads stdout any more the program ends as others do, by SIGPIPE and without a word.
#pragma once

#include <stdatomic.h>
#include <stdio.h>

#include "core/error.h"
#include "experiments/runner/reduction.h"
#include "io/plain/io_text.h"

// Ends of a command besides LGKT_OK and the failures of the library, which leaves numbers above 0 to
// others. The text of the error may then be empty: what there is to say has been said.
#define CLI_FAILED      ((lgkt_status)1)   // the work was not done
#define CLI_USAGE       ((lgkt_status)2)   // bad usage
#define CLI_INTERRUPTED ((lgkt_status)130) // by SIGINT

// ---- command lines ----

#define CLI_MAX_TEXTS 256

typedef struct cli_seed {
    uint64_t value;
    const char *text; // as typed; NULL: not given
} cli_seed;

typedef struct cli_texts {
    const char *items[CLI_MAX_TEXTS];
    int count;
} cli_texts;

// The options of all commands. What is not given and has no fallback is 0, NULL, false or NaN.
typedef struct cli_settings {
    const char *program; // as it was called
    cli_texts words;     // the arguments that are not options
    cli_texts envs, learners, sbatch, hosts;
    const char *policy, *evaluate, *mdp, *tape, *env, *learner, *k, *regret, *experiment, *prices,
        *shard, *out, *script, *curve, *save_file, *resume, *partition, *account, *data, *listen,
        *reserve, *store, *name, *role, *programme, *receipts, *format;
    cli_seed seed, instance;
    int64_t horizon, replicates, repeats, jobs, nodes, shards, cpus, save_at, connections;
    double threshold, hours, discount, rate, timeout;
    bool average, quick, keep_runs, dry_run, untold, explain, plot, verbose, json, markdown, quiet,
        help;
} cli_settings;

// What they leave in the buffer of stdout is written later, by cli_finish.
typedef lgkt_status cli_command(cli_settings *s, lgkt_error *error);
cli_command cmd_demo, cmd_run, cmd_reproduce, cmd_merge, cmd_slurm, cmd_plan, cmd_trace, cmd_list,
    cmd_bench, cmd_serve, cmd_completion, cmd_man;

// lgkt plan by gain or discounted value, and the file of --policy. Prints nothing where there is a
// horizon, for whose values a table is there.
lgkt_status cli_plan_value(const cli_settings *s, const lgkt_mdp *mdp, lgkt_error *error);
// The same of the policy in the file of --evaluate.
lgkt_status cli_plan_law(const cli_settings *s, const lgkt_mdp *mdp, lgkt_error *error);

// Whether a text can be a name of a file or a spec: it is not empty, and without control characters,
// which would break lines, tables and the files that we write; no name needs them.
bool cli_is_good_text(const char *text);

// ---- ends ----

// Prints one line on stderr: "lgkt: command: text". A command of NULL is left out.
void cli_say(const char *command, const char *format, ...) LGKT_PRINTF(2, 3);
// What the user typed, for a failure line: long texts are cut, so that the reason still fits.
#define CLI_QUOTED_SIZE 64
const char *cli_quoted(const char *text, char quoted[CLI_QUOTED_SIZE]);
// The last thing the program does: says what failed, closes stdout and returns the exit code: 0, 1
// if the work failed, 2 for bad usage or bad input, 130 if it was interrupted.
int cli_finish(const char *command, lgkt_status status, const lgkt_error *error);

// io_output_open, but not for the file that stdout goes to: the one would replace the other.
lgkt_status cli_output_open(const char *path, io_output *output, lgkt_error *error);

// ---- tables and text ----

// Prints a table and closes its text: a line per row and a tab between cells, the headings first.
// Columns are two blanks apart, without blanks at line ends, each with a letter: 'l' for words on
// the left, 'r' for numbers on the right, where NaN becomes "-" and what rounds to 0 has no sign.
lgkt_status cli_table_print(io_memory *table, const char *columns, lgkt_error *error);

// Prints text in lines of at most `width` characters, each behind `indent` blanks; the first one
// begins at column `at` (what is already printed on it).
void cli_print_wrapped(const char *text, int at, int indent, int width);

// The running mean of the expected reward against time; the setup must have checkpoints. In colours
// and of the width of the screen on a terminal, as LC_ALL, LC_CTYPE, LANG, NO_COLOR and TERM say.
void cli_results_plot(const exp_reduction *reduction);

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

// How many threads --jobs asks for; 0, not given, is one for each processor.
int32_t cli_watch_jobs(int64_t jobs);
