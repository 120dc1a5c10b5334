// SPDX-License-Identifier: MIT
// Posterior sampling once more: the whole history is kept, and every question is answered by going
// through it from the start. Slow and simple.
#ifndef LGKT_TESTS_NAIVE_PSRL_H
#define LGKT_TESTS_NAIVE_PSRL_H

#include <stdbool.h>
#include <stdint.h>

enum { NAIVE_PSRL_STEPS = 4096 };

typedef struct naive_psrl_step {
    int32_t pair, next;
    double reward;
    bool ended;
} naive_psrl_step;

typedef struct naive_psrl {
    int32_t states, pairs;
    int64_t steps;
    naive_psrl_step history[NAIVE_PSRL_STEPS];
    // steps played before each draw of a model
    int64_t draws;
    int64_t drawn_at[NAIVE_PSRL_STEPS];
} naive_psrl;

// Visits of a pair in the first `steps` steps, and how often it led to a state.
int64_t naive_psrl_visits(const naive_psrl *naive, int32_t pair, int64_t steps);
int64_t naive_psrl_moves(const naive_psrl *naive, int32_t pair, int32_t next);

// Normal-gamma parameters by the textbook: mean and squares in two passes.
typedef struct naive_ng {
    double m, k, a, b;
} naive_ng;

naive_ng naive_psrl_ng(const naive_psrl *naive, int32_t pair, naive_ng prior);
// The prior that rewards alone give: m0 = mean, b0 = variance of all, k0 = a0 = 1.
naive_ng naive_psrl_free_prior(const naive_psrl *naive);

// Whether a model is drawn before step naive->steps + 1, by going through all pairs.
bool naive_psrl_tsde(const naive_psrl *naive);
// The same by doubling; the pair is the one that the policy would play.
bool naive_psrl_doubling(const naive_psrl *naive, int32_t pair);

#endif
