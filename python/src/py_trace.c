// SPDX-License-Identifier: MIT
// The loop of lgkt.trace: a learner on a model, with every random number taken from a tape
// (experiments/runner/play.h).
#include <inttypes.h>
#include <math.h>

#include "experiments/runner/play.h"
#include "py_core.h"

// a row of the array is a row of a tape
_Static_assert(sizeof(io_tape_row) == 4 * sizeof(double), "four numbers");

// whether a learner can play the tape on a model; if not, why
static bool fits(const io_tape *tape, const lgkt_mdp *mdp, const lgkt_learner *learner, char *text,
                 size_t size)
{
    static const char *const names[] = {"u_next", "z_reward", "u_reward", "u_coin"};
    const lgkt_problem problem = lgkt_learner_problem(learner);
    if (tape->count == 0) {
        snprintf(text, size, "the tape has no rows");
        return false;
    }
    for (int64_t t = 0; t < tape->count; t++) {
        const io_tape_row *row = &tape->rows[t];
        const double numbers[] = {row->u_next, row->z_reward, row->u_reward, row->u_coin};
        for (int i = 0; i < 4; i++) {
            const bool uniform = names[i][0] == 'u';
            if (uniform ? numbers[i] >= 0.0 && numbers[i] < 1.0 : isfinite(numbers[i]))
                continue;
            snprintf(text, size, "tape: row %" PRId64 ": %s is %g; it must be %s", t, names[i],
                     numbers[i], uniform ? "in [0, 1)" : "finite");
            return false;
        }
    }
    if (lgkt_mdp_start(mdp) < 0)
        snprintf(text, size, "a tape needs a fixed start state, not a list of probabilities");
    else if (problem.states != lgkt_mdp_states(mdp) || problem.actions != lgkt_mdp_actions(mdp))
        snprintf(text, size, "the learner has %d states and %d actions, the model %d and %d",
                 problem.states, problem.actions, lgkt_mdp_states(mdp), lgkt_mdp_actions(mdp));
    else if (problem.horizon < tape->count)
        snprintf(text, size,
                 "horizon is %" PRId64 "; it must be at least the %" PRId64 " rows of the tape",
                 problem.horizon, tape->count);
    else if (lgkt_learner_time(learner) > tape->count)
        snprintf(text, size, "the learner is at step %" PRId64 "; the tape has %" PRId64 " rows",
                 lgkt_learner_time(learner), tape->count);
    else
        return true;
    return false;
}

// plays the rows that the learner has not played yet into columns t, state, action, reward,
// next_state and, where that is there, reasons; ends early when one of the learner's functions has
// raised
static lgkt_status play(const lgkt_mdp *mdp, const io_tape *tape, const py_learner *self,
                        const py_array columns[6], lgkt_error *error)
{
    lgkt_learner *learner = self->by_number;
    const int32_t expected = lgkt_learner_next_state(learner);
    exp_tape_step step = {.next_state = expected >= 0 ? expected : lgkt_mdp_start(mdp)};
    lgkt_status status = LGKT_OK;
    int64_t i = 0;
    for (int64_t t = lgkt_learner_time(learner);
         t < tape->count && status == LGKT_OK && !self->helpers.failed; t++, i++) {
        double *reasons = columns[5].data;
        if (reasons != NULL)
            status = lgkt_learner_explain(
                learner, step.next_state, lgkt_mdp_mask(mdp, step.next_state),
                (void *)(reasons + i * self->actions * PY_REASON_FIELDS), PY_REASON_BYTES, error);
        if (status == LGKT_OK)
            status = exp_tape_play(mdp, &tape->rows[t], learner, &step, error);
        ((int64_t *)columns[0].data)[i] = step.t;
        ((int32_t *)columns[1].data)[i] = step.state;
        ((int32_t *)columns[2].data)[i] = step.action;
        ((double *)columns[3].data)[i] = step.reward;
        ((int32_t *)columns[4].data)[i] = step.next_state;
    }
    return status;
}

static PyObject *trace(PyObject *module, PyObject *arguments)
{
    (void)module;
    enum { COLUMNS = 6 };
    static const char *const types[COLUMNS] = {"i8", "i4", "i4", "f8", "i4", "f8"};
    PyObject *model, *rows, *object;
    int explain = 0;
    if (!PyArg_ParseTuple(arguments, "O!OO!|p:trace", py_model_type, &model, &rows, py_learner_type,
                          &object, &explain))
        return NULL;
    const int shown = explain ? COLUMNS : COLUMNS - 1;
    const lgkt_mdp *mdp = ((py_model *)model)->mdp;
    py_learner *learner = (py_learner *)object;
    py_array numbers, columns[COLUMNS] = {{0}};
    char text[160] = "tape must have the four columns u_next, z_reward, u_reward, u_coin";
    if (!py_array_read(rows, "tape", "f8", 2, &numbers))
        return NULL;
    const io_tape tape = {.rows = numbers.data, .count = numbers.shape[0]};
    PyObject *result = NULL;
    py_call call;
    if (py_call_begin(&call, learner, false)) { // the interpreter is kept for now
        bool good = true;
        if (numbers.shape[1] != 4 || !fits(&tape, mdp, learner->learner, text, sizeof text))
            good = py_fail(LGKT_ERR_ARGUMENT, text) != NULL;
        const Py_ssize_t length = tape.count - lgkt_learner_time(learner->learner);
        const Py_ssize_t shape[] = {length, learner->actions, PY_REASON_FIELDS};
        for (int c = 0; c < shown && good; c++)
            good = py_array_make(types[c], c < COLUMNS - 1 ? 1 : 3, shape, &columns[c]);
        if (good) {
            lgkt_error error = {0};
            call.released = learner->helpers.calls ? NULL : PyEval_SaveThread();
            const lgkt_status status = play(mdp, &tape, learner, columns, &error);
            good = py_call_end(&call, status, error.text);
        } else
            py_leave(&learner->gate);
        if (good) {
            result = PyTuple_New(shown);
            for (int c = 0; c < shown && result != NULL; c++)
                PyTuple_SetItem(result, c, py_array_take(&columns[c]));
        }
    }
    for (int c = 0; c < COLUMNS; c++)
        py_array_release(&columns[c]);
    py_array_release(&numbers);
    return result;
}

static PyMethodDef functions[] = {
    {"trace", trace, METH_VARARGS,
     "trace($module, model, tape, learner, explain=False, /)\n--\n\n"
     "Play the rows of a tape (n, 4) that a learner has not played yet: arrays t, state, action,\n"
     "reward, next_state, and reasons (n, A, 7) if asked for."},
    {NULL, NULL, 0, NULL},
};

bool py_add_trace(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) == 0;
}
