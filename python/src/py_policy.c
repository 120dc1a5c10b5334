// SPDX-License-Identifier: MIT
// Policies of a known model. lgkt.plan.Policy adds what NumPy does in a line.
//
// They never change, so any number of threads may read one.
#include "py_plan.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

PyTypeObject *py_policy_type;

static py_plan plan_of(PyObject *self)
{
    py_policy *const policy = (py_policy *)self;
    return (py_plan){.self = policy,
                     .policy = policy->policy,
                     .mdp = policy->mdp,
                     .horizon = lgkt_policy_horizon(policy->policy)};
}

// ---- making ----

static bool take_law(PyObject *object, py_plan *plan)
{
    if (!py_array_read(object, "law", "f8", 2, &plan->actions))
        return false;
    const Py_ssize_t *const shape = plan->actions.shape;
    const int states = lgkt_mdp_states(plan->mdp), actions = lgkt_mdp_actions(plan->mdp);
    if (shape[0] == states && shape[1] == actions)
        return true;
    char text[128];
    snprintf(text, sizeof text,
             "law has shape (%zd, %zd); it must have (%d, %d), states by actions", shape[0],
             shape[1], states, actions);
    return py_fail(LGKT_ERR_SHAPE, text) != NULL;
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    (void)keywords;
    py_plan plan = {0};
    int kind, high;
    PyObject *threshold, *actions;
    if (!PyArg_ParseTuple(arguments, "CO&O&O&pOO:Policy", &kind, py_plan_model, &plan,
                          py_plan_horizon, &plan, py_plan_k, &plan, &high, &threshold, &actions))
        return NULL;
    const lgkt_mdp *const mdp = plan.mdp;
    const int64_t horizon = plan.horizon, k = plan.k;
    const lgkt_ties ties = high ? LGKT_TIES_HIGH : LGKT_TIES_LOW;
    py_policy *const self = plan.self = (py_policy *)py_object_new(type);
    if (self == NULL)
        return NULL;
    self->mdp = mdp;
    lgkt_policy **const made = &self->policy;
    lgkt_error *const error = &plan.error;
    if ((kind != 't' || py_take_threshold(&self->helpers, threshold, mdp, &plan.threshold)) &&
        (kind != 'f' ||
         py_take_row(actions, "actions", "i4", lgkt_mdp_states(mdp), &plan.actions)) &&
        (kind != 'l' || take_law(actions, &plan)) && py_plan_begin(&plan))
        plan.status =
            kind == 'o'   ? lgkt_policy_optimal(mdp, horizon, ties, NULL, made, error)
            : kind == 'g' ? lgkt_policy_greedy(mdp, k, horizon, ties, NULL, made, error)
            : kind == 't'
                ? lgkt_policy_threshold(mdp, k, horizon, &plan.threshold, NULL, made, error)
            : kind == 'u' ? lgkt_policy_uniform(mdp, horizon, NULL, made, error)
            : kind == 'l' ? lgkt_policy_law(mdp, horizon, plan.actions.data, NULL, made, error)
                          : lgkt_policy_fixed(mdp, horizon, plan.actions.data, NULL, made, error);
    if (py_plan_end(&plan))
        return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

// ---- what is played ----

static PyObject *sets(PyObject *self, PyObject *arguments)
{
    py_plan plan = plan_of(self);
    const Py_ssize_t states = lgkt_mdp_states(plan.mdp), actions = lgkt_mdp_actions(plan.mdp);
    long long first;
    Py_ssize_t count;
    if (PyArg_ParseTuple(arguments, "Ln:_sets", &first, &count) &&
        py_array_make("?", 3, (Py_ssize_t[]){count, states, actions}, &plan.out) &&
        py_plan_begin(&plan)) {
        uint8_t *member = plan.out.data;
        for (int64_t t = 0; t < count; t++)
            for (int32_t s = 0; s < states; s++, member += actions)
                lgkt_policy_actions(plan.policy, first - t, s, member);
    }
    return py_plan_array(&plan);
}

static PyObject *probabilities(PyObject *self, PyObject *arguments)
{
    py_plan plan = plan_of(self);
    const int32_t states = lgkt_mdp_states(plan.mdp), actions = lgkt_mdp_actions(plan.mdp);
    long long h;
    if (PyArg_ParseTuple(arguments, "L:_probabilities", &h) &&
        py_array_make("f8", 2, (Py_ssize_t[]){states, actions}, &plan.out) && py_plan_begin(&plan))
        for (int32_t s = 0; s < states; s++)
            lgkt_policy_probabilities(plan.policy, h, s,
                                      (double *)plan.out.data + (size_t)s * (size_t)actions);
    return py_plan_array(&plan);
}

// ---- evaluation ----

static PyObject *discounted(PyObject *self, PyObject *arguments)
{
    py_plan plan = plan_of(self);
    double discount;
    if (PyArg_ParseTuple(arguments, "d:_discounted", &discount) &&
        py_make_row(plan.mdp, &plan.out) && py_plan_begin(&plan))
        plan.status =
            lgkt_policy_discounted(plan.policy, discount, NULL, plan.out.data, &plan.error);
    return py_plan_array(&plan);
}

// the bias is of the gains from all states
static PyObject *average(PyObject *self, PyObject *unused)
{
    (void)unused;
    py_plan plan = plan_of(self);
    if (py_make_row(plan.mdp, &plan.start) && py_make_row(plan.mdp, &plan.out) &&
        py_plan_begin(&plan))
        plan.status =
            lgkt_policy_average(plan.policy, NULL, plan.out.data, plan.start.data, &plan.error);
    return py_plan_array(&plan);
}

static PyObject *value(PyObject *self, PyObject *unused)
{
    (void)unused;
    py_plan plan = plan_of(self);
    if (py_make_row(plan.mdp, &plan.out) && py_plan_begin(&plan))
        plan.status = lgkt_policy_value(plan.policy, NULL, plan.out.data, &plan.error);
    return py_plan_array(&plan);
}

static PyObject *ratio(PyObject *self, PyObject *unused)
{
    (void)unused;
    py_plan plan = plan_of(self);
    if (py_plan_begin(&plan))
        plan.status = lgkt_policy_ratio(plan.policy, NULL, &plan.number, &plan.error);
    return py_plan_number(&plan);
}

static PyObject *gain(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"tolerance", NULL};
    py_plan plan = plan_of(self);
    plan.number = 1e-12;
    if (PyArg_ParseTupleAndKeywords(arguments, keywords, "|O&:gain", names, py_plan_tolerance,
                                    &plan) &&
        py_make_row(plan.mdp, &plan.out) && py_plan_begin(&plan))
        plan.status = lgkt_policy_gain(plan.policy, plan.number, NULL, &plan.number, plan.out.data,
                                       &plan.error);
    return py_plan_gain(&plan);
}

// ---- the long run ----

static int take_start(PyObject *object, void *plan);

static PyObject *stationary(PyObject *self, PyObject *start)
{
    py_plan plan = plan_of(self);
    if (take_start(start, &plan) && py_make_row(plan.mdp, &plan.out) && py_plan_begin(&plan))
        plan.status =
            lgkt_policy_stationary(plan.policy, plan.start.data, NULL, plan.out.data, &plan.error);
    return py_plan_array(&plan);
}

static PyObject *passage(PyObject *self, PyObject *arguments)
{
    py_plan plan = plan_of(self);
    int target;
    if (PyArg_ParseTuple(arguments, "i:_passage", &target) && py_make_row(plan.mdp, &plan.out) &&
        py_plan_begin(&plan))
        plan.status = lgkt_policy_passage(plan.policy, target, NULL, plan.out.data, &plan.error);
    return py_plan_array(&plan);
}

static PyObject *arrival(PyObject *self, PyObject *member)
{
    py_plan plan = plan_of(self);
    if (py_take_row(member, "member", "u1", lgkt_mdp_states(plan.mdp), &plan.actions) &&
        py_make_row(plan.mdp, &plan.out) && py_plan_begin(&plan))
        plan.status =
            lgkt_policy_arrival(plan.policy, plan.actions.data, NULL, plan.out.data, &plan.error);
    return py_plan_array(&plan);
}

static PyObject *classes(PyObject *self, PyObject *unused)
{
    (void)unused;
    py_plan plan = plan_of(self);
    int32_t count;
    if (py_array_make("i4", 1, (Py_ssize_t[]){lgkt_mdp_states(plan.mdp)}, &plan.out) &&
        py_plan_begin(&plan))
        plan.status = lgkt_policy_classes(plan.policy, NULL, plan.out.data, &count, &plan.error);
    return py_plan_array(&plan);
}

static PyObject *gap_bound(PyObject *self, PyObject *k)
{
    py_plan plan = plan_of(self);
    if (py_plan_k(k, &plan) && py_plan_begin(&plan))
        plan.status = lgkt_plan_gap_bound(plan.policy, plan.k, NULL, &plan.number, &plan.error);
    return py_plan_number(&plan);
}

static PyObject *gap_distance(PyObject *self, PyObject *k)
{
    py_plan plan = plan_of(self);
    if (py_plan_k(k, &plan) && py_plan_begin(&plan))
        plan.status = lgkt_plan_gap_distance(plan.policy, plan.k, NULL, &plan.number, &plan.error);
    return py_plan_number(&plan);
}

// ---- forward in time ----

// where a run begins; None is the law of the model
static int take_start(PyObject *object, void *plan)
{
    py_plan *const p = plan;
    return object == Py_None ||
           py_take_row(object, "start", "f8", lgkt_mdp_states(p->mdp), &p->start);
}

// the next rows of `out`, which are those before k
static int add_law(void *ctx, int64_t t, const double *law)
{
    py_plan *const plan = ctx;
    const int64_t *const times = plan->times.data;
    const size_t states = (size_t)plan->out.shape[1];
    // a time may be asked for twice
    for (; plan->k < plan->times.shape[0] && times[plan->k] == t; plan->k++)
        memcpy((double *)plan->out.data + (size_t)plan->k * states, law, states * sizeof *law);
    return plan->k == plan->times.shape[0];
}

static PyObject *laws(PyObject *self, PyObject *arguments)
{
    py_plan plan = plan_of(self);
    PyObject *times;
    if (PyArg_ParseTuple(arguments, "O&O:_laws", take_start, &plan, &times) &&
        py_array_read(times, "times", "i8", 1, &plan.times) &&
        py_array_make("f8", 2, (Py_ssize_t[]){plan.times.shape[0], lgkt_mdp_states(plan.mdp)},
                      &plan.out) &&
        py_plan_begin(&plan))
        plan.status =
            lgkt_policy_forward(plan.policy, plan.start.data, NULL, add_law, &plan, &plan.error);
    return py_plan_array(&plan);
}

// What step t earns or costs on average. The laws of a long run on many states are more than one
// wants to keep, so this is not left to NumPy.
static int add_mean(void *ctx, int64_t t, const double *law)
{
    const py_plan *const plan = ctx;
    double *const chance = plan->actions.data;
    double mean = 0;
    for (int32_t s = 0; s < lgkt_mdp_states(plan->mdp); s++) {
        if (law[s] == 0)
            continue;
        lgkt_policy_probabilities(plan->policy, plan->horizon - t, s, chance);
        double sum = 0;
        for (int32_t a = 0; a < lgkt_mdp_actions(plan->mdp); a++)
            if (chance[a] > 0)
                sum += chance[a] * (plan->cost != NULL ? lgkt_cost_at(plan->cost, t, s, a)
                                                       : lgkt_mdp_reward(plan->mdp, s, a));
        mean += law[s] * sum;
    }
    ((double *)plan->out.data)[t] = mean;
    return 0;
}

static PyObject *means(PyObject *self, PyObject *arguments)
{
    py_plan plan = plan_of(self);
    if (PyArg_ParseTuple(arguments, "O&|O&O&:_means", take_start, &plan, py_plan_k, &plan,
                         py_plan_threshold, &plan) &&
        py_array_make("f8", 1, (Py_ssize_t[]){lgkt_mdp_actions(plan.mdp)}, &plan.actions) &&
        py_array_make("f8", 1, (Py_ssize_t[]){plan.horizon}, &plan.out) && py_plan_begin(&plan))
        plan.status =
            lgkt_policy_forward(plan.policy, plan.start.data, NULL, add_mean, &plan, &plan.error);
    return py_plan_array(&plan);
}

static PyObject *cost(PyObject *self, PyObject *arguments)
{
    py_plan plan = plan_of(self);
    if (PyArg_ParseTuple(arguments, "O&O&O&:_cost", take_start, &plan, py_plan_k, &plan,
                         py_plan_threshold, &plan) &&
        py_plan_begin(&plan))
        plan.status = lgkt_cost_of_policy(plan.cost, plan.policy, plan.start.data, NULL,
                                          &plan.number, &plan.error);
    return py_plan_number(&plan);
}

// ---- the type ----

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return py_helpers_visit(&((py_policy *)self)->helpers, visit, arg);
}

static int clear(PyObject *self)
{
    py_helpers_clear(&((py_policy *)self)->helpers);
    return 0;
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    lgkt_policy_destroy(((py_policy *)self)->policy);
    py_helpers_release(&((py_policy *)self)->helpers);
    py_object_free(self);
}

static PyMethodDef methods[] = {
    {"_sets", sets, METH_VARARGS,
     "_sets($self, h, count, /)\n--\n\nWhat is played with h, h - 1, ... to go: (count, S, A)."},
    {"_probabilities", probabilities, METH_VARARGS,
     "_probabilities($self, h, /)\n--\n\nHow likely each action is with h to go: (S, A)."},
    {"_discounted", discounted, METH_VARARGS,
     "_discounted($self, discount, /)\n--\n\nThe discounted value from each state: (S)."},
    {"_average", average, METH_NOARGS,
     "_average($self)\n--\n\nThe long-run reward per step from each state: (S)."},
    {"value", value, METH_NOARGS,
     "value($self)\n--\n\nThe expected total reward of the whole horizon from each state: (S)."},
    {"ratio", ratio, METH_NOARGS,
     "ratio($self)\n--\n\nThe share of the optimal value that the policy reaches from the start of "
     "the model;\nNaN if the optimum is 0."},
    {"gain", (PyCFunction)(void (*)(void))gain, METH_VARARGS | METH_KEYWORDS,
     "gain($self, tolerance=1e-12)\n--\n\nThe long-run reward per step and the bias (S) of what is "
     "played with the whole horizon\nto go, taken as a stationary policy."},
    {"_laws", laws, METH_VARARGS,
     "_laws($self, start, times, /)\n--\n\nThe laws of the state at times in order: (times, S)."},
    {"_means", means, METH_VARARGS,
     "_means($self, start, k=None, threshold=None, /)\n--\n\nWhat each step earns or costs: (T)."},
    {"_cost", cost, METH_VARARGS,
     "_cost($self, start, k, threshold, /)\n--\n\nThe expected total cost, exactly."},
    {"_stationary", stationary, METH_O,
     "_stationary($self, start, /)\n--\n\nThe share of time in each state: (S)."},
    {"_passage", passage, METH_VARARGS,
     "_passage($self, target, /)\n--\n\nMean first passage times: (S)."},
    {"_arrival", arrival, METH_O,
     "_arrival($self, member, /)\n--\n\nThe probability to come to a set: (S)."},
    {"classes", classes, METH_NOARGS,
     "classes($self)\n--\n\nThe number of the closed set of states that each state is in, -1 where "
     "it is in none: (S)."},
    {"gap_bound", gap_bound, METH_O,
     "gap_bound($self, k, /)\n--\n\nThe bound of theorem 3.5 for a K-step policy:\n"
     "sum over h from K+1 to T of max_x |P_pi(x) - P_best(x)|_1 max_x V_{h-1}(x)."},
    {"gap_distance", gap_distance, METH_O,
     "gap_distance($self, k, /)\n--\n\nThe sum of `gap_bound` without its last factor."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"_threshold", T_OBJECT, offsetof(py_policy, helpers.threshold), READONLY,
     "As it was given, an array copied."},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Policy(kind, model, horizon, k, high, threshold, actions, /)\n--\n\n"
                "A policy; `kind` is the first letter of its kind in lgkt.plan."},
    {Py_tp_new, create},
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lgkt._core.Policy",
    .basicsize = sizeof(py_policy),
    .flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

bool py_add_policy(PyObject *module)
{
    return py_add_type(module, "Policy", &spec, NULL, &py_policy_type);
}
