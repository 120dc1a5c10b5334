// SPDX-License-Identifier: MIT
// What py_plan.c and py_policy.c share: how the planner (lgkt/plan.h) is called.
#ifndef PY_PLAN_H
#define PY_PLAN_H

#include "py_core.h"

typedef struct py_policy {
    PyObject_HEAD lgkt_policy *policy;
    const lgkt_mdp *mdp; // which the policy keeps
    py_helpers helpers;  // its threshold
    py_gate gate;        // used where the threshold is a callable
} py_policy;

// A call of the planner, and all that must be given up after it. It goes
//     if (arguments are taken && py_plan_begin(&plan))
//         plan.status = lgkt_...(..., &plan.error);
//     return py_plan_array(&plan);
// Meanwhile the interpreter is free for others, unless a threshold is a callable: then a policy
// serves one call at a time.
typedef struct py_plan {
    py_policy *self; // NULL: none is used
    const lgkt_policy *policy;
    const lgkt_mdp *mdp;
    int64_t horizon, k;
    double number;                          // a tolerance, then the result
    py_array start, times, states, actions; // arguments, or room to work in
    py_array out;                           // the result
    lgkt_threshold threshold;
    py_helpers helpers; // of the threshold
    lgkt_cost *cost;    // there between begin and end if there is a threshold
    bool begun;
    PyThreadState *released;
    lgkt_status status;
    lgkt_error error;
} py_plan;

bool py_plan_begin(py_plan *plan);
// The end of it: what came out, or NULL with an exception.
PyObject *py_plan_number(py_plan *plan);
PyObject *py_plan_array(py_plan *plan);
PyObject *py_plan_gain(py_plan *plan); // both
bool py_plan_end(py_plan *plan);       // gives up all but `out`

// Converters of PyArg_Parse into a py_plan; the model comes before the threshold, of which the cost
// is made.
int py_plan_model(PyObject *object, void *plan);
int py_plan_horizon(PyObject *object, void *plan);
int py_plan_k(PyObject *object, void *plan);
int py_plan_tolerance(PyObject *object, void *plan);
int py_plan_threshold(PyObject *object, void *plan);
// A threshold for longer than a call.
bool py_take_threshold(py_helpers *helpers, PyObject *object, const lgkt_mdp *mdp,
                       lgkt_threshold *threshold);
// As many numbers as there are states, or states in a run.
bool py_take_row(PyObject *object, const char *name, const char *dtype, Py_ssize_t states,
                 py_array *row);
static inline bool py_make_row(const lgkt_mdp *mdp, py_array *row)
{
    return py_array_make("f8", 1, (Py_ssize_t[]){lgkt_mdp_states(mdp)}, row);
}

#endif
