// SPDX-License-Identifier: MIT
// One learner on one model, with every random number taken from a tape:
//
//     next state  the smallest j with P(0) + .. + P(j) > u_next, the last state if there is none
//     reward      R + sd z_reward, or [u_reward < R] for Bernoulli noise, or R
//     coin        u_coin, when the learner flips one at that step
#ifndef EXPERIMENTS_TAPE_PLAY_H
#define EXPERIMENTS_TAPE_PLAY_H

#include "io/formats/io_tape.h"
#include "lgkt/learner.h"
#include "lgkt/mdp.h"

// One step that was played.
typedef struct exp_tape_step {
    int64_t t;
    int32_t state, action;
    double reward;
    int32_t next_state;
} exp_tape_step;

// For lgkt_learner_config, with an io_tape as coin_ctx; 0 behind the end of the tape.
double exp_tape_coin(void *tape, int64_t t);

// Plays one step, from step->next_state on, into step; to begin with next_state is set to the start
// of the model. The learner has the sizes of the model. On failure step is as it was. Nullable:
// error.
lgkt_status exp_tape_play(const lgkt_mdp *mdp, const io_tape_row *row, lgkt_learner *learner,
                          exp_tape_step *step, lgkt_error *error);

#endif
