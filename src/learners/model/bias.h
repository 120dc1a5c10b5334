// SPDX-License-Identifier: MIT
// What one trajectory tells about differences of the bias between states, and the constraints on
// the bias that follow (PMEVI; Boone and Zhang 2024).
#pragma once

#include "learners/front/learner_private.h"

// The legs between two states x < y; sums are signed, + from x to y.
typedef struct lgkt_leg {
    double start_reward; // earned in all when the open leg began
    double reward;       // signed sum over finished legs
    int64_t start;       // when the open leg began
    int64_t duration;    // signed sum over finished legs
    int64_t n;           // finished legs, both ways
    int64_t owner;       // who was visited last: 0 nobody, 1 x, 2 y
} lgkt_leg;

typedef struct lgkt_bias {
    lgkt_leg *legs; // (S (S-1)/2), pair (x, y) at y (y-1)/2 + x
    double reward;  // earned in all, in units of the reward range
    int64_t steps;
    int32_t last; // state, or -1

    // no leg has had more than that
    double most_reward;
    int64_t most_duration, most_legs;

    bool counts_open; // legs that are open are in the sums, but not in their number

    // constraints u_x - u_y <= limit[x][y] of the planning at hand
    double span;       // c0, on every difference; INFINITY: none
    double *limit;     // (S, S), their closure; only if `tight`
    double *projected; // (S)
    bool tight;        // some constraint is below the span
    int64_t infeasible;
} lgkt_bias;

// The limits are of use within a planning only, and not saved.
extern const lgkt_part lgkt_bias_part;

// The process is in a state now, for the first time after a step or a start.
void lgkt_bias_arrive(lgkt_bias *bias, int32_t state, int32_t states);
// A reward was earned on leaving the state.
void lgkt_bias_earn(lgkt_bias *bias, double reward);
// The process was cut: open legs lead nowhere.
void lgkt_bias_cut(lgkt_bias *bias, int32_t states);

// The estimate of h(x) - h(y), and the number of legs behind it (0: the estimate is 0).
double lgkt_bias_difference(const lgkt_bias *bias, int32_t x, int32_t y, int64_t *legs);

// Makes the constraints h(x) - h(y) <= min(estimate + error/legs, span) and their closure; without a
// span, two states without a leg are taken to have one, with an estimate of 0. Where they contradict
// each other only the span stays, and that is counted.
void lgkt_bias_constrain(lgkt_bias *bias, int32_t states, double error);
// The largest u <= v that fulfils them, in place; true if it differs from v.
bool lgkt_bias_project(lgkt_bias *bias, double *v, int32_t states);

// Shortest paths between all pairs of n nodes, in place (n, n); false if there is a negative cycle.
bool lgkt_min_plus_closure(double *d, int32_t n);
