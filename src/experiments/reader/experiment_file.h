// SPDX-License-Identifier: MIT
// Experiments from documents (docs/experiments.md), for those who parsed the text of a file.
#ifndef EXPERIMENTS_EXPERIMENT_FILE_H
#define EXPERIMENTS_EXPERIMENT_FILE_H

#include "experiments/runner/experiment.h"
#include "io/formats/io_document.h"

#define EXP_FILE_BYTES (1 << 22) // the most that a file may have

// Reads a document made with malloc, which becomes the memory of the experiment whatever happens;
// d->status tells. The bytes are those of the file, and `path` names it.
void exp_experiment_fill(exp_experiment *experiment, io_document *d, const char *bytes, size_t size,
                         const char *path);

#endif
