// SPDX-License-Identifier: MIT
// Reading experiment files (docs/experiments.md) from documents. Texts and arrays are those of the
// document, which lives as long as the experiment.
#include "experiments/reader/experiment_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/settings.h"
#include "core/text.h"
#include "io/plain/io_folder.h"

#define WORD_BYTES      64 // of labels, names and the like
#define LINE_BYTES      2000
#define SEED_MOST       9007199254740991.0 // 2^53 - 1, which every reader of JSON keeps
#define QUICK_INSTANCES 30                 // where a file does not say
#define PATIENCE        100                // the same
#define CLASH           "grids of \"%s\" must have the same names and no cell in common"

static const int64_t *read_increasing(const io_at *list, size_t most, int32_t *count)
{
    *count = io_check_list(list, 0, most);
    int64_t *times = io_take(list->d, (size_t)*count, sizeof *times);
    for (int32_t i = 0; i < *count && list->d->status == LGKT_OK; i++) {
        const io_value item = io_item(list, i).value;
        times[i] = item.kind == IO_WHOLE ? item.whole : 0;
        if (times[i] <= (i > 0 ? times[i - 1] : 0) || times[i] > EXP_MAX_HORIZON)
            io_refuse(list, "entry %d: times are whole numbers from 1 on that increase", (int)i);
    }
    return times;
}

// ---- learners ----

typedef struct learner_set {
    const char *name; // NULL behind the last
    exp_entry *entries;
    int32_t count;
} learner_set;

static const char *const DASHES[] = {"solid", "dashed", "dotted", "dashdot", "short", NULL};

static const io_field STYLE_FIELDS[] = {
    {"color", IO_TEXT_AT(exp_style, color, WORD_BYTES)},
    {"dash", IO_TEXT_AT(exp_style, dash, WORD_BYTES), .words = DASHES},
    {"width", IO_REAL_AT(exp_style, width, 0.1, 20.0)},
    {.key = NULL},
};

static const io_field ENTRY_FIELDS[] = {
    {"label", IO_TEXT_AT(exp_entry, label, WORD_BYTES), .flags = IO_NEEDED | IO_NAMES,
     .before = " ", .between = "="},
    {"spec", IO_TEXT_AT(exp_entry, spec, LGKT_MAX_SPEC), .flags = IO_NEEDED | IO_NAMES | IO_MAKES},
    {"group", IO_TEXT_AT(exp_entry, group, WORD_BYTES), .flags = IO_NAMES},
    {"section", IO_TEXT_AT(exp_entry, section, WORD_BYTES), .flags = IO_NAMES},
    {"style", IO_OBJECT_AT(exp_entry, style, STYLE_FIELDS)},
    {"oracle", IO_BOOL_AT(exp_entry, oracle)},
    {"alone", IO_BOOL_AT(exp_entry, alone)},
    {.key = "grid"},
    {.key = NULL},
};

static exp_entry read_entry(const io_at *at, const char *set)
{
    exp_entry entry = {.group = set, .section = ""};
    io_read_fields(at, ENTRY_FIELDS, &entry);
    const io_at style = io_get(at, "style", 0), color = io_get(&style, "color", 0);
    const char *hex = entry.style.color;
    if (hex != NULL &&
        (hex[0] != '#' || strlen(hex) != 7 || strspn(hex + 1, "0123456789abcdefABCDEF") != 6))
        io_refuse(&color, "it is \"%s\"; it must be like \"#e69f00\"", hex);
    return entry;
}

static const learner_set *read_sets(const io_at *root)
{
    io_document *d = root->d;
    const io_at at = io_get(root, "learners", IO_NEEDED);
    const size_t count = at.value.kind == IO_OBJECT ? at.value.size : 0;
    if (count == 0 || count > EXP_MAX_LEARNERS)
        io_refuse(&at, "it must be an object with named lists of learners");
    const io_member *lists = io_members(&at);
    learner_set *sets = io_take(d, count, sizeof *sets);
    int32_t cells = 0;
    for (size_t s = 0; s < count && d->status == LGKT_OK; s++) {
        learner_set *set = &sets[s];
        io_at list = {d, &at, lists[s].name, 0, {.kind = IO_TEXT, .text = lists[s].name}};
        set->name = io_check_text(&list, WORD_BYTES, false);
        list.value = lists[s].value;
        exp_cells made = exp_cells_begin(&list, ENTRY_FIELDS, EXP_MAX_LEARNERS);
        set->entries = io_take(d, (size_t)made.count, sizeof *set->entries);
        while (set->count < made.count && d->status == LGKT_OK) {
            exp_cells_next(&made);
            set->entries[set->count] = read_entry(&made.at, set->name);
            set->entries[set->count++].cell = made.cell;
            cells += made.cell != NULL;
        }
        if (cells > EXP_MAX_CELLS)
            io_refuse(&at, "grids make more than %d of them", EXP_MAX_CELLS);
    }
    return sets;
}

// Adds a learner to those of a panel, with its own label and cell.
static void add_entry(const io_at *at, const exp_entry *entry, exp_entry *entries, int32_t most,
                      int32_t *count)
{
    for (int32_t l = 0; l < *count; l++)
        if (strcmp(entries[l].label, entry->label) == 0)
            io_refuse(at, "two of them have the label \"%s\"", entry->label);
        else if (exp_cells_clash(entries[l].cell, entry->cell))
            io_refuse(at, CLASH, entry->cell->grid);
    if (*count < most)
        entries[(*count)++] = *entry;
    else
        io_refuse(at, "more than %d learners", EXP_MAX_LEARNERS);
}

// All learners of the sets that a panel names, in this order.
static void read_learners(const io_at *at, const learner_set *sets, exp_panel *panel)
{
    io_document *d = at->d;
    const io_at list = io_get(at, "learners", IO_NEEDED);
    const int32_t names = io_check_list(&list, 1, EXP_MAX_LEARNERS);
    int32_t most = 0; // a set that is there twice has labels that are
    for (const learner_set *set = sets; names > 0 && set->name != NULL; set++)
        most = most + set->count < EXP_MAX_LEARNERS ? most + set->count : EXP_MAX_LEARNERS;
    exp_entry *entries = io_take(d, (size_t)most, sizeof *entries);
    panel->entries = entries;
    for (int32_t i = 0; i < names && d->status == LGKT_OK; i++) {
        // what is wrong with a name is said of the list
        const io_at word = {d, list.in, list.key, 0, io_item(&list, i).value};
        const char *name = io_check_text(&word, WORD_BYTES, false);
        const learner_set *set = sets;
        while (set->name != NULL && strcmp(set->name, name) != 0)
            set++;
        if (set->name == NULL) {
            lgkt_hint hint = {.word = name, .size = 100};
            for (set = sets; set->name != NULL; set++)
                lgkt_hint_add(&hint, set->name);
            io_refuse(&list, "no set of learners \"%s\"; %s", name, lgkt_hint_text(&hint));
        }
        for (int32_t e = 0; e < set->count && d->status == LGKT_OK; e++)
            add_entry(&list, &set->entries[e], entries, most, &panel->entry_count);
    }
}

// ---- panels ----

// The other environments whose rewards are counted.
static void read_events(const io_at *at, exp_panel *panel)
{
    io_document *d = at->d;
    const io_at object = io_get(at, "events", IO_SHARED);
    const size_t count = object.value.size;
    if (object.value.kind != IO_NOTHING &&
        (object.value.kind != IO_OBJECT || count > EXP_MAX_MEASURES))
        io_refuse(&object, "it must be an object with at most %d environments", EXP_MAX_MEASURES);
    const io_member *members = io_members(&object);
    exp_event *events = io_take(d, EXP_MAX_MEASURES, sizeof *events);
    panel->events = events;
    for (size_t i = 0; i < count && d->status == LGKT_OK; i++) {
        // what is wrong with one is said of all
        io_at text = object;
        text.value = (io_value){.kind = IO_TEXT, .text = members[i].name};
        exp_event *event = &events[panel->event_count++];
        event->name = io_check_text(&text, WORD_BYTES - sizeof "event:", false);
        text.value = members[i].value;
        event->env = io_check_text(&text, LGKT_MAX_SPEC, false);
    }
}

static exp_measure read_measure(const io_at *at, const exp_panel *panel)
{
    exp_measure measure = exp_usual_measures[0];
    const char *word = io_check_text(at, WORD_BYTES, false);
    if (!exp_measure_parse(word, &measure))
        io_check_word(at, "measure ", word, exp_measure_words);
    if (measure.kind == EXP_MEASURE_REGRET && panel->regret_k == 0)
        io_refuse(at, "regret needs \"regret\": {\"k\": ..., \"threshold\": ...}");
    bool known = measure.kind != EXP_MEASURE_EVENT;
    for (int32_t e = 0; e < panel->event_count && !known; e++)
        known = strcmp(panel->events[e].name, measure.name) == 0;
    if (!known)
        io_refuse(at, "\"events\" has no \"%s\"", measure.name);
    return measure;
}

static void read_measures(const io_at *at, exp_panel *panel)
{
    io_at list = io_get(at, "measure", IO_SHARED), one = list;
    const bool several = list.value.kind == IO_LIST;
    const int32_t count = several ? io_check_list(&list, 1, EXP_MAX_MEASURES) : 1;
    exp_measure *measures = io_take(at->d, (size_t)count, sizeof *measures);
    panel->measures = measures;
    panel->measure_count = count;
    if (list.value.kind == IO_NOTHING)
        one.value = (io_value){.kind = IO_TEXT, .text = "average"};
    for (int32_t i = 0; i < count && at->d->status == LGKT_OK; i++) {
        // what is wrong with one is said of all
        one.value = several ? io_item(&list, i).value : one.value;
        measures[i] = read_measure(&one, panel);
        for (int32_t j = 0; j < i; j++)
            if (strcmp(measures[j].word, measures[i].word) == 0)
                io_refuse(&list, "\"%s\" is there twice", measures[i].word);
        if (measures[i].kind == EXP_MEASURE_RATIO && count > 1)
            io_refuse(&list, "ratio goes with no other measure");
    }
}

static void read_times(const io_at *at, exp_panel *panel)
{
    static const int64_t usual[] = {100, 1000, 5000, 10000, 100000};
    const io_at times = io_get(at, "checkpoints", IO_SHARED),
                compare = io_get(at, "compare", IO_SHARED);
    const bool regret = at->d->status == LGKT_OK && panel->measures[0].kind == EXP_MEASURE_REGRET;
    panel->times = regret ? EXP_TIMES_LOG : EXP_TIMES_MIXED;
    if (times.value.kind == IO_LIST) {
        panel->times = EXP_TIMES_GIVEN;
        panel->given_times = read_increasing(&times, EXP_MAX_TIMES, &panel->given_count);
    } else if (times.value.kind != IO_NOTHING) {
        const char *word = io_check_text(&times, WORD_BYTES, true);
        panel->times = strcmp(word, "log") == 0 ? EXP_TIMES_LOG : EXP_TIMES_MIXED;
        if (panel->times == EXP_TIMES_MIXED && strcmp(word, "mixed") != 0)
            io_refuse(&times, "it must be \"mixed\", \"log\" or a list of times");
    }
    panel->compare = usual;
    panel->compare_count = sizeof usual / sizeof *usual;
    if (compare.value.kind != IO_NOTHING)
        panel->compare = read_increasing(&compare, EXP_MAX_COMPARE, &panel->compare_count);
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
    {"regret", .kind = IO_OBJECT, .fields = REGRET_FIELDS, .flags = IO_SHARED},
    {.key = "events", .max = LGKT_MAX_SPEC, .flags = SHARED_PART},
    {"untold", IO_BOOL_AT(exp_panel, untold), .flags = IO_SHARED},
    {.key = "compare", .flags = IO_SHARED},
    {.key = "checkpoints", .flags = IO_SHARED},
    {"units", IO_OBJECT_AT(exp_panel, units, UNITS_FIELDS), .flags = IO_SHARED},
    {.key = "grid"},
    {.key = NULL},
};

// `sibling` names the same sets of learners; nullable.
static exp_panel read_panel(const io_at *at, const learner_set *sets, const exp_panel *sibling)
{
    exp_panel panel = {.name = "", .quick_instances = QUICK_INSTANCES};
    io_read_fields(at, PANEL_FIELDS, &panel);
    if (panel.title == NULL)
        panel.title = panel.name;
    if (panel.quick_instances > panel.instances)
        panel.quick_instances = panel.instances;
    if (panel.units.count > 0 && panel.units.patience == 0)
        panel.units.patience = PATIENCE;
    const io_at units = io_get(at, "units", IO_SHARED), extended = io_get(&units, "extended", 0);
    if (panel.units.told > 0 && panel.units.extended > panel.units.told)
        io_refuse(&extended, "it is %lld, and the run ends after %lld rounds that were told",
                  (long long)panel.units.extended, (long long)panel.units.told);
    read_events(at, &panel);
    read_measures(at, &panel);
    read_times(at, &panel);
    if (sibling != NULL) {
        panel.entries = sibling->entries;
        panel.entry_count = sibling->entry_count;
    } else {
        read_learners(at, sets, &panel);
    }
    return panel;
}

// Whether two panels name the same sets: those that do, one after the other, share their learners.
static bool same_sets(const io_at *a, const io_at *b)
{
    bool same =
        a->value.kind == IO_LIST && b->value.kind == IO_LIST && a->value.size == b->value.size;
    for (int32_t i = 0; same && i < (int32_t)a->value.size && a->value.node != b->value.node; i++) {
        const io_value x = io_item(a, i).value, y = io_item(b, i).value;
        same = x.kind == IO_TEXT && y.kind == IO_TEXT && strcmp(x.text, y.text) == 0;
    }
    return same;
}

static void read_panels(const io_at *root, const learner_set *sets, exp_experiment *experiment)
{
    io_document *d = root->d;
    const io_at list = io_get(root, "panels", IO_NEEDED);
    exp_cells made = exp_cells_begin(&list, PANEL_FIELDS, EXP_MAX_PANELS);
    exp_panel *panels = io_take(d, (size_t)made.count, sizeof *panels);
    io_at before = {.d = d};
    for (int32_t p = 0; p < made.count && d->status == LGKT_OK; p++) {
        exp_cells_next(&made);
        const io_at learners = io_get(&made.at, "learners", 0);
        const bool sibling = same_sets(&before, &learners);
        panels[p] = read_panel(&made.at, sets, sibling ? &panels[p - 1] : NULL);
        before = learners;
        panels[p].place = made.place;
        panels[p].cell = made.cell;
        const io_at name = io_get(&made.at, "name", 0),
                    named = {.d = d, .in = &made.at, .key = "grid"};
        for (int32_t q = 0; q < p; q++)
            if (strcmp(panels[q].name, panels[p].name) == 0)
                io_refuse(&name, "a second panel \"%s\"", panels[p].name);
            else if (exp_cells_clash(panels[q].cell, panels[p].cell))
                io_refuse(&named, CLASH, panels[p].cell->grid);
    }
    experiment->panels = panels;
    experiment->panel_count = made.count;
}

// ---- the whole ----

// The name of the experiment and the folder are those of the file.
static void read_path(const io_at *root, const char *path, exp_experiment *experiment)
{
    io_document *d = root->d;
    const char *base = io_base_name(path);
    const size_t length = strlen(base);
    const bool json = length > 5 && strcmp(base + length - 5, ".json") == 0;
    experiment->name = io_copy_text(d, base, length - (json ? 5 : 0));
    experiment->file = io_copy_text(d, base, length);
    experiment->folder = io_copy_text(d, path, (size_t)(base - path));
    const io_at name = {d, NULL, "its name", 0, {.kind = IO_TEXT, .text = experiment->name}};
    io_check_text(&name, WORD_BYTES, false);
    if (experiment->name[0] == '.')
        io_refuse(root, "the name of an experiment must not begin with a dot");
}

static const io_field ROOT_FIELDS[] = {
    {"title", IO_TEXT_AT(exp_experiment, title, LINE_BYTES)},
    {"question", IO_TEXT_AT(exp_experiment, question, LINE_BYTES)},
    {"place", IO_TEXT_AT(exp_experiment, place, LINE_BYTES)},
    {"collection", IO_TEXT_AT(exp_experiment, collection, WORD_BYTES)},
    {"section", IO_TEXT_AT(exp_experiment, section, WORD_BYTES)},
    {"order", IO_WHOLE_AT(exp_experiment, order, 0, 1000000)},
    {"seed", IO_WHOLE_AT(exp_experiment, seed, 0, SEED_MOST)},
    {"comment", .kind = IO_TEXT, .max = LINE_BYTES},
    {.key = "learners"},
    {.key = "panels"},
    {.key = NULL, .fields = PANEL_FIELDS},
};

void exp_experiment_fill(exp_experiment *experiment, io_document *d, const char *bytes, size_t size,
                         const char *path)
{
    const io_at root = {.d = d, .value = d->root};
    *experiment = (exp_experiment){
        .question = "",
        .place = "",
        .collection = "",
        .order = 1000,
        .seed = 1,
        .bytes = io_copy_text(d, bytes, size),
        .size = size,
        .memory = d,
    };
    read_path(&root, path, experiment);
    experiment->title = experiment->section = experiment->name;
    io_read_fields(&root, ROOT_FIELDS, experiment);
    const learner_set *sets = d->status == LGKT_OK ? read_sets(&root) : NULL;
    if (d->status == LGKT_OK)
        read_panels(&root, sets, experiment);
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
