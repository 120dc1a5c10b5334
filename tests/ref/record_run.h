// SPDX-License-Identifier: MIT
// Learners on records for tests; calls assert (cmocka).
#ifndef LGKT_TESTS_RECORD_RUN_H
#define LGKT_TESTS_RECORD_RUN_H

#include "lgkt/keyed.h"
#include "lgkt/rng.h"

// The records of the tests: two numbers and one of three categories; a tenth of them miss something.
enum { RECORD_DIMS = 3, RECORD_CATEGORIES = 3, RECORD_ACTIONS = 3 };

void record_run_draw(lgkt_rng *rng, double record[RECORD_DIMS]);
lgkt_keyed *record_run_make(const char *spec, uint64_t seed, int64_t horizon,
                            const lgkt_allocator *allocator);
// The reasons for a record; the probabilities sum to 1.
void record_run_explain(const lgkt_keyed *keyed, const double *record, const uint8_t *allowed,
                        lgkt_reason reasons[RECORD_ACTIONS]);
int32_t record_run_act(lgkt_keyed *keyed, const double *record, const uint8_t *allowed);
void record_run_observe(lgkt_keyed *keyed, double reward, const double *next, bool ended);

#endif
