// SPDX-License-Identifier: MIT
// What lgkt.RecordLearner and lgkt.RecordUnits (lgkt/records.py) need of learners on records: many
// records at once, a record of a unit, and names (lgkt/keyed.h, lgkt/units.h).
#include "py_keys.h"

#include <string.h>

// fields of lgkt_reason and of lgkt_side
enum { FIELDS = sizeof(lgkt_reason) / sizeof(double), SIDES = sizeof(lgkt_side) / sizeof(double) };

bool py_records_take(PyObject *features, lgkt_keyed_config *set, py_array *kinds)
{
    _Static_assert(sizeof(lgkt_kind) == 2 * sizeof(int32_t), "a kind is two whole numbers");
    if (features == NULL || features == Py_None)
        return true;
    if (!py_array_read(features, "features", "i4", 2, kinds))
        return false;
    if (kinds->shape[1] != 2 || kinds->shape[0] == 0)
        return py_fail(LGKT_ERR_SHAPE, "features must be pairs of a kind and a count") != NULL;
    set->state_limit = 0;
    set->view =
        (lgkt_view){.dims = kinds->shape[0] < INT32_MAX ? (int32_t)kinds->shape[0] : INT32_MAX,
                    .kinds = kinds->data};
    return true;
}

// what is asked for of each of many records
typedef enum asked { POLICY, REASONS } asked;

static PyObject *ask(py_learner *self, PyObject *records, asked what)
{
    py_array x = {0}, table = {0};
    py_call call;
    PyObject *result = NULL;
    if (!py_array_read(records, "records", "f8", 2, &x))
        return NULL;
    const Py_ssize_t shape[] = {x.shape[0], self->actions, FIELDS};
    if (x.shape[1] != self->dims)
        py_fail(LGKT_ERR_SHAPE, "records must have a column for each feature");
    else if (py_array_make("f8", what == POLICY ? 2 : 3, shape, &table) &&
             py_call_begin(&call, self, true)) {
        lgkt_error error = {0};
        const lgkt_status status =
            what == POLICY ? lgkt_keyed_policy(self->keys, x.data, x.shape[0], table.data, &error)
                           : lgkt_keyed_explain_rows(self->keys, x.data, x.shape[0], table.data,
                                                     sizeof(lgkt_reason), &error);
        if (py_call_end(&call, status, error.text))
            result = py_array_take(&table);
    }
    py_array_release(&x);
    py_array_release(&table);
    return result;
}

PyObject *py_records_policy(PyObject *self, PyObject *records)
{
    return ask((py_learner *)self, records, POLICY);
}

PyObject *py_records_reasons(PyObject *self, PyObject *records)
{
    return ask((py_learner *)self, records, REASONS);
}

PyObject *py_records_sides(PyObject *object, PyObject *record)
{
    py_learner *self = (py_learner *)object;
    py_array x = {0}, table = {0};
    py_call call;
    PyObject *result = NULL;
    const Py_ssize_t shape[] = {self->dims, SIDES};
    if (py_array_read(record, "a record", "f8", 1, &x) && py_array_make("f8", 2, shape, &table) &&
        py_call_begin(&call, self, false)) {
        lgkt_error error = {0};
        const lgkt_status status = lgkt_keyed_describe(
            self->keys, x.data, (size_t)x.shape[0] * sizeof(double), table.data, &error);
        if (py_call_end(&call, status, error.text))
            result = py_array_take(&table);
    }
    py_array_release(&x);
    py_array_release(&table);
    return result;
}

PyObject *py_records_of_unit(PyObject *object, PyObject *arguments)
{
    py_learner *self = (py_learner *)object;
    PyObject *unit, *record, *allowed;
    uint64_t number;
    py_array x = {0}, mask = {0}, table = {0};
    py_call call;
    PyObject *result = NULL;
    const Py_ssize_t shape[] = {self->actions, FIELDS};
    if (PyArg_ParseTuple(arguments, "OOO:_reasons_of", &unit, &record, &allowed) &&
        py_uint64(unit, "unit", &number) &&
        (record == Py_None || py_array_read(record, "a record", "f8", 1, &x)) &&
        py_mask_read(allowed, self->actions, &mask) && py_array_make("f8", 2, shape, &table) &&
        py_call_begin(&call, self, false)) {
        lgkt_error error = {0};
        const size_t size = x.data != NULL ? (size_t)x.shape[0] * sizeof(double) : SIZE_MAX;
        const lgkt_status status =
            lgkt_units_explain_key(self->by_unit, number, x.data, size, mask.data, table.data,
                                   sizeof(lgkt_reason), &error);
        if (py_call_end(&call, status, error.text))
            result = py_array_take(&table);
    }
    py_array_release(&x);
    py_array_release(&mask);
    py_array_release(&table);
    return result;
}

// ---- making ----

PyObject *py_records_create(const char *name, PyObject *arguments, PyObject *keywords)
{
    PyObject *module = PyImport_ImportModule("lgkt.records");
    PyObject *type = module != NULL ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *made = type != NULL ? PyObject_Call(type, arguments, keywords) : NULL;
    Py_XDECREF(type);
    Py_XDECREF(module);
    return made;
}

// ---- names ----

static PyObject *list_kinds(const py_learner *self)
{
    PyObject *list = PyList_New(0);
    for (int32_t j = 0; j < self->dims && list != NULL; j++) {
        lgkt_kind kind;
        lgkt_error error = {0};
        const char *name = lgkt_keyed_feature_name(self->keys, j);
        const lgkt_status status = lgkt_keyed_kind(self->keys, j, &kind, &error);
        PyObject *texts = PyList_New(0), *row = NULL;
        for (int32_t c = 0; status == LGKT_OK && texts != NULL && c < kind.count; c++) {
            const char *text = lgkt_keyed_category_text(self->keys, j, c);
            if (text == NULL || text[0] == '\0')
                break;
            PyObject *item = PyUnicode_FromString(text);
            if (item == NULL || PyList_Append(texts, item) != 0)
                Py_CLEAR(texts);
            Py_XDECREF(item);
        }
        if (status != LGKT_OK)
            py_fail_error(&error);
        else if (texts != NULL)
            row = Py_BuildValue("siiO", name, (int)kind.type, (int)kind.count, texts);
        if (row == NULL || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
        Py_XDECREF(texts);
    }
    return list;
}

PyObject *py_records_kinds(PyObject *object, PyObject *unused)
{
    py_learner *self = (py_learner *)object;
    (void)unused;
    if (!py_enter(&self->gate, "learner"))
        return NULL;
    PyObject *list = list_kinds(self);
    py_leave(&self->gate);
    return list;
}

PyObject *py_records_name(PyObject *object, PyObject *arguments)
{
    py_learner *self = (py_learner *)object;
    int feature;
    const char *name;
    py_call call;
    if (!PyArg_ParseTuple(arguments, "is:_name_feature", &feature, &name) ||
        !py_call_begin(&call, self, false))
        return NULL;
    const lgkt_status status = self->by_unit != NULL
                                   ? lgkt_units_name_feature(self->by_unit, feature, name)
                                   : lgkt_keyed_name_feature(self->by_key, feature, name);
    return py_call_end(&call, status, py_learner_message(self)) ? Py_NewRef(Py_None) : NULL;
}

PyObject *py_records_category(PyObject *object, PyObject *arguments)
{
    py_learner *self = (py_learner *)object;
    int feature;
    const char *text;
    int32_t category = 0;
    py_call call;
    if (!PyArg_ParseTuple(arguments, "is:_category", &feature, &text) ||
        !py_call_begin(&call, self, false))
        return NULL;
    const lgkt_status status = self->by_unit != NULL
                                   ? lgkt_units_category(self->by_unit, feature, text, &category)
                                   : lgkt_keyed_category(self->by_key, feature, text, &category);
    return py_call_end(&call, status, py_learner_message(self)) ? PyLong_FromLong(category) : NULL;
}
