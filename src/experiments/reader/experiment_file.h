// SPDX-License-Identifier: MIT
// Experiments from documents (docs/experiments.md), for those who parsed the text of a file, and
// grids in them: an object with "grid" stands for the product of the values of its names, and is
// read as if all of these were written out.
#pragma once

#include "experiments/runner/experiment.h"
#include "io/formats/io_document.h"

#define EXP_FILE_BYTES (1 << 22) // the most that a file may have

// Reads a document made with malloc, which becomes the memory of the experiment whatever happens;
// d->status tells. The bytes are those of the file, and `path` names it.
void exp_experiment_fill(exp_experiment *experiment, io_document *d, const char *bytes, size_t size,
                         const char *path);

// ---- grids ----

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
