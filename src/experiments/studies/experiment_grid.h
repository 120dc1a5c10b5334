// SPDX-License-Identifier: MIT
// Grids of experiment files (docs/experiments.md): an object with "grid" stands for the product of
// the values of its names, and is read as if all of these were written out.
#ifndef EXPERIMENTS_EXPERIMENT_GRID_H
#define EXPERIMENTS_EXPERIMENT_GRID_H

#include "experiments/runner/experiment.h"
#include "io/formats/io_document.h"

// A field in which names of a grid may stand.
typedef struct exp_field {
    const char *key; // NULL: behind the last
    size_t limit;    // bytes of a text; 0: a whole number, for which a name may stand
    bool makes;      // it is part of what is run: each name must stand in a field that is
    // what goes before a name that it lacks, and between it and its value; NULL: it may lack names
    const char *before, *between;
} exp_field;

// An object of a list, or a cell of one with a grid.
typedef struct exp_object {
    io_spot at;
    int32_t place; // in the list
    const exp_cell *cell;
} exp_object;

typedef struct exp_cells {
    const exp_field *fields;
    struct exp_grid *grids;
    int32_t count;       // of parts
    int32_t place, cell; // of the next
} exp_cells;

// The parts of the list `key` of `at`, whose objects have these fields, the first of which tells
// cells apart: at most `most`. Each is made when its turn comes, `count` in all, so that a mistake
// is found before it is there a thousand times.
exp_cells exp_cells_begin(io_document *d, const io_spot *at, const char *key, const json_t *list,
                          const exp_field *fields, int32_t most);
exp_object exp_cells_next(io_document *d, exp_cells *parts);
// Whether two cells cannot be of one table: their grids have one label, but other names, or both
// are the same cell. Nullable: both.
bool exp_cells_clash(const exp_cell *a, const exp_cell *b);

#endif
