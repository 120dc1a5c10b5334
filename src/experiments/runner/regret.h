// SPDX-License-Identifier: MIT
// Regret to the K-step thresholding policy, while a learner plays.
#ifndef EXPERIMENTS_REGRET_H
#define EXPERIMENTS_REGRET_H

#include "experiments/runner/instance.h"

// What the runs on one instance are held against; {0} is an empty one.
typedef struct exp_regret {
    lgkt_cost *cost; // c_t(s,a)
    double total;    // what the thresholding policy is expected to cost from the start
    double *by;      // (checkpoint_count) the same for the steps before each checkpoint
} exp_regret;

// For runs of a setup with a regret whose first state has a law of length S (NULL: that of the
// model). Nullable: error.
lgkt_status exp_regret_open(exp_regret *regret, const exp_setup *setup, const lgkt_mdp *model,
                            const double *law, lgkt_error *error);
void exp_regret_close(exp_regret *regret);

#endif
