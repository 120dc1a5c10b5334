// SPDX-License-Identifier: MIT
// Grids of experiment files (docs/experiments.md): an object with "grid" stands for the product of
// the values of its names, and is read as if all of these were written out.
#ifndef EXPERIMENTS_EXPERIMENT_GRID_H
#define EXPERIMENTS_EXPERIMENT_GRID_H

#include "experiments/runner/experiment.h"
#include "io/formats/io_document.h"

// The cells of a list of objects; one without a grid is a cell, too.
typedef struct exp_cells {
    const io_field *fields;
    struct exp_grid *grids;
    int32_t count; // of cells
    // the cell at hand: its object, the place of that in the list, and which it is of a grid
    io_at at;
    int32_t place;
    const exp_cell *cell; // NULL: there is no grid
    int32_t next;         // number of the next one in its grid
} exp_cells;

// The cells of a list, whose objects have these fields, the first of which tells cells apart: at
// most `most`. Each is made when its turn comes, `count` in all, so that a mistake is found before
// it is there a thousand times. The count is 0 after a failure.
exp_cells exp_cells_begin(const io_at *list, const io_field *fields, int32_t most);
void exp_cells_next(exp_cells *cells);
// Whether two cells cannot be of one table: their grids have one label, but other names, or both
// are the same cell. Nullable: both.
bool exp_cells_clash(const exp_cell *a, const exp_cell *b);

#endif
