// SPDX-License-Identifier: MIT
// The numbers of one finished instance as the payload of a journal record.
//
// 64-bit words, little-endian: panel, instance, optimum, value of uniform
// play; for each learner seven numbers and its
// counters; for each learner its curve. A double is its bits.
#ifndef EXPERIMENTS_RECORD_H
#define EXPERIMENTS_RECORD_H

#include "experiments/stage.h"

// The record of one instance; {0} is an empty one.
typedef struct exp_record {
    int64_t panel, instance;
    double optimum, random; // NaN where there is no model
    exp_score *scores;      // (learner_count)
    double *curve;          // (learner_count, checkpoint_count) in the metric of the panel
} exp_record;

// Zeroed arrays for a stage. Nullable: error.
lgkt_status exp_record_create(exp_record *record, const exp_stage *stage, lgkt_error *error);
void exp_record_free(exp_record *record);

// Takes an outcome over, and of its points what the metric of the stage asks for.
void exp_record_take(exp_record *record, const exp_stage *stage, const exp_outcome *outcome);

// Bytes of a record of this stage.
size_t exp_record_size(const exp_stage *stage);
// To and from bytes of that size. The second is for bytes that exp_record_place found good.
void exp_record_pack(const exp_record *record, const exp_stage *stage, unsigned char *bytes);
void exp_record_unpack(exp_record *record, const exp_stage *stage, const unsigned char *bytes);
// Panel and instance of a record; false if it is none of these stages.
bool exp_record_place(const unsigned char *bytes, size_t size, const exp_stage *stages,
                      int32_t stage_count, int32_t *panel, int64_t *instance);

#endif
