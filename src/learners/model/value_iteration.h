// SPDX-License-Identifier: MIT
// Value iteration on a believed model: sparse rows, each with a share of mass on all states alike.
//
// The model is in compressed rows: the successors of row z are weight and next from rows[z].start
// up to rows[z + 1].start. A learner that believes something new about every row gathers them once
// per plan and writes all weights; one that changes a row per step gathers once, then writes the
// weights of that row, and inserts a successor when there is a new one. Rows are in the order of
// the chains of successors.h, so that both ways, and loading, give the same sums.
#pragma once

#include "learners/model/successors.h"

// What is believed of a pair: it is worth reward + g (sum of weight u(next) + base sum_y u(y)),
// g = 1 for the gain. A reward of -INFINITY takes it away from its state.
typedef struct lgkt_vi_row {
    double reward;
    double base;   // mass on each state, besides the weights
    int32_t start; // of its successors
} lgkt_vi_row;

typedef struct lgkt_vi {
    int32_t states;  // at the last gather
    int32_t actions; // rows of a state
    int64_t copies;  // rows of an action; set by the learner before there is room
    // there is room for the successors that these have room for; NULL: the learner makes it
    const lgkt_successors *follows;
    int64_t sweep_cap; // of a plan; set by the learner, as `leaky`
    bool stale;        // all rows must be made anew before they are used, as after a load
    bool leaky;        // some rows have less mass than 1 (a pair with a fixed value has none)
    bool capped;       // no pair is worth more than `ceiling`
    double ceiling;
    lgkt_vi_row *rows; // (S, actions), and one more that ends the last
    double *weight;    // (capacity)
    int32_t *next;     // (capacity), states
    int64_t capacity;
    double *u;    // (S), the values so far; the next plan starts from them
    double *v;    // (S), one sweep further
    double total; // sum of u
    int64_t sweeps, cap_hits;
} lgkt_vi;

// Room for rows and values. The values u and the counters are saved; rows are made anew by the
// learner.
extern const lgkt_part lgkt_vi_part;
// Room for so many successors; false when memory is out. Enough for all that can be counted without
// more memory is copies * counts->capacity.
bool lgkt_vi_reserve(lgkt_learner *learner, lgkt_vi *vi, int64_t successors);

// Takes the successors of all rows from the edges of `counts`, one row for each pair. Rewards,
// bases and weights are for the learner to write.
void lgkt_vi_gather(lgkt_vi *vi, const lgkt_successors *counts, int32_t states);

// After a step of pair z, which had `first_before` as its first successor: whether its row can be
// written anew, with a place for the new successor; else all rows are stale.
bool lgkt_vi_keeps_up(const lgkt_learner *learner, lgkt_vi *vi, size_t z, int32_t first_before,
                      int32_t next_state);

// v = max over the rows of each state, from u; also adds up the total.
void lgkt_vi_sweep(lgkt_vi *vi, double g);
// Sweeps until max d - min d < precision, d = v - u, or no more than rounding: the gain, within
// precision/2, is returned. u is the bias of the last sweep, its smallest entry 0.
double lgkt_vi_gain(lgkt_vi *vi, double precision);
// Sweeps until u is known within precision/2, within precision if leaky; 0 <= g < 1.
void lgkt_vi_discounted(lgkt_vi *vi, double g, double precision);
// What row z is worth, with u as a plan or a sweep left it.
static inline double lgkt_vi_value(const lgkt_vi *vi, size_t z, double g)
{
    const lgkt_vi_row *row = &vi->rows[z];
    double mean = row->base * vi->total;
    for (int32_t e = row[0].start; e < row[1].start; e++)
        mean += vi->weight[e] * vi->u[vi->next[e]];
    const double value = row->reward + g * mean;
    return vi->capped && value > vi->ceiling ? vi->ceiling : value;
}
