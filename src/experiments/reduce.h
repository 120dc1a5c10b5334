// SPDX-License-Identifier: MIT
// The numbers of one finished instance as the payload of a journal record, and the records of one
// panel, reduced one by one: of each run only its last value is kept.
#ifndef EXPERIMENTS_REDUCE_H
#define EXPERIMENTS_REDUCE_H

#include "experiments/stage.h"
#include "experiments/statistics.h"

// ---- records ----

// The record of one instance; {0} is an empty one.
typedef struct exp_record {
    int64_t panel, instance;
    double optimum, random; // NaN where there is no model
    exp_score *scores;      // (learner_count)
    double *curve;          // (learner_count, checkpoint_count) in the metric of the panel
    unsigned char *bytes;   // (size) the payload
    size_t size;
} exp_record;

// Zeroed arrays for a stage. Nullable: error.
lgkt_status exp_record_create(exp_record *record, const exp_stage *stage, lgkt_error *error);
void exp_record_free(exp_record *record);

// Takes an outcome over, and of its points what the metric of the stage asks for.
void exp_record_take(exp_record *record, const exp_stage *stage, const exp_outcome *outcome);
// Between the numbers and the bytes. The second is for bytes that exp_record_place found good.
void exp_record_pack(exp_record *record, const exp_stage *stage);
void exp_record_unpack(exp_record *record, const exp_stage *stage);
// Panel and instance of a record; false if it is none of these stages.
bool exp_record_place(const unsigned char *bytes, size_t size, const exp_stage *stages,
                      int32_t stage_count, int32_t *panel, int64_t *instance);

// ---- reductions ----

// {0} is an empty one.
typedef struct exp_reduction {
    const exp_stage *stage;
    exp_moments optimum;    // per step; NaN where there is no model
    exp_moments random;     // the same of uniform play
    exp_moments *reward;    // (learner_count) expected reward per step
    exp_moments *observed;  // (learner_count) observed reward per step
    exp_moments *curve;     // (learner_count, checkpoint_count) in the metric of the panel
    exp_moments *pairs;     // (pair_count, learner_count, learner_count) row - column, above the
                            // diagonal only
    double *finals;         // (learner_count, replicates) at the end, in the metric of the panel
    exp_sum *seconds;       // (learner_count)
    exp_counters *counters; // (learner_count)
} exp_reduction;

// Nullable: error.
lgkt_status exp_reduction_create(exp_reduction *reduction, const exp_stage *stage,
                                 lgkt_error *error);
void exp_reduction_free(exp_reduction *reduction);
// Adds an instance. The order of the instances matters in the last bits.
void exp_reduction_add(exp_reduction *reduction, const exp_record *record);

// A learner at the end, in the metric of the panel.
exp_moments exp_reduction_final(const exp_reduction *reduction, int32_t learner);
// learner - other at pair time `at`, on the same instances.
exp_moments exp_reduction_pair(const exp_reduction *reduction, int32_t at, int32_t learner,
                               int32_t other);
// The best learner at the end that is no oracle and not `learner`; -1 if there is none. Regret is
// better when lower.
int32_t exp_reduction_best_other(const exp_reduction *reduction, int32_t learner);
// Median and worst tenth of a learner at the end; once all instances are there.
exp_spread exp_reduction_spread(exp_reduction *reduction, int32_t learner);

#endif
