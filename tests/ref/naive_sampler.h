// SPDX-License-Identifier: MIT
// Learners that may play the runs of an LGKT learner, slow and plain: ucb, ucbvi and random.
#ifndef LGKT_TESTS_NAIVE_SAMPLER_H
#define LGKT_TESTS_NAIVE_SAMPLER_H

#include "lgkt/mdp.h"
#include "lgkt/problem.h"
#include "lgkt/rng.h"

typedef struct naive_sampler naive_sampler;

// A step as it was played.
typedef struct naive_step {
    int32_t state, action, next_state;
    double reward;
    bool ended;
} naive_step;

// Takes the spec of a learner. h and bonus are for a ucbvi whose spec does not say them. NULL for
// a name it does not know or when memory is out.
naive_sampler *naive_sampler_create(const char *spec, const lgkt_problem *problem, int64_t h,
                                    double bonus);
void naive_sampler_destroy(naive_sampler *sampler);

void naive_sampler_begin(naive_sampler *sampler);
int32_t naive_sampler_act(naive_sampler *sampler, int32_t state, lgkt_rng *rng);
// A step that it chose, or (`own` false) one that it only watched.
void naive_sampler_learn(naive_sampler *sampler, const naive_step *step, bool own);

#endif
