// SPDX-License-Identifier: MIT
// lgkt.Units: one learner for many units, with reports that come late or never (lgkt/units.h).
#include "py_keys.h"

PyTypeObject *py_units_type;

// ---- calls ----

// where states are keys, a call may have made the learner a large one
static inline bool end(py_call *call, lgkt_status status)
{
    call->self->large = py_is_large(call->self->learner);
    return py_call_end(call, status, lgkt_units_message(call->self->by_unit));
}

// A state as Python has it: a number, or a key. None at all is the one that was reported.
typedef struct place {
    int32_t number;
    const void *data;
    size_t size;
    py_key key;
} place;

// `object` is NULL for none; release the key in any case
static bool read_place(const py_learner *self, PyObject *object, const char *name, place *at)
{
    at->key.data = at->key.small;
    at->number = LGKT_STATE_REPORTED;
    at->data = NULL;
    at->size = SIZE_MAX;
    if (object == NULL)
        return true;
    if (self->keys == NULL) {
        if (!py_int32(object, name, &at->number) || at->number != LGKT_STATE_REPORTED)
            return !PyErr_Occurred();
        char text[64];
        snprintf(text, sizeof text, "%s: -1 is out of range", name);
        return py_fail(LGKT_ERR_ARGUMENT, text) != NULL;
    }
    if (object == Py_None) {
        PyErr_Format(PyExc_TypeError, "%s must not be None, which is no key of units", name);
        return false;
    }
    if (!py_key_read(self, object, &at->key))
        return false;
    at->data = at->key.data;
    at->size = at->key.size;
    return true;
}

static PyObject *act(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                     PyObject *keywords)
{
    static const char *const names[] = {"unit", "state", "allowed", NULL};
    py_learner *self = (py_learner *)object;
    PyObject *v[3];
    uint64_t unit;
    int64_t decision = 0;
    int32_t action = 0;
    py_array mask = {0};
    place at;
    py_call call;
    if (!py_arguments("act", names, 1, arguments, count, keywords, v) ||
        !py_uint64(v[0], "unit", &unit))
        return NULL;
    bool good = read_place(self, v[1] != Py_None ? v[1] : NULL, "state", &at) &&
                py_mask_read(v[2], self->actions, &mask) && py_call_begin(&call, self, self->large);
    if (good) {
        const lgkt_status status =
            self->keys != NULL
                ? lgkt_units_act_key(self->by_unit, unit, at.data, at.size, mask.data, &decision,
                                     &action)
                : lgkt_units_act(self->by_unit, unit, at.number, mask.data, &decision, &action);
        good = end(&call, status);
    }
    py_key_release(&at.key);
    py_array_release(&mask);
    return good ? Py_BuildValue("Li", (long long)decision, (int)action) : NULL;
}

static PyObject *settle(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                        PyObject *keywords)
{
    static const char *const names[] = {"unit", "state", NULL};
    py_learner *self = (py_learner *)object;
    PyObject *v[2];
    uint64_t unit;
    place at;
    py_call call;
    if (!py_arguments("settle", names, 1, arguments, count, keywords, v) ||
        !py_uint64(v[0], "unit", &unit))
        return NULL;
    bool good = read_place(self, v[1] != Py_None ? v[1] : NULL, "state", &at) &&
                py_call_begin(&call, self, self->large);
    if (good)
        good = end(&call, self->keys != NULL
                              ? lgkt_units_settle_key(self->by_unit, unit, at.data, at.size)
                              : lgkt_units_settle(self->by_unit, unit, at.number));
    py_key_release(&at.key);
    return good ? Py_NewRef(Py_None) : NULL;
}

static PyObject *take(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                      PyObject *keywords)
{
    static const char *const names[] = {"unit", "action", "state", "allowed", NULL};
    py_learner *self = (py_learner *)object;
    PyObject *v[4];
    uint64_t unit;
    int64_t decision = 0;
    int32_t action;
    py_array mask = {0};
    place at;
    py_call call;
    if (!py_arguments("take", names, 2, arguments, count, keywords, v) ||
        !py_uint64(v[0], "unit", &unit) || !py_int32(v[1], "action", &action))
        return NULL;
    bool good = read_place(self, v[2] != Py_None ? v[2] : NULL, "state", &at) &&
                py_mask_read(v[3], self->actions, &mask) && py_call_begin(&call, self, self->large);
    if (good)
        good = end(&call, self->keys != NULL
                              ? lgkt_units_take_key(self->by_unit, unit, at.data, at.size,
                                                    mask.data, action, &decision)
                              : lgkt_units_take(self->by_unit, unit, at.number, mask.data, action,
                                                &decision));
    py_key_release(&at.key);
    py_array_release(&mask);
    return good ? PyLong_FromLongLong(decision) : NULL;
}

// ---- feed ----

static const char *const feed_names[] = {"unit",       "state", "action", "reward",
                                         "next_state", "ended", NULL};

// Rows as Python has them: sequences of one length, or arrays where they are numbers.
typedef struct rows {
    lgkt_units_row *all;
    py_key (*keys)[2]; // NULL where states are numbers
    Py_ssize_t count, keys_read;
} rows;

static void rows_free(rows *r)
{
    for (Py_ssize_t i = 0; i < r->keys_read; i++)
        for (int k = 0; k < 2; k++)
            py_key_release(&r->keys[i][k]);
    PyMem_Free(r->keys);
    PyMem_Free(r->all);
}

// one column of one row
static bool read_cell(const py_learner *self, PyObject *value, int column, Py_ssize_t i, rows *r)
{
    lgkt_units_row *row = &r->all[i];
    const char *name = feed_names[column];
    switch (column) {
    case 0:
        return py_uint64(value, name, &row->unit);
    case 2:
        return py_int32(value, name, &row->action);
    case 3:
        return py_real(value, name, &row->reward);
    case 5:
        return py_bool(value, &row->ended);
    default:
        break;
    }
    const int which = column == 4;
    if (self->keys == NULL)
        return py_int32(value, name, which ? &row->next_state : &row->state);
    if (value == Py_None) {
        PyErr_Format(PyExc_TypeError, "%s must not be None, which is no key of units", name);
        return false;
    }
    py_key *key = &r->keys[i][which];
    if (!py_key_read(self, value, key))
        return false;
    *(which ? &row->next_key : &row->key) = key->data;
    *(which ? &row->next_key_size : &row->key_size) = key->size;
    return true;
}

// an exception of a row says which one it is of
static void name_row(Py_ssize_t row)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *text = PyUnicode_FromFormat("row %zd: %S", row, value != NULL ? value : Py_None);
    if (text != NULL)
        PyErr_SetObject(type, text);
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

static bool read_rows(const py_learner *self, PyObject *const *v, rows *r)
{
    const size_t count = (size_t)r->count;
    r->all = PyMem_Calloc(count + 1, sizeof *r->all);
    if (self->keys != NULL)
        r->keys = PyMem_Calloc(count + 1, sizeof *r->keys);
    if (r->all == NULL || (self->keys != NULL && r->keys == NULL))
        return PyErr_NoMemory() != NULL;
    for (Py_ssize_t i = 0; i < r->count; i++) {
        if (self->keys != NULL) {
            for (int k = 0; k < 2; k++)
                r->keys[i][k].data = r->keys[i][k].small;
            r->keys_read = i + 1;
        }
        for (int column = 0; column < 6; column++) {
            if (v[column] == NULL || v[column] == Py_None)
                continue;
            PyObject *value = PySequence_GetItem(v[column], i);
            const bool good = value != NULL && read_cell(self, value, column, i, r);
            Py_XDECREF(value);
            if (!good) {
                name_row(i);
                return false;
            }
        }
    }
    return true;
}

static PyObject *feed_rows(py_learner *self, PyObject *const *v)
{
    rows r = {.count = PySequence_Size(v[0])};
    if (r.count < 0)
        return NULL;
    for (int column = 1; column < 6; column++) {
        if (v[column] == NULL || v[column] == Py_None)
            continue;
        const Py_ssize_t size = PySequence_Size(v[column]);
        if (size < 0)
            return NULL;
        if (size != r.count)
            return py_fail(LGKT_ERR_SHAPE, "feed: the columns differ in length");
    }
    py_call call;
    bool good = read_rows(self, v, &r) && py_call_begin(&call, self, r.count > 1);
    if (good)
        good =
            end(&call, lgkt_units_feed_rows(self->by_unit, r.all, (size_t)r.count, sizeof *r.all));
    rows_free(&r);
    return good ? Py_NewRef(Py_None) : NULL;
}

static PyObject *feed(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                      PyObject *keywords)
{
    py_learner *self = (py_learner *)object;
    PyObject *v[6];
    if (!py_arguments("feed", feed_names, 5, arguments, count, keywords, v))
        return NULL;
    if (!PyIndex_Check(v[0]) || PySequence_Check(v[0]))
        return feed_rows(self, v);
    lgkt_units_row row = {0};
    py_key keys[2];
    rows r = {.all = &row, .keys = &keys, .count = 1};
    keys[0].data = keys[0].small;
    keys[1].data = keys[1].small;
    bool good = true;
    for (int column = 0; column < 6 && good; column++)
        good = v[column] == NULL || read_cell(self, v[column], column, 0, &r);
    py_call call;
    good = good && py_call_begin(&call, self, self->large);
    if (good)
        good = end(&call, self->keys != NULL
                              ? lgkt_units_feed_key(self->by_unit, row.unit, row.key, row.key_size,
                                                    row.action, row.reward, row.next_key,
                                                    row.next_key_size, row.ended)
                              : lgkt_units_feed(self->by_unit, row.unit, row.state, row.action,
                                                row.reward, row.next_state, row.ended));
    py_key_release(&keys[0]);
    py_key_release(&keys[1]);
    return good ? Py_NewRef(Py_None) : NULL;
}

// ---- reports ----

static PyObject *reward(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                        PyObject *keywords)
{
    static const char *const names[] = {"decision", "reward", NULL};
    py_learner *self = (py_learner *)object;
    PyObject *v[2];
    int64_t decision;
    double earned;
    py_call call;
    if (!py_arguments("reward", names, 2, arguments, count, keywords, v) ||
        !py_int64(v[0], "decision", &decision) || !py_real(v[1], "reward", &earned) ||
        !py_call_begin(&call, self, self->large))
        return NULL;
    const lgkt_status status = lgkt_units_reward(self->by_unit, decision, earned);
    return end(&call, status) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *next(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                      PyObject *keywords)
{
    static const char *const names[] = {"decision", "next_state", "ended", NULL};
    py_learner *self = (py_learner *)object;
    PyObject *v[3];
    int64_t decision;
    bool ended;
    place at;
    py_call call;
    if (!py_arguments("next", names, 2, arguments, count, keywords, v) ||
        !py_int64(v[0], "decision", &decision) || !py_bool(v[2], &ended))
        return NULL;
    bool good =
        read_place(self, v[1], "next_state", &at) && py_call_begin(&call, self, self->large);
    if (good) {
        const lgkt_status status =
            self->keys != NULL
                ? lgkt_units_next_key(self->by_unit, decision, at.data, at.size, ended)
                : lgkt_units_next(self->by_unit, decision, at.number, ended);
        good = end(&call, status);
    }
    py_key_release(&at.key);
    return good ? Py_NewRef(Py_None) : NULL;
}

static PyObject *leave(PyObject *object, PyObject *argument)
{
    py_learner *self = (py_learner *)object;
    uint64_t unit;
    py_call call;
    if (!py_uint64(argument, "unit", &unit) || !py_call_begin(&call, self, self->large))
        return NULL;
    return end(&call, lgkt_units_leave(self->by_unit, unit)) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *explain(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *keywords)
{
    static const char *const names[] = {"unit", "state", "allowed", NULL};
    py_learner *self = (py_learner *)object;
    PyObject *v[3];
    uint64_t unit;
    int32_t state;
    if (!py_arguments("explain", names, 1, arguments, count, keywords, v) ||
        !py_uint64(v[0], "unit", &unit))
        return NULL;
    if (v[1] == NULL || v[1] == Py_None)
        return py_explain_unit(self, unit, LGKT_STATE_REPORTED, v[2]);
    if (self->keys == NULL ? !py_int32(v[1], "state", &state) : !py_key_find(self, v[1], &state))
        return NULL;
    if (self->keys != NULL && state < 0)
        return py_fail(LGKT_ERR_ARGUMENT, "explain: this key was never seen");
    return py_explain_unit(self, unit, state, v[2]);
}

static PyObject *raise_limits(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                              PyObject *keywords)
{
    static const char *const names[] = {"unit_limit", "patience", NULL};
    py_learner *self = (py_learner *)object;
    PyObject *v[2];
    int32_t unit_limit = 0;
    int64_t patience = 0;
    py_call call;
    if (!py_arguments("raise_limits", names, 0, arguments, count, keywords, v) ||
        (v[0] != NULL && v[0] != Py_None && !py_int32(v[0], "unit_limit", &unit_limit)) ||
        (v[1] != NULL && v[1] != Py_None && !py_int64(v[1], "patience", &patience)) ||
        !py_call_begin(&call, self, self->large))
        return NULL;
    const lgkt_status status = lgkt_units_raise_limits(self->by_unit, unit_limit, patience);
    return end(&call, status) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *set_horizon(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                             PyObject *keywords)
{
    static const char *const names[] = {"horizon", "unit_horizon", NULL};
    PyObject *v[2];
    int64_t horizon, of_unit = 0;
    if (!py_arguments("set_horizon", names, 1, arguments, count, keywords, v) ||
        !py_int64(v[0], "horizon", &horizon) ||
        (v[1] != NULL && v[1] != Py_None && !py_int64(v[1], "unit_horizon", &of_unit)) ||
        !py_learner_retime((py_learner *)self, horizon, of_unit))
        return NULL;
    return Py_NewRef(Py_None);
}

// ---- making ----

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    if (keywords != NULL && type == py_units_type &&
        PyDict_GetItemString(keywords, "features") != NULL)
        return py_records_create("RecordUnits", arguments, keywords);
    static char *names[] = {"spec",        "states",     "actions",      "horizon",   "unit_limit",
                            "patience",    "missing",    "unit_horizon", "bins",      "warmup",
                            "state_limit", "key_limit",  "secret",       "masked",    "seed",
                            "instance",    "reward_min", "reward_max",   "reward_sd", "model",
                            "threshold",   "coin",       "_features",    NULL};
    const char *spec;
    PyObject *states, *limit, *given[PY_CONFIG_SIZE] = {NULL}, *keys[PY_KEYS_SIZE] = {NULL};
    PyObject *patience = NULL, *missing = NULL, *of_unit = NULL, *model = NULL, *threshold = NULL,
             *coin = NULL, *features = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "sOOOO|$OOOOOOOOOOOOOOOOOO:Units", names,
                                     &spec, &states, &given[0], &given[1], &limit, &patience,
                                     &missing, &of_unit, &keys[0], &keys[1], &keys[2], &keys[3],
                                     &keys[4], &given[2], &given[3], &given[4], &given[5],
                                     &given[6], &given[7], &model, &threshold, &coin, &features))
        return NULL;
    lgkt_learner_config config = lgkt_learner_config_default();
    lgkt_units_config set = lgkt_units_config_default();
    if (!py_config_take(given, &config) || !py_int32(limit, "unit_limit", &set.unit_limit) ||
        (patience != NULL && !py_int64(patience, "patience", &set.patience)) ||
        !py_real_or_none(missing, "missing", &set.missing) ||
        (of_unit != NULL && of_unit != Py_None &&
         !py_int64(of_unit, "unit_horizon", &set.unit_horizon)) ||
        (states != Py_None && !py_int32(states, "states", &config.problem.states)))
        return NULL;
    py_array view[2] = {{0}}, kinds = {0};
    py_learner *self = NULL;
    PyObject *made = NULL;
    if (states != Py_None || (py_keys_take(keys, config.problem.actions, &set.keys, view) &&
                              py_records_take(features, &set.keys, &kinds)))
        self = py_learner_new(type, threshold, coin, model, &config);
    if (self != NULL) {
        lgkt_error error = {0};
        const lgkt_status status = lgkt_units_create(spec, &config, &set, &self->by_unit, &error);
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
    return lgkt_units_load(data->buf, (size_t)data->len, config, &self->by_unit, error);
}

static PyObject *load(PyObject *type, PyObject *arguments, PyObject *keywords)
{
    return py_learner_load(type, arguments, keywords, true, load_bytes);
}

// ---- looking ----

#define GETTER(name, make)                                                                         \
    static PyObject *get_##name(PyObject *object, void *unused)                                    \
    {                                                                                              \
        py_learner *self = (py_learner *)object;                                                   \
        (void)unused;                                                                              \
        if (!py_enter(&self->gate, "learner"))                                                     \
            return NULL;                                                                           \
        PyObject *made = make;                                                                     \
        py_leave(&self->gate);                                                                     \
        return made;                                                                               \
    }

GETTER(decisions, PyLong_FromLongLong(lgkt_units_decisions(self->by_unit)))
GETTER(open, PyLong_FromLongLong(lgkt_units_open(self->by_unit)))
GETTER(count, PyLong_FromLong(lgkt_units_count(self->by_unit)))
GETTER(expired, PyLong_FromLongLong(lgkt_units_expired(self->by_unit)))

// ---- the type ----

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"act", FAST(act),
     "act($self, unit, state=None, allowed=None)\n--\n\n"
     "Choose an action for a unit: returns (decision, action), where `decision` is the number by\n"
     "which to report. A unit is any whole number from 0 to 2**64 - 1, and a new one is a new\n"
     "unit. No `state` is the one that was reported as the unit's next; after `ended`, and at\n"
     "first, there is none. `allowed` is as for `Learner`."},
    {"settle", FAST(settle),
     "settle($self, unit, state=None)\n--\n\n"
     "Let the learner learn what the unit's next act in this state would let it learn first,\n"
     "without a choice: `settle`, `explain`, `act` says with which probability the action was\n"
     "drawn. The act is what it would have been without, and a second settle changes nothing."},
    {"take", FAST(take),
     "take($self, unit, action, state=None, allowed=None)\n--\n\n"
     "A decision that somebody else has made for a unit: returns its number. It is reported on\n"
     "and counted as one of `act`; the learner learns it as a step that another one chose."},
    {"feed", FAST(feed),
     "feed($self, unit, state, action, reward, next_state, ended=None)\n--\n\n"
     "Let the learner watch steps of units that another one chose, e.g. their histories: plain\n"
     "values for one step, or sequences of one length, of which all rows are fed or none. Rows of\n"
     "a unit, in order, are one trajectory; `ended`, or a state other than the `next_state`\n"
     "before, starts a new one. No decision is made.\n\n"
     ">>> import lgkt\n"
     ">>> shop = lgkt.Units(\"auto\", states=4, actions=2, horizon=1000, unit_limit=20)\n"
     ">>> shop.feed([7, 7, 8], [0, 2, 3], [1, 0, 1], [0.5, 0, 1], next_state=[2, 1, 3])\n"
     ">>> shop.decisions, shop.count\n"
     "(0, 2)"},
    {"raise_limits", FAST(raise_limits),
     "raise_limits($self, unit_limit=None, patience=None)\n--\n\n"
     "Let in more units, or keep decisions open for longer; also of one that was loaded. What\n"
     "was too old for reports stays so."},
    {"reward", FAST(reward),
     "reward($self, decision, reward)\n--\n\n"
     "Report what a decision earned. The same again changes nothing; another one is refused."},
    {"next", FAST(next),
     "next($self, decision, next_state, ended=False)\n--\n\n"
     "Report where a decision led. `ended` says that the unit's process was cut there: the state\n"
     "is no consequence of the decision. Where the unit acts before this, the state that it acts\n"
     "in is taken for it."},
    {"leave", leave, METH_O,
     "leave($self, unit, /)\n--\n\n"
     "A unit is gone: its number may come again as that of a new one. Reports on its decisions\n"
     "still count."},
    {"explain", FAST(explain),
     "explain($self, unit, state=None, allowed=None)\n--\n\n"
     "What the learner holds of each action in a state, and what it would choose there for the\n"
     "unit now: see `Learner.explain`. After `settle` it is the law of the unit's next act."},
    {"set_horizon", FAST(set_horizon),
     "set_horizon($self, horizon, unit_horizon=None)\n--\n\n"
     "Move the end of all decisions, as the attribute `horizon` does, and that of each unit."},
    {"load", (PyCFunction)(void (*)(void))load, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "load($type, data, threshold=None, coin=None, model=None, *, reseed=None)\n--\n\n"
     "Make it from saved bytes, with all open decisions: see `Learner.load`."},
    {"_reasons_of", py_records_of_unit, METH_VARARGS, NULL}, // of lgkt.RecordUnits
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"decisions", get_decisions, NULL, "Decisions made so far, by all units.", NULL},
    {"open", get_open, NULL, "Decisions that wait for a reward or a next state.", NULL},
    {"count", get_count, NULL, "Units that are there.", NULL},
    {"expired", get_expired, NULL, "Decisions whose reward did not come in time.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Units(spec, states=None, actions=None, horizon=None, unit_limit=None, *, patience=65536,\n"
     "      missing=None, unit_horizon=None, bins=None, warmup=1000, state_limit=None,\n"
     "      key_limit=65536, secret=None, masked=False, seed=0, instance=0, reward_min=None, "
     "reward_max=None,\n"
     "      reward_sd=None, model=None, threshold=None, coin=None, features=None)\n"
     "--\n\n"
     "One learner for many units (patients, machines, players) that act at the same time, each\n"
     "somewhere in its own trajectory. What is known of a decision is reported when it is "
     "known.\n\n"
     ">>> import lgkt\n"
     ">>> shop = lgkt.Units(\"auto\", states=4, actions=2, horizon=1000, unit_limit=20)\n"
     ">>> monday, action = shop.act(7, state=0)\n"
     ">>> other, action = shop.act(8, state=3)\n"
     ">>> shop.next(monday, 2)\n"
     ">>> tuesday, action = shop.act(7)       # in state 2, the reward of monday still to come\n"
     ">>> shop.reward(monday, 0.5)\n"
     ">>> shop.decisions, shop.open, shop.count\n"
     "(3, 2, 2)\n\n"
     "`horizon` is the number of decisions of all units, `unit_horizon` that of each where it has\n"
     "an end. There may be `unit_limit` units at a time. A decision is open to reports until\n"
     "`patience` more have been made; one without a reward then gets `missing`, or is forgotten.\n"
     "With `states` = None states are keys, as those of `KeyedLearner`, but for None; with\n"
     "`features` in place of `states` it is a `RecordUnits`, on records. With one\n"
     "unit and prompt reports it is the plain learner, action by action. Learners that cannot be\n"
     "shared are refused. Memory is taken at the start: some 32 bytes for each decision of\n"
     "`patience`, and 48 for each unit besides what the learner keeps of a trajectory."},
    {Py_tp_new, create},
    {Py_tp_dealloc, py_learner_dealloc},
    {Py_tp_traverse, py_learner_traverse},
    {Py_tp_clear, py_learner_clear},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lgkt.Units",
    .basicsize = sizeof(py_learner),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

bool py_add_units(PyObject *module)
{
    return py_add_type(module, "Units", &spec, py_any_learner_type, &py_units_type);
}
