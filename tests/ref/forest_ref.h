// SPDX-License-Identifier: MIT
// `forest` counted again: every sum from the log, every leaf by going down its tree, every solution
// by elimination. Slow, and without the learner's own functions.
#ifndef LGKT_TESTS_FOREST_REF_H
#define LGKT_TESTS_FOREST_REF_H

#include "learners/forest/forest.h"

// Asserts (cmocka) that all that the learner has added up, listed and linked is what its log says,
// within 1e-9 of the size of the numbers.
void forest_ref_check(const lgkt_learner *learner);
// m of all actions in a record, counted from the steps in the leaves that it falls into.
void forest_ref_values(const lgkt_learner *learner, const double *x, double *m);
// Q1 of a split of a leaf, from the steps in it; 0 if a side has too few.
double forest_ref_gain(const lgkt_learner *learner, int32_t leaf, int32_t feature, double edge);
// What Q1 must be above there.
double forest_ref_bound(const lgkt_learner *learner, int32_t leaf);
// Asserts that P and w of all actions solve the equations that the log makes, with columns that are
// standardised as the learner has them.
void forest_ref_solve(const lgkt_learner *learner);

#endif
