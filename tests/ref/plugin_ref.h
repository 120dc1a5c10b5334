// SPDX-License-Identifier: MIT
// The plug-in learner from its definition, for comparison with the shipped one: it keeps the steps
// it was shown and counts them anew whenever it needs a number.
#ifndef LGKT_TESTS_PLUGIN_REF_H
#define LGKT_TESTS_PLUGIN_REF_H

#include "lgkt/mdp.h"
#include "lgkt/plan.h"
#include "lgkt/problem.h"
#include "lgkt/rng.h"

typedef struct plugin_ref plugin_ref;

// From the full spec of a learner; `threshold` is that of its config, and borrowed. NULL when
// memory is out.
plugin_ref *plugin_ref_create(const char *full_spec, const lgkt_problem *problem,
                              const lgkt_threshold *threshold);
void plugin_ref_destroy(plugin_ref *ref);

// The action at time t. One random number, if several actions are equal.
int32_t plugin_ref_act(plugin_ref *ref, int64_t t, int32_t state, lgkt_rng *rng);
// A step, its own or one that it only watched.
void plugin_ref_step(plugin_ref *ref, int32_t state, int32_t action, double reward,
                     int32_t next_state, bool ended);

int64_t plugin_ref_depth(const plugin_ref *ref);
// Q_k of a tried pair, k = 1 .. K, and V_k of a state.
double plugin_ref_q(const plugin_ref *ref, int32_t state, int32_t action, int64_t k);

// The reservation price z of an action whose value is m + tau (E - 1), E exponential, with so many
// visits left: z - m = N E (X - z)+, solved by bisection on an integral that is summed up.
double plugin_ref_price(double m, double tau, double visits);

#endif
