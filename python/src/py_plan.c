// SPDX-License-Identifier: MIT
// lgkt.plan: policies and exact numbers of a known model (lgkt/plan.h).
//
// Policies never change, so any number of threads may read one. Where thresholds are a callable the
// interpreter is needed throughout, and one call is made at a time; else it is released.
#include <string.h>

#include "py_core.h"

// Larger tables are refused: they are more likely a slip than a wish.
#define MOST_ENTRIES ((int64_t)1 << 28)

PyTypeObject *py_policy_type;

typedef struct py_policy {
    PyObject_HEAD lgkt_policy *policy;
    PyObject *model; // py_model
    const char *kind;
    PyObject *recipe;   // the arguments it was made of
    py_helpers helpers; // its threshold
    atomic_flag busy;   // used where the threshold is a callable
} py_policy;

// ---- arguments ----

static bool take_model(PyObject *object, const lgkt_mdp **mdp)
{
    if (!py_model_of(object, "model", mdp))
        return false;
    if (*mdp == NULL)
        PyErr_SetString(PyExc_TypeError, "model must be a Model");
    return *mdp != NULL;
}

// A threshold that must be given. The planner knows constants and tables by themselves, and skips
// what repeats; a function it must ask at every step.
static bool take_threshold(py_helpers *helpers, PyObject *object, const lgkt_mdp *mdp,
                           lgkt_threshold *threshold)
{
    *threshold = (lgkt_threshold){0};
    if (object == NULL || object == Py_None) {
        PyErr_SetString(PyExc_TypeError, "threshold must be a number, an array or a callable");
        return false;
    }
    if (!py_threshold_take(helpers, object, lgkt_mdp_states(mdp), threshold))
        return false;
    if (threshold->table == NULL && !helpers->calls)
        *threshold = (lgkt_threshold){.constant = helpers->constant};
    return true;
}

// Where a run begins: None (the model's own law), a state, or a law (S).
static bool take_start(PyObject *object, const lgkt_mdp *mdp, py_array *law)
{
    const Py_ssize_t states = lgkt_mdp_states(mdp);
    char text[96];
    *law = (py_array){0};
    if (object == NULL || object == Py_None)
        return true;
    if (PyIndex_Check(object) && !PySequence_Check(object)) {
        int64_t state;
        if (!py_int64(object, "start", &state))
            return false;
        if (state < 0 || state >= states) {
            snprintf(text, sizeof text, "start is %lld; allowed are 0 to %zd", (long long)state,
                     states - 1);
            return py_fail(LGKT_ERR_ARGUMENT, text) != NULL;
        }
        if (!py_array_make("f8", 1, &states, law))
            return false;
        ((double *)law->data)[state] = 1.0;
        return true;
    }
    if (!py_array_read(object, "start", "f8", 1, law))
        return false;
    if (law->shape[0] == states)
        return true;
    snprintf(text, sizeof text, "start has %zd numbers for %zd states", law->shape[0], states);
    py_array_release(law);
    return py_fail(LGKT_ERR_SHAPE, text) != NULL;
}

// ---- calls ----

// Work in the library: between `begin` and `end` the interpreter is free for others, unless a
// threshold is a callable.
typedef struct work {
    py_policy *self; // NULL: none is used
    const py_helpers *other;
    PyThreadState *released;
    lgkt_error error;
    lgkt_status status;
} work;

static bool begin(work *w, PyObject *self, const py_helpers *other)
{
    *w = (work){.self = (py_policy *)self, .other = other};
    py_helpers *const own = w->self != NULL ? &w->self->helpers : NULL;
    const bool calls = own != NULL && own->calls;
    if (calls && !py_enter(&w->self->busy, "policy"))
        return false;
    if (calls)
        own->failed = own->threshold == NULL; // its cycle is being collected
    if (!calls && (other == NULL || !other->calls))
        w->released = PyEval_SaveThread();
    return true;
}

static bool end(work *w)
{
    if (w->released != NULL)
        PyEval_RestoreThread(w->released);
    const bool calls = w->self != NULL && w->self->helpers.calls;
    const bool failed =
        (calls && w->self->helpers.failed) || (w->other != NULL && w->other->failed);
    if (failed && !PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "the threshold function of this policy is gone");
    else if (!failed && w->status != LGKT_OK)
        py_fail_error(&w->error);
    if (calls)
        py_leave(&w->self->busy);
    return !failed && w->status == LGKT_OK;
}

static const lgkt_policy *of(PyObject *self)
{
    return ((py_policy *)self)->policy;
}

static const lgkt_mdp *mdp_of(PyObject *self)
{
    return ((py_model *)((py_policy *)self)->model)->mdp;
}

// ---- making ----

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"kind", "model", "horizon", "k", "ties", "threshold", "actions", NULL};
    const char *kind, *ties = "low";
    PyObject *model, *steps, *depth = NULL, *threshold = NULL, *actions = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "sOO|OsOO:Policy", names, &kind, &model,
                                     &steps, &depth, &ties, &threshold, &actions))
        return NULL;
    const lgkt_mdp *mdp;
    int64_t horizon, k = 1;
    if (!take_model(model, &mdp) || !py_int64(steps, "horizon", &horizon) ||
        (depth != NULL && !py_int64(depth, "k", &k)))
        return NULL;
    const bool high = strcmp(ties, "high") == 0;
    if (!high && strcmp(ties, "low") != 0)
        return py_fail(LGKT_ERR_ARGUMENT, "ties must be \"low\" or \"high\"");
    static const char *const kinds[] = {"optimal", "greedy", "thresholding", "uniform", "fixed"};
    int which = 0;
    while (which < 5 && strcmp(kind, kinds[which]) != 0)
        which++;
    if (which == 5)
        return py_fail(LGKT_ERR_UNKNOWN_NAME,
                       "kind must be optimal, greedy, thresholding, uniform or fixed");

    py_policy *self = (py_policy *)py_object_new(type);
    if (self == NULL)
        return NULL;
    self->model = Py_NewRef(model);
    self->kind = kinds[which];
    lgkt_threshold gamma = {0};
    py_array fixed = {0};
    if ((which == 2 && !take_threshold(&self->helpers, threshold, mdp, &gamma)) ||
        (which == 4 &&
         !py_array_read(actions != NULL ? actions : Py_None, "actions", "i4", 1, &fixed)))
        goto fail;
    if (which == 4 && fixed.shape[0] != lgkt_mdp_states(mdp)) {
        char text[96];
        snprintf(text, sizeof text, "actions has %zd numbers for %d states", fixed.shape[0],
                 lgkt_mdp_states(mdp));
        py_fail(LGKT_ERR_SHAPE, text);
        goto fail;
    }
    // arrays as they were read: what becomes of the caller's own does not matter
    self->recipe = Py_BuildValue("sOLLsOO", kind, model, (long long)horizon, (long long)k, ties,
                                 self->helpers.table.object != NULL ? self->helpers.table.object
                                 : threshold != NULL                ? threshold
                                                                    : Py_None,
                                 fixed.object != NULL ? fixed.object : Py_None);
    if (self->recipe == NULL)
        goto fail;

    const lgkt_ties tied = high ? LGKT_TIES_HIGH : LGKT_TIES_LOW;
    work w;
    begin(&w, NULL, NULL); // making asks no callable yet
    switch (which) {
    case 0:
        w.status = lgkt_policy_optimal(mdp, horizon, tied, NULL, &self->policy, &w.error);
        break;
    case 1:
        w.status = lgkt_policy_greedy(mdp, k, horizon, tied, NULL, &self->policy, &w.error);
        break;
    case 2:
        w.status = lgkt_policy_threshold(mdp, k, horizon, &gamma, NULL, &self->policy, &w.error);
        break;
    case 3:
        w.status = lgkt_policy_uniform(mdp, horizon, NULL, &self->policy, &w.error);
        break;
    default:
        w.status = lgkt_policy_fixed(mdp, horizon, fixed.data, NULL, &self->policy, &w.error);
    }
    if (!end(&w))
        goto fail;
    py_array_release(&fixed);
    return (PyObject *)self;
fail:
    py_array_release(&fixed);
    Py_DECREF(self);
    return NULL;
}

static PyObject *reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *const recipe = ((py_policy *)self)->recipe;
    return Py_BuildValue("OO", (PyObject *)Py_TYPE(self), recipe != NULL ? recipe : Py_None);
}

// ---- what is played ----

// steps to go, as the argument of a method
static bool take_h(PyObject *self, PyObject *argument, int64_t *h)
{
    const int64_t horizon = lgkt_policy_horizon(of(self));
    if (!py_int64(argument, "h", h))
        return false;
    if (*h >= 1 && *h <= horizon)
        return true;
    char text[96];
    snprintf(text, sizeof text, "h is %lld; allowed are 1 to %lld", (long long)*h,
             (long long)horizon);
    return py_fail(LGKT_ERR_ARGUMENT, text) != NULL;
}

static bool make_rows(const char *what, const char *dtype, int dimensions, const Py_ssize_t *shape,
                      py_array *array)
{
    int64_t entries = 1;
    for (int d = 0; d < dimensions; d++)
        if (shape[d] > 0 && entries > MOST_ENTRIES / shape[d]) {
            char text[160];
            snprintf(text, sizeof text, "%s would have more than %lld entries; ask for parts of it",
                     what, (long long)MOST_ENTRIES);
            return py_fail(LGKT_ERR_SHAPE, text) != NULL;
        } else {
            entries *= shape[d];
        }
    return py_array_make(dtype, dimensions, shape, array);
}

// (count, S, A), the rows of h = first, first - 1, ...
static bool fill_actions(PyObject *self, int64_t first, int64_t count, uint8_t *member)
{
    const int32_t states = lgkt_mdp_states(mdp_of(self)), actions = lgkt_mdp_actions(mdp_of(self));
    work w;
    if (!begin(&w, self, NULL))
        return false;
    for (int64_t h = first; h > first - count; h--)
        for (int32_t s = 0; s < states; s++, member += actions)
            lgkt_policy_actions(of(self), h, s, member);
    return end(&w);
}

static PyObject *actions(PyObject *self, PyObject *argument)
{
    const Py_ssize_t shape[] = {lgkt_mdp_states(mdp_of(self)), lgkt_mdp_actions(mdp_of(self))};
    int64_t h;
    py_array member;
    if (!take_h(self, argument, &h) || !py_array_make("?", 2, shape, &member))
        return NULL;
    if (fill_actions(self, h, 1, member.data))
        return py_array_take(&member);
    py_array_release(&member);
    return NULL;
}

static PyObject *table(PyObject *self, PyObject *unused)
{
    (void)unused;
    const int64_t horizon = lgkt_policy_horizon(of(self));
    const Py_ssize_t shape[] = {horizon, lgkt_mdp_states(mdp_of(self)),
                                lgkt_mdp_actions(mdp_of(self))};
    py_array member;
    if (!make_rows("the table", "?", 3, shape, &member))
        return NULL;
    if (fill_actions(self, horizon, horizon, member.data))
        return py_array_take(&member);
    py_array_release(&member);
    return NULL;
}

static PyObject *action(PyObject *self, PyObject *argument)
{
    const Py_ssize_t states = lgkt_mdp_states(mdp_of(self));
    int64_t h;
    py_array played;
    if (!take_h(self, argument, &h) || !py_array_make("i4", 1, &states, &played))
        return NULL;
    work w;
    bool good = begin(&w, self, NULL);
    if (good) {
        for (int32_t s = 0; s < (int32_t)states; s++)
            ((int32_t *)played.data)[s] = lgkt_policy_action(of(self), h, s);
        good = end(&w);
    }
    if (good)
        return py_array_take(&played);
    py_array_release(&played);
    return NULL;
}

// ---- evaluation ----

static PyObject *value(PyObject *self, PyObject *unused)
{
    (void)unused;
    const Py_ssize_t states = lgkt_mdp_states(mdp_of(self));
    py_array values;
    if (!py_array_make("f8", 1, &states, &values))
        return NULL;
    work w;
    bool good = begin(&w, self, NULL);
    if (good) {
        w.status = lgkt_policy_value(of(self), NULL, values.data, &w.error);
        good = end(&w);
    }
    if (good)
        return py_array_take(&values);
    py_array_release(&values);
    return NULL;
}

static PyObject *ratio(PyObject *self, PyObject *unused)
{
    (void)unused;
    double number = 0;
    work w;
    if (!begin(&w, self, NULL))
        return NULL;
    w.status = lgkt_policy_ratio(of(self), NULL, &number, &w.error);
    return end(&w) ? PyFloat_FromDouble(number) : NULL;
}

typedef lgkt_status (*gap_fn)(const lgkt_policy *policy, int64_t k, const lgkt_allocator *allocator,
                              double *number, lgkt_error *error);

static PyObject *gap(PyObject *self, PyObject *argument, gap_fn function)
{
    int64_t k;
    double number = 0;
    work w;
    if (!py_int64(argument, "k", &k) || !begin(&w, self, NULL))
        return NULL;
    w.status = function(of(self), k, NULL, &number, &w.error);
    return end(&w) ? PyFloat_FromDouble(number) : NULL;
}

static PyObject *gap_bound(PyObject *self, PyObject *argument)
{
    return gap(self, argument, lgkt_plan_gap_bound);
}

static PyObject *gap_distance(PyObject *self, PyObject *argument)
{
    return gap(self, argument, lgkt_plan_gap_distance);
}

// (gain, bias) of a policy, or of the best one where there is none
static PyObject *find_gain(PyObject *policy, const lgkt_mdp *mdp, PyObject *tolerance)
{
    const Py_ssize_t states = lgkt_mdp_states(mdp);
    double width = 1e-12, number = 0;
    py_array bias;
    if ((tolerance != NULL && !py_real(tolerance, "tolerance", &width)) ||
        !py_array_make("f8", 1, &states, &bias))
        return NULL;
    work w;
    bool good = begin(&w, policy, NULL);
    if (good) {
        w.status = policy != NULL
                       ? lgkt_policy_gain(of(policy), width, NULL, &number, bias.data, &w.error)
                       : lgkt_plan_gain(mdp, width, NULL, &number, bias.data, &w.error);
        good = end(&w);
    }
    if (good)
        return Py_BuildValue("dN", number, py_array_take(&bias));
    py_array_release(&bias);
    return NULL;
}

static PyObject *policy_gain(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"tolerance", NULL};
    PyObject *tolerance = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O:gain", names, &tolerance))
        return NULL;
    return find_gain(self, mdp_of(self), tolerance);
}

// ---- forward in time ----

// what a walk writes at each step: laws, or what the policy earns or costs there on average
typedef struct walk {
    const lgkt_policy *policy;
    const lgkt_mdp *mdp;
    const lgkt_cost *cost; // NULL: rewards
    const int64_t *times;  // (count) increasing; NULL: all
    int64_t count, next;
    double *laws;    // (count, S), or NULL
    double *mean;    // (T), or NULL
    uint8_t *member; // (A)
} walk;

static int add_law(void *ctx, int64_t t, const double *law)
{
    walk *const w = ctx;
    const size_t states = (size_t)lgkt_mdp_states(w->mdp);
    // a time may be asked for twice
    while (w->next < w->count && (w->times == NULL || w->times[w->next] == t)) {
        memcpy(w->laws + (size_t)w->next++ * states, law, states * sizeof *law);
        if (w->times == NULL)
            break;
    }
    return w->next == w->count;
}

static int add_mean(void *ctx, int64_t t, const double *law)
{
    walk *const w = ctx;
    const int64_t h = lgkt_policy_horizon(w->policy) - t;
    double mean = 0;
    for (int32_t s = 0; s < lgkt_mdp_states(w->mdp); s++) {
        if (law[s] == 0)
            continue;
        const int32_t played = lgkt_policy_actions(w->policy, h, s, w->member);
        double sum = 0;
        for (int32_t a = 0; a < lgkt_mdp_actions(w->mdp); a++)
            if (w->member[a])
                sum += w->cost != NULL ? lgkt_cost_at(w->cost, t, s, a)
                                       : lgkt_mdp_reward(w->mdp, s, a);
        mean += law[s] * (sum / played);
    }
    w->mean[t] = mean;
    return 0;
}

static PyObject *laws(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"start", "times", NULL};
    PyObject *start = NULL, *when = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OO:laws", names, &start, &when))
        return NULL;
    const int64_t horizon = lgkt_policy_horizon(of(self));
    py_array law = {0}, times = {0}, out = {0};
    walk steps = {.mdp = mdp_of(self), .count = horizon};
    bool good = take_start(start, steps.mdp, &law);
    if (good && when != NULL && when != Py_None) {
        good = py_array_read(when, "times", "i8", 1, &times);
        steps.times = times.data;
        steps.count = times.shape[0];
    }
    for (int64_t i = 0; good && times.data != NULL && i < steps.count; i++)
        if (steps.times[i] < (i == 0 ? 0 : steps.times[i - 1]) || steps.times[i] >= horizon) {
            char text[128];
            snprintf(text, sizeof text,
                     "times[%lld] is %lld; times must not decrease and lie in 0 to %lld",
                     (long long)i, (long long)steps.times[i], (long long)horizon - 1);
            good = py_fail(LGKT_ERR_ARGUMENT, text) != NULL;
        }
    const Py_ssize_t shape[] = {steps.count, lgkt_mdp_states(steps.mdp)};
    good = good && make_rows("the laws", "f8", 2, shape, &out);
    steps.laws = out.data;
    work w;
    if (good)
        good = begin(&w, self, NULL);
    if (good) {
        w.status = lgkt_policy_forward(of(self), law.data, NULL, add_law, &steps, &w.error);
        good = end(&w);
    }
    py_array_release(&law);
    py_array_release(&times);
    if (good)
        return py_array_take(&out);
    py_array_release(&out);
    return NULL;
}

// the cost of k and a threshold, of the model and horizon given
static bool make_cost(const lgkt_mdp *mdp, PyObject *depth, PyObject *threshold, int64_t horizon,
                      py_helpers *helpers, lgkt_cost **cost)
{
    int64_t k;
    lgkt_threshold gamma;
    if (!py_int64(depth, "k", &k) || !take_threshold(helpers, threshold, mdp, &gamma))
        return false;
    work w;
    begin(&w, NULL, NULL);
    w.status = lgkt_cost_create(mdp, k, horizon, &gamma, NULL, cost, &w.error);
    return end(&w);
}

// rewards, costs and cost: the mean of each step, or one sum
static PyObject *expected(PyObject *self, PyObject *start, PyObject *depth, PyObject *threshold,
                          bool total)
{
    const int64_t horizon = lgkt_policy_horizon(of(self));
    const Py_ssize_t length = horizon;
    py_helpers helpers = {0};
    lgkt_cost *cost = NULL;
    py_array law = {0}, out = {0}, member = {0};
    double sum = 0;
    walk steps = {.policy = of(self), .mdp = mdp_of(self)};
    const Py_ssize_t actions = lgkt_mdp_actions(steps.mdp);
    bool good =
        take_start(start, steps.mdp, &law) &&
        (depth == NULL || make_cost(steps.mdp, depth, threshold, horizon, &helpers, &cost)) &&
        (total || make_rows("the steps", "f8", 1, &length, &out)) &&
        py_array_make("u1", 1, &actions, &member);
    steps.cost = cost;
    steps.mean = out.data;
    steps.member = member.data;
    work w;
    if (good)
        good = begin(&w, self, &helpers);
    if (good) {
        w.status = total
                       ? lgkt_cost_of_policy(cost, of(self), law.data, NULL, &sum, &w.error)
                       : lgkt_policy_forward(of(self), law.data, NULL, add_mean, &steps, &w.error);
        good = end(&w);
    }
    lgkt_cost_destroy(cost);
    py_helpers_release(&helpers);
    py_array_release(&law);
    py_array_release(&member);
    if (good)
        return total ? PyFloat_FromDouble(sum) : py_array_take(&out);
    py_array_release(&out);
    return NULL;
}

static PyObject *rewards(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"start", NULL};
    PyObject *start = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O:rewards", names, &start))
        return NULL;
    return expected(self, start, NULL, NULL, false);
}

static PyObject *costs(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"k", "threshold", "start", NULL};
    PyObject *k, *threshold, *start = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|O:costs", names, &k, &threshold,
                                     &start))
        return NULL;
    return expected(self, start, k, threshold, false);
}

static PyObject *policy_cost(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"k", "threshold", "start", NULL};
    PyObject *k, *threshold, *start = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|O:cost", names, &k, &threshold,
                                     &start))
        return NULL;
    return expected(self, start, k, threshold, true);
}

// ---- the type ----

static PyObject *get_horizon(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong(lgkt_policy_horizon(of(self)));
}

static PyObject *get_model(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((py_policy *)self)->model);
}

static PyObject *get_kind(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(((py_policy *)self)->kind);
}

static PyObject *represent(PyObject *self)
{
    return PyUnicode_FromFormat("<lgkt.plan.Policy %s states=%d actions=%d horizon=%lld>",
                                ((py_policy *)self)->kind, lgkt_mdp_states(mdp_of(self)),
                                lgkt_mdp_actions(mdp_of(self)),
                                (long long)lgkt_policy_horizon(of(self)));
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((py_policy *)self)->model);
    Py_VISIT(((py_policy *)self)->recipe);
    return py_helpers_visit(&((py_policy *)self)->helpers, visit, arg);
}

// a function that holds the policy it serves: the two go together, and `begin` asks it no more
static int clear(PyObject *self)
{
    Py_CLEAR(((py_policy *)self)->recipe);
    Py_CLEAR(((py_policy *)self)->helpers.threshold);
    return 0;
}

static void dealloc(PyObject *object)
{
    py_policy *const self = (py_policy *)object;
    PyObject_GC_UnTrack(object);
    lgkt_policy_destroy(self->policy);
    py_helpers_release(&self->helpers);
    Py_CLEAR(self->recipe);
    Py_CLEAR(self->model);
    py_object_free(object);
}

#define KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"actions", actions, METH_O,
     "actions($self, h, /)\n--\n\nWhat is played with h steps to go: (S, A) of bool. Where there "
     "are several, all alike."},
    {"action", action, METH_O,
     "action($self, h, /)\n--\n\nThe one action played with h steps to go in each state, or the "
     "lowest of several: (S)."},
    {"table", table, METH_NOARGS,
     "table($self)\n--\n\nWhat is played at all times: (T, S, A) of bool. Row t is that of "
     "`actions(T - t)`."},
    {"value", value, METH_NOARGS,
     "value($self)\n--\n\nThe expected total reward of the whole horizon from each state: (S)."},
    {"ratio", ratio, METH_NOARGS,
     "ratio($self)\n--\n\nThe share of the optimal value that the policy reaches from the start of "
     "the model;\nNaN if the optimum is 0."},
    {"gain", KEYWORDS(policy_gain),
     "gain($self, tolerance=1e-12)\n--\n\nThe long-run reward per step and the bias (S) of what is "
     "played with the whole horizon\nto go, taken as a stationary policy."},
    {"laws", KEYWORDS(laws),
     "laws($self, start=None, times=None)\n--\n\nThe law of the state at each of `times` (0 is the "
     "start; all where it is None): (times, S).\n`start` is a state or a law; None is that of the "
     "model."},
    {"rewards", KEYWORDS(rewards),
     "rewards($self, start=None)\n--\n\nThe expected reward of each step: (T). They sum to the "
     "value."},
    {"costs", KEYWORDS(costs),
     "costs($self, k, threshold, start=None)\n--\n\nThe expected cost of each step, see "
     "`lgkt.plan.cost`: (T)."},
    {"cost", KEYWORDS(policy_cost),
     "cost($self, k, threshold, start=None)\n--\n\nThe expected total cost, exactly."},
    {"gap_bound", gap_bound, METH_O,
     "gap_bound($self, k, /)\n--\n\nThe bound of theorem 3.5 for a K-step policy:\n"
     "sum over h from K+1 to T of max_x |P_pi(x) - P_best(x)|_1 max_x V_{h-1}(x)."},
    {"gap_distance", gap_distance, METH_O,
     "gap_distance($self, k, /)\n--\n\nThe sum of `gap_bound` without its last factor."},
    {"__reduce__", reduce, METH_NOARGS, "__reduce__($self)\n--\n\nFor pickle and copy."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"horizon", get_horizon, NULL, "The number of steps T.", NULL},
    {"model", get_model, NULL, "The model it was made of.", NULL},
    {"kind", get_kind, NULL, "optimal, greedy, thresholding, uniform or fixed.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Policy(kind, model, horizon, k=1, ties='low', threshold=None, actions=None)\n--\n\n"
     "A policy of a known model: with h steps to go in a state it plays uniformly among a set of\n"
     "actions. Made by `optimal`, `greedy`, `thresholding`, `uniform` and `fixed` of lgkt.plan; "
     "it\n"
     "never changes.\n\n"
     ">>> import lgkt\n"
     ">>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, "
     "1]])\n"
     ">>> best = lgkt.plan.optimal(model, horizon=100)\n"
     ">>> best.action(100).tolist(), best.action(1).tolist()\n"
     "([1, 1], [0, 1])\n"
     ">>> best.ratio()\n"
     "1.0\n"},
    {Py_tp_new, create},
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_repr, represent},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lgkt.plan.Policy",
    .basicsize = sizeof(py_policy),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

// ---- without a policy ----

static PyObject *lookahead(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"model", "k", NULL};
    PyObject *model, *depth;
    const lgkt_mdp *mdp;
    int64_t k;
    py_array q;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO:lookahead", names, &model, &depth) ||
        !take_model(model, &mdp) || !py_int64(depth, "k", &k))
        return NULL;
    const Py_ssize_t shape[] = {lgkt_mdp_states(mdp), lgkt_mdp_actions(mdp)};
    if (!py_array_make("f8", 2, shape, &q))
        return NULL;
    work w;
    begin(&w, NULL, NULL);
    w.status = lgkt_plan_lookahead(mdp, k, NULL, q.data, &w.error);
    if (end(&w))
        return py_array_take(&q);
    py_array_release(&q);
    return NULL;
}

static PyObject *gain(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"model", "tolerance", NULL};
    PyObject *model, *tolerance = NULL;
    const lgkt_mdp *mdp;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O:gain", names, &model, &tolerance) ||
        !take_model(model, &mdp))
        return NULL;
    return find_gain(NULL, mdp, tolerance);
}

static PyObject *dominance(PyObject *module, PyObject *model)
{
    (void)module;
    const lgkt_mdp *mdp;
    lgkt_error why = {0};
    if (!take_model(model, &mdp))
        return NULL;
    const bool holds = lgkt_plan_two_state_dominance(mdp, &why);
    return Py_BuildValue("Ns", py_new_bool(holds), holds ? "" : why.text);
}

// a number of the run is in range, or the exception names it
static bool in_range(const char *name, const py_array *array, int32_t limit)
{
    const int32_t *const numbers = array->data;
    for (Py_ssize_t i = 0; i < array->shape[0]; i++)
        if (numbers[i] < 0 || numbers[i] >= limit) {
            char text[96];
            snprintf(text, sizeof text, "%s[%zd] is %d; allowed are 0 to %d", name, i, numbers[i],
                     limit - 1);
            return py_fail(LGKT_ERR_ARGUMENT, text) != NULL;
        }
    return true;
}

// what the steps of a run cost or, without a threshold, earn on average
static PyObject *played(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *model, *seen, *done, *depth = NULL, *threshold = NULL, *steps = NULL;
    const lgkt_mdp *mdp;
    if (!PyArg_ParseTuple(arguments, "OOO|OOO:played", &model, &seen, &done, &depth, &threshold,
                          &steps) ||
        !take_model(model, &mdp))
        return NULL;
    py_array states = {0}, actions_ = {0}, out = {0};
    py_helpers helpers = {0};
    lgkt_cost *cost = NULL;
    bool good = py_array_read(seen, "states", "i4", 1, &states) &&
                py_array_read(done, "actions", "i4", 1, &actions_) &&
                in_range("states", &states, lgkt_mdp_states(mdp)) &&
                in_range("actions", &actions_, lgkt_mdp_actions(mdp));
    const Py_ssize_t length = states.shape[0];
    int64_t horizon = length;
    char text[96];
    if (good && actions_.shape[0] != length) {
        snprintf(text, sizeof text, "there are %zd states and %zd actions", length,
                 actions_.shape[0]);
        good = py_fail(LGKT_ERR_SHAPE, text) != NULL;
    }
    if (good && steps != NULL && steps != Py_None)
        good = py_int64(steps, "horizon", &horizon);
    if (good && length > horizon) {
        snprintf(text, sizeof text, "there are %zd steps and a horizon of %lld", length,
                 (long long)horizon);
        good = py_fail(LGKT_ERR_SHAPE, text) != NULL;
    }
    const bool charged =
        (depth != NULL && depth != Py_None) || (threshold != NULL && threshold != Py_None);
    if (good && charged)
        good = make_cost(mdp, depth, threshold, horizon, &helpers, &cost);
    good = good && py_array_make("f8", 1, &length, &out);
    work w;
    if (good) {
        begin(&w, NULL, &helpers);
        const int32_t *s = states.data, *a = actions_.data;
        for (Py_ssize_t t = 0; t < length; t++)
            ((double *)out.data)[t] =
                cost != NULL ? lgkt_cost_at(cost, t, s[t], a[t]) : lgkt_mdp_reward(mdp, s[t], a[t]);
        good = end(&w);
    }
    lgkt_cost_destroy(cost);
    py_helpers_release(&helpers);
    py_array_release(&states);
    py_array_release(&actions_);
    if (good)
        return py_array_take(&out);
    py_array_release(&out);
    return NULL;
}

static PyMethodDef functions[] = {
    {"lookahead", KEYWORDS(lookahead), "lookahead($module, model, k)\n--\n\nQ_k: (S, A)."},
    {"gain", KEYWORDS(gain),
     "gain($module, model, tolerance=1e-12)\n--\n\nThe optimal gain and bias (S)."},
    {"two_state_dominance", dominance, METH_O,
     "two_state_dominance($module, model, /)\n--\n\nWhether it holds, and why not."},
    {"played", played, METH_VARARGS,
     "played($module, model, states, actions, k=None, threshold=None, horizon=None, /)\n--\n\n"
     "What the steps of a run cost or, without k, earn on average: (steps)."},
    {NULL, NULL, 0, NULL},
};

bool py_add_plan(PyObject *module)
{
    return py_add_type(module, "Policy", &spec, &py_policy_type) &&
           PyModule_AddFunctions(module, functions) == 0;
}
