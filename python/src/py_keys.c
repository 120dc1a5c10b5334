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

bool py_key_read(const py_learner *self, PyObject *object, py_key *key)
{
    if (self->dims == 0)
        return py_key_make(object, key);
    *key = (py_key){.data = key->small, .capacity = sizeof key->small};
    py_array numbers;
    const bool read = py_array_read(object, "a state", "f8", 1, &numbers) &&
                      add(key, numbers.data, (size_t)numbers.shape[0] * sizeof(double));
    py_array_release(&numbers);
    return read;
}

bool py_key_find(py_learner *self, PyObject *object, int32_t *number)
{
    py_key key;
    const bool good = py_key_read(self, object, &key) && py_enter(&self->gate, "learner");
    if (good) {
        *number = lgkt_keyed_find(self->keys, key.data, key.size);
        py_leave(&self->gate);
    }
    py_key_release(&key);
    return good;
}

void py_key_release(py_key *key)
{
    if (key->data != key->small)
        PyMem_Free(key->data);
}

// ---- how states are keys ----

// most states where the user names no limit; what is not met takes no memory
#define STATE_LIMIT (1 << 20)

// default of KeyedLearner
#define WARMUP 1000

static bool take_secret(PyObject *secret, lgkt_keyed_config *set)
{
    if (secret == NULL || secret == Py_None)
        return true;
    if (!PyBytes_Check(secret) || PyBytes_Size(secret) != 16) {
        PyErr_SetString(PyExc_TypeError, "secret must be 16 bytes or None");
        return false;
    }
    const unsigned char *bytes = (const unsigned char *)PyBytes_AsString(secret);
    for (int i = 0; i < 16; i++)
        set->secret[i / 8] |= (uint64_t)bytes[i] << 8 * (i % 8);
    return true;
}

static bool take_bins(PyObject *bins, PyObject *warmup, lgkt_view *view, py_array arrays[2])
{
    if (bins == NULL || bins == Py_None)
        return true;
    view->warmup = WARMUP;
    if (warmup != NULL && !py_int64(warmup, "warmup", &view->warmup))
        return false;
    PyObject *module = PyImport_ImportModule("lgkt._arrays");
    PyObject *pair = module != NULL ? PyObject_CallMethod(module, "bins", "O", bins) : NULL;
    Py_XDECREF(module);
    PyObject *cuts, *edges;
    bool good = pair != NULL && PyArg_ParseTuple(pair, "OO", &cuts, &edges) &&
                py_array_read(cuts, "bins", "i4", 1, &arrays[0]) &&
                (edges == Py_None || py_array_read(edges, "bins", "f8", 1, &arrays[1]));
    Py_XDECREF(pair);
    if (good && arrays[0].shape[0] == 0)
        good = py_fail(LGKT_ERR_SHAPE, "bins must have an entry for each number") != NULL;
    if (!good)
        return false;
    view->dims = arrays[0].shape[0] < INT32_MAX ? (int32_t)arrays[0].shape[0] : INT32_MAX;
    view->cuts = arrays[0].data;
    view->edges = arrays[1].data;
    return true;
}

bool py_keys_take(PyObject *const given[PY_KEYS_SIZE], int32_t actions, lgkt_keyed_config *set,
                  py_array arrays[2])
{
    PyObject *states = given[2], *keys = given[3];
    uint64_t most = set->key_limit;
    set->state_limit =
        actions > LGKT_MAX_PAIRS / STATE_LIMIT ? LGKT_MAX_PAIRS / actions : STATE_LIMIT;
    if ((states != NULL && states != Py_None &&
         !py_int32(states, "state_limit", &set->state_limit)) ||
        (keys != NULL && !py_uint64(keys, "key_limit", &most)))
        return false;
    set->key_limit = most < SIZE_MAX ? (size_t)most : SIZE_MAX;
    return take_secret(given[4], set) && take_bins(given[0], given[1], &set->view, arrays);
}
