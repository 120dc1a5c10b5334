// SPDX-License-Identifier: MIT
// What lgkt.Learner, lgkt.KeyedLearner and lgkt.Units have in common: a base class with what is
// only looked at, saved and pickled, and the beginning and end of a call (py_core.h).
#include "py_core.h"

PyTypeObject *py_any_learner_type;

static py_learner *of(PyObject *self)
{
    return (py_learner *)self;
}

// ---- calls ----

bool py_call_refused(py_call *call)
{
    py_leave(&call->self->gate);
    return py_helpers_usable(&call->self->helpers);
}

// ---- making ----

bool py_config_take(PyObject *const given[PY_CONFIG_SIZE], lgkt_learner_config *config)
{
    lgkt_problem *problem = &config->problem;
    return py_int32(given[0], "actions", &problem->actions) &&
           py_int64(given[1], "horizon", &problem->horizon) &&
           py_bool(given[2], &problem->masked) &&
           (given[3] == NULL || py_uint64(given[3], "seed", &config->seed)) &&
           (given[4] == NULL || py_uint64(given[4], "instance", &config->instance)) &&
           py_real_or_none(given[5], "reward_min", &problem->reward_min) &&
           py_real_or_none(given[6], "reward_max", &problem->reward_max) &&
           py_real_or_none(given[7], "reward_sd", &problem->reward_sd);
}

// a pair (seed, instance), or None, for a learner to be loaded
static bool take_reseed(PyObject *reseed, lgkt_learner_config *config)
{
    if (reseed == NULL || reseed == Py_None)
        return true;
    if (!PyTuple_Check(reseed) || PyTuple_Size(reseed) != 2) {
        PyErr_SetString(PyExc_TypeError, "reseed must be a tuple (seed, instance)");
        return false;
    }
    config->reseed = true;
    return py_uint64(PyTuple_GetItem(reseed, 0), "seed", &config->seed) &&
           py_uint64(PyTuple_GetItem(reseed, 1), "instance", &config->instance);
}

py_learner *py_learner_new(PyTypeObject *type, PyObject *threshold, PyObject *coin, PyObject *model,
                           lgkt_learner_config *config)
{
    PyObject *self = py_object_new(type);
    if (self == NULL || py_helpers_take(&of(self)->helpers, threshold, coin, model, config))
        return of(self);
    Py_DECREF(self);
    return NULL;
}

PyObject *py_learner_made(py_learner *self, lgkt_status status, const lgkt_error *error)
{
    self->keys = self->by_unit != NULL ? lgkt_units_keys(self->by_unit) : self->by_key;
    self->dims = lgkt_keyed_dims(self->keys);
    self->learner = self->by_unit != NULL  ? lgkt_units_learner(self->by_unit)
                    : self->by_key != NULL ? lgkt_keyed_learner(self->by_key)
                                           : self->by_number;
    const lgkt_problem problem = lgkt_learner_problem(self->learner);
    // the sizes of a loaded one are known only now
    if (status == LGKT_OK ? py_helpers_fit(&self->helpers, problem.states, problem.horizon)
                          : py_fail_error(error) != NULL) {
        self->large = py_is_large(self->learner);
        self->actions = problem.actions;
        return (PyObject *)self;
    }
    Py_DECREF((PyObject *)self);
    return NULL;
}

PyObject *py_learner_load(PyObject *type, PyObject *arguments, PyObject *keywords, bool knows_model,
                          py_load_fn load)
{
    static char *names[] = {"data", "threshold", "coin", "model", "reseed", NULL};
    static char *no_model[] = {"data", "threshold", "coin", "reseed", NULL};
    PyObject *threshold = NULL, *coin = NULL, *model = NULL, *reseed = NULL;
    Py_buffer data;
    if (!(knows_model ? PyArg_ParseTupleAndKeywords(arguments, keywords, "y*|OOO$O:load", names,
                                                    &data, &threshold, &coin, &model, &reseed)
                      : PyArg_ParseTupleAndKeywords(arguments, keywords, "y*|OO$O:load", no_model,
                                                    &data, &threshold, &coin, &reseed)))
        return NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_error error = {0};
    PyObject *made = NULL;
    py_learner *self = NULL;
    if (take_reseed(reseed, &config))
        self = py_learner_new((PyTypeObject *)type, threshold, coin, model, &config);
    if (self != NULL)
        made = py_learner_made(self, load(&data, &config, self, &error), &error);
    PyBuffer_Release(&data);
    return made;
}

// ---- saving ----

static lgkt_status save_bytes(const void *handle, void *buffer, size_t capacity, size_t *size)
{
    const py_learner *self = handle;
    if (self->by_unit != NULL)
        return lgkt_units_save(self->by_unit, buffer, capacity, size, NULL);
    return self->by_key != NULL ? lgkt_keyed_save(self->by_key, buffer, capacity, size, NULL)
                                : lgkt_learner_save(self->by_number, buffer, capacity, size, NULL);
}

static PyObject *save(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (!py_enter(&of(self)->gate, "learner"))
        return NULL;
    PyObject *bytes = py_saved(save_bytes, self);
    py_leave(&of(self)->gate);
    return bytes;
}

// load(bytes, threshold, coin, model) of the class, and what a subclass has in its __dict__
static PyObject *reduce(PyObject *self, PyObject *unused)
{
    const py_helpers *helpers = &of(self)->helpers;
    PyObject *bytes = save(self, unused);
    PyObject *load =
        bytes != NULL ? PyObject_GetAttrString((PyObject *)Py_TYPE(self), "load") : NULL;
    PyObject *state = NULL, *result = NULL;
    if (load != NULL)
        state = PyObject_HasAttrString(self, "__dict__") ? PyObject_GetAttrString(self, "__dict__")
                                                         : Py_NewRef(Py_None);
    if (state != NULL)
        // a learner on keys takes no model
        result = Py_BuildValue(helpers->model != NULL ? "O(OOOO)O" : "O(OOO)O", load, bytes,
                               helpers->threshold != NULL ? helpers->threshold : Py_None,
                               helpers->coin != NULL ? helpers->coin : Py_None,
                               helpers->model != NULL ? helpers->model : state, state);
    Py_XDECREF(state);
    Py_XDECREF(load);
    Py_XDECREF(bytes);
    return result;
}

// ---- looking ----

static int32_t states_of(PyObject *self)
{
    return of(self)->keys != NULL ? lgkt_keyed_states(of(self)->keys)
                                  : lgkt_learner_problem(of(self)->learner).states;
}

static const char *name_of(const py_learner *self)
{
    return self->by_unit != NULL ? "Units" : self->by_key != NULL ? "KeyedLearner" : "Learner";
}

const char *py_learner_message(const py_learner *self)
{
    return self->by_unit != NULL  ? lgkt_units_message(self->by_unit)
           : self->by_key != NULL ? lgkt_keyed_message(self->by_key)
                                  : lgkt_learner_message(self->learner);
}

static PyObject *represent(PyObject *self)
{
    if (!py_enter(&of(self)->gate, "learner"))
        return NULL;
    const lgkt_learner *learner = of(self)->learner;
    const lgkt_problem problem = lgkt_learner_problem(learner);
    PyObject *text = PyUnicode_FromFormat(
        "<lgkt.%s %s states=%d actions=%d time=%lld of %lld>", name_of(of(self)),
        lgkt_learner_spec(learner), states_of(self), problem.actions,
        (long long)lgkt_learner_time(learner), (long long)problem.horizon);
    py_leave(&of(self)->gate);
    return text;
}

static PyObject *number_or_none(int32_t state)
{
    return state >= 0 ? PyLong_FromLong(state) : Py_NewRef(Py_None);
}

static PyObject *counter_dict(const lgkt_learner *learner)
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

// An attribute; another thread within the object may change it.
#define GUARDED(name, make)                                                                        \
    static PyObject *get_##name(PyObject *self, void *unused)                                      \
    {                                                                                              \
        (void)unused;                                                                              \
        if (!py_enter(&of(self)->gate, "learner"))                                                 \
            return NULL;                                                                           \
        const lgkt_learner *learner = of(self)->learner;                                           \
        (void)learner;                                                                             \
        PyObject *made = make;                                                                     \
        py_leave(&of(self)->gate);                                                                 \
        return made;                                                                               \
    }

GUARDED(spec, PyUnicode_FromString(lgkt_learner_spec(learner)))
GUARDED(saved_by, Py_BuildValue("(si)", lgkt_learner_saved_version(learner),
                                (int)lgkt_learner_saved_numbers(learner)))
GUARDED(horizon, PyLong_FromLongLong(lgkt_learner_problem(learner).horizon))
GUARDED(states, PyLong_FromLong(states_of(self)))
GUARDED(time, PyLong_FromLongLong(lgkt_learner_time(learner)))
GUARDED(next_state, number_or_none(lgkt_learner_next_state(learner)))
GUARDED(counters, counter_dict(learner))
GUARDED(hash,
        PyLong_FromUnsignedLongLong(of(self)->by_unit != NULL ? lgkt_units_hash(of(self)->by_unit)
                                                              : lgkt_learner_hash(learner)))
GUARDED(nbytes, PyLong_FromSize_t(of(self)->by_unit != NULL ? lgkt_units_bytes(of(self)->by_unit)
                                                            : lgkt_learner_bytes(learner)))

static PyObject *get_when_busy(PyObject *self, void *unused)
{
    (void)unused;
    return py_gate_get(&of(self)->gate);
}

static int set_when_busy(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    return py_gate_set(&of(self)->gate, value, "learner");
}

static PyObject *get_actions(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(of(self)->actions);
}

// The interpreter is kept: what looks at the learner meanwhile, as `like` does, would meet one that
// changes places.
bool py_learner_retime(py_learner *self, int64_t horizon, int64_t unit_horizon)
{
    py_call call;
    if (!py_call_begin(&call, self, false))
        return false;
    const int32_t states = lgkt_learner_problem(self->learner).states;
    if (!py_helpers_fit(&self->helpers, states, horizon)) {
        py_leave(&self->gate);
        return false;
    }
    const lgkt_status status =
        self->by_unit != NULL  ? lgkt_units_set_horizon(self->by_unit, horizon, unit_horizon)
        : self->by_key != NULL ? lgkt_keyed_set_horizon(self->by_key, horizon)
                               : lgkt_learner_set_horizon(self->by_number, horizon);
    return py_call_end(&call, status, py_learner_message(self));
}

static int set_horizon(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    int64_t horizon;
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "horizon cannot be deleted");
        return -1;
    }
    return py_int64(value, "horizon", &horizon) && py_learner_retime(of(self), horizon, 0) ? 0 : -1;
}

// ---- the type ----

int py_learner_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return py_helpers_visit(&of(self)->helpers, visit, arg);
}

int py_learner_clear(PyObject *self)
{
    py_helpers_clear(&of(self)->helpers);
    return 0;
}

void py_learner_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    lgkt_learner_destroy(of(self)->by_number);
    lgkt_keyed_destroy(of(self)->by_key);
    lgkt_units_destroy(of(self)->by_unit);
    py_helpers_release(&of(self)->helpers);
    py_object_free(self);
}

static PyMethodDef methods[] = {
    {"save", save, METH_NOARGS,
     "save($self)\n--\n\n"
     "The whole state as bytes, which do not depend on the machine. Those of a learner on keys "
     "hold\n"
     "keys, limits and secret, too."},
    {"explain_all", py_explain_all, METH_NOARGS,
     "explain_all($self)\n--\n\n"
     "`explain` for all states, each as if it were the one at hand: an array (S, A)."},
    {"policy", py_frozen_policy, METH_NOARGS,
     "policy($self)\n--\n\n"
     "What it would play if it stopped learning: probabilities (S, A). They are those of the\n"
     "actions of the highest value, where it has values."},
    {"__reduce__", reduce, METH_NOARGS, "__reduce__($self)\n--\n\nFor pickle and copy."},
    // of learners on records (lgkt/records.py)
    {"_policy", py_records_policy, METH_O, NULL},
    {"_reasons", py_records_reasons, METH_O, NULL},
    {"_sides", py_records_sides, METH_O, NULL},
    {"_kinds", py_records_kinds, METH_NOARGS, NULL},
    {"_name_feature", py_records_name, METH_VARARGS, NULL},
    {"_category", py_records_category, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"spec", get_spec, NULL, "The full spec: the name with every parameter.", NULL},
    {"time", get_time, NULL, "Finished steps.", NULL},
    {"horizon", get_horizon, set_horizon,
     "The number of steps of the one run. It may be set, to the steps begun so far at least: the\n"
     "learner then is as if it had been told so at creation, and knows what it knew.",
     NULL},
    {"states", get_states, NULL, "The number of states; of those seen so far, on keys.", NULL},
    {"actions", get_actions, NULL, "The number of actions.", NULL},
    {"next_state", get_next_state, NULL,
     "The state of the next act, by number; None if it may be any.", NULL},
    {"counters", get_counters, NULL, "Numbers worth showing, by name.", NULL},
    {"saved_by", get_saved_by, NULL,
     "Version and LGKT_NUMBERS of the build that saved the state it was loaded from; those of\n"
     "this one if it was not. Where the numbers differ it goes on as this build computes.",
     NULL},
    {"hash", get_hash, NULL, "A hash of the whole mutable state.", NULL},
    {"when_busy", get_when_busy, set_when_busy,
     "What a thread meets that comes while another one is within a call: \"refuse\" raises a\n"
     "`UseError`, \"wait\" lets it wait. May be set; copies and what is loaded refuse.",
     NULL},
    {"nbytes", get_nbytes, NULL, "Bytes held by this learner, shared tables included.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "What `Learner`, `KeyedLearner` and `Units` have in common."},
    {Py_tp_dealloc, py_learner_dealloc},
    {Py_tp_traverse, py_learner_traverse},
    {Py_tp_clear, py_learner_clear},
    {Py_tp_repr, represent},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lgkt._core.AnyLearner",
    .basicsize = sizeof(py_learner),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

bool py_add_any_learner(PyObject *module)
{
    return py_add_type(module, "AnyLearner", &spec, NULL, &py_any_learner_type);
}
