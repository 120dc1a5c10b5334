// SPDX-License-Identifier: MIT
// What the files of the extension share: objects, errors, conversion.
//
// The extension checks arguments, converts them and calls the library; it decides nothing. A
// function that fails sets a Python exception and returns NULL or false. Messages are those of the
// library; exceptions are made in lgkt/_errors.py.
//
// An object is used by one thread at a time: a call begins with py_enter, which fails if another
// thread, or a callback of the same call, is within the object. Where the object says so
// (`when_busy`) it waits for the other thread instead; what an object points to is read behind
// py_enter, since it may change while one waits.
#ifndef PY_CORE_H
#define PY_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdatomic.h>
#include <stdio.h>

#include "lgkt/env.h"
#include "lgkt/keyed.h"
#include "lgkt/learner.h"
#include "lgkt/mdp.h"
#include "lgkt/plan.h"
#include "lgkt/units.h"

// ---- errors ----

// Sets the exception for a status and returns NULL.
PyObject *py_fail(lgkt_status status, const char *text);
static inline PyObject *py_fail_error(const lgkt_error *error)
{
    return py_fail(error->status, error->text);
}

// ---- numbers; `name` is what messages call the argument ----

bool py_int32(PyObject *object, const char *name, int32_t *value);
bool py_int64(PyObject *object, const char *name, int64_t *value);
bool py_uint64(PyObject *object, const char *name, uint64_t *value);
bool py_real(PyObject *object, const char *name, double *value);
// None is NaN: not known.
bool py_real_or_none(PyObject *object, const char *name, double *value);
// NULL and the two constants need no call
static inline bool py_bool(PyObject *object, bool *value)
{
    const int truth = object == NULL || object == Py_False ? 0
                      : object == Py_True                  ? 1
                                                           : PyObject_IsTrue(object);
    *value = truth > 0;
    return truth >= 0;
}
// the constants cost no call either
static inline PyObject *py_new_bool(bool value)
{
    return Py_NewRef(value ? Py_True : Py_False);
}

// The arguments of a METH_FASTCALL function in the order of `names`, which ends with NULL; those
// that were not given are NULL, and the first `required` must be.
bool py_arguments(const char *function, const char *const *names, int required,
                  PyObject *const *given, Py_ssize_t count, PyObject *keywords, PyObject **values);

// ---- arrays ----

#define PY_MAX_DIMENSIONS 3

// A view of a NumPy array, contiguous in C order; {0} is an empty one.
typedef struct py_array {
    PyObject *object;
    Py_buffer view;
    void *data;
    Py_ssize_t shape[PY_MAX_DIMENSIONS];
    int dimensions;
} py_array;

// Reads anything that NumPy makes an array of: the numbers as `dtype` ("f8", "i4", "i8", "u1" or
// "?"), with `dimensions` dimensions. Floats are no whole numbers. Copies only where it must.
bool py_array_read(PyObject *object, const char *name, const char *dtype, int dimensions,
                   py_array *array);
// A new array of that shape, for writing.
bool py_array_make(const char *dtype, int dimensions, const Py_ssize_t *shape, py_array *array);
// The caller's own array, which must already be contiguous, writable and of that type and length.
bool py_array_write(PyObject *object, const char *name, const char *dtype, Py_ssize_t length,
                    py_array *array);
// Gives up the view; accepts an empty one.
void py_array_release(py_array *array);
// Which of so many actions are allowed, as bytes; NULL and None leave `mask` empty, with data NULL.
// Release in any case.
bool py_mask_read(PyObject *object, int32_t actions, py_array *mask);
// Such bytes, 1 and 0, as an array of bools; None for NULL.
PyObject *py_mask_new(const uint8_t *allowed, int32_t actions);
// The array as a result: gives up the view, hands the object over.
PyObject *py_array_take(py_array *array);

// Bytes that the library writes in two calls, as it does: size first.
typedef lgkt_status (*py_save_fn)(const void *handle, void *buffer, size_t capacity, size_t *size);
PyObject *py_saved(py_save_fn save, const void *handle);

// ---- one thread at a time ----

typedef struct py_gate {
    atomic_bool busy;
    atomic_bool waits;       // who finds it busy waits; changed from within only
    atomic_int waiting;      // threads that wait
    atomic_uintptr_t inside; // the thread that is within, if `waits`
} py_gate;

// Enters if nobody is within.
static inline bool py_try(py_gate *gate)
{
    return !atomic_exchange_explicit(&gate->busy, true, memory_order_acquire);
}
// What one does who was not let in by py_try: waits, or fails. `what` is what messages call the
// object.
bool py_enter_busy(py_gate *gate, const char *what);
void py_enter_noted(py_gate *gate);
void py_leave_waking(py_gate *gate);
static inline bool py_enter(py_gate *gate, const char *what)
{
    if (!py_try(gate) && !py_enter_busy(gate, what))
        return false;
    if (atomic_load_explicit(&gate->waits, memory_order_relaxed))
        py_enter_noted(gate);
    return true;
}
static inline void py_leave(py_gate *gate)
{
    if (atomic_load_explicit(&gate->waits, memory_order_relaxed))
        py_leave_waking(gate);
    else
        atomic_store_explicit(&gate->busy, false, memory_order_release);
}
// The attribute `when_busy`: "refuse" or "wait".
PyObject *py_gate_get(const py_gate *gate);
int py_gate_set(py_gate *gate, PyObject *value, const char *what);

// ---- objects ----

// A new, empty object of a type, or NULL; `type` may be a subclass.
PyObject *py_object_new(PyTypeObject *type);
// Frees the object itself at the end of tp_dealloc, and gives up its type.
void py_object_free(PyObject *self);

typedef struct py_model {
    PyObject_HEAD const lgkt_mdp *mdp;
} py_model;

typedef struct py_env {
    PyObject_HEAD lgkt_env *env;
    PyObject *spec;          // str
    PyObject *data;          // py_model, or a read-only array of its own; NULL: none
    uint64_t seed, instance; // of the instance, and of the noise unless said otherwise
} py_env;

typedef struct py_trajectory {
    PyObject_HEAD lgkt_trajectory *trajectory;
    PyObject *env;      // py_env, which must outlive it
    double mean_reward; // of the last step; NaN before the first
    int64_t horizon;
    int32_t actions;
    py_gate gate;
} py_trajectory;

// What Python supplies to a learner besides its config.
typedef struct py_helpers {
    PyObject *threshold; // as given, an array copied, or NULL
    PyObject *coin;      // as given, an array copied, or NULL
    PyObject *model;     // py_model, or NULL
    py_array table;      // thresholds (steps, S)
    py_array coins;      // (T)
    double constant;     // threshold
    bool calls;          // one of the two is a callable: the interpreter is needed while acting
    bool failed;         // one of them raised
} py_helpers;

// A learner on numbers (lgkt.Learner), on keys (lgkt.KeyedLearner), or of many units (lgkt.Units):
// one of the first three is set.
typedef struct py_learner {
    PyObject_HEAD lgkt_learner *by_number;
    lgkt_keyed *by_key;
    lgkt_units *by_unit;
    const lgkt_learner *learner; // of any, for looking
    const lgkt_keyed *keys;      // the same; NULL: states are numbers
    int32_t actions;
    int32_t dims; // numbers of a state that is seen coarsely, else 0
    py_helpers helpers;
    bool large; // calls take long enough to let other threads run
    py_gate gate;
} py_learner;

extern PyTypeObject *py_model_type, *py_env_type, *py_trajectory_type, *py_policy_type,
    *py_any_learner_type, *py_learner_type, *py_keyed_type, *py_units_type;

// The Python object of a model, of which it becomes one more owner.
PyObject *py_model_wrap(const lgkt_mdp *mdp);
// The model of a py_model, or NULL for None; false for another object.
bool py_model_of(PyObject *object, const char *name, const lgkt_mdp **mdp);

// A run in a py_env; None for seed and instance is those of the environment.
PyObject *py_trajectory_start(PyTypeObject *type, PyObject *env, PyObject *horizon, PyObject *seed,
                              PyObject *instance);

// The state that a run is to act in: its number, or the record that it is as an array of its own.
PyObject *py_state_of(const lgkt_env *env, const lgkt_trajectory *run);

// Takes thresholds, coin and model as Python has them into a config. Release in any case.
bool py_helpers_take(py_helpers *helpers, PyObject *threshold, PyObject *coin, PyObject *model,
                     lgkt_learner_config *config);
// Whether arrays have a threshold for every state and a coin for every step.
bool py_helpers_fit(const py_helpers *helpers, int32_t states, int64_t horizon);
void py_helpers_release(py_helpers *helpers);
// Whether their learner can go on: not after one of them raised.
bool py_helpers_usable(const py_helpers *helpers);
// Thresholds alone, for planning: borrowed from the helpers.
bool py_threshold_take(py_helpers *helpers, PyObject *threshold, lgkt_threshold *out);

// Gives up what may hold the learner itself, as tp_clear does.
void py_helpers_clear(py_helpers *helpers);
int py_helpers_visit(const py_helpers *helpers, visitproc visit, void *arg);

// ---- what all kinds of learners share: py_any_learner.c ----

// actions, horizon, masked, seed, instance, reward_min, reward_max, reward_sd; all but two may be
// NULL
#define PY_CONFIG_SIZE 8
bool py_config_take(PyObject *const given[PY_CONFIG_SIZE], lgkt_learner_config *config);
// A new one with what Python supplies (py_helpers_take), not made yet; NULL with an exception.
py_learner *py_learner_new(PyTypeObject *type, PyObject *threshold, PyObject *coin, PyObject *model,
                           lgkt_learner_config *config);
// What it refused last, in words.
const char *py_learner_message(const py_learner *self);
// The end of making one: `status` is what the library said.
PyObject *py_learner_made(py_learner *self, lgkt_status status, const lgkt_error *error);
// Makes one from the bytes in `data`, by what its kind loads it with.
typedef lgkt_status (*py_load_fn)(const Py_buffer *data, const lgkt_learner_config *config,
                                  py_learner *self, lgkt_error *error);
// The method `load` of all kinds. Those that cannot know a model have no argument for it.
PyObject *py_learner_load(PyObject *type, PyObject *arguments, PyObject *keywords, bool knows_model,
                          py_load_fn load);
// Moves the end of the run, and that of each unit (0: as it was).
bool py_learner_retime(py_learner *self, int64_t horizon, int64_t unit_horizon);
int py_learner_traverse(PyObject *self, visitproc visit, void *arg);
int py_learner_clear(PyObject *self);
void py_learner_dealloc(PyObject *self);

// A call into a learner: `begin` fails where it may not be used now, and lets other threads run
// while the call lasts if `release` says so and no function of Python's is asked meanwhile; `end`
// is false, with an exception, if the call failed. `text` is the learner's message on that.
typedef struct py_call {
    py_learner *self;
    PyThreadState *released;
} py_call;

bool py_call_refused(py_call *call);
static inline bool py_call_begin(py_call *call, py_learner *self, bool release)
{
    call->self = self;
    if (!py_enter(&self->gate, "learner") || (self->helpers.failed && !py_call_refused(call)))
        return false;
    call->released = release && !self->helpers.calls ? PyEval_SaveThread() : NULL;
    return true;
}
static inline bool py_call_end(py_call *call, lgkt_status status, const char *text)
{
    if (call->released != NULL)
        PyEval_RestoreThread(call->released);
    const bool good = status == LGKT_OK && !call->self->helpers.failed;
    if (!good)
        py_fail(status, text);
    py_leave(&call->self->gate);
    return good;
}

// ---- goes on elsewhere: py_learner.c ----

// The method `jump` of learners, by number or by key.
PyObject *py_jump(PyObject *object, PyObject *unused);

// ---- why: py_explain.c ----

// A row of a table of doubles is what the library says of an action, without the parts of a value.
#define PY_REASON_BYTES offsetof(lgkt_reason, linear_part)
enum { PY_REASON_FIELDS = PY_REASON_BYTES / sizeof(double) };

// What a learner would do in a state, as an array with fields.
PyObject *py_explain(py_learner *self, int32_t state, PyObject *allowed);
// The same of a unit.
PyObject *py_explain_unit(py_learner *self, uint64_t unit, int32_t state, PyObject *allowed);
// The same for all states, and the policy: methods of every learner.
PyObject *py_explain_all(PyObject *self, PyObject *unused);
PyObject *py_frozen_policy(PyObject *self, PyObject *unused);
// The same on records, many at a time, and what they are made of.
PyObject *py_records_policy(PyObject *self, PyObject *records);
PyObject *py_records_reasons(PyObject *self, PyObject *records);
PyObject *py_records_sides(PyObject *self, PyObject *record);
PyObject *py_records_kinds(PyObject *self, PyObject *unused);
PyObject *py_records_name(PyObject *self, PyObject *arguments);
PyObject *py_records_category(PyObject *self, PyObject *arguments);

// From so many pairs on, a call lets other threads run. Giving the interpreter up and getting it
// back costs 30 ns where nobody waits, and brings nothing where a step takes few microseconds. Two
// threads with a learner each (Python 3.11, 2 cores): psrl on 1000 x 2, 100 us a step, 1.5 times as
// fast as one after the other; on 30 x 10, 16 us a step, 1.2 times; auto on 100 x 25, 2 us a step,
// 1.0 times.
static inline bool py_is_large(const lgkt_learner *learner)
{
    const lgkt_problem problem = lgkt_learner_problem(learner);
    return (int64_t)problem.states * problem.actions >= 256;
}

// Each file adds its types and functions to the module.
bool py_add_model(PyObject *module);
bool py_add_any_learner(PyObject *module);
bool py_add_learner(PyObject *module);
bool py_add_registry(PyObject *module);
bool py_add_plan(PyObject *module);
bool py_add_policy(PyObject *module);
bool py_add_env(PyObject *module);
bool py_add_trajectory(PyObject *module);
bool py_add_keyed(PyObject *module);
bool py_add_units(PyObject *module);
bool py_add_run(PyObject *module);
bool py_add_reproduce(PyObject *module);
bool py_add_replay(PyObject *module);
bool py_add_trace(PyObject *module);
bool py_add_document(PyObject *module);
// `base` may be NULL: object.
bool py_add_type(PyObject *module, const char *name, PyType_Spec *spec, PyTypeObject *base,
                 PyTypeObject **type);

#endif
