// SPDX-License-Identifier: MIT
// The inside of a model, for the layers that sweep over it (mdp, plan).
#pragma once

#include <stdatomic.h>

#include "core/chain.h"
#include "lgkt/mdp.h"

// How far a row or a law may be from summing to 1.
#define LGKT_ROW_TOLERANCE 1e-6
// Planning leaves out entries below this part of their row.
#define LGKT_PLANNING_CUT 1e-16

// Rows of probabilities: those of pair z are at begin[z] .. begin[z+1]-1, next states increasing.
typedef struct lgkt_rows {
    uint32_t *begin; // (S*A + 1)
    int32_t *next;   // (begin[S*A])
    double *p;       // (begin[S*A]), > 0, each row sums to 1
} lgkt_rows;

// What a pair may have of its own.
typedef struct lgkt_own {
    lgkt_noise noise;
    bool moves;     // the reward depends on the move
    bool forbidden; // then it has no row
    double sd;      // of the noise, as lgkt_mdp_noise_sd
} lgkt_own;

struct lgkt_mdp {
    lgkt_allocator allocator;
    atomic_size_t owners;
    int32_t states;
    int32_t actions;
    double *rewards;      // (S, A)
    double *payoffs;      // (S, A), -infinity for what is forbidden; `rewards` where nothing is
    uint8_t *mask;        // (S, A), 0 for what is forbidden; NULL: nothing is
    double *start_law;    // (S), sums to 1
    lgkt_rows all;        // for sampling and for readers
    lgkt_rows planning;   // small entries cut; the same arrays as `all` where there are none
    double *move_rewards; // (all.begin[S*A]), the mean where it is the same for all moves of a
                          // pair; NULL: it always is
    lgkt_own *own;        // (S, A); NULL: all allowed, one noise, no rewards of moves
    lgkt_noise noise;
    double noise_sd;
    double reward_min;
    double reward_max;
    int32_t start; // -1: not certain
};

struct lgkt_change {
    lgkt_allocator allocator;
    atomic_size_t owners;
    const lgkt_mdp *before, *after; // owned
    double rate;                    // 0: at once
    int32_t count;
    int64_t *times;  // (count) increasing
    double *weights; // (count) w at each of them, as it begins to move
};

// The last call that a builder has refused; its status is LGKT_OK if there was none.
const lgkt_error *lgkt_mdp_builder_refusal(const lgkt_mdp_builder *builder);

// The first time from which on the world has been the same up to t: w(since) = .. = w(t).
int64_t lgkt_change_since(const lgkt_change *change, int64_t t);

// The sum of a law over n outcomes after checking each entry (finite, >= 0) and the sum (1 within
// LGKT_ROW_TOLERANCE). `what` names the law in the message.
lgkt_status lgkt_law_check(const double *p, int32_t n, const char *what, double *sum,
                           lgkt_error *error);

// Whether two models of the same sizes allow the same actions.
bool lgkt_mdp_same_mask(const lgkt_mdp *a, const lgkt_mdp *b);

// Divides by a sum; a law whose sum is 1 up to rounding keeps its bits.
void lgkt_law_normalise(double *p, size_t n, double sum);

// The components of a model (S, -1: none), and which pairs stay in theirs (S, A).
lgkt_status lgkt_components_find(const lgkt_mdp *mdp, const lgkt_allocator *hooks, uint8_t *mask,
                                 int32_t *component, int32_t *count, lgkt_error *error);
// Turns the policy of states that are not marked, where needed, so that all of their group come to
// marked ones with probability above 0, which marks them. Those of `turns` (S) do not count on the
// way there that they have. Those of
// group -1 are left out, and pairs whose mask (S, A) is 0. Nullable: mask (all that is allowed),
// group, turns.
void lgkt_components_lead(const lgkt_mdp *mdp, const uint8_t *mask, const int32_t *group,
                          int32_t *policy, uint8_t *marked, const uint8_t *turns);

// ---- one row ----

// R(z) + sum_y P(y|z) v(y) over the planning rows; v has length S. Four sums run side by side,
// which hides the latency of the additions and fixes their order.
static inline double lgkt_row_backup(const lgkt_rows *rows, size_t z, double payoff,
                                     const double *v)
{
    const size_t end = rows->begin[z + 1];
    size_t i = rows->begin[z];
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    // the most frequent length of models on a grid, without a loop
    if (end - i == 3)
        return payoff + ((rows->p[i] * v[rows->next[i]] + rows->p[i + 1] * v[rows->next[i + 1]]) +
                         rows->p[i + 2] * v[rows->next[i + 2]]);
    for (; i + 4 <= end; i += 4) {
        s0 += rows->p[i] * v[rows->next[i]];
        s1 += rows->p[i + 1] * v[rows->next[i + 1]];
        s2 += rows->p[i + 2] * v[rows->next[i + 2]];
        s3 += rows->p[i + 3] * v[rows->next[i + 3]];
    }
    for (; i < end; i++)
        s0 += rows->p[i] * v[rows->next[i]];
    return payoff + ((s0 + s1) + (s2 + s3));
}

// to += weight P(.|z); to has length S
static inline void lgkt_row_add(const lgkt_rows *rows, size_t z, double weight, double *to)
{
    for (size_t i = rows->begin[z]; i < rows->begin[z + 1]; i++)
        to[rows->next[i]] += weight * rows->p[i];
}

// adds the moves of pair z to the row of a chain
static inline void lgkt_chain_add_pair(lgkt_chain *chain, const lgkt_rows *rows, size_t z,
                                       int32_t state, double factor)
{
    const size_t at = rows->begin[z];
    lgkt_chain_add(chain, state, rows->next + at, rows->p + at, rows->begin[z + 1] - at, factor);
}
