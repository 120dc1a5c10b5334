// SPDX-License-Identifier: MIT
// Regret to the K-step thresholding policy, while a learner plays.
#ifndef EXPERIMENTS_REGRET_H
#define EXPERIMENTS_REGRET_H

#include "lgkt/plan.h"

// Which policy, and when to look.
typedef struct exp_regret_setup {
    int64_t k;                  // depth of lookahead, >= 1
    double threshold;           // gamma, the same at all times; finite
    int64_t horizon;            // T
    const int64_t *checkpoints; // (checkpoint_count) increasing times in 1 .. T
    int32_t checkpoint_count;
} exp_regret_setup;

// What the runs on one instance are held against; {0} is an empty one.
typedef struct exp_regret {
    lgkt_cost *cost; // c_t(s,a)
    double total;    // what the thresholding policy is expected to cost from the start
    double *by;      // (checkpoint_count) the same for the steps before each checkpoint
} exp_regret;

// For runs whose first state has a law of length S (NULL: that of the model). Nullable: error.
lgkt_status exp_regret_open(exp_regret *regret, const exp_regret_setup *setup,
                            const lgkt_mdp *model, const double *law, lgkt_error *error);
void exp_regret_close(exp_regret *regret);

#endif
