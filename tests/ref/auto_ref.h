// SPDX-License-Identifier: MIT
// The learner `auto` from its definition, for comparison with the shipped one: it keeps the steps
// it was shown, and whenever it needs a number of a pair it goes through them again, in two passes
// and in long doubles. Only what is of a time is kept: the values of states, the spreads of the
// last round, and the rows of the round at hand. Prices come from the table
// (learners/auto/reservation.c).
#ifndef LGKT_TESTS_AUTO_REF_H
#define LGKT_TESTS_AUTO_REF_H

#include "lgkt/mdp.h"
#include "lgkt/problem.h"
#include "lgkt/rng.h"

typedef struct auto_ref auto_ref;

// From the full spec of a learner. NULL when memory is out.
auto_ref *auto_ref_create(const char *full_spec, const lgkt_problem *problem);
void auto_ref_destroy(auto_ref *ref);

// The action at time t. One random number, if several actions are equal.
int32_t auto_ref_act(auto_ref *ref, int64_t t, int32_t state, lgkt_rng *rng);
// A step, its own or one that it only watched.
void auto_ref_step(auto_ref *ref, int32_t state, int32_t action, double reward, int32_t next_state,
                   bool ended);

// The index of an action in the state that was acted in last.
double auto_ref_index(const auto_ref *ref, int32_t action);

#endif
