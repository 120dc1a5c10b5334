// SPDX-License-Identifier: MIT
// When a learning curve is looked at.
#ifndef EXPERIMENTS_CHECKPOINTS_H
#define EXPERIMENTS_CHECKPOINTS_H

#include <stdint.h>

#define EXP_MAX_CHECKPOINTS 200

// Writes increasing times in 1 .. horizon (horizon >= 1), the last of them the horizon, and
// returns how many: all of them up to 200 steps, else about 200, denser early.
int32_t exp_checkpoints(int64_t horizon, int64_t times[EXP_MAX_CHECKPOINTS]);
// The same, all evenly spaced in log t: for what grows by powers.
int32_t exp_log_checkpoints(int64_t horizon, int64_t times[EXP_MAX_CHECKPOINTS]);

#endif
