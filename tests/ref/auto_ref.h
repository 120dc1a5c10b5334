// SPDX-License-Identifier: MIT
// The learner `auto` from its definition, for comparison with the shipped one: it keeps the steps
// it was shown, and whenever it needs a number of a pair or of the whole run it goes through them
// again, in long doubles. Only what is of a time is kept: the values of states and their plans, the
// gain, what the last round settled, and the rows of the round at hand. Prices come from the table
// (learners/auto/reservation.c). All actions can be tried, and hidden state is not looked for.
#ifndef LGKT_TESTS_AUTO_REF_H
#define LGKT_TESTS_AUTO_REF_H

#include "lgkt/mdp.h"
#include "lgkt/problem.h"
#include "lgkt/rng.h"

typedef struct auto_ref auto_ref;

// From the full spec of a learner. NULL when memory is out.
auto_ref *auto_ref_create(const char *full_spec, const lgkt_problem *problem);
void auto_ref_destroy(auto_ref *ref);

// The next action. One random number, if several actions are equal.
int32_t auto_ref_act(auto_ref *ref, int32_t state, lgkt_rng *rng);
// A step, its own or one that it only watched.
void auto_ref_step(auto_ref *ref, int32_t state, int32_t action, double reward, int32_t next_state,
                   bool ended);
void auto_ref_watch(auto_ref *ref, int32_t state, int32_t action, double reward, int32_t next_state,
                    bool ended);

// Of an action in the state that was acted in last: its index, and what the choice went by.
double auto_ref_index(const auto_ref *ref, int32_t action);
double auto_ref_worth(const auto_ref *ref, int32_t action);

// What it holds of the run as a whole, and of a state.
typedef struct auto_ref_facts {
    double depth, gain, rho;
    double alpha, alpha_reward, lump, lump_new, nu;
    double finds, spent, thrown, steady, above, below;
    int64_t quests;
} auto_ref_facts;
auto_ref_facts auto_ref_look(const auto_ref *ref);
typedef struct auto_ref_value {
    double h, v, w, d;
} auto_ref_value;
auto_ref_value auto_ref_value_of(const auto_ref *ref, int32_t state);

#endif
