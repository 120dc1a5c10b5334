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
void py_key_release(py_key *key);

#endif
