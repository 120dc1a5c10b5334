// SPDX-License-Identifier: MIT
// A Python value as the bytes of a key: the same on all machines and in all versions, and different
// for different values.
//
//   None    'N'
//   bool    'T' or 'F'
//   int     'i', 8 bytes, if it fits; else 'I', length, bytes; two's complement
//   float   'f', 8 bytes of IEEE 754; there is one zero and one NaN
//   bytes   'b', length, bytes
//   str     's', length, UTF-8 (lone surrogates as the three bytes that "surrogatepass" makes)
//   tuple   't', length, its items
//   array   'a', kind ('b', 'i', 'u', 'f', 'c', 'S', 'U'), bytes of an item as a length, number of
//           dimensions as a length, their sizes as lengths, the items in C order
//
// Numbers of several bytes are little endian. A length has 7 bits to a byte, low ones first, the
// top bit set in all but the last. Every part says where it ends, so no two values, however nested,
// have the same bytes. A NumPy scalar is the Python value that it equals.
#include <math.h>
#include <string.h>

#include "py_keys.h"

static bool add(py_key *key, const void *data, size_t size)
{
    if (size > key->capacity - key->size) {
        if (size > PY_SSIZE_T_MAX / 2 - key->size) {
            PyErr_NoMemory();
            return false;
        }
        const size_t capacity = 2 * (key->size + size);
        const bool owned = key->data != key->small;
        unsigned char *more = PyMem_Realloc(owned ? key->data : NULL, capacity);
        if (more == NULL) {
            PyErr_NoMemory();
            return false;
        }
        if (!owned)
            memcpy(more, key->small, key->size);
        key->data = more;
        key->capacity = capacity;
    }
    if (size > 0)
        memcpy(key->data + key->size, data, size);
    key->size += size;
    return true;
}

static bool add_tag(py_key *key, char tag)
{
    return add(key, &tag, 1);
}

static bool add_word(py_key *key, char tag, uint64_t word)
{
    unsigned char bytes[9] = {(unsigned char)tag};
    for (int i = 0; i < 8; i++)
        bytes[1 + i] = (unsigned char)(word >> 8 * i);
    return add(key, bytes, sizeof bytes);
}

static bool add_length(py_key *key, size_t length)
{
    unsigned char bytes[10];
    size_t count = 0;
    do {
        bytes[count++] = (unsigned char)((length & 127) | (length > 127 ? 128 : 0));
        length >>= 7;
    } while (length > 0);
    return add(key, bytes, count);
}

static bool add_string(py_key *key, char tag, const char *data, Py_ssize_t size)
{
    return add_tag(key, tag) && add_length(key, (size_t)size) && add(key, data, (size_t)size);
}

// takes `bytes` over, which may be NULL
static bool add_bytes(py_key *key, char tag, PyObject *bytes)
{
    char *data;
    Py_ssize_t size;
    const bool added = bytes != NULL && PyBytes_AsStringAndSize(bytes, &data, &size) == 0 &&
                       add_string(key, tag, data, size);
    Py_XDECREF(bytes);
    return added;
}

static bool add_int(py_key *key, PyObject *object)
{
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (value == -1 && PyErr_Occurred())
        return false;
    if (overflow == 0)
        return add_word(key, 'i', (uint64_t)value);
    PyObject *arrays = PyImport_ImportModule("lgkt._arrays");
    PyObject *bytes = arrays == NULL ? NULL : PyObject_CallMethod(arrays, "int_bytes", "O", object);
    Py_XDECREF(arrays);
    return add_bytes(key, 'I', bytes);
}

static bool add_float(py_key *key, double value)
{
    uint64_t word = UINT64_C(0x7ff8000000000000);
    value += 0.0; // -0.0 becomes 0.0
    if (!isnan(value))
        memcpy(&word, &value, sizeof word);
    return add_word(key, 'f', word);
}

static bool add_str(py_key *key, PyObject *object)
{
    Py_ssize_t size;
    const char *utf8 = PyUnicode_AsUTF8AndSize(object, &size);
    if (utf8 != NULL)
        return add_string(key, 's', utf8, size);
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
        return false;
    PyErr_Clear();
    return add_bytes(key, 's', PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass"));
}

static bool add_value(py_key *key, PyObject *object);

static bool add_tuple(py_key *key, PyObject *object)
{
    const Py_ssize_t count = PyTuple_Size(object);
    if (!add_tag(key, 't') || !add_length(key, (size_t)count) || Py_EnterRecursiveCall(" in a key"))
        return false;
    bool added = true;
    for (Py_ssize_t i = 0; i < count && added; i++)
        added = add_value(key, PyTuple_GetItem(object, i));
    Py_LeaveRecursiveCall();
    return added;
}

// NumPy's bool, which versions before 2 let be a whole number
static PyObject *numpy_bool;

bool py_keys_start(void)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (numpy != NULL)
        numpy_bool = PyObject_GetAttrString(numpy, "bool_");
    Py_XDECREF(numpy);
    return numpy_bool != NULL;
}

// whatever Python takes for a whole number, NumPy's above all
static bool add_index(py_key *key, PyObject *object)
{
    PyObject *whole = PyNumber_Index(object);
    const bool added = whole != NULL && add_int(key, whole);
    Py_XDECREF(whole);
    return added;
}

// NumPy's values: lgkt._arrays says what they are, and refuses all others
static bool add_other(py_key *key, PyObject *object)
{
    PyObject *arrays = PyImport_ImportModule("lgkt._arrays");
    PyObject *parts = arrays == NULL ? NULL : PyObject_CallMethod(arrays, "key_parts", "O", object);
    Py_XDECREF(arrays);
    if (parts == NULL)
        return false;
    bool added = false;
    const char *kind;
    Py_ssize_t item;
    PyObject *shape, *bytes;
    if (!PyTuple_Check(parts)) {
        added = add_value(key, parts);
    } else if (PyArg_ParseTuple(parts, "snO!S", &kind, &item, &PyTuple_Type, &shape, &bytes)) {
        const Py_ssize_t dimensions = PyTuple_Size(shape);
        added = add_tag(key, 'a') && add_tag(key, kind[0]) && add_length(key, (size_t)item) &&
                add_length(key, (size_t)dimensions);
        for (Py_ssize_t d = 0; d < dimensions && added; d++)
            added = add_length(key, PyLong_AsSize_t(PyTuple_GetItem(shape, d)));
        added = added && add(key, PyBytes_AsString(bytes), (size_t)PyBytes_Size(bytes));
    }
    Py_DECREF(parts);
    return added;
}

static bool add_value(py_key *key, PyObject *object)
{
    if (PyLong_CheckExact(object))
        return add_int(key, object);
    if (PyUnicode_Check(object))
        return add_str(key, object);
    if (PyBytes_Check(object))
        return add_bytes(key, 'b', Py_NewRef(object));
    if (PyTuple_Check(object))
        return add_tuple(key, object);
    if (PyBool_Check(object))
        return add_tag(key, object == Py_True ? 'T' : 'F');
    if (PyFloat_Check(object))
        return add_float(key, PyFloat_AsDouble(object));
    if (PyLong_Check(object))
        return add_int(key, object);
    if (object == Py_None)
        return add_tag(key, 'N');
    const bool whole = PyIndex_Check(object) && !PySequence_Check(object) &&
                       (PyObject *)Py_TYPE(object) != numpy_bool;
    return whole ? add_index(key, object) : add_other(key, object);
}

bool py_key_make(PyObject *object, py_key *key)
{
    key->data = key->small;
    key->size = 0;
    key->capacity = sizeof key->small;
    return add_value(key, object);
}

void py_key_release(py_key *key)
{
    if (key->data != key->small)
        PyMem_Free(key->data);
}
