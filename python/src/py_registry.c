// SPDX-License-Identifier: MIT
// The registries and the grammar of specs (lgkt/spec.h). What lgkt/registry.py shows comes from
// here.
#include <string.h>

#include "core/hash.h"
#include "core/settings.h"
#include "core/text.h"
#include "py_core.h"

static PyObject *param_tuple(const lgkt_param *param)
{
    static const char *const types[] = {"integer", "real", "choice", "text"};
    return Py_BuildValue("(sszddzs)", param->name, types[param->type], param->fallback, param->min,
                         param->max, param->choices, param->help);
}

// the names of a set of traits
static PyObject *trait_tuple(uint32_t traits)
{
    const char *name;
    PyObject *list = PyList_New(0);
    for (int32_t i = 0; list != NULL && (name = lgkt_trait_name(i)) != NULL; i++) {
        PyObject *text = PyUnicode_FromString(name);
        if (text == NULL || ((traits >> i & 1) != 0 && PyList_Append(list, text) != 0))
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    PyObject *tuple = list != NULL ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

static PyObject *traits_of(PyObject *module, PyObject *arguments)
{
    (void)module;
    const char *spec;
    uint32_t traits;
    lgkt_error error;
    if (!PyArg_ParseTuple(arguments, "s:traits", &spec))
        return NULL;
    return lgkt_learner_traits(spec, &traits, &error) == LGKT_OK ? trait_tuple(traits)
                                                                 : py_fail_error(&error);
}

static PyObject *entry_tuple(const lgkt_entry *entry)
{
    static const char *const data[] = {NULL, "model", "series"};
    PyObject *params = PyTuple_New(entry->param_count);
    for (int32_t i = 0; i < entry->param_count && params != NULL; i++) {
        PyObject *param = param_tuple(lgkt_entry_param(entry, i));
        if (param == NULL || PyTuple_SetItem(params, i, param) != 0)
            Py_CLEAR(params);
    }
    PyObject *traits = trait_tuple(entry->traits);
    if (params == NULL || traits == NULL) {
        Py_XDECREF(params);
        Py_XDECREF(traits);
        return NULL;
    }
    return Py_BuildValue("(ssssNzzzN)", entry->name, entry->summary, entry->source, entry->memory,
                         params, data[entry->data], entry->inner, entry->inner_after, traits);
}

static PyObject *entries(PyObject *module, PyObject *argument)
{
    (void)module;
    const char *kind = PyUnicode_Check(argument) ? PyUnicode_AsUTF8AndSize(argument, NULL) : "";
    if (kind == NULL)
        return NULL;
    const bool learners = strcmp(kind, "learner") == 0;
    if (!learners && strcmp(kind, "env") != 0)
        return py_fail(LGKT_ERR_UNKNOWN_NAME, "kind must be \"learner\" or \"env\"");
    PyObject *list = PyList_New(0);
    const lgkt_entry *entry;
    for (int32_t i = 0; list != NULL; i++) {
        entry = learners ? lgkt_learner_entry(i) : lgkt_env_entry(i);
        if (entry == NULL)
            break;
        PyObject *tuple = entry_tuple(entry);
        if (tuple == NULL || PyList_Append(list, tuple) != 0)
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    return list;
}

static PyObject *spec_name(PyObject *module, PyObject *arguments)
{
    (void)module;
    const char *spec;
    char name[LGKT_MAX_SPEC + 1];
    lgkt_error error;
    if (!PyArg_ParseTuple(arguments, "s:spec_name", &spec))
        return NULL;
    if (lgkt_spec_name(spec, name, sizeof name, &error) != LGKT_OK)
        return py_fail_error(&error);
    return PyUnicode_FromString(name);
}

static PyObject *spec_value(PyObject *module, PyObject *arguments)
{
    (void)module;
    const char *spec, *key;
    char value[LGKT_MAX_SPEC + 1];
    lgkt_error error;
    if (!PyArg_ParseTuple(arguments, "ss:spec_value", &spec, &key))
        return NULL;
    const lgkt_status status = lgkt_spec_value(spec, key, value, sizeof value, &error);
    if (status == LGKT_ERR_UNKNOWN_NAME)
        return Py_NewRef(Py_None);
    return status == LGKT_OK ? PyUnicode_FromString(value) : py_fail_error(&error);
}

static PyObject *suggest(PyObject *module, PyObject *arguments)
{
    (void)module;
    const char *word;
    PyObject *names;
    if (!PyArg_ParseTuple(arguments, "sO!:suggest", &word, &PyTuple_Type, &names))
        return NULL;
    lgkt_hint hint = {.word = word, .size = 160};
    for (Py_ssize_t i = 0; i < PyTuple_Size(names); i++) {
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
        if (name == NULL)
            return NULL;
        lgkt_hint_add(&hint, name);
    }
    return PyUnicode_FromString(lgkt_hint_text(&hint));
}

static PyObject *check_env(PyObject *module, PyObject *arguments)
{
    (void)module;
    const char *spec;
    if (!PyArg_ParseTuple(arguments, "s:check_env", &spec))
        return NULL;
    const lgkt_env_config config = lgkt_env_config_default();
    lgkt_env *env = NULL;
    lgkt_error error;
    if (lgkt_env_create(spec, &config, &env, &error) != LGKT_OK)
        return py_fail_error(&error);
    lgkt_env_destroy(env);
    return Py_NewRef(Py_None);
}

static PyObject *hash_bytes(PyObject *module, PyObject *arguments)
{
    (void)module;
    Py_buffer bytes;
    if (!PyArg_ParseTuple(arguments, "y*:hash_bytes", &bytes))
        return NULL;
    const uint64_t hash = lgkt_hash_bytes(LGKT_HASH_START, bytes.buf, (size_t)bytes.len);
    PyBuffer_Release(&bytes);
    return PyLong_FromUnsignedLongLong(hash);
}

static PyMethodDef functions[] = {
    {"entries", entries, METH_O,
     "entries(kind, /)\n--\n\n"
     "The registry of learners (\"learner\") or environments (\"env\") as tuples."},
    {"traits", traits_of, METH_VARARGS,
     "traits(spec, /)\n--\n\nWhat the learner of a spec can do, by name.\n\n"
     ">>> from lgkt import _core\n"
     ">>> _core.traits(\"lg2t:sampler=psrl\")\n"
     "('fed', 'shared', 'masked', 'grown', 'states')"},
    {"spec_name", spec_name, METH_VARARGS,
     "spec_name(spec, /)\n--\n\nThe name part of a spec.\n\n"
     ">>> from lgkt import _core\n"
     ">>> _core.spec_name(\"lg2t:threshold=0.9\")\n"
     "'lg2t'"},
    {"spec_value", spec_value, METH_VARARGS,
     "spec_value(spec, key, /)\n--\n\nThe text of a key of a spec, without outer parentheses; "
     "None\n"
     "if it is not set.\n\n"
     ">>> from lgkt import _core\n"
     ">>> _core.spec_value(\"lg1t-rl:rl=(ucrl2:delta=0.1)\", \"rl\")\n"
     "'ucrl2:delta=0.1'"},
    {"suggest", suggest, METH_VARARGS,
     "suggest(word, names, /)\n--\n\nThe name nearest to a word as a question, or which there "
     "are."},
    {"check_env", check_env, METH_VARARGS,
     "check_env(spec, /)\n--\n\nRaises what is wrong with the spec of an environment that is given "
     "no data."},
    {"hash_bytes", hash_bytes, METH_VARARGS,
     "hash_bytes(data, /)\n--\n\nFNV-1a of 64 bits, the checksum of result files.\n\n"
     ">>> from lgkt import _core\n"
     ">>> f\"{_core.hash_bytes(b'a'):016x}\"\n"
     "'af63dc4c8601ec8c'"},
    {NULL, NULL, 0, NULL},
};

bool py_add_registry(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) == 0;
}
