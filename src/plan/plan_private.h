// SPDX-License-Identifier: MIT
// The inside of planning: one backup, values kept relative to a moving shift, one sweep of the
// optimal recursion, tables of lookahead values (lookahead.c has the equations); policies and what
// they play (policy.c).
#pragma once

#include <math.h>

#include "lgkt/plan.h"
#include "mdp/mdp_private.h"

// How close two action values are when they count as equal, relative to max(1, |Q|).
#define LGKT_TIE 1e-12

static inline double lgkt_tie_width(double q)
{
    return LGKT_TIE * fmax(1, fabs(q));
}

// ---- relative values ----

// Values with k steps to go, V_k(s) = shift + v[s], the smallest v being 0. A sweep writes the
// values with one step more, less the old shift, into `fresh` and calls lgkt_values_advance.
typedef struct lgkt_values {
    lgkt_allocator allocator;
    int32_t states;
    int64_t k;
    double shift;
    double slope;  // middle of the range of V_k - V_{k-1}
    double span;   // width of that range
    double top;    // the largest of v
    double *v;     // (S)
    double *fresh; // (S)
    double *q;     // (S, actions), room for action values
    double *block; // that all three are in
} lgkt_values;

// V_0 = 0. On failure nothing is held.
lgkt_status lgkt_values_init(lgkt_values *values, int32_t states, size_t actions,
                             const lgkt_allocator *allocator, lgkt_error *error);
void lgkt_values_release(lgkt_values *values);
void lgkt_values_advance(lgkt_values *values);
// The same without a look at them: the smallest is not 0 then, top, slope and span stay as they are.
void lgkt_values_pass(lgkt_values *values);
// Whether V_k - V_{k-1} is the same in all states up to rounding.
bool lgkt_values_settled(const lgkt_values *values);
// Goes on to k steps at the slope; right when settled and the operator stays the same.
void lgkt_values_jump(lgkt_values *values, int64_t k);

// ---- the optimal recursion ----

// What is best in each state, by the way: then q has room for one state only.
typedef struct lgkt_pick {
    int32_t *action; // (S)
    bool high;       // of ties
} lgkt_pick;

// Writes Q_{k+1} - shift into q (S, A), where k and shift are those of `values`, and its maxima
// into values->fresh. Nullable: change, whose mix at time t takes the place of the model; pick; q
// where both are NULL.
void lgkt_sweep(const lgkt_mdp *mdp, const lgkt_change *change, int64_t t, lgkt_values *values,
                double *q, const lgkt_pick *pick);
// Goes on from V_0 to V_k; returns what must be added to q (S, A) to make it Q_k.
double lgkt_sweep_to(const lgkt_mdp *mdp, int64_t k, lgkt_values *values, double *q);
// The action of highest q (A); among those within a tie of it the lowest or the highest. The values
// are shift + q.
int32_t lgkt_argmax(const double *q, int32_t actions, double shift, bool high);

// ---- tables ----

// Q_1 .. Q_depth. Only `count` tables are kept: from there on the values grow by `slope` a step.
typedef struct lgkt_lookahead {
    size_t pairs;
    int64_t depth;
    int64_t count;
    double slope;
    size_t bytes; // held
    double *q;    // (count, S, A)
} lgkt_lookahead;

// On failure nothing is held; else q is to be freed.
lgkt_status lgkt_lookahead_init(lgkt_lookahead *ahead, const lgkt_mdp *mdp, int64_t depth,
                                const lgkt_allocator *allocator, lgkt_error *error);

// Q_k(z), 1 <= k <= depth.
static inline double lgkt_lookahead_q(const lgkt_lookahead *ahead, int64_t k, size_t z)
{
    if (k <= ahead->count)
        return ahead->q[(size_t)(k - 1) * ahead->pairs + z];
    return ahead->q[(size_t)(ahead->count - 1) * ahead->pairs + z] +
           (double)(k - ahead->count) * ahead->slope;
}

// All of Q_k from pair z on: these values and *lift.
static inline const double *lgkt_lookahead_row(const lgkt_lookahead *ahead, int64_t k, size_t z,
                                               double *lift)
{
    const int64_t kept = k < ahead->count ? k : ahead->count;
    *lift = (double)(k - kept) * ahead->slope;
    return ahead->q + (size_t)(kept - 1) * ahead->pairs + z;
}

// ---- thresholds, for planners and learners alike ----

// True if the threshold is the same at all times and in all states.
static inline bool lgkt_threshold_is_constant(const lgkt_threshold *threshold)
{
    return threshold->fn == NULL && threshold->table == NULL;
}

// gamma(t, s) at depth k; a NaN becomes +infinity, so that no comparison sees one.
static inline double lgkt_threshold_at(const lgkt_threshold *threshold, int32_t states, int64_t t,
                                       int32_t state, int32_t k)
{
    double gamma = threshold->constant;
    if (threshold->fn != NULL) {
        gamma = threshold->fn(threshold->ctx, t, state, k);
    } else if (threshold->table != NULL) {
        const int64_t row = t < threshold->table_steps ? t : threshold->table_steps - 1;
        gamma = threshold->table[row * states + state];
    }
    return isnan(gamma) ? INFINITY : gamma;
}

// ---- policies ----

typedef enum lgkt_policy_kind {
    LGKT_POLICY_RUNS,      // one action per (h, s), in runs of equal h
    LGKT_POLICY_THRESHOLD, // what is good enough
    LGKT_POLICY_UNIFORM,   // everything
    LGKT_POLICY_LAW        // by lot
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
    // LAW
    double *law; // (S, A), rows sum to 1
};

// What is played at one (h, s): the actions first .. end-1, or those of them that clear the bar, all
// alike, or those that a law draws.
// `first` is always one of them. Walk them with
//     for (a = choice.first; a < choice.end; a = lgkt_choice_next(&choice, a))
typedef struct lgkt_choice {
    int32_t first;
    int32_t end;
    const double *law; // (A); NULL: all alike
    const double *q;   // (A), points into the tables; NULL: all of first .. end-1
    double lift;       // the values are lift + q
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
    while (choice->law != NULL && a < choice->end && choice->law[a] == 0)
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

// How much of x belongs to action a, one of `count`.
static inline double lgkt_choice_part(const lgkt_choice *choice, int32_t a, int32_t count, double x)
{
    return choice->law != NULL ? choice->law[a] * x : x / count;
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

// ---- arguments ----

// A model that plans are made of.
lgkt_status lgkt_check_model(const lgkt_mdp *mdp, lgkt_error *error);
lgkt_status lgkt_check_discount(double discount, lgkt_error *error);
// A width of an interval.
lgkt_status lgkt_check_tolerance(double tolerance, lgkt_error *error);
// A model and a count of steps, which `what` names.
lgkt_status lgkt_check_steps(const lgkt_mdp *mdp, int64_t steps, const char *what,
                             lgkt_error *error);
