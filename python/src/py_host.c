// SPDX-License-Identifier: MIT
// A guest is an object of the user's with act and observe. A run of it steps as lgkt.run does, and
// adds the same numbers in the same order.
//
// An exception of a guest ends the run as a failure of the library, whose text is the same whatever
// else is played meanwhile; the exception itself is kept as its cause.
#include "py_host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/text.h"
#include "lgkt/env.h"

typedef struct guest {
    py_host *host;
    const char *spec;
    const lgkt_env *env;
    PyObject *player, *act, *observe;
    bool masked; // act wants masks
    int32_t actions;
    int64_t instance, t;
    int32_t count;
    char names[EXP_MAX_COUNTERS][EXP_COUNTER_SIZE]; // (count) of its counters
} guest;

// ---- exceptions ----

// the exception that is set, as a failure; t < 0: the learner is not made yet
static lgkt_status take_exception(py_host *host, const char *spec, int64_t instance, int64_t t,
                                  lgkt_error *error)
{
    PyObject *type, *why, *trace;
    PyErr_Fetch(&type, &why, &trace);
    PyErr_NormalizeException(&type, &why, &trace);
    if (trace != NULL && why != NULL)
        PyException_SetTraceback(why, trace);
    PyObject *name = type != NULL ? PyObject_GetAttrString(type, "__name__") : NULL;
    PyObject *words = why != NULL ? PyObject_Str(why) : NULL;
    const char *kind = name != NULL ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    const char *text = words != NULL ? PyUnicode_AsUTF8AndSize(words, NULL) : NULL;
    const size_t line = text != NULL ? strcspn(text, "\n") : 0;
    char when[48] = "before the first step";
    if (t >= 0)
        snprintf(when, sizeof when, "step %lld", (long long)t);
    lgkt_fail(error, LGKT_ERR_ARGUMENT, "%.*s: instance %lld, %s: %s: %.*s",
              (int)lgkt_text_fit(spec, 80), spec, (long long)instance, when,
              kind != NULL ? kind : "?", (int)line, text != NULL ? text : "");
    PyErr_Clear();
    if (host->first == NULL && why != NULL)
        host->first = Py_NewRef(why);
    Py_XDECREF(words);
    Py_XDECREF(name);
    Py_XDECREF(type);
    Py_XDECREF(why);
    Py_XDECREF(trace);
    return LGKT_ERR_ARGUMENT;
}

void py_host_fail(py_host *host, const lgkt_error *error)
{
    py_fail_error(error);
    PyObject *cause = host->first;
    host->first = NULL;
    if (cause == NULL)
        return;
    PyObject *type, *why, *trace;
    PyErr_Fetch(&type, &why, &trace);
    PyErr_NormalizeException(&type, &why, &trace);
    PyException_SetCause(why, cause);
    PyErr_Restore(type, why, trace);
}

// ---- a guest ----

static void free_guest(guest *g)
{
    Py_XDECREF(g->player);
    Py_XDECREF(g->act);
    Py_XDECREF(g->observe);
    free(g);
}

static PyObject *known(double number)
{
    return isnan(number) ? Py_NewRef(Py_None) : PyFloat_FromDouble(number);
}

// what it counts, a dict of names and whole numbers; NULL without an exception: it counts nothing
static PyObject *counters_of(const guest *g)
{
    PyObject *counters = PyObject_GetAttrString(g->player, "counters");
    if (counters == NULL && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Clear();
    return counters;
}

static bool read_names(guest *g)
{
    PyObject *counters = counters_of(g);
    PyObject *keys = counters != NULL ? PySequence_List(counters) : NULL;
    const Py_ssize_t size = keys != NULL ? PyList_Size(keys) : 0;
    for (Py_ssize_t i = 0; i < size && i < EXP_MAX_COUNTERS; i++) {
        const char *name = PyUnicode_AsUTF8AndSize(PyList_GetItem(keys, i), NULL);
        if (name == NULL)
            break;
        lgkt_text_clean(g->names[g->count++], EXP_COUNTER_SIZE, name);
    }
    Py_XDECREF(keys);
    Py_XDECREF(counters);
    return !PyErr_Occurred();
}

static guest *new_guest(py_host *host, const char *spec, const lgkt_env *env,
                        const lgkt_learner_config *config)
{
    const lgkt_problem *told = &config->problem;
    guest *g = calloc(1, sizeof *g);
    if (g == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    *g = (guest){.host = host, .spec = spec, .env = env, .actions = told->actions};
    g->instance = (int64_t)config->instance;
    PyObject *made = PyObject_CallFunction(
        host->open, "siiLNNNNKKO", spec, (int)told->states, (int)told->actions,
        (long long)told->horizon, known(told->reward_min), known(told->reward_max),
        known(told->reward_sd), py_model_wrap(lgkt_env_model(env)),
        (unsigned long long)config->seed, (unsigned long long)config->instance,
        told->masked ? Py_True : Py_False);
    int masked = 0;
    if (made != NULL && PyArg_ParseTuple(made, "OOOp", &g->player, &g->act, &g->observe, &masked)) {
        Py_INCREF(g->player);
        Py_INCREF(g->act);
        Py_INCREF(g->observe);
        g->masked = masked != 0;
    } else {
        g->player = g->act = g->observe = NULL;
    }
    Py_XDECREF(made);
    if (!PyErr_Occurred() && read_names(g))
        return g;
    free_guest(g);
    return NULL;
}

static lgkt_status open_guest(exp_host *host, const char *spec, const lgkt_env *env,
                              const lgkt_learner_config *config, void **made, lgkt_error *error)
{
    const PyGILState_STATE held = PyGILState_Ensure();
    guest *g = new_guest((py_host *)host, spec, env, config);
    const lgkt_status status =
        g != NULL ? LGKT_OK
                  : take_exception((py_host *)host, spec, (int64_t)config->instance, -1, error);
    PyGILState_Release(held);
    *made = g;
    return status;
}

static void close_guest(void *made)
{
    const PyGILState_STATE held = PyGILState_Ensure();
    free_guest(made);
    PyGILState_Release(held);
}

static int32_t count(void *made, lgkt_counter *counters, int32_t capacity)
{
    const guest *g = made;
    const PyGILState_STATE held = PyGILState_Ensure();
    PyObject *values = g->count > 0 ? counters_of(g) : NULL;
    for (int32_t i = 0; i < g->count && i < capacity; i++) {
        PyObject *value = values != NULL ? PyMapping_GetItemString(values, g->names[i]) : NULL;
        counters[i] = (lgkt_counter){g->names[i], value != NULL ? PyLong_AsLongLong(value) : 0};
        Py_XDECREF(value);
        // what is no whole number counts nothing
        PyErr_Clear();
    }
    Py_XDECREF(values);
    PyErr_Clear();
    PyGILState_Release(held);
    return g->count;
}

// ---- steps ----

static bool act(const guest *g, const lgkt_trajectory *run, PyObject *state, int32_t *action)
{
    PyObject *mask = NULL;
    if (g->masked) {
        mask = py_mask_new(lgkt_env_allowed(g->env, lgkt_trajectory_state(run)), g->actions);
        if (mask == NULL)
            return false;
    }
    PyObject *said = PyObject_CallFunctionObjArgs(g->act, state, mask, NULL);
    const bool good = said != NULL && py_int32(said, "action", action);
    Py_XDECREF(said);
    Py_XDECREF(mask);
    return good;
}

static bool observe(const guest *g, const lgkt_step *step, PyObject *next)
{
    PyObject *reward = PyFloat_FromDouble(step->reward);
    PyObject *said = reward != NULL
                         ? PyObject_CallFunctionObjArgs(g->observe, reward, next,
                                                        step->ended ? Py_True : Py_False, NULL)
                         : NULL;
    Py_XDECREF(reward);
    Py_XDECREF(said);
    return said != NULL;
}

static lgkt_status play(void *made, lgkt_trajectory *run, int64_t steps, double *sums,
                        int32_t *action, lgkt_error *error)
{
    guest *g = made;
    const PyGILState_STATE held = PyGILState_Ensure();
    PyObject *state = py_state_of(g->env, run);
    bool good = state != NULL;
    for (int64_t i = 0; i < steps && good; i++) {
        lgkt_step step;
        good = act(g, run, state, action);
        if (good) {
            const lgkt_status status = lgkt_trajectory_step(run, *action, &step);
            good = status == LGKT_OK;
            if (!good)
                py_fail(status, lgkt_trajectory_message(run));
        }
        if (!good)
            break;
        Py_DECREF(state);
        state = py_state_of(g->env, run);
        good = state != NULL && observe(g, &step, state);
        sums[EXP_EXPECTED] += step.mean_reward;
        sums[EXP_OBSERVED] += step.reward;
        g->t += good;
    }
    const lgkt_status status =
        good ? LGKT_OK : take_exception(g->host, g->spec, g->instance, g->t, error);
    Py_XDECREF(state);
    PyGILState_Release(held);
    return status;
}

py_host py_host_of(PyObject *open)
{
    return (py_host){.host = {open_guest, play, count, close_guest}, .open = Py_XNewRef(open)};
}

void py_host_free(py_host *host)
{
    Py_CLEAR(host->open);
    Py_CLEAR(host->first);
}
