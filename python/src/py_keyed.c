// SPDX-License-Identifier: MIT
// lgkt.KeyedLearner: a learner on states that become known one by one (lgkt/keyed.h).
#include "py_keys.h"

#include <stdio.h>
#include <string.h>

PyTypeObject *py_keyed_type;

// ---- calls ----

// states come up one by one: a call may have made the learner a large one
static inline bool end(py_call *call, lgkt_status status)
{
    call->self->large = py_is_large(call->self->learner);
    return py_call_end(call, status, lgkt_keyed_message(call->self->by_key));
}

static const char *const act_names[] = {"key", "allowed", NULL};

static PyObject *act(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                     PyObject *keywords)
{
    py_learner *self = (py_learner *)object;
    int32_t action = 0;
    PyObject *v[2];
    py_array mask = {0};
    py_key key;
    py_call call;
    if (!py_arguments("act", act_names, 1, arguments, count, keywords, v))
        return NULL;
    bool good = py_key_read(self, v[0], &key) && py_mask_read(v[1], self->actions, &mask) &&
                py_call_begin(&call, self, self->large);
    if (good)
        good = end(&call, lgkt_keyed_act(self->by_key, key.data, key.size, mask.data, &action));
    py_key_release(&key);
    py_array_release(&mask);
    return good ? PyLong_FromLong(action) : NULL;
}

static PyObject *explain(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *keywords)
{
    py_learner *self = (py_learner *)object;
    PyObject *v[2];
    int32_t state;
    if (!py_arguments("explain", act_names, 1, arguments, count, keywords, v) ||
        !py_key_find(self, v[0], &state))
        return NULL;
    return state >= 0 ? py_explain(self, state, v[1])
                      : py_fail(LGKT_ERR_ARGUMENT, "explain: this key was never seen");
}

// observe, and act too if `acts`
static PyObject *observe_act(const char *function, bool acts, PyObject *object,
                             PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = {"reward", "next_key", "ended", "allowed", NULL};
    static const char *const observe_names[] = {"reward", "next_key", "ended", NULL};
    py_learner *self = (py_learner *)object;
    PyObject *v[4] = {NULL};
    double reward;
    int32_t action = 0;
    bool ended;
    py_array mask = {0};
    py_key key;
    py_call call;
    if (!py_arguments(function, acts ? names : observe_names, 2, arguments, count, keywords, v) ||
        !py_real(v[0], "reward", &reward) || !py_bool(v[2], &ended))
        return NULL;
    bool good = py_key_read(self, v[1], &key) && py_mask_read(v[3], self->actions, &mask) &&
                py_call_begin(&call, self, self->large);
    if (good) {
        lgkt_status status = lgkt_keyed_observe(self->by_key, reward, key.data, key.size, ended);
        if (status == LGKT_OK && acts)
            status = lgkt_keyed_act(self->by_key, key.data, key.size, mask.data, &action);
        good = end(&call, status);
    }
    py_key_release(&key);
    py_array_release(&mask);
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

static PyObject *feed(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                      PyObject *keywords)
{
    static const char *const names[] = {"key", "action", "reward", "next_key", "ended", NULL};
    py_learner *self = (py_learner *)object;
    PyObject *v[5];
    int32_t action;
    double reward;
    bool ended;
    py_key key, next;
    py_call call;
    next.data = next.small;
    if (!py_arguments("feed", names, 4, arguments, count, keywords, v) ||
        !py_int32(v[1], "action", &action) || !py_real(v[2], "reward", &reward) ||
        !py_bool(v[4], &ended))
        return NULL;
    bool good = py_key_read(self, v[0], &key) && py_key_read(self, v[3], &next) &&
                py_call_begin(&call, self, self->large);
    if (good)
        good = end(&call, lgkt_keyed_feed(self->by_key, key.data, key.size, action, reward,
                                          next.data, next.size, ended));
    py_key_release(&key);
    py_key_release(&next);
    return good ? Py_NewRef(Py_None) : NULL;
}

// ---- many rows ----

// Rows by their places in a table of keys: of keys as Python has them, or of records, one after
// another.
typedef struct key_table {
    py_array records;
    py_key *keys; // NULL where states are records
    Py_ssize_t count;
} key_table;

static void table_free(key_table *table)
{
    for (Py_ssize_t i = 0; table->keys != NULL && i < table->count; i++)
        py_key_release(&table->keys[i]);
    PyMem_Free(table->keys);
    py_array_release(&table->records);
}

static bool table_read(const py_learner *self, PyObject *object, key_table *table)
{
    if (self->dims > 0) {
        if (!py_array_read(object, "states", "f8", 2, &table->records))
            return false;
        table->count = table->records.shape[0];
        return table->records.shape[1] == self->dims ||
               py_fail(LGKT_ERR_SHAPE, "feed: records must have a column for each feature") != NULL;
    }
    const Py_ssize_t count = PySequence_Size(object);
    if (count < 0)
        return false;
    table->keys = PyMem_Calloc((size_t)count + 1, sizeof *table->keys);
    if (table->keys == NULL)
        return PyErr_NoMemory() != NULL;
    for (bool good = true; table->count < count;) {
        py_key *key = &table->keys[table->count++];
        key->data = key->small;
        PyObject *value = PySequence_GetItem(object, table->count - 1);
        good = value != NULL && py_key_read(self, value, key);
        Py_XDECREF(value);
        if (!good)
            return false;
    }
    return true;
}

static const void *key_at(const key_table *table, int32_t place, size_t *size)
{
    if (table->keys != NULL) {
        *size = table->keys[place].size;
        return table->keys[place].data;
    }
    const size_t dims = (size_t)table->records.shape[1];
    *size = dims * sizeof(double);
    return (const double *)table->records.data + (size_t)place * dims;
}

static PyObject *feed_table(py_learner *self, const key_table *table, const py_array columns[5])
{
    const Py_ssize_t count = columns[0].shape[0];
    const int32_t *state = columns[0].data, *action = columns[1].data, *next = columns[3].data;
    const double *reward = columns[2].data;
    const uint8_t *ended = columns[4].data;
    bool fits = true;
    for (int i = 1; i < 5; i++)
        fits &= columns[i].shape[0] == count;
    for (Py_ssize_t i = 0; i < count && fits; i++)
        fits = state[i] >= 0 && state[i] < table->count && next[i] >= 0 && next[i] < table->count;
    if (!fits)
        return py_fail(LGKT_ERR_SHAPE, "feed: the columns differ in length, or a state is not in "
                                       "the table");
    py_call call;
    if (!py_call_begin(&call, self, true))
        return NULL;
    // a copy is fed, and takes the place of the learner if all rows were
    lgkt_keyed *fed = NULL;
    lgkt_error error = {0};
    lgkt_status status = lgkt_keyed_copy(self->by_key, &fed, &error);
    char text[320];
    snprintf(text, sizeof text, "feed: %s", error.text);
    for (Py_ssize_t i = 0; i < count && status == LGKT_OK && !self->helpers.failed; i++) {
        size_t size, next_size;
        const void *key = key_at(table, state[i], &size);
        const void *next_key = key_at(table, next[i], &next_size);
        status = lgkt_keyed_feed(fed, key, size, action[i], reward[i], next_key, next_size,
                                 ended[i] != 0);
        if (status != LGKT_OK)
            snprintf(text, sizeof text, "row %zd: %s", i, lgkt_keyed_message(fed));
    }
    if (status == LGKT_OK && !self->helpers.failed) {
        lgkt_keyed *before = self->by_key;
        self->keys = self->by_key = fed;
        self->learner = lgkt_keyed_learner(fed);
        self->large = py_is_large(self->learner);
        fed = before;
    }
    lgkt_keyed_destroy(fed);
    return py_call_end(&call, status, text) ? Py_NewRef(Py_None) : NULL;
}

// feeds rows (state, action, reward, next state, ended), where states are places in `states`
static PyObject *feed_many(PyObject *object, PyObject *arguments)
{
    static const char *const names[] = {"state", "action", "reward", "next_state", "ended"};
    static const char *const types[] = {"i4", "i4", "f8", "i4", "u1"};
    py_learner *self = (py_learner *)object;
    PyObject *states, *v[5];
    if (!PyArg_ParseTuple(arguments, "OOOOOO:_feed_many", &states, &v[0], &v[1], &v[2], &v[3],
                          &v[4]))
        return NULL;
    key_table table = {.count = 0};
    py_array columns[5] = {{0}};
    PyObject *result = NULL;
    bool read = table_read(self, states, &table);
    for (int i = 0; i < 5 && read; i++)
        read = py_array_read(v[i], names[i], types[i], 1, &columns[i]);
    if (read)
        result = feed_table(self, &table, columns);
    table_free(&table);
    for (int i = 0; i < 5; i++)
        py_array_release(&columns[i]);
    return result;
}

static PyObject *find(PyObject *object, PyObject *argument)
{
    int32_t number;
    if (!py_key_find((py_learner *)object, argument, &number))
        return NULL;
    return number >= 0 ? PyLong_FromLong(number) : Py_NewRef(Py_None);
}

// ---- making ----

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"spec",        "actions",    "horizon",    "bins",      "warmup",
                            "state_limit", "key_limit",  "secret",     "masked",    "seed",
                            "instance",    "reward_min", "reward_max", "reward_sd", "threshold",
                            "coin",        "_features",  NULL};
    const char *spec;
    PyObject *given[PY_CONFIG_SIZE] = {NULL}, *keys[PY_KEYS_SIZE] = {NULL}, *threshold = NULL,
             *coin = NULL, *features = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "sOO|$OOOOOOOOOOOOOO:KeyedLearner", names,
                                     &spec, &given[0], &given[1], &keys[0], &keys[1], &keys[2],
                                     &keys[3], &keys[4], &given[2], &given[3], &given[4], &given[5],
                                     &given[6], &given[7], &threshold, &coin, &features))
        return NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_keyed_config set = lgkt_keyed_config_default();
    py_array view[2] = {{0}}, kinds = {0};
    py_learner *self = NULL;
    PyObject *made = NULL;
    if (py_config_take(given, &config) && py_keys_take(keys, config.problem.actions, &set, view) &&
        py_records_take(features, &set, &kinds))
        self = py_learner_new(type, threshold, coin, NULL, &config);
    if (self != NULL) {
        lgkt_error error = {0};
        const lgkt_status status = lgkt_keyed_create(spec, &config, &set, &self->by_key, &error);
        made = py_learner_made(self, status, &error);
    }
    py_array_release(&view[0]);
    py_array_release(&view[1]);
    py_array_release(&kinds);
    return made;
}

static lgkt_status load_bytes(const Py_buffer *data, const lgkt_learner_config *config,
                              py_learner *self, lgkt_error *error)
{
    return lgkt_keyed_load(data->buf, (size_t)data->len, config, &self->by_key, error);
}

static PyObject *load(PyObject *type, PyObject *arguments, PyObject *keywords)
{
    return py_learner_load(type, arguments, keywords, false, load_bytes);
}

// ---- the type ----

static PyMethodDef methods[] = {
    {"act", (PyCFunction)(void (*)(void))act, METH_FASTCALL | METH_KEYWORDS,
     "act($self, key, allowed=None)\n--\n\n"
     "Choose the action for the state at hand. After an `observe` that was not `ended` the key\n"
     "must be the one observed. `allowed` is as for `Learner`."},
    {"explain", (PyCFunction)(void (*)(void))explain, METH_FASTCALL | METH_KEYWORDS,
     "explain($self, key, allowed=None)\n--\n\n"
     "What the learner holds of each action in a state that it has met: see `Learner.explain`."},
    {"observe", (PyCFunction)(void (*)(void))observe, METH_FASTCALL | METH_KEYWORDS,
     "observe($self, reward, next_key, ended=False)\n--\n\n"
     "Tell what the action earned and where it led. What the world ends leads to where it starts\n"
     "again: that is `next_key`, as after any other move. `ended` is for what a clock ends: the\n"
     "process was cut, and `next_key` is no consequence of the action."},
    {"step", (PyCFunction)(void (*)(void))step, METH_FASTCALL | METH_KEYWORDS,
     "step($self, reward, next_key, ended=False, allowed=None)\n--\n\n"
     "Observe and act in one call: returns the action for `next_key`. At the last step of the\n"
     "horizon there is no next action: use `observe` there. If only the acting fails, the step\n"
     "has been observed: go on with `act`."},
    {"jump", py_jump, METH_NOARGS,
     "jump($self)\n--\n\n"
     "Say that the run goes on in another state than the one observed: see `Learner.jump`."},
    {"feed", (PyCFunction)(void (*)(void))feed, METH_FASTCALL | METH_KEYWORDS,
     "feed($self, key, action, reward, next_key, ended=False)\n--\n\n"
     "Let the learner watch a step that another one chose; it takes no step of the run. A row\n"
     "whose key is that of `next_key` before follows on it, any other starts a trajectory."},
    {"find", find, METH_O,
     "find($self, key, /)\n--\n\n"
     "The number of a key, in the order in which they came up; None if it was never seen."},
    {"load", (PyCFunction)(void (*)(void))load, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "load($type, data, threshold=None, coin=None, *, reseed=None)\n--\n\n"
     "Make a learner from saved bytes: it goes on bit for bit as the saved one would have.\n"
     "Threshold and coin that were given by hand are given again. `reseed` is as for `Learner`."},
    // of lgkt.Log
    {"_feed_many", feed_many, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyObject *get_warmup(PyObject *object, void *unused)
{
    py_learner *self = (py_learner *)object;
    (void)unused;
    if (!py_enter(&self->gate, "learner"))
        return NULL;
    const int64_t left = lgkt_keyed_warmup(self->by_key);
    py_leave(&self->gate);
    return PyLong_FromLongLong(left);
}

static PyGetSetDef attributes[] = {
    {"warmup", get_warmup, NULL, "Acts still to come before the edges between bins are there.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "KeyedLearner(spec, actions, horizon, *, bins=None, warmup=1000, state_limit=None,\n"
     "             key_limit=65536, secret=None, masked=False, seed=0, instance=0,\n"
     "             reward_min=None, reward_max=None, reward_sd=None, threshold=None, coin=None)\n"
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
     "With `bins` a state is a vector of numbers, seen by the bins that these fall into. `bins`\n"
     "is a list with the rising edges between bins for each number; or with the number of bins\n"
     "for each, and the edges are then quantiles of the first `warmup` vectors, all of which are\n"
     "one state until then. An edge belongs to the bin above it.\n\n"
     ">>> learner = lgkt.KeyedLearner(\"auto\", 2, 1000, bins=[[-0.5, 0.5], [0]])\n"
     ">>> a = learner.act([0.1, -3.0])\n"
     ">>> a = learner.step(1.0, [0.4, -0.01])\n"
     ">>> a = learner.step(1.0, [0.5, -0.01])\n"
     ">>> learner.states\n"
     "2\n\n"
     "There may be `state_limit` states, by default 2**20, or fewer if there are more than 256\n"
     "actions; only those that came up take memory. A few learners (lg1-2t-adaptive, q-learning\n"
     "and others of its kind) have the limit in a formula. Keys may have `key_limit` bytes in the\n"
     "library's form. `secret`, 16 bytes, is the key of the hash by which keys are found and has\n"
     "no influence on what is learned. The default is a fixed one, so that saved bytes are\n"
     "reproducible; where strangers choose the keys give `secret=os.urandom(16)`, so that they\n"
     "cannot choose colliding ones.\n\n"
     "`threshold` is a number or a function of (t, number of the state, k); the rest is as for\n"
     "`Learner`. A learner that must know all states at the start is refused."},
    {Py_tp_new, create},
    {Py_tp_dealloc, py_learner_dealloc},
    {Py_tp_traverse, py_learner_traverse},
    {Py_tp_clear, py_learner_clear},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
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
