// SPDX-License-Identifier: MIT
// Reading experiment files (docs/experiments.md) from documents. Texts and arrays are those of the
// document, which lives as long as the experiment.
#include "experiments/reader/experiment_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/settings.h"
#include "core/text.h"
#include "experiments/reader/experiment_grid.h"
#include "io/plain/io_folder.h"

#define WORD_BYTES      64 // of labels, names and the like
#define LINE_BYTES      2000
#define SEED_MOST       9007199254740991.0 // 2^53 - 1, which every reader of JSON keeps
#define QUICK_INSTANCES 30                 // where a file does not say
#define PATIENCE        100                // the same
#define CLASH           "grids of \"%s\" must have the same names and no cell in common"

static const int64_t *read_increasing(io_document *d, const io_spot *at, const char *key,
                                      size_t most, int32_t *count)
{
    const io_value list = io_find(d, at, key, true);
    *count = io_check_list(d, at, key, list, 0, most);
    int64_t *times = io_take(d, (size_t)*count, sizeof *times);
    for (int32_t i = 0; i < *count && d->status == LGKT_OK; i++) {
        const io_value item = io_item(d, list, (size_t)i);
        times[i] = item.kind == IO_WHOLE ? item.whole : 0;
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

static const io_field ENTRY_FIELDS[] = {
    {"label", IO_TEXT_AT(exp_entry, label, WORD_BYTES), .flags = IO_NEEDED | IO_NAMES,
     .before = " ", .between = "="},
    {"spec", IO_TEXT_AT(exp_entry, spec, LGKT_MAX_SPEC), .flags = IO_NEEDED | IO_NAMES | IO_MAKES},
    {"group", IO_TEXT_AT(exp_entry, group, WORD_BYTES), .flags = IO_NAMES},
    {"section", IO_TEXT_AT(exp_entry, section, WORD_BYTES), .flags = IO_NAMES},
    {.key = "style"},
    {"oracle", IO_BOOL_AT(exp_entry, oracle)},
    {"alone", IO_BOOL_AT(exp_entry, alone)},
    {.key = "grid"},
    {.key = NULL},
};

static const io_field STYLE_FIELDS[] = {
    {"color", IO_TEXT_AT(exp_style, color, WORD_BYTES)},
    {"dash", IO_TEXT_AT(exp_style, dash, WORD_BYTES)},
    {"width", IO_REAL_AT(exp_style, width, 0.1, 20.0)},
    {.key = NULL},
};

static exp_entry read_entry(io_document *d, const io_spot *at, const char *set)
{
    static const char *const DASHES[] = {"solid", "dashed", "dotted", "dashdot", "short", NULL};
    exp_entry entry = {.group = set, .section = ""};
    io_read_fields(d, at, ENTRY_FIELDS, NULL, &entry);
    const io_spot style = io_find_group(d, at, "style");
    if (style.object.kind == IO_NOTHING)
        return entry;
    io_read_fields(d, &style, STYLE_FIELDS, NULL, &entry.style);
    const char *color = entry.style.color, *dash = entry.style.dash;
    if (color != NULL &&
        (color[0] != '#' || strlen(color) != 7 || strspn(color + 1, "0123456789abcdefABCDEF") != 6))
        io_refuse(d, &style, "color", "it is \"%s\"; it must be like \"#e69f00\"", color);
    if (dash != NULL)
        io_check_word(d, &style, "dash", "", dash, DASHES);
    return entry;
}

static const learner_set *read_sets(io_document *d, const io_spot *root)
{
    const io_spot at = io_within(root, "learners", -1, io_find(d, root, "learners", true));
    const size_t count = at.object.kind == IO_OBJECT ? at.object.size : 0;
    if (count == 0 || count > EXP_MAX_LEARNERS)
        io_refuse(d, &at, "", "it must be an object with named lists of learners");
    const io_member *lists = io_members(d, at.object);
    learner_set *sets = io_take(d, count, sizeof *sets);
    int32_t cells = 0;
    for (size_t s = 0; s < count && d->status == LGKT_OK; s++) {
        learner_set *set = &sets[s];
        const io_value name = {.kind = IO_TEXT, .text = lists[s].name};
        set->name = io_check_text(d, &at, lists[s].name, name, WORD_BYTES, false);
        exp_cells made =
            exp_cells_begin(d, &at, set->name, lists[s].value, ENTRY_FIELDS, EXP_MAX_LEARNERS);
        set->entries = io_take(d, (size_t)made.count, sizeof *set->entries);
        while (set->count < made.count && d->status == LGKT_OK) {
            const exp_object object = exp_cells_next(d, &made);
            set->entries[set->count] = read_entry(d, &object.at, set->name);
            set->entries[set->count++].cell = object.cell;
            cells += object.cell != NULL;
        }
        if (cells > EXP_MAX_CELLS)
            io_refuse(d, root, "learners", "grids make more than %d of them", EXP_MAX_CELLS);
    }
    return sets;
}

// Adds a learner to those of a panel, with its own label and cell.
static void add_entry(io_document *d, const io_spot *at, const exp_entry *entry, exp_entry *entries,
                      int32_t most, int32_t *count)
{
    for (int32_t l = 0; l < *count; l++)
        if (strcmp(entries[l].label, entry->label) == 0)
            io_refuse(d, at, "learners", "two of them have the label \"%s\"", entry->label);
        else if (exp_cells_clash(entries[l].cell, entry->cell))
            io_refuse(d, at, "learners", CLASH, entry->cell->grid);
    if (*count < most)
        entries[(*count)++] = *entry;
    else
        io_refuse(d, at, "learners", "more than %d learners", EXP_MAX_LEARNERS);
}

// All learners of the sets that a panel names, in this order.
static void read_learners(io_document *d, const io_spot *at, const learner_set *sets,
                          exp_panel *panel)
{
    const io_value list = io_find(d, at, "learners", true);
    const int32_t names = io_check_list(d, at, "learners", list, 1, EXP_MAX_LEARNERS);
    int32_t most = 0; // a set that is there twice has labels that are
    for (const learner_set *set = sets; names > 0 && set->name != NULL; set++)
        most = most + set->count < EXP_MAX_LEARNERS ? most + set->count : EXP_MAX_LEARNERS;
    exp_entry *entries = io_take(d, (size_t)most, sizeof *entries);
    panel->entries = entries;
    for (int32_t i = 0; i < names && d->status == LGKT_OK; i++) {
        const io_value word = io_item(d, list, (size_t)i);
        const char *name = io_check_text(d, at, "learners", word, WORD_BYTES, false);
        const learner_set *set = sets;
        while (set->name != NULL && strcmp(set->name, name) != 0)
            set++;
        if (set->name == NULL) {
            lgkt_hint hint = {.word = name, .size = 100};
            for (set = sets; set->name != NULL; set++)
                lgkt_hint_add(&hint, set->name);
            io_refuse(d, at, "learners", "no set of learners \"%s\"; %s", name,
                      lgkt_hint_text(&hint));
        }
        for (int32_t e = 0; e < set->count && d->status == LGKT_OK; e++)
            add_entry(d, at, &set->entries[e], entries, most, &panel->entry_count);
    }
}

// ---- panels ----

// The other environments whose rewards are counted.
static void read_events(io_document *d, const io_spot *at, exp_panel *panel)
{
    const io_value object = io_find(d, at, "events", false);
    if (object.kind != IO_NOTHING && (object.kind != IO_OBJECT || object.size > EXP_MAX_MEASURES))
        io_refuse(d, at, "events", "it must be an object with at most %d environments",
                  EXP_MAX_MEASURES);
    const io_member *members = io_members(d, object);
    exp_event *events = io_take(d, EXP_MAX_MEASURES, sizeof *events);
    panel->events = events;
    for (size_t i = 0; i < object.size && d->status == LGKT_OK; i++) {
        const io_value name = {.kind = IO_TEXT, .text = members[i].name};
        events[panel->event_count++] =
            (exp_event){io_check_text(d, at, "events", name, WORD_BYTES - sizeof "event:", false),
                        io_check_text(d, at, "events", members[i].value, LGKT_MAX_SPEC, false)};
    }
}

static exp_measure read_measure(io_document *d, const io_spot *at, io_value value,
                                const exp_panel *panel)
{
    exp_measure measure = exp_usual_measures[0];
    const char *word = io_check_text(d, at, "measure", value, WORD_BYTES, false);
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
    io_value value = io_find(d, at, "measure", false);
    const bool several = value.kind == IO_LIST;
    const int32_t count = several ? io_check_list(d, at, "measure", value, 1, EXP_MAX_MEASURES) : 1;
    exp_measure *measures = io_take(d, (size_t)count, sizeof *measures);
    panel->measures = measures;
    panel->measure_count = count;
    if (value.kind == IO_NOTHING)
        value = (io_value){.kind = IO_TEXT, .text = "average"};
    for (int32_t i = 0; i < count && d->status == LGKT_OK; i++) {
        measures[i] = read_measure(d, at, several ? io_item(d, value, (size_t)i) : value, panel);
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
    const io_value times = io_find(d, at, "checkpoints", false);
    const bool regret = d->status == LGKT_OK && panel->measures[0].kind == EXP_MEASURE_REGRET;
    panel->times = regret ? EXP_TIMES_LOG : EXP_TIMES_MIXED;
    if (times.kind == IO_LIST) {
        panel->times = EXP_TIMES_GIVEN;
        panel->given_times =
            read_increasing(d, at, "checkpoints", EXP_MAX_TIMES, &panel->given_count);
    } else if (times.kind != IO_NOTHING) {
        const char *word = io_check_text(d, at, "checkpoints", times, WORD_BYTES, true);
        panel->times = strcmp(word, "log") == 0 ? EXP_TIMES_LOG : EXP_TIMES_MIXED;
        if (panel->times == EXP_TIMES_MIXED && strcmp(word, "mixed") != 0)
            io_refuse(d, at, "checkpoints", "it must be \"mixed\", \"log\" or a list of times");
    }
    panel->compare = usual;
    panel->compare_count = sizeof usual / sizeof *usual;
    if (io_find(d, at, "compare", false).kind != IO_NOTHING)
        panel->compare = read_increasing(d, at, "compare", EXP_MAX_COMPARE, &panel->compare_count);
}

static const io_field UNITS_FIELDS[] = {
    {"count", IO_WHOLE_AT(exp_units, count, 1, EXP_MAX_UNITS), .flags = IO_NEEDED},
    {"late", IO_REAL_AT(exp_units, late, 0, 1e6)},
    {"missing", IO_REAL_AT(exp_units, missing, 0, 1)},
    {"patience", IO_WHOLE_AT(exp_units, patience, 1, 1000000)},
    {"told", IO_WHOLE_AT(exp_units, told, 1, EXP_MAX_HORIZON)},
    {"extended", IO_WHOLE_AT(exp_units, extended, 0, EXP_MAX_HORIZON)},
    {.key = NULL},
};

static void read_units(io_document *d, const io_spot *at, exp_units *units)
{
    if (at->object.kind == IO_NOTHING)
        return;
    units->patience = PATIENCE;
    io_read_fields(d, at, UNITS_FIELDS, NULL, units);
    if (units->told > 0 && units->extended > units->told)
        io_refuse(d, at, "extended",
                  "it is %lld, and the run ends after %lld rounds that were told",
                  (long long)units->extended, (long long)units->told);
}

static const io_field REGRET_FIELDS[] = {
    {"k", IO_WHOLE_AT(exp_panel, regret_k, 1, EXP_MAX_HORIZON), .flags = IO_NEEDED},
    {"threshold", IO_REAL_AT(exp_panel, regret_threshold, -1e300, 1e300), .flags = IO_NEEDED},
    {.key = NULL},
};

enum { SHARED_PART = IO_SHARED | IO_NAMES | IO_MAKES };

static const io_field PANEL_FIELDS[] = {
    {"name", IO_TEXT_AT(exp_panel, name, WORD_BYTES), .flags = IO_NEEDED | IO_NAMES, .before = " ",
     .between = "="},
    {"title", IO_TEXT_AT(exp_panel, title, LINE_BYTES), .flags = IO_NAMES, .before = ", ",
     .between = " = "},
    {"environment", IO_TEXT_AT(exp_panel, env, LGKT_MAX_SPEC),
     .flags = IO_NEEDED | IO_NAMES | IO_MAKES},
    {.key = "learners"},
    {"horizon", IO_WHOLE_AT(exp_panel, horizon, 1, EXP_MAX_HORIZON),
     .flags = IO_NEEDED | SHARED_PART},
    {"instances", IO_WHOLE_AT(exp_panel, instances, 1, EXP_MAX_REPLICATES),
     .flags = IO_NEEDED | SHARED_PART},
    {"quick", IO_WHOLE_AT(exp_panel, quick_instances, 0, EXP_MAX_REPLICATES),
     .flags = IO_SHARED | IO_NAMES},
    {.key = "measure", .flags = IO_SHARED},
    {.key = "regret", .flags = IO_SHARED},
    {.key = "events", .max = LGKT_MAX_SPEC, .flags = SHARED_PART},
    {"untold", IO_BOOL_AT(exp_panel, untold), .flags = IO_SHARED},
    {.key = "compare", .flags = IO_SHARED},
    {.key = "checkpoints", .flags = IO_SHARED},
    {.key = "units", .flags = IO_SHARED},
    {.key = "grid"},
    {.key = NULL},
};

// `at` has the file as its outer object. `sibling` names the same sets of learners; nullable.
static exp_panel read_panel(io_document *d, const io_spot *at, const learner_set *sets,
                            const exp_panel *sibling)
{
    io_spot own = *at;
    own.outer = (io_value){.kind = IO_NOTHING};
    exp_panel panel = {.name = "", .quick_instances = QUICK_INSTANCES};
    io_read_fields(d, at, PANEL_FIELDS, NULL, &panel);
    if (panel.title == NULL)
        panel.title = panel.name;
    if (panel.quick_instances > panel.instances)
        panel.quick_instances = panel.instances;
    const io_spot regret = io_find_group(d, at, "regret"), units = io_find_group(d, at, "units");
    read_units(d, &units, &panel.units);
    if (regret.object.kind != IO_NOTHING)
        io_read_fields(d, &regret, REGRET_FIELDS, NULL, &panel);
    read_events(d, at, &panel);
    read_measures(d, at, &panel);
    read_times(d, at, &panel);
    if (sibling != NULL) {
        panel.entries = sibling->entries;
        panel.entry_count = sibling->entry_count;
    } else {
        read_learners(d, &own, sets, &panel);
    }
    return panel;
}

// Whether two panels name the same sets: those that do, one after the other, share their learners.
static bool same_sets(io_document *d, io_value a, io_value b)
{
    bool same = a.kind == IO_LIST && b.kind == IO_LIST && a.size == b.size;
    for (size_t i = 0; i < a.size && same && a.node != b.node; i++) {
        const io_value x = io_item(d, a, i), y = io_item(d, b, i);
        same = x.kind == IO_TEXT && y.kind == IO_TEXT && strcmp(x.text, y.text) == 0;
    }
    return same;
}

static void read_panels(io_document *d, const io_spot *root, const learner_set *sets,
                        exp_experiment *experiment)
{
    const io_value list = io_find(d, root, "panels", true);
    exp_cells made = exp_cells_begin(d, root, "panels", list, PANEL_FIELDS, EXP_MAX_PANELS);
    exp_panel *panels = io_take(d, (size_t)made.count, sizeof *panels);
    io_value before = {.kind = IO_NOTHING};
    for (int32_t p = 0; p < made.count && d->status == LGKT_OK; p++) {
        exp_object object = exp_cells_next(d, &made);
        object.at.outer = root->object;
        const io_value named = io_member_of(d, object.at.object, "learners");
        const bool sibling = same_sets(d, before, named);
        panels[p] = read_panel(d, &object.at, sets, sibling ? &panels[p - 1] : NULL);
        before = named;
        panels[p].place = object.place;
        panels[p].cell = object.cell;
        for (int32_t q = 0; q < p; q++)
            if (strcmp(panels[q].name, panels[p].name) == 0)
                io_refuse(d, &object.at, "name", "a second panel \"%s\"", panels[p].name);
            else if (exp_cells_clash(panels[q].cell, panels[p].cell))
                io_refuse(d, &object.at, "grid", CLASH, panels[p].cell->grid);
    }
    experiment->panels = panels;
    experiment->panel_count = made.count;
}

// ---- the whole ----

// The name of the experiment and the folder are those of the file.
static void read_path(io_document *d, const io_spot *root, const char *path,
                      exp_experiment *experiment)
{
    const char *base = io_base_name(path);
    const size_t length = strlen(base);
    const bool json = length > 5 && strcmp(base + length - 5, ".json") == 0;
    experiment->name = io_copy_text(d, base, length - (json ? 5 : 0));
    experiment->file = io_copy_text(d, base, length);
    experiment->folder = io_copy_text(d, path, (size_t)(base - path));
    const io_value name = {.kind = IO_TEXT, .text = experiment->name};
    io_check_text(d, root, "its name", name, WORD_BYTES, false);
    if (experiment->name[0] == '.')
        io_refuse(d, root, "", "the name of an experiment must not begin with a dot");
}

static const io_field ROOT_FIELDS[] = {
    {"title", IO_TEXT_AT(exp_experiment, title, LINE_BYTES)},
    {"question", IO_TEXT_AT(exp_experiment, question, LINE_BYTES)},
    {"place", IO_TEXT_AT(exp_experiment, place, LINE_BYTES)},
    {"collection", IO_TEXT_AT(exp_experiment, collection, WORD_BYTES)},
    {"section", IO_TEXT_AT(exp_experiment, section, WORD_BYTES)},
    {"order", IO_WHOLE_AT(exp_experiment, order, 0, 1000000)},
    {"seed", IO_WHOLE_AT(exp_experiment, seed, 0, SEED_MOST)},
    {.key = "comment"},
    {.key = "learners"},
    {.key = "panels"},
    {.key = NULL},
};

void exp_experiment_fill(exp_experiment *experiment, io_document *d, const char *bytes, size_t size,
                         const char *path)
{
    const io_spot root = {.object = d->root};
    *experiment = (exp_experiment){
        .question = "",
        .place = "",
        .collection = "",
        .order = 1000,
        .seed = 1,
        .hash = lgkt_hash_bytes(LGKT_HASH_START, bytes, size),
        .bytes = io_copy_text(d, bytes, size),
        .size = size,
        .memory = d,
    };
    if (d->status == LGKT_OK)
        read_path(d, &root, path, experiment);
    experiment->title = experiment->section = experiment->name;
    if (d->status == LGKT_OK)
        io_read_fields(d, &root, ROOT_FIELDS, PANEL_FIELDS, experiment);
    const io_value comment = io_find(d, &root, "comment", false);
    if (comment.kind != IO_NOTHING)
        io_check_text(d, &root, "comment", comment, LINE_BYTES, true);
    const learner_set *sets = d->status == LGKT_OK ? read_sets(d, &root) : NULL;
    if (d->status == LGKT_OK)
        read_panels(d, &root, sets, experiment);
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
