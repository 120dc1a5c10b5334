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
enum { SAVED_AT_HORIZON = 48, SAVED_AT_LIMIT = 96 };

#endif
