// SPDX-License-Identifier: MIT
// Journals of parts of one experiment into its result files: those of one machine, byte for byte.
#ifndef EXPERIMENTS_MERGE_H
#define EXPERIMENTS_MERGE_H

#include "lgkt/base.h"

// Everything it points to is borrowed for the time of exp_merge.
typedef struct exp_merging {
    const char *const *paths; // (path_count) journals, or folders that hold some
    int32_t path_count;
    const char *experiment; // file, in place of the one that is within the journals; nullable
    const char *prices;     // price file, in place of the one that they name; nullable
    const char *out;        // the results go to out/NAME
    bool keep_runs;         // also write runs.csv
} exp_merging;

#define EXP_MISSING_SIZE 1200

// What was found.
typedef struct exp_merged {
    char name[256]; // of the experiment
    int32_t journals;
    int64_t instances, found;       // of all panels
    bool complete;                  // all of them, and the result files are written
    char missing[EXP_MISSING_SIZE]; // if not: which parts and instances are missing, in words
} exp_merged;

// LGKT_ERR_CONFIG for journals of different experiments, versions, seeds or sizes, LGKT_ERR_FORMAT
// for damaged ones and for those that do not agree on an instance. A journal that was cut off holds
// what stands before. The journals are left as they are. `merged` is written on LGKT_OK only.
// Nullable: error.
lgkt_status exp_merge(const exp_merging *merging, exp_merged *merged, lgkt_error *error);

#endif
