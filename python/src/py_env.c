// SPDX-License-Identifier: MIT
// lgkt.Env: one drawn world (lgkt/env.h). The class of the package reads files besides.
#include <math.h>

#include "py_core.h"

PyTypeObject *py_env_type;

static const py_env *of(PyObject *self)
{
    return (const py_env *)self;
}

// ---- making ----

// Model, or numbers; these are copied, so that the environment can be made anew from the same
static bool take_data(py_env *self, PyObject *data, py_array *series, lgkt_data *taken)
{
    if (data == NULL || data == Py_None)
        return true;
    if (PyObject_TypeCheck(data, py_model_type)) {
        self->data = Py_NewRef(data);
        taken->kind = LGKT_DATA_MODEL;
        return py_model_of(data, "data", &taken->model);
    }
    PyObject *arrays = PyImport_ImportModule("lgkt._arrays");
    if (arrays != NULL)
        self->data = PyObject_CallMethod(arrays, "series", "O", data);
    Py_XDECREF(arrays);
    if (self->data == NULL || !py_array_read(self->data, "data", "f8", 1, series))
        return false;
    *taken = (lgkt_data){LGKT_DATA_SERIES, NULL, series->data, (size_t)series->shape[0]};
    return true;
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"spec", "seed", "instance", "data", NULL};
    const char *spec;
    PyObject *seed = NULL, *instance = NULL, *data = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "s|$OOO:Env", names, &spec, &seed,
                                     &instance, &data))
        return NULL;
    lgkt_env_config config = lgkt_env_config_default();
    if ((seed != NULL && !py_uint64(seed, "seed", &config.seed)) ||
        (instance != NULL && !py_uint64(instance, "instance", &config.instance)))
        return NULL;
    py_env *self = (py_env *)py_object_new(type);
    if (self == NULL)
        return NULL;
    self->spec = PyUnicode_FromString(spec);
    self->seed = config.seed;
    self->instance = config.instance;
    lgkt_error error = {0};
    lgkt_status status = LGKT_ERR_CONFIG;
    py_array series = {0};
    if (self->spec != NULL && take_data(self, data, &series, &config.data)) {
        Py_BEGIN_ALLOW_THREADS status = lgkt_env_create(spec, &config, &self->env, &error);
        Py_END_ALLOW_THREADS if (status != LGKT_OK) py_fail_error(&error);
    }
    py_array_release(&series);
    if (status != LGKT_OK)
        Py_CLEAR(self);
    return (PyObject *)self;
}

// arguments that make the same environment again, in another process too
static PyObject *new_arguments(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_BuildValue("(O){sKsKsO}", of(self)->spec, "seed", (unsigned long long)of(self)->seed,
                         "instance", (unsigned long long)of(self)->instance, "data",
                         of(self)->data != NULL ? of(self)->data : Py_None);
}

// ---- runs ----

static PyObject *trajectory(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"horizon", "seed", "instance", NULL};
    PyObject *horizon, *seed = Py_None, *instance = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$OO:trajectory", names, &horizon,
                                     &seed, &instance))
        return NULL;
    return py_trajectory_start(py_trajectory_type, self, horizon, seed, instance);
}

// ---- looking ----

static PyObject *allowed(PyObject *self, PyObject *argument)
{
    const lgkt_problem problem = lgkt_env_problem(of(self)->env, 1);
    int32_t state;
    if (!py_int32(argument, "state", &state))
        return NULL;
    if (state >= 0 && state < problem.states)
        return py_mask_new(lgkt_env_allowed(of(self)->env, state), problem.actions);
    char text[80];
    snprintf(text, sizeof text, "state %d is out of range [0, %d]", (int)state,
             (int)problem.states - 1);
    return py_fail(LGKT_ERR_ARGUMENT, text);
}

static PyObject *known(double number)
{
    return isnan(number) ? Py_NewRef(Py_None) : PyFloat_FromDouble(number);
}

static lgkt_problem told(PyObject *self)
{
    return lgkt_env_problem(of(self)->env, 1);
}

// of each number of a record 0, or the count of a category
static PyObject *kinds_of(const lgkt_env *env)
{
    const lgkt_view *record = lgkt_env_record(env);
    if (record == NULL)
        return Py_NewRef(Py_None);
    PyObject *kinds = PyTuple_New(record->dims);
    for (int32_t d = 0; kinds != NULL && d < record->dims; d++) {
        PyObject *count = PyLong_FromLong(record->kinds == NULL ? 0 : record->kinds[d].count);
        if (count == NULL || PyTuple_SetItem(kinds, d, count) < 0)
            Py_CLEAR(kinds);
    }
    return kinds;
}

#define GETTER(name, make)                                                                         \
    static PyObject *get_##name(PyObject *self, void *unused)                                      \
    {                                                                                              \
        (void)unused;                                                                              \
        return make;                                                                               \
    }

GETTER(spec, Py_NewRef(of(self)->spec))
GETTER(seed, PyLong_FromUnsignedLongLong(of(self)->seed))
GETTER(instance, PyLong_FromUnsignedLongLong(of(self)->instance))
GETTER(data, Py_NewRef(of(self)->data != NULL ? of(self)->data : Py_None))
GETTER(states, PyLong_FromLong(told(self).states))
GETTER(actions, PyLong_FromLong(told(self).actions))
GETTER(masked, py_new_bool(told(self).masked))
GETTER(reward_min, known(told(self).reward_min))
GETTER(reward_max, known(told(self).reward_max))
GETTER(reward_sd, known(told(self).reward_sd))
GETTER(model, py_model_wrap(lgkt_env_model(of(self)->env)))
GETTER(hidden_model, py_model_wrap(lgkt_env_hidden_model(of(self)->env)))
GETTER(coarse, PyBool_FromLong(lgkt_env_coarse(of(self)->env)))
GETTER(kinds, kinds_of(of(self)->env))
GETTER(jumps, PyBool_FromLong(lgkt_env_jumps(of(self)->env)))
GETTER(note, PyUnicode_FromString(lgkt_env_note(of(self)->env)))

// ---- the type ----

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(of(self)->data);
    return 0;
}

static void dealloc(PyObject *object)
{
    py_env *self = (py_env *)object;
    PyObject_GC_UnTrack(object);
    lgkt_env_destroy(self->env);
    Py_CLEAR(self->spec);
    Py_CLEAR(self->data);
    py_object_free(object);
}

static PyMethodDef methods[] = {
    {"trajectory", (PyCFunction)(void (*)(void))trajectory, METH_VARARGS | METH_KEYWORDS,
     "trajectory($self, horizon, *, seed=None, instance=None)\n--\n\n"
     "Start a run of `horizon` steps. Runs of the same seed and instance share their noise: None\n"
     "is those of the environment."},
    {"allowed", allowed, METH_O,
     "allowed($self, state, /)\n--\n\n"
     "Which actions may be played in a state, as bools; None where all may be played everywhere."},
    {"__getnewargs_ex__", new_arguments, METH_NOARGS,
     "__getnewargs_ex__($self)\n--\n\nFor pickle and copy."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"spec", get_spec, NULL, "The spec, as it was given.", NULL},
    {"seed", get_seed, NULL, "The root seed.", NULL},
    {"instance", get_instance, NULL, "Which instance of the environment it is.", NULL},
    {"data", get_data, NULL, "The model or the prices that it was made from; else None.", NULL},
    {"states", get_states, NULL, "The number of states; 0: they are records.", NULL},
    {"actions", get_actions, NULL, "The number of actions.", NULL},
    {"masked", get_masked, NULL, "Whether some actions are forbidden in some states.", NULL},
    {"reward_min", get_reward_min, NULL, "Lower bound of the mean rewards; None: not known.", NULL},
    {"reward_max", get_reward_max, NULL, "Upper bound of the mean rewards; None: not known.", NULL},
    {"coarse", get_coarse, NULL, "Whether several observations are one state: a view of numbers.",
     NULL},
    {"kinds", get_kinds, NULL,
     "Where states are records: for each feature 0 if it is a number, else how many categories it "
     "has; None where states are numbered.",
     NULL},
    {"jumps", get_jumps, NULL,
     "Whether the state to observe may be another than the one to act in next, without a cut that "
     "is "
     "told (frozenlake:return=tile, trading:cut=kept): see `Trajectory.shown` and `Learner.jump`.",
     NULL},
    {"reward_sd", get_reward_sd, NULL, "Scale of the noise of rewards; None: not known.", NULL},
    {"model", get_model, NULL, "The exact model; None where there is none (trading, merged).",
     NULL},
    {"hidden_model", get_hidden_model, NULL,
     "The model of the process behind the states shown, where these are not its own (merged).",
     NULL},
    {"note", get_note, NULL, "One line on what was made.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Env(spec, *, seed=0, instance=0, data=None)\n--\n\n"
     "One drawn world, which never changes. `data` is the Model or the array of prices that it is\n"
     "made from, where its spec asks for one."},
    {Py_tp_new, create},
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lgkt._core.Env",
    .basicsize = sizeof(py_env),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

bool py_add_env(PyObject *module)
{
    return py_add_type(module, "Env", &spec, NULL, &py_env_type);
}
