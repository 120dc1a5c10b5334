// SPDX-License-Identifier: MIT
// Long-run averages once more: every deterministic policy of a tiny model, solved in long double.
#ifndef LGKT_TESTS_NAIVE_AVERAGE_H
#define LGKT_TESTS_NAIVE_AVERAGE_H

#include "lgkt/mdp.h"

enum { NAIVE_MOST_STATES = 8 };

// The gain of one action per state, from each state (S).
void naive_gain_of(const lgkt_mdp *mdp, const int32_t *actions, long double *gain);
// The best gain from each state (S) over all policies, tried one by one.
void naive_best_gain(const lgkt_mdp *mdp, long double *gain);

#endif
