// SPDX-License-Identifier: MIT
// The parts of a report; each writes itself onto a page.
#ifndef EXPERIMENTS_REPORT_PARTS_H
#define EXPERIMENTS_REPORT_PARTS_H

#include "experiments/claims.h"
#include "experiments/page.h"

#define EXP_MAX_CLAIMS 96

// What all parts work on.
typedef struct exp_report_data {
    const exp_results *results;
    exp_judgement judgements[EXP_MAX_CLAIMS];
    int32_t count;
} exp_report_data;

// ---- report_beyond.c ----

// Our default learner against everybody else: targets, tables, fresh environments, scale.
void exp_report_beyond(exp_page *page, const exp_results *results);

// ---- report_tables.c ----

// Begins a table with one heading for each letter of `aligned`.
void exp_report_heads(exp_page *page, const char *aligned, const char *const *heads);
// A cell with a number in a format of printf, or a dash for NaN.
void exp_report_real(exp_page *page, const char *format, double value);
// All learners of a panel at its end.
void exp_report_panel(exp_page *page, const exp_panel_data *data);
// Which numbers the paper prints, and ours.
void exp_report_numbers(exp_page *page, const exp_report_data *data);
// What the paper leaves out.
void exp_report_left_out(exp_page *page, const exp_results *results);
// How the regret of each learner of regret-growth grew.
void exp_report_growth(exp_page *page, const exp_folder *folder);
// When learners of long-run overtook LG1T and LG2T.
void exp_report_overtaking(exp_page *page, const exp_folder *folder);
// Instances, seeds, machine and time of each experiment.
void exp_report_machine(exp_page *page, const exp_results *results);

#endif
