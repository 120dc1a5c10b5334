// SPDX-License-Identifier: MIT
// CSV files: tapes, which fix every random number of a run from outside, and laws of actions.
#pragma once

#include "lgkt/base.h"

// One step of a tape; the u are uniform in [0, 1), z is any finite number.
typedef struct io_tape_row {
    double u_next, z_reward, u_reward, u_coin;
} io_tape_row;

typedef struct io_tape {
    io_tape_row *rows; // (count)
    int64_t count;
} io_tape;

// Reads a CSV with header u_next,z_reward,u_reward,u_coin and at least one row. Messages name the
// file and the line. Release it after success. Nullable: error.
lgkt_status io_tape_read(const char *path, io_tape *tape, lgkt_error *error);
lgkt_status io_tape_read_text(const char *bytes, size_t size, const char *name, io_tape *tape,
                              lgkt_error *error);
void io_tape_release(io_tape *tape);
// A hash of the numbers in the first `rows` rows.
uint64_t io_tape_hash(const io_tape *tape, int64_t rows);

// Reads the probabilities of actions in each state, (S, A), from a CSV with columns state, action and
// probability, in any order and among others; without the last all are 1. What is not there is 0;
// sums are not checked, but that each state is there. Nullable: error.
lgkt_status io_law_read(const char *path, int32_t states, int32_t actions, double *law,
                        lgkt_error *error);
