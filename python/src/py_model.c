// SPDX-License-Identifier: MIT
// lgkt._core.Model: a known model (lgkt/mdp.h), made from flat arrays and read back into them. What
// users give, and files, are turned into such arrays in lgkt/model.py.
#include "py_core.h"

#include "core/error.h"

PyTypeObject *py_model_type;

PyObject *py_model_wrap(const lgkt_mdp *mdp)
{
    if (mdp == NULL)
        return Py_NewRef(Py_None);
    // users see the class of Python
    PyObject *module = PyImport_ImportModule("lgkt.model");
    PyObject *type = module != NULL ? PyObject_GetAttrString(module, "Model") : NULL;
    py_model *self = type != NULL ? (py_model *)py_object_new((PyTypeObject *)type) : NULL;
    if (self != NULL)
        self->mdp = lgkt_mdp_retain(mdp);
    Py_XDECREF(type);
    Py_XDECREF(module);
    return (PyObject *)self;
}

bool py_model_of(PyObject *object, const char *name, const lgkt_mdp **mdp)
{
    *mdp = NULL;
    if (object == NULL || object == Py_None)
        return true;
    if (PyObject_TypeCheck(object, py_model_type)) {
        *mdp = ((py_model *)object)->mdp;
        return true;
    }
    PyErr_Format(PyExc_TypeError, "%s must be a Model or None", name);
    return false;
}

// ---- making ----

// the arrays that a model is made from, in the order of the arguments
enum { PAIR, NEXT, PROBABILITY, REWARDS, MOVE_PAIR, MOVE_NEXT, MOVE_REWARD, NOISE, SD, FORBIDDEN };
enum { ARRAYS = FORBIDDEN + 1 };

static const struct {
    const char *name, *type;
} parts[ARRAYS] = {
    {"pair", "i4"},      {"next", "i4"},      {"probability", "f8"}, {"rewards", "f8"},
    {"move_pair", "i4"}, {"move_next", "i4"}, {"move_reward", "f8"}, {"noise", "u1"},
    {"noise_sd", "f8"},  {"forbidden", "u1"},
};

// Lengths that belong together; an array that was not given has length 0.
static bool check_lengths(const py_array array[ARRAYS], Py_ssize_t pairs)
{
    const struct {
        int which;
        Py_ssize_t length;
        bool optional;
    } rules[] = {
        {NEXT, array[PAIR].shape[0], false},
        {PROBABILITY, array[PAIR].shape[0], false},
        {REWARDS, pairs, false},
        {MOVE_NEXT, array[MOVE_PAIR].shape[0], false},
        {MOVE_REWARD, array[MOVE_PAIR].shape[0], false},
        {NOISE, array[NOISE].shape[0] == 1 ? 1 : pairs, true},
        {SD, array[NOISE].shape[0], false},
        {FORBIDDEN, pairs, true},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const py_array *given = &array[rules[i].which];
        if (given->shape[0] == rules[i].length || (rules[i].optional && given->object == NULL))
            continue;
        char text[160];
        snprintf(text, sizeof text, "%s has %zd numbers; it must have %zd",
                 parts[rules[i].which].name, given->shape[0], rules[i].length);
        py_fail(LGKT_ERR_SHAPE, text);
        return false;
    }
    return true;
}

// A start law is NULL where one state is given.
static lgkt_status build(int32_t states, int32_t actions, const py_array array[ARRAYS],
                         int32_t start, const double *law, lgkt_mdp **mdp, lgkt_error *error)
{
    const int32_t *pair = array[PAIR].data, *next = array[NEXT].data;
    const int32_t *move = array[MOVE_PAIR].data, *move_next = array[MOVE_NEXT].data;
    const double *p = array[PROBABILITY].data, *rewards = array[REWARDS].data;
    const double *move_reward = array[MOVE_REWARD].data, *sd = array[SD].data;
    const uint8_t *noise = array[NOISE].data, *forbidden = array[FORBIDDEN].data;
    const bool one_noise = array[NOISE].shape[0] == 1;
    lgkt_mdp_builder *builder;
    lgkt_status status = lgkt_mdp_builder_create(states, actions, NULL, &builder, error);
    if (status != LGKT_OK)
        return status;
    for (int64_t z = 0; z < (int64_t)states * actions && status == LGKT_OK; z++) {
        const int32_t s = (int32_t)(z / actions), a = (int32_t)(z % actions);
        status = lgkt_mdp_builder_reward(builder, s, a, rewards[z]);
        if (status == LGKT_OK && noise != NULL && !one_noise)
            status = lgkt_mdp_builder_pair_noise(builder, s, a, noise[z], sd[z]);
        if (status == LGKT_OK && forbidden != NULL && forbidden[z] != 0)
            status = lgkt_mdp_builder_forbid(builder, s, a);
    }
    if (status == LGKT_OK && one_noise)
        status = lgkt_mdp_builder_noise(builder, noise[0], sd[0]);
    for (Py_ssize_t i = 0; i < array[PAIR].shape[0] && status == LGKT_OK; i++)
        status =
            lgkt_mdp_builder_edge(builder, pair[i] / actions, pair[i] % actions, next[i], p[i]);
    for (Py_ssize_t i = 0; i < array[MOVE_PAIR].shape[0] && status == LGKT_OK; i++)
        status = lgkt_mdp_builder_edge_reward(builder, move[i] / actions, move[i] % actions,
                                              move_next[i], move_reward[i]);
    if (status == LGKT_OK)
        status = law != NULL ? lgkt_mdp_builder_start_law(builder, law)
                             : lgkt_mdp_builder_start(builder, start);
    if (status != LGKT_OK)
        lgkt_fail(error, status, "%s", lgkt_mdp_builder_message(builder));
    if (status == LGKT_OK)
        status = lgkt_mdp_builder_build(builder, mdp, error);
    lgkt_mdp_builder_destroy(builder);
    return status;
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"states",   "actions",   "pair",      "next",        "probability",
                            "rewards",  "move_pair", "move_next", "move_reward", "noise",
                            "noise_sd", "forbidden", "start",     NULL};
    PyObject *sizes[2], *given[ARRAYS] = {NULL}, *start = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOOOO|$OOOOOOO:Model", names, &sizes[0],
                                     &sizes[1], &given[0], &given[1], &given[2], &given[3],
                                     &given[4], &given[5], &given[6], &given[7], &given[8],
                                     &given[9], &start))
        return NULL;
    int32_t states, actions, first = 0;
    if (!py_int32(sizes[0], "states", &states) || !py_int32(sizes[1], "actions", &actions))
        return NULL;
    py_array array[ARRAYS] = {{0}}, law = {0};
    PyObject *self = NULL;
    bool good = true;
    for (int i = 0; i < ARRAYS && good; i++)
        if (given[i] != NULL && given[i] != Py_None)
            good = py_array_read(given[i], parts[i].name, parts[i].type, 1, &array[i]);
    // sizes out of range are refused by the builder, before anything of that size is read
    if (good && states > 0 && actions > 0)
        good = check_lengths(array, (Py_ssize_t)states * actions);
    if (good && start != NULL && PyIndex_Check(start) && !PySequence_Check(start)) {
        good = py_int32(start, "start", &first);
    } else if (good && start != NULL && start != Py_None) {
        good = py_array_read(start, "start", "f8", 1, &law);
        if (good && law.shape[0] != states) {
            char text[120];
            snprintf(text, sizeof text, "start has %zd probabilities; it must have %d",
                     law.shape[0], (int)states);
            good = py_fail(LGKT_ERR_SHAPE, text) != NULL;
        }
    }
    if (good) {
        lgkt_mdp *mdp = NULL;
        lgkt_error error = {0};
        PyThreadState *released = PyEval_SaveThread();
        const lgkt_status status = build(states, actions, array, first, law.data, &mdp, &error);
        PyEval_RestoreThread(released);
        if (status != LGKT_OK)
            py_fail_error(&error);
        else if ((self = py_object_new(type)) != NULL)
            ((py_model *)self)->mdp = mdp;
        else
            lgkt_mdp_destroy(mdp);
    }
    for (int i = 0; i < ARRAYS; i++)
        py_array_release(&array[i]);
    py_array_release(&law);
    return self;
}

// a model from rows as they are, for large ones
static PyObject *model_of_rows(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *type, *given[5], *self = NULL;
    int states, actions;
    if (!PyArg_ParseTuple(arguments, "OiiOOOOO:model_of_rows", &type, &states, &actions, &given[0],
                          &given[1], &given[2], &given[3], &given[4]))
        return NULL;
    static const char *const names[] = {"indptr", "indices", "data", "R", "start"};
    static const char *const types[] = {"i8", "i4", "f8", "f8", "f8"};
    const Py_ssize_t pairs = (Py_ssize_t)states * actions;
    py_array array[5] = {{0}};
    bool good = PyType_IsSubtype((PyTypeObject *)type, py_model_type) != 0;
    for (int i = 0; i < 5 && good; i++)
        good = (i == 4 && given[i] == Py_None) ||
               py_array_read(given[i], names[i], types[i], 1, &array[i]);
    const int64_t *const begin = array[0].data;
    if (good && (states < 1 || actions < 1 || array[0].shape[0] != pairs + 1 ||
                 array[1].shape[0] != array[2].shape[0] || array[3].shape[0] != pairs ||
                 begin[pairs] > array[1].shape[0] ||
                 (array[4].object != NULL && array[4].shape[0] != states)))
        good = py_fail(LGKT_ERR_SHAPE, "the sizes of indptr, indices, data, R and start do not "
                                       "agree") != NULL;
    if (good) {
        lgkt_mdp *mdp = NULL;
        lgkt_error error = {0};
        PyThreadState *released = PyEval_SaveThread();
        const lgkt_status status =
            lgkt_mdp_from_rows(states, actions, begin, array[1].data, array[2].data, array[3].data,
                               array[4].data, NULL, &mdp, &error);
        PyEval_RestoreThread(released);
        if (status != LGKT_OK)
            py_fail_error(&error);
        else if ((self = py_object_new((PyTypeObject *)type)) != NULL)
            ((py_model *)self)->mdp = mdp;
        else
            lgkt_mdp_destroy(mdp);
    }
    for (int i = 0; i < 5; i++)
        py_array_release(&array[i]);
    return self;
}

// ---- looking ----

static const lgkt_mdp *of(PyObject *self)
{
    return ((py_model *)self)->mdp;
}

static const char *noise_name(lgkt_noise kind)
{
    static const char *const names[] = {"none", "normal", "bernoulli", "drifting", "mixed"};
    return names[kind];
}

// A tuple of arrays, which are given up in any case.
static PyObject *arrays_tuple(py_array *array, int count, bool made)
{
    PyObject *tuple = made ? PyTuple_New(count) : NULL;
    for (int i = 0; i < count; i++) {
        PyObject *object = py_array_take(&array[i]);
        if (tuple != NULL)
            PyTuple_SetItem(tuple, i, object);
        else
            Py_XDECREF(object);
    }
    return tuple;
}

static PyObject *get_rows(PyObject *self, void *unused)
{
    (void)unused;
    const lgkt_mdp *mdp = of(self);
    const int32_t actions = lgkt_mdp_actions(mdp);
    const Py_ssize_t pairs = (Py_ssize_t)lgkt_mdp_states(mdp) * actions, bounds = pairs + 1;
    py_array array[4] = {{0}}; // indptr, indices, data, rewards of moves
    bool made = py_array_make("i8", 1, &bounds, &array[0]);
    int64_t *begin = array[0].data;
    for (Py_ssize_t z = 0; z < pairs && made; z++)
        begin[z + 1] =
            begin[z] + lgkt_mdp_row(mdp, (int32_t)(z / actions), (int32_t)(z % actions)).n;
    const Py_ssize_t entries = made ? (Py_ssize_t)begin[pairs] : 0;
    made = made && py_array_make("i4", 1, &entries, &array[1]) &&
           py_array_make("f8", 1, &entries, &array[2]) &&
           py_array_make("f8", 1, &entries, &array[3]);
    for (Py_ssize_t z = 0; z < pairs && made; z++) {
        const lgkt_row row = lgkt_mdp_row(mdp, (int32_t)(z / actions), (int32_t)(z % actions));
        for (int32_t i = 0; i < row.n; i++) {
            ((int32_t *)array[1].data)[begin[z] + i] = row.next[i];
            ((double *)array[2].data)[begin[z] + i] = row.p[i];
            ((double *)array[3].data)[begin[z] + i] =
                row.reward != NULL ? row.reward[i] : lgkt_mdp_rewards(mdp)[z];
        }
    }
    return arrays_tuple(array, 4, made);
}

static PyObject *get_pairs(PyObject *self, void *unused)
{
    (void)unused;
    const lgkt_mdp *mdp = of(self);
    const int32_t actions = lgkt_mdp_actions(mdp);
    const Py_ssize_t shape[2] = {lgkt_mdp_states(mdp), actions};
    py_array array[5] = {{0}}; // means, kinds of noise, scales, allowed, has rewards of moves
    static const char *const types[] = {"f8", "u1", "f8", "u1", "u1"};
    bool made = true;
    for (int i = 0; i < 5 && made; i++)
        made = py_array_make(types[i], 2, shape, &array[i]);
    for (Py_ssize_t z = 0; z < shape[0] * shape[1] && made; z++) {
        const int32_t s = (int32_t)(z / actions), a = (int32_t)(z % actions);
        ((double *)array[0].data)[z] = lgkt_mdp_rewards(mdp)[z];
        ((uint8_t *)array[1].data)[z] =
            (uint8_t)lgkt_mdp_pair_noise(mdp, s, a, &((double *)array[2].data)[z]);
        ((uint8_t *)array[3].data)[z] = lgkt_mdp_allowed(mdp, s, a);
        ((uint8_t *)array[4].data)[z] = lgkt_mdp_row(mdp, s, a).reward != NULL;
    }
    return arrays_tuple(array, 5, made);
}

static PyObject *get_start_law(PyObject *self, void *unused)
{
    (void)unused;
    const Py_ssize_t states = lgkt_mdp_states(of(self));
    py_array law;
    if (!py_array_make("f8", 1, &states, &law))
        return NULL;
    for (Py_ssize_t s = 0; s < states; s++)
        ((double *)law.data)[s] = lgkt_mdp_start_law(of(self))[s];
    return py_array_take(&law);
}

static PyObject *get_start_state(PyObject *self, void *unused)
{
    (void)unused;
    const int32_t state = lgkt_mdp_start(of(self));
    return state >= 0 ? PyLong_FromLong(state) : Py_NewRef(Py_None);
}

#define GETTER(name, make)                                                                         \
    static PyObject *get_##name(PyObject *self, void *unused)                                      \
    {                                                                                              \
        (void)unused;                                                                              \
        return make;                                                                               \
    }

GETTER(states, PyLong_FromLong(lgkt_mdp_states(of(self))))
GETTER(actions, PyLong_FromLong(lgkt_mdp_actions(of(self))))
GETTER(noise, PyUnicode_FromString(noise_name(lgkt_mdp_noise(of(self)))))
GETTER(noise_sd, PyFloat_FromDouble(lgkt_mdp_noise_sd(of(self))))
GETTER(reward_min, PyFloat_FromDouble(lgkt_mdp_reward_min(of(self))))
GETTER(reward_max, PyFloat_FromDouble(lgkt_mdp_reward_max(of(self))))
GETTER(restricted, py_new_bool(lgkt_mdp_restricted(of(self))))
GETTER(hash, PyLong_FromUnsignedLongLong(lgkt_mdp_hash(of(self))))

// ---- the type ----

static void dealloc(PyObject *self)
{
    lgkt_mdp_destroy(of(self));
    py_object_free(self);
}

static PyGetSetDef attributes[] = {
    {"states", get_states, NULL, "The number of states S.", NULL},
    {"actions", get_actions, NULL, "The number of actions A.", NULL},
    {"start_state", get_start_state, NULL, "The start state; None if it is drawn.", NULL},
    {"start_law", get_start_law, NULL, "The law of the start state, (S).", NULL},
    {"noise", get_noise, NULL,
     "How rewards scatter: none, normal, bernoulli, drifting, or mixed where pairs differ.", NULL},
    {"noise_sd", get_noise_sd, NULL, "The largest sub-Gaussian scale of the noise.", NULL},
    {"reward_min", get_reward_min, NULL, "The smallest mean reward.", NULL},
    {"reward_max", get_reward_max, NULL, "The largest mean reward.", NULL},
    {"restricted", get_restricted, NULL, "Whether an action is forbidden somewhere.", NULL},
    {"hash", get_hash, NULL, "A hash of all of the model.", NULL},
    {"_rows", get_rows, NULL, "New arrays: indptr, indices, data, rewards of moves.", NULL},
    {"_pairs", get_pairs, NULL, "New arrays: means, noise, scales, allowed, has move rewards.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Model(states, actions, pair, next, probability, rewards, *, move_pair=None, move_next=None,\n"
     "      move_reward=None, noise=None, noise_sd=None, forbidden=None, start=0)\n"
     "--\n\n"
     "A model from flat arrays; pairs are numbered state * actions + action. Moves given twice\n"
     "add up, of their rewards the last counts. `noise` (0 none, 1 normal, 2 Bernoulli,\n"
     "3 drifting) and `noise_sd` have one number, or one for each pair."},
    {Py_tp_new, create},
    {Py_tp_dealloc, dealloc},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lgkt._core.Model",
    .basicsize = sizeof(py_model),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};

static PyMethodDef functions[] = {
    {"model_of_rows", model_of_rows, METH_VARARGS,
     "model_of_rows(type, states, actions, indptr, indices, data, R, start, /)\n--\n\n"
     "A model from compressed sparse rows (S*A, S), copied once."},
    {NULL, NULL, 0, NULL},
};

bool py_add_model(PyObject *module)
{
    return py_add_type(module, "Model", &spec, NULL, &py_model_type) &&
           PyModule_AddFunctions(module, functions) == 0;
}
