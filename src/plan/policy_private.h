// SPDX-License-Identifier: MIT
// The inside of a policy, what it plays, and its value in rewards or in what falls short of a
// threshold.
#ifndef LGKT_PLAN_POLICY_PRIVATE_H
#define LGKT_PLAN_POLICY_PRIVATE_H

#include "lgkt/plan.h"
#include "plan/lookahead.h"

typedef enum lgkt_policy_kind {
    LGKT_POLICY_RUNS,      // one action per (h, s), in runs of equal h
    LGKT_POLICY_THRESHOLD, // what is good enough
    LGKT_POLICY_UNIFORM    // everything
} lgkt_policy_kind;

// An action from `from` steps to go on, until the next run of the state.
typedef struct lgkt_policy_run {
    int64_t from;
    int32_t action;
} lgkt_policy_run;

struct lgkt_policy {
    lgkt_allocator allocator;
    const lgkt_mdp *mdp; // owned
    int64_t horizon;
    lgkt_policy_kind kind;
    size_t bytes; // held, but for the model and the tables of a threshold
    // RUNS: those of state s are at first[s] .. first[s+1]-1, `from` increasing, the first 1
    size_t *first;         // (S + 1)
    lgkt_policy_run *runs; // (first[S])
    // THRESHOLD
    lgkt_lookahead ahead; // Q_1 .. Q_min(K,T)
    lgkt_threshold gamma; // what it points to is borrowed
};

// What is played at one (h, s): the actions first .. end-1, or those of them that clear the bar.
// `first` is always one of them. Walk them with
//     for (a = choice.first; a < choice.end; a = lgkt_choice_next(&choice, a))
typedef struct lgkt_choice {
    int32_t first;
    int32_t end;
    const double *q; // (A), points into the tables; NULL: all of first .. end-1
    double lift;     // the values are lift + q
    double gamma;
} lgkt_choice;

// max(0, gamma - Q), where a shortfall within a tie of the bar is none: a threshold set to the value
// of an action must not hang on the last bit of a sum. Infinite for a pair that is forbidden,
// whatever the bar.
static inline double lgkt_shortfall(double q, double gamma)
{
    const double shortfall = gamma - q;
    if (q == -INFINITY)
        return INFINITY;
    return shortfall <= lgkt_tie_width(q) ? 0 : shortfall;
}

// The action played after a, or `end`.
static inline int32_t lgkt_choice_next(const lgkt_choice *choice, int32_t a)
{
    a++;
    while (choice->q != NULL && a < choice->end &&
           lgkt_shortfall(choice->q[a] + choice->lift, choice->gamma) > 0)
        a++;
    return a;
}

// How many actions are played.
static inline int32_t lgkt_choice_count(const lgkt_choice *choice)
{
    int32_t n = 0;
    for (int32_t a = choice->first; a < choice->end; a = lgkt_choice_next(choice, a))
        n++;
    return n;
}

// THRESHOLD: how deep one looks with h to go, and gamma(T-h, s), where a NaN becomes +infinity.
static inline int64_t lgkt_policy_depth(const lgkt_policy *policy, int64_t h)
{
    return h < policy->ahead.depth ? h : policy->ahead.depth;
}
double lgkt_policy_gamma(const lgkt_policy *policy, int64_t h, int32_t state);

// What is played with h to go in a state.
lgkt_choice lgkt_policy_choice(const lgkt_policy *policy, int64_t h, int32_t state);
// The largest h' >= h such that the policy, and of one that looks at a threshold Q and gamma, are
// known to be the same for all of h .. h'.
int64_t lgkt_policy_same_until(const lgkt_policy *policy, int64_t h);
// Mean of payoff + P v over the actions played, P of a model of the same sizes; payoff has length
// A, v length S.
double lgkt_policy_backup(const lgkt_policy *policy, const lgkt_mdp *mdp, int64_t h, int32_t state,
                          const double *payoff, const double *v);

// Up to how many steps to go the world is what it was with h to go, of `horizon` in all. Nullable:
// change.
static inline int64_t lgkt_same_world_until(const lgkt_change *change, int64_t horizon, int64_t h)
{
    return change == NULL ? horizon : horizon - lgkt_change_since(change, horizon - h);
}

#endif
