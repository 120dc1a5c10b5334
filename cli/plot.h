// SPDX-License-Identifier: MIT
// Line plots for a terminal.
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <stdio.h>

#include "cli.h"

#define CLI_PLOT_LINES 64

// What the place where a plot appears can show.
typedef struct cli_canvas {
    int columns;
    bool utf8;   // else plain ASCII
    bool colour; // ANSI colours
} cli_canvas;

// For an open file: colours and its own width on a terminal (80 elsewhere), as LC_ALL, LC_CTYPE,
// LANG, NO_COLOR and TERM say.
cli_canvas cli_canvas_of(FILE *out);

typedef struct cli_plot_line {
    const char *label; // stands at the right end, with the last value
    const double *y;   // (n) finite
} cli_plot_line;

typedef struct cli_plot {
    const char *title;
    const char *x_label;
    const double *x; // (n) increasing and positive; the axis is logarithmic
    int n;           // >= 1
    const cli_plot_line *lines;
    int line_count; // at most CLI_PLOT_LINES; later lines are drawn over earlier ones
} cli_plot;

// Draws a plot. False when memory is out.
bool cli_plot_print(const cli_plot *plot, cli_canvas canvas, FILE *out);

#endif
