// SPDX-License-Identifier: MIT
// Own learners in experiments: what plays the runs of specs that begin with "python:".
#ifndef PY_HOST_H
#define PY_HOST_H

#include "experiments/runner/play.h"
#include "py_core.h"

// The first member is what the runner knows of it. Its functions take the interpreter, for a piece
// of a run at a time, and are called without it.
typedef struct py_host {
    exp_host host;
    // called with spec, states, actions, horizon, reward_min, reward_max, reward_sd, model, seed,
    // instance, masked; returns the learner, its act and observe, and whether act wants masks
    PyObject *open;
    PyObject *first; // the first exception of a learner; NULL: there was none
} py_host;

py_host py_host_of(PyObject *open);
void py_host_free(py_host *host);
// Sets the exception for a failed call; where a learner raised, that is its cause.
void py_host_fail(py_host *host, const lgkt_error *error);

#endif
