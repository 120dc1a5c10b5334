// SPDX-License-Identifier: MIT
// UCBVI on dense arrays, planned from its definition, for comparison with the shipped one.
#ifndef LGKT_TESTS_NAIVE_UCBVI_H
#define LGKT_TESTS_NAIVE_UCBVI_H

#include "lgkt/mdp.h"
#include "lgkt/problem.h"
#include "lgkt/rng.h"

typedef struct naive_ucbvi_form {
    int32_t states, actions;
    int64_t horizon; // T
    int64_t h;       // steps H of a piece
    bool ch;         // bound: ch, else bf
    bool reward_bonus;
    double bonus, delta;
    double reward_min, reward_max, reward_sd;
} naive_ucbvi_form;

// What a spec of the learner ucbvi says about a problem; h and bonus are those of the spec, or else
// the ones given.
naive_ucbvi_form naive_ucbvi_read(const char *spec, const lgkt_problem *problem, int64_t h,
                                  double bonus);

typedef struct naive_ucbvi naive_ucbvi;

// NULL when memory is out.
naive_ucbvi *naive_ucbvi_create(const naive_ucbvi_form *form);
void naive_ucbvi_destroy(naive_ucbvi *vi);

// A new piece starts with the next act.
void naive_ucbvi_begin(naive_ucbvi *vi);
// Plans at the start of a piece. One random number, if several actions tie.
int32_t naive_ucbvi_act(naive_ucbvi *vi, int32_t state, lgkt_rng *rng);
// A step that it chose, and one that it only watched.
void naive_ucbvi_observe(naive_ucbvi *vi, int32_t state, int32_t action, double reward,
                         int32_t next_state, bool ended);
void naive_ucbvi_feed(naive_ucbvi *vi, int32_t state, int32_t action, double reward,
                      int32_t next_state, bool ended);

// Q_h of a pair as last planned, h = 1 .. H.
double naive_ucbvi_q(const naive_ucbvi *vi, int64_t h, int32_t state, int32_t action);
// Sets N'_h(state).
void naive_ucbvi_set_visits(naive_ucbvi *vi, int64_t h, int32_t state, double visits);

#endif
