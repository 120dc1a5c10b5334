// SPDX-License-Identifier: MIT
// Exact numbers of a known model (lgkt/plan.h), and how the planner is called.
#include "py_plan.h"

#include <time.h>

// ---- arguments ----

int py_plan_model(PyObject *object, void *plan)
{
    if (!PyObject_TypeCheck(object, py_model_type)) {
        PyErr_SetString(PyExc_TypeError, "model must be a Model");
        return 0;
    }
    ((py_plan *)plan)->mdp = ((py_model *)object)->mdp;
    return 1;
}

int py_plan_horizon(PyObject *object, void *plan)
{
    return py_int64(object, "horizon", &((py_plan *)plan)->horizon);
}

int py_plan_k(PyObject *object, void *plan)
{
    return py_int64(object, "k", &((py_plan *)plan)->k);
}

int py_plan_tolerance(PyObject *object, void *plan)
{
    return py_real(object, "tolerance", &((py_plan *)plan)->number);
}

int py_plan_threshold(PyObject *object, void *plan)
{
    py_plan *const p = plan;
    return py_take_threshold(&p->helpers, object, p->mdp, &p->threshold);
}

bool py_take_threshold(py_helpers *helpers, PyObject *object, const lgkt_mdp *mdp,
                       lgkt_threshold *threshold)
{
    if (object == Py_None) {
        PyErr_SetString(PyExc_TypeError, "threshold must be a number, an array or a callable");
        return false;
    }
    if (!py_threshold_take(helpers, object, threshold) ||
        !py_helpers_fit(helpers, lgkt_mdp_states(mdp), 0))
        return false;
    // The planner skips what repeats of constants and tables; a function it must ask at every step.
    if (threshold->table == NULL && !helpers->calls)
        *threshold = (lgkt_threshold){.constant = helpers->constant};
    return true;
}

bool py_take_row(PyObject *object, const char *name, const char *dtype, Py_ssize_t states,
                 py_array *row)
{
    if (!py_array_read(object, name, dtype, 1, row))
        return false;
    if (row->shape[0] == states)
        return true;
    char text[96];
    snprintf(text, sizeof text, "%s has %zd numbers for %zd states", name, row->shape[0], states);
    return py_fail(LGKT_ERR_SHAPE, text) != NULL;
}

// ---- calls ----

// the policy of a call, if it asks a function of Python's
static py_policy *asking(const py_plan *plan)
{
    return plan->self != NULL && plan->self->helpers.calls ? plan->self : NULL;
}

bool py_plan_begin(py_plan *plan)
{
    py_policy *const policy = asking(plan);
    if (policy != NULL && !py_enter(&policy->gate, "policy"))
        return false;
    plan->begun = true;
    if (policy != NULL)
        policy->helpers.failed = policy->helpers.threshold == NULL; // its cycle is being collected
    else if (!plan->helpers.calls)
        plan->released = PyEval_SaveThread();
    if (plan->helpers.threshold != NULL)
        plan->status = lgkt_cost_create(plan->mdp, plan->k, plan->horizon, &plan->threshold, NULL,
                                        &plan->cost, &plan->error);
    return plan->status == LGKT_OK;
}

bool py_plan_end(py_plan *plan)
{
    py_policy *const policy = asking(plan);
    const bool failed =
        plan->begun && (plan->helpers.failed || (policy != NULL && policy->helpers.failed));
    const bool good = plan->begun && !failed && plan->status == LGKT_OK;
    lgkt_cost_destroy(plan->cost);
    if (plan->released != NULL)
        PyEval_RestoreThread(plan->released);
    if (failed && !PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "the threshold function of this policy is gone");
    if (!good)
        py_fail_error(&plan->error); // unless there is an exception
    if (policy != NULL && plan->begun)
        py_leave(&policy->gate);
    py_helpers_release(&plan->helpers);
    py_array_release(&plan->start);
    py_array_release(&plan->times);
    py_array_release(&plan->states);
    py_array_release(&plan->actions);
    if (!good)
        py_array_release(&plan->out);
    return good;
}

PyObject *py_plan_number(py_plan *plan)
{
    return py_plan_end(plan) ? PyFloat_FromDouble(plan->number) : NULL;
}

PyObject *py_plan_array(py_plan *plan)
{
    return py_plan_end(plan) ? py_array_take(&plan->out) : NULL;
}

PyObject *py_plan_gain(py_plan *plan)
{
    return py_plan_end(plan) ? Py_BuildValue("dN", plan->number, py_array_take(&plan->out)) : NULL;
}

// ---- functions ----

static PyObject *lookahead(PyObject *module, PyObject *arguments)
{
    (void)module;
    py_plan plan = {0};
    if (PyArg_ParseTuple(arguments, "O&O&:lookahead", py_plan_model, &plan, py_plan_k, &plan) &&
        py_array_make("f8", 2,
                      (Py_ssize_t[]){lgkt_mdp_states(plan.mdp), lgkt_mdp_actions(plan.mdp)},
                      &plan.out) &&
        py_plan_begin(&plan))
        plan.status = lgkt_plan_lookahead(plan.mdp, plan.k, NULL, plan.out.data, &plan.error);
    return py_plan_array(&plan);
}

static PyObject *gain(PyObject *module, PyObject *arguments)
{
    (void)module;
    py_plan plan = {0};
    if (PyArg_ParseTuple(arguments, "O&O&:gain", py_plan_model, &plan, py_plan_tolerance, &plan) &&
        py_make_row(plan.mdp, &plan.out) && py_plan_begin(&plan))
        plan.status =
            lgkt_plan_gain(plan.mdp, plan.number, NULL, &plan.number, plan.out.data, &plan.error);
    return py_plan_gain(&plan);
}

// ---- the best policy by gain, discounted value or total ----

enum { LOOKS = 20 }; // a second, at the interpreter

typedef struct best {
    py_plan plan;
    PyObject *progress; // a callable, or None
    struct timespec next;
} best;

static int look(void *ctx, const lgkt_plan_progress *at)
{
    best *const b = ctx;
    struct timespec now; // no call of the system, as that of clock() is
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec < b->next.tv_sec ||
        (now.tv_sec == b->next.tv_sec && now.tv_nsec < b->next.tv_nsec))
        return 0;
    b->next = now;
    b->next.tv_nsec += 1000000000L / LOOKS;
    if (b->next.tv_nsec >= 1000000000L) {
        b->next.tv_nsec -= 1000000000L;
        b->next.tv_sec++;
    }
    PyEval_RestoreThread(b->plan.released);
    bool ends = PyErr_CheckSignals() != 0;
    if (!ends && b->progress != Py_None) {
        PyObject *const answer = PyObject_CallFunction(b->progress, "LLd", (long long)at->sweeps,
                                                       (long long)at->policies, at->width);
        ends = answer == NULL || PyObject_IsTrue(answer) != 0;
        Py_XDECREF(answer);
    }
    b->plan.released = PyEval_SaveThread();
    return ends;
}

static PyObject *best_policy(PyObject *module, PyObject *arguments)
{
    (void)module;
    best b = {.progress = Py_None};
    py_plan *const plan = &b.plan;
    const char *kind;
    double discount;
    Py_ssize_t memory;
    py_array value = {0}, bias = {0}, policy = {0}, component = {0};
    lgkt_plan_config config = lgkt_plan_config_default();
    lgkt_plan_result found = {0};
    PyObject *made = NULL;
    if (PyArg_ParseTuple(arguments, "O&sO&dO&nO:best", py_plan_model, plan, &kind, py_plan_horizon,
                         plan, &discount, py_plan_tolerance, plan, &memory, &b.progress) &&
        py_make_row(plan->mdp, &value) && py_make_row(plan->mdp, &bias) &&
        py_array_make("i4", 1, value.shape, &policy) &&
        py_array_make("i4", 1, value.shape, &component) && py_plan_begin(plan)) {
        config.tolerance = plan->number;
        config.memory = (size_t)memory;
        config.progress = look;
        config.ctx = &b;
        found.value = value.data;
        found.bias = bias.data;
        found.policy = policy.data;
        found.component = component.data;
        plan->status =
            kind[0] == 'a' ? lgkt_plan_average(plan->mdp, &config, &found, &plan->error)
            : kind[0] == 'h'
                ? lgkt_plan_horizon(plan->mdp, plan->horizon, &config, &found, &plan->error)
                : lgkt_plan_discounted(plan->mdp, discount, &config, &found, &plan->error);
    }
    // an exception of `progress` or of a signal stays one
    if (py_plan_end(plan) && !PyErr_Occurred())
        made = Py_BuildValue(
            "(NNNN){s:d,s:d,s:i,s:N,s:N,s:N,s:L,s:L}", py_array_take(&value), py_array_take(&bias),
            py_array_take(&policy), py_array_take(&component), "below", found.below, "above",
            found.above, "components", (int)found.components, "differs", py_new_bool(found.differs),
            "stopped", py_new_bool(found.stopped), "limited", py_new_bool(found.limited), "sweeps",
            (long long)found.sweeps, "policies", (long long)found.policies);
    py_array_release(&value);
    py_array_release(&bias);
    py_array_release(&policy);
    py_array_release(&component);
    return made;
}

static PyObject *costs(PyObject *module, PyObject *arguments)
{
    (void)module;
    py_plan plan = {0};
    PyObject *states, *actions;
    if (PyArg_ParseTuple(arguments, "O&O&O&O&OO:costs", py_plan_model, &plan, py_plan_horizon,
                         &plan, py_plan_k, &plan, py_plan_threshold, &plan, &states, &actions) &&
        py_array_read(states, "states", "i4", 1, &plan.states) &&
        py_take_row(actions, "actions", "i4", plan.states.shape[0], &plan.actions) &&
        py_array_make("f8", 1, plan.states.shape, &plan.out) && py_plan_begin(&plan)) {
        const int32_t *const s = plan.states.data, *const a = plan.actions.data;
        for (Py_ssize_t t = 0; t < plan.out.shape[0]; t++)
            ((double *)plan.out.data)[t] = lgkt_cost_at(plan.cost, t, s[t], a[t]);
    }
    return py_plan_array(&plan);
}

static PyObject *gaps(PyObject *module, PyObject *arguments)
{
    (void)module;
    py_plan plan = {0};
    lgkt_gaps at = {0};
    if (PyArg_ParseTuple(arguments, "O&O&O&O&:gaps", py_plan_model, &plan, py_plan_horizon, &plan,
                         py_plan_k, &plan, py_plan_threshold, &plan) &&
        py_plan_begin(&plan))
        plan.status =
            lgkt_plan_gaps(plan.mdp, plan.k, plan.horizon, &plan.threshold, NULL, &at, &plan.error);
    return py_plan_end(&plan) ? Py_BuildValue("ddd", at.margin, at.above, at.below) : NULL;
}

static PyObject *dominance(PyObject *module, PyObject *model)
{
    (void)module;
    py_plan plan = {0};
    if (!py_plan_model(model, &plan))
        return NULL;
    const bool holds = lgkt_plan_two_state_dominance(plan.mdp, &plan.error);
    return Py_BuildValue("Ns", py_new_bool(holds), holds ? "" : plan.error.text);
}

static PyMethodDef functions[] = {
    {"lookahead", lookahead, METH_VARARGS, "lookahead($module, model, k, /)\n--\n\nQ_k: (S, A)."},
    {"gain", gain, METH_VARARGS,
     "gain($module, model, tolerance, /)\n--\n\nThe optimal gain and bias (S)."},
    {"best", best_policy, METH_VARARGS,
     "best($module, model, kind, horizon, discount, tolerance, memory, progress, /)\n--\n\n"
     "Value, bias, policy and component (S), and what else is known."},
    {"costs", costs, METH_VARARGS,
     "costs($module, model, horizon, k, threshold, states, actions, /)\n--\n\n"
     "What the steps of a run cost: (steps)."},
    {"gaps", gaps, METH_VARARGS,
     "gaps($module, model, horizon, k, threshold, /)\n--\n\nMargin, gap above, gap below."},
    {"two_state_dominance", dominance, METH_O,
     "two_state_dominance($module, model, /)\n--\n\nWhether it holds, and why not."},
    {NULL, NULL, 0, NULL},
};

bool py_add_plan(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) == 0;
}
