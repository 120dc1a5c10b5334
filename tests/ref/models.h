// SPDX-License-Identifier: MIT
// Models that tests share. Each is made with malloc and owned by the caller; a failure ends the
// test.
#ifndef LGKT_TESTS_MODELS_H
#define LGKT_TESTS_MODELS_H

#include "lgkt/mdp.h"
#include "lgkt/rng.h"

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

// Two states that only swap: R = 1 in state 0 and 0 in state 1, whatever is played.
lgkt_mdp *model_two_cycle(void);

#endif
