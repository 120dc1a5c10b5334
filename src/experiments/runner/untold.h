// SPDX-License-Identifier: MIT
// What learners do where nobody tells them the range and the noise of the rewards.
#ifndef EXPERIMENTS_UNTOLD_H
#define EXPERIMENTS_UNTOLD_H

#include "lgkt/learner.h"

#define EXP_UNTOLD_SIZE 192

// Takes what is known of the rewards out of a problem.
void exp_untell(lgkt_problem *problem);

// The end of a sentence that begins with the learner: "uses what it sees", "assumes means in [0, 1]
// and noise 0.5", or "needs no range". Made from the registry and the full spec: a parameter about
// rewards has a value, or a default that ends with a number, or it is taken from what was seen. For
// a learner that has none the one within it speaks.
void exp_untold_describe(const char *spec, char text[EXP_UNTOLD_SIZE]);

#endif
