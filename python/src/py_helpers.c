// SPDX-License-Identifier: MIT
// What Python supplies to a learner: thresholds as a number, an array or a callable, the coin as an
// array or a callable, the model of an oracle.
//
// Arrays are copied: what the user does to his own afterwards changes no learner. A callable is
// called while the learner acts; if it raises, the learner counts the answer as NaN and the call
// that asked for an action raises. The learner is then of no more use: it has acted on no answer.
#include <math.h>

#include "py_core.h"

static double call(py_helpers *helpers, PyObject *function, const char *what, PyObject *arguments)
{
    double value = NAN;
    PyObject *answer = NULL;
    // a second question of the same call after the first one failed
    if (!helpers->failed && arguments != NULL)
        answer = PyObject_CallObject(function, arguments);
    if (answer == NULL || !py_real(answer, what, &value)) {
        helpers->failed = true;
        value = NAN;
    }
    Py_XDECREF(answer);
    Py_XDECREF(arguments);
    return value;
}

static double call_threshold(void *ctx, int64_t t, int32_t state, int32_t k)
{
    py_helpers *helpers = ctx;
    return call(helpers, helpers->threshold, "what the threshold function returns",
                Py_BuildValue("Lii", (long long)t, (int)state, (int)k));
}

static double call_coin(void *ctx, int64_t t)
{
    py_helpers *helpers = ctx;
    const double u = call(helpers, helpers->coin, "what the coin function returns",
                          Py_BuildValue("(L)", (long long)t));
    return isnan(u) ? 0.0 : u;
}

static double constant_threshold(void *ctx, int64_t t, int32_t state, int32_t k)
{
    (void)t, (void)state, (void)k;
    return ((const py_helpers *)ctx)->constant;
}

static double next_coin(void *ctx, int64_t t)
{
    return ((const double *)((const py_helpers *)ctx)->coins.data)[t];
}

bool py_threshold_take(py_helpers *helpers, PyObject *threshold, int32_t states,
                       lgkt_threshold *out)
{
    if (threshold == NULL || threshold == Py_None)
        return true;
    helpers->threshold = Py_NewRef(threshold);
    out->ctx = helpers;
    if (PyFloat_Check(threshold) || PyLong_Check(threshold)) {
        out->fn = constant_threshold;
        return py_real(threshold, "threshold", &helpers->constant);
    }
    if (PyCallable_Check(threshold)) {
        out->fn = call_threshold;
        helpers->calls = true;
        return true;
    }
    // (S), or (steps, S)
    PyObject *arrays = PyImport_ImportModule("lgkt._arrays");
    PyObject *table = arrays == NULL ? NULL
                                     : PyObject_CallMethod(arrays, "threshold_table", "Oi",
                                                           threshold, (int)states);
    Py_XDECREF(arrays);
    const bool read = table != NULL && py_array_read(table, "threshold", "f8", 2, &helpers->table);
    Py_XDECREF(table);
    out->table = helpers->table.data;
    out->table_steps = helpers->table.shape[0];
    return read;
}

static bool take_coin(py_helpers *helpers, PyObject *coin, int64_t horizon,
                      lgkt_learner_config *config)
{
    if (coin == NULL || coin == Py_None)
        return true;
    helpers->coin = Py_NewRef(coin);
    config->coin_ctx = helpers;
    if (PyCallable_Check(coin)) {
        config->coin = call_coin;
        helpers->calls = true;
        return true;
    }
    PyObject *arrays = PyImport_ImportModule("lgkt._arrays");
    PyObject *copy = arrays == NULL
                         ? NULL
                         : PyObject_CallMethod(arrays, "coins", "OL", coin, (long long)horizon);
    Py_XDECREF(arrays);
    const bool read = copy != NULL && py_array_read(copy, "coin", "f8", 1, &helpers->coins);
    Py_XDECREF(copy);
    config->coin = next_coin;
    return read;
}

bool py_helpers_take(py_helpers *helpers, PyObject *threshold, PyObject *coin, PyObject *model,
                     int32_t states, int64_t horizon, lgkt_learner_config *config)
{
    if (model != NULL && model != Py_None)
        helpers->model = Py_NewRef(model);
    return py_model_of(model, "model", &config->problem.model) &&
           py_threshold_take(helpers, threshold, states, &config->threshold) &&
           take_coin(helpers, coin, horizon, config);
}

void py_helpers_release(py_helpers *helpers)
{
    Py_CLEAR(helpers->threshold);
    Py_CLEAR(helpers->coin);
    Py_CLEAR(helpers->model);
    py_array_release(&helpers->table);
    py_array_release(&helpers->coins);
}

bool py_helpers_usable(const py_helpers *helpers)
{
    if (helpers->failed)
        PyErr_SetString(PyExc_RuntimeError,
                        "the threshold or coin function of this learner has failed, and it cannot "
                        "go on; load a saved one");
    return !helpers->failed;
}

int py_helpers_visit(const py_helpers *helpers, visitproc visit, void *arg)
{
    Py_VISIT(helpers->threshold);
    Py_VISIT(helpers->coin);
    Py_VISIT(helpers->model);
    return 0;
}

PyObject *py_helpers_reduce(PyObject *self, PyObject *bytes, const py_helpers *helpers)
{
    PyObject *load =
        bytes != NULL ? PyObject_GetAttrString((PyObject *)Py_TYPE(self), "load") : NULL;
    PyObject *state = NULL, *result = NULL;
    if (load != NULL && PyObject_HasAttrString(self, "__dict__"))
        state = PyObject_GetAttrString(self, "__dict__");
    if (load != NULL && !PyErr_Occurred())
        result = Py_BuildValue(
            "O(OOOO)O", load, bytes, helpers->threshold != NULL ? helpers->threshold : Py_None,
            helpers->coin != NULL ? helpers->coin : Py_None,
            helpers->model != NULL ? helpers->model : Py_None, state != NULL ? state : Py_None);
    Py_XDECREF(state);
    Py_XDECREF(load);
    Py_XDECREF(bytes);
    return result;
}

PyObject *py_counters(const lgkt_learner *learner)
{
    lgkt_counter counters[32];
    int32_t count = lgkt_learner_counters(learner, counters, 32);
    count = count < 32 ? count : 32;
    PyObject *result = PyDict_New();
    for (int32_t i = 0; i < count && result != NULL; i++) {
        PyObject *value = PyLong_FromLongLong(counters[i].value);
        if (value == NULL || PyDict_SetItemString(result, counters[i].name, value) != 0)
            Py_CLEAR(result);
        Py_XDECREF(value);
    }
    return result;
}
