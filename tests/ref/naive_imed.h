// SPDX-License-Identifier: MIT
// IMED-RL, plainly: dense rows, all pairs of rewards and next states, golden sections.
#ifndef LGKT_TESTS_NAIVE_IMED_H
#define LGKT_TESTS_NAIVE_IMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// max over 0 <= x <= 1/(top - gam) of E log(1 - (v - gam) x), v (n) with probabilities p (n).
double naive_imed_k(const double *v, const double *p, size_t n, double gam, double top);

enum { NAIVE_IMED_STATES = 8, NAIVE_IMED_ACTIONS = 4, NAIVE_IMED_STEPS = 4000 };

// All that was seen; rewards as they are.
typedef struct naive_imed {
    int32_t states, actions;
    double low, high; // told, of the mean rewards
    double top;       // highest reward told or seen
    int index;        // 0 formula, 1 log-u, 2 p0
    bool smooth;
    double precision; // of the plan
    int32_t n[NAIVE_IMED_STATES][NAIVE_IMED_ACTIONS];
    int32_t c[NAIVE_IMED_STATES][NAIVE_IMED_ACTIONS][NAIVE_IMED_STATES];
    double rewards[NAIVE_IMED_STATES][NAIVE_IMED_ACTIONS][NAIVE_IMED_STEPS];
    double phi[NAIVE_IMED_STATES]; // the next plan starts from it
} naive_imed;

void naive_imed_see(naive_imed *m, int32_t s, int32_t a, double reward, int32_t next, bool ended);
// Plans, and fills index (actions) for a state where all actions were tried.
void naive_imed_judge(naive_imed *m, int32_t s, double *index);

#endif
