// SPDX-License-Identifier: MIT
// lgkt.Model: a known model (lgkt/mdp.h).
#include "py_core.h"

PyTypeObject *py_model_type;

PyObject *py_model_wrap(const lgkt_mdp *mdp)
{
    if (mdp == NULL)
        return Py_NewRef(Py_None);
    py_model *self = (py_model *)py_object_new(py_model_type);
    if (self != NULL)
        self->mdp = lgkt_mdp_retain(mdp);
    return (PyObject *)self;
}

bool py_model_of(PyObject *object, const char *name, const lgkt_mdp **mdp)
{
    *mdp = NULL;
    if (object == NULL || object == Py_None)
        return true;
    if (PyObject_TypeCheck(object, py_model_type)) {
        *mdp = ((py_model *)object)->mdp;
        return true;
    }
    PyErr_Format(PyExc_TypeError, "%s must be a Model or None", name);
    return false;
}

static void dealloc(PyObject *self)
{
    lgkt_mdp_destroy(((py_model *)self)->mdp);
    py_object_free(self);
}

static PyType_Slot slots[] = {
    {Py_tp_dealloc, dealloc},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lgkt._core.Model",
    .basicsize = sizeof(py_model),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

bool py_add_model(PyObject *module)
{
    return py_add_type(module, "Model", &spec, &py_model_type);
}
