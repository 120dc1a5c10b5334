// SPDX-License-Identifier: MIT
// Legs of a trajectory between two states, from their definition (PMEVI's bias differences).
#ifndef LGKT_TESTS_NAIVE_LEGS_H
#define LGKT_TESTS_NAIVE_LEGS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct naive_path {
    int32_t steps;
    const int32_t *states; // (steps + 1)
    const double *rewards; // (steps), on leaving a state
    const bool *cut;       // (steps), after the step
} naive_path;

typedef struct naive_leg_sums {
    int64_t n, duration;
    double reward;
} naive_leg_sums;

// All legs x -> y: each starts at the first visit of x after the last one of y, and ends at the
// next one of y. A cut ends what is open.
naive_leg_sums naive_legs(const naive_path *path, int32_t x, int32_t y);

// chat(x, y), the estimate of h(x) - h(y), and the legs of both directions.
double naive_bias_difference(const naive_path *path, int32_t x, int32_t y, int64_t *legs);

#endif
