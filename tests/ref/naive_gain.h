// SPDX-License-Identifier: MIT
// Long-run average reward by plain value iteration, for small models that mix.
#ifndef LGKT_TESTS_NAIVE_GAIN_H
#define LGKT_TESTS_NAIVE_GAIN_H

#include "lgkt/mdp.h"

enum { NAIVE_UNIFORM = -1, NAIVE_BEST = -2 };

// actions (S) is the action per state, or NAIVE_UNIFORM or NAIVE_BEST. At most 128 states.
double naive_gain(const lgkt_mdp *mdp, const int32_t *actions);
// The same rule in every state: an action, NAIVE_UNIFORM or NAIVE_BEST.
double naive_gain_of_rule(const lgkt_mdp *mdp, int32_t rule);

#endif
