// SPDX-License-Identifier: MIT
// How each learner looks in every figure, and where its label stands.
#ifndef EXPERIMENTS_FIGURE_STYLE_H
#define EXPERIMENTS_FIGURE_STYLE_H

#include <stdint.h>

typedef struct exp_style {
    const char *label;
    const char *colour; // "#rrggbb"
    const char *dash;   // a dash type of gnuplot
    double width;
} exp_style;

// The same for a label in all figures; a plain grey one for labels that are not in the table, whose
// label is then NULL.
exp_style exp_style_of(const char *label);

// Moves wanted positions y[0 .. n-1] apart so that neighbours are at least `gap` from each other
// and all are in [low, high] if they fit; the summed squared moves are the least possible. The
// order of equal ones is kept.
void exp_spread_labels(double *y, int32_t n, double gap, double low, double high);

#endif
