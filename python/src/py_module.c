// SPDX-License-Identifier: MIT
// The module lgkt._core.
#include "py_core.h"

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lgkt._core",
    .m_doc = "The C library of lgkt. Use it through the package lgkt.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    static bool (*const parts[])(PyObject *) = {
        py_add_model,  py_add_any_learner, py_add_learner,    py_add_registry, py_add_plan,
        py_add_policy, py_add_env,         py_add_trajectory, py_add_keyed,    py_add_units,
        py_add_run,    py_add_replay,      py_add_reproduce,  py_add_trace,    py_add_document,
    };
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL)
        return NULL;
#ifdef Py_GIL_DISABLED
    PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
#endif
    bool good = PyModule_AddStringConstant(module, "__version__", lgkt_version()) == 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && good; i++)
        good = parts[i](module);
    if (!good)
        Py_CLEAR(module);
    return module;
}
