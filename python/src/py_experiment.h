// SPDX-License-Identifier: MIT
// An experiment of lgkt/experiment.py as one of experiments/runner/experiment.h, and the files its specs
// name, which a function of Python's finds.
#ifndef PY_EXPERIMENT_H
#define PY_EXPERIMENT_H

#include "experiments/runner/setup.h"
#include "py_run.h"

// Texts are borrowed from Python's, which are kept.
typedef struct py_experiment {
    exp_experiment experiment;
    PyObject *kept; // list of all that is borrowed from
    void **blocks;  // (block_count) memory of the experiment
    size_t block_count;
} py_experiment;

// Read attribute by attribute; `source` is the name and the bytes of the file, or None. `kept` is
// there already. False with an exception.
bool py_experiment_read(py_experiment *self, PyObject *from, PyObject *folder, PyObject *source);

// One line that lives as long as the experiment; empty with an exception. `name` is what is
// refused.
const char *py_experiment_text(py_experiment *self, PyObject *object, const char *name);

void py_experiment_free(py_experiment *self);

// What finds the data of environments; the first member is what setups know of it.
typedef struct py_files {
    io_files files;
    PyObject *find;          // called with folder and spec, returns two
    PyThreadState *released; // while the experiment is made ready
    py_array *found;         // (count) kept until the end
    size_t count;
} py_files;

py_files py_files_from(PyObject *find);

void py_files_free(py_files *f);

#endif
