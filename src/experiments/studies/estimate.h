// SPDX-License-Identifier: MIT
// What an experiment is going to cost: how much there is to run, which is known, and how long that
// takes, which is estimated from a sample of every panel.
//
// A sample is played on one thread and into nothing: the first instance with horizons that grow
// from a small one, as long as there is time for the next; once the whole horizon fits in, as many
// instances as there is time for. Exact values are those of the whole horizon from the start. All
// seconds are those of a processor, so that other work on the machine does not count. Beyond the
// longest horizon that was played, a step is taken to cost what steps did since the one before it.
#ifndef EXPERIMENTS_ESTIMATE_H
#define EXPERIMENTS_ESTIMATE_H

#include "experiments/runner/store.h"

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

#endif
