// SPDX-License-Identifier: MIT
// Saved learners as bytes, for tests that resume them or do them harm. Calls assert (cmocka).
#ifndef LGKT_TESTS_SAVED_BYTES_H
#define LGKT_TESTS_SAVED_BYTES_H

#include "lgkt/learner.h"

// In a block of exactly that size, so that a read beyond it is seen by memory checkers.
typedef struct saved_bytes {
    unsigned char *bytes;
    size_t size;
} saved_bytes;

saved_bytes saved_bytes_of(const lgkt_learner *learner);
saved_bytes saved_bytes_copy(const saved_bytes *saved);
void saved_bytes_free(saved_bytes *saved);
bool saved_bytes_equal(const saved_bytes *a, const saved_bytes *b);
// The learner; the test fails if it is refused.
lgkt_learner *saved_bytes_load(const saved_bytes *saved, const lgkt_learner_config *config);

// Where some of what was told at creation stands.
enum {
    SAVED_AT_STATES = 64,
    SAVED_AT_ACTIONS = 72,
    SAVED_AT_HORIZON = 80,
    SAVED_AT_LIMIT = 128,
    SAVED_AT_BORN = 144,
    SAVED_AT_NUMBERS = 152,
    SAVED_AT_LENGTH = 160, // of the spec, which follows
    SAVED_AT_SPEC = 168
};
// Where the state begins: the number of its class, then (8 bytes on) the phase and the clock.
size_t saved_bytes_number_at(const unsigned char *bytes);

#endif
