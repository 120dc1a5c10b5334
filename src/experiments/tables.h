// SPDX-License-Identifier: MIT
// The result files of an experiment; docs/results.md describes their columns.
//
//     exp_tables_open, then for each panel: exp_tables_run for each instance and exp_tables_panel;
//     exp_tables_commit
//
// Nothing appears under its name before the commit, and manifest.json appears last.
#ifndef EXPERIMENTS_TABLES_H
#define EXPERIMENTS_TABLES_H

#include "experiments/reduce.h"
#include "io/io_json.h"
#include "io/io_text.h"

enum {
    EXP_TABLE_CURVES,
    EXP_TABLE_SUMMARY,
    EXP_TABLE_PAIRS,
    EXP_TABLE_RUNS,
    EXP_TABLE_TIMINGS,
    EXP_TABLE_MANIFEST,
    EXP_TABLE_COUNT
};

// The file names, in the order in which they appear, and the columns of those that are CSV.
extern const char *const exp_table_names[EXP_TABLE_COUNT];
extern const char *const exp_table_heads[EXP_TABLE_COUNT];

// What is said about an experiment as a whole.
typedef struct exp_tables_info {
    const exp_experiment *experiment;
    uint64_t seed;
    const char *prices; // "" or what trading panels were run on
    bool runs;          // whether to write runs.csv
    int32_t jobs;
    double seconds;        // of this session
    int64_t instances_run; // in this session
} exp_tables_info;

// {0} is an empty one.
typedef struct exp_tables {
    io_output *files[EXP_TABLE_COUNT]; // runs.csv may be NULL
    io_json manifest, timings;
} exp_tables;

// Nullable: error.
lgkt_status exp_tables_open(exp_tables *tables, const char *folder, const exp_tables_info *info,
                            lgkt_error *error);
// One row per learner to runs.csv, if it is written.
void exp_tables_run(exp_tables *tables, const exp_stage *stage, const exp_record *record);
// All the rest of a panel.
void exp_tables_panel(exp_tables *tables, exp_reduction *reduction);
// Makes the files appear; frees everything in any case. Nullable: error.
lgkt_status exp_tables_commit(exp_tables *tables, lgkt_error *error);
// Gives up: nothing has changed.
void exp_tables_discard(exp_tables *tables);

#endif
