// SPDX-License-Identifier: MIT
// What a log says of learners: replay of its rows (experiments/runner/replay.h), and runs in models
// drawn from what is believed after it (simulate.h).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/runner/replay.h"
#include "experiments/runner/simulate.h"
#include "py_run.h"

// ---- arguments ----

// An array of so many rows and, with two dimensions, columns; None leaves it empty.
static bool read_sized(PyObject *object, const char *name, const char *dtype, int dimensions,
                       Py_ssize_t rows, Py_ssize_t columns, py_array *array)
{
    char text[160];
    if (object == NULL || object == Py_None)
        return true;
    if (!py_array_read(object, name, dtype, dimensions, array))
        return false;
    if (array->shape[0] == rows && (dimensions == 1 || array->shape[1] == columns))
        return true;
    if (dimensions == 1)
        snprintf(text, sizeof text, "%s has length %zd, not %zd", name, array->shape[0], rows);
    else
        snprintf(text, sizeof text, "%s has shape (%zd, %zd), not (%zd, %zd)", name,
                 array->shape[0], array->shape[1], rows, columns);
    return py_fail(LGKT_ERR_SHAPE, text) != NULL;
}

static bool read_spec(PyObject *object, const char **spec)
{
    Py_ssize_t length;
    *spec = PyUnicode_AsUTF8AndSize(object, &length);
    return *spec != NULL && (strlen(*spec) == (size_t)length ||
                             py_fail(LGKT_ERR_SPEC, "a spec holds a zero character") != NULL);
}

// gives it to the dict, which becomes an owner, and lets go of it
static bool put(PyObject *dict, const char *name, PyObject *object)
{
    const bool good = object != NULL && PyDict_SetItemString(dict, name, object) == 0;
    Py_XDECREF(object);
    return good;
}

// ---- replay ----

// One number of each run as an array.
static PyObject *column(const exp_replayed *runs, Py_ssize_t count, const char *dtype,
                        size_t offset, size_t size)
{
    py_array array;
    if (!py_array_make(dtype, 1, &count, &array))
        return NULL;
    for (Py_ssize_t i = 0; i < count; i++)
        memcpy((char *)array.data + (size_t)i * size, (const char *)&runs[i] + offset, size);
    return py_array_take(&array);
}

#define COLUMN(runs_, count_, dtype_, field_)                                                      \
    column(runs_, count_, dtype_, offsetof(exp_replayed, field_), sizeof(runs_)->field_)

static PyObject *replayed_dict(const exp_replayed *runs, Py_ssize_t count, py_array *sums)
{
    PyObject *curve = sums->object != NULL ? py_array_take(sums) : Py_NewRef(Py_None);
    PyObject *dict = PyDict_New();
    if (dict == NULL || !put(dict, "steps", COLUMN(runs, count, "i8", steps)) ||
        !put(dict, "reward", COLUMN(runs, count, "f8", reward)) ||
        !put(dict, "used", COLUMN(runs, count, "i8", used)) ||
        !put(dict, "stopped", COLUMN(runs, count, "i4", stopped)) ||
        !put(dict, "state", COLUMN(runs, count, "i4", state)) ||
        !put(dict, "action", COLUMN(runs, count, "i4", action)) ||
        !put(dict, "curve", Py_XNewRef(curve)))
        Py_CLEAR(dict);
    Py_XDECREF(curve);
    return dict;
}

static PyObject *run_replay(exp_replay *how, PyObject *progress)
{
    py_watch w = {.progress = progress != Py_None ? progress : NULL};
    py_array sums = {0};
    const Py_ssize_t shape[] = {(Py_ssize_t)how->runs, how->checkpoint_count};
    if (how->runs < 1 || how->runs > EXP_MAX_REPLICATES)
        return py_fail(LGKT_ERR_ARGUMENT, "runs: there must be 1 to 10000000");
    if (how->checkpoints != NULL && !py_array_make("f8", 2, shape, &sums))
        return NULL;
    exp_replayed *runs = calloc((size_t)how->runs, sizeof *runs);
    lgkt_error error = {0};
    PyObject *made = NULL;
    if (runs == NULL)
        PyErr_NoMemory();
    how->stop = &w.stop;
    how->progress = py_look;
    how->progress_ctx = &w;
    if (runs != NULL) {
        w.released = PyEval_SaveThread();
        const lgkt_status status = exp_replay_run(how, runs, sums.data, &error);
        PyEval_RestoreThread(w.released);
        if (status != LGKT_OK)
            py_fail_error(&error);
        else if (!PyErr_Occurred())
            made = replayed_dict(runs, (Py_ssize_t)how->runs, &sums);
    }
    py_array_release(&sums);
    free(runs);
    return made;
}

enum { STARTS, STATE, ACTION, REWARD, NEXT, LAW, ALLOWED, TIMES, ARRAYS };

// Reads the arrays of a log into `how`, which borrows them.
static bool read_log(PyObject *const given[ARRAYS], py_array arrays[ARRAYS], exp_replay *how)
{
    char text[200];
    py_array *law = &arrays[LAW];
    if (!py_array_read(given[STARTS], "starts", "i4", 1, &arrays[STARTS]) ||
        !py_array_read(given[STATE], "state", "i4", 1, &arrays[STATE]))
        return false;
    const Py_ssize_t n = arrays[STATE].shape[0];
    if (!read_sized(given[ACTION], "action", "i4", 1, n, 0, &arrays[ACTION]) ||
        !read_sized(given[REWARD], "reward", "f8", 1, n, 0, &arrays[REWARD]) ||
        !read_sized(given[NEXT], "next_state", "i4", 1, n, 0, &arrays[NEXT]) ||
        !read_sized(given[ALLOWED], "allowed", "u1", 2, how->states, how->actions,
                    &arrays[ALLOWED]))
        return false;
    if (given[LAW] != Py_None && !py_array_read(given[LAW], "probabilities", "f8", 2, law))
        return false;
    if (law->data != NULL &&
        ((law->shape[0] != n && law->shape[0] != how->states) || law->shape[1] != how->actions)) {
        snprintf(text, sizeof text,
                 "probabilities has shape (%zd, %zd), not that of rows (%zd, %d) or of states "
                 "(%d, %d)",
                 law->shape[0], law->shape[1], n, how->actions, how->states, how->actions);
        return py_fail(LGKT_ERR_SHAPE, text) != NULL;
    }
    if (given[TIMES] != Py_None &&
        !py_array_read(given[TIMES], "checkpoints", "i8", 1, &arrays[TIMES]))
        return false;
    if (arrays[TIMES].shape[0] > EXP_MAX_POINTS)
        return py_fail(LGKT_ERR_ARGUMENT, "there are at most 100000 checkpoints") != NULL;
    how->starts = arrays[STARTS].data;
    how->start_count = arrays[STARTS].shape[0];
    how->state = arrays[STATE].data;
    how->action = arrays[ACTION].data;
    how->reward = arrays[REWARD].data;
    how->next = arrays[NEXT].data;
    how->count = n;
    how->law = law->data;
    how->by_row = law->data != NULL && law->shape[0] == n;
    how->allowed = arrays[ALLOWED].data;
    how->checkpoints = arrays[TIMES].data;
    how->checkpoint_count = (int32_t)arrays[TIMES].shape[0];
    return true;
}

static PyObject *replay(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"spec",       "states",    "actions",       "starts",  "state",
                            "action",     "reward",    "next_state",    "horizon", "runs",
                            "seed",       "jobs",      "probabilities", "allowed", "reward_min",
                            "reward_max", "reward_sd", "checkpoints",   "shuffle", "progress",
                            NULL};
    PyObject *spec, *states, *actions, *horizon, *runs, *seed, *jobs, *given[ARRAYS],
        *ends[3] = {NULL, NULL, NULL}, *progress = Py_None;
    given[LAW] = given[ALLOWED] = given[TIMES] = Py_None;
    int shuffle = 1;
    const lgkt_learner_config standard = lgkt_learner_config_default();
    exp_replay how = {.problem = standard.problem};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOOOOOOOOOO|$OOOOOOpO:replay", names,
                                     &spec, &states, &actions, &given[STARTS], &given[STATE],
                                     &given[ACTION], &given[REWARD], &given[NEXT], &horizon, &runs,
                                     &seed, &jobs, &given[LAW], &given[ALLOWED], &ends[0], &ends[1],
                                     &ends[2], &given[TIMES], &shuffle, &progress) ||
        !read_spec(spec, &how.spec) || !py_int32(states, "states", &how.states) ||
        !py_int32(actions, "actions", &how.actions) ||
        !py_int64(horizon, "horizon", &how.problem.horizon) || !py_int64(runs, "runs", &how.runs) ||
        !py_uint64(seed, "seed", &how.seed) || !py_int32(jobs, "jobs", &how.jobs) ||
        !py_real_or_none(ends[0], "reward_min", &how.problem.reward_min) ||
        !py_real_or_none(ends[1], "reward_max", &how.problem.reward_max) ||
        !py_real_or_none(ends[2], "reward_sd", &how.problem.reward_sd))
        return NULL;
    how.in_order = !shuffle;
    py_array arrays[ARRAYS] = {{0}};
    PyObject *made = read_log(given, arrays, &how) ? run_replay(&how, progress) : NULL;
    for (int i = 0; i < ARRAYS; i++)
        py_array_release(&arrays[i]);
    return made;
}

// ---- simulation ----

static PyObject *run_simulation(const exp_simulation *how, int32_t jobs, PyObject *progress)
{
    py_watch w = {.progress = progress != Py_None ? progress : NULL};
    const exp_runner runner = {
        .jobs = jobs, .stop = &w.stop, .progress = py_look, .progress_ctx = &w};
    const Py_ssize_t shape[] = {how->entry_count, (Py_ssize_t)how->draws};
    py_array earned;
    lgkt_error error = {0};
    if (how->draws < 1 || how->draws > EXP_MAX_REPLICATES)
        return py_fail(LGKT_ERR_ARGUMENT, "draws: there must be 1 to 10000000");
    if (!py_array_make("f8", 2, shape, &earned))
        return NULL;
    w.released = PyEval_SaveThread();
    const lgkt_status status = exp_simulate(how, &runner, earned.data, &error);
    PyEval_RestoreThread(w.released);
    if (status == LGKT_OK && !PyErr_Occurred())
        return py_array_take(&earned);
    py_array_release(&earned);
    return status != LGKT_OK ? py_fail_error(&error) : NULL;
}

enum { BEGIN, SUCCESSORS, COUNTS, REWARDS, START, MASK, PARTS };

// Reads what a log has shown into `b`, which borrows it.
static bool read_belief(PyObject *const given[PARTS], py_array arrays[PARTS], exp_belief *b)
{
    if (!py_array_read(given[START], "start", "f8", 1, &arrays[START]) ||
        !py_array_read(given[REWARDS], "rewards", "f8", 3, &arrays[REWARDS]))
        return false;
    const Py_ssize_t states = arrays[START].shape[0], actions = arrays[REWARDS].shape[2];
    if (arrays[REWARDS].shape[0] != 3 || arrays[REWARDS].shape[1] != states || actions < 1 ||
        states < 1 || states > LGKT_MAX_STATES || actions > LGKT_MAX_ACTIONS)
        return py_fail(LGKT_ERR_SHAPE, "rewards must have shape (3, S, A), and start length S") !=
               NULL;
    if (!read_sized(given[BEGIN], "begin", "i8", 1, states * actions + 1, 0, &arrays[BEGIN]) ||
        !py_array_read(given[SUCCESSORS], "next", "i4", 1, &arrays[SUCCESSORS]))
        return false;
    const Py_ssize_t edges = arrays[SUCCESSORS].shape[0];
    if (((const int64_t *)arrays[BEGIN].data)[states * actions] != edges)
        return py_fail(LGKT_ERR_SHAPE, "begin must end with the length of next") != NULL;
    if (!read_sized(given[COUNTS], "counts", "f8", 1, edges, 0, &arrays[COUNTS]) ||
        !read_sized(given[MASK], "allowed", "u1", 2, states, actions, &arrays[MASK]))
        return false;
    b->states = (int32_t)states;
    b->actions = (int32_t)actions;
    b->begin = arrays[BEGIN].data;
    b->next = arrays[SUCCESSORS].data;
    b->counts = arrays[COUNTS].data;
    b->rewards = arrays[REWARDS].data;
    b->start = arrays[START].data;
    b->allowed = arrays[MASK].data;
    return true;
}

static PyObject *simulate_models(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"learners",  "begin",      "next",       "counts",   "rewards",
                            "start",     "reward_min", "reward_max", "horizon",  "units",
                            "draws",     "seed",       "jobs",       "allowed",  "unseen",
                            "bernoulli", "untold",     "alone",      "progress", NULL};
    PyObject *learners, *low, *high, *horizon, *units, *draws, *seed, *jobs, *given[PARTS],
        *unseen = NULL, *progress = Py_None;
    int bernoulli = 0, untold = 0, alone = 0;
    int32_t threads;
    exp_belief belief = {.unseen = 1.0};
    exp_simulation how = {.belief = &belief};
    given[MASK] = Py_None;
    if (!PyArg_ParseTupleAndKeywords(
            arguments, keywords, "O!OOOOOOOOOOOO|$OOpppO:simulate_models", names, &PyTuple_Type,
            &learners, &given[BEGIN], &given[SUCCESSORS], &given[COUNTS], &given[REWARDS],
            &given[START], &low, &high, &horizon, &units, &draws, &seed, &jobs, &given[MASK],
            &unseen, &bernoulli, &untold, &alone, &progress) ||
        !py_real(low, "reward_min", &belief.reward_min) ||
        !py_real(high, "reward_max", &belief.reward_max) ||
        (unseen != NULL && !py_real(unseen, "unseen", &belief.unseen)) ||
        !py_int64(horizon, "horizon", &how.horizon) || !py_int32(units, "units", &how.units) ||
        !py_int64(draws, "draws", &how.draws) || !py_uint64(seed, "seed", &how.seed) ||
        !py_int32(jobs, "jobs", &threads))
        return NULL;
    belief.bernoulli = bernoulli != 0;
    how.untold = untold != 0;
    py_array arrays[PARTS] = {{0}};
    PyObject *made = NULL;
    exp_entry *entries = py_entries_read(learners, &how.entry_count);
    for (int32_t l = 0; entries != NULL && l < how.entry_count; l++)
        entries[l].alone = alone != 0;
    how.entries = entries;
    if (entries != NULL && read_belief(given, arrays, &belief))
        made = run_simulation(&how, threads, progress);
    for (int i = 0; i < PARTS; i++)
        py_array_release(&arrays[i]);
    free(entries);
    return made;
}

static PyMethodDef functions[] = {
    {"replay", (PyCFunction)(void (*)(void))replay, METH_VARARGS | METH_KEYWORDS,
     "replay($module, /, spec, states, actions, starts, state, action, reward, next_state, "
     "horizon,\n"
     "    runs, seed, jobs, *, probabilities=None, allowed=None, reward_min=None,\n"
     "    reward_max=None, reward_sd=None, checkpoints=None, shuffle=True, progress=None)\n--\n\n"
     "Play a learner on the rows of a log in place of a world, the interpreter released: queues "
     "per\n"
     "pair or, with probabilities of shape (n, A) or (S, A), rejection per state. next_state is "
     "-1\n"
     "where a row is cut. `stopped` is 0 at the horizon, 1 without a row, 2 without a start "
     "state,\n"
     "3 where the log never plays what is wanted. Unbiased for the first t steps if no run misses\n"
     "them. `progress` is called with the steps done; what it raises, and Ctrl-C, end it."},
    {"simulate_models", (PyCFunction)(void (*)(void))simulate_models, METH_VARARGS | METH_KEYWORDS,
     "simulate_models($module, /, learners, begin, next, counts, rewards, start, reward_min,\n"
     "    reward_max, horizon, units, draws, seed, jobs, *, allowed=None, unseen=1.0,\n"
     "    bernoulli=False, untold=False, alone=False, progress=None)\n--\n\n"
     "Play a tuple of learner specs in models drawn from what is believed after a log; the "
     "expected\n"
     "reward per step, of shape (learners, draws). rewards has shape (3, S, A): how many of each\n"
     "pair, their sum, their sum of squares. In even draws pairs never seen are as good as\n"
     "possible, in odd ones as bad."},
    {NULL, NULL, 0, NULL},
};

bool py_add_replay(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) == 0;
}
