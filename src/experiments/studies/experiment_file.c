// SPDX-License-Identifier: MIT
// Reading experiment files (docs/experiments.md). Texts and arrays are those of the document, which
// lives as long as the experiment.
#include "experiments/runner/experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/settings.h"
#include "core/text.h"
#include "experiments/runner/checkpoints.h"
#include "experiments/studies/experiment_grid.h"
#include "io/formats/io_document.h"
#include "io/plain/io_folder.h"

#define FILE_BYTES      ((size_t)1 << 22)
#define WORD_BYTES      64 // of labels, names and the like
#define LINE_BYTES      2000
#define SEED_MOST       9007199254740991.0 // 2^53 - 1, which every reader of JSON keeps
#define QUICK_INSTANCES 30                 // where a file does not say
#define CLASH           "grids of \"%s\" must have the same names and no cell in common"

_Static_assert(EXP_MAX_TIMES < EXP_MAX_CHECKPOINTS, "the end is a checkpoint, too");

static int64_t get_whole(io_document *d, const io_spot *at, const char *key, double min, double max,
                         double fallback)
{
    return (int64_t)io_get_number(d, at, key, true, min, max, fallback);
}

static const int64_t *get_times(io_document *d, const io_spot *at, const char *key, size_t most,
                                int32_t *count)
{
    const json_t *list = io_find(d, at, key, true);
    *count = io_check_list(d, at, key, list, 0, most);
    int64_t *times = io_take(d, *count, sizeof *times);
    for (int32_t i = 0; i < *count && times != NULL; i++) {
        times[i] = json_integer_value(json_array_get(list, (size_t)i));
        if (times[i] <= (i > 0 ? times[i - 1] : 0) || times[i] > EXP_MAX_HORIZON)
            io_refuse(d, at, key, "entry %d: times are whole numbers from 1 on that increase",
                      (int)i);
    }
    return times;
}

// ---- learners ----

typedef struct learner_set {
    const char *name; // NULL behind the last
    exp_entry *entries;
    int32_t count;
} learner_set;

static const exp_field LEARNER_FIELDS[] = {
    {.key = "label", .limit = WORD_BYTES, .before = " ", .between = "="},
    {.key = "spec", .limit = LGKT_MAX_SPEC, .makes = true},
    {.key = "group", .limit = WORD_BYTES},
    {.key = "section", .limit = WORD_BYTES},
    {.key = NULL},
};

static exp_entry read_entry(io_document *d, const io_spot *at, const char *set)
{
    static const char *const KEYS[] = {"label",  "spec",  "group", "section", "style",
                                       "oracle", "alone", "grid",  NULL};
    static const char *const STYLE_KEYS[] = {"color", "dash", "width", NULL};
    static const char *const DASHES[] = {"solid", "dashed", "dotted", "dashdot", "short", NULL};
    io_check_keys(d, at, KEYS);
    exp_entry entry = {
        .label = io_get_text(d, at, "label", WORD_BYTES, NULL),
        .spec = io_get_text(d, at, "spec", LGKT_MAX_SPEC, NULL),
        .oracle = io_get_bool(d, at, "oracle"),
        .alone = io_get_bool(d, at, "alone"),
        .group = io_get_text(d, at, "group", WORD_BYTES, set),
        .section = io_get_text(d, at, "section", WORD_BYTES, ""),
    };
    const io_spot style = io_within(at, "style", -1, io_find(d, at, "style", false));
    if (style.object == NULL)
        return entry;
    io_check_keys(d, &style, STYLE_KEYS);
    if (io_find(d, &style, "color", false) != NULL) {
        const char *color = entry.style.color = io_get_text(d, &style, "color", WORD_BYTES, NULL);
        if (color[0] != '#' || strlen(color) != 7 ||
            strspn(color + 1, "0123456789abcdefABCDEF") != 6)
            io_refuse(d, &style, "color", "it is \"%s\"; it must be like \"#e69f00\"", color);
    }
    if (io_find(d, &style, "dash", false) != NULL) {
        entry.style.dash = io_get_text(d, &style, "dash", WORD_BYTES, NULL);
        io_check_word(d, &style, "dash", "", entry.style.dash, DASHES);
    }
    entry.style.width = io_get_number(d, &style, "width", false, 0.1, 20.0, 0.0);
    return entry;
}

static const learner_set *read_sets(io_document *d, const io_spot *root)
{
    const io_spot at = io_within(root, "learners", -1, io_find(d, root, "learners", true));
    const size_t count = json_object_size(at.object);
    if (count == 0 || count > EXP_MAX_LEARNERS)
        io_refuse(d, &at, "", "it must be an object with named lists of learners");
    learner_set *sets = io_take(d, d->status == LGKT_OK ? (int32_t)count : 0, sizeof *sets);
    learner_set *set = sets;
    int32_t cells = 0;
    const char *name;
    json_t *list;
    json_object_foreach(at.object, name, list)
    {
        if (d->status != LGKT_OK)
            break;
        set->name = io_check_text(d, &at, name, name, WORD_BYTES, false);
        exp_cells parts = exp_cells_begin(d, &at, name, list, LEARNER_FIELDS, EXP_MAX_LEARNERS);
        set->entries = io_take(d, d->status == LGKT_OK ? parts.count : 0, sizeof *set->entries);
        while (set->count < parts.count && d->status == LGKT_OK) {
            const exp_object part = exp_cells_next(d, &parts);
            set->entries[set->count] = read_entry(d, &part.at, name);
            set->entries[set->count++].cell = part.cell;
            cells += part.cell != NULL;
        }
        if (cells > EXP_MAX_CELLS)
            io_refuse(d, root, "learners", "grids make more than %d of them", EXP_MAX_CELLS);
        set++;
    }
    return sets;
}

static const char *set_name(const void *ctx, int32_t i)
{
    const learner_set *sets = ctx;
    return sets[i].name;
}

// All learners of the sets that a panel names, in this order.
static void read_learners(io_document *d, const io_spot *at, const learner_set *sets,
                          exp_panel *panel)
{
    const json_t *list = io_find(d, at, "learners", true);
    const int32_t names = io_check_list(d, at, "learners", list, 1, EXP_MAX_LEARNERS);
    int32_t room = 0; // a set that is there twice has labels that are
    for (const learner_set *set = sets; names > 0 && set->name != NULL; set++)
        room = room + set->count < EXP_MAX_LEARNERS ? room + set->count : EXP_MAX_LEARNERS;
    exp_entry *entries = io_take(d, room, sizeof *entries);
    panel->entries = entries;
    for (int32_t i = 0; i < names && d->status == LGKT_OK; i++) {
        const char *name = json_string_value(json_array_get(list, (size_t)i));
        const learner_set *set = sets;
        name = io_check_text(d, at, "learners", name, WORD_BYTES, false);
        while (set->name != NULL && strcmp(set->name, name) != 0)
            set++;
        if (set->name == NULL) {
            char hint[100];
            lgkt_suggest(hint, sizeof hint, name, set_name, sets);
            io_refuse(d, at, "learners", "no set of learners \"%s\"; %s", name, hint);
        }
        for (int32_t e = 0; e < set->count && d->status == LGKT_OK; e++) {
            const exp_entry *entry = &set->entries[e];
            for (int32_t l = 0; l < panel->entry_count; l++)
                if (strcmp(entries[l].label, entry->label) == 0)
                    io_refuse(d, at, "learners", "two of them have the label \"%s\"", entry->label);
                else if (exp_cells_clash(entries[l].cell, entry->cell))
                    io_refuse(d, at, "learners", CLASH, entry->cell->grid);
            if (panel->entry_count < room)
                entries[panel->entry_count++] = *entry;
            else
                io_refuse(d, at, "learners", "more than %d learners", EXP_MAX_LEARNERS);
        }
    }
}

// ---- panels ----

// The other environments whose rewards are counted.
static void read_events(io_document *d, const io_spot *at, exp_panel *panel)
{
    const json_t *events = io_find(d, at, "events", false);
    const char *name;
    json_t *env;
    if (events != NULL && (!json_is_object(events) || json_object_size(events) > EXP_MAX_MEASURES))
        io_refuse(d, at, "events", "it must be an object with at most %d environments",
                  EXP_MAX_MEASURES);
    exp_event *made = io_take(d, EXP_MAX_MEASURES, sizeof *made);
    panel->events = made;
    json_object_foreach((json_t *)events, name, env)
    {
        if (d->status != LGKT_OK)
            break;
        io_check_text(d, at, "events", name, WORD_BYTES - sizeof "event:", false);
        made[panel->event_count].name = name;
        made[panel->event_count++].env =
            io_check_text(d, at, "events", json_string_value(env), LGKT_MAX_SPEC, false);
    }
}

static exp_measure read_measure(io_document *d, const io_spot *at, const char *word,
                                const exp_panel *panel)
{
    exp_measure measure = exp_usual_measures[0];
    word = io_check_text(d, at, "measure", word, WORD_BYTES, false);
    if (!exp_measure_parse(word, &measure))
        io_check_word(d, at, "measure", "measure ", word, exp_measure_words);
    if (measure.kind == EXP_MEASURE_REGRET && panel->regret_k == 0)
        io_refuse(d, at, "measure", "regret needs \"regret\": {\"k\": ..., \"threshold\": ...}");
    bool known = measure.kind != EXP_MEASURE_EVENT;
    for (int32_t e = 0; e < panel->event_count && !known; e++)
        known = strcmp(panel->events[e].name, measure.name) == 0;
    if (!known)
        io_refuse(d, at, "measure", "\"events\" has no \"%s\"", measure.name);
    return measure;
}

static void read_measures(io_document *d, const io_spot *at, exp_panel *panel)
{
    const json_t *value = io_find(d, at, "measure", false);
    const bool several = json_is_array(value);
    const int32_t count = several ? io_check_list(d, at, "measure", value, 1, EXP_MAX_MEASURES) : 1;
    exp_measure *measures = io_take(d, count, sizeof *measures);
    panel->measures = measures;
    panel->measure_count = count;
    for (int32_t i = 0; i < count && d->status == LGKT_OK; i++) {
        const json_t *word = several ? json_array_get(value, (size_t)i) : value;
        measures[i] =
            read_measure(d, at, value != NULL ? json_string_value(word) : "average", panel);
        for (int32_t j = 0; j < i; j++)
            if (strcmp(measures[j].word, measures[i].word) == 0)
                io_refuse(d, at, "measure", "\"%s\" is there twice", measures[i].word);
        if (measures[i].kind == EXP_MEASURE_RATIO && count > 1)
            io_refuse(d, at, "measure", "ratio goes with no other measure");
    }
}

static void read_times(io_document *d, const io_spot *at, exp_panel *panel)
{
    static const int64_t usual[] = {100, 1000, 5000, 10000, 100000};
    const bool regret = d->status == LGKT_OK && panel->measures[0].kind == EXP_MEASURE_REGRET;
    if (json_is_array(io_find(d, at, "checkpoints", false))) {
        panel->times = EXP_TIMES_GIVEN;
        panel->given_times = get_times(d, at, "checkpoints", EXP_MAX_TIMES, &panel->given_count);
    } else {
        const char *word = io_get_text(d, at, "checkpoints", WORD_BYTES, regret ? "log" : "mixed");
        panel->times = strcmp(word, "log") == 0 ? EXP_TIMES_LOG : EXP_TIMES_MIXED;
        if (panel->times == EXP_TIMES_MIXED && strcmp(word, "mixed") != 0)
            io_refuse(d, at, "checkpoints", "it must be \"mixed\", \"log\" or a list of times");
    }
    panel->compare = usual;
    panel->compare_count = sizeof usual / sizeof *usual;
    if (io_find(d, at, "compare", false) != NULL)
        panel->compare = get_times(d, at, "compare", EXP_MAX_COMPARE, &panel->compare_count);
}

// The group `key` of a panel, or of the file if the panel has none.
static io_spot find_group(io_document *d, const io_spot *at, const io_spot *own, const char *key)
{
    const bool has = json_object_get(own->object, key) != NULL;
    return io_within(has ? own : &(io_spot){.object = NULL}, key, -1, io_find(d, at, key, false));
}

static exp_units read_units(io_document *d, const io_spot *at)
{
    static const char *const KEYS[] = {"count", "late",     "missing", "patience",
                                       "told",  "extended", NULL};
    exp_units units = {0};
    if (at->object == NULL)
        return units;
    io_check_keys(d, at, KEYS);
    units = (exp_units){
        .count = (int32_t)get_whole(d, at, "count", 1, EXP_MAX_UNITS, NAN),
        .late = io_get_number(d, at, "late", false, 0, 1e6, 0),
        .missing = io_get_number(d, at, "missing", false, 0, 1, 0),
        .patience = get_whole(d, at, "patience", 1, 1000000, 100),
        .told = get_whole(d, at, "told", 1, EXP_MAX_HORIZON, 0),
        .extended = get_whole(d, at, "extended", 0, EXP_MAX_HORIZON, 0),
    };
    if (units.told > 0 && units.extended > units.told)
        io_refuse(d, at, "extended",
                  "it is %lld, and the run ends after %lld rounds that were told",
                  (long long)units.extended, (long long)units.told);
    return units;
}

static const exp_field PANEL_FIELDS[] = {
    {.key = "name", .limit = WORD_BYTES, .before = " ", .between = "="},
    {.key = "title", .limit = LINE_BYTES, .before = ", ", .between = " = "},
    {.key = "environment", .limit = LGKT_MAX_SPEC, .makes = true},
    {.key = "events", .limit = LGKT_MAX_SPEC, .makes = true},
    {.key = "horizon", .makes = true},
    {.key = "instances", .makes = true},
    {.key = "quick"},
    {.key = NULL},
};

// `at` has the file as its outer object, and `own` has none. `sibling`, another cell of its grid,
// has the same learners; nullable.
static exp_panel read_panel(io_document *d, const io_spot *at, const io_spot *own,
                            const learner_set *sets, const exp_panel *sibling)
{
    static const char *const KEYS[] = {"name",        "title",     "environment", "learners",
                                       "horizon",     "instances", "quick",       "measure",
                                       "regret",      "events",    "untold",      "compare",
                                       "checkpoints", "units",     "grid",        NULL};
    static const char *const REGRET_KEYS[] = {"k", "threshold", NULL};
    io_check_keys(d, at, KEYS);
    exp_panel panel = {
        .name = io_get_text(d, own, "name", WORD_BYTES, NULL),
        .env = io_get_text(d, own, "environment", LGKT_MAX_SPEC, NULL),
        .horizon = get_whole(d, at, "horizon", 1, EXP_MAX_HORIZON, NAN),
        .instances = get_whole(d, at, "instances", 1, EXP_MAX_REPLICATES, NAN),
        .quick_instances = get_whole(d, at, "quick", 0, EXP_MAX_REPLICATES, QUICK_INSTANCES),
        .untold = io_get_bool(d, at, "untold"),
    };
    panel.title = io_get_text(d, own, "title", LINE_BYTES, panel.name);
    if (panel.quick_instances > panel.instances)
        panel.quick_instances = panel.instances;
    const io_spot regret = find_group(d, at, own, "regret"),
                  units = find_group(d, at, own, "units");
    panel.units = read_units(d, &units);
    if (regret.object != NULL) {
        io_check_keys(d, &regret, REGRET_KEYS);
        panel.regret_k = get_whole(d, &regret, "k", 1, EXP_MAX_HORIZON, NAN);
        panel.regret_threshold = io_get_number(d, &regret, "threshold", false, -1e300, 1e300, NAN);
    }
    read_events(d, at, &panel);
    read_measures(d, at, &panel);
    read_times(d, at, &panel);
    if (sibling != NULL) {
        panel.entries = sibling->entries;
        panel.entry_count = sibling->entry_count;
    } else {
        read_learners(d, own, sets, &panel);
    }
    return panel;
}

// ---- the whole ----

static const char *copy(io_document *d, const char *text, size_t length)
{
    char *made = io_take(d, (int32_t)length, 1);
    return made != NULL ? memcpy(made, text, length) : "";
}

// The name of the experiment and the folder are those of the file.
static void read_path(io_document *d, const io_spot *root, const char *path,
                      exp_experiment *experiment)
{
    const char *base = io_base_name(path);
    const size_t length = strlen(base);
    const bool json = length > 5 && strcmp(base + length - 5, ".json") == 0;
    experiment->name = copy(d, base, length - (json ? 5 : 0));
    experiment->file = copy(d, base, length);
    experiment->folder = copy(d, path, (size_t)(base - path));
    io_check_text(d, root, "its name", experiment->name, WORD_BYTES, false);
    if (experiment->name[0] == '.')
        io_refuse(d, root, "", "the name of an experiment must not begin with a dot");
}

static void read_root(io_document *d, const io_spot *root, exp_experiment *experiment)
{
    static const char *const KEYS[] = {
        "title",   "question", "place",  "collection", "section",     "order", "seed",
        "comment", "learners", "panels", "horizon",    "instances",   "quick", "measure",
        "regret",  "events",   "untold", "compare",    "checkpoints", "units", NULL};
    io_check_keys(d, root, KEYS);
    experiment->title = io_get_text(d, root, "title", LINE_BYTES, experiment->name);
    experiment->question = io_get_text(d, root, "question", LINE_BYTES, "");
    experiment->place = io_get_text(d, root, "place", LINE_BYTES, "");
    experiment->collection = io_get_text(d, root, "collection", WORD_BYTES, "");
    experiment->section = io_get_text(d, root, "section", WORD_BYTES, experiment->name);
    experiment->order = get_whole(d, root, "order", 0, 1000000, 1000);
    experiment->seed = (uint64_t)get_whole(d, root, "seed", 0, SEED_MOST, 1);
    io_get_text(d, root, "comment", LINE_BYTES, "");
    const learner_set *sets = read_sets(d, root);
    const json_t *list = io_find(d, root, "panels", true);
    exp_cells parts = exp_cells_begin(d, root, "panels", list, PANEL_FIELDS, EXP_MAX_PANELS);
    const int32_t count = d->status == LGKT_OK ? parts.count : 0;
    exp_panel *panels = io_take(d, count, sizeof *panels);
    for (int32_t p = 0; p < count && d->status == LGKT_OK; p++) {
        const exp_object part = exp_cells_next(d, &parts);
        const io_spot own = part.at;
        io_spot at = own;
        at.outer = root->object;
        const bool sibling = p > 0 && panels[p - 1].place == part.place;
        panels[p] = read_panel(d, &at, &own, sets, sibling ? &panels[p - 1] : NULL);
        panels[p].place = part.place;
        panels[p].cell = part.cell;
        for (int32_t q = 0; q < p; q++)
            if (strcmp(panels[q].name, panels[p].name) == 0)
                io_refuse(d, &own, "name", "a second panel \"%s\"", panels[p].name);
            else if (exp_cells_clash(panels[q].cell, panels[p].cell))
                io_refuse(d, &own, "grid", CLASH, panels[p].cell->grid);
    }
    experiment->panels = panels;
    experiment->panel_count = count;
}

lgkt_status exp_experiment_parse(exp_experiment *experiment, const char *bytes, size_t size,
                                 const char *path, lgkt_error *error)
{
    io_document *d = calloc(1, sizeof *d);
    *experiment =
        (exp_experiment){.memory = d, .hash = lgkt_hash_bytes(LGKT_HASH_START, bytes, size)};
    if (d == NULL)
        return lgkt_fail_memory(error, "an experiment");
    d->file = (io_place){.name = path, .error = error};
    io_document_parse(d, bytes, size);
    if (d->status == LGKT_OK) {
        const io_spot root = {.object = d->root};
        experiment->bytes = copy(d, bytes, size);
        experiment->size = size;
        read_path(d, &root, path, experiment);
        read_root(d, &root, experiment);
    }
    const lgkt_status status = d->status;
    if (status != LGKT_OK)
        exp_experiment_free(experiment);
    return status;
}

lgkt_status exp_experiment_read(exp_experiment *experiment, const char *path, lgkt_error *error)
{
    char *bytes = NULL;
    size_t size = 0;
    *experiment = (exp_experiment){0};
    lgkt_status status = io_file_read(path, FILE_BYTES, &bytes, &size, error);
    if (status == LGKT_OK)
        status = exp_experiment_parse(experiment, bytes, size, path, error);
    free(bytes);
    return status;
}

void exp_experiment_free(exp_experiment *experiment)
{
    if (experiment->memory != NULL)
        io_document_release(experiment->memory);
    free(experiment->memory);
    *experiment = (exp_experiment){0};
}

void exp_experiment_quicken(exp_experiment *experiment)
{
    exp_panel *panels = (exp_panel *)experiment->panels; // of one of our blocks
    int32_t kept = 0;
    for (int32_t p = 0; p < experiment->panel_count; p++)
        if (panels[p].quick_instances > 0)
            panels[kept++] = panels[p];
    experiment->panel_count = kept;
}
