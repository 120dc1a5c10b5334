// SPDX-License-Identifier: MIT
// The result files of an experiment; docs/results.md describes them. What commands print is made in
// cli/cmd_run.c.
//
//     exp_tables_open; for each panel exp_tables_run for its instances, then exp_tables_panel;
//     then exp_tables_close
//
// Nothing appears under its name before the last, and manifest.json appears last.
#pragma once

#include "experiments/runner/reduction.h"
#include "io/plain/io_json.h"
#include "io/plain/io_text.h"

enum {
    EXP_TABLE_CURVES,
    EXP_TABLE_SUMMARY,
    EXP_TABLE_PAIRS,
    EXP_TABLE_RUNS,
    EXP_TABLE_TIMINGS,
    EXP_TABLE_MANIFEST,
    EXP_TABLE_COUNT
};

// The file names, in the order in which they appear.
extern const char *const exp_table_names[EXP_TABLE_COUNT];

// The first of these that is in a folder, or NULL.
const char *exp_tables_found(const char *folder);

// How tables are made, and what they say about that.
typedef struct exp_making {
    bool keep_runs;     // also write runs.csv
    const char *prices; // what trading panels were run on, or ""
    int32_t jobs;
    double seconds;        // of this session
    int64_t instances_run; // in this session
} exp_making;

// A CSV file that is being written.
typedef struct exp_table {
    FILE *out;
    int64_t rows;
    uint64_t hash; // of all bytes
} exp_table;

// {0} is an empty one.
typedef struct exp_tables {
    io_output files[EXP_TABLE_COUNT];  // runs.csv may be none
    exp_table tables[EXP_TABLE_COUNT]; // of those that are CSV
    io_json manifest, timings;
} exp_tables;

// Nullable: error.
lgkt_status exp_tables_open(exp_tables *tables, const char *folder, const exp_asked *asked,
                            const exp_making *making, lgkt_error *error);
// The rows of an instance in runs.csv, if that is written.
void exp_tables_run(exp_tables *tables, const exp_setup *setup, int64_t instance,
                    const exp_outcome *outcome);
// All else about a panel; the reduction is finished.
void exp_tables_panel(exp_tables *tables, const exp_reduction *reduction);
// Makes the files appear or, if the status of all before is not LGKT_OK, gives up, and nothing has
// changed; returns that status, or the one of the failure. Nullable: error.
lgkt_status exp_tables_close(exp_tables *tables, lgkt_status status, lgkt_error *error);

// curves.csv of an experiment of one panel.
void exp_tables_curves(FILE *out, const exp_reduction *reduction);
