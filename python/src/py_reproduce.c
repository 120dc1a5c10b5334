// SPDX-License-Identifier: MIT
// lgkt.reproduce: an experiment made ready (experiments/agenda.h), units of it played here, and the
// journal and tables of what was played anywhere (experiments/store.h).
//
// The experiment is that of lgkt/experiment.py, read attribute by attribute. Its texts are borrowed
// from Python's, which are kept. Files that specs name are found by a function of Python's.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/hash.h"
#include "experiments/reproduce.h"
#include "experiments/store.h"
#include "py_run.h"

// What finds the data of environments; the first member is what stages know of it.
typedef struct finder {
    exp_files files;
    PyObject *find;          // called with folder and spec, returns two
    PyThreadState *released; // while the experiment is made ready
    py_array *found;         // (count) kept until the end
    size_t count;
} finder;

typedef struct reproduction {
    PyObject_HEAD exp_experiment experiment;
    exp_agenda agenda;
    finder finder;
    PyObject *kept; // list of all that is borrowed from
    void **blocks;  // (block_count) memory of the experiment
    size_t block_count;
    exp_store store; // while a folder is open
    bool open;
    atomic_flag busy;
} reproduction;

// ---- the experiment ----
//
// What goes wrong sets an exception; from then on nothing is read, and what comes back is empty.

static void *take(reproduction *self, Py_ssize_t count, size_t size)
{
    void **grown = realloc(self->blocks, (self->block_count + 1) * sizeof *grown);
    self->blocks = grown != NULL ? grown : self->blocks;
    void *block = grown != NULL ? calloc((size_t)count + 1, size) : NULL;
    if (block != NULL)
        self->blocks[self->block_count++] = block;
    else
        PyErr_NoMemory();
    return block;
}

// an object that lives as long as self; takes the reference over
static PyObject *keep(reproduction *self, PyObject *object)
{
    const bool kept = object != NULL && PyList_Append(self->kept, object) == 0;
    Py_XDECREF(object);
    return kept ? object : NULL;
}

static PyObject *get(reproduction *self, PyObject *from, const char *name)
{
    return PyErr_Occurred() ? NULL : keep(self, PyObject_GetAttrString(from, name));
}

static bool refuse(const char *name, const char *why)
{
    char text[160];
    snprintf(text, sizeof text, "%s: %s", name, why);
    return py_fail(LGKT_ERR_ARGUMENT, text) != NULL;
}

static const char *text_of(PyObject *object, const char *name)
{
    Py_ssize_t size = 0;
    const char *text =
        object != NULL && PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &size) : NULL;
    if (text == NULL && !PyErr_Occurred())
        refuse(name, "it must be a text");
    for (Py_ssize_t i = 0; text != NULL && i < size; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 127) {
            refuse(name, "it has a control character; it must be one line");
            break;
        }
    return text != NULL ? text : "";
}

static const char *get_text(reproduction *self, PyObject *from, const char *name)
{
    return text_of(get(self, from, name), name);
}

static bool get_bool(reproduction *self, PyObject *from, const char *name)
{
    bool value = false;
    PyObject *object = get(self, from, name);
    return object != NULL && py_bool(object, &value) && value;
}

static double get_number(reproduction *self, PyObject *from, const char *name, double low,
                         double high)
{
    double value = low;
    PyObject *object = get(self, from, name);
    if (object != NULL && py_real(object, name, &value) && !(value >= low && value <= high)) {
        char text[96];
        snprintf(text, sizeof text, "it is %.16g; it must be in %g .. %.16g", value, low, high);
        refuse(name, text);
    }
    return value;
}

static int64_t get_whole(reproduction *self, PyObject *from, const char *name, int64_t low,
                         int64_t high)
{
    int64_t value = low;
    PyObject *object = get(self, from, name);
    if (object != NULL && py_int64(object, name, &value) && !(value >= low && value <= high)) {
        char text[96];
        snprintf(text, sizeof text, "it is %lld; it must be in %lld .. %lld", (long long)value,
                 (long long)low, (long long)high);
        refuse(name, text);
        return low;
    }
    return value;
}

// a sequence as a tuple of at most `most` entries; NULL with an exception
static PyObject *tuple_of(reproduction *self, PyObject *object, const char *name, Py_ssize_t least,
                          Py_ssize_t most, int32_t *count)
{
    PyObject *tuple = object != NULL ? keep(self, PySequence_Tuple(object)) : NULL;
    const Py_ssize_t size = tuple != NULL ? PyTuple_Size(tuple) : 0;
    *count = 0;
    if (tuple == NULL)
        return NULL;
    if (size < least || size > most) {
        char text[96];
        snprintf(text, sizeof text, "it has %zd entries; it must have %zd to %zd", size, least,
                 most);
        refuse(name, text);
        return NULL;
    }
    *count = (int32_t)size;
    return tuple;
}

static const int64_t *times_of(reproduction *self, PyObject *object, const char *name,
                               Py_ssize_t most, int32_t *count)
{
    PyObject *tuple = tuple_of(self, object, name, 0, most, count);
    int64_t *times = tuple != NULL ? take(self, *count, sizeof *times) : NULL;
    for (int32_t i = 0; i < *count && times != NULL && !PyErr_Occurred(); i++)
        if (py_int64(PyTuple_GetItem(tuple, i), name, &times[i]) &&
            times[i] <= (i > 0 ? times[i - 1] : 0))
            refuse(name, "times are whole numbers from 1 on that increase");
    return times;
}

static exp_measure measure_of(const char *word)
{
    // in the order of exp_measure_kind; those with a colon have a name behind it
    static const char *const WORDS[] = {"average", "cumulative", "regret",
                                        "ratio",   "counter:",   "event:"};
    for (int kind = 0; kind < (int)(sizeof WORDS / sizeof *WORDS); kind++) {
        const size_t length = strlen(WORDS[kind]);
        const bool named = WORDS[kind][length - 1] == ':';
        if (named ? strncmp(word, WORDS[kind], length) == 0 && word[length] != '\0'
                  : strcmp(word, WORDS[kind]) == 0)
            return (exp_measure){(exp_measure_kind)kind, word, named ? word + length : NULL};
    }
    refuse("measures", "average, cumulative, regret, ratio, counter:NAME and event:NAME are known");
    return exp_usual_measures[0];
}

// of what a grid made: which one it is; else NULL
static const exp_cell *cell_of(reproduction *self, PyObject *from)
{
    PyObject *grid = get(self, from, "grid"), *cell = get(self, from, "cell");
    if (cell == NULL || grid == Py_None)
        return NULL;
    int32_t count;
    PyObject *items =
        tuple_of(self, keep(self, PyMapping_Items(cell)), "cell", 1, EXP_MAX_LEARNERS, &count);
    exp_cell *made = items != NULL ? take(self, 1, sizeof *made) : NULL;
    exp_value *values = made != NULL ? take(self, count, sizeof *values) : NULL;
    for (int32_t i = 0; i < count && values != NULL && !PyErr_Occurred(); i++) {
        PyObject *name, *value;
        if (!PyArg_ParseTuple(PyTuple_GetItem(items, i), "OO", &name, &value))
            break;
        values[i] = (exp_value){text_of(name, "cell"), "", NAN};
        if (PyUnicode_Check(value))
            values[i].text = text_of(value, "cell");
        else
            py_real(value, "cell", &values[i].number);
    }
    if (values != NULL)
        *made = (exp_cell){text_of(grid, "grid"), values, count};
    return made;
}

static exp_entry entry_of(reproduction *self, PyObject *from)
{
    exp_entry entry = {
        .label = get_text(self, from, "label"),
        .spec = get_text(self, from, "spec"),
        .oracle = get_bool(self, from, "oracle"),
        .alone = get_bool(self, from, "alone"),
        .group = get_text(self, from, "group"),
        .section = get_text(self, from, "section"),
        .cell = cell_of(self, from),
    };
    PyObject *style = get(self, from, "style");
    if (style == NULL)
        return entry;
    // what the file did not say is not there
    static const char *const KEYS[] = {"color", "dash", "width"};
    for (int i = 0; i < 3 && !PyErr_Occurred(); i++) {
        if (!PyMapping_HasKeyString(style, KEYS[i]))
            continue;
        PyObject *value = keep(self, PyMapping_GetItemString(style, KEYS[i]));
        if (value != NULL && i == 0)
            entry.style.color = text_of(value, "style: color");
        else if (value != NULL && i == 1)
            entry.style.dash = text_of(value, "style: dash");
        else if (value != NULL)
            py_real(value, "style: width", &entry.style.width);
    }
    return entry;
}

static void read_events(reproduction *self, PyObject *from, exp_panel *panel)
{
    PyObject *events = get(self, from, "events");
    PyObject *items = events != NULL ? keep(self, PyMapping_Items(events)) : NULL;
    PyObject *tuple = tuple_of(self, items, "events", 0, EXP_MAX_MEASURES, &panel->event_count);
    exp_event *made = tuple != NULL ? take(self, panel->event_count, sizeof *made) : NULL;
    panel->events = made;
    for (int32_t e = 0; e < panel->event_count && made != NULL && !PyErr_Occurred(); e++) {
        PyObject *name, *env;
        if (PyArg_ParseTuple(PyTuple_GetItem(tuple, e), "OO", &name, &env))
            made[e] = (exp_event){text_of(name, "events"), text_of(env, "events")};
    }
}

static void read_measures(reproduction *self, PyObject *from, exp_panel *panel)
{
    PyObject *words = tuple_of(self, get(self, from, "measures"), "measures", 1, EXP_MAX_MEASURES,
                               &panel->measure_count);
    exp_measure *measures =
        words != NULL ? take(self, panel->measure_count, sizeof *measures) : NULL;
    panel->measures = measures;
    for (int32_t m = 0; m < panel->measure_count && measures != NULL && !PyErr_Occurred(); m++) {
        measures[m] = measure_of(text_of(PyTuple_GetItem(words, m), "measures"));
        if (measures[m].kind == EXP_MEASURE_REGRET && panel->regret_k == 0)
            refuse("measures", "regret needs K and threshold");
        if (measures[m].kind == EXP_MEASURE_RATIO && panel->measure_count > 1)
            refuse("measures", "ratio goes with no other measure");
    }
}

static exp_panel panel_of(reproduction *self, PyObject *from)
{
    exp_panel panel = {
        .name = get_text(self, from, "name"),
        .place = (int32_t)get_whole(self, from, "place", 0, EXP_MAX_PANELS),
        .title = get_text(self, from, "title"),
        .env = get_text(self, from, "environment"),
        .horizon = get_whole(self, from, "horizon", 1, EXP_MAX_HORIZON),
        .instances = get_whole(self, from, "instances", 1, EXP_MAX_REPLICATES),
        .quick_instances = get_whole(self, from, "quick", 0, EXP_MAX_REPLICATES),
        .untold = get_bool(self, from, "untold"),
        .cell = cell_of(self, from),
    };
    PyObject *regret = get(self, from, "regret"), *k, *threshold;
    if (regret != NULL && regret != Py_None && PyTuple_Check(regret) &&
        PyArg_ParseTuple(regret, "OO;regret must be (K, threshold)", &k, &threshold) &&
        py_int64(k, "regret: K", &panel.regret_k) &&
        py_real(threshold, "regret: the threshold", &panel.regret_threshold) && panel.regret_k < 1)
        refuse("regret", "K must be at least 1");
    read_events(self, from, &panel);
    read_measures(self, from, &panel);
    PyObject *times = get(self, from, "checkpoints");
    const bool word = times != NULL && PyUnicode_Check(times);
    panel.times = !word                                                 ? EXP_TIMES_GIVEN
                  : PyUnicode_CompareWithASCIIString(times, "log") == 0 ? EXP_TIMES_LOG
                                                                        : EXP_TIMES_MIXED;
    if (!word)
        panel.given_times = times_of(self, times, "checkpoints", EXP_MAX_TIMES, &panel.given_count);
    panel.compare = times_of(self, get(self, from, "compare"), "compare", EXP_MAX_COMPARE,
                             &panel.compare_count);
    PyObject *units = get(self, from, "units");
    if (units != NULL && units != Py_None)
        panel.units = (exp_units){
            .count = (int32_t)get_whole(self, units, "count", 1, EXP_MAX_UNITS),
            .late = get_number(self, units, "late", 0.0, 1e6),
            .missing = get_number(self, units, "missing", 0.0, 1.0),
            .patience = get_whole(self, units, "patience", 1, 1000000),
            .told = get_whole(self, units, "told", 0, EXP_MAX_HORIZON),
            .extended = get_whole(self, units, "extended", 0, EXP_MAX_HORIZON),
        };
    PyObject *entries = tuple_of(self, get(self, from, "entries"), "entries", 1, EXP_MAX_LEARNERS,
                                 &panel.entry_count);
    exp_entry *made = entries != NULL ? take(self, panel.entry_count, sizeof *made) : NULL;
    panel.entries = made;
    for (int32_t l = 0; l < panel.entry_count && made != NULL && !PyErr_Occurred(); l++)
        made[l] = entry_of(self, PyTuple_GetItem(entries, l));
    return panel;
}

// `source` is the name and the bytes of the file, or None
static bool read_experiment(reproduction *self, PyObject *from, PyObject *folder, PyObject *source)
{
    exp_experiment *experiment = &self->experiment;
    *experiment = (exp_experiment){
        .name = get_text(self, from, "name"),
        .title = get_text(self, from, "title"),
        .question = get_text(self, from, "question"),
        .place = get_text(self, from, "place"),
        .collection = get_text(self, from, "collection"),
        .section = get_text(self, from, "section"),
        .order = get_whole(self, from, "order", 0, INT32_MAX),
        .folder = text_of(keep(self, Py_NewRef(folder)), "folder"),
    };
    Py_ssize_t size = 0;
    PyObject *name, *bytes;
    char *data = NULL;
    if (!PyErr_Occurred() && source != Py_None && keep(self, Py_NewRef(source)) != NULL &&
        PyArg_ParseTuple(source, "OO", &name, &bytes) &&
        PyBytes_AsStringAndSize(bytes, &data, &size) == 0) {
        experiment->file = text_of(name, "file");
        experiment->bytes = data;
        experiment->size = (size_t)size;
        experiment->hash = lgkt_hash_bytes(LGKT_HASH_START, data, (size_t)size);
    }
    PyObject *panels = tuple_of(self, get(self, from, "panels"), "panels", 1, EXP_MAX_PANELS,
                                &experiment->panel_count);
    exp_panel *made = panels != NULL ? take(self, experiment->panel_count, sizeof *made) : NULL;
    experiment->panels = made;
    for (int32_t p = 0; p < experiment->panel_count && made != NULL && !PyErr_Occurred(); p++)
        made[p] = panel_of(self, PyTuple_GetItem(panels, p));
    return !PyErr_Occurred();
}

// ---- files that specs name ----

// The exception as a failure, so that those who asked can say where it happened; false: it is none
// of the package, and stays.
static bool take_failure(lgkt_error *error)
{
    PyObject *type, *why, *trace;
    PyErr_Fetch(&type, &why, &trace);
    PyErr_NormalizeException(&type, &why, &trace);
    PyObject *name = why != NULL ? PyObject_GetAttrString(why, "status") : NULL;
    PyObject *words = name != NULL && PyUnicode_Check(name) ? PyObject_Str(why) : NULL;
    const char *text = words != NULL ? PyUnicode_AsUTF8AndSize(words, NULL) : NULL;
    lgkt_status status = LGKT_ERR_ARGUMENT;
    while (text != NULL && status > LGKT_ERR_SYSTEM &&
           PyUnicode_CompareWithASCIIString(name, lgkt_status_name(status)) != 0)
        status = (lgkt_status)(status - 1);
    if (text != NULL)
        lgkt_fail(error, status, "%s", text);
    PyErr_Clear();
    Py_XDECREF(words);
    Py_XDECREF(name);
    if (text == NULL) {
        PyErr_Restore(type, why, trace);
        return false;
    }
    Py_XDECREF(type);
    Py_XDECREF(why);
    Py_XDECREF(trace);
    return true;
}

static bool take_data(finder *f, PyObject *object, lgkt_data *data)
{
    py_array *grown = realloc(f->found, (f->count + 1) * sizeof *grown);
    if (grown == NULL) {
        PyErr_NoMemory();
        return false;
    }
    f->found = grown;
    py_array *array = &grown[f->count++];
    *array = (py_array){0};
    if (!py_data_read(object, data, array))
        return false;
    // a model has no array
    if (array->object == NULL)
        array->object = Py_NewRef(object);
    return true;
}

static lgkt_status find_data(const exp_files *files, const char *before, const char *spec,
                             io_data *data, lgkt_error *error)
{
    finder *f = (finder *)files;
    *data = (io_data){0};
    PyEval_RestoreThread(f->released);
    PyObject *both = PyObject_CallFunction(f->find, "ss", before, spec), *given, *after;
    const bool good = both != NULL && PyArg_Parse(both, "(OO);two are needed", &given, &after) &&
                      take_data(f, given, &data->given) && take_data(f, after, &data->after);
    // what is no failure of ours stays an exception, whatever the status
    lgkt_status status = LGKT_OK;
    if (!good)
        status = take_failure(error) ? error->status : LGKT_ERR_ARGUMENT;
    Py_XDECREF(both);
    f->released = PyEval_SaveThread();
    return status;
}

static void forget_data(io_data *data)
{
    *data = (io_data){0};
}

// ---- making ----

static void dealloc(PyObject *object)
{
    reproduction *self = (reproduction *)object;
    exp_store_free(&self->store);
    exp_agenda_free(&self->agenda);
    for (size_t i = 0; i < self->finder.count; i++)
        py_array_release(&self->finder.found[i]);
    free(self->finder.found);
    for (size_t i = 0; i < self->block_count; i++)
        free(self->blocks[i]);
    free(self->blocks);
    Py_CLEAR(self->kept);
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
    self->kept = PyList_New(0);
    self->finder.files = (exp_files){find_data, forget_data};
    self->finder.find = find;
    exp_asked asked = {
        .experiment = &self->experiment, .quick = quick != 0, .files = &self->finder.files};
    bool good = self->kept != NULL && py_uint64(seed, "seed", &asked.seed) &&
                (replicates == Py_None ||
                 (py_int64(replicates, "replicates", &asked.replicates) &&
                  check_range("replicates", asked.replicates, EXP_MAX_REPLICATES)));
    if (good && prices != Py_None)
        asked.prices = text_of(keep(self, Py_NewRef(prices)), "prices");
    if (good && !PyErr_Occurred() && read_experiment(self, experiment, folder, source)) {
        lgkt_error error = {0};
        self->finder.released = PyEval_SaveThread();
        const lgkt_status status = exp_agenda_make(&self->agenda, &asked, &error);
        PyEval_RestoreThread(self->finder.released);
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
