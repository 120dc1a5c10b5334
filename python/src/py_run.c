// SPDX-License-Identifier: MIT
// lgkt.run: the runner of the command (experiments/runner/runner.h), and the numbers it makes of results.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/runner/checkpoints.h"
#include "experiments/runner/runner.h"
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

static PyObject *counters_of(const exp_counters *counters)
{
    PyObject *dict = PyDict_New();
    for (int32_t i = 0; i < counters->count && dict != NULL; i++) {
        PyObject *total = PyLong_FromLongLong(counters->totals[i]);
        if (total == NULL || PyDict_SetItemString(dict, counters->names[i], total) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(total);
    }
    return dict;
}

// for each learner what it counted, or what it does untold
static bool put_list(PyObject *dict, const char *name, const exp_result *result, bool untold)
{
    if (untold && result->untold == NULL)
        return PyDict_SetItemString(dict, name, Py_None) == 0;
    PyObject *list = PyList_New(result->learner_count);
    for (int32_t l = 0; l < result->learner_count && list != NULL; l++) {
        PyObject *item =
            untold ? PyUnicode_FromString(result->untold[l]) : counters_of(&result->counters[l]);
        if (item == NULL || PyList_SetItem(list, l, item) != 0)
            Py_CLEAR(list);
    }
    const bool put = list != NULL && PyDict_SetItemString(dict, name, list) == 0;
    Py_XDECREF(list);
    return put;
}

static PyObject *to_dict(const exp_result *result)
{
    const Py_ssize_t n = result->replicates, learners = result->learner_count;
    const Py_ssize_t of_run[] = {learners, n}, of_curve[] = {learners, result->checkpoint_count, n};
    const double *regret_curve =
        result->regret != NULL ? result->curve + learners * result->checkpoint_count * n : NULL;
    PyObject *dict = PyDict_New();
    PyObject *note =
        PyUnicode_DecodeUTF8(result->note, (Py_ssize_t)strlen(result->note), "replace");
    if (dict == NULL || note == NULL || PyDict_SetItemString(dict, "note", note) != 0 ||
        !put_array(dict, "optimum", result->optimum, 1, &n) ||
        !put_array(dict, "random", result->random, 1, &n) ||
        !put_array(dict, "reward", result->reward, 2, of_run) ||
        !put_array(dict, "observed", result->observed, 2, of_run) ||
        !put_array(dict, "seconds", result->seconds, 2, of_run) ||
        !put_array(dict, "curve", result->curve, 3, of_curve) ||
        !put_array(dict, "regret", result->regret, 2, of_run) ||
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

// The texts of a tuple, borrowed from it.
static const char **read_specs(PyObject *tuple, int32_t *count)
{
    const Py_ssize_t size = PyTuple_Size(tuple);
    if (size < 0 || size > EXP_MAX_LEARNERS) {
        if (size >= 0)
            py_fail(LGKT_ERR_ARGUMENT, "there are at most 1000 learners");
        return NULL;
    }
    const char **specs = calloc((size_t)size + 1, sizeof *specs);
    if (specs == NULL)
        PyErr_NoMemory();
    *count = (int32_t)size;
    for (Py_ssize_t i = 0; i < size && specs != NULL; i++) {
        Py_ssize_t length;
        specs[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), &length);
        if (specs[i] != NULL && strlen(specs[i]) != (size_t)length) {
            py_fail(LGKT_ERR_SPEC, "a spec holds a zero character");
            specs[i] = NULL;
        }
        if (specs[i] == NULL) {
            free(specs);
            specs = NULL;
        }
    }
    return specs;
}

static PyObject *run(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"spec", "data",   "learners",    "horizon", "replicates", "seed",
                            "jobs", "untold", "checkpoints", "regret",  "progress",   NULL};
    PyObject *data, *learners, *horizon, *replicates, *seed, *jobs,
        *checkpoints = NULL, *regret = NULL, *progress = NULL;
    int untold;
    exp_setup setup = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "sOO!OOOOp|OOO:run", names,
                                     &setup.world.spec, &data, &PyTuple_Type, &learners, &horizon,
                                     &replicates, &seed, &jobs, &untold, &checkpoints, &regret,
                                     &progress) ||
        !py_int64(horizon, "horizon", &setup.horizon) ||
        !py_int64(replicates, "replicates", &setup.replicates) ||
        !py_uint64(seed, "seed", &setup.seed) || !py_int32(jobs, "jobs", &setup.jobs))
        return NULL;
    setup.untold = untold != 0;
    if (regret != NULL && regret != Py_None) {
        PyObject *k, *threshold;
        if (!PyTuple_Check(regret)) {
            PyErr_SetString(PyExc_TypeError, "regret must be (K, threshold)");
            return NULL;
        }
        if (!PyArg_ParseTuple(regret, "OO;regret must be (K, threshold)", &k, &threshold) ||
            !py_int64(k, "regret: K", &setup.regret_k) ||
            !py_real(threshold, "regret: the threshold", &setup.regret_threshold))
            return NULL;
        if (setup.regret_k < 1)
            return py_fail(LGKT_ERR_ARGUMENT, "regret: K must be at least 1");
    }
    py_array series = {0}, times = {0};
    PyObject *made = NULL;
    bool good = py_data_read(data, &setup.world.data, &series);
    if (good && checkpoints != NULL && checkpoints != Py_None)
        good = py_array_read(checkpoints, "checkpoints", "i8", 1, &times);
    if (good && times.shape[0] > EXP_MAX_POINTS)
        good = py_fail(LGKT_ERR_ARGUMENT, "there are at most 100000 checkpoints") != NULL;
    setup.checkpoints = times.data;
    setup.checkpoint_count = (int32_t)times.shape[0];
    setup.measures = exp_usual_measures;
    setup.measure_count = setup.regret_k > 0 ? 2 : 1;
    setup.learners = good ? read_specs(learners, &setup.learner_count) : NULL;
    setup.unplayed = setup.learner_count == 0;
    if (setup.learners != NULL && setup.unplayed)
        ((const char **)setup.learners)[setup.learner_count++] = "random";
    if (setup.learners != NULL) {
        py_watch w = {.progress = progress != Py_None ? progress : NULL};
        setup.stop = &w.stop;
        setup.progress = py_look;
        setup.progress_ctx = &w;
        exp_result result = {0};
        lgkt_error error = {0};
        w.released = PyEval_SaveThread();
        const lgkt_status status = exp_run(&setup, NULL, &result, &error);
        PyEval_RestoreThread(w.released);
        if (status != LGKT_OK)
            py_fail_error(&error);
        else if (!PyErr_Occurred())
            made = to_dict(&result);
        exp_result_free(&result);
    }
    free((void *)setup.learners);
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
    const Py_ssize_t count =
        log ? exp_log_checkpoints(horizon, times) : exp_checkpoints(horizon, times);
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
