// SPDX-License-Identifier: MIT
// Markov chains and their elimination: in which order states go (min_degree.c), the numbers that come of
// it (elimination.c). Plans and stationary analysis stand on these.
#pragma once

#include <math.h>
#include <stdint.h>

#include "lgkt/base.h"

// The moves of a chain from each state to the others; what is left of a row is to stay, or leaves
// the chain for good.
typedef struct lgkt_chain {
    int32_t states;
    uint32_t *begin; // (S + 1)
    int32_t *next;   // (begin[S]), never the state itself
    double *p;       // (begin[S])
    size_t room;     // for so many moves
} lgkt_chain;

// Room for so many moves, to be filled row by row. On failure nothing is held.
lgkt_status lgkt_chain_init(lgkt_chain *chain, int32_t states, size_t room,
                            const lgkt_allocator *hooks, lgkt_error *error);
void lgkt_chain_release(lgkt_chain *chain, const lgkt_allocator *hooks);
// Adds moves to the row of `state`, but those that stay in it, times `factor`. Rows are begun one
// after the other.
static inline void lgkt_chain_begin(lgkt_chain *chain, int32_t state)
{
    chain->begin[state + 1] = chain->begin[state];
}
static inline void lgkt_chain_add(lgkt_chain *chain, int32_t state, const int32_t *next,
                                  const double *p, size_t count, double factor)
{
    uint32_t used = chain->begin[state + 1];
    for (size_t i = 0; i < count; i++)
        if (next[i] != state) {
            chain->next[used] = next[i];
            chain->p[used++] = factor * p[i];
        }
    chain->begin[state + 1] = used;
}

// ---- the order ----

// States in the order in which they are eliminated, in blocks of those that have the same
// neighbours left.
typedef struct lgkt_ordering {
    int32_t states;
    int32_t blocks;
    int32_t *pivots;   // (S), block by block
    int32_t *first;    // (blocks + 1), where the pivots of a block are
    size_t *begin;     // (blocks + 1), where its neighbours are
    int32_t *index;    // (begin[blocks]), those that are eliminated later
    int32_t *parent;   // (blocks), the next one that has a neighbour of it as pivot, -1: none
    int32_t *sequence; // (blocks), each right after all that it is the parent of
    size_t entries;    // numbers that an elimination keeps
    size_t stack;      // and the most that it needs besides
    double work;       // multiplications
} lgkt_ordering;

// What an order may cost; it is given up beyond.
typedef struct lgkt_ordering_limit {
    size_t entries;
    double work;
} lgkt_ordering_limit;

// The order of a graph: the neighbours of s are next[begin[s * stride]] to next[begin[(s + 1) *
// stride] - 1], in either direction. States whose `late` is not 0 come last. *within is false where
// a limit was met; then, and on failure, nothing is held. Nullable: late.
lgkt_status lgkt_ordering_find(lgkt_ordering *order, int32_t states, const uint32_t *begin,
                               size_t stride, const int32_t *next, const uint8_t *late,
                               lgkt_ordering_limit limit, bool *within, const lgkt_allocator *hooks,
                               lgkt_error *error);
void lgkt_ordering_release(lgkt_ordering *order, const lgkt_allocator *hooks);

// ---- the numbers ----

// Asked now and then in long work: whether to give it up.
typedef struct lgkt_stop {
    bool (*asks)(void *ctx); // NULL: it goes on
    void *ctx;
} lgkt_stop;

// What an elimination is made of, and what it leaves; elimination.c has the equations.
typedef struct lgkt_elimination {
    const lgkt_ordering *order;
    const lgkt_chain *chain;
    double patience;
    double work; // multiplications since `stop` was asked
    int32_t roots;
    int32_t cut;       // how many of them were left after `patience` steps
    uint8_t *root;     // (S), 1 for a root
    double *out;       // (S)
    double *leave;     // (S), those of a root are of no use
    double *time;      // (S), of a root: how long a round takes
    double *reward;    // (S), and what it earns
    int32_t *exponent; // (S), of 2, of both
    size_t *offset;    // (blocks + 1), in `numbers`
    double *numbers;   // (order->entries)
    double *stack;     // (order->stack), what blocks hand on
    int32_t *waiting;  // (blocks), those whose numbers are there
    int32_t *place;    // (S), in the block at hand, -1: not in it
    size_t *into;      // (S + 2), where the moves into a state are
    int32_t *from;     // (moves)
    size_t *move;      // (moves), their numbers in the chain
} lgkt_elimination;

// For all chains of an order whose moves lie within its graph. On failure nothing is held.
lgkt_status lgkt_elimination_init(lgkt_elimination *e, const lgkt_ordering *order,
                                  const lgkt_chain *chain, const lgkt_allocator *hooks,
                                  lgkt_error *error);
void lgkt_elimination_release(lgkt_elimination *e, const lgkt_allocator *hooks);
// Each step earns `reward` (S) and leaves the chain with probability `leave`. False if it was given
// up.
bool lgkt_eliminate(lgkt_elimination *e, const double *reward, double leave, double patience,
                    lgkt_stop stop);
// x = y + P x in the place of y (S); at roots x is y.
void lgkt_elimination_solve(const lgkt_elimination *e, double *x);
// How often each state is visited in a round of the root of its class, 0 where it is in none; and
// the root, or one that it may end in; both (S).
void lgkt_elimination_visits(const lgkt_elimination *e, double *visits, int32_t *root);
// Where mass (S) ends, at the roots; the others get how often it is there before.
void lgkt_elimination_flow(const lgkt_elimination *e, double *mass);

// ---- evaluation ----

// A chain with what each step earns, and what evaluating it needs. The order is found anew where
// it does not fit, and kept for chains to come.
typedef struct lgkt_evaluation {
    lgkt_allocator hooks;
    lgkt_chain chain;
    double *reward;      // (S)
    double *visits;      // (S)
    double *rest;        // (S), what a bias has beyond a double; 0 unless it was refined
    int32_t *root;       // (S), of the class of a state, or one that it may end in
    int32_t *best;       // (S), room to work in
    uint8_t *late;       // (S), what is to be a root
    lgkt_ordering order; // without states: there is none
    lgkt_elimination e;
    lgkt_ordering_limit limit;
    lgkt_stop stop;
    double leave; // the chain, in each step
    // the graph of all chains to come, if it is known; NULL: that of the chain at hand
    const uint32_t *begin;
    const int32_t *next;
    size_t stride;
} lgkt_evaluation;

lgkt_status lgkt_evaluation_init(lgkt_evaluation *v, int32_t states, size_t room,
                                 const lgkt_allocator *hooks, lgkt_error *error);
void lgkt_evaluation_release(lgkt_evaluation *v);
// Forgets the order: the graph has changed.
void lgkt_evaluation_forget(lgkt_evaluation *v);
// Makes the order, if there is none for the chain, and eliminates. *within is false where a limit
// was met, or `stop` said so.
lgkt_status lgkt_evaluation_eliminate(lgkt_evaluation *v, double patience, bool *within,
                                      lgkt_error *error);
// Gain and bias of each state: x = reward - gain + P x, 0 at the roots; both (S). What is left after
// `patience` steps counts as closed. *within is false where a limit was met, and nothing is written.
lgkt_status lgkt_evaluate(lgkt_evaluation *v, double patience, double *gain, double *bias,
                          bool *within, lgkt_error *error);
// Once more for what gain and bias leave over; of a chain with one closed class whose gain and bias
// they are. The bias is bias + v->rest from then on: differences of 1 beside a bias of 1e20 count.
void lgkt_evaluation_refine(lgkt_evaluation *v, double *gain, double *bias);
// reward + sum p(y) (bias(y) - bias(s)) for a row of state s, with twice the digits of a double
// inside. Biases are bias + rest, below 1e290 in size.
double lgkt_row_gain(const int32_t *next, const double *p, size_t count, int32_t s,
                     const double *bias, const double *rest, double reward);
// The same for a chain that is left with probability `leave` in each step. `gain` is the same for
// all states, and given; what comes out is one around which values are small.
lgkt_status lgkt_evaluate_discounted(lgkt_evaluation *v, double leave, double *gain, double *bias,
                                     bool *within, lgkt_error *error);
// What follows is of a chain that has been eliminated. The share of time in each state in the long
// run, in the place of the law of the start (S).
void lgkt_evaluation_law(lgkt_evaluation *v, double *law);
// The mean time until `target` is entered, which must have no row; infinite where that is not sure.
void lgkt_evaluation_times(lgkt_evaluation *v, int32_t target, double *times);
// The numbers of closed classes (S), -1: in none; returns how many there are.
int32_t lgkt_evaluation_classes(lgkt_evaluation *v, int32_t *classes);
// Writes a bias of n states with 0 as its smallest entry. Nullable: to.
void lgkt_bias_shift(const double *bias, size_t n, double *to);
