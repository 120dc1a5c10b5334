// SPDX-License-Identifier: MIT
// Models that tests share. Each is made with malloc and owned by the caller; a failure ends the
// test.
#ifndef LGKT_TESTS_MODELS_H
#define LGKT_TESTS_MODELS_H

#include "lgkt/mdp.h"
#include "lgkt/rng.h"

// A model edge by edge; the last call makes it and ends the builder.
lgkt_mdp_builder *model_begin(int32_t states, int32_t actions);
void model_edge(lgkt_mdp_builder *builder, int32_t s, int32_t a, int32_t y, double p);
void model_reward(lgkt_mdp_builder *builder, int32_t s, int32_t a, double mean);
lgkt_mdp *model_finish(lgkt_mdp_builder *builder);

// From dense arrays: rewards (S, A), kernel (S, A, S). Starts in state 0, without noise.
lgkt_mdp *model_dense(int32_t states, int32_t actions, const double *rewards, const double *kernel);

// The example with known numbers: R = [[1, 0], [0, 2]], stay, move, back, half and half.
lgkt_mdp *model_example(void);

// JumpRiverSwim; `printed` swaps two numbers of the inner rows. Bernoulli rewards.
lgkt_mdp *model_riverswim(int32_t states, bool printed);

// The instance of Theorem 3.4: B = 0, the good states 1 .. S-1. Action 0 stays in B (-1) or among
// the good states (0); the others leave B for a good state (-(k+1)) or return to it (-1).
lgkt_mdp *model_linear_gap(int32_t states, int32_t actions, int32_t k);

// Rewards Gamma(1/2), rows normalised Gamma(concentration); start law uniform.
lgkt_mdp *model_random(lgkt_rng *rng, int32_t states, int32_t actions, double concentration);

// The same model without the pairs whose mask (S, A) is 0; or, `copied`, with a copy of the lowest
// other action of the state in the place of each, which leaves the same to choose from. Rewards of
// moves and noise of pairs are left out.
lgkt_mdp *model_restrict(const lgkt_mdp *full, const uint8_t *mask, bool copied);
// A mask that leaves each pair with probability p, and some action in each state.
void model_random_mask(lgkt_rng *rng, int32_t states, int32_t actions, double p, uint8_t *mask);

// Two states that only swap: R = 1 in state 0 and 0 in state 1, whatever is played.
lgkt_mdp *model_two_cycle(void);

// A model with rewards of moves and noise of pairs: the rows, rewards and kinds are those of the
// functions below. 7 states, 3 actions, start anywhere.
enum { MODEL_OWN_STATES = 7, MODEL_OWN_ACTIONS = 3 };
lgkt_mdp *model_own(void);
double model_own_p(int32_t s, int32_t a, int32_t y);
// By move for a < 2 or s = 6, else the same for all.
double model_own_reward(int32_t s, int32_t a, int32_t y);
lgkt_noise model_own_noise(int32_t s, int32_t a); // none, normal, Bernoulli in turn
double model_own_sd(int32_t s, int32_t a);        // as lgkt_mdp_noise_sd
// What is put into a builder, in an order that is not sorted.
// A call on a builder that must be refused with this status, and leaves a message that contains
// `words`.
#define assert_builder_refused(call, builder, expected, words)                                     \
    do {                                                                                           \
        const lgkt_status refused_ = (call);                                                       \
        const lgkt_error left_ = model_builder_error(builder, refused_);                           \
        assert_refused(refused_, expected, left_, words);                                          \
    } while (0)
lgkt_error model_builder_error(const lgkt_mdp_builder *builder, lgkt_status status);

lgkt_status model_own_fill(lgkt_mdp_builder *builder);

#endif
