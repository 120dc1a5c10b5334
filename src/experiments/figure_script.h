// SPDX-License-Identifier: MIT
// The commands for gnuplot that draw a figure.
#ifndef EXPERIMENTS_FIGURE_SCRIPT_H
#define EXPERIMENTS_FIGURE_SCRIPT_H

#include <stdio.h>

#include "experiments/figure.h"

// Writes the commands that draw a figure into the file `path`.
void exp_figure_script(FILE *script, const exp_figure *figure, exp_format format, const char *path);

#endif
