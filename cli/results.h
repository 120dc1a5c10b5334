// SPDX-License-Identifier: MIT
// Results of an experiment for people: tables and a plot. Each prints to stdout and returns CLI_OK,
// or CLI_FAILED after the line of a failure.
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "cli.h"

// One row per learner, then the optimum and uniform play; with regret in a table of its own.
int cli_results_table(const char *command, const exp_reduction *reduction);
// One row per counter of a learner, as a mean over the runs.
int cli_results_counters(const char *command, const exp_reduction *reduction);
// The running mean of the expected reward against time; the setup must have checkpoints. In colours
// and of the width of the screen on a terminal, as LC_ALL, LC_CTYPE, LANG, NO_COLOR and TERM say.
int cli_results_plot(const char *command, const exp_reduction *reduction);

#endif
