// SPDX-License-Identifier: MIT
// lgkt.Learner: act, observe, feed, save, load (lgkt/learner.h).
#include "py_core.h"

// From so many pairs on, a call lets other threads run. Handing the interpreter over and getting it
// back costs more than a step of a small learner takes.
#define LARGE_PAIRS 2000

PyTypeObject *py_learner_type;

// ---- calls ----

// A call into the learner: `begin` fails where it may not be used now; `end` makes the result.
typedef struct call {
    py_learner *self;
    PyThreadState *released;
} call;

static inline bool begin(call *c, PyObject *object)
{
    c->self = (py_learner *)object;
    if (!py_enter(&c->self->busy, "learner"))
        return false;
    if (c->self->helpers.failed) {
        py_leave(&c->self->busy);
        py_helpers_usable(&c->self->helpers);
        return false;
    }
    c->released = c->self->large && !c->self->helpers.calls ? PyEval_SaveThread() : NULL;
    return true;
}

static inline bool end(const call *c, lgkt_status status)
{
    if (c->released != NULL)
        PyEval_RestoreThread(c->released);
    const bool good = status == LGKT_OK && !c->self->helpers.failed;
    if (!good)
        py_fail(status, lgkt_learner_message(c->self->learner));
    py_leave(&c->self->busy);
    return good;
}

static PyObject *act(PyObject *self, PyObject *argument)
{
    int32_t state, action = 0;
    call c;
    if (!py_int32(argument, "state", &state) || !begin(&c, self))
        return NULL;
    const lgkt_status status = lgkt_learner_act(c.self->learner, state, &action);
    return end(&c, status) ? PyLong_FromLong(action) : NULL;
}

static const char *const step_names[] = {"reward", "next_state", "ended", NULL};

// what observe and step are given
static inline bool read_step(const char *function, PyObject *const *arguments, Py_ssize_t count,
                             PyObject *keywords, double *reward, int32_t *next, bool *ended)
{
    PyObject *v[3];
    return py_arguments(function, step_names, 2, arguments, count, keywords, v) &&
           py_real(v[0], "reward", reward) && py_int32(v[1], "next_state", next) &&
           py_bool(v[2], ended);
}

static PyObject *observe(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *keywords)
{
    double reward;
    int32_t next;
    bool ended;
    call c;
    if (!read_step("observe", arguments, count, keywords, &reward, &next, &ended) ||
        !begin(&c, self))
        return NULL;
    const lgkt_status status = lgkt_learner_observe(c.self->learner, reward, next, ended);
    return end(&c, status) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *step(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                      PyObject *keywords)
{
    double reward;
    int32_t next, action = 0;
    bool ended;
    call c;
    if (!read_step("step", arguments, count, keywords, &reward, &next, &ended) || !begin(&c, self))
        return NULL;
    lgkt_status status = lgkt_learner_observe(c.self->learner, reward, next, ended);
    if (status == LGKT_OK)
        status = lgkt_learner_act(c.self->learner, next, &action);
    return end(&c, status) ? PyLong_FromLong(action) : NULL;
}

// ---- feed ----

static const char *const feed_names[] = {"state", "action", "reward", "next_state", "ended", NULL};

static PyObject *feed_one(PyObject *self, PyObject **v)
{
    int32_t state, action, next;
    double reward;
    bool ended;
    call c;
    if (!py_int32(v[0], "state", &state) || !py_int32(v[1], "action", &action) ||
        !py_real(v[2], "reward", &reward) || !py_int32(v[3], "next_state", &next) ||
        !py_bool(v[4], &ended) || !begin(&c, self))
        return NULL;
    const lgkt_status status =
        lgkt_learner_feed(c.self->learner, state, action, reward, next, ended);
    return end(&c, status) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *feed_rows(PyObject *self, const py_array columns[5])
{
    const Py_ssize_t count = columns[0].shape[0];
    const int32_t *state = columns[0].data, *action = columns[1].data, *next = columns[3].data;
    const double *reward = columns[2].data;
    const uint8_t *ended = columns[4].data;
    for (int i = 1; i < 5; i++)
        if (columns[i].data != NULL && columns[i].shape[0] != count)
            return py_fail(LGKT_ERR_SHAPE, "feed: the arrays differ in length");
    call c;
    if (!begin(&c, self))
        return NULL;
    PyThreadState *released = c.released == NULL ? PyEval_SaveThread() : NULL;
    lgkt_status status = LGKT_OK;
    Py_ssize_t i = 0;
    for (; i < count && status == LGKT_OK; i++)
        status = lgkt_learner_feed(c.self->learner, state[i], action[i], reward[i], next[i],
                                   ended != NULL && ended[i] != 0);
    if (released != NULL)
        PyEval_RestoreThread(released);
    if (status == LGKT_OK)
        return end(&c, status) ? Py_NewRef(Py_None) : NULL;
    char text[320];
    snprintf(text, sizeof text, "row %zd: %s", i - 1, lgkt_learner_message(c.self->learner));
    end(&c, LGKT_OK);
    return py_fail(status, text);
}

static PyObject *feed(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                      PyObject *keywords)
{
    static const char *const types[] = {"i4", "i4", "f8", "i4", "u1"};
    PyObject *v[5];
    if (!py_arguments("feed", feed_names, 4, arguments, count, keywords, v))
        return NULL;
    if (PyIndex_Check(v[0]) && !PySequence_Check(v[0]))
        return feed_one(self, v);
    py_array columns[5] = {{0}};
    PyObject *result = NULL;
    bool read = true;
    for (int i = 0; i < 5 && read; i++)
        if (v[i] != NULL && v[i] != Py_None)
            read = py_array_read(v[i], feed_names[i], types[i], 1, &columns[i]);
    if (read)
        result = feed_rows(self, columns);
    for (int i = 0; i < 5; i++)
        py_array_release(&columns[i]);
    return result;
}

// ---- making ----

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"spec",      "states",     "actions",    "horizon",   "seed",
                            "instance",  "reward_min", "reward_max", "reward_sd", "model",
                            "threshold", "coin",       "like",       NULL};
    const char *spec;
    PyObject *states, *actions, *horizon, *seed = NULL, *instance = NULL, *min = NULL, *max = NULL,
                                          *sd = NULL, *model = NULL, *threshold = NULL,
                                          *coin = NULL, *like = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "sOOO|$OOOOOOOOO:Learner", names, &spec,
                                     &states, &actions, &horizon, &seed, &instance, &min, &max, &sd,
                                     &model, &threshold, &coin, &like))
        return NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_problem *problem = &config.problem;
    if (!py_int32(states, "states", &problem->states) ||
        !py_int32(actions, "actions", &problem->actions) ||
        !py_int64(horizon, "horizon", &problem->horizon) ||
        (seed != NULL && !py_uint64(seed, "seed", &config.seed)) ||
        (instance != NULL && !py_uint64(instance, "instance", &config.instance)) ||
        !py_real_or_none(min, "reward_min", &problem->reward_min) ||
        !py_real_or_none(max, "reward_max", &problem->reward_max) ||
        !py_real_or_none(sd, "reward_sd", &problem->reward_sd))
        return NULL;
    if (like != NULL && like != Py_None) {
        if (!PyObject_TypeCheck(like, py_learner_type)) {
            PyErr_SetString(PyExc_TypeError, "like must be a Learner");
            return NULL;
        }
        config.like = ((py_learner *)like)->learner;
    }
    py_learner *self = (py_learner *)py_object_new(type);
    if (self == NULL)
        return NULL;
    lgkt_error error = {0};
    lgkt_status status = LGKT_OK;
    bool good = py_helpers_take(&self->helpers, threshold, coin, model, problem->states,
                                problem->horizon, &config);
    if (good) {
        status = lgkt_learner_create(spec, &config, &self->learner, &error);
        if (status != LGKT_OK)
            good = py_fail_error(&error) != NULL;
    }
    if (!good)
        Py_CLEAR(self);
    else
        self->large = (int64_t)problem->states * problem->actions >= LARGE_PAIRS;
    return (PyObject *)self;
}

static PyObject *load(PyObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"data", "threshold", "coin", "model", NULL};
    PyObject *threshold = NULL, *coin = NULL, *model = NULL;
    Py_buffer data;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "y*|OOO:load", names, &data, &threshold,
                                     &coin, &model))
        return NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_error error = {0};
    lgkt_status status = LGKT_OK;
    py_learner *self = (py_learner *)py_object_new((PyTypeObject *)type);
    bool good = self != NULL && py_model_of(model, "model", &config.problem.model);
    // its sizes are needed to check what is given besides
    if (good) {
        status = lgkt_learner_load(data.buf, (size_t)data.len, &config, &self->learner, &error);
        good = status == LGKT_OK || py_fail_error(&error) != NULL;
    }
    const lgkt_problem saved = good ? lgkt_learner_problem(self->learner) : config.problem;
    if (good)
        good = py_helpers_take(&self->helpers, threshold, coin, model, saved.states, saved.horizon,
                               &config);
    if (good &&
        (config.threshold.fn != NULL || config.threshold.table != NULL || config.coin != NULL)) {
        lgkt_learner_destroy(self->learner);
        self->learner = NULL;
        status = lgkt_learner_load(data.buf, (size_t)data.len, &config, &self->learner, &error);
        good = status == LGKT_OK || py_fail_error(&error) != NULL;
    }
    PyBuffer_Release(&data);
    if (!good)
        Py_CLEAR(self);
    else
        self->large = (int64_t)saved.states * saved.actions >= LARGE_PAIRS;
    return (PyObject *)self;
}

// ---- saving and looking ----

static lgkt_status save_bytes(const void *handle, void *buffer, size_t capacity, size_t *size)
{
    return lgkt_learner_save(handle, buffer, capacity, size);
}

static PyObject *save(PyObject *object, PyObject *unused)
{
    (void)unused;
    py_learner *self = (py_learner *)object;
    if (!py_enter(&self->busy, "learner"))
        return NULL;
    PyObject *bytes = py_saved(save_bytes, self->learner);
    py_leave(&self->busy);
    return bytes;
}

static PyObject *reduce(PyObject *self, PyObject *unused)
{
    return py_helpers_reduce(self, save(self, unused), &((py_learner *)self)->helpers);
}

static lgkt_learner *of(PyObject *self)
{
    return ((py_learner *)self)->learner;
}

static PyObject *represent(PyObject *self)
{
    const lgkt_problem problem = lgkt_learner_problem(of(self));
    return PyUnicode_FromFormat("<lgkt.Learner %s states=%d actions=%d time=%lld of %lld>",
                                lgkt_learner_spec(of(self)), problem.states, problem.actions,
                                (long long)lgkt_learner_time(of(self)), (long long)problem.horizon);
}

static PyObject *get_next_state(PyObject *self, void *unused)
{
    (void)unused;
    const int32_t state = lgkt_learner_next_state(of(self));
    return state >= 0 ? PyLong_FromLong(state) : Py_NewRef(Py_None);
}

static PyObject *get_counters(PyObject *self, void *unused)
{
    (void)unused;
    return py_counters(of(self));
}

#define GETTER(name, make)                                                                         \
    static PyObject *get_##name(PyObject *self, void *unused)                                      \
    {                                                                                              \
        (void)unused;                                                                              \
        return make;                                                                               \
    }

GETTER(spec, PyUnicode_FromString(lgkt_learner_spec(of(self))))
GETTER(time, PyLong_FromLongLong(lgkt_learner_time(of(self))))
GETTER(horizon, PyLong_FromLongLong(lgkt_learner_problem(of(self)).horizon))
GETTER(states, PyLong_FromLong(lgkt_learner_problem(of(self)).states))
GETTER(actions, PyLong_FromLong(lgkt_learner_problem(of(self)).actions))
GETTER(hash, PyLong_FromUnsignedLongLong(lgkt_learner_hash(of(self))))
GETTER(nbytes, PyLong_FromSize_t(lgkt_learner_bytes(of(self))))

// ---- the type ----

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return py_helpers_visit(&((py_learner *)self)->helpers, visit, arg);
}

// a function that holds the learner it serves: the two go together, and it is asked no more
static int clear(PyObject *self)
{
    py_helpers *helpers = &((py_learner *)self)->helpers;
    helpers->failed = true;
    Py_CLEAR(helpers->threshold);
    Py_CLEAR(helpers->coin);
    return 0;
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    lgkt_learner_destroy(of(self));
    py_helpers_release(&((py_learner *)self)->helpers);
    py_object_free(self);
}

static PyMethodDef methods[] = {
    {"act", act, METH_O,
     "act($self, state, /)\n--\n\n"
     "Choose the action for the state at hand. After an `observe` that was not `ended` the state\n"
     "must be the one observed."},
    {"observe", (PyCFunction)(void (*)(void))observe, METH_FASTCALL | METH_KEYWORDS,
     "observe($self, reward, next_state, ended=False)\n--\n\n"
     "Tell what the action earned and where it led. `ended` says that the process was cut:\n"
     "`next_state` is then no consequence of the action."},
    {"step", (PyCFunction)(void (*)(void))step, METH_FASTCALL | METH_KEYWORDS,
     "step($self, reward, next_state, ended=False)\n--\n\n"
     "Observe and act in one call: returns the action for `next_state`. At the last step of the\n"
     "horizon there is no next action: use `observe` there."},
    {"feed", (PyCFunction)(void (*)(void))feed, METH_FASTCALL | METH_KEYWORDS,
     "feed($self, state, action, reward, next_state, ended=None)\n--\n\n"
     "Let the learner watch a step that another one chose, or many: whole numbers and a number, "
     "or\n"
     "arrays of one length. It takes no step of the run. A row that is refused ends the call; "
     "those\n"
     "before it were fed."},
    {"save", save, METH_NOARGS,
     "save($self)\n--\n\nThe whole state as bytes, which do not depend on the machine."},
    {"load", (PyCFunction)(void (*)(void))load, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "load($type, data, threshold=None, coin=None, model=None)\n--\n\n"
     "Make a learner from saved bytes: it goes on bit for bit as the saved one would have.\n"
     "Thresholds and coin that were given by hand, and the model of an oracle, are given again."},
    {"__reduce__", reduce, METH_NOARGS, "__reduce__($self)\n--\n\nFor pickle and copy."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"spec", get_spec, NULL, "The full spec: the name with every parameter.", NULL},
    {"time", get_time, NULL, "Finished steps.", NULL},
    {"horizon", get_horizon, NULL, "The number of steps of the one run.", NULL},
    {"states", get_states, NULL, "The number of states.", NULL},
    {"actions", get_actions, NULL, "The number of actions.", NULL},
    {"next_state", get_next_state, NULL, "The state of the next act; None if it may be any.", NULL},
    {"counters", get_counters, NULL, "Numbers worth showing, by name.", NULL},
    {"hash", get_hash, NULL, "A hash of the whole mutable state.", NULL},
    {"nbytes", get_nbytes, NULL, "Bytes held by this learner, shared tables included.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Learner(spec, states, actions, horizon, *, seed=0, instance=0, reward_min=None,\n"
     "        reward_max=None, reward_sd=None, model=None, threshold=None, coin=None, like=None)\n"
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
     "What is known of the rewards (bounds of their means, scale of their noise) may be told;\n"
     "None is not known. `threshold` is a number, an array (S) or (steps, S), or a function of\n"
     "(t, state, k); `coin` an array with a number of [0, 1) for every step, or a function of t.\n"
     "`like` shares the constant tables of another learner."},
    {Py_tp_new, create},
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_repr, represent},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
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
    return py_add_type(module, "Learner", &spec, &py_learner_type);
}
