// SPDX-License-Identifier: MIT
// The report on results: every claim of the paper, its figure, the numbers and a verdict.
#ifndef EXPERIMENTS_REPORT_H
#define EXPERIMENTS_REPORT_H

#include <stdio.h>

#include "experiments/result_folder.h"

typedef struct exp_report {
    const exp_results *results;
    bool html;           // one file with everything in it; else Markdown
    const char *figures; // where the figures of the Markdown are, as seen from it
} exp_report;

// Writes the report. In HTML the figures are drawn by gnuplot; where there is none the report is
// written without and `missing` (nullable) says why, else it is left empty. Nullable: error.
lgkt_status exp_report_write(const exp_report *report, FILE *out, lgkt_error *missing,
                             lgkt_error *error);

#endif
