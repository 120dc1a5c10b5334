// SPDX-License-Identifier: MIT
// lgkt.run: an experiment of one panel as the command runs it (experiments/runner/reduction.h), and the numbers it
// makes of results.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/runner/reduction.h"
#include "py_run.h"

// ---- while it runs ----

void py_look(void *watch, const exp_progress *progress)
{
    py_watch *w = watch;
    PyEval_RestoreThread(w->released);
    if (!atomic_load(&w->stop)) {
        PyObject *answer = NULL;
        bool good = PyErr_CheckSignals() == 0;
        if (good && w->progress != NULL) {
            answer = PyObject_CallFunction(w->progress, "d", progress->steps_done);
            good = answer != NULL;
        }
        Py_XDECREF(answer);
        atomic_store(&w->stop, !good);
    }
    w->released = PyEval_SaveThread();
}

// ---- results ----

// gives `array` of that shape to a dict, as a copy of `values`
static bool put_array(PyObject *dict, const char *name, const double *values, int dimensions,
                      const Py_ssize_t *shape)
{
    py_array array;
    if (values == NULL)
        return PyDict_SetItemString(dict, name, Py_None) == 0;
    if (!py_array_make("f8", dimensions, shape, &array))
        return false;
    memcpy(array.data, values, (size_t)array.view.len);
    PyObject *object = py_array_take(&array);
    const bool put = object != NULL && PyDict_SetItemString(dict, name, object) == 0;
    Py_XDECREF(object);
    return put;
}

static PyObject *counters_of(const exp_entry_facts *facts)
{
    PyObject *dict = PyDict_New();
    for (int32_t i = 0; i < facts->count && dict != NULL; i++) {
        PyObject *total = PyLong_FromLongLong(facts->totals[i]);
        if (total == NULL || PyDict_SetItemString(dict, facts->names[i], total) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(total);
    }
    return dict;
}

// for each learner what it counted, or what it does untold
static bool put_list(PyObject *dict, const char *name, const exp_result *result, bool untold)
{
    const exp_panel *panel = result->reduction.setup->panel;
    if (untold && !panel->untold)
        return PyDict_SetItemString(dict, name, Py_None) == 0;
    PyObject *list = PyList_New(panel->entry_count);
    for (int32_t l = 0; l < panel->entry_count && list != NULL; l++) {
        char text[EXP_UNTOLD_SIZE];
        if (untold)
            exp_untold_describe(result->reduction.facts.entries[l].spec, text);
        PyObject *item =
            untold ? PyUnicode_FromString(text) : counters_of(&result->reduction.facts.entries[l]);
        if (item == NULL || PyList_SetItem(list, l, item) != 0)
            Py_CLEAR(list);
    }
    const bool put = list != NULL && PyDict_SetItemString(dict, name, list) == 0;
    Py_XDECREF(list);
    return put;
}

static PyObject *to_dict(const exp_result *result)
{
    const exp_arrays *arrays = &result->arrays;
    const exp_setup *setup = result->reduction.setup;
    const char *text = result->reduction.facts.note;
    const Py_ssize_t n = setup->instances, learners = setup->panel->entry_count;
    const Py_ssize_t of_run[] = {learners, n}, of_curve[] = {learners, setup->checkpoint_count, n};
    const double *regret_curve =
        arrays->regret != NULL ? arrays->curve + learners * setup->checkpoint_count * n : NULL;
    PyObject *dict = PyDict_New();
    PyObject *note = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    if (dict == NULL || note == NULL || PyDict_SetItemString(dict, "note", note) != 0 ||
        !put_array(dict, "optimum", arrays->optimum, 1, &n) ||
        !put_array(dict, "random", arrays->random, 1, &n) ||
        !put_array(dict, "reward", arrays->reward, 2, of_run) ||
        !put_array(dict, "observed", arrays->observed, 2, of_run) ||
        !put_array(dict, "seconds", arrays->seconds, 2, of_run) ||
        !put_array(dict, "curve", arrays->curve, 3, of_curve) ||
        !put_array(dict, "regret", arrays->regret, 2, of_run) ||
        !put_array(dict, "regret_curve", regret_curve, 3, of_curve) ||
        !put_list(dict, "counters", result, false) || !put_list(dict, "untold", result, true))
        Py_CLEAR(dict);
    Py_XDECREF(note);
    return dict;
}

// ---- the run ----

bool py_data_read(PyObject *object, lgkt_data *data, py_array *series)
{
    *data = (lgkt_data){0};
    if (object == Py_None)
        return true;
    if (PyObject_TypeCheck(object, py_model_type)) {
        data->kind = LGKT_DATA_MODEL;
        return py_model_of(object, "data", &data->model);
    }
    data->kind = LGKT_DATA_SERIES;
    if (!py_array_read(object, "data", "f8", 1, series))
        return false;
    data->series = series->data;
    data->count = (size_t)series->shape[0];
    return true;
}

exp_entry *py_entries_read(PyObject *tuple, int32_t *count)
{
    const Py_ssize_t size = PyTuple_Size(tuple);
    if (size < 0 || size > EXP_MAX_LEARNERS) {
        if (size >= 0)
            py_fail(LGKT_ERR_ARGUMENT, "there are at most 1000 learners");
        return NULL;
    }
    exp_entry *entries = calloc((size_t)size + 1, sizeof *entries);
    if (entries == NULL)
        PyErr_NoMemory();
    *count = (int32_t)size;
    for (Py_ssize_t i = 0; i < size && entries != NULL; i++) {
        Py_ssize_t length;
        const char *spec = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), &length);
        entries[i] = (exp_entry){.label = spec, .spec = spec};
        if (spec != NULL && strlen(spec) != (size_t)length) {
            py_fail(LGKT_ERR_SPEC, "a spec holds a zero character");
            spec = NULL;
        }
        if (spec == NULL) {
            free(entries);
            entries = NULL;
        }
    }
    return entries;
}

// The data of the environment, which is at hand.
typedef struct given_data {
    io_files files; // what setups know of it
    lgkt_data data;
} given_data;

static lgkt_status give_data(const io_files *files, const char *before, const char *spec,
                             io_data *data, lgkt_error *error)
{
    (void)before, (void)spec, (void)error;
    *data = (io_data){.given = ((const given_data *)(const void *)files)->data};
    return LGKT_OK;
}

// (K, threshold) or None
static bool read_regret(PyObject *regret, exp_panel *panel)
{
    PyObject *k, *threshold;
    if (regret == NULL || regret == Py_None)
        return true;
    if (!PyTuple_Check(regret)) {
        PyErr_SetString(PyExc_TypeError, "regret must be (K, threshold)");
        return false;
    }
    if (!PyArg_ParseTuple(regret, "OO;regret must be (K, threshold)", &k, &threshold) ||
        !py_int64(k, "regret: K", &panel->regret_k) ||
        !py_real(threshold, "regret: the threshold", &panel->regret_threshold))
        return false;
    panel->measure_count = 2;
    return panel->regret_k >= 1 ||
           py_fail(LGKT_ERR_ARGUMENT, "regret: K must be at least 1") != NULL;
}

static PyObject *run_panel(const exp_panel *panel, uint64_t seed, int32_t jobs,
                           const given_data *given, PyObject *progress)
{
    const exp_experiment experiment = {.name = "run", .panels = panel, .panel_count = 1};
    const exp_asked asked = {.experiment = &experiment, .seed = seed, .files = &given->files};
    py_watch w = {.progress = progress != Py_None ? progress : NULL};
    const exp_runner how = {.jobs = jobs, .stop = &w.stop, .progress = py_look, .progress_ctx = &w};
    exp_tasks tasks;
    exp_result result = {0};
    lgkt_error error = {0};
    PyObject *made = NULL;
    w.released = PyEval_SaveThread();
    lgkt_status status = exp_tasks_make(&tasks, &asked, &error);
    if (status == LGKT_OK)
        status = exp_result_run(&result, &tasks, true, &how, &error);
    PyEval_RestoreThread(w.released);
    if (status != LGKT_OK)
        py_fail_error(&error);
    else if (!PyErr_Occurred())
        made = to_dict(&result);
    exp_result_free(&result);
    exp_tasks_free(&tasks);
    return made;
}

static PyObject *run(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"spec", "data",   "learners",    "horizon", "replicates", "seed",
                            "jobs", "untold", "checkpoints", "regret",  "progress",   NULL};
    PyObject *data, *learners, *horizon, *replicates, *seeding, *threads,
        *checkpoints = NULL, *regret = NULL, *progress = NULL;
    int untold;
    uint64_t seed;
    int32_t jobs;
    exp_panel panel = {.name = "run",
                       .measures = exp_usual_measures,
                       .measure_count = 1,
                       .times = EXP_TIMES_ALONE};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "sOO!OOOOp|OOO:run", names, &panel.env,
                                     &data, &PyTuple_Type, &learners, &horizon, &replicates,
                                     &seeding, &threads, &untold, &checkpoints, &regret,
                                     &progress) ||
        !py_int64(horizon, "horizon", &panel.horizon) ||
        !py_int64(replicates, "replicates", &panel.instances) ||
        !py_uint64(seeding, "seed", &seed) || !py_int32(threads, "jobs", &jobs) ||
        !read_regret(regret, &panel))
        return NULL;
    panel.untold = untold != 0;
    py_array series = {0}, times = {0};
    given_data given = {.files = {.read = give_data}};
    bool good = py_data_read(data, &given.data, &series);
    if (good && checkpoints != NULL && checkpoints != Py_None)
        good = py_array_read(checkpoints, "checkpoints", "i8", 1, &times);
    if (good && times.shape[0] > EXP_MAX_POINTS)
        good = py_fail(LGKT_ERR_ARGUMENT, "there are at most 100000 checkpoints") != NULL;
    panel.given_times = times.data;
    panel.given_count = (int32_t)times.shape[0];
    exp_entry *entries = good ? py_entries_read(learners, &panel.entry_count) : NULL;
    panel.entries = entries;
    PyObject *made = entries != NULL ? run_panel(&panel, seed, jobs, &given, progress) : NULL;
    free(entries);
    py_array_release(&series);
    py_array_release(&times);
    return made;
}

// ---- numbers ----

static PyObject *checkpoints(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *given;
    int log = 0;
    int64_t horizon, times[EXP_MAX_CHECKPOINTS];
    if (!PyArg_ParseTuple(arguments, "O|p:checkpoints", &given, &log) ||
        !py_int64(given, "horizon", &horizon))
        return NULL;
    char text[80];
    snprintf(text, sizeof text, "horizon: %lld is not in 1 .. %lld", (long long)horizon,
             (long long)EXP_MAX_HORIZON);
    if (horizon < 1 || horizon > EXP_MAX_HORIZON)
        return py_fail(LGKT_ERR_ARGUMENT, text);
    const Py_ssize_t count = exp_checkpoints(horizon, log != 0, times);
    py_array array;
    if (!py_array_make("i8", 1, &count, &array))
        return NULL;
    memcpy(array.data, times, (size_t)count * sizeof *times);
    return py_array_take(&array);
}

static PyObject *summarize(PyObject *module, PyObject *argument)
{
    (void)module;
    enum { MEAN, CI95, MEDIAN, WORST, COLUMNS };
    py_array values, columns = {0};
    if (!py_array_read(argument, "values", "f8", 2, &values))
        return NULL;
    const Py_ssize_t rows = values.shape[0], n = values.shape[1];
    const Py_ssize_t shape[] = {rows, COLUMNS};
    double *sorted = calloc((size_t)n + 1, sizeof *sorted); // (n)
    if (sorted == NULL)
        PyErr_NoMemory();
    else if (n == 0)
        py_fail(LGKT_ERR_SHAPE, "values: there are no numbers");
    else if (py_array_make("f8", 2, shape, &columns)) {
        const double factor = exp_interval_factor(n);
        for (Py_ssize_t r = 0; r < rows; r++) {
            const double *row = (const double *)values.data + r * n;
            double *out = (double *)columns.data + r * COLUMNS;
            const exp_moments moments = exp_moments_of(row, n);
            memcpy(sorted, row, (size_t)n * sizeof *sorted);
            const exp_spread spread = exp_spread_of(sorted, n, false);
            out[MEAN] = moments.mean;
            out[CI95] = factor * exp_moments_sd(&moments);
            out[MEDIAN] = spread.median;
            out[WORST] = spread.worst;
        }
    }
    free(sorted);
    py_array_release(&values);
    return py_array_take(&columns);
}

static PyObject *running_sums(PyObject *module, PyObject *argument)
{
    (void)module;
    py_array values, sums;
    if (!py_array_read(argument, "values", "f8", 1, &values))
        return NULL;
    if (py_array_make("f8", 1, values.shape, &sums)) {
        exp_sum sum = {0};
        for (Py_ssize_t i = 0; i < values.shape[0]; i++) {
            exp_sum_add(&sum, ((const double *)values.data)[i]);
            ((double *)sums.data)[i] = exp_sum_value(&sum);
        }
    }
    py_array_release(&values);
    return py_array_take(&sums);
}

static PyObject *rate(PyObject *module, PyObject *arguments)
{
    (void)module;
    double reward, random, optimum;
    if (!PyArg_ParseTuple(arguments, "ddd:rate", &reward, &random, &optimum))
        return NULL;
    return Py_BuildValue("dd", exp_scored(reward, random, optimum), exp_share(reward, optimum));
}

static PyObject *student(PyObject *module, PyObject *arguments)
{
    (void)module;
    double level, df;
    if (!PyArg_ParseTuple(arguments, "dd:student", &level, &df))
        return NULL;
    if (!(level > 0.0 && level < 1.0 && df > 0.0))
        return py_fail(LGKT_ERR_ARGUMENT, "the level must lie between 0 and 1, df above 0");
    return PyFloat_FromDouble(exp_student_quantile(level, df));
}

static PyObject *student_tail(PyObject *module, PyObject *arguments)
{
    (void)module;
    double t, df;
    if (!PyArg_ParseTuple(arguments, "dd:student_tail", &t, &df))
        return NULL;
    if (!(df > 0.0))
        return py_fail(LGKT_ERR_ARGUMENT, "df must be above 0");
    return PyFloat_FromDouble(exp_student_tail(t, df));
}

static PyMethodDef functions[] = {
    {"run", (PyCFunction)(void (*)(void))run, METH_VARARGS | METH_KEYWORDS,
     "run($module, /, spec, data, learners, horizon, replicates, seed, jobs, untold,\n"
     "    checkpoints=None, regret=None, progress=None)\n--\n\n"
     "Play a tuple of learner specs on instances of an environment, the interpreter released; of\n"
     "an empty one come the optimum and uniform play alone.\n"
     "`progress` is called with the steps done about ten times a second; what it raises, and\n"
     "Ctrl-C, end the run."},
    {"checkpoints", checkpoints, METH_VARARGS,
     "checkpoints($module, horizon, log=False, /)\n--\n\n"
     "The times at which the command looks at a learning curve."},
    {"summarize", summarize, METH_O,
     "summarize($module, values, /)\n--\n\n"
     "Of each row: mean, half the width of its interval, median, mean of the worst tenth."},
    {"running_sums", running_sums, METH_O,
     "running_sums($module, values, /)\n--\n\n"
     "Sums of the first numbers, for all counts of them, that keep what rounding loses."},
    {"rate", rate, METH_VARARGS,
     "rate($module, reward, random, optimum, /)\n--\n\nScore and share of a mean reward."},
    {"student", student, METH_VARARGS,
     "student($module, level, df, /)\n--\n\nThe t with P(|T| <= t) = level (Student 1908)."},
    {"student_tail", student_tail, METH_VARARGS,
     "student_tail($module, t, df, /)\n--\n\nP(|T| > |t|), the p-value of both sides."},
    {NULL, NULL, 0, NULL},
};

bool py_add_run(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) == 0;
}
