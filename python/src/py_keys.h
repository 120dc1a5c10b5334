// SPDX-License-Identifier: MIT
// A Python value as the bytes of a key. How: see py_keys.c.
#ifndef PY_KEYS_H
#define PY_KEYS_H

#include "py_core.h"

typedef struct py_key {
    unsigned char *data; // `small`, or memory of its own
    size_t size, capacity;
    unsigned char small[256];
} py_key;

// Before the first key.
bool py_keys_start(void);

// Release in any case.
bool py_key_make(PyObject *object, py_key *key);
// The same for the states of a learner: a vector of numbers, where it has a view of these.
bool py_key_read(const py_learner *self, PyObject *object, py_key *key);
void py_key_release(py_key *key);

// The number of such a state, or -1 if it was never met; false: an exception is set.
bool py_key_find(py_learner *self, PyObject *object, int32_t *number);

// How states are keys: bins, warmup, state_limit, key_limit, secret, kinds; all may be NULL. The
// config points into the view, which is released in any case.
#define PY_KEYS_SIZE 6
typedef struct py_view {
    py_array cuts, edges, kinds; // {0} at first
} py_view;
bool py_keys_take(PyObject *const given[PY_KEYS_SIZE], int32_t actions, lgkt_keyed_config *set,
                  py_view *view);
void py_view_release(py_view *view);

#endif
