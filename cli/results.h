// SPDX-License-Identifier: MIT
// Results of an experiment for people: a table and a plot.
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include <stdio.h>

#include "cli.h"
#include "experiments/runner.h"

// One row per learner, then the optimum. False when memory is out.
bool cli_results_table(const exp_setup *setup, const exp_result *result, FILE *out);
// One row per counter of a learner, as a mean over the runs. False when memory is out.
bool cli_results_counters(const exp_setup *setup, const exp_result *result, FILE *out);
// The running mean of the expected reward against time; the setup must have checkpoints. False when
// memory is out.
bool cli_results_plot(const exp_setup *setup, const exp_result *result, FILE *out);

#endif
