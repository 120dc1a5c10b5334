// SPDX-License-Identifier: MIT
// Boxes of plausible transition laws: an interval for each next state, and the most optimistic next
// value over the laws in them (UCRL2B, UCRL3). Formulas and method are in box.c.
#pragma once

#include "learners/model/successors.h"

// ---- intervals ----

typedef enum lgkt_box_rule { LGKT_BOX_BERNSTEIN, LGKT_BOX_UCRL3 } lgkt_box_rule;

// What the intervals depend on besides counts.
typedef struct lgkt_box_form {
    lgkt_box_rule rule;
    double states, actions; // S, A
    double delta;
    double constant; // UCRL2B: in the logarithm
    bool certain;    // UCRL3: the rule for shares of 1
} lgkt_box_form;

typedef struct lgkt_ends {
    double lo, up;
} lgkt_ends;

// n >= 1. Half the width of a mean reward in units of the range, given the population standard
// deviation of n rewards in these units.
double lgkt_box_reward(const lgkt_box_form *form, double n, double sd);
// The interval of a next state that came up with share p in n moves.
lgkt_ends lgkt_box_ends(const lgkt_box_form *form, double n, double p);
// ln(1/d0) of UCRL3, and e_n and b_n, which are made of it.
double lgkt_box_level(const lgkt_box_form *form);
double lgkt_box_bernstein(double level, double n);
double lgkt_box_laplace(double level, double n);

// ---- boxes of all pairs ----

// Which next states may get mass besides those that were seen.
typedef enum lgkt_box_support {
    LGKT_SUPPORT_NOSS,  // as many of the best as could matter
    LGKT_SUPPORT_WHOLE, // all
    LGKT_SUPPORT_SEEN   // the best state of all
} lgkt_box_support;

// A number with its owner, sorted by key, then id.
typedef struct lgkt_ranked {
    double key;
    int32_t id;
} lgkt_ranked;

// One row, gathered: its seen successors by rank.
typedef struct lgkt_box_seen {
    int32_t rank; // of the state in the order of u, 0 is the best
    double value; // u
    lgkt_ends ends;
} lgkt_box_seen;

// The intervals of seen states are kept beside the edges of the same number (lgkt_ends).
typedef struct lgkt_boxes {
    lgkt_box_support support;
    double *unseen; // (S, A), upper end of a state that was never seen

    // of the sweep at hand
    int32_t states;
    double *sorted;     // (S), u from the best on
    double *prefix;     // (S + 1), sums of the first of them
    int32_t *rank;      // (S), of a state
    lgkt_ranked *items; // (S), room to sort
    lgkt_box_seen *row; // (S), one row

    // UCRL3
    double scarce;   // (most visits of a pair)^(2/3), at least 1
    int32_t *chosen; // (S, A), unseen states in use, if frozen
    bool frozen;     // they become no fewer
    int64_t freezes; // plannings that came to that
} lgkt_boxes;

// Intervals and order are not saved: they follow from counts and u.
extern const lgkt_part lgkt_boxes_part;

// The intervals of pair z, anew.
void lgkt_boxes_set(lgkt_boxes *boxes, const lgkt_successors *counts, size_t z,
                    const lgkt_box_form *form);
// Sorts the states by u (S), whose smallest entry is 0.
void lgkt_boxes_order(lgkt_boxes *boxes, const double *u, int32_t states);
// From now on, until `frozen` is taken back, supports only grow; those of this order are the first.
void lgkt_boxes_freeze(lgkt_boxes *boxes, int32_t actions);
// max q.u of a pair that has moved, over its support. *most (nullable) is the same over all states:
// it is monotone in u, which the maximum over a chosen support is not.
double lgkt_boxes_max(lgkt_boxes *boxes, const lgkt_successors *counts, size_t z, double *most);
