// SPDX-License-Identifier: MIT
// The results of experiments, read back from their folders for plots and reports.
#ifndef EXPERIMENTS_RESULT_FOLDER_H
#define EXPERIMENTS_RESULT_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "experiments/catalog.h"
#include "lgkt/base.h"

#define EXP_MAX_FOLDERS 64
#define EXP_FIELD_SIZE  128

// A mean over instances at one time.
typedef struct exp_mark {
    int64_t t;
    double mean, ci95; // ci95 is half the width of the interval; NaN for a single instance
} exp_mark;

// One instance of a panel with EXP_METRIC_RATIO; the last three are per step.
typedef struct exp_sample {
    double value;    // V(K-step greedy) / V*
    double gap;      // V* - V
    double bound;    // what Theorem 3.5 allows for it
    double distance; // its sum of L1 distances alone
} exp_sample;

// One learner of a panel.
typedef struct exp_track {
    exp_mark *marks; // (count) by increasing t
    int32_t count, capacity;
    exp_sample *samples; // (sample_count) by instance, from runs.csv if there is one
    int64_t sample_count, sample_capacity;
    // the end of the run
    int64_t n;                // instances; 0: not in the tables
    double mean, ci95, share; // share of the optimum; NaN where there is none above 0
    double score;             // in percent from uniform play to the optimum; NaN without a model
    double median, worst;     // of the runs; the mean of their worst tenth
    char best_other[EXP_FIELD_SIZE];
    double difference, difference_ci95; // to the best other learner, on the same instances
    double seconds;                     // of all its runs; NaN if unknown
} exp_track;

// What one learner had more than another on the same instances.
typedef struct exp_pair {
    int32_t learner, other; // positions in the panel's entries
    int64_t t;
    double difference, ci95;
} exp_pair;

typedef struct exp_panel_data {
    const exp_panel *panel;
    exp_track *tracks; // (panel->entry_count)
    exp_pair *pairs;   // (pair_count)
    int64_t pair_count;
} exp_panel_data;

// One experiment.
typedef struct exp_folder {
    char *path;
    const exp_experiment *experiment;
    char version[EXP_FIELD_SIZE], seed[EXP_FIELD_SIZE];
    char prices[EXP_FIELD_SIZE]; // the price file of trading; empty: a random walk
    char host[EXP_FIELD_SIZE], date[EXP_FIELD_SIZE]; // empty if unknown
    double run_seconds;                              // of all runs together; NaN if unknown
    exp_panel_data *panels;                          // (experiment->panel_count)
} exp_folder;

// All that was read, in the order of the catalog; {0} is an empty one.
typedef struct exp_results {
    exp_folder *folders[EXP_MAX_FOLDERS];
    int32_t count;
} exp_results;

// Reads folders: each path is the folder of one experiment, or holds such folders under their
// names. All numbers are checked; an experiment that comes twice is refused. Nullable: error.
lgkt_status exp_results_read(const char *const *paths, int32_t count, exp_results *results,
                             lgkt_error *error);
void exp_results_free(exp_results *results);

// NULL if it was not read.
const exp_folder *exp_results_find(const exp_results *results, const char *experiment);
const exp_panel_data *exp_folder_panel(const exp_folder *folder, const char *panel);
// The position of a label in a panel, or -1.
int32_t exp_panel_find(const exp_panel *panel, const char *label);
// The number of instances of a panel.
int64_t exp_panel_instances(const exp_panel_data *data);

// The paired difference learner - other at time t. False if it is not in the tables.
bool exp_panel_difference(const exp_panel_data *data, int32_t learner, int32_t other, int64_t t,
                          double *difference, double *ci95);
// The mean at time t, between two checkpoints on the straight line in log t. False outside of the
// curve.
bool exp_track_mean(const exp_track *track, int64_t t, double *mean);

#endif
