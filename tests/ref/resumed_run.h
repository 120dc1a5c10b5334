// SPDX-License-Identifier: MIT
// Runs that are interrupted at every point. Calls assert (cmocka).
#ifndef LGKT_TESTS_RESUMED_RUN_H
#define LGKT_TESTS_RESUMED_RUN_H

#include "ref/learner_run.h"

// A learner that is saved and loaded before every act and every observe has the same state at each
// point, and plays the same, as one that is left alone.
void resumed_run_check(const char *spec, const lgkt_mdp *model, int64_t steps);

#endif
