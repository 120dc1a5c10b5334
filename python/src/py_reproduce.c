// SPDX-License-Identifier: MIT
// lgkt.reproduce: the tasks of an experiment (experiments/runner/tasks.h), some of them played here, and the
// journal and tables of what was played anywhere (experiments/runner/store.h).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/hash.h"
#include "experiments/runner/store.h"
#include "py_experiment.h"
#include "py_host.h"

typedef struct reproduction {
    PyObject_HEAD py_experiment from;
    py_files files;
    exp_tasks tasks;
    py_host host;
    exp_store store; // while a folder is open
    exp_shard shard; // of the tasks that are played into it
    bool open;
    py_gate gate;
} reproduction;

// ---- making ----

static void dealloc(PyObject *object)
{
    reproduction *self = (reproduction *)object;
    exp_store_free(&self->store);
    exp_tasks_free(&self->tasks);
    py_files_free(&self->files);
    py_experiment_free(&self->from);
    py_host_free(&self->host);
    py_object_free(object);
}

static bool check_range(const char *name, int64_t value, int64_t high)
{
    char text[96];
    snprintf(text, sizeof text, "%s: %lld is not in 1 .. %lld", name, (long long)value,
             (long long)high);
    return (value >= 1 && value <= high) || py_fail(LGKT_ERR_ARGUMENT, text) != NULL;
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"experiment", "folder", "source", "find",  "player", "seed",
                            "replicates", "quick",  "prices", "check", NULL};
    PyObject *experiment, *folder, *source, *find, *player, *seed, *replicates, *prices;
    int quick, check = 1;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOOOOOpO|p:Reproduction", names,
                                     &experiment, &folder, &source, &find, &player, &seed,
                                     &replicates, &quick, &prices, &check))
        return NULL;
    reproduction *self = (reproduction *)py_object_new(type);
    if (self == NULL)
        return NULL;
    self->from.kept = PyList_New(0);
    self->files = py_files_from(find);
    self->host = py_host_of(player);
    exp_asked asked = {.experiment = &self->from.experiment,
                       .quick = quick != 0,
                       .files = &self->files.files,
                       .host = &self->host.host};
    bool good = self->from.kept != NULL && py_uint64(seed, "seed", &asked.seed) &&
                (replicates == Py_None ||
                 (py_int64(replicates, "replicates", &asked.replicates) &&
                  check_range("replicates", asked.replicates, EXP_MAX_REPLICATES)));
    if (good && prices != Py_None)
        asked.prices = py_experiment_text(&self->from, prices, "prices");
    if (good && !PyErr_Occurred() && py_experiment_read(&self->from, experiment, folder, source)) {
        lgkt_error error = {0};
        self->files.released = PyEval_SaveThread();
        lgkt_status status = exp_tasks_make(&self->tasks, &asked, &error);
        if (status == LGKT_OK && check)
            status = exp_tasks_check(&self->tasks, (exp_shard){0}, &error);
        PyEval_RestoreThread(self->files.released);
        if (status != LGKT_OK)
            py_host_fail(&self->host, &error);
    }
    if (PyErr_Occurred())
        Py_CLEAR(self);
    return (PyObject *)self;
}

// ---- playing ----

// Tasks that are played for somebody else, as a sink.
typedef struct tour {
    const exp_tasks *tasks;
    const int64_t *numbers; // (count) of the tasks, some maybe twice
    Py_ssize_t count;
    Py_ssize_t begin;     // all before it were played
    double *seconds;      // (count) that each took; NaN: it was not played
    unsigned char *bytes; // (size) frames of those that were
    size_t size;
} tour;

static lgkt_status take_outcome(void *ctx, int64_t task, const exp_outcome *outcome,
                                lgkt_error *error)
{
    tour *t = ctx;
    size_t size;
    unsigned char *frame = exp_record_write(t->tasks, task, outcome, NULL, &size);
    unsigned char *grown = frame != NULL ? realloc(t->bytes, t->size + size) : NULL;
    if (grown == NULL) {
        free(frame);
        return lgkt_fail_memory(error, "records");
    }
    memcpy(grown + t->size, frame, size);
    free(frame);
    t->bytes = grown;
    t->size += size;
    Py_ssize_t i = t->begin;
    while (t->numbers[i] != task || !isnan(t->seconds[i]))
        i++;
    t->seconds[i] = outcome->seconds;
    while (t->begin < t->count && !isnan(t->seconds[t->begin]))
        t->begin++;
    return LGKT_OK;
}

static bool check_numbers(const tour *t)
{
    for (Py_ssize_t i = 0; i < t->count; i++)
        if (t->numbers[i] < 0 || t->numbers[i] >= t->tasks->count)
            return py_fail(LGKT_ERR_ARGUMENT, "tasks: there is no such task") != NULL;
    return true;
}

static PyObject *play(PyObject *object, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"tasks", "jobs", "limit", "progress", NULL};
    reproduction *self = (reproduction *)object;
    PyObject *given, *threads, *progress = Py_None, *made = NULL;
    double limit = INFINITY;
    int64_t jobs;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|dO:play", names, &given, &threads,
                                     &limit, &progress) ||
        !py_int64(threads, "jobs", &jobs) || !check_range("jobs", jobs, EXP_MAX_JOBS))
        return NULL;
    py_array numbers = {0}, seconds = {0};
    if (!py_array_read(given, "tasks", "i8", 1, &numbers))
        return NULL;
    tour t = {.tasks = &self->tasks, .numbers = numbers.data, .count = numbers.shape[0]};
    py_watch watch = {.progress = progress != Py_None ? progress : NULL};
    const exp_runner runner = {.tasks = &self->tasks,
                               .numbers = t.numbers,
                               .count = t.count,
                               .jobs = (int32_t)jobs,
                               .limit = isinf(limit) ? 0.0 : fmax(limit, 1e-9),
                               .stop = &watch.stop,
                               .progress = py_look,
                               .progress_ctx = &watch,
                               .take = take_outcome,
                               .ctx = &t};
    if (check_numbers(&t) && py_array_make("f8", 1, &t.count, &seconds)) {
        t.seconds = seconds.data;
        for (Py_ssize_t i = 0; i < t.count; i++)
            t.seconds[i] = NAN;
        lgkt_error error = {0};
        watch.released = PyEval_SaveThread();
        const lgkt_status status = exp_runner_run(&runner, NULL, &error);
        PyEval_RestoreThread(watch.released);
        if (status != LGKT_OK)
            py_host_fail(&self->host, &error);
        PyObject *times = py_array_take(&seconds);
        if (!PyErr_Occurred())
            made = Py_BuildValue("y#N", t.bytes != NULL ? (const char *)t.bytes : "",
                                 (Py_ssize_t)t.size, times);
        else
            Py_XDECREF(times);
    }
    free(t.bytes);
    py_array_release(&numbers);
    return made;
}

// ---- the folder ----

// Begins a call on an open folder, or on one that is not; the other threads run until `leave`.
static PyThreadState *enter(reproduction *self, bool open)
{
    if (!py_enter(&self->gate, "reproduction"))
        return NULL;
    if (self->open == open)
        return PyEval_SaveThread();
    py_leave(&self->gate);
    py_fail(LGKT_ERR_PROTOCOL, open ? "no folder is open" : "a folder is open");
    return NULL;
}

static bool leave(reproduction *self, PyThreadState *released, lgkt_status status,
                  const lgkt_error *error)
{
    PyEval_RestoreThread(released);
    if (status != LGKT_OK)
        py_host_fail(&self->host, error);
    py_leave(&self->gate);
    return status == LGKT_OK;
}

static void shut(reproduction *self)
{
    exp_store_free(&self->store);
    self->open = false;
}

static PyObject *nothing(bool good)
{
    return good ? Py_NewRef(Py_None) : NULL;
}

static PyObject *open_folder(PyObject *object, PyObject *arguments)
{
    reproduction *self = (reproduction *)object;
    PyObject *path;
    const char *part = NULL;
    exp_shard shard = {0};
    lgkt_error error = {0};
    if (!PyArg_ParseTuple(arguments, "O&|z:open", PyUnicode_FSConverter, &path, &part))
        return NULL;
    if (part != NULL && exp_shard_parse(part, &shard, &error) != LGKT_OK) {
        Py_DECREF(path);
        return py_fail_error(&error);
    }
    PyThreadState *released = enter(self, false);
    bool good = released != NULL;
    if (good) {
        lgkt_status status = exp_store_make(&self->store, &self->tasks, &error);
        if (status == LGKT_OK)
            status = exp_store_open(&self->store, PyBytes_AsString(path), shard, &error);
        self->shard = shard;
        self->open = status == LGKT_OK;
        if (status != LGKT_OK)
            shut(self);
        good = leave(self, released, status, &error);
    }
    Py_DECREF(path);
    return nothing(good);
}

static PyObject *run(PyObject *object, PyObject *arguments)
{
    reproduction *self = (reproduction *)object;
    PyObject *threads, *progress = Py_None;
    int64_t jobs;
    if (!PyArg_ParseTuple(arguments, "O|O:run", &threads, &progress) ||
        !py_int64(threads, "jobs", &jobs) || !check_range("jobs", jobs, EXP_MAX_JOBS))
        return NULL;
    py_watch watch = {.progress = progress != Py_None ? progress : NULL};
    const exp_runner how = {
        .jobs = (int32_t)jobs, .stop = &watch.stop, .progress = py_look, .progress_ctx = &watch};
    lgkt_error error = {0};
    watch.released = enter(self, true);
    if (watch.released == NULL)
        return NULL;
    const lgkt_status status = exp_reproduce_rest(&self->store, self->shard, &how, &error);
    // an exception of a look is set by now
    return nothing(leave(self, watch.released, status, &error) && !PyErr_Occurred());
}

static PyObject *missing(PyObject *object, PyObject *arguments)
{
    reproduction *self = (reproduction *)object;
    PyObject *given = Py_None;
    py_array among = {0}, array = {0};
    if (!PyArg_ParseTuple(arguments, "|O:missing", &given) ||
        (given != Py_None && !py_array_read(given, "tasks", "i8", 1, &among)))
        return NULL;
    const int64_t *numbers = given != Py_None ? among.data : NULL;
    const exp_shard shard = numbers == NULL ? self->shard : (exp_shard){0};
    const int64_t most = given != Py_None ? (int64_t)among.shape[0] : self->tasks.count;
    const tour t = {.tasks = &self->tasks, .numbers = numbers, .count = (Py_ssize_t)most};
    PyThreadState *released = numbers == NULL || check_numbers(&t) ? enter(self, true) : NULL;
    if (released != NULL) {
        const int64_t *places = self->store.places;
        Py_ssize_t count = 0;
        for (int64_t i = 0; i < most; i++)
            count += places[numbers != NULL ? numbers[i] : i] == 0 && exp_shard_has(shard, i);
        PyEval_RestoreThread(released);
        const bool good = py_array_make("i8", 1, &count, &array);
        for (int64_t i = 0, n = 0; i < most && good; i++)
            if (places[numbers != NULL ? numbers[i] : i] == 0 && exp_shard_has(shard, i))
                ((int64_t *)array.data)[n++] = numbers != NULL ? numbers[i] : i;
        py_leave(&self->gate);
    }
    py_array_release(&among);
    return py_array_take(&array);
}

static PyObject *append(PyObject *object, PyObject *argument)
{
    reproduction *self = (reproduction *)object;
    Py_buffer frames;
    if (PyObject_GetBuffer(argument, &frames, PyBUF_SIMPLE) != 0)
        return NULL;
    lgkt_error error = {0};
    PyThreadState *released = enter(self, true);
    long long added = 0;
    bool good = released != NULL;
    if (good) {
        lgkt_status status = LGKT_OK;
        const unsigned char *bytes = frames.buf;
        const size_t all = (size_t)frames.len;
        size_t size;
        // all are looked at before one is written
        for (size_t at = 0; at < all && status == LGKT_OK; at += EXP_FRAME + size)
            if (!exp_frame_check(bytes + at, all - at, &size))
                status = lgkt_fail(&error, LGKT_ERR_FORMAT,
                                   "records that were sent are damaged at byte %zu", at);
            else if ((uint64_t)exp_record_number(&self->tasks, bytes + at + EXP_FRAME_HEAD, size) >=
                     (uint64_t)self->tasks.count)
                status = lgkt_fail(&error, LGKT_ERR_FORMAT,
                                   "a record of %zu bytes belongs to no instance", size);
        for (size_t at = 0; at < all && status == LGKT_OK; at += EXP_FRAME + size) {
            size = (size_t)lgkt_get_u64(bytes + at);
            const int64_t task = exp_record_number(&self->tasks, bytes + at + EXP_FRAME_HEAD, size);
            if (self->store.places[task] != 0)
                continue;
            status = exp_store_append(&self->store, bytes + at, &error);
            added += status == LGKT_OK;
        }
        good = leave(self, released, status, &error);
    }
    PyBuffer_Release(&frames);
    return good ? PyLong_FromLongLong(added) : NULL;
}

static PyObject *sync_folder(PyObject *object, PyObject *arguments)
{
    reproduction *self = (reproduction *)object;
    double seconds = 0.0;
    if (!PyArg_ParseTuple(arguments, "|d:sync", &seconds))
        return NULL;
    lgkt_error error = {0};
    PyThreadState *released = enter(self, true);
    if (released == NULL)
        return NULL;
    const lgkt_status status = exp_journal_sync(self->store.journals[0], seconds, &error);
    return nothing(leave(self, released, status, &error));
}

static PyObject *tabulate(PyObject *object, PyObject *arguments)
{
    reproduction *self = (reproduction *)object;
    PyObject *path;
    int keep_runs, jobs;
    long long instances;
    exp_making making = {0};
    if (!PyArg_ParseTuple(arguments, "O&pidL:tabulate", PyUnicode_FSConverter, &path, &keep_runs,
                          &jobs, &making.seconds, &instances))
        return NULL;
    making.keep_runs = keep_runs != 0;
    making.jobs = jobs;
    making.instances_run = instances;
    lgkt_error error = {0};
    PyThreadState *released = enter(self, true);
    bool good = released != NULL;
    if (good) {
        int64_t wanted;
        const int64_t have = exp_store_count(&self->store, (exp_shard){0}, &wanted);
        lgkt_status status =
            have == wanted
                ? exp_store_tabulate(&self->store, PyBytes_AsString(path), making, &error)
                : lgkt_fail(&error, LGKT_ERR_PROTOCOL, "%lld of %lld instances are missing",
                            (long long)(wanted - have), (long long)wanted);
        if (have == wanted)
            shut(self);
        good = leave(self, released, status, &error);
    }
    Py_DECREF(path);
    return nothing(good);
}

static PyObject *close_folder(PyObject *object, PyObject *unused)
{
    (void)unused;
    reproduction *self = (reproduction *)object;
    if (!py_enter(&self->gate, "reproduction"))
        return NULL;
    shut(self);
    py_leave(&self->gate);
    return Py_NewRef(Py_None);
}

// ---- the type ----

static PyObject *get_tasks(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong(((reproduction *)self)->tasks.count);
}

static PyObject *get_first(PyObject *self, void *unused)
{
    (void)unused;
    const exp_tasks *tasks = &((reproduction *)self)->tasks;
    const Py_ssize_t count = tasks->panel_count + 1;
    py_array array;
    if (!py_array_make("i8", 1, &count, &array))
        return NULL;
    memcpy(array.data, tasks->first, (size_t)count * sizeof *tasks->first);
    return py_array_take(&array);
}

static PyObject *get_identity(PyObject *self, void *unused)
{
    (void)unused;
    const exp_tasks *tasks = &((reproduction *)self)->tasks;
    char *text = exp_setup_identity(tasks->setups, tasks->panel_count);
    PyObject *identity = text != NULL ? PyUnicode_FromString(text) : PyErr_NoMemory();
    free(text);
    return identity;
}

static PyMethodDef methods[] = {
    {"play", (PyCFunction)(void (*)(void))play, METH_VARARGS | METH_KEYWORDS,
     "play($self, tasks, jobs, limit=inf, progress=None)\n--\n\n"
     "Play tasks on threads, the interpreter released. Returns their\n"
     "records, for `append`, and the seconds of each task. After `limit` seconds no further\n"
     "one begins: NaN.\n"
     "`progress` is called with the steps done about ten times a second; what it raises, and\n"
     "Ctrl-C, end it. Several threads may do this at once."},
    {"open", open_folder, METH_VARARGS,
     "open($self, folder, shard=None, /)\n--\n\n"
     "Open the journal in a folder, which is made if it is not there; of a shard, as \"3/16\", "
     "its\n"
     "own."},
    {"run", run, METH_VARARGS,
     "run($self, jobs, progress=None, /)\n--\n\n"
     "Play all that is missing in the journal, into it, on threads. `progress` as for `play`."},
    {"missing", missing, METH_VARARGS,
     "missing($self, tasks=None, /)\n--\n\nThe tasks, of these or of all, that are not in the "
     "journal."},
    {"append", append, METH_O,
     "append($self, records, /)\n--\n\n"
     "Take what `play` returned into the journal; what is there already is left as it is. Returns\n"
     "how many tasks were new. If anything is wrong with the records, none is taken."},
    {"sync", sync_folder, METH_VARARGS,
     "sync($self, seconds=0.0, /)\n--\n\n"
     "Bring to the disk what was appended more than so many seconds ago."},
    {"tabulate", tabulate, METH_VARARGS,
     "tabulate($self, folder, keep_runs, jobs, seconds, instances, /)\n--\n\n"
     "Write the result files, once all tasks are there, and close the journal."},
    {"close", close_folder, METH_NOARGS,
     "close($self, /)\n--\n\nClose the journal, if one is open."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"tasks", get_tasks, NULL, "The number of tasks: instances of all panels.", NULL},
    {"first", get_first, NULL, "The first task of each panel, and the number of all.", NULL},
    {"identity", get_identity, NULL, "All that decides what the records hold, as a text.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Reproduction(experiment, folder, source, find, player, seed, replicates, quick, prices,\n"
     "    check=True)\n--\n\n"
     "The tasks of an experiment. `check` makes everything once, to see what is wrong with a spec\n"
     "before anything is played. `folder` is where paths in\n"
     "specs begin, `source` the name and the bytes of its file or None, and `find(folder, spec)`\n"
     "returns what the files that a spec names hold, as two: a Model, an array or None.\n"
     "`player` is called for learners written in Python with spec, states, actions, horizon,\n"
     "reward_min, reward_max, reward_sd, model, seed, instance, masked; it returns the learner,\n"
     "its act and observe, and whether act has masks as second argument."},
    {Py_tp_new, create},
    {Py_tp_dealloc, dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lgkt._core.Reproduction",
    .basicsize = sizeof(reproduction),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

static PyTypeObject *reproduction_type;

bool py_add_reproduce(PyObject *module)
{
    return py_add_type(module, "Reproduction", &spec, NULL, &reproduction_type);
}
