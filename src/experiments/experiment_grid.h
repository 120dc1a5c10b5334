// SPDX-License-Identifier: MIT
// Grids of experiment files (docs/experiments.md): an object with "grid" stands for the product of
// the values of its names, and is read as if all of these were written out.
#ifndef EXPERIMENTS_EXPERIMENT_GRID_H
#define EXPERIMENTS_EXPERIMENT_GRID_H

#include "experiments/experiment.h"
#include "io/io_document.h"

// A field in which names of a grid may stand.
typedef struct exp_field {
    const char *key; // NULL: behind the last
    size_t limit;    // bytes of a text; 0: a whole number, for which a name may stand
    bool makes;      // it is part of what is run: each name must stand in a field that is
    // what goes before a name that it lacks, and between it and its value; NULL: it may lack names
    const char *before, *between;
} exp_field;

// An object of a list, or a cell of one with a grid.
typedef struct exp_part {
    io_spot at;
    int32_t place; // in the list
    const exp_cell *cell;
} exp_part;

typedef struct exp_parts {
    const exp_field *fields;
    struct exp_grid *grids;
    int32_t count;       // of parts
    int32_t place, cell; // of the next
} exp_parts;

// The parts of the list `key` of `at`, whose objects have these fields, the first of which tells
// cells apart: at most `most`. Each is made when its turn comes, `count` in all, so that a mistake
// is found before it is there a thousand times.
exp_parts exp_parts_begin(io_document *d, const io_spot *at, const char *key, const json_t *list,
                          const exp_field *fields, int32_t most);
exp_part exp_parts_next(io_document *d, exp_parts *parts);

#endif
