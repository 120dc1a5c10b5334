// SPDX-License-Identifier: MIT
// Conversion between Python and the library: errors, numbers, arrays, bytes.
//
// Arrays go through NumPy's Python functions and the buffer protocol, so that the extension does
// not depend on the C interface of a NumPy version.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "py_core.h"

// ---- errors ----

PyObject *py_fail(lgkt_status status, const char *text)
{
    if (PyErr_Occurred())
        return NULL; // a callback raised: what it says comes first
    if (status == LGKT_ERR_NO_MEMORY) {
        PyErr_SetString(PyExc_MemoryError, text);
        return NULL;
    }
    PyObject *module = PyImport_ImportModule("lgkt._errors");
    // a long text may have been cut within a character
    PyObject *words = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyObject *error =
        module == NULL || words == NULL
            ? NULL
            : PyObject_CallMethod(module, "error", "sO", lgkt_status_name(status), words);
    if (error != NULL)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    Py_XDECREF(words);
    Py_XDECREF(module);
    return NULL;
}

// ---- numbers ----

static bool wrong_type(PyObject *object, const char *name, const char *wanted)
{
    PyObject *type = PyType_GetName(Py_TYPE(object));
    if (type != NULL)
        PyErr_Format(PyExc_TypeError, "%s must be %s, not %U", name, wanted, type);
    Py_XDECREF(type);
    return false;
}

static bool out_of_range(PyObject *object, const char *name)
{
    char text[256];
    PyObject *digits = PyObject_Str(object);
    Py_ssize_t size;
    const char *utf8 = digits != NULL ? PyUnicode_AsUTF8AndSize(digits, &size) : NULL;
    if (utf8 == NULL)
        PyErr_Clear(); // more digits than Python prints
    snprintf(text, sizeof text, "%s: %.60s%s is far out of range", name,
             utf8 != NULL ? utf8 : "a number", utf8 != NULL && size > 60 ? "..." : "");
    Py_XDECREF(digits);
    py_fail(LGKT_ERR_ARGUMENT, text);
    return false;
}

bool py_int64(PyObject *object, const char *name, int64_t *value)
{
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (number == -1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError))
            return false;
        PyErr_Clear();
        return wrong_type(object, name, "a whole number");
    }
    if (overflow != 0)
        return out_of_range(object, name);
    *value = number;
    return true;
}

bool py_int32(PyObject *object, const char *name, int32_t *value)
{
    int64_t wide;
    if (!py_int64(object, name, &wide))
        return false;
    if (wide < INT32_MIN || wide > INT32_MAX)
        return out_of_range(object, name);
    *value = (int32_t)wide;
    return true;
}

bool py_uint64(PyObject *object, const char *name, uint64_t *value)
{
    PyObject *whole = PyNumber_Index(object);
    if (whole == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError))
            return false;
        PyErr_Clear();
        return wrong_type(object, name, "a whole number");
    }
    *value = PyLong_AsUnsignedLongLong(whole);
    Py_DECREF(whole);
    if (*value != UINT64_MAX || !PyErr_Occurred())
        return true;
    if (!PyErr_ExceptionMatches(PyExc_OverflowError))
        return false;
    PyErr_Clear();
    return out_of_range(object, name);
}

bool py_real(PyObject *object, const char *name, double *value)
{
    *value = PyFloat_AsDouble(object);
    if (*value != -1.0 || !PyErr_Occurred())
        return true;
    if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        return out_of_range(object, name);
    }
    if (!PyErr_ExceptionMatches(PyExc_TypeError))
        return false;
    PyErr_Clear();
    return wrong_type(object, name, "a number");
}

bool py_real_or_none(PyObject *object, const char *name, double *value)
{
    if (object != NULL && object != Py_None)
        return py_real(object, name, value);
    *value = NAN;
    return true;
}

bool py_arguments(const char *function, const char *const *names, int required,
                  PyObject *const *given, Py_ssize_t count, PyObject *keywords, PyObject **values)
{
    int known = 0;
    for (; names[known] != NULL; known++)
        values[known] = known < count ? given[known] : NULL;
    if (count > known) {
        PyErr_Format(PyExc_TypeError, "%s() takes %d arguments at most, not %zd", function, known,
                     count);
        return false;
    }
    for (Py_ssize_t k = 0; keywords != NULL && k < PyTuple_Size(keywords); k++) {
        PyObject *keyword = PyTuple_GetItem(keywords, k);
        int i = 0;
        while (i < known && PyUnicode_CompareWithASCIIString(keyword, names[i]) != 0)
            i++;
        if (i == known || values[i] != NULL) {
            PyErr_Format(PyExc_TypeError,
                         i == known ? "%s() has no argument '%U'" : "%s() got '%U' twice", function,
                         keyword);
            return false;
        }
        values[i] = given[count + k];
    }
    for (int i = 0; i < required; i++)
        if (values[i] == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() needs '%s'", function, names[i]);
            return false;
        }
    return true;
}

// ---- arrays ----

static void take_view(py_array *array)
{
    array->data = array->view.buf;
    array->dimensions = array->view.ndim;
    for (int d = 0; d < array->view.ndim && d < PY_MAX_DIMENSIONS; d++)
        array->shape[d] = array->view.shape[d];
}

static bool open_view(py_array *array, int flags)
{
    if (PyObject_GetBuffer(array->object, &array->view, flags) != 0) {
        Py_CLEAR(array->object);
        return false;
    }
    take_view(array);
    return true;
}

// An array that is as it should be needs no NumPy; false without an exception for any other.
static bool open_direct(PyObject *object, const char *dtype, int dimensions, int flags,
                        py_array *array)
{
    if (PyObject_GetBuffer(object, &array->view, flags | PyBUF_FORMAT) != 0) {
        PyErr_Clear();
        *array = (py_array){0};
        return false;
    }
    const char *format = array->view.format != NULL ? array->view.format : "B";
    const char *same = dtype[0] == 'f'   ? "d"
                       : dtype[0] == 'i' ? "ilq"
                       : dtype[0] == 'u' ? "B"
                                         : "?";
    const Py_ssize_t size = dtype[1] != '\0' ? dtype[1] - '0' : 1;
    if (array->view.ndim != dimensions || array->view.itemsize != size || format[1] != '\0' ||
        strchr(same, format[0]) == NULL || (uintptr_t)array->view.buf % (size_t)size != 0) {
        PyBuffer_Release(&array->view);
        *array = (py_array){0};
        return false;
    }
    array->object = Py_NewRef(object);
    take_view(array);
    return true;
}

bool py_array_read(PyObject *object, const char *name, const char *dtype, int dimensions,
                   py_array *array)
{
    *array = (py_array){0};
    if (open_direct(object, dtype, dimensions, PyBUF_C_CONTIGUOUS, array))
        return true;
    PyObject *files = PyImport_ImportModule("lgkt._arrays");
    if (files == NULL)
        return false;
    array->object = PyObject_CallMethod(files, "read", "Ossi", object, name, dtype, dimensions);
    Py_DECREF(files);
    return array->object != NULL && open_view(array, PyBUF_C_CONTIGUOUS);
}

bool py_array_make(const char *dtype, int dimensions, const Py_ssize_t *shape, py_array *array)
{
    *array = (py_array){0};
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *sizes = PyTuple_New(dimensions);
    for (int d = 0; sizes != NULL && d < dimensions; d++) {
        PyObject *size = PyLong_FromSsize_t(shape[d]);
        if (size == NULL || PyTuple_SetItem(sizes, d, size) != 0)
            Py_CLEAR(sizes);
    }
    if (numpy != NULL && sizes != NULL)
        array->object = PyObject_CallMethod(numpy, "zeros", "Os", sizes, dtype);
    Py_XDECREF(sizes);
    Py_XDECREF(numpy);
    return array->object != NULL && open_view(array, PyBUF_CONTIG);
}

bool py_array_write(PyObject *object, const char *name, const char *dtype, Py_ssize_t length,
                    py_array *array)
{
    *array = (py_array){0};
    if (open_direct(object, dtype, 1, PyBUF_CONTIG, array)) {
        if (array->shape[0] == length)
            return true;
        py_array_release(array);
    }
    PyObject *files = PyImport_ImportModule("lgkt._arrays");
    if (files == NULL)
        return false;
    PyObject *same = PyObject_CallMethod(files, "own", "Ossn", object, name, dtype, length);
    Py_DECREF(files);
    array->object = same;
    return same != NULL && open_view(array, PyBUF_CONTIG);
}

void py_array_release(py_array *array)
{
    if (array->object != NULL)
        PyBuffer_Release(&array->view);
    Py_XDECREF(array->object);
    *array = (py_array){0};
}

bool py_mask_read(PyObject *object, int32_t actions, py_array *mask)
{
    *mask = (py_array){0};
    if (object == NULL || object == Py_None)
        return true;
    if (!open_direct(object, "?", 1, PyBUF_C_CONTIGUOUS, mask)) {
        PyObject *arrays = PyImport_ImportModule("lgkt._arrays");
        if (arrays != NULL)
            mask->object = PyObject_CallMethod(arrays, "mask", "O", object);
        Py_XDECREF(arrays);
        if (mask->object == NULL || !open_view(mask, PyBUF_C_CONTIGUOUS))
            return false;
    }
    if (mask->shape[0] == actions)
        return true;
    char text[96];
    snprintf(text, sizeof text, "allowed must have %d entries, one for each action, not %zd",
             (int)actions, mask->shape[0]);
    return py_fail(LGKT_ERR_SHAPE, text) != NULL;
}

PyObject *py_mask_new(const uint8_t *allowed, int32_t actions)
{
    if (allowed == NULL)
        return Py_NewRef(Py_None);
    py_array mask;
    const Py_ssize_t length = actions;
    if (!py_array_make("?", 1, &length, &mask))
        return NULL;
    memcpy(mask.data, allowed, (size_t)actions);
    return py_array_take(&mask);
}

PyObject *py_array_take(py_array *array)
{
    PyObject *object = Py_XNewRef(array->object);
    py_array_release(array);
    return object;
}

// ---- bytes ----

PyObject *py_saved(py_save_fn save, const void *handle)
{
    size_t size = 0;
    save(handle, NULL, 0, &size);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    const lgkt_status status =
        bytes != NULL ? save(handle, PyBytes_AsString(bytes), size, &size) : LGKT_OK;
    if (status == LGKT_OK)
        return bytes;
    Py_DECREF(bytes);
    return py_fail(status, lgkt_status_text(status));
}

// ---- objects ----

PyObject *py_object_new(PyTypeObject *type)
{
    const allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return alloc(type, 0);
}

void py_object_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    const freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

bool py_add_type(PyObject *module, const char *name, PyType_Spec *spec, PyTypeObject *base,
                 PyTypeObject **type)
{
    *type = (PyTypeObject *)PyType_FromSpecWithBases(spec, (PyObject *)base);
    return *type != NULL && PyModule_AddObjectRef(module, name, (PyObject *)*type) == 0;
}
