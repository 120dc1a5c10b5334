// SPDX-License-Identifier: MIT
// lgkt.Learner: act, observe, feed, save, load (lgkt/learner.h).
#include "py_keys.h"

// so many rows take long enough to let other threads run meanwhile
#define FEED_ROWS 64

PyTypeObject *py_learner_type;

// ---- calls ----

static inline bool end(py_call *call, lgkt_status status)
{
    return py_call_end(call, status, lgkt_learner_message(call->self->learner));
}

// lgkt_learner_act, or among some actions where there is a mask
static inline lgkt_status choose(const py_learner *self, int32_t state, const py_array *mask,
                                 int32_t *action)
{
    return mask->data == NULL ? lgkt_learner_act(self->by_number, state, NULL, action)
                              : lgkt_learner_act(self->by_number, state, mask->data, action);
}

static const char *const act_names[] = {"state", "allowed", NULL};

static PyObject *act(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                     PyObject *keywords)
{
    py_learner *self = (py_learner *)object;
    int32_t state, action = 0;
    PyObject *v[2];
    py_array mask;
    py_call call;
    if (!py_arguments("act", act_names, 1, arguments, count, keywords, v) ||
        !py_int32(v[0], "state", &state))
        return NULL;
    bool good = py_mask_read(v[1], self->actions, &mask) && py_call_begin(&call, self, self->large);
    if (good)
        good = end(&call, choose(self, state, &mask, &action));
    py_array_release(&mask);
    return good ? PyLong_FromLong(action) : NULL;
}

static PyObject *explain(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *keywords)
{
    PyObject *v[2];
    int32_t state;
    if (!py_arguments("explain", act_names, 1, arguments, count, keywords, v) ||
        !py_int32(v[0], "state", &state))
        return NULL;
    return py_explain((py_learner *)self, state, v[1]);
}

static const char *const observe_names[] = {"reward", "next_state", "ended", NULL};
static const char *const step_names[] = {"reward", "next_state", "ended", "allowed", NULL};

// what observe and step are given
static inline bool read_step(PyObject *const v[3], double *reward, int32_t *next, bool *ended)
{
    return py_real(v[0], "reward", reward) && py_int32(v[1], "next_state", next) &&
           py_bool(v[2], ended);
}

static PyObject *observe(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *keywords)
{
    py_learner *self = (py_learner *)object;
    double reward;
    int32_t next;
    bool ended;
    PyObject *v[3];
    py_call call;
    if (!py_arguments("observe", observe_names, 2, arguments, count, keywords, v) ||
        !read_step(v, &reward, &next, &ended) || !py_call_begin(&call, self, self->large))
        return NULL;
    const lgkt_status status = lgkt_learner_observe(self->by_number, reward, next, ended);
    return end(&call, status) ? Py_NewRef(Py_None) : NULL;
}

PyObject *py_jump(PyObject *object, PyObject *unused)
{
    (void)unused;
    py_learner *self = (py_learner *)object;
    py_call call;
    if (!py_call_begin(&call, self, false))
        return NULL;
    const lgkt_status status =
        self->by_key != NULL ? lgkt_keyed_jump(self->by_key) : lgkt_learner_jump(self->by_number);
    return end(&call, status) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *step(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                      PyObject *keywords)
{
    py_learner *self = (py_learner *)object;
    double reward;
    int32_t next, action = 0;
    bool ended;
    PyObject *v[4];
    py_array mask;
    py_call call;
    if (!py_arguments("step", step_names, 2, arguments, count, keywords, v) ||
        !read_step(v, &reward, &next, &ended))
        return NULL;
    bool good = py_mask_read(v[3], self->actions, &mask) && py_call_begin(&call, self, self->large);
    if (good) {
        lgkt_status status = lgkt_learner_observe(self->by_number, reward, next, ended);
        if (status == LGKT_OK)
            status = choose(self, next, &mask, &action);
        good = end(&call, status);
    }
    py_array_release(&mask);
    return good ? PyLong_FromLong(action) : NULL;
}

// ---- feed ----

static const char *const feed_names[] = {"state", "action", "reward", "next_state", "ended", NULL};

static PyObject *feed_one(py_learner *self, PyObject **v)
{
    int32_t state, action, next;
    double reward;
    bool ended;
    py_call call;
    if (!py_int32(v[0], "state", &state) || !py_int32(v[1], "action", &action) ||
        !py_real(v[2], "reward", &reward) || !py_int32(v[3], "next_state", &next) ||
        !py_bool(v[4], &ended) || !py_call_begin(&call, self, self->large))
        return NULL;
    const lgkt_status status =
        lgkt_learner_feed(self->by_number, state, action, reward, next, ended);
    return end(&call, status) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *feed_rows(py_learner *self, const py_array columns[5])
{
    const Py_ssize_t count = columns[0].shape[0];
    const int32_t *state = columns[0].data, *action = columns[1].data, *next = columns[3].data;
    const double *reward = columns[2].data;
    const uint8_t *ended = columns[4].data;
    for (int i = 1; i < 5; i++)
        if (columns[i].object != NULL && columns[i].shape[0] != count)
            return py_fail(LGKT_ERR_SHAPE, "feed: the arrays differ in length");
    py_call call;
    if (!py_call_begin(&call, self, count >= FEED_ROWS))
        return NULL;
    // a copy is fed, and takes the place of the learner if all rows were
    lgkt_learner *fed = NULL;
    lgkt_error error = {0};
    lgkt_status status = lgkt_learner_copy(self->by_number, &fed, &error);
    char text[320];
    snprintf(text, sizeof text, "feed: %s", error.text);
    for (Py_ssize_t i = 0; i < count && status == LGKT_OK && !self->helpers.failed; i++) {
        status = lgkt_learner_feed(fed, state[i], action[i], reward[i], next[i],
                                   ended != NULL && ended[i] != 0);
        if (status != LGKT_OK)
            snprintf(text, sizeof text, "row %zd: %s", i, lgkt_learner_message(fed));
    }
    if (status == LGKT_OK && !self->helpers.failed) {
        lgkt_learner *before = self->by_number;
        self->learner = self->by_number = fed;
        fed = before;
    }
    lgkt_learner_destroy(fed);
    return py_call_end(&call, status, text) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *feed(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                      PyObject *keywords)
{
    static const char *const types[] = {"i4", "i4", "f8", "i4", "u1"};
    PyObject *v[5];
    if (!py_arguments("feed", feed_names, 4, arguments, count, keywords, v))
        return NULL;
    if (PyIndex_Check(v[0]) && !PySequence_Check(v[0]))
        return feed_one((py_learner *)self, v);
    py_array columns[5] = {{0}};
    PyObject *result = NULL;
    bool read = true;
    for (int i = 0; i < 5 && read; i++)
        if (i < 4 || (v[i] != NULL && v[i] != Py_None))
            read = py_array_read(v[i], feed_names[i], types[i], 1, &columns[i]);
    if (read)
        result = feed_rows((py_learner *)self, columns);
    for (int i = 0; i < 5; i++)
        py_array_release(&columns[i]);
    return result;
}

// ---- making ----

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    if (keywords != NULL && type == py_learner_type &&
        PyDict_GetItemString(keywords, "features") != NULL)
        return py_records_create("RecordLearner", arguments, keywords);
    static char *names[] = {"spec",  "states",    "actions",    "horizon",    "masked",
                            "seed",  "instance",  "reward_min", "reward_max", "reward_sd",
                            "model", "threshold", "coin",       "like",       NULL};
    const char *spec;
    PyObject *states, *given[PY_CONFIG_SIZE] = {NULL}, *model = NULL, *threshold = NULL,
                      *coin = NULL, *like = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "sOOO|$OOOOOOOOOO:Learner", names, &spec,
                                     &states, &given[0], &given[1], &given[2], &given[3], &given[4],
                                     &given[5], &given[6], &given[7], &model, &threshold, &coin,
                                     &like))
        return NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_problem *problem = &config.problem;
    if (!py_int32(states, "states", &problem->states) || !py_config_take(given, &config))
        return NULL;
    if (like != NULL && like != Py_None) {
        if (!PyObject_TypeCheck(like, py_learner_type)) {
            PyErr_SetString(PyExc_TypeError, "like must be a Learner");
            return NULL;
        }
        config.like = ((py_learner *)like)->learner;
    }
    py_learner *self = py_learner_new(type, threshold, coin, model, &config);
    if (self == NULL)
        return NULL;
    lgkt_error error = {0};
    const lgkt_status status = lgkt_learner_create(spec, &config, &self->by_number, &error);
    return py_learner_made(self, status, &error);
}

static lgkt_status load_bytes(const Py_buffer *data, const lgkt_learner_config *config,
                              py_learner *self, lgkt_error *error)
{
    return lgkt_learner_load(data->buf, (size_t)data->len, config, &self->by_number, error);
}

static PyObject *load(PyObject *type, PyObject *arguments, PyObject *keywords)
{
    return py_learner_load(type, arguments, keywords, true, load_bytes);
}

// ---- the type ----

static PyMethodDef methods[] = {
    {"act", (PyCFunction)(void (*)(void))act, METH_FASTCALL | METH_KEYWORDS,
     "act($self, state, allowed=None)\n--\n\n"
     "Choose the action for the state at hand. After an `observe` that was not `ended` the state\n"
     "must be the one observed. `allowed` has a bool for each action, and what is False is not\n"
     "chosen; the learner must have been made with `masked=True`.\n\n"
     ">>> import lgkt\n"
     ">>> learner = lgkt.Learner(\"random\", states=5, actions=3, horizon=1000, masked=True)\n"
     ">>> learner.act(0, allowed=[False, False, True])\n"
     "2"},
    {"explain", (PyCFunction)(void (*)(void))explain, METH_FASTCALL | METH_KEYWORDS,
     "explain($self, state, allowed=None)\n--\n\n"
     "Say what the learner holds of each action in a state, and what it would do there now: an\n"
     "array (A) with the fields visits, mean_reward, value, lower, upper, good (1 if the action\n"
     "counts as good enough) and probability. What a learner does not have is NaN. The\n"
     "probabilities sum to 1; they are NaN where a model would be drawn anew before the choice,\n"
     "between `act` and `observe`, and when the run is over. The learner stays as it is.\n\n"
     ">>> import lgkt\n"
     ">>> learner = lgkt.Learner(\"random\", states=5, actions=4, horizon=1000)\n"
     ">>> learner.explain(0)[\"probability\"]\n"
     "array([0.25, 0.25, 0.25, 0.25])"},
    {"observe", (PyCFunction)(void (*)(void))observe, METH_FASTCALL | METH_KEYWORDS,
     "observe($self, reward, next_state, ended=False)\n--\n\n"
     "Tell what the action earned and where it led. What the world ends leads to where it starts\n"
     "again: that is `next_state`, as after any other move. `ended` is for what a clock ends: the\n"
     "process was cut, and `next_state` is no consequence of the action."},
    {"step", (PyCFunction)(void (*)(void))step, METH_FASTCALL | METH_KEYWORDS,
     "step($self, reward, next_state, ended=False, allowed=None)\n--\n\n"
     "Observe and act in one call: returns the action for `next_state`, one of those `allowed`.\n"
     "At the last step of the horizon there is no next action: use `observe` there.\n\n"
     ">>> import lgkt\n"
     ">>> learner = lgkt.Learner(\"auto\", states=5, actions=2, horizon=1000)\n"
     ">>> action = learner.act(0)\n"
     ">>> action = learner.step(0.5, next_state=3)\n"
     ">>> learner.time, learner.next_state\n"
     "(1, 3)"},
    {"jump", py_jump, METH_NOARGS,
     "jump($self)\n--\n\n"
     "Say that the run goes on in another state than the one observed, and that nobody is told "
     "how\n"
     "it got there: the next act may be in any state. It is no cut: the step to come counts as "
     "one\n"
     "that follows on the last.\n\n"
     ">>> import lgkt\n"
     ">>> learner = lgkt.Learner(\"lg2t\", states=5, actions=2, horizon=1000)\n"
     ">>> action = learner.act(0)\n"
     ">>> learner.observe(0.5, next_state=3)\n"
     ">>> learner.jump()\n"
     ">>> action = learner.act(0)"},
    {"feed", (PyCFunction)(void (*)(void))feed, METH_FASTCALL | METH_KEYWORDS,
     "feed($self, state, action, reward, next_state, ended=None)\n--\n\n"
     "Let the learner watch steps that another one chose: arrays of one length, or plain numbers\n"
     "for one step. It takes no step of the run. Of many rows all are fed or, where one is\n"
     "refused, none; the message names it.\n\n"
     ">>> import lgkt\n"
     ">>> learner = lgkt.Learner(\"auto\", states=5, actions=2, horizon=1000)\n"
     ">>> learner.feed([0, 1, 1], [1, 1, 0], reward=[0, 0.5, 1], next_state=[1, 1, 2])\n"
     ">>> learner.time\n"
     "0"},
    {"load", (PyCFunction)(void (*)(void))load, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "load($type, data, threshold=None, coin=None, model=None, *, reseed=None)\n--\n\n"
     "Make a learner from saved bytes: it goes on bit for bit as the saved one would have.\n"
     "Thresholds and coin that were given by hand, and the model of an oracle, are given again.\n"
     "With `reseed`, a tuple (seed, instance), it goes on with other random numbers."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Learner(spec, states=None, actions=None, horizon=None, *, masked=False, seed=0, instance=0,\n"
     "        reward_min=None, reward_max=None, reward_sd=None, model=None, threshold=None,\n"
     "        coin=None, like=None, features=None)\n"
     "--\n\n"
     "One learner on one trajectory that is never reset.\n\n"
     ">>> import lgkt\n"
     ">>> env = lgkt.Env(\"riverswim:states=5\", seed=1)\n"
     ">>> run = env.trajectory(horizon=1000)\n"
     ">>> learner = lgkt.Learner(\"auto\", states=5, actions=2, horizon=1000, seed=1)\n"
     ">>> for _ in range(1000):\n"
     "...     learner.observe(*run.step(learner.act(run.state)))\n"
     ">>> learner.time\n"
     "1000\n\n"
     "`masked` says that some actions will not be allowed at times (`act`).\n"
     "What is known of the rewards (bounds of their means, scale of their noise) may be told;\n"
     "None is not known. `threshold` is a number, an array (S) or (steps, S), or a function of\n"
     "(t, state, k); `coin` an array with a number of [0, 1) for every step, or a function of t.\n"
     "`like` shares the constant tables of another learner.\n\n"
     "With `features` in place of `states` it is a `RecordLearner`, on records of numbers and\n"
     "categories that need no states: ``Learner(\"auto\", features=7, actions=3, horizon=5000)``."},
    {Py_tp_new, create},
    {Py_tp_dealloc, py_learner_dealloc},
    {Py_tp_traverse, py_learner_traverse},
    {Py_tp_clear, py_learner_clear},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lgkt.Learner",
    .basicsize = sizeof(py_learner),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

bool py_add_learner(PyObject *module)
{
    return py_add_type(module, "Learner", &spec, py_any_learner_type, &py_learner_type);
}
