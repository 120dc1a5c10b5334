// SPDX-License-Identifier: MIT
// The learners without a model once more, slowly and from their definitions, and what their tests
// share. Every check asserts (cmocka).
#ifndef LGKT_TESTS_NAIVE_MODELFREE_H
#define LGKT_TESTS_NAIVE_MODELFREE_H

#include "lgkt/learner.h"

// ---- Q-learning, both kinds ----

enum { NAIVE_Q_VISITS = 512 }; // of one entry, at most

// Each entry keeps every target it was ever given. Its value is their weighted mean with weights
// alpha_i prod_{j > i} (1 - alpha_j), alpha_i = (H+1)/(H+i), computed anew at each visit.
typedef struct naive_q {
    int32_t states, actions, places; // places of a piece; 1 for optimistic Q-learning
    long double h, gamma, start;
    long double bonus;     // of the first visit
    bool average;          // optimistic Q-learning: Qhat is the least value so far
    const bool *ruled_out; // (S, A) what is never offered; NULL: nothing
    int32_t *n;            // (S, places, A)
    long double *targets;  // (S, places, A, NAIVE_Q_VISITS)
    long double *q;        // (S, places, A)
    long double *qhat;     // (S, places, A); q itself unless `average`
} naive_q;

// Fill in the sizes and numbers first.
void naive_q_make(naive_q *naive);
void naive_q_release(naive_q *naive);
size_t naive_q_entry(const naive_q *naive, int32_t state, int32_t place, int32_t action);
// The most that any action promises that is not ruled out.
long double naive_q_value(const naive_q *naive, int32_t state, int32_t place);
// One step with a mapped reward.
void naive_q_learn(naive_q *naive, int32_t state, int32_t place, int32_t action, double reward,
                   int32_t next_state, bool ended);

// ---- MDP-OOMD ----

// x = LB(y, beta) by bisection; returns lambda. n <= 64.
long double naive_log_barrier(const double *y, const double *beta, double eta, int32_t n,
                              double *x);

typedef struct naive_step {
    int32_t state, action;
    double reward;
} naive_step;

// The update after a batch: pi and base are (S, A); `last` is the last step a window may start at.
typedef struct naive_oomd {
    int32_t states, actions, window;
    double eta;
    bool overlapping;
} naive_oomd;

// beta (A) of a state, straight from the definition; how many samples it had.
int32_t naive_oomd_estimate(const naive_oomd *naive, const double *pi, const naive_step *batch,
                            int32_t last, int32_t state, double *beta);
void naive_oomd_update(const naive_oomd *naive, double *pi, double *base, const naive_step *batch,
                       int32_t last);

// ---- looking into a learner, and steering it ----

// The i-th number of the learner's own saved state, as a real or a whole number.
double modelfree_real(const lgkt_learner *learner, size_t i);
int64_t modelfree_whole(const lgkt_learner *learner, size_t i);
// How many there are.
size_t modelfree_size(const lgkt_learner *learner);

// A learner for rewards with means in [0, 1].
lgkt_learner *modelfree_make(const char *spec, int32_t states, int32_t actions, int64_t horizon);
// A step in which the learner acts but `action` is what was played.
void modelfree_force(lgkt_learner *learner, int32_t state, int32_t action, double reward,
                     int32_t next_state, bool ended);
// Of the actions of 10000 learners that differ in their seed, the p-value of the law p (A), after
// each has been led by `prepare` (nullable) to the state.
double modelfree_law(const char *spec, int32_t actions, const double *p,
                     void (*prepare)(lgkt_learner *learner));

// ---- what holds for all of them ----

// Runs with rewards that are scaled, shifted, constant, without noise, and with one state or one
// action: all numbers stay finite, and with rewards scaled by a power of 2 the actions are the
// same.
void modelfree_check_rewards(const char *spec);
// Saved at several times and loaded, it goes on as it would have, bit for bit.
void modelfree_check_resume(const char *spec);
// A learner whose states become known one by one acts as one that knows them all (the spec must not
// depend on S).
void modelfree_check_growth(const char *spec);
// One that is fed what another one did knows the same.
void modelfree_check_feed(const char *spec);
// A spec that is refused, with a text that contains `words`.
void modelfree_check_refused(const char *spec, const char *words);

#endif
