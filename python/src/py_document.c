// SPDX-License-Identifier: MIT
// Files whose bytes Python has: documents as json.loads gives them (dict, list or tuple, str, int,
// float, bool, None), read by the code that reads them for the command, and CSV.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/reader/experiment_file.h"
#include "io/formats/io_model.h"
#include "io/formats/io_tape.h"
#include "py_core.h"

// ---- values ----

// The UTF-8 of a text. Empty, with a flaw, where C could not keep it.
static const char *look_text(io_document *d, PyObject *object, const char **flaw)
{
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text == NULL && !PyErr_ExceptionMatches(PyExc_UnicodeError))
        io_refuse_memory(d);
    PyErr_Clear();
    *flaw = text == NULL                  ? "is not UTF-8"
            : strlen(text) < (size_t)size ? "has a zero character"
                                          : NULL;
    return *flaw == NULL ? text : "";
}

static io_value look(io_document *d, PyObject *object)
{
    io_value value = {.kind = IO_NULL, .node = object};
    if (object == NULL) {
        value.kind = IO_NOTHING;
    } else if (PyBool_Check(object)) {
        value.kind = IO_BOOL;
        value.whole = object == Py_True;
    } else if (PyLong_Check(object)) {
        int overflow = 0;
        value.kind = IO_WHOLE;
        value.whole = PyLong_AsLongLongAndOverflow(object, &overflow);
        value.number = overflow > 0 ? INFINITY : overflow < 0 ? -INFINITY : (double)value.whole;
        value.flaw = overflow != 0 ? "too big integer" : NULL;
    } else if (PyFloat_Check(object)) {
        value.kind = IO_REAL;
        value.number = PyFloat_AsDouble(object);
        value.flaw = isinf(value.number) ? "real number overflow" : NULL;
    } else if (PyUnicode_Check(object)) {
        value.kind = IO_TEXT;
        value.text = look_text(d, object, &value.flaw);
    } else if (PyList_Check(object) || PyTuple_Check(object)) {
        value.kind = IO_LIST;
        value.size = (size_t)(PyList_Check(object) ? PyList_Size(object) : PyTuple_Size(object));
    } else if (PyDict_Check(object)) {
        value.kind = IO_OBJECT;
        value.size = (size_t)PyDict_Size(object);
    }
    return value;
}

static io_value item(io_document *d, const void *list, size_t index)
{
    PyObject *object = (PyObject *)list;
    const Py_ssize_t i = (Py_ssize_t)index;
    return look(d, PyList_Check(object) ? PyList_GetItem(object, i) : PyTuple_GetItem(object, i));
}

static io_value find(io_document *d, const void *object, const char *key)
{
    PyObject *name = PyUnicode_FromString(key);
    PyObject *value = name != NULL ? PyDict_GetItemWithError((PyObject *)object, name) : NULL;
    if (PyErr_Occurred()) {
        PyErr_Clear();
        io_refuse_memory(d);
    }
    Py_XDECREF(name);
    return look(d, value);
}

// What messages show of a key that C cannot keep.
static const char *shown(io_document *d, PyObject *key)
{
    PyObject *bytes = PyUnicode_AsEncodedString(key, "utf-8", "replace");
    const size_t size = bytes != NULL ? (size_t)PyBytes_Size(bytes) : 0;
    char *made = bytes != NULL ? io_take(d, size, 1) : NULL;
    for (size_t i = 0; i < size && made != NULL; i++)
        made[i] = PyBytes_AsString(bytes)[i] != '\0' ? PyBytes_AsString(bytes)[i] : '?';
    PyErr_Clear();
    Py_XDECREF(bytes);
    return made != NULL ? made : "?";
}

static void members(io_document *d, const void *object, io_member *into)
{
    Py_ssize_t place = 0;
    PyObject *key, *value;
    while (PyDict_Next((PyObject *)object, &place, &key, &value)) {
        const char *flaw = NULL;
        *into = (io_member){"?", look(d, value)}; // what is no text is no key of a document
        if (PyUnicode_Check(key))
            into->name = look_text(d, key, &flaw);
        if (flaw != NULL)
            into->name = shown(d, key);
        into++;
    }
}

static const io_backing backing = {item, find, members, NULL};

static io_document document(PyObject *root, PyObject *source, lgkt_error *error)
{
    io_document d = {.file = {.name = PyBytes_AsString(source), .error = error},
                     .backing = &backing};
    d.root = look(&d, root);
    return d;
}

// ---- experiments ----

// Names of files may be no UTF-8.
static PyObject *text_new(const char *text)
{
    return text == NULL ? Py_NewRef(Py_None)
                        : PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

static PyObject *times_new(const int64_t *times, int32_t count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int32_t i = 0; i < count && tuple != NULL; i++) {
        PyObject *time = PyLong_FromLongLong(times[i]);
        if (time == NULL || PyTuple_SetItem(tuple, i, time) != 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

// Puts a value into a dict, and takes it over; false with an exception.
static bool put(PyObject *dict, const char *key, PyObject *value)
{
    const bool good = dict != NULL && value != NULL && PyDict_SetItemString(dict, key, value) == 0;
    Py_XDECREF(value);
    return good;
}

static PyObject *cell_new(const exp_cell *cell)
{
    PyObject *dict = PyDict_New();
    for (int32_t i = 0; dict != NULL && cell != NULL && i < cell->count; i++) {
        const exp_value *value = &cell->values[i];
        if (!put(dict, value->name,
                 isnan(value->number) ? text_new(value->text) : PyFloat_FromDouble(value->number)))
            Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *style_new(const exp_style *style)
{
    PyObject *dict = PyDict_New();
    if (dict == NULL || (style->color != NULL && !put(dict, "color", text_new(style->color))) ||
        (style->dash != NULL && !put(dict, "dash", text_new(style->dash))) ||
        (style->width > 0.0 && !put(dict, "width", PyFloat_FromDouble(style->width))))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *entries_new(const exp_panel *panel)
{
    PyObject *list = PyList_New(0);
    for (int32_t l = 0; l < panel->entry_count && list != NULL; l++) {
        const exp_entry *entry = &panel->entries[l];
        PyObject *made =
            Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "label", text_new(entry->label),
                          "spec", text_new(entry->spec), "group", text_new(entry->group), "section",
                          text_new(entry->section), "style", style_new(&entry->style), "oracle",
                          py_new_bool(entry->oracle), "alone", py_new_bool(entry->alone), "grid",
                          text_new(entry->cell != NULL ? entry->cell->grid : NULL), "cell",
                          cell_new(entry->cell));
        if (made == NULL || PyList_Append(list, made) != 0)
            Py_CLEAR(list);
        Py_XDECREF(made);
    }
    return list;
}

static PyObject *measures_new(const exp_panel *panel)
{
    PyObject *tuple = PyTuple_New(panel->measure_count);
    for (int32_t m = 0; m < panel->measure_count && tuple != NULL; m++) {
        PyObject *word = text_new(panel->measures[m].word);
        if (word == NULL || PyTuple_SetItem(tuple, m, word) != 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *events_new(const exp_panel *panel)
{
    PyObject *dict = PyDict_New();
    for (int32_t e = 0; e < panel->event_count && dict != NULL; e++)
        if (!put(dict, panel->events[e].name, text_new(panel->events[e].env)))
            Py_CLEAR(dict);
    return dict;
}

static PyObject *units_new(const exp_units *units)
{
    return units->count == 0
               ? Py_NewRef(Py_None)
               : Py_BuildValue("{s:i,s:d,s:d,s:L,s:L,s:L}", "count", (int)units->count, "late",
                               units->late, "missing", units->missing, "patience",
                               (long long)units->patience, "told", (long long)units->told,
                               "extended", (long long)units->extended);
}

// `sibling` has the same learners, and its list of them is used; nullable.
static PyObject *panel_new(const exp_panel *panel, PyObject *sibling)
{
    PyObject *entries =
        sibling != NULL ? Py_XNewRef(PyDict_GetItemString(sibling, "entries")) : entries_new(panel);
    PyObject *times = panel->times == EXP_TIMES_GIVEN
                          ? times_new(panel->given_times, panel->given_count)
                          : text_new(panel->times == EXP_TIMES_LOG ? "log" : "mixed");
    PyObject *regret = panel->regret_k == 0 ? Py_NewRef(Py_None)
                                            : Py_BuildValue("Ld", (long long)panel->regret_k,
                                                            panel->regret_threshold);
    return Py_BuildValue(
        "{s:N,s:i,s:N,s:N,s:L,s:L,s:L,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "name",
        text_new(panel->name), "place", (int)panel->place, "title", text_new(panel->title),
        "environment", text_new(panel->env), "horizon", (long long)panel->horizon, "instances",
        (long long)panel->instances, "quick", (long long)panel->quick_instances, "measures",
        measures_new(panel), "regret", regret, "events", events_new(panel), "untold",
        py_new_bool(panel->untold), "checkpoints", times, "compare",
        times_new(panel->compare, panel->compare_count), "entries", entries, "units",
        units_new(&panel->units), "grid", text_new(panel->cell != NULL ? panel->cell->grid : NULL),
        "cell", cell_new(panel->cell));
}

static PyObject *experiment_new(const exp_experiment *experiment)
{
    PyObject *panels = PyList_New(0), *sibling = NULL;
    for (int32_t p = 0; p < experiment->panel_count && panels != NULL; p++) {
        const exp_panel *panel = &experiment->panels[p];
        const bool same = p > 0 && panel->entries == panel[-1].entries;
        PyObject *made = panel_new(panel, same ? sibling : NULL);
        if (made == NULL || PyList_Append(panels, made) != 0)
            Py_CLEAR(panels);
        Py_XDECREF(made);
        sibling = made; // the list has it
    }
    return Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:N,s:N,s:L,s:L,s:N}", "name", text_new(experiment->name), "title",
        text_new(experiment->title), "question", text_new(experiment->question), "place",
        text_new(experiment->place), "collection", text_new(experiment->collection), "section",
        text_new(experiment->section), "order", (long long)experiment->order, "seed",
        (long long)experiment->seed, "panels", panels);
}

static PyObject *read_experiment(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *root, *bytes, *path;
    lgkt_error error = {0};
    if (!PyArg_ParseTuple(arguments, "OSS:read_experiment", &root, &bytes, &path))
        return NULL;
    io_document *d = malloc(sizeof *d);
    if (d == NULL)
        return PyErr_NoMemory();
    *d = document(root, path, &error);
    exp_experiment experiment;
    exp_experiment_fill(&experiment, d, PyBytes_AsString(bytes), (size_t)PyBytes_Size(bytes),
                        PyBytes_AsString(path));
    PyObject *made = d->status == LGKT_OK ? experiment_new(&experiment) : py_fail_error(&error);
    exp_experiment_free(&experiment);
    return made;
}

// ---- models ----

static PyObject *read_model(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *type, *root, *source;
    if (!PyArg_ParseTuple(arguments, "OOS:read_model", &type, &root, &source))
        return NULL;
    if (!PyType_Check(type) || !PyType_IsSubtype((PyTypeObject *)type, py_model_type)) {
        PyErr_SetString(PyExc_TypeError, "the first argument must be a class of models");
        return NULL;
    }
    lgkt_error error = {0};
    lgkt_io_model *model = NULL;
    io_document d = document(root, source, &error);
    io_model_fill(&d, NULL, &model);
    io_document_release(&d);
    if (d.status != LGKT_OK)
        return py_fail_error(&error);
    py_model *self = (py_model *)py_object_new((PyTypeObject *)type);
    if (self != NULL)
        self->mdp = lgkt_mdp_retain(lgkt_io_model_mdp(model));
    PyObject *made = Py_BuildValue("NNN", self, text_new(lgkt_io_model_name(model)),
                                   text_new(lgkt_io_model_comment(model)));
    lgkt_io_model_destroy(model);
    return made;
}

// A text of a model, NULL for None; false with an exception where a file could not hold it.
static bool model_text(PyObject *object, const char *key, const char **text)
{
    lgkt_error error = {0};
    io_document d = {.file = {.name = key, .error = &error}};
    const char *flaw = NULL;
    *text = NULL;
    if (object == Py_None)
        return true;
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str or None", key);
        return false;
    }
    *text = look_text(&d, object, &flaw);
    if (d.status != LGKT_OK)
        return py_fail_error(&error) != NULL;
    char why[64];
    snprintf(why, sizeof why, "%s %s", key, flaw != NULL ? flaw : "");
    return flaw == NULL || py_fail(LGKT_ERR_FORMAT, why) != NULL;
}

static PyObject *print_model(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *object, *given[2];
    const char *name, *comment;
    const lgkt_mdp *mdp;
    if (!PyArg_ParseTuple(arguments, "OOO:print_model", &object, &given[0], &given[1]) ||
        !py_model_of(object, "model", &mdp) || !model_text(given[0], "name", &name) ||
        !model_text(given[1], "comment", &comment))
        return NULL;
    lgkt_error error = {0};
    lgkt_io_model *model = NULL;
    size_t size = 0;
    char *text = NULL;
    lgkt_status status = lgkt_io_model_create(mdp, name, comment, NULL, &model, &error);
    if (status == LGKT_OK)
        status = lgkt_io_model_print(model, NULL, 0, &size, &error);
    if (status == LGKT_ERR_SHAPE) { // this call asked for the size
        text = malloc(size + 1);
        status = text != NULL ? lgkt_io_model_print(model, text, size + 1, &size, &error)
                              : lgkt_fail_memory(&error, "the text of a model");
    }
    PyObject *made = status == LGKT_OK ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "strict")
                                       : py_fail_error(&error);
    lgkt_io_model_destroy(model);
    free(text);
    return made;
}

// ---- CSV ----

static PyObject *read_series(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *bytes, *source;
    lgkt_error error = {0};
    double *values = NULL;
    size_t count = 0;
    if (!PyArg_ParseTuple(arguments, "SS:read_series", &bytes, &source))
        return NULL;
    if (lgkt_io_series_parse(PyBytes_AsString(bytes), (size_t)PyBytes_Size(bytes),
                             PyBytes_AsString(source), NULL, &values, &count, &error) != LGKT_OK)
        return py_fail_error(&error);
    py_array array;
    const bool made = py_array_make("f8", 1, &(Py_ssize_t){(Py_ssize_t)count}, &array);
    if (made)
        memcpy(array.data, values, count * sizeof *values);
    free(values);
    return made ? py_array_take(&array) : NULL;
}

static PyObject *read_tape(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *bytes, *source;
    lgkt_error error = {0};
    io_tape tape = {0};
    if (!PyArg_ParseTuple(arguments, "SS:read_tape", &bytes, &source))
        return NULL;
    if (io_tape_read_text(PyBytes_AsString(bytes), (size_t)PyBytes_Size(bytes),
                          PyBytes_AsString(source), &tape, &error) != LGKT_OK)
        return py_fail_error(&error);
    _Static_assert(sizeof(io_tape_row) == 4 * sizeof(double), "a row is four columns");
    py_array array;
    const bool made = py_array_make("f8", 2, (Py_ssize_t[]){(Py_ssize_t)tape.count, 4}, &array);
    if (made)
        memcpy(array.data, tape.rows, (size_t)tape.count * sizeof *tape.rows);
    io_tape_release(&tape);
    return made ? py_array_take(&array) : NULL;
}

// ---- the functions ----

static PyMethodDef functions[] = {
    {"read_experiment", read_experiment, METH_VARARGS,
     "read_experiment(document, data, path, /)\n--\n\n"
     "What an experiment file says, as arguments of lgkt.experiment.Experiment; its parts as "
     "those\n"
     "of theirs. `document` is what the JSON in `data` stands for, `path` bytes."},
    {"read_model", read_model, METH_VARARGS,
     "read_model(type, document, source, /)\n--\n\n"
     "A model from the document of a model file, its name and its comment. Messages call it\n"
     "`source`, bytes."},
    {"print_model", print_model, METH_VARARGS,
     "print_model(model, name, comment, /)\n--\n\nThe text of a model file."},
    {"read_series", read_series, METH_VARARGS,
     "read_series(data, source, /)\n--\n\nPrices from the bytes of a CSV file."},
    {"read_tape", read_tape, METH_VARARGS,
     "read_tape(data, source, /)\n--\n\nThe rows of a tape from the bytes of a CSV file."},
    {NULL, NULL, 0, NULL},
};

bool py_add_document(PyObject *module)
{
    return PyModule_AddIntConstant(module, "EXPERIMENT_BYTES", EXP_FILE_BYTES) == 0 &&
           PyModule_AddFunctions(module, functions) == 0;
}
