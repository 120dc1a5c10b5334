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
    // not after an earlier question of the same call has failed, of these helpers or of others
    if (!helpers->failed && arguments != NULL && !PyErr_Occurred())
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
    if (!helpers->failed && !(u >= 0.0 && u < 1.0)) {
        char text[96];
        snprintf(text, sizeof text, "what the coin function returns must be in [0, 1), not %g", u);
        py_fail(LGKT_ERR_ARGUMENT, text);
        helpers->failed = true;
    }
    return u;
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

// A copy of an array by a function of lgkt._arrays, kept in place of what was given: a later change
// of the user's own must not come back with pickle.
static bool copy_array(const char *function, int dimensions, PyObject **given, py_array *array)
{
    PyObject *arrays = PyImport_ImportModule("lgkt._arrays");
    PyObject *copy = arrays == NULL ? NULL : PyObject_CallMethod(arrays, function, "O", *given);
    Py_XDECREF(arrays);
    if (copy == NULL)
        return false;
    Py_DECREF(*given);
    *given = copy;
    return py_array_read(copy, function, "f8", dimensions, array);
}

bool py_threshold_take(py_helpers *helpers, PyObject *threshold, lgkt_threshold *out)
{
    if (threshold == NULL || threshold == Py_None)
        return true;
    helpers->threshold = Py_NewRef(threshold);
    out->ctx = helpers;
    if (PyCallable_Check(threshold)) {
        out->fn = call_threshold;
        helpers->calls = true;
        return true;
    }
    // an array without dimensions is a number; Python takes it for a sequence, but it has no length
    const bool single = PyNumber_Check(threshold) && PyObject_Size(threshold) < 0;
    PyErr_Clear();
    if (single) {
        out->fn = constant_threshold;
        if (!py_real(threshold, "threshold", &helpers->constant))
            return false;
        Py_DECREF(helpers->threshold);
        helpers->threshold = PyFloat_FromDouble(helpers->constant);
        return helpers->threshold != NULL;
    }
    // (S), or (steps, S)
    if (!copy_array("threshold_table", 2, &helpers->threshold, &helpers->table))
        return false;
    out->table = helpers->table.data;
    out->table_steps = helpers->table.shape[0];
    return true;
}

static bool take_coin(py_helpers *helpers, PyObject *coin, lgkt_learner_config *config)
{
    if (coin == NULL || coin == Py_None)
        return true;
    helpers->coin = Py_NewRef(coin);
    config->coin_ctx = helpers;
    helpers->calls = helpers->calls || PyCallable_Check(coin);
    config->coin = PyCallable_Check(coin) ? call_coin : next_coin;
    return PyCallable_Check(coin) || copy_array("coins", 1, &helpers->coin, &helpers->coins);
}

bool py_helpers_fit(const py_helpers *helpers, int32_t states, int64_t horizon)
{
    char text[160] = "";
    if (helpers->table.object != NULL && helpers->table.shape[1] != states)
        snprintf(text, sizeof text,
                 "threshold must be a number, a callable or an array of shape (%d,) or "
                 "(steps, %d), not (%zd, %zd)",
                 (int)states, (int)states, helpers->table.shape[0], helpers->table.shape[1]);
    else if (helpers->coins.object != NULL && helpers->coins.shape[0] < horizon)
        snprintf(text, sizeof text,
                 "coin must be a callable or an array of at least %lld numbers, not %zd",
                 (long long)horizon, helpers->coins.shape[0]);
    return text[0] == '\0' || py_fail(LGKT_ERR_SHAPE, text) != NULL;
}

bool py_helpers_take(py_helpers *helpers, PyObject *threshold, PyObject *coin, PyObject *model,
                     lgkt_learner_config *config)
{
    if (model != NULL && model != Py_None)
        helpers->model = Py_NewRef(model);
    return py_model_of(model, "model", &config->problem.model) &&
           py_threshold_take(helpers, threshold, &config->threshold) &&
           take_coin(helpers, coin, config);
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
    return !helpers->failed ||
           py_fail(LGKT_ERR_PROTOCOL, "the threshold or coin function of this learner has failed, "
                                      "and it cannot go on; load a saved one") != NULL;
}

// a function that holds the learner it serves: the two go together, and it is asked no more
void py_helpers_clear(py_helpers *helpers)
{
    helpers->failed = true;
    Py_CLEAR(helpers->threshold);
    Py_CLEAR(helpers->coin);
}

int py_helpers_visit(const py_helpers *helpers, visitproc visit, void *arg)
{
    Py_VISIT(helpers->threshold);
    Py_VISIT(helpers->coin);
    Py_VISIT(helpers->model);
    return 0;
}
