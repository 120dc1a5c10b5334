// SPDX-License-Identifier: MIT
// lgkt.reproduce: an experiment made ready (experiments/runner/agenda.h), units of it played here, and the
// journal and tables of what was played anywhere (experiments/runner/store.h).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/hash.h"
#include "experiments/runner/reproduce.h"
#include "experiments/runner/store.h"
#include "py_experiment.h"

typedef struct reproduction {
    PyObject_HEAD py_experiment from;
    py_files files;
    exp_agenda agenda;
    exp_store store; // while a folder is open
    bool open;
    atomic_flag busy;
} reproduction;

// ---- making ----

static void dealloc(PyObject *object)
{
    reproduction *self = (reproduction *)object;
    exp_store_free(&self->store);
    exp_agenda_free(&self->agenda);
    py_files_free(&self->files);
    py_experiment_free(&self->from);
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
    static char *names[] = {"experiment", "folder", "source", "find", "seed",
                            "replicates", "quick",  "prices", NULL};
    PyObject *experiment, *folder, *source, *find, *seed, *replicates, *prices;
    int quick;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOOOOpO:Reproduction", names,
                                     &experiment, &folder, &source, &find, &seed, &replicates,
                                     &quick, &prices))
        return NULL;
    reproduction *self = (reproduction *)py_object_new(type);
    if (self == NULL)
        return NULL;
    self->from.kept = PyList_New(0);
    self->files = py_files_from(find);
    exp_asked asked = {
        .experiment = &self->from.experiment, .quick = quick != 0, .files = &self->files.files};
    bool good = self->from.kept != NULL && py_uint64(seed, "seed", &asked.seed) &&
                (replicates == Py_None ||
                 (py_int64(replicates, "replicates", &asked.replicates) &&
                  check_range("replicates", asked.replicates, EXP_MAX_REPLICATES)));
    if (good && prices != Py_None)
        asked.prices = py_experiment_text(&self->from, prices, "prices");
    if (good && !PyErr_Occurred() && py_experiment_read(&self->from, experiment, folder, source)) {
        lgkt_error error = {0};
        self->files.released = PyEval_SaveThread();
        const lgkt_status status = exp_agenda_make(&self->agenda, &asked, &error);
        PyEval_RestoreThread(self->files.released);
        // a unit may be played twice, after a failure
        for (int32_t p = 0; p < self->agenda.panel_count && status == LGKT_OK; p++)
            self->agenda.stages[p].setup.again = true;
        if (status != LGKT_OK)
            py_fail_error(&error);
    }
    if (PyErr_Occurred())
        Py_CLEAR(self);
    return (PyObject *)self;
}

// ---- playing ----

// Units that are played for somebody else.
typedef struct tour {
    const exp_agenda *agenda;
    const int64_t *units; // (n)
    size_t *ends;         // (n) of their frames in `bytes`
    unsigned char *bytes;
    double *seconds; // (n) that each took; NaN: it was not played
    double until;    // no unit begins later, but for the first
    py_watch watch;
    exp_pool pool;
} tour;

static size_t frame_size(const exp_agenda *agenda, int64_t unit)
{
    return EXP_FRAME_HEAD + exp_record_size(agenda, exp_agenda_panel(agenda, unit)) +
           EXP_FRAME_TAIL;
}

static lgkt_status play_unit(void *ctx, int64_t i, lgkt_error *error)
{
    tour *t = ctx;
    const int64_t unit = t->units[i];
    const int32_t panel = exp_agenda_panel(t->agenda, unit);
    const exp_stage *stage = &t->agenda->stages[panel];
    const double begin = exp_clock();
    if (i > 0 && begin > t->until)
        return LGKT_OK;
    exp_outcome outcome;
    lgkt_status status = exp_outcome_create(&outcome, &stage->setup, error);
    if (status != LGKT_OK)
        return status;
    status = exp_instance_play(&stage->setup, &stage->cast, unit - t->agenda->first[panel],
                               &t->pool, i, &outcome, error);
    if (status == LGKT_OK && !exp_pool_halted(&t->pool, i)) {
        unsigned char *frame = t->bytes + t->ends[i] - frame_size(t->agenda, unit);
        exp_record_write(t->agenda, unit, &outcome, frame + EXP_FRAME_HEAD);
        exp_frame_close(frame, exp_record_size(t->agenda, panel));
        t->seconds[i] = exp_clock() - begin;
    }
    exp_outcome_free(&outcome);
    return status;
}

static lgkt_status look_up(void *ctx, lgkt_error *error)
{
    (void)error;
    tour *t = ctx;
    const exp_progress progress = {.steps_done = (double)atomic_load(&t->pool.steps)};
    py_look(&t->watch, &progress);
    return LGKT_OK;
}

// the frames of all that were played, without gaps
static PyObject *gather(const tour *t, Py_ssize_t count)
{
    size_t size = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        const size_t frame = isnan(t->seconds[i]) ? 0 : frame_size(t->agenda, t->units[i]);
        memmove(t->bytes + size, t->bytes + t->ends[i] - frame, frame);
        size += frame;
    }
    return PyBytes_FromStringAndSize((const char *)t->bytes, (Py_ssize_t)size);
}

static PyObject *play(PyObject *object, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"units", "jobs", "limit", "progress", NULL};
    reproduction *self = (reproduction *)object;
    PyObject *given, *threads, *progress = Py_None, *made = NULL;
    double limit = INFINITY;
    int64_t jobs;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|dO:play", names, &given, &threads,
                                     &limit, &progress) ||
        !py_int64(threads, "jobs", &jobs) || !check_range("jobs", jobs, EXP_MAX_JOBS))
        return NULL;
    py_array units = {0}, seconds = {0};
    if (!py_array_read(given, "units", "i8", 1, &units))
        return NULL;
    const Py_ssize_t count = units.shape[0];
    tour t = {.agenda = &self->agenda,
              .units = units.data,
              .until = exp_clock() + limit,
              .watch = {.progress = progress != Py_None ? progress : NULL},
              .pool = {.units = count, .jobs = (int32_t)jobs, .work = play_unit, .tick = look_up}};
    t.pool.stop = &t.watch.stop;
    t.pool.ctx = &t;
    t.ends = calloc((size_t)count + 1, sizeof *t.ends);
    size_t size = 0;
    for (Py_ssize_t i = 0; i < count && t.ends != NULL && !PyErr_Occurred(); i++)
        if (t.units[i] >= 0 && t.units[i] < self->agenda.units)
            size = t.ends[i] = size + frame_size(&self->agenda, t.units[i]);
        else
            py_fail(LGKT_ERR_ARGUMENT, "units: there is no such unit");
    if (!PyErr_Occurred())
        t.bytes = malloc(size + 1);
    if (!PyErr_Occurred() && (t.ends == NULL || t.bytes == NULL))
        PyErr_NoMemory();
    if (!PyErr_Occurred() && py_array_make("f8", 1, &count, &seconds)) {
        t.seconds = seconds.data;
        for (Py_ssize_t i = 0; i < count; i++)
            t.seconds[i] = NAN;
        lgkt_error error = {0};
        t.watch.released = PyEval_SaveThread();
        const lgkt_status status = count > 0 ? exp_pool_run(&t.pool, &error) : LGKT_OK;
        PyEval_RestoreThread(t.watch.released);
        if (status != LGKT_OK)
            py_fail_error(&error);
        PyObject *bytes = PyErr_Occurred() ? NULL : gather(&t, count);
        PyObject *times = py_array_take(&seconds);
        if (bytes != NULL && times != NULL)
            made = Py_BuildValue("OO", bytes, times);
        Py_XDECREF(bytes);
        Py_XDECREF(times);
    }
    free(t.ends);
    free(t.bytes);
    py_array_release(&units);
    return made;
}

// ---- the folder ----

// Begins a call on an open folder, or on one that is not; the other threads run until `leave`.
static PyThreadState *enter(reproduction *self, bool open)
{
    if (!py_enter(&self->busy, "reproduction"))
        return NULL;
    if (self->open == open)
        return PyEval_SaveThread();
    py_leave(&self->busy);
    py_fail(LGKT_ERR_PROTOCOL, open ? "no folder is open" : "a folder is open");
    return NULL;
}

static bool leave(reproduction *self, PyThreadState *released, lgkt_status status,
                  const lgkt_error *error)
{
    PyEval_RestoreThread(released);
    py_leave(&self->busy);
    return status == LGKT_OK || py_fail_error(error) != NULL;
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

static PyObject *open_folder(PyObject *object, PyObject *argument)
{
    reproduction *self = (reproduction *)object;
    PyObject *path;
    if (!PyUnicode_FSConverter(argument, &path))
        return NULL;
    lgkt_error error = {0};
    PyThreadState *released = enter(self, false);
    bool good = released != NULL;
    if (good) {
        lgkt_status status = exp_store_make(&self->store, &self->agenda, &error);
        if (status == LGKT_OK)
            status = exp_store_open(&self->store, PyBytes_AsString(path), (exp_shard){0}, &error);
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
    const exp_reproduction asked = {
        .jobs = (int32_t)jobs, .stop = &watch.stop, .progress = py_look, .progress_ctx = &watch};
    lgkt_error error = {0};
    watch.released = enter(self, true);
    if (watch.released == NULL)
        return NULL;
    const lgkt_status status = exp_reproduce_rest(&asked, &self->store, &error);
    // an exception of a look is set by now
    return nothing(leave(self, watch.released, status, &error) && !PyErr_Occurred());
}

static PyObject *missing(PyObject *object, PyObject *unused)
{
    (void)unused;
    reproduction *self = (reproduction *)object;
    PyThreadState *released = enter(self, true);
    if (released == NULL)
        return NULL;
    int64_t wanted;
    const int64_t *places = self->store.places;
    const Py_ssize_t count =
        (Py_ssize_t)(self->agenda.units - exp_store_count(&self->store, (exp_shard){0}, &wanted));
    PyEval_RestoreThread(released);
    py_array array;
    const bool good = py_array_make("i8", 1, &count, &array);
    for (int64_t u = 0, n = 0; u < self->agenda.units && good; u++)
        if (places[u] == 0)
            ((int64_t *)array.data)[n++] = u;
    py_leave(&self->busy);
    return good ? py_array_take(&array) : NULL;
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
        for (size_t at = 0; at < all && status == LGKT_OK;
             at += EXP_FRAME_HEAD + size + EXP_FRAME_TAIL)
            if (!exp_frame_check(bytes + at, all - at, &size))
                status = lgkt_fail(&error, LGKT_ERR_FORMAT,
                                   "records that were sent are damaged at byte %zu", at);
            else if (exp_record_unit(&self->agenda, bytes + at + EXP_FRAME_HEAD, size) < 0)
                status = lgkt_fail(&error, LGKT_ERR_FORMAT,
                                   "a record of %zu bytes belongs to no instance", size);
        for (size_t at = 0; at < all && status == LGKT_OK;
             at += EXP_FRAME_HEAD + size + EXP_FRAME_TAIL) {
            size = (size_t)lgkt_get_u64(bytes + at);
            const unsigned char *record = bytes + at + EXP_FRAME_HEAD;
            const int64_t unit = exp_record_unit(&self->agenda, record, size);
            if (self->store.places[unit] != 0)
                continue;
            status = exp_store_append(&self->store, record, size, &error);
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
    const lgkt_status status = exp_store_sync(&self->store, seconds, &error);
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
                ? exp_store_tabulate(&self->store, PyBytes_AsString(path), &making, &error)
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
    if (!py_enter(&self->busy, "reproduction"))
        return NULL;
    shut(self);
    py_leave(&self->busy);
    return Py_NewRef(Py_None);
}

// ---- the type ----

static PyObject *get_units(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong(((reproduction *)self)->agenda.units);
}

static PyObject *get_first(PyObject *self, void *unused)
{
    (void)unused;
    const exp_agenda *agenda = &((reproduction *)self)->agenda;
    const Py_ssize_t count = agenda->panel_count + 1;
    py_array array;
    if (!py_array_make("i8", 1, &count, &array))
        return NULL;
    memcpy(array.data, agenda->first, (size_t)count * sizeof *agenda->first);
    return py_array_take(&array);
}

static PyObject *get_identity(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(((reproduction *)self)->agenda.identity);
}

static PyMethodDef methods[] = {
    {"play", (PyCFunction)(void (*)(void))play, METH_VARARGS | METH_KEYWORDS,
     "play($self, units, jobs, limit=inf, progress=None)\n--\n\n"
     "Play units on threads, the interpreter released. Returns their records, for `append`, and\n"
     "the seconds of each unit. After `limit` seconds no further one begins: NaN.\n"
     "`progress` is called with the steps done about ten times a second; what it raises, and\n"
     "Ctrl-C, end it. Several threads may do this at once."},
    {"open", open_folder, METH_O,
     "open($self, folder, /)\n--\n\n"
     "Open the journal in a folder, which is made if it is not there."},
    {"run", run, METH_VARARGS,
     "run($self, jobs, progress=None, /)\n--\n\n"
     "Play all that is missing in the journal, into it, on threads. `progress` as for `play`."},
    {"missing", missing, METH_NOARGS,
     "missing($self, /)\n--\n\nThe units that are not in the journal."},
    {"append", append, METH_O,
     "append($self, records, /)\n--\n\n"
     "Take what `play` returned into the journal; what is there already is left as it is. Returns\n"
     "how many units were new. If anything is wrong with the records, none is taken."},
    {"sync", sync_folder, METH_VARARGS,
     "sync($self, seconds=0.0, /)\n--\n\n"
     "Bring to the disk what was appended more than so many seconds ago."},
    {"tabulate", tabulate, METH_VARARGS,
     "tabulate($self, folder, keep_runs, jobs, seconds, instances, /)\n--\n\n"
     "Write the result files, once all units are there, and close the journal."},
    {"close", close_folder, METH_NOARGS,
     "close($self, /)\n--\n\nClose the journal, if one is open."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"units", get_units, NULL, "The number of units: instances of all panels.", NULL},
    {"first", get_first, NULL, "The first unit of each panel, and the number of all.", NULL},
    {"identity", get_identity, NULL, "All that decides what the records hold, as a text.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Reproduction(experiment, folder, source, find, seed, replicates, quick, prices)\n--\n\n"
     "An experiment made ready to be run: every panel, every learner. `folder` is where paths in\n"
     "specs begin, `source` the name and the bytes of its file or None, and `find(folder, spec)`\n"
     "returns what the files that a spec names hold, as two: a Model, an array or None."},
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
