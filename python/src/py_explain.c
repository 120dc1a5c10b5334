// SPDX-License-Identifier: MIT
// Why a learner would do what it would do, as arrays (lgkt/learner.h): one state, all states, and
// the policy that is left when it stops learning.
#include "py_core.h"

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

// What is asked for, and of whom.
typedef struct question {
    enum { ONE_STATE, OF_UNIT, ALL_STATES, POLICY } kind;
    int32_t state; // of the first two, as the mask
    uint64_t unit;
    const uint8_t *allowed;
} question;

static lgkt_status answer(py_learner *self, const question *q, void *table, lgkt_error *error)
{
    switch (q->kind) {
    case ONE_STATE:
        return lgkt_learner_explain(self->learner, q->state, q->allowed, table, PY_REASON_BYTES,
                                    error);
    case OF_UNIT:
        return lgkt_units_explain(self->by_unit, q->unit, q->state, q->allowed, table,
                                  PY_REASON_BYTES, error);
    case ALL_STATES:
        return lgkt_learner_explain_all(self->learner, table, PY_REASON_BYTES, error);
    default:
        return lgkt_learner_policy(self->learner, table, error);
    }
}

static PyObject *ask(py_learner *self, const question *q)
{
    py_call call;
    if (!py_call_begin(&call, self, false)) // the interpreter is kept for now
        return NULL;
    const int32_t states = lgkt_learner_problem(self->learner).states;
    const Py_ssize_t shape[] = {states, self->actions, PY_REASON_FIELDS};
    const bool one = q->kind == ONE_STATE || q->kind == OF_UNIT;
    py_array table;
    PyObject *result = NULL;
    if (py_array_make("f8", q->kind == ALL_STATES ? 3 : 2, one ? shape + 1 : shape, &table)) {
        lgkt_error error = {0};
        call.released = self->large && !self->helpers.calls ? PyEval_SaveThread() : NULL;
        const lgkt_status status = answer(self, q, table.data, &error);
        if (py_call_end(&call, status, error.text))
            result = q->kind == POLICY ? py_array_take(&table) : with_fields(&table);
        // a function that raised was asked for a look only: the learner has not acted on its answer
        self->helpers.failed = false;
    } else
        py_leave(&self->gate);
    py_array_release(&table);
    return result;
}

static PyObject *ask_among(py_learner *self, question q, PyObject *allowed)
{
    py_array mask;
    PyObject *result = NULL;
    if (py_mask_read(allowed, self->actions, &mask)) {
        q.allowed = mask.data;
        result = ask(self, &q);
    }
    py_array_release(&mask);
    return result;
}

PyObject *py_explain(py_learner *self, int32_t state, PyObject *allowed)
{
    return ask_among(self, (question){.kind = ONE_STATE, .state = state}, allowed);
}

PyObject *py_explain_unit(py_learner *self, uint64_t unit, int32_t state, PyObject *allowed)
{
    return ask_among(self, (question){.kind = OF_UNIT, .state = state, .unit = unit}, allowed);
}

PyObject *py_explain_all(PyObject *self, PyObject *unused)
{
    (void)unused;
    return ask((py_learner *)self, &(question){.kind = ALL_STATES});
}

PyObject *py_frozen_policy(PyObject *self, PyObject *unused)
{
    (void)unused;
    return ask((py_learner *)self, &(question){.kind = POLICY});
}
