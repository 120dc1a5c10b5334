// SPDX-License-Identifier: MIT
// What else is done with experiments than running them: estimates of what one costs, journals of its
// parts into one result, and the time that a step takes.
#pragma once

#include "experiments/runner/store.h"

// ---- estimates ----
//
// What an experiment is going to cost: how much there is to run, which is known, and how long that
// takes, which is estimated from a sample of every panel.
//
// A sample is played on one thread and into nothing: the first instance with horizons that grow
// from a small one, as long as there is time for the next; once the whole horizon fits in, as many
// instances as there is time for. Exact values are those of the whole horizon from the start. All
// seconds are those of a processor, so that other work on the machine does not count. Beyond the
// longest horizon that was played, a step is taken to cost what steps did since the one before it.

// The work of a panel, in the part that was asked for.
typedef struct exp_load {
    int64_t instances, runs;
    double steps;    // of all runs
    double seconds;  // for one instance, estimated
    int64_t sampled; // the longest horizon that was played to know; 0: no instance is in this part
    int64_t journal; // bytes of its records, with what is around them
} exp_load;

// {0} is an empty one.
typedef struct exp_estimation {
    exp_load *panels; // (panel_count)
    int32_t panel_count;
    bool whole;     // all horizons were played to their end
    int64_t cells;  // learners of all panels
    exp_load all;   // sums; the journal with all that is in it; `seconds` for all instances
    double longest; // seconds of the longest instance
    double tables;  // about so many bytes of result files; 0 for a part, which makes none
} exp_estimation;

// Makes everything that would be run and plays samples of it, about `panel` seconds of each panel
// and `most` in all, but each panel gets a small one. No folder is made or looked at.
// Free it after failure, too. Nullable: error.
lgkt_status exp_estimation_make(exp_estimation *estimation, const exp_reproduction *reproduction,
                                double panel, double most, lgkt_error *error);
void exp_estimation_free(exp_estimation *estimation);

// ---- journals of parts of one experiment into its result files ----

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
// what stands before. The journals are left as they are.
// Nullable: error.
lgkt_status exp_merge(const exp_merging *merging, exp_merged *merged, lgkt_error *error);

// ---- what a step costs: an environment alone, and with learners ----

// Everything it points to is borrowed for the time of exp_time.
typedef struct exp_timing {
    exp_world world;
    const char *const *learners; // (learner_count) specs; NULL: uniform actions, no learner
    int32_t learner_count;
    int64_t horizon; // steps of one run
    int32_t repeats; // the best one counts
    uint64_t seed;
    bool skips;              // learners that the environment is not for: LGKT_ERR_UNSUPPORTED
    const atomic_bool *stop; // setting it ends the measurement after a run; nullable
} exp_timing;

// Nanoseconds per step for each learner into ns, of length learner_count; NaN if it was stopped
// before the first repeat ended, infinite if it was skipped, and then error says why. Nullable:
// error.
lgkt_status exp_time(const exp_timing *timing, double *ns, lgkt_error *error);
