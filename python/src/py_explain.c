// SPDX-License-Identifier: MIT
// Why a learner would do what it would do, as arrays (lgkt/learner.h): one state, all states, and
// the policy that is left when it stops learning.
#include "py_core.h"

// a row of a table of doubles is what the library says of an action
enum { FIELDS = 7 };
_Static_assert(sizeof(lgkt_reason) == FIELDS * sizeof(double), "seven numbers");

// The table with names for its last dimension; takes it over.
static PyObject *with_fields(py_array *table)
{
    PyObject *plain = py_array_take(table);
    PyObject *arrays = PyImport_ImportModule("lgkt._arrays");
    PyObject *named = arrays != NULL ? PyObject_CallMethod(arrays, "reasons", "O", plain) : NULL;
    Py_XDECREF(arrays);
    Py_DECREF(plain);
    return named;
}

// What is asked for.
typedef enum question { ONE_STATE, ALL_STATES, POLICY } question;

static PyObject *ask(py_learner *self, question what, int32_t state, const uint8_t *allowed)
{
    py_call call;
    if (!py_call_begin(&call, self, false)) // the interpreter is kept for now
        return NULL;
    const int32_t states = lgkt_learner_problem(self->learner).states;
    const Py_ssize_t shape[] = {states, self->actions, FIELDS};
    const bool one = what == ONE_STATE;
    py_array table;
    PyObject *result = NULL;
    if (py_array_make("f8", what == ALL_STATES ? 3 : 2, one ? shape + 1 : shape, &table)) {
        lgkt_error error = {0};
        call.released = self->large && !self->helpers.calls ? PyEval_SaveThread() : NULL;
        lgkt_status status;
        if (one)
            status = lgkt_learner_explain(self->learner, state, allowed, table.data, &error);
        else if (what == ALL_STATES)
            status = lgkt_learner_explain_all(self->learner, table.data, &error);
        else
            status = lgkt_learner_policy(self->learner, table.data, &error);
        if (py_call_end(&call, status, error.text))
            result = what == POLICY ? py_array_take(&table) : with_fields(&table);
        // a function that raised was asked for a look only: the learner has not acted on its answer
        self->helpers.failed = false;
    } else
        py_leave(&self->busy);
    py_array_release(&table);
    return result;
}

PyObject *py_explain(py_learner *self, int32_t state, PyObject *allowed)
{
    py_array mask;
    PyObject *result = NULL;
    if (py_mask_read(allowed, self->actions, &mask))
        result = ask(self, ONE_STATE, state, mask.data);
    py_array_release(&mask);
    return result;
}

PyObject *py_explain_all(PyObject *self, PyObject *unused)
{
    (void)unused;
    return ask((py_learner *)self, ALL_STATES, 0, NULL);
}

PyObject *py_policy(PyObject *self, PyObject *unused)
{
    (void)unused;
    return ask((py_learner *)self, POLICY, 0, NULL);
}
