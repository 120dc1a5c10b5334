// SPDX-License-Identifier: MIT
// Grids of experiment files (docs/experiments.md): an object with "grid" stands for the product of
// the values of its names, and is read as if all of these were written out.
#ifndef EXPERIMENTS_EXPERIMENT_GRID_H
#define EXPERIMENTS_EXPERIMENT_GRID_H

#include "experiments/runner/experiment.h"
#include "io/formats/io_document.h"

// An object of a list, or a cell of one with a grid.
typedef struct exp_object {
    io_spot at;
    int32_t place; // in the list
    const exp_cell *cell;
} exp_object;

typedef struct exp_cells {
    const io_field *fields;
    struct exp_grid *grids;
    int32_t count;       // of cells
    int32_t place, cell; // of the next
} exp_cells;

// The cells of the list `key` of `at`, whose objects have these fields, the first of which tells
// cells apart: at most `most`. Each is made when its turn comes, `count` in all, so that a mistake
// is found before it is there a thousand times. The count is 0 after a failure.
exp_cells exp_cells_begin(io_document *d, const io_spot *at, const char *key, io_value list,
                          const io_field *fields, int32_t most);
exp_object exp_cells_next(io_document *d, exp_cells *cells);
// Whether two cells cannot be of one table: their grids have one label, but other names, or both
// are the same cell. Nullable: both.
bool exp_cells_clash(const exp_cell *a, const exp_cell *b);

#endif
