// SPDX-License-Identifier: MIT
// The commands, their exit codes, and how they fail.
//
// Results go to stdout, everything else to stderr. A failure is one line `lgkt: <command>: text`.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "lgkt/base.h"

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

enum {
    CLI_OK = 0,
    CLI_FAILED = 1,       // the work failed: no memory, a full disk, a check that did not hold
    CLI_USAGE = 2,        // bad usage or bad input
    CLI_INTERRUPTED = 130 // by SIGINT
};

// Each takes argv[0] = its name and returns an exit code.
int cmd_list(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_demo(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_report(int argc, char **argv);

// Prints the one line of a failure and returns `code`. A command of NULL is left out.
int cli_fail(const char *command, int code, const char *format, ...) CLI_PRINTF(3, 4);
// The same for a failed library call; the code follows from the status: no memory, no convergence
// and calls out of order are CLI_FAILED, the rest CLI_USAGE.
int cli_fail_error(const char *command, const lgkt_error *error);
// The last thing a command does: closes stdout and turns a write error into CLI_FAILED; otherwise
// returns `code`.
int cli_finish(const char *command, int code);

#endif
