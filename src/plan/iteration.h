// SPDX-License-Identifier: MIT
// A plan while it is made: what average.c, quotient.c, iteration.c and horizon.c share.
#pragma once

#include "core/chain.h"
#include "plan/plan_private.h"

typedef struct lgkt_iteration {
    const lgkt_mdp *mdp;
    lgkt_plan_config config;
    lgkt_plan_result *result;
    lgkt_allocator hooks;
    double discount;       // 1: a long-run average
    double scale;          // of rewards
    double tolerance;      // as a number
    int32_t groups;        // sets of states with a gain of their own
    const int32_t *group;  // (S), -1: none, and not looked at; NULL: all are in one
    const uint8_t *mask;   // (S, A), the pairs that are there; NULL: all that are allowed
    int32_t *policy;       // (S)
    int32_t *plain;        // (S), the greedy one of its bias
    double *gain;          // (S)
    double *h;             // (S)
    double *fresh;         // (S)
    uint8_t *marked;       // (S)
    uint8_t *turns;        // (S)
    double width;          // of the interval, as far as the caller was told
    double floor, ceiling; // what the gain lies between, by all certificates so far
    double *low, *high;    // (S), the certificate of each group
    size_t longest;        // of all rows
    size_t room;           // for the longest row of each state
    lgkt_rows own;         // of a discounted plan: the rows of the policy (S)
    lgkt_evaluation v;
} lgkt_iteration;

// Checks what the caller gives; on failure nothing is held.
lgkt_status lgkt_iteration_init(lgkt_iteration *it, const lgkt_mdp *mdp,
                                const lgkt_plan_config *config, lgkt_plan_result *result,
                                lgkt_error *error);
void lgkt_iteration_release(lgkt_iteration *it);
// Whether the caller wants to go on.
bool lgkt_iteration_goes_on(lgkt_iteration *it, double width);

static inline bool lgkt_iteration_has(const lgkt_iteration *it, size_t z)
{
    return it->mask != NULL ? it->mask[z] != 0 : it->mdp->payoffs[z] != -INFINITY;
}
static inline int32_t lgkt_iteration_group(const lgkt_iteration *it, int32_t s)
{
    return it->group != NULL ? it->group[s] : 0;
}

// Writes gain or values, bias and policy where they are asked for.
void lgkt_iteration_write(const lgkt_iteration *it);

// The certificate of h, and the plain greedy policy; returns whether it is another one. `fine`: of
// h + v.rest, which was refined.
bool lgkt_certify(lgkt_iteration *it, bool fine);
double lgkt_width(const lgkt_iteration *it); // of the widest certificate
// Evaluates the policy: gain and h; *closed is how many closed sets the groups have in all.
lgkt_status lgkt_iteration_evaluate(lgkt_iteration *it, double patience, int32_t *closed,
                                    bool *within, lgkt_error *error);
// Policy iteration from it->policy on, until the certificate of each group is narrow enough or
// nothing improves. Each group is communicating but for states that lead to the rest of it. *within
// is false where an elimination is beyond its limits.
lgkt_status lgkt_iterate(lgkt_iteration *it, bool *within, lgkt_error *error);

// After the policy iteration of groups that are components: gain and policy of all states, and the
// interval.
lgkt_status lgkt_components_connect(lgkt_iteration *it, bool *within, lgkt_error *error);
