// SPDX-License-Identifier: MIT
// Reading experiment files (docs/experiments.md): strict JSON, parsed by jansson and walked once.
//
// The first failure is kept and ends the walk: what is read after it is of no use and of no harm,
// so only loops look at it. Texts are borrowed from the document, which lives as long as the
// experiment; arrays are in blocks that are freed with it.
#include "experiments/experiment.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/settings.h"
#include "core/text.h"
#include "experiments/checkpoints.h"
#include "experiments/instance.h"
#include "io/io_folder.h"
#include "io/io_text.h"

#define FILE_BYTES      ((size_t)1 << 22)
#define WORD_BYTES      64 // of labels, names and the like
#define LINE_BYTES      2000
#define PLACE_SIZE      128
#define QUICK_INSTANCES 30 // where a file does not say

_Static_assert(EXP_MAX_TIMES < EXP_MAX_CHECKPOINTS, "the end is a checkpoint, too");

// ---- what an experiment owns ----

typedef struct block {
    struct block *next;
    max_align_t data[];
} block;

typedef struct memory {
    json_t *root;
    block *blocks;
} memory;

void exp_experiment_free(exp_experiment *experiment)
{
    memory *owner = experiment->memory;
    if (owner != NULL) {
        json_decref(owner->root);
        for (block *b = owner->blocks, *next; b != NULL; b = next) {
            next = b->next;
            free(b);
        }
    }
    free(owner);
    *experiment = (exp_experiment){0};
}

// ---- places and failures ----

typedef struct reader {
    io_place file;
    lgkt_status status; // of the first failure
    memory *owner;
} reader;

// An object of the file and where it is: "", "panels[2]", "learners.mine[0]".
typedef struct spot {
    json_t *object;
    char place[PLACE_SIZE];
} spot;

// "file: place.key: text"; place, key or both may be empty
LGKT_PRINTF(4, 5)
static void refuse(reader *r, const spot *at, const char *key, const char *format, ...)
{
    char text[200];
    va_list values;
    if (r->status != LGKT_OK)
        return;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    const bool both = at->place[0] != '\0' && key[0] != '\0';
    const bool any = at->place[0] != '\0' || key[0] != '\0';
    r->status = io_fail_at(&r->file, LGKT_ERR_FORMAT, "%s%s%.80s%s%s", at->place, both ? "." : "",
                           key, any ? ": " : "", text);
}

// What is within an object: "place.name", or "place.name[index]" from index 0 on.
static spot within(const spot *at, const char *name, int32_t index, json_t *object)
{
    spot inner = {.object = object};
    char number[16] = "";
    if (index >= 0)
        snprintf(number, sizeof number, "[%d]", (int)index);
    snprintf(inner.place, sizeof inner.place, "%.40s%s%.60s%s", at->place,
             at->place[0] != '\0' ? "." : "", name, number);
    return inner;
}

// (count) zeroed; one more follows them
static void *take(reader *r, int32_t count, size_t size)
{
    block *b = calloc(1, sizeof *b + ((size_t)count + 1) * size);
    if (b == NULL) {
        if (r->status == LGKT_OK)
            r->status = io_fail_at(&r->file, LGKT_ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    b->next = r->owner->blocks;
    r->owner->blocks = b;
    return b->data;
}

// ---- fields ----

static const char *word_at(const void *ctx, int32_t i)
{
    const char *const *words = ctx;
    return words[i];
}

// That a word is one of these, with NULL behind the last; `what` says what it would be.
static void check_word(reader *r, const spot *at, const char *key, const char *what,
                       const char *word, const char *const *words)
{
    char hint[100];
    for (int32_t i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], word) == 0)
            return;
    lgkt_suggest(hint, sizeof hint, word, word_at, words);
    refuse(r, at, key, "unknown %s\"%.*s\"; %s", what, (int)lgkt_text_fit(word, 40), word, hint);
}

// That it is an object of these keys only.
static void check_keys(reader *r, const spot *at, const char *const *keys)
{
    if (!json_is_object(at->object))
        refuse(r, at, "", "it must be an object {...}");
    const char *key;
    json_t *value;
    json_object_foreach(at->object, key, value) check_word(r, at, "", "field ", key, keys);
}

static json_t *find(reader *r, const spot *at, const char *key, bool needed)
{
    json_t *value = json_object_get(at->object, key);
    if (value == NULL && needed)
        refuse(r, at, key, "it is missing");
    return value;
}

// What a panel may leave to the whole file is found in the one that has it.
static const spot *owner_of(const spot *panel, const spot *root, const char *key)
{
    return json_object_get(panel->object, key) != NULL ? panel : root;
}

// The text of a string, one line of at most `limit` bytes; not NULL.
static const char *check_text(reader *r, const spot *at, const char *key, const char *text,
                              size_t limit, bool empty)
{
    if (text == NULL)
        refuse(r, at, key, "it must be a text");
    else if (strlen(text) > limit || (text[0] == '\0' && !empty))
        refuse(r, at, key, "it has %zu bytes; it must have %d to %zu", strlen(text), !empty, limit);
    for (const char *c = text; c != NULL && *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            refuse(r, at, key, "it has a control character; it must be one line");
    return r->status == LGKT_OK ? text : "";
}

// In get_text, get_whole and get_real a field without fallback (NULL, below min, NaN) is needed.

static const char *get_text(reader *r, const spot *at, const char *key, size_t limit,
                            const char *fallback)
{
    const json_t *value = find(r, at, key, fallback == NULL);
    if (value == NULL)
        return fallback != NULL ? fallback : "";
    return check_text(r, at, key, json_string_value(value), limit, fallback != NULL);
}

static int64_t get_whole(reader *r, const spot *at, const char *key, int64_t min, int64_t max,
                         int64_t fallback)
{
    const json_t *value = find(r, at, key, fallback < min);
    const json_int_t whole = json_integer_value(value);
    if (value == NULL)
        return fallback;
    if (!json_is_integer(value))
        refuse(r, at, key, "it must be a whole number");
    else if (whole < min || whole > max)
        refuse(r, at, key, "it is %lld; it must be in %lld .. %lld", (long long)whole,
               (long long)min, (long long)max);
    return whole;
}

static double get_real(reader *r, const spot *at, const char *key, double min, double max,
                       double fallback)
{
    const json_t *value = find(r, at, key, isnan(fallback));
    const double number = json_number_value(value);
    if (value == NULL)
        return fallback;
    if (!json_is_number(value))
        refuse(r, at, key, "it must be a number");
    else if (!(number >= min && number <= max))
        refuse(r, at, key, "it is %g; it must be in [%g, %g]", number, min, max);
    return number;
}

static bool get_bool(reader *r, const spot *at, const char *key)
{
    const json_t *value = find(r, at, key, false);
    if (value != NULL && !json_is_boolean(value))
        refuse(r, at, key, "it must be true or false");
    return json_is_true(value);
}

// How many entries a list has, min to max; 0 for what is no such list.
static int32_t list_size(reader *r, const spot *at, const char *key, const json_t *list, size_t min,
                         size_t max)
{
    const size_t size = json_array_size(list);
    if (!json_is_array(list))
        refuse(r, at, key, "it must be a list [...]");
    else if (size < min || size > max)
        refuse(r, at, key, "it has %zu entries; it must have %zu to %zu", size, min, max);
    return r->status == LGKT_OK ? (int32_t)size : 0;
}

static const int64_t *get_times(reader *r, const spot *at, const char *key, int32_t most,
                                int32_t *count)
{
    const json_t *list = json_object_get(at->object, key);
    *count = list_size(r, at, key, list, 0, (size_t)most);
    int64_t *times = take(r, *count, sizeof *times);
    for (int32_t i = 0; i < *count && times != NULL; i++) {
        times[i] = json_integer_value(json_array_get(list, (size_t)i));
        if (times[i] <= (i > 0 ? times[i - 1] : 0) || times[i] > EXP_MAX_HORIZON)
            refuse(r, at, key, "entry %d: times are whole numbers from 1 on that increase", (int)i);
    }
    return times;
}

// ---- learners ----

typedef struct learner_set {
    const char *name;
    exp_entry *entries; // (count)
    int32_t count;
} learner_set;

static exp_entry read_entry(reader *r, const spot *at, const char *set)
{
    static const char *const KEYS[] = {"label", "spec",   "group", "section",
                                       "style", "oracle", NULL};
    static const char *const STYLE_KEYS[] = {"color", "dash", "width", NULL};
    static const char *const DASHES[] = {"solid", "dashed", "dotted", "dashdot", "short", NULL};
    check_keys(r, at, KEYS);
    exp_entry entry = {
        .label = get_text(r, at, "label", WORD_BYTES, NULL),
        .spec = get_text(r, at, "spec", LGKT_MAX_SPEC, NULL),
        .oracle = get_bool(r, at, "oracle"),
        .group = get_text(r, at, "group", WORD_BYTES, set),
        .section = get_text(r, at, "section", WORD_BYTES, ""),
    };
    const spot style = within(at, "style", -1, json_object_get(at->object, "style"));
    if (style.object == NULL)
        return entry;
    check_keys(r, &style, STYLE_KEYS);
    if (find(r, &style, "color", false) != NULL) {
        const char *color = entry.style.color = get_text(r, &style, "color", WORD_BYTES, NULL);
        if (color[0] != '#' || strlen(color) != 7 ||
            strspn(color + 1, "0123456789abcdefABCDEF") != 6)
            refuse(r, &style, "color", "it is \"%s\"; it must be like \"#e69f00\"", color);
    }
    if (find(r, &style, "dash", false) != NULL) {
        entry.style.dash = get_text(r, &style, "dash", WORD_BYTES, NULL);
        check_word(r, &style, "dash", "", entry.style.dash, DASHES);
    }
    entry.style.width = get_real(r, &style, "width", 0.1, 20.0, 0.0);
    return entry;
}

// The named sets of learners, in a list with one that has no name behind the last.
static const learner_set *read_sets(reader *r, const spot *root)
{
    json_t *sets = json_object_get(root->object, "learners");
    if (json_object_size(sets) == 0 || json_object_size(sets) > EXP_MAX_LEARNERS)
        refuse(r, root, "learners", "it must be an object with named lists of learners");
    if (r->status != LGKT_OK)
        return NULL;
    learner_set *made = take(r, (int32_t)json_object_size(sets), sizeof *made), *set = made;
    void *i = json_object_iter(sets);
    for (; i != NULL && r->status == LGKT_OK; i = json_object_iter_next(sets, i), set++) {
        json_t *list = json_object_iter_value(i);
        set->name = json_object_iter_key(i);
        const spot at = within(&(spot){.object = NULL}, "learners", -1, sets);
        check_text(r, &at, set->name, set->name, WORD_BYTES, false);
        set->count = list_size(r, &at, set->name, list, 1, EXP_MAX_LEARNERS);
        set->entries = take(r, set->count, sizeof *set->entries);
        for (int32_t e = 0; e < set->count && r->status == LGKT_OK; e++) {
            const spot one = within(&at, set->name, e, json_array_get(list, (size_t)e));
            set->entries[e] = read_entry(r, &one, set->name);
        }
    }
    return made;
}

static const char *set_name(const void *ctx, int32_t i)
{
    const learner_set *sets = ctx;
    return sets[i].name;
}

// All learners of the sets that a panel names, in this order.
static void read_learners(reader *r, const spot *at, const learner_set *sets, exp_panel *panel)
{
    const json_t *list = find(r, at, "learners", true);
    const int32_t names = list_size(r, at, "learners", list, 1, EXP_MAX_LEARNERS);
    int32_t room = 0; // no set is there twice, or labels were
    for (const learner_set *set = sets; names > 0 && set->name != NULL; set++)
        room = room + set->count < EXP_MAX_LEARNERS ? room + set->count : EXP_MAX_LEARNERS;
    exp_entry *entries = take(r, room, sizeof *entries);
    panel->entries = entries;
    for (int32_t i = 0; i < names && r->status == LGKT_OK; i++) {
        const char *name =
            check_text(r, at, "learners", json_string_value(json_array_get(list, (size_t)i)),
                       WORD_BYTES, false);
        const learner_set *set = sets;
        while (set->name != NULL && strcmp(set->name, name) != 0)
            set++;
        if (set->name == NULL) {
            char hint[100];
            lgkt_suggest(hint, sizeof hint, name, set_name, sets);
            refuse(r, at, "learners", "no set of learners \"%s\"; %s", name, hint);
        }
        for (int32_t e = 0; e < set->count && r->status == LGKT_OK; e++) {
            for (int32_t l = 0; l < panel->entry_count; l++)
                if (strcmp(entries[l].label, set->entries[e].label) == 0)
                    refuse(r, at, "learners", "two of them have the label \"%s\"",
                           entries[l].label);
            if (panel->entry_count < room)
                entries[panel->entry_count++] = set->entries[e];
            else
                refuse(r, at, "learners", "more than %d learners", EXP_MAX_LEARNERS);
        }
    }
}

// ---- panels ----

// The other environments whose rewards are counted.
static void read_events(reader *r, const spot *owner, exp_panel *panel)
{
    json_t *events = json_object_get(owner->object, "events");
    const spot at = within(owner, "events", -1, events);
    if (events != NULL && (!json_is_object(events) || json_object_size(events) > EXP_MAX_MEASURES))
        refuse(r, &at, "", "it must be an object with at most %d environments", EXP_MAX_MEASURES);
    exp_event *made = take(r, EXP_MAX_MEASURES, sizeof *made);
    panel->events = made;
    void *i = json_object_iter(events);
    for (; i != NULL && r->status == LGKT_OK; i = json_object_iter_next(events, i)) {
        exp_event *event = &made[panel->event_count++];
        event->name = json_object_iter_key(i);
        event->env = json_string_value(json_object_iter_value(i));
        check_text(r, &at, event->name, event->name, WORD_BYTES - sizeof "event:", false);
        check_text(r, &at, event->name, event->env, LGKT_MAX_SPEC, false);
    }
}

static exp_measure read_measure(reader *r, const spot *at, const char *word, const exp_panel *panel)
{
    static const char *const WORDS[] = {[EXP_MEASURE_AVERAGE] = "average",
                                        [EXP_MEASURE_CUMULATIVE] = "cumulative",
                                        [EXP_MEASURE_REGRET] = "regret",
                                        [EXP_MEASURE_RATIO] = "ratio",
                                        [EXP_MEASURE_COUNTER] = "counter:NAME",
                                        [EXP_MEASURE_EVENT] = "event:NAME",
                                        NULL};
    exp_measure measure = {.word = check_text(r, at, "measure", word, WORD_BYTES, false)};
    const char *colon = strchr(measure.word, ':');
    measure.name = colon != NULL && colon[1] != '\0' ? colon + 1 : NULL;
    const size_t length = measure.name != NULL ? (size_t)(measure.name - measure.word) : LINE_BYTES;
    int kind = 0;
    while (WORDS[kind] != NULL && strncmp(measure.word, WORDS[kind], length) != 0)
        kind++;
    if (WORDS[kind] == NULL)
        check_word(r, at, "measure", "measure ", measure.word, WORDS);
    measure.kind = (exp_measure_kind)kind;
    if (kind == EXP_MEASURE_REGRET && panel->regret_k == 0)
        refuse(r, at, "measure", "regret needs \"regret\": {\"k\": ..., \"threshold\": ...}");
    bool known = kind != EXP_MEASURE_EVENT;
    for (int32_t e = 0; e < panel->event_count && !known; e++)
        known = strcmp(panel->events[e].name, measure.name) == 0;
    if (!known)
        refuse(r, at, "measure", "\"events\" has no \"%s\"", measure.name);
    return measure;
}

static void read_measures(reader *r, const spot *at, exp_panel *panel)
{
    const json_t *value = json_object_get(at->object, "measure");
    const bool several = json_is_array(value);
    exp_measure *measures = take(r, EXP_MAX_MEASURES, sizeof *measures);
    panel->measures = measures;
    panel->measure_count = several ? list_size(r, at, "measure", value, 1, EXP_MAX_MEASURES) : 1;
    for (int32_t i = 0; i < panel->measure_count && r->status == LGKT_OK; i++) {
        const json_t *word = several ? json_array_get(value, (size_t)i) : value;
        measures[i] =
            read_measure(r, at, value != NULL ? json_string_value(word) : "average", panel);
        for (int32_t j = 0; j < i; j++)
            if (strcmp(measures[j].word, measures[i].word) == 0)
                refuse(r, at, "measure", "\"%s\" is there twice", measures[i].word);
        if (measures[i].kind == EXP_MEASURE_RATIO && panel->measure_count > 1)
            refuse(r, at, "measure", "ratio goes with no other measure");
    }
}

static void read_times(reader *r, const spot *panel_at, const spot *root, exp_panel *panel)
{
    static const int64_t usual[] = {100, 1000, 5000, 10000, 100000};
    const spot *at = owner_of(panel_at, root, "checkpoints");
    const bool regret = panel->measures != NULL && panel->measures[0].kind == EXP_MEASURE_REGRET;
    if (json_is_array(json_object_get(at->object, "checkpoints"))) {
        panel->times = EXP_TIMES_GIVEN;
        panel->given_times = get_times(r, at, "checkpoints", EXP_MAX_TIMES, &panel->given_count);
    } else {
        const char *word = get_text(r, at, "checkpoints", WORD_BYTES, regret ? "log" : "mixed");
        panel->times = strcmp(word, "log") == 0 ? EXP_TIMES_LOG : EXP_TIMES_MIXED;
        if (panel->times == EXP_TIMES_MIXED && strcmp(word, "mixed") != 0)
            refuse(r, at, "checkpoints", "it must be \"mixed\", \"log\" or a list of times");
    }
    at = owner_of(panel_at, root, "compare");
    panel->compare = usual;
    panel->compare_count = sizeof usual / sizeof *usual;
    if (find(r, at, "compare", false) != NULL)
        panel->compare = get_times(r, at, "compare", EXP_MAX_COMPARE, &panel->compare_count);
}

static exp_panel read_panel(reader *r, const spot *at, const spot *root, const learner_set *sets)
{
    static const char *const KEYS[] = {"name",      "title",   "environment", "learners", "horizon",
                                       "instances", "quick",   "measure",     "regret",   "events",
                                       "untold",    "compare", "checkpoints", NULL};
    static const char *const REGRET_KEYS[] = {"k", "threshold", NULL};
    check_keys(r, at, KEYS);
    exp_panel panel = {
        .name = get_text(r, at, "name", WORD_BYTES, NULL),
        .env = get_text(r, at, "environment", LGKT_MAX_SPEC, NULL),
        .horizon = get_whole(r, owner_of(at, root, "horizon"), "horizon", 1, EXP_MAX_HORIZON, 0),
        .instances =
            get_whole(r, owner_of(at, root, "instances"), "instances", 1, EXP_MAX_REPLICATES, 0),
        .untold = get_bool(r, owner_of(at, root, "untold"), "untold"),
    };
    panel.title = get_text(r, at, "title", LINE_BYTES, panel.name);
    panel.quick_instances =
        get_whole(r, owner_of(at, root, "quick"), "quick", 0, EXP_MAX_REPLICATES, QUICK_INSTANCES);
    if (panel.quick_instances > panel.instances)
        panel.quick_instances = panel.instances;
    const spot *owner = owner_of(at, root, "regret");
    const spot regret = within(owner, "regret", -1, json_object_get(owner->object, "regret"));
    if (regret.object != NULL) {
        check_keys(r, &regret, REGRET_KEYS);
        panel.regret_k = get_whole(r, &regret, "k", 1, EXP_MAX_HORIZON, 0);
        panel.regret_threshold = get_real(r, &regret, "threshold", -1e300, 1e300, NAN);
    }
    read_events(r, owner_of(at, root, "events"), &panel);
    read_measures(r, owner_of(at, root, "measure"), &panel);
    read_times(r, at, root, &panel);
    read_learners(r, at, sets, &panel);
    return panel;
}

// ---- the whole ----

// What the path says: the name of the experiment and the folder.
static void read_path(reader *r, const char *path, exp_experiment *experiment)
{
    const char *base = io_base_name(path);
    const size_t length = strlen(base), folder = (size_t)(base - path);
    const bool json = length > 5 && strcmp(base + length - 5, ".json") == 0;
    char *name = take(r, (int32_t)length, 1), *file = take(r, (int32_t)length, 1);
    char *before = take(r, (int32_t)folder, 1);
    if (name == NULL || file == NULL || before == NULL)
        return;
    experiment->name = memcpy(name, base, length - (json ? 5 : 0));
    experiment->file = memcpy(file, base, length);
    experiment->folder = memcpy(before, path, folder);
    const spot nowhere = {.object = NULL};
    check_text(r, &nowhere, "its name", name, WORD_BYTES, false);
    if (name[0] == '.' || lgkt_text_clean(name, length + 1, name) == 0)
        refuse(r, &nowhere, "", "the name of an experiment must not begin with a dot");
}

static void read_root(reader *r, const spot *root, exp_experiment *experiment)
{
    static const char *const KEYS[] = {"title",   "question",  "place",   "collection",  "section",
                                       "order",   "seed",      "comment", "learners",    "panels",
                                       "horizon", "instances", "quick",   "measure",     "regret",
                                       "events",  "untold",    "compare", "checkpoints", NULL};
    check_keys(r, root, KEYS);
    experiment->title = get_text(r, root, "title", LINE_BYTES, experiment->name);
    experiment->question = get_text(r, root, "question", LINE_BYTES, "");
    experiment->place = get_text(r, root, "place", LINE_BYTES, "");
    experiment->collection = get_text(r, root, "collection", WORD_BYTES, "");
    experiment->section = get_text(r, root, "section", WORD_BYTES, experiment->name);
    experiment->order = get_whole(r, root, "order", 0, 1000000, 1000);
    experiment->seed = (uint64_t)get_whole(r, root, "seed", 0, INT64_MAX, 1);
    get_text(r, root, "comment", LINE_BYTES, "");
    const learner_set *sets = read_sets(r, root);
    const json_t *list = find(r, root, "panels", true);
    const int32_t count = list_size(r, root, "panels", list, 1, EXP_MAX_PANELS);
    exp_panel *panels = take(r, count, sizeof *panels);
    for (int32_t p = 0; p < count && r->status == LGKT_OK; p++) {
        const spot at =
            within(&(spot){.object = NULL}, "panels", p, json_array_get(list, (size_t)p));
        panels[p] = read_panel(r, &at, root, sets);
        panels[p].place = p;
        for (int32_t q = 0; q < p; q++)
            if (strcmp(panels[q].name, panels[p].name) == 0)
                refuse(r, &at, "name", "a second panel \"%s\"", panels[p].name);
    }
    experiment->panels = panels;
    experiment->panel_count = count;
}

lgkt_status exp_experiment_parse(exp_experiment *experiment, const char *bytes, size_t size,
                                 const char *path, lgkt_error *error)
{
    reader r = {.file = {.name = path, .error = error}, .owner = calloc(1, sizeof *r.owner)};
    *experiment =
        (exp_experiment){.memory = r.owner, .hash = lgkt_hash_bytes(LGKT_HASH_START, bytes, size)};
    json_error_t at = {.line = 0}; // jansson leaves parts of it unset when memory is out
    json_t *root = r.owner != NULL ? json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &at) : NULL;
    // jansson mostly says nothing at all when memory is out
    if (root == NULL && (json_error_code(&at) == json_error_out_of_memory || at.text[0] == '\0'))
        r.status = io_fail_at(&r.file, LGKT_ERR_NO_MEMORY, "out of memory");
    else if (root == NULL)
        r.status = lgkt_fail(error, LGKT_ERR_FORMAT, "%s:%d:%d: %s", io_short_name(path), at.line,
                             at.column, at.text);
    if (r.status == LGKT_OK) {
        r.owner->root = root;
        read_path(&r, path, experiment);
        read_root(&r, &(spot){.object = root}, experiment);
    }
    if (r.status != LGKT_OK)
        exp_experiment_free(experiment);
    return r.status;
}

lgkt_status exp_experiment_read(exp_experiment *experiment, const char *path, lgkt_error *error)
{
    char *bytes;
    size_t size;
    *experiment = (exp_experiment){0};
    lgkt_status status = io_file_read(path, FILE_BYTES, &bytes, &size, error);
    if (status != LGKT_OK)
        return status;
    status = exp_experiment_parse(experiment, bytes, size, path, error);
    free(bytes);
    return status;
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
