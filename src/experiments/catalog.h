// SPDX-License-Identifier: MIT
// Every figure and number of the paper as a named experiment, and experiments of ours.
//
// An experiment is a list of panels; a panel is an environment with learners side by side on the
// same instances. All are constant tables: nothing about an experiment is decided elsewhere.
#ifndef EXPERIMENTS_CATALOG_H
#define EXPERIMENTS_CATALOG_H

#include "experiments/experiment.h"

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
