// SPDX-License-Identifier: MIT
// Figures from results, drawn by gnuplot.
#ifndef EXPERIMENTS_FIGURE_H
#define EXPERIMENTS_FIGURE_H

#include "experiments/result_folder.h"

#define EXP_MAX_VIEWS   24
#define EXP_MAX_FIGURES 32

typedef enum exp_format { EXP_SVG, EXP_PDF, EXP_PNG, EXP_FORMATS } exp_format;

// What file names end with.
const char *exp_format_name(exp_format format);

// What stands above a panel.
const char *exp_panel_title(const exp_panel *panel);

// One coordinate system: a panel with some of its learners.
typedef struct exp_view {
    const exp_panel_data *data;
    const char *hidden; // learners whose labels begin with one of these (split by '|') are left out
    char title[160];
} exp_view;

// Views side by side, two in a row.
typedef struct exp_figure {
    char name[64];      // of the file
    const char *folder; // of the results of its first view
    exp_view views[EXP_MAX_VIEWS];
    int32_t view_count;
} exp_figure;

// The figures of results: one for each experiment, and before them those of the paper that show
// several experiments side by side (figure-1, figure-2, figure-3) where all of these were read.
// Returns how many.
int32_t exp_figures_of(const exp_results *results, exp_figure figures[EXP_MAX_FIGURES]);
// The figure of one experiment.
void exp_figure_of(const exp_folder *folder, exp_figure *figure);
// A figure with a single view of another.
exp_figure exp_figure_single(const exp_figure *figure, int32_t view);

// A file to draw.
typedef struct exp_drawing {
    const exp_figure *figure;
    exp_format format;
    const char *path;
} exp_drawing;

// Draws all files in one run of gnuplot; a file is there only when it is complete. Fails with
// LGKT_ERR_UNSUPPORTED if there is no gnuplot, LGKT_ERR_SYSTEM with its words if it fails, and
// LGKT_ERR_ARGUMENT for a path with control characters. Nullable: error.
lgkt_status exp_figures_draw(const exp_drawing *drawings, int32_t count, lgkt_error *error);

#endif
