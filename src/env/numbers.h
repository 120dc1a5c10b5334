// SPDX-License-Identifier: MIT
// Worlds of real numbers: how a learner sees their vector, as bins or as a record. See numbers.c.
#pragma once

#include "env/env_private.h"

// The settings that each of these worlds has among its own.
typedef struct lgkt_seen {
    int view; // grid, quantiles, then the world's own bins if it has some, then record
    int64_t bins, warmup;
} lgkt_seen;

enum { LGKT_SEE_GRID, LGKT_SEE_QUANTILES, LGKT_SEE_OWN };

#define LGKT_SEEN_ROWS(struct_, view_default, choices, bins_default, ...)                          \
    LGKT_ROW_CHOICE(struct_, seen.view, "view", view_default, choices, __VA_ARGS__),               \
        LGKT_ROW_INTEGER(struct_, seen.bins, "bins", bins_default, 1, 1000,                        \
                         "bins of each number"),                                                   \
        LGKT_ROW_INTEGER(struct_, seen.warmup, "warmup", "1000", 1, 1000000,                       \
                         "steps of a run with uniform actions that the quantiles come from")
// for worlds that are seen as records unless somebody asks for bins
#define LGKT_RECORD_ROWS(struct_)                                                                  \
    LGKT_SEEN_ROWS(struct_, "record", "grid|quantiles|record", "4",                                \
                   "what is seen: equal bins, bins between quantiles, or the numbers themselves")

// What a world says of its vector.
typedef struct lgkt_vector {
    int32_t dims;
    const double *low, *high; // (dims) bounds that equal bins are within; values may be beyond
    const lgkt_kind *kinds;   // (dims) what they are; NULL: numbers all of them
    lgkt_view own;            // bins of its own; dims 0: it has none
} lgkt_vector;

// Makes what is seen, once the rest of the environment is there: quantiles come from a run in it.
// Ends the note with what that is.
lgkt_status lgkt_numbers_open(lgkt_env *env, const lgkt_seen *seen, const lgkt_vector *numbers,
                              lgkt_error *error);

// Whether the vector is shown as it is.
bool lgkt_numbers_recorded(const lgkt_seen *seen, const lgkt_vector *numbers);

// The state that a vector is; 0 for a record, and while edges are to come.
int32_t lgkt_numbers_state(const lgkt_env *env, const double *at);

// For worlds whose run is a struct of doubles that begins with the vector: the end of a start and of
// a step, and functions of the class.
void lgkt_numbers_start(lgkt_trajectory *trajectory);
void lgkt_numbers_step(lgkt_trajectory *trajectory, double reward, bool ended, lgkt_step *step);
const void *lgkt_numbers_observation(const lgkt_trajectory *trajectory, size_t *size);
void lgkt_numbers_visit(lgkt_trajectory *trajectory, lgkt_archive *archive);
#define LGKT_NUMBERS_CLASS(settings_, run_)                                                        \
    .self_size = sizeof(settings_), .run_size = sizeof(run_),                                      \
    .observation = lgkt_numbers_observation

// Numbers uniform in -1 .. 1 from one uniform number, which is 53 random bits.
void lgkt_numbers_spread(double u, double *at, int count);
// As many random numbers as are wanted, from the same; other streams have others.
lgkt_rng lgkt_numbers_rng(double u, const char *stream);
