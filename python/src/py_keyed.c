// SPDX-License-Identifier: MIT
// lgkt.KeyedLearner: a learner on states that become known one by one (lgkt/keyed.h).
#include "py_keys.h"

#include <string.h>

// most states where the user names no limit; what is not met takes no memory
#define STATE_LIMIT (1 << 20)

PyTypeObject *py_keyed_type;

// ---- calls ----

// states come up one by one: a call may have made the learner a large one
static inline bool end(py_call *call, lgkt_status status)
{
    call->self->large = py_is_large(call->self->learner);
    return py_call_end(call, status, lgkt_keyed_message(call->self->by_key));
}

static PyObject *act(PyObject *object, PyObject *argument)
{
    py_learner *self = (py_learner *)object;
    int32_t action = 0;
    py_key key;
    py_call call;
    bool good = py_key_make(argument, &key) && py_call_begin(&call, self, self->large);
    if (good) {
        const lgkt_status status = lgkt_keyed_act(self->by_key, key.data, key.size, &action);
        good = end(&call, status);
    }
    py_key_release(&key);
    return good ? PyLong_FromLong(action) : NULL;
}

// observe, and act too if `acts`
static PyObject *observe_act(const char *function, bool acts, PyObject *object,
                             PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = {"reward", "next_key", "ended", NULL};
    py_learner *self = (py_learner *)object;
    PyObject *v[3];
    double reward;
    int32_t action = 0;
    bool ended;
    py_key key;
    py_call call;
    if (!py_arguments(function, names, 2, arguments, count, keywords, v) ||
        !py_real(v[0], "reward", &reward) || !py_bool(v[2], &ended))
        return NULL;
    bool good = py_key_make(v[1], &key) && py_call_begin(&call, self, self->large);
    if (good) {
        lgkt_status status = lgkt_keyed_observe(self->by_key, reward, key.data, key.size, ended);
        if (status == LGKT_OK && acts)
            status = lgkt_keyed_act(self->by_key, key.data, key.size, &action);
        good = end(&call, status);
    }
    py_key_release(&key);
    return !good ? NULL : acts ? PyLong_FromLong(action) : Py_NewRef(Py_None);
}

static PyObject *observe(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *keywords)
{
    return observe_act("observe", false, self, arguments, count, keywords);
}

static PyObject *step(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                      PyObject *keywords)
{
    return observe_act("step", true, self, arguments, count, keywords);
}

static PyObject *find(PyObject *object, PyObject *argument)
{
    py_learner *self = (py_learner *)object;
    int32_t number = -1;
    py_key key;
    const bool good = py_key_make(argument, &key) && py_enter(&self->busy, "learner");
    if (good) {
        number = lgkt_keyed_find(self->by_key, key.data, key.size);
        py_leave(&self->busy);
    }
    py_key_release(&key);
    return !good ? NULL : number >= 0 ? PyLong_FromLong(number) : Py_NewRef(Py_None);
}

// ---- making ----

static bool read_limits(PyObject *states, PyObject *keys, PyObject *secret, int32_t actions,
                        lgkt_keyed_config *set)
{
    uint64_t most = set->key_limit;
    set->state_limit =
        actions > LGKT_MAX_PAIRS / STATE_LIMIT ? LGKT_MAX_PAIRS / actions : STATE_LIMIT;
    if ((states != NULL && states != Py_None &&
         !py_int32(states, "state_limit", &set->state_limit)) ||
        (keys != NULL && !py_uint64(keys, "key_limit", &most)))
        return false;
    set->key_limit = most < SIZE_MAX ? (size_t)most : SIZE_MAX;
    if (secret == NULL || secret == Py_None)
        return true;
    if (!PyBytes_Check(secret) || PyBytes_Size(secret) != 16) {
        PyErr_SetString(PyExc_TypeError, "secret must be 16 bytes or None");
        return false;
    }
    const unsigned char *bytes = (const unsigned char *)PyBytes_AsString(secret);
    for (int i = 0; i < 16; i++)
        set->secret[i / 8] |= (uint64_t)bytes[i] << 8 * (i % 8);
    return true;
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"spec",      "actions",   "horizon",  "state_limit", "key_limit",
                            "secret",    "seed",      "instance", "reward_min",  "reward_max",
                            "reward_sd", "threshold", "coin",     NULL};
    const char *spec;
    PyObject *given[7] = {NULL}, *states = NULL, *keys = NULL, *secret = NULL, *threshold = NULL,
             *coin = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "sOO|$OOOOOOOOOO:KeyedLearner", names,
                                     &spec, &given[0], &given[1], &states, &keys, &secret,
                                     &given[2], &given[3], &given[4], &given[5], &given[6],
                                     &threshold, &coin))
        return NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_keyed_config set = lgkt_keyed_config_default();
    if (!py_config_take(given, &config) ||
        !read_limits(states, keys, secret, config.problem.actions, &set))
        return NULL;
    py_learner *self = py_learner_new(type, threshold, coin, NULL, &config);
    if (self == NULL)
        return NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_keyed_create(spec, &config, &set, &self->by_key, &error);
    return py_learner_made(self, status, &error);
}

static PyObject *load(PyObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"data", "threshold", "coin", NULL};
    PyObject *threshold = NULL, *coin = NULL;
    Py_buffer data;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "y*|OO:load", names, &data, &threshold,
                                     &coin))
        return NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_error error = {0};
    PyObject *made = NULL;
    py_learner *self = py_learner_new((PyTypeObject *)type, threshold, coin, NULL, &config);
    if (self != NULL) {
        const lgkt_status status =
            lgkt_keyed_load(data.buf, (size_t)data.len, &config, &self->by_key, &error);
        made = py_learner_made(self, status, &error);
    }
    PyBuffer_Release(&data);
    return made;
}

// ---- the type ----

static PyMethodDef methods[] = {
    {"act", act, METH_O,
     "act($self, key, /)\n--\n\n"
     "Choose the action for the state at hand. After an `observe` that was not `ended` the key\n"
     "must be the one observed."},
    {"observe", (PyCFunction)(void (*)(void))observe, METH_FASTCALL | METH_KEYWORDS,
     "observe($self, reward, next_key, ended=False)\n--\n\n"
     "Tell what the action earned and where it led. `ended` says that the process was cut:\n"
     "`next_key` is then no consequence of the action."},
    {"step", (PyCFunction)(void (*)(void))step, METH_FASTCALL | METH_KEYWORDS,
     "step($self, reward, next_key, ended=False)\n--\n\n"
     "Observe and act in one call: returns the action for `next_key`. At the last step of the\n"
     "horizon there is no next action: use `observe` there. If only the acting fails, the step\n"
     "has been observed: go on with `act`."},
    {"find", find, METH_O,
     "find($self, key, /)\n--\n\n"
     "The number of a key, in the order in which they came up; None if it was never seen."},
    {"load", (PyCFunction)(void (*)(void))load, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "load($type, data, threshold=None, coin=None)\n--\n\n"
     "Make a learner from saved bytes: it goes on bit for bit as the saved one would have.\n"
     "Threshold and coin that were given by hand are given again."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "KeyedLearner(spec, actions, horizon, *, state_limit=None, key_limit=65536, secret=None,\n"
     "             seed=0, instance=0, reward_min=None, reward_max=None, reward_sd=None,\n"
     "             threshold=None, coin=None)\n"
     "--\n\n"
     "A learner on states that are not numbered beforehand: a state is whatever names it.\n\n"
     ">>> import lgkt\n"
     ">>> learner = lgkt.KeyedLearner(\"ucrl2\", actions=2, horizon=1000)\n"
     ">>> a = learner.act((\"room\", 3))\n"
     ">>> a = learner.step(0.5, (\"hall\", 0))\n"
     ">>> learner.states, learner.find((\"hall\", 0)), learner.find(\"garden\")\n"
     "(2, 1, None)\n\n"
     "A key is None, a bool, int, float, str or bytes, a NumPy scalar or array, or a tuple of\n"
     "these. Keys of different type are different, as are 1, 1.0 and True, b\"a\" and \"a\", an\n"
     "array and a tuple, arrays of different dtype or shape. The same key are: a NumPy scalar and\n"
     "the Python value that it equals, an object with `__index__` and its int, an instance of a\n"
     "subclass (namedtuple, IntEnum) and the plain value, 0.0 and -0.0, all NaNs, and arrays that\n"
     "differ in strides or byte order only. What a key is made of stays the same in later\n"
     "versions and on other machines: saved learners can be opened there.\n\n"
     "There may be `state_limit` states, by default 2**20, or fewer if there are more than 256\n"
     "actions; only those that came up take memory. A few learners (lg1-2t-adaptive, q-learning\n"
     "and others of its kind) have the limit in a formula. Keys may have `key_limit` bytes in the\n"
     "library's form. `secret`, 16 bytes, is the key of the hash by which keys are found and has\n"
     "no influence on what is learned. The default is a fixed one, so that saved bytes are\n"
     "reproducible; where strangers choose the keys give `secret=os.urandom(16)`, so that they\n"
     "cannot choose colliding ones.\n\n"
     "`threshold` is a number or a function of (t, number of the state, k); the rest is as for\n"
     "`Learner`. There is no `feed`, and a learner that must know all states at the start is\n"
     "refused."},
    {Py_tp_new, create},
    {Py_tp_dealloc, py_learner_dealloc},
    {Py_tp_traverse, py_learner_traverse},
    {Py_tp_clear, py_learner_clear},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lgkt.KeyedLearner",
    .basicsize = sizeof(py_learner),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

bool py_add_keyed(PyObject *module)
{
    return py_keys_start() &&
           py_add_type(module, "KeyedLearner", &spec, py_any_learner_type, &py_keyed_type);
}
