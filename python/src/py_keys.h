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

// How states are keys: bins, warmup, state_limit, key_limit, secret; all may be NULL. The config
// points into the arrays, which are released in any case.
#define PY_KEYS_SIZE 5
bool py_keys_take(PyObject *const given[PY_KEYS_SIZE], int32_t actions, lgkt_keyed_config *set,
                  py_array arrays[2]);

// Kinds of features, an array (dims, 2) of a kind and a count each, or NULL or None: then states are
// no records. The config points into `kinds`, which is released in any case.
bool py_records_take(PyObject *features, lgkt_keyed_config *set, py_array *kinds);

// What Learner(spec, features=.., ..) and Units(..) make: a class of lgkt.records, by its name.
PyObject *py_records_create(const char *name, PyObject *arguments, PyObject *keywords);
// Methods of Units on records.
PyObject *py_records_of_unit(PyObject *self, PyObject *arguments);

#endif
