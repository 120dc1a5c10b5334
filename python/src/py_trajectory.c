// SPDX-License-Identifier: MIT
// lgkt.Trajectory: one run through an environment (lgkt/env.h), step by step, by a learner to its
// end, or many at a time.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "experiments/runner/play.h"
#include "py_keys.h"

#include <structmember.h>

// a run by a learner looks at the clock after so many steps, and at signals after so many seconds
#define PLAY_STEPS   64
#define PLAY_SECONDS 0.05

PyTypeObject *py_trajectory_type;

static py_trajectory *of(PyObject *self)
{
    return (py_trajectory *)self;
}

// ---- making ----

static PyObject *wrap(PyTypeObject *type, PyObject *env, lgkt_trajectory *trajectory,
                      int64_t horizon)
{
    py_trajectory *self = (py_trajectory *)py_object_new(type);
    if (self == NULL) {
        lgkt_trajectory_destroy(trajectory);
        return NULL;
    }
    self->trajectory = trajectory;
    self->env = Py_NewRef(env);
    self->horizon = horizon;
    self->actions = lgkt_env_problem(((py_env *)env)->env, horizon).actions;
    self->mean_reward = NAN;
    return (PyObject *)self;
}

PyObject *py_trajectory_start(PyTypeObject *type, PyObject *env, PyObject *horizon, PyObject *seed,
                              PyObject *instance)
{
    const py_env *world = (const py_env *)env;
    uint64_t numbers[2] = {world->seed, world->instance};
    int64_t steps;
    lgkt_trajectory *made = NULL;
    lgkt_error error = {0};
    if (!py_int64(horizon, "horizon", &steps) ||
        (seed != Py_None && !py_uint64(seed, "seed", &numbers[0])) ||
        (instance != Py_None && !py_uint64(instance, "instance", &numbers[1])))
        return NULL;
    if (lgkt_trajectory_create(world->env, steps, numbers[0], numbers[1], NULL, &made, &error) !=
        LGKT_OK)
        return py_fail_error(&error);
    return wrap(type, env, made, steps);
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"env", "horizon", "seed", "instance", NULL};
    PyObject *env, *horizon, *seed = Py_None, *instance = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O|$OO:Trajectory", names, py_env_type,
                                     &env, &horizon, &seed, &instance))
        return NULL;
    return py_trajectory_start(type, env, horizon, seed, instance);
}

static PyObject *load(PyObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"env", "data", NULL};
    PyObject *env;
    Py_buffer data;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!y*:load", names, py_env_type, &env,
                                     &data))
        return NULL;
    lgkt_trajectory *made = NULL;
    lgkt_error error = {0};
    const lgkt_status status =
        lgkt_trajectory_load(((py_env *)env)->env, data.buf, (size_t)data.len, NULL, &made, &error);
    PyBuffer_Release(&data);
    return status == LGKT_OK ? wrap((PyTypeObject *)type, env, made, lgkt_trajectory_horizon(made))
                             : py_fail_error(&error);
}

static lgkt_status save_bytes(const void *handle, void *buffer, size_t capacity, size_t *size)
{
    return lgkt_trajectory_save(handle, buffer, capacity, size, NULL);
}

static PyObject *save(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (!py_enter(&of(self)->gate, "trajectory"))
        return NULL;
    PyObject *bytes = py_saved(save_bytes, of(self)->trajectory);
    py_leave(&of(self)->gate);
    return bytes;
}

// its environment is pickled beside it, and once for all runs that share it
static PyObject *reduce(PyObject *self, PyObject *unused)
{
    PyObject *bytes = save(self, unused);
    PyObject *again =
        bytes != NULL ? PyObject_GetAttrString((PyObject *)Py_TYPE(self), "load") : NULL;
    PyObject *state = NULL, *result = NULL;
    if (again != NULL && PyObject_HasAttrString(self, "__dict__"))
        state = PyObject_GetAttrString(self, "__dict__");
    if (again != NULL && !PyErr_Occurred())
        result =
            Py_BuildValue("O(OO)O", again, of(self)->env, bytes, state != NULL ? state : Py_None);
    Py_XDECREF(state);
    Py_XDECREF(again);
    Py_XDECREF(bytes);
    return result;
}

// ---- one step ----

PyObject *py_state_of(const lgkt_env *env, const lgkt_trajectory *run)
{
    const lgkt_view *record = lgkt_env_record(env);
    if (record == NULL)
        return PyLong_FromLong(lgkt_trajectory_state(run));
    size_t size;
    const void *numbers = lgkt_trajectory_observation(run, &size);
    const Py_ssize_t shape[1] = {record->dims};
    py_array made = {0};
    if (!py_array_make("f8", 1, shape, &made))
        return NULL;
    memcpy(made.data, numbers, size);
    PyObject *array = Py_NewRef(made.object);
    py_array_release(&made);
    return array;
}

static PyObject *show_state(const py_trajectory *self)
{
    return py_state_of(((const py_env *)self->env)->env, self->trajectory);
}

static PyObject *step(PyObject *object, PyObject *argument)
{
    py_trajectory *self = of(object);
    int32_t action;
    lgkt_step taken;
    if (!py_int32(argument, "action", &action) || !py_enter(&self->gate, "trajectory"))
        return NULL;
    const lgkt_status status = lgkt_trajectory_step(self->trajectory, action, &taken);
    if (status == LGKT_OK)
        self->mean_reward = taken.mean_reward;
    else
        py_fail(status, lgkt_trajectory_message(self->trajectory));
    PyObject *state = status == LGKT_OK ? show_state(self) : NULL;
    py_leave(&self->gate);
    if (status != LGKT_OK)
        return NULL;
    PyObject *reward = PyFloat_FromDouble(taken.reward);
    PyObject *result = reward != NULL && state != NULL
                           ? PyTuple_Pack(3, reward, state, taken.ended ? Py_True : Py_False)
                           : NULL;
    Py_XDECREF(reward);
    Py_XDECREF(state);
    return result;
}

// ---- many at a time ----

// what would be refused is refused before anything is stepped
static bool enter_all(PyObject *all, const int64_t *actions, Py_ssize_t count, Py_ssize_t *entered)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PyTuple_GetItem(all, i);
        if (!PyObject_TypeCheck(item, py_trajectory_type)) {
            PyErr_Format(PyExc_TypeError, "trajectories[%zd] must be a Trajectory", i);
            return false;
        }
        py_trajectory *self = of(item);
        if (!py_try(&self->gate)) {
            char text[96];
            snprintf(text, sizeof text,
                     "trajectories[%zd] is in use by another thread, or is there twice", i);
            return py_fail(LGKT_ERR_PROTOCOL, text) != NULL;
        }
        *entered = i + 1;
        const uint8_t *mask =
            lgkt_env_allowed(((py_env *)self->env)->env, lgkt_trajectory_state(self->trajectory));
        if (lgkt_trajectory_time(self->trajectory) < self->horizon && actions[i] >= 0 &&
            actions[i] < self->actions && (mask == NULL || mask[actions[i]]))
            continue;
        // the library says why; all it does not take are alike, and some fit no int32_t
        const int64_t action = actions[i] < -1 ? -1 : actions[i];
        lgkt_step unused;
        char text[320];
        const lgkt_status status = lgkt_trajectory_step(
            self->trajectory, action > INT32_MAX ? INT32_MAX : (int32_t)action, &unused);
        snprintf(text, sizeof text, "trajectories[%zd]: %s", i,
                 lgkt_trajectory_message(self->trajectory));
        py_fail(status, text);
        return false;
    }
    return true;
}

static PyObject *step_all(PyObject *module, PyObject *const *arguments, Py_ssize_t given,
                          PyObject *keywords)
{
    static const char *const names[] = {"trajectories", "actions", "states", "rewards",
                                        "ended",        "means",   NULL};
    (void)module;
    PyObject *v[6];
    if (!py_arguments("step_all", names, 5, arguments, given, keywords, v))
        return NULL;
    if (!PyList_Check(v[0]) && !PyTuple_Check(v[0])) {
        PyErr_SetString(PyExc_TypeError, "trajectories must be a list or a tuple");
        return NULL;
    }
    // a tuple of its own: another thread may change the list
    PyObject *all = PySequence_Tuple(v[0]);
    if (all == NULL)
        return NULL;
    const Py_ssize_t count = PyTuple_Size(all);
    Py_ssize_t entered = 0;
    py_array actions = {0}, states = {0}, rewards = {0}, ended = {0}, means = {0};
    bool good =
        py_array_read(v[1], "actions", "i8", 1, &actions) &&
        py_array_write(v[2], "states", "i8", count, &states) &&
        py_array_write(v[3], "rewards", "f8", count, &rewards) &&
        py_array_write(v[4], "ended", "?", count, &ended) &&
        (v[5] == NULL || v[5] == Py_None || py_array_write(v[5], "means", "f8", count, &means));
    if (good && actions.shape[0] != count) {
        py_fail(LGKT_ERR_SHAPE, "actions: one for each trajectory");
        good = false;
    }
    good = good && enter_all(all, actions.data, count, &entered);
    for (Py_ssize_t i = 0; i < count && good; i++) {
        py_trajectory *self = of(PyTuple_GetItem(all, i));
        lgkt_step taken = {0};
        lgkt_trajectory_step(self->trajectory, (int32_t)((const int64_t *)actions.data)[i], &taken);
        self->mean_reward = taken.mean_reward;
        ((int64_t *)states.data)[i] = taken.state;
        ((double *)rewards.data)[i] = taken.reward;
        ((bool *)ended.data)[i] = taken.ended;
        if (means.data != NULL)
            ((double *)means.data)[i] = taken.mean_reward;
    }
    for (Py_ssize_t i = 0; i < entered; i++)
        py_leave(&of(PyTuple_GetItem(all, i))->gate);
    py_array_release(&actions);
    py_array_release(&states);
    py_array_release(&rewards);
    py_array_release(&ended);
    py_array_release(&means);
    Py_DECREF(all);
    return good ? Py_NewRef(Py_None) : NULL;
}

// ---- by a learner ----

typedef struct game {
    py_trajectory *run;
    py_learner *player;
    lgkt_learner *by_number; // of the player, as the next
    lgkt_keyed *by_key;
    const lgkt_env *restricted; // the world, if it forbids actions; else NULL
    py_key key;                 // of the bytes observed, which are its end; empty where none are
    size_t observed;
    int32_t numbers;           // of a coarse world, which are the whole key; else 0
    int32_t *states, *actions; // (steps)
    double *rewards;
    int64_t played;
} game;

static bool take_learner(game *g, PyObject *object)
{
    if (!PyObject_TypeCheck(object, py_learner_type) &&
        !PyObject_TypeCheck(object, py_keyed_type)) {
        PyErr_SetString(PyExc_TypeError, "learner must be a Learner or a KeyedLearner");
        return false;
    }
    g->player = (py_learner *)object;
    return true;
}

static const char *text_of(const game *g)
{
    const char *text = g->by_key != NULL ? lgkt_keyed_message(g->by_key)
                                         : lgkt_learner_message(g->player->learner);
    return text[0] != '\0' ? text : lgkt_trajectory_message(g->run->trajectory);
}

// what can be known to be refused in the middle is refused before the first step
static bool check_game(const game *g, int64_t steps)
{
    const lgkt_problem learner = lgkt_learner_problem(g->player->learner);
    const lgkt_problem world = lgkt_env_problem(((py_env *)g->run->env)->env, g->run->horizon);
    const int64_t left = g->run->horizon - lgkt_trajectory_time(g->run->trajectory);
    const int64_t learner_left = learner.horizon - lgkt_learner_time(g->player->learner);
    lgkt_status status = LGKT_ERR_SHAPE;
    char text[200];
    if (learner.actions > world.actions || (world.masked && learner.actions < world.actions))
        snprintf(text, sizeof text, "the learner has %d actions, the environment %d",
                 (int)learner.actions, (int)world.actions);
    else if (g->by_number != NULL && world.states == 0) {
        status = LGKT_ERR_UNSUPPORTED;
        snprintf(text, sizeof text,
                 "this environment shows records: it needs a learner on records, as "
                 "Env.learner makes one");
    } else if (g->by_number != NULL && learner.states < world.states)
        snprintf(text, sizeof text, "the learner has %d states, the environment %d",
                 (int)learner.states, (int)world.states);
    else if (steps < 0) {
        status = LGKT_ERR_ARGUMENT;
        snprintf(text, sizeof text, "steps %lld, must not be negative", (long long)steps);
    } else if (steps > left || steps > learner_left) {
        status = LGKT_ERR_HORIZON;
        snprintf(text, sizeof text, "%lld steps, but the %s has %lld left", (long long)steps,
                 steps > left ? "trajectory" : "learner",
                 (long long)(steps > left ? left : learner_left));
    } else if (g->by_key != NULL && g->observed == 0) {
        status = LGKT_ERR_UNSUPPORTED;
        snprintf(text, sizeof text, "this environment shows numbers of states: it needs a Learner");
    } else if (g->by_key != NULL && g->player->dims != g->numbers) {
        status = LGKT_ERR_UNSUPPORTED;
        snprintf(text, sizeof text,
                 "this environment shows %d numbers, and the learner has bins for %d",
                 (int)g->numbers, (int)g->player->dims);
    } else
        return true;
    return py_fail(status, text) != NULL;
}

// The key of these bytes, as Python makes it of them: keys differ in their end only.
static bool take_key(game *g, const void *bytes, size_t size)
{
    if (size != g->observed)
        return false;
    memcpy(g->key.data + g->key.size - size, bytes, size);
    return true;
}

static lgkt_status one_step(game *g, int32_t state, int32_t *action, lgkt_step *taken)
{
    lgkt_status status = LGKT_ERR_UNSUPPORTED;
    size_t size;
    const void *bytes = lgkt_trajectory_observation(g->run->trajectory, &size);
    if (g->restricted != NULL)
        status =
            lgkt_learner_act(g->by_number, state, lgkt_env_allowed(g->restricted, state), action);
    else if (g->by_key == NULL)
        status = lgkt_learner_act(g->by_number, state, NULL, action);
    else if (take_key(g, bytes, size))
        status = lgkt_keyed_act(g->by_key, g->key.data, g->key.size, NULL, action);
    if (status == LGKT_OK && !g->player->helpers.failed)
        status = lgkt_trajectory_step(g->run->trajectory, *action, taken);
    if (status != LGKT_OK || g->player->helpers.failed)
        return status;
    const int32_t shown = lgkt_trajectory_shown(g->run->trajectory, &bytes, &size);
    if (g->by_key == NULL)
        status = lgkt_learner_observe(g->by_number, taken->reward, shown, taken->ended);
    else
        status = take_key(g, bytes, size)
                     ? lgkt_keyed_observe(g->by_key, taken->reward, g->key.data, g->key.size,
                                          taken->ended)
                     : LGKT_ERR_UNSUPPORTED;
    if (status == LGKT_OK && shown != taken->state)
        status = g->by_key != NULL ? lgkt_keyed_jump(g->by_key) : lgkt_learner_jump(g->by_number);
    return status;
}

// Until all are played, one is refused, or a look at signals is due.
static lgkt_status play_on(game *g, int64_t steps)
{
    const double begin = exp_clock();
    lgkt_step taken = {.state = lgkt_trajectory_state(g->run->trajectory),
                       .mean_reward = g->run->mean_reward};
    lgkt_status status = LGKT_OK;
    for (int64_t i = g->played; i < steps; i++) {
        g->states[i] = taken.state;
        status = one_step(g, taken.state, &g->actions[i], &taken);
        if (status != LGKT_OK || g->player->helpers.failed)
            break;
        g->rewards[i] = taken.reward;
        g->played = i + 1;
        if (g->played % PLAY_STEPS == 0 && exp_clock() - begin > PLAY_SECONDS)
            break;
    }
    g->run->mean_reward = taken.mean_reward;
    return status;
}

// both are entered
static bool play_all(game *g, int64_t steps)
{
    while (g->played < steps) {
        PyThreadState *released = g->player->helpers.calls ? NULL : PyEval_SaveThread();
        const lgkt_status status = play_on(g, steps);
        if (released != NULL)
            PyEval_RestoreThread(released);
        if (status != LGKT_OK || g->player->helpers.failed)
            return py_fail(status, text_of(g)) != NULL;
        if (PyErr_CheckSignals() != 0)
            return false;
    }
    return true;
}

// the observation of the start shows what keys look like
static bool make_key(game *g)
{
    const void *bytes = lgkt_trajectory_observation(g->run->trajectory, &g->observed);
    const lgkt_env *world = ((py_env *)g->run->env)->env;
    if (lgkt_env_coarse(world) || lgkt_env_record(world) != NULL) {
        g->key.data = g->observed <= sizeof g->key.small ? g->key.small : PyMem_Malloc(g->observed);
        g->key.size = g->observed;
        g->numbers = (int32_t)(g->observed / sizeof(double));
        return g->key.data != NULL || PyErr_NoMemory() != NULL;
    }
    PyObject *object = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)g->observed);
    const bool made = object != NULL && py_key_make(object, &g->key);
    Py_XDECREF(object);
    return made;
}

static PyObject *play(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                      PyObject *keywords)
{
    static const char *const names[] = {"learner", "steps", NULL};
    PyObject *v[2], *result = NULL;
    py_call call;
    const lgkt_env *world = ((py_env *)of(self)->env)->env;
    game g = {.run = of(self), .restricted = lgkt_env_allowed(world, 0) != NULL ? world : NULL};
    int64_t steps = 0;
    if (!py_arguments("play", names, 1, arguments, count, keywords, v) || !take_learner(&g, v[0]) ||
        (v[1] != NULL && v[1] != Py_None && !py_int64(v[1], "steps", &steps)))
        return NULL;
    if (!py_enter(&g.run->gate, "trajectory"))
        return NULL;
    if (!py_call_begin(&call, g.player, false)) { // the interpreter is kept for now
        py_leave(&g.run->gate);
        return NULL;
    }
    g.by_number = g.player->by_number;
    g.by_key = g.player->by_key;
    if (v[1] == NULL || v[1] == Py_None)
        steps = g.run->horizon - lgkt_trajectory_time(g.run->trajectory);
    py_array states = {0}, actions = {0}, rewards = {0};
    const Py_ssize_t shape[1] = {(Py_ssize_t)steps};
    if ((g.by_key == NULL || make_key(&g)) && check_game(&g, steps) &&
        py_array_make("i4", 1, shape, &states) && py_array_make("i4", 1, shape, &actions) &&
        py_array_make("f8", 1, shape, &rewards)) {
        g.states = states.data;
        g.actions = actions.data;
        g.rewards = rewards.data;
        if (play_all(&g, steps))
            result = Py_BuildValue("OOO", states.object, actions.object, rewards.object);
    }
    if (g.by_key != NULL)
        py_key_release(&g.key);
    py_array_release(&states);
    py_array_release(&actions);
    py_array_release(&rewards);
    py_leave(&g.player->gate);
    py_leave(&g.run->gate);
    return result;
}

// ---- looking ----

// the bytes behind the state to act in
static PyObject *show(const lgkt_trajectory *trajectory)
{
    size_t size;
    const void *bytes = lgkt_trajectory_observation(trajectory, &size);
    return size > 0 ? PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size) : Py_NewRef(Py_None);
}

// the state to observe, as learners take it: its bytes where it has some
static PyObject *show_last(const lgkt_trajectory *trajectory)
{
    const void *bytes;
    size_t size;
    const int32_t state = lgkt_trajectory_shown(trajectory, &bytes, &size);
    return size > 0 ? PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size) : PyLong_FromLong(state);
}

// none of these while another thread steps
#define GETTER(name, make)                                                                         \
    static PyObject *get_##name(PyObject *self, void *unused)                                      \
    {                                                                                              \
        (void)unused;                                                                              \
        if (!py_enter(&of(self)->gate, "trajectory"))                                              \
            return NULL;                                                                           \
        PyObject *made = make;                                                                     \
        py_leave(&of(self)->gate);                                                                 \
        return made;                                                                               \
    }

GETTER(state, show_state(of(self)))
GETTER(time, PyLong_FromLongLong(lgkt_trajectory_time(of(self)->trajectory)))
GETTER(mean_reward, PyFloat_FromDouble(of(self)->mean_reward))
GETTER(observation, show(of(self)->trajectory))
GETTER(shown, show_last(of(self)->trajectory))
GETTER(allowed, py_mask_new(lgkt_env_allowed(((py_env *)of(self)->env)->env,
                                             lgkt_trajectory_state(of(self)->trajectory)),
                            of(self)->actions))
GETTER(text, PyUnicode_FromFormat("<lgkt.Trajectory of %U state=%d time=%lld of %lld>",
                                  ((py_env *)of(self)->env)->spec,
                                  (int)lgkt_trajectory_state(of(self)->trajectory),
                                  (long long)lgkt_trajectory_time(of(self)->trajectory),
                                  (long long)of(self)->horizon))

// as of a world of one's own, which lgkt.run plays in
static PyObject *get_when_busy(PyObject *self, void *unused)
{
    (void)unused;
    return py_gate_get(&of(self)->gate);
}

static int set_when_busy(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    return py_gate_set(&of(self)->gate, value, "trajectory");
}

static PyObject *get_states(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(lgkt_env_problem(((py_env *)of(self)->env)->env, 1).states);
}

static PyObject *represent(PyObject *self)
{
    return get_text(self, NULL);
}

// ---- the type ----

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(of(self)->env);
    return 0;
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    lgkt_trajectory_destroy(of(self)->trajectory);
    Py_CLEAR(of(self)->env);
    py_object_free(self);
}

static PyMethodDef methods[] = {
    {"step", step, METH_O,
     "step($self, action, /)\n--\n\n"
     "Play an action: returns (reward, state, ended), as a learner observes them, unless the\n"
     "environment jumps. `ended` says that the process was cut: the state is then no consequence\n"
     "of the action. A state that is a record is an array."},
    {"play", (PyCFunction)(void (*)(void))play, METH_FASTCALL | METH_KEYWORDS,
     "play($self, learner, steps=None)\n--\n\n"
     "Let a learner play so many steps, None: to the end of the run. Returns three arrays: the\n"
     "states it acted in (0 where they are records), its actions, and the rewards. Other threads "
     "run meanwhile, unless the\n"
     "learner asks Python functions. An interrupt ends it between two steps; `time` then says how\n"
     "far the two have come, and they can go on.\n\n"
     ">>> import lgkt\n"
     ">>> env = lgkt.Env(\"riverswim\", seed=1)\n"
     ">>> states, actions, rewards = env.trajectory(1000).play(env.learner(\"auto\", 1000))\n"
     ">>> states.shape, rewards.dtype\n"
     "((1000,), dtype('float64'))"},
    {"save", save, METH_NOARGS,
     "save($self)\n--\n\n"
     "Where the run stands, as bytes that do not depend on the machine. Of the environment they\n"
     "hold only a hash."},
    {"load", (PyCFunction)(void (*)(void))load, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "load($type, env, data)\n--\n\n"
     "Make a run from saved bytes, in the same environment or one made anew: it goes on bit for\n"
     "bit as the saved one would have.\n\n"
     ">>> import lgkt\n"
     ">>> run = lgkt.Env(\"riverswim\", seed=1).trajectory(1000)\n"
     ">>> again = lgkt.Trajectory.load(run.env, run.save())\n"
     ">>> again.step(1) == run.step(1)\n"
     "True"},
    {"__reduce__", reduce, METH_NOARGS, "__reduce__($self)\n--\n\nFor pickle and copy."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"states", get_states, NULL, "The number of states; 0: they are records.", NULL},
    {"state", get_state, NULL, "The state to act in: its number, or a record as an array.", NULL},
    {"allowed", get_allowed, NULL,
     "Which actions may be played in it, as bools; None where all may be played in every state.",
     NULL},
    {"time", get_time, NULL, "Steps taken so far.", NULL},
    {"mean_reward", get_mean_reward, NULL,
     "The expected reward of the last step, or the reward where no model is; NaN before a step.",
     NULL},
    {"when_busy", get_when_busy, set_when_busy, "As that of learners; `step_all` never waits.",
     NULL},
    {"observation", get_observation, NULL,
     "The bytes behind the state (trading: the window of prices; records and what bins are of: "
     "doubles); None where its number is all.",
     NULL},
    {"shown", get_shown, NULL,
     "What a learner is to observe as next state of the last step: that to act in, as bytes where "
     "it has some, but for environments that jump (`Env.jumps`).",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef members[] = {
    {"env", T_OBJECT_EX, offsetof(py_trajectory, env), READONLY, "The environment."},
    {"actions", T_INT, offsetof(py_trajectory, actions), READONLY, "The number of actions."},
    {"horizon", T_LONGLONG, offsetof(py_trajectory, horizon), READONLY,
     "The number of steps of the run."},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Trajectory(env, horizon, *, seed=None, instance=None)\n--\n\n"
     "One run through an environment; there is no reset. Seed and instance select the noise; None\n"
     "is those of the environment.\n\n"
     ">>> import lgkt\n"
     ">>> run = lgkt.Env(\"riverswim:states=5\", seed=1).trajectory(1000)\n"
     ">>> learner = run.env.learner(\"auto\", 1000)\n"
     ">>> states, actions, rewards = run.play(learner, steps=900)\n"
     ">>> reward, state, ended = run.step(1)\n"
     ">>> run.time\n"
     "901"},
    {Py_tp_new, create},
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_repr, represent},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lgkt.Trajectory",
    .basicsize = sizeof(py_trajectory),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

static PyMethodDef functions[] = {
    {"step_all", (PyCFunction)(void (*)(void))step_all, METH_FASTCALL | METH_KEYWORDS,
     "step_all($module, trajectories, actions, states, rewards, ended, means=None)\n--\n\n"
     "Step each of a list of trajectories by its action, into arrays of int64, float64 and bool.\n"
     "If one of them would refuse, none is stepped."},
    {NULL, NULL, 0, NULL},
};

bool py_add_trajectory(PyObject *module)
{
    return py_add_type(module, "Trajectory", &spec, NULL, &py_trajectory_type) &&
           PyModule_AddFunctions(module, functions) == 0;
}
