// SPDX-License-Identifier: MIT
// What a step costs: an environment alone, and with learners.
#ifndef EXPERIMENTS_TIMING_H
#define EXPERIMENTS_TIMING_H

#include <stdatomic.h>

#include "experiments/runner/play.h"

// Everything it points to is borrowed for the time of exp_time.
typedef struct exp_timing {
    exp_world world;
    const char *const *learners; // (learner_count) specs; NULL: uniform actions, no learner
    int32_t learner_count;
    int64_t horizon; // steps of one run
    int32_t repeats; // the best one counts
    uint64_t seed;
    const atomic_bool *stop; // setting it ends the measurement after a run; nullable
} exp_timing;

// Nanoseconds per step for each learner into ns, of length learner_count; NaN if it was stopped
// before the first repeat ended. Nullable: error.
lgkt_status exp_time(const exp_timing *timing, double *ns, lgkt_error *error);

#endif
