// SPDX-License-Identifier: MIT
// What the tables of the catalog share.
#ifndef EXPERIMENTS_CATALOG_PARTS_H
#define EXPERIMENTS_CATALOG_PARTS_H

#include <stddef.h>

#include "experiments/catalog.h"

// positional entries: what is not said is empty
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define EXP_MEASURE(kind_, word_)                                                                  \
    .measures = &(const exp_measure){kind_, word_, NULL}, .measure_count = 1,                      \
    .compare = EXP_USUAL_COMPARE, .compare_count = 5
#define EXP_AVERAGE    EXP_MEASURE(EXP_MEASURE_AVERAGE, "average")
#define EXP_CUMULATIVE EXP_MEASURE(EXP_MEASURE_CUMULATIVE, "cumulative")
#define EXP_REGRET     EXP_MEASURE(EXP_MEASURE_REGRET, "regret"), .times = EXP_TIMES_LOG
#define EXP_RATIO      EXP_MEASURE(EXP_MEASURE_RATIO, "ratio")

#define EXP_COUNT(array) (int32_t)(sizeof array / sizeof *array)

#define EXP_EXPERIMENT(name_, title_, place_, panels_)                                             \
    {                                                                                              \
        .name = name_, .title = title_, .place = place_, .panels = panels_,                        \
        .panel_count = EXP_COUNT(panels_)                                                          \
    }

// ---- catalog_beyond.c ----

extern const exp_experiment exp_beyond[]; // (exp_beyond_count)
extern const int32_t exp_beyond_count;

// ---- catalog_arena.c ----

extern const exp_experiment exp_arena[]; // (exp_arena_count)
extern const int32_t exp_arena_count;

#endif
