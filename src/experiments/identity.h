// SPDX-License-Identifier: MIT
// Which experiment a journal belongs to, in lines of text.
#ifndef EXPERIMENTS_IDENTITY_H
#define EXPERIMENTS_IDENTITY_H

#include "experiments/stage.h"

#define EXP_PRICES_SIZE 160

// What the panels that trade run on: "random walk", or the name of the file without its folder and
// a checksum of what is in it; "" if no panel trades. Nullable: path, error.
lgkt_status exp_identity_prices(const exp_experiment *experiment, const char *path,
                                char text[EXP_PRICES_SIZE], lgkt_error *error);

// Experiment, version, seed, instances, prices, and a checksum of everything else that decides what
// the records mean: one line each. The caller frees it with free; NULL when memory is out.
char *exp_identity(const exp_experiment *experiment, const exp_stage *stages, uint64_t seed,
                   const char *prices);

#endif
