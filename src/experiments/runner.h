// SPDX-License-Identifier: MIT
// Learners side by side on many instances of an environment.
//
// For one seed the numbers are the same for any count of threads, and a learner's row does not
// depend on which others run beside it. Only the seconds vary.
#ifndef EXPERIMENTS_RUNNER_H
#define EXPERIMENTS_RUNNER_H

#include "experiments/result.h"
#include "experiments/setup.h"

// Runs a setup. The result is written on LGKT_OK only and freed with exp_result_free. If instances
// fail, the error is that of the first of them. Nullable: error.
lgkt_status exp_run(const exp_setup *setup, exp_result *result, lgkt_error *error);

#endif
