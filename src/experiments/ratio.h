// SPDX-License-Identifier: MIT
// What K steps of lookahead are worth on one instance, exactly: no run, no learning.
#ifndef EXPERIMENTS_RATIO_H
#define EXPERIMENTS_RATIO_H

#include "experiments/instance.h"

// As exp_instance_play, for learners kstep:k=K. For each the score holds, per step and from the
// start law of the model,
//     reward    V of the K-step greedy policy
//     gap       V* - V
//     bound     what Theorem 3.5 allows for the gap
//     distance  its sum of L1 distances alone
// and the point of the one checkpoint T the ratio V / V* as `expected`. Nullable: error.
lgkt_status exp_ratio_play(const exp_setup *setup, int64_t number, exp_pool *pool, int64_t unit,
                           exp_outcome *outcome, lgkt_error *error);

#endif
