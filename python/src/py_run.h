// SPDX-License-Identifier: MIT
// What lgkt.run and lgkt.reproduce share: looking up while threads play, data of environments.
#ifndef PY_RUN_H
#define PY_RUN_H

#include "experiments/runner/runner.h"
#include "py_core.h"

// The interpreter is released but for the time of a look: whether a signal came, and what the
// caller's function says. An exception stays set until the run has ended.
typedef struct py_watch {
    PyObject *progress; // called with the steps done, or NULL
    PyThreadState *released;
    atomic_bool stop;
} py_watch;

// An exp_progress_fn with a py_watch.
void py_look(void *watch, const exp_progress *progress);

// What an environment is made from besides its spec: None, a model or an array of numbers, which is
// borrowed and has to be released.
bool py_data_read(PyObject *object, lgkt_data *data, py_array *series);

// The learners of a tuple of specs, borrowed from it; NULL with an exception. Freed with free.
exp_entry *py_entries_read(PyObject *tuple, int32_t *count);

#endif
