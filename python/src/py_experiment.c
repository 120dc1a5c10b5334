// SPDX-License-Identifier: MIT
#include "py_experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

// ---- the experiment ----
//
// What goes wrong sets an exception; from then on nothing is read, and what comes back is empty.

static void *take(py_experiment *self, Py_ssize_t count, size_t size)
{
    void **grown = realloc(self->blocks, (self->block_count + 1) * sizeof *grown);
    self->blocks = grown != NULL ? grown : self->blocks;
    void *block = grown != NULL ? calloc((size_t)count + 1, size) : NULL;
    if (block != NULL)
        self->blocks[self->block_count++] = block;
    else
        PyErr_NoMemory();
    return block;
}

// an object that lives as long as self; takes the reference over
static PyObject *keep(py_experiment *self, PyObject *object)
{
    const bool kept = object != NULL && PyList_Append(self->kept, object) == 0;
    Py_XDECREF(object);
    return kept ? object : NULL;
}

static PyObject *get(py_experiment *self, PyObject *from, const char *name)
{
    return PyErr_Occurred() ? NULL : keep(self, PyObject_GetAttrString(from, name));
}

static bool refuse(const char *name, const char *why)
{
    char text[160];
    snprintf(text, sizeof text, "%s: %s", name, why);
    return py_fail(LGKT_ERR_ARGUMENT, text) != NULL;
}

static const char *one_line(const char *text, Py_ssize_t size, const char *name)
{
    for (Py_ssize_t i = 0; text != NULL && i < size; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 127) {
            refuse(name, "it has a control character; it must be one line");
            break;
        }
    return text != NULL ? text : "";
}

static const char *text_of(PyObject *object, const char *name)
{
    Py_ssize_t size = 0;
    const char *text =
        object != NULL && PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &size) : NULL;
    if (text == NULL && PyErr_ExceptionMatches(PyExc_UnicodeError)) {
        PyErr_Clear();
        refuse(name, "it is no UTF-8");
    }
    if (text == NULL && !PyErr_Occurred())
        refuse(name, "it must be a text");
    return one_line(text, size, name);
}

const char *py_experiment_text(py_experiment *self, PyObject *object, const char *name)
{
    return text_of(keep(self, Py_NewRef(object)), name);
}

static const char *get_text(py_experiment *self, PyObject *from, const char *name)
{
    return text_of(get(self, from, name), name);
}

static bool get_bool(py_experiment *self, PyObject *from, const char *name)
{
    bool value = false;
    PyObject *object = get(self, from, name);
    return object != NULL && py_bool(object, &value) && value;
}

static double get_number(py_experiment *self, PyObject *from, const char *name, double low,
                         double high)
{
    double value = low;
    PyObject *object = get(self, from, name);
    if (object != NULL && py_real(object, name, &value) && !(value >= low && value <= high)) {
        char text[96];
        snprintf(text, sizeof text, "it is %.16g; it must be in %g .. %.16g", value, low, high);
        refuse(name, text);
    }
    return value;
}

static int64_t get_whole(py_experiment *self, PyObject *from, const char *name, int64_t low,
                         int64_t high)
{
    int64_t value = low;
    PyObject *object = get(self, from, name);
    if (object != NULL && py_int64(object, name, &value) && !(value >= low && value <= high)) {
        char text[96];
        snprintf(text, sizeof text, "it is %lld; it must be in %lld .. %lld", (long long)value,
                 (long long)low, (long long)high);
        refuse(name, text);
        return low;
    }
    return value;
}

// a sequence as a tuple of at most `most` entries; NULL with an exception
static PyObject *tuple_of(py_experiment *self, PyObject *object, const char *name, Py_ssize_t least,
                          Py_ssize_t most, int32_t *count)
{
    PyObject *tuple = object != NULL ? keep(self, PySequence_Tuple(object)) : NULL;
    const Py_ssize_t size = tuple != NULL ? PyTuple_Size(tuple) : 0;
    *count = 0;
    if (tuple == NULL)
        return NULL;
    if (size < least || size > most) {
        char text[96];
        snprintf(text, sizeof text, "it has %zd entries; it must have %zd to %zd", size, least,
                 most);
        refuse(name, text);
        return NULL;
    }
    *count = (int32_t)size;
    return tuple;
}

static const int64_t *times_of(py_experiment *self, PyObject *object, const char *name,
                               Py_ssize_t most, int32_t *count)
{
    PyObject *tuple = tuple_of(self, object, name, 0, most, count);
    int64_t *times = tuple != NULL ? take(self, *count, sizeof *times) : NULL;
    for (int32_t i = 0; i < *count && times != NULL && !PyErr_Occurred(); i++)
        if (py_int64(PyTuple_GetItem(tuple, i), name, &times[i]) &&
            times[i] <= (i > 0 ? times[i - 1] : 0))
            refuse(name, "times are whole numbers from 1 on that increase");
    return times;
}

// of what a grid made: which one it is; else NULL
static const exp_cell *cell_of(py_experiment *self, PyObject *from)
{
    PyObject *grid = get(self, from, "grid"), *cell = get(self, from, "cell");
    if (cell == NULL || grid == Py_None)
        return NULL;
    int32_t count;
    PyObject *items =
        tuple_of(self, keep(self, PyMapping_Items(cell)), "cell", 1, EXP_MAX_LEARNERS, &count);
    exp_cell *made = items != NULL ? take(self, 1, sizeof *made) : NULL;
    exp_value *values = made != NULL ? take(self, count, sizeof *values) : NULL;
    for (int32_t i = 0; i < count && values != NULL && !PyErr_Occurred(); i++) {
        PyObject *name, *value;
        if (!PyArg_ParseTuple(PyTuple_GetItem(items, i), "OO", &name, &value))
            break;
        values[i] = (exp_value){text_of(name, "cell"), "", NAN};
        if (PyUnicode_Check(value))
            values[i].text = text_of(value, "cell");
        else
            py_real(value, "cell", &values[i].number);
    }
    if (values != NULL)
        *made = (exp_cell){text_of(grid, "grid"), values, count};
    return made;
}

static exp_entry entry_of(py_experiment *self, PyObject *from)
{
    exp_entry entry = {
        .label = get_text(self, from, "label"),
        .spec = get_text(self, from, "spec"),
        .oracle = get_bool(self, from, "oracle"),
        .alone = get_bool(self, from, "alone"),
        .group = get_text(self, from, "group"),
        .section = get_text(self, from, "section"),
        .cell = cell_of(self, from),
    };
    PyObject *style = get(self, from, "style");
    if (style == NULL)
        return entry;
    // what the file did not say is not there
    static const char *const KEYS[] = {"color", "dash", "width"};
    for (int i = 0; i < 3 && !PyErr_Occurred(); i++) {
        if (!PyMapping_HasKeyString(style, KEYS[i]))
            continue;
        PyObject *value = keep(self, PyMapping_GetItemString(style, KEYS[i]));
        if (value != NULL && i == 0)
            entry.style.color = text_of(value, "style: color");
        else if (value != NULL && i == 1)
            entry.style.dash = text_of(value, "style: dash");
        else if (value != NULL)
            py_real(value, "style: width", &entry.style.width);
    }
    return entry;
}

static void read_events(py_experiment *self, PyObject *from, exp_panel *panel)
{
    PyObject *events = get(self, from, "events");
    PyObject *items = events != NULL ? keep(self, PyMapping_Items(events)) : NULL;
    PyObject *tuple = tuple_of(self, items, "events", 0, EXP_MAX_MEASURES, &panel->event_count);
    exp_event *made = tuple != NULL ? take(self, panel->event_count, sizeof *made) : NULL;
    panel->events = made;
    for (int32_t e = 0; e < panel->event_count && made != NULL && !PyErr_Occurred(); e++) {
        PyObject *name, *env;
        if (PyArg_ParseTuple(PyTuple_GetItem(tuple, e), "OO", &name, &env))
            made[e] = (exp_event){text_of(name, "events"), text_of(env, "events")};
    }
}

static void read_measures(py_experiment *self, PyObject *from, exp_panel *panel)
{
    PyObject *words = tuple_of(self, get(self, from, "measures"), "measures", 1, EXP_MAX_MEASURES,
                               &panel->measure_count);
    exp_measure *measures =
        words != NULL ? take(self, panel->measure_count, sizeof *measures) : NULL;
    panel->measures = measures;
    for (int32_t m = 0; m < panel->measure_count && measures != NULL && !PyErr_Occurred(); m++) {
        measures[m] = exp_usual_measures[0];
        if (!exp_measure_parse(text_of(PyTuple_GetItem(words, m), "measures"), &measures[m]))
            refuse("measures",
                   "average, cumulative, regret, ratio, counter:NAME and event:NAME are known");
        if (measures[m].kind == EXP_MEASURE_REGRET && panel->regret_k == 0)
            refuse("measures", "regret needs K and threshold");
        if (measures[m].kind == EXP_MEASURE_RATIO && panel->measure_count > 1)
            refuse("measures", "ratio goes with no other measure");
    }
}

static exp_panel panel_of(py_experiment *self, PyObject *from)
{
    exp_panel panel = {
        .name = get_text(self, from, "name"),
        .place = (int32_t)get_whole(self, from, "place", 0, EXP_MAX_PANELS),
        .title = get_text(self, from, "title"),
        .env = get_text(self, from, "environment"),
        .horizon = get_whole(self, from, "horizon", 1, EXP_MAX_HORIZON),
        .instances = get_whole(self, from, "instances", 1, EXP_MAX_REPLICATES),
        .quick_instances = get_whole(self, from, "quick", 0, EXP_MAX_REPLICATES),
        .untold = get_bool(self, from, "untold"),
        .cell = cell_of(self, from),
    };
    PyObject *regret = get(self, from, "regret"), *k, *threshold;
    if (regret != NULL && regret != Py_None && PyTuple_Check(regret) &&
        PyArg_ParseTuple(regret, "OO;regret must be (K, threshold)", &k, &threshold) &&
        py_int64(k, "regret: K", &panel.regret_k) &&
        py_real(threshold, "regret: the threshold", &panel.regret_threshold) && panel.regret_k < 1)
        refuse("regret", "K must be at least 1");
    read_events(self, from, &panel);
    read_measures(self, from, &panel);
    PyObject *times = get(self, from, "checkpoints");
    const bool word = times != NULL && PyUnicode_Check(times);
    panel.times = !word                                                 ? EXP_TIMES_GIVEN
                  : PyUnicode_CompareWithASCIIString(times, "log") == 0 ? EXP_TIMES_LOG
                                                                        : EXP_TIMES_MIXED;
    if (!word)
        panel.given_times = times_of(self, times, "checkpoints", EXP_MAX_TIMES, &panel.given_count);
    panel.compare = times_of(self, get(self, from, "compare"), "compare", EXP_MAX_COMPARE,
                             &panel.compare_count);
    PyObject *units = get(self, from, "units");
    if (units != NULL && units != Py_None)
        panel.units = (exp_units){
            .count = (int32_t)get_whole(self, units, "count", 1, EXP_MAX_UNITS),
            .late = get_number(self, units, "late", 0.0, 1e6),
            .missing = get_number(self, units, "missing", 0.0, 1.0),
            .patience = get_whole(self, units, "patience", 1, 1000000),
            .told = get_whole(self, units, "told", 0, EXP_MAX_HORIZON),
            .extended = get_whole(self, units, "extended", 0, EXP_MAX_HORIZON),
        };
    PyObject *entries = tuple_of(self, get(self, from, "entries"), "entries", 1, EXP_MAX_LEARNERS,
                                 &panel.entry_count);
    exp_entry *made = entries != NULL ? take(self, panel.entry_count, sizeof *made) : NULL;
    panel.entries = made;
    for (int32_t l = 0; l < panel.entry_count && made != NULL && !PyErr_Occurred(); l++)
        made[l] = entry_of(self, PyTuple_GetItem(entries, l));
    return panel;
}

bool py_experiment_read(py_experiment *self, PyObject *from, PyObject *folder, PyObject *source)
{
    exp_experiment *experiment = &self->experiment;
    *experiment = (exp_experiment){
        .name = get_text(self, from, "name"),
        .title = get_text(self, from, "title"),
        .question = get_text(self, from, "question"),
        .place = get_text(self, from, "place"),
        .collection = get_text(self, from, "collection"),
        .section = get_text(self, from, "section"),
        .order = get_whole(self, from, "order", 0, INT32_MAX),
    };
    PyObject *path = PyErr_Occurred() ? NULL : keep(self, PyUnicode_EncodeFSDefault(folder));
    experiment->folder =
        path != NULL ? one_line(PyBytes_AsString(path), PyBytes_Size(path), "folder") : "";
    Py_ssize_t size = 0;
    PyObject *name, *bytes;
    char *data = NULL;
    if (!PyErr_Occurred() && source != Py_None && keep(self, Py_NewRef(source)) != NULL &&
        PyArg_ParseTuple(source, "OO", &name, &bytes) &&
        PyBytes_AsStringAndSize(bytes, &data, &size) == 0) {
        experiment->file = text_of(name, "file");
        experiment->bytes = data;
        experiment->size = (size_t)size;
    }
    PyObject *panels = tuple_of(self, get(self, from, "panels"), "panels", 1, EXP_MAX_PANELS,
                                &experiment->panel_count);
    exp_panel *made = panels != NULL ? take(self, experiment->panel_count, sizeof *made) : NULL;
    experiment->panels = made;
    for (int32_t p = 0; p < experiment->panel_count && made != NULL && !PyErr_Occurred(); p++)
        made[p] = panel_of(self, PyTuple_GetItem(panels, p));
    return !PyErr_Occurred();
}

void py_experiment_free(py_experiment *self)
{
    for (size_t i = 0; i < self->block_count; i++)
        free(self->blocks[i]);
    free(self->blocks);
    Py_CLEAR(self->kept);
}

// ---- files that specs name ----

// The exception as a failure, so that those who asked can say where it happened; false: it is none
// of the package, and stays.
static bool take_failure(lgkt_error *error)
{
    PyObject *type, *why, *trace;
    PyErr_Fetch(&type, &why, &trace);
    PyErr_NormalizeException(&type, &why, &trace);
    PyObject *name = why != NULL ? PyObject_GetAttrString(why, "status") : NULL;
    PyObject *words = name != NULL && PyUnicode_Check(name) ? PyObject_Str(why) : NULL;
    const char *text = words != NULL ? PyUnicode_AsUTF8AndSize(words, NULL) : NULL;
    lgkt_status status = LGKT_ERR_ARGUMENT;
    while (text != NULL && status > LGKT_ERR_SYSTEM &&
           PyUnicode_CompareWithASCIIString(name, lgkt_status_name(status)) != 0)
        status = (lgkt_status)(status - 1);
    if (text != NULL)
        lgkt_fail(error, status, "%s", text);
    PyErr_Clear();
    Py_XDECREF(words);
    Py_XDECREF(name);
    if (text == NULL) {
        PyErr_Restore(type, why, trace);
        return false;
    }
    Py_XDECREF(type);
    Py_XDECREF(why);
    Py_XDECREF(trace);
    return true;
}

static bool take_data(py_files *f, PyObject *object, lgkt_data *data)
{
    py_array *grown = realloc(f->found, (f->count + 1) * sizeof *grown);
    if (grown == NULL) {
        PyErr_NoMemory();
        return false;
    }
    f->found = grown;
    py_array *array = &grown[f->count++];
    *array = (py_array){0};
    if (!py_data_read(object, data, array))
        return false;
    // a model has no array
    if (array->object == NULL)
        array->object = Py_NewRef(object);
    return true;
}

static lgkt_status find_data(const io_files *files, const char *before, const char *spec,
                             io_data *data, lgkt_error *error)
{
    py_files *f = (py_files *)files;
    *data = (io_data){0};
    PyEval_RestoreThread(f->released);
    PyObject *both = PyObject_CallFunction(f->find, "Ns", PyUnicode_DecodeFSDefault(before), spec),
             *given, *after;
    const bool good = both != NULL && PyArg_Parse(both, "(OO);two are needed", &given, &after) &&
                      take_data(f, given, &data->given) && take_data(f, after, &data->after);
    // what is no failure of ours stays an exception, whatever the status
    lgkt_status status = LGKT_OK;
    if (!good)
        status = take_failure(error) ? error->status : LGKT_ERR_ARGUMENT;
    Py_XDECREF(both);
    f->released = PyEval_SaveThread();
    return status;
}

py_files py_files_from(PyObject *find)
{
    return (py_files){.files = {.read = find_data}, .find = find};
}

void py_files_free(py_files *f)
{
    for (size_t i = 0; i < f->count; i++)
        py_array_release(&f->found[i]);
    free(f->found);
}
