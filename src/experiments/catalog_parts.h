// SPDX-License-Identifier: MIT
// What the tables of the catalog share.
#ifndef EXPERIMENTS_CATALOG_PARTS_H
#define EXPERIMENTS_CATALOG_PARTS_H

#include "experiments/catalog.h"

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
