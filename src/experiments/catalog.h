// SPDX-License-Identifier: MIT
// Every figure and number of the paper as a named experiment, and experiments of ours.
//
// An experiment is a list of panels; a panel is an environment with learners side by side on the
// same instances. All are constant tables: nothing about an experiment is decided elsewhere.
#ifndef EXPERIMENTS_CATALOG_H
#define EXPERIMENTS_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

// What a panel measures along time.
typedef enum exp_metric {
    EXP_METRIC_AVERAGE,    // expected reward per step so far
    EXP_METRIC_CUMULATIVE, // observed reward so far
    EXP_METRIC_REGRET,     // regret to the K-step thresholding policy so far
    EXP_METRIC_RATIO       // no run: V(K-step greedy) / V*, exact
} exp_metric;

typedef struct exp_entry {
    const char *label; // as in the paper's legends
    const char *spec;
    bool oracle; // knows the model: a mark to compare with, not a competitor
} exp_entry;

typedef struct exp_panel {
    const char *name; // unique within the experiment
    const char *env;  // spec
    int64_t horizon;
    int64_t instances, quick_instances;
    exp_metric metric;
    int64_t regret_k;        // of EXP_METRIC_REGRET
    double regret_threshold; //
    const exp_entry *entries;
    int32_t entry_count;
    const char *title; // NULL: that of the experiment of the same name, or the name
    bool untold;       // learners do not know the range and noise of the rewards
} exp_panel;

typedef struct exp_experiment {
    const char *name;
    const char *title;
    const char *place; // where in the paper, or "ours"
    const exp_panel *panels;
    int32_t panel_count;
} exp_experiment;

// Experiment number i in display order; NULL beyond the last.
const exp_experiment *exp_experiment_at(int32_t i);
// The experiment of a name, or NULL.
const exp_experiment *exp_experiment_find(const char *name);

// Words that stand for several: all, paper (the paper's and those around it), beyond (learners of
// our own), arena (all learners on the environments of the literature). NULL beyond the last.
const char *exp_group_at(int32_t i);
// Whether a name, of an experiment or of a group, means this experiment.
bool exp_name_covers(const char *name, const exp_experiment *experiment);

#endif
