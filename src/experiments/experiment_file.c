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
#include "io/io_folder.h"
#include "io/io_text.h"

#define FILE_BYTES      ((size_t)1 << 22)
#define WORD_BYTES      64 // of labels, names and the like
#define LINE_BYTES      2000
#define QUICK_INSTANCES 30 // where a file does not say

_Static_assert(EXP_MAX_TIMES < EXP_MAX_CHECKPOINTS, "the end is a checkpoint, too");

typedef struct block {
    struct block *next;
    max_align_t data[];
} block;

typedef struct memory {
    json_t *root;
    block *blocks;
} memory;

typedef struct reader {
    io_place file;
    lgkt_status status; // of the first failure
    memory *owner;
} reader;

// An object of the file and where it is: "", "panels[2]", "learners.mine[0]". What it does not have
// may be in an outer one.
typedef struct spot {
    json_t *object;
    char place[128];
    const json_t *outer; // nullable
} spot;

void exp_experiment_free(exp_experiment *experiment)
{
    memory *owner = experiment->memory;
    for (block *b = owner != NULL ? owner->blocks : NULL, *next; b != NULL; b = next) {
        next = b->next;
        free(b);
    }
    json_decref(owner != NULL ? owner->root : NULL);
    free(owner);
    *experiment = (exp_experiment){0};
}

// (count) zeroed, and one more
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
    const bool outer = json_object_get(at->object, key) == NULL && json_object_get(at->outer, key);
    const char *place = outer ? "" : at->place;
    const char *dot = place[0] != '\0' && key[0] != '\0' ? "." : "";
    const char *colon = place[0] != '\0' || key[0] != '\0' ? ": " : "";
    r->status =
        io_fail_at(&r->file, LGKT_ERR_FORMAT, "%s%s%.80s%s%s", place, dot, key, colon, text);
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

static void check_keys(reader *r, const spot *at, const char *const *keys)
{
    const char *key;
    json_t *value;
    if (!json_is_object(at->object))
        refuse(r, at, "", "it must be an object {...}");
    json_object_foreach(at->object, key, value) check_word(r, at, "", "field ", key, keys);
}

static json_t *find(reader *r, const spot *at, const char *key, bool needed)
{
    json_t *value = json_object_get(at->object, key);
    value = value != NULL ? value : json_object_get(at->outer, key);
    if (value == NULL && needed)
        refuse(r, at, key, "it is missing");
    return value;
}

// That a text is one line of at most `limit` bytes; "" after a failure. Nullable: text.
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

// A field without a fallback (NULL, below min, NaN) is needed, in the next three.
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
    const long long whole = json_integer_value(value);
    if (value == NULL)
        return fallback;
    if (!json_is_integer(value))
        refuse(r, at, key, "it must be a whole number");
    else if (whole < min || whole > max)
        refuse(r, at, key, "it is %lld; it must be in %lld .. %lld", whole, (long long)min,
               (long long)max);
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

// How many entries a list has; 0 for what is no such list.
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

static const int64_t *get_times(reader *r, const spot *at, const char *key, size_t most,
                                int32_t *count)
{
    const json_t *list = find(r, at, key, true);
    *count = list_size(r, at, key, list, 0, most);
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
    const char *name; // NULL behind the last
    exp_entry *entries;
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
    const spot style = within(at, "style", -1, find(r, at, "style", false));
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

static const learner_set *read_sets(reader *r, const spot *root)
{
    const spot at = within(root, "learners", -1, find(r, root, "learners", true));
    const size_t count = json_object_size(at.object);
    if (count == 0 || count > EXP_MAX_LEARNERS)
        refuse(r, &at, "", "it must be an object with named lists of learners");
    learner_set *sets = take(r, r->status == LGKT_OK ? (int32_t)count : 0, sizeof *sets);
    learner_set *set = sets;
    const char *name;
    json_t *list;
    json_object_foreach(at.object, name, list)
    {
        if (r->status != LGKT_OK)
            break;
        set->name = check_text(r, &at, name, name, WORD_BYTES, false);
        set->count = list_size(r, &at, name, list, 1, EXP_MAX_LEARNERS);
        set->entries = take(r, set->count, sizeof *set->entries);
        for (int32_t e = 0; e < set->count && r->status == LGKT_OK; e++) {
            const spot one = within(&at, name, e, json_array_get(list, (size_t)e));
            set->entries[e] = read_entry(r, &one, name);
        }
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
static void read_learners(reader *r, const spot *at, const learner_set *sets, exp_panel *panel)
{
    const json_t *list = find(r, at, "learners", true);
    const int32_t names = list_size(r, at, "learners", list, 1, EXP_MAX_LEARNERS);
    int32_t room = 0; // a set that is there twice has labels that are
    for (const learner_set *set = sets; names > 0 && set->name != NULL; set++)
        room = room + set->count < EXP_MAX_LEARNERS ? room + set->count : EXP_MAX_LEARNERS;
    exp_entry *entries = take(r, room, sizeof *entries);
    panel->entries = entries;
    for (int32_t i = 0; i < names && r->status == LGKT_OK; i++) {
        const char *name = json_string_value(json_array_get(list, (size_t)i));
        const learner_set *set = sets;
        name = check_text(r, at, "learners", name, WORD_BYTES, false);
        while (set->name != NULL && strcmp(set->name, name) != 0)
            set++;
        if (set->name == NULL) {
            char hint[100];
            lgkt_suggest(hint, sizeof hint, name, set_name, sets);
            refuse(r, at, "learners", "no set of learners \"%s\"; %s", name, hint);
        }
        for (int32_t e = 0; e < set->count && r->status == LGKT_OK; e++) {
            const exp_entry *entry = &set->entries[e];
            for (int32_t l = 0; l < panel->entry_count; l++)
                if (strcmp(entries[l].label, entry->label) == 0)
                    refuse(r, at, "learners", "two of them have the label \"%s\"", entry->label);
            if (panel->entry_count < room)
                entries[panel->entry_count++] = *entry;
            else
                refuse(r, at, "learners", "more than %d learners", EXP_MAX_LEARNERS);
        }
    }
}

// ---- panels ----

// The other environments whose rewards are counted.
static void read_events(reader *r, const spot *at, exp_panel *panel)
{
    const json_t *events = find(r, at, "events", false);
    const char *name;
    json_t *env;
    if (events != NULL && (!json_is_object(events) || json_object_size(events) > EXP_MAX_MEASURES))
        refuse(r, at, "events", "it must be an object with at most %d environments",
               EXP_MAX_MEASURES);
    exp_event *made = take(r, EXP_MAX_MEASURES, sizeof *made);
    panel->events = made;
    json_object_foreach((json_t *)events, name, env)
    {
        if (r->status != LGKT_OK)
            break;
        check_text(r, at, "events", name, WORD_BYTES - sizeof "event:", false);
        made[panel->event_count].name = name;
        made[panel->event_count++].env =
            check_text(r, at, "events", json_string_value(env), LGKT_MAX_SPEC, false);
    }
}

static exp_measure read_measure(reader *r, const spot *at, const char *word, const exp_panel *panel)
{
    static const char *const WORDS[] = {
        "average",      "cumulative", "regret", "ratio",
        "counter:NAME", "event:NAME", NULL}; // in the order of exp_measure_kind
    exp_measure measure = {.word = check_text(r, at, "measure", word, WORD_BYTES, false)};
    const char *colon = strchr(measure.word, ':');
    measure.name = colon != NULL && colon[1] != '\0' ? colon + 1 : NULL;
    const size_t length = measure.name != NULL ? (size_t)(measure.name - measure.word) : WORD_BYTES;
    while (WORDS[measure.kind] != NULL && strncmp(measure.word, WORDS[measure.kind], length) != 0)
        measure.kind++;
    if (WORDS[measure.kind] == NULL)
        check_word(r, at, "measure", "measure ", measure.word, WORDS);
    if (measure.kind == EXP_MEASURE_REGRET && panel->regret_k == 0)
        refuse(r, at, "measure", "regret needs \"regret\": {\"k\": ..., \"threshold\": ...}");
    bool known = measure.kind != EXP_MEASURE_EVENT;
    for (int32_t e = 0; e < panel->event_count && !known; e++)
        known = strcmp(panel->events[e].name, measure.name) == 0;
    if (!known)
        refuse(r, at, "measure", "\"events\" has no \"%s\"", measure.name);
    return measure;
}

static void read_measures(reader *r, const spot *at, exp_panel *panel)
{
    const json_t *value = find(r, at, "measure", false);
    const bool several = json_is_array(value);
    const int32_t count = several ? list_size(r, at, "measure", value, 1, EXP_MAX_MEASURES) : 1;
    exp_measure *measures = take(r, count, sizeof *measures);
    panel->measures = measures;
    panel->measure_count = count;
    for (int32_t i = 0; i < count && r->status == LGKT_OK; i++) {
        const json_t *word = several ? json_array_get(value, (size_t)i) : value;
        measures[i] =
            read_measure(r, at, value != NULL ? json_string_value(word) : "average", panel);
        for (int32_t j = 0; j < i; j++)
            if (strcmp(measures[j].word, measures[i].word) == 0)
                refuse(r, at, "measure", "\"%s\" is there twice", measures[i].word);
        if (measures[i].kind == EXP_MEASURE_RATIO && count > 1)
            refuse(r, at, "measure", "ratio goes with no other measure");
    }
}

static void read_times(reader *r, const spot *at, exp_panel *panel)
{
    static const int64_t usual[] = {100, 1000, 5000, 10000, 100000};
    const bool regret = r->status == LGKT_OK && panel->measures[0].kind == EXP_MEASURE_REGRET;
    if (json_is_array(find(r, at, "checkpoints", false))) {
        panel->times = EXP_TIMES_GIVEN;
        panel->given_times = get_times(r, at, "checkpoints", EXP_MAX_TIMES, &panel->given_count);
    } else {
        const char *word = get_text(r, at, "checkpoints", WORD_BYTES, regret ? "log" : "mixed");
        panel->times = strcmp(word, "log") == 0 ? EXP_TIMES_LOG : EXP_TIMES_MIXED;
        if (panel->times == EXP_TIMES_MIXED && strcmp(word, "mixed") != 0)
            refuse(r, at, "checkpoints", "it must be \"mixed\", \"log\" or a list of times");
    }
    panel->compare = usual;
    panel->compare_count = sizeof usual / sizeof *usual;
    if (find(r, at, "compare", false) != NULL)
        panel->compare = get_times(r, at, "compare", EXP_MAX_COMPARE, &panel->compare_count);
}

// `at` has the file as its outer object, and `own` has none.
static exp_panel read_panel(reader *r, const spot *at, const spot *own, const learner_set *sets)
{
    static const char *const KEYS[] = {"name",      "title",   "environment", "learners", "horizon",
                                       "instances", "quick",   "measure",     "regret",   "events",
                                       "untold",    "compare", "checkpoints", NULL};
    static const char *const REGRET_KEYS[] = {"k", "threshold", NULL};
    check_keys(r, at, KEYS);
    exp_panel panel = {
        .name = get_text(r, own, "name", WORD_BYTES, NULL),
        .env = get_text(r, own, "environment", LGKT_MAX_SPEC, NULL),
        .horizon = get_whole(r, at, "horizon", 1, EXP_MAX_HORIZON, 0),
        .instances = get_whole(r, at, "instances", 1, EXP_MAX_REPLICATES, 0),
        .quick_instances = get_whole(r, at, "quick", 0, EXP_MAX_REPLICATES, QUICK_INSTANCES),
        .untold = get_bool(r, at, "untold"),
    };
    panel.title = get_text(r, own, "title", LINE_BYTES, panel.name);
    if (panel.quick_instances > panel.instances)
        panel.quick_instances = panel.instances;
    const bool has = json_object_get(own->object, "regret") != NULL;
    const spot regret =
        within(has ? own : &(spot){.object = NULL}, "regret", -1, find(r, at, "regret", false));
    if (regret.object != NULL) {
        check_keys(r, &regret, REGRET_KEYS);
        panel.regret_k = get_whole(r, &regret, "k", 1, EXP_MAX_HORIZON, 0);
        panel.regret_threshold = get_real(r, &regret, "threshold", -1e300, 1e300, NAN);
    }
    read_events(r, at, &panel);
    read_measures(r, at, &panel);
    read_times(r, at, &panel);
    read_learners(r, own, sets, &panel);
    return panel;
}

// ---- the whole ----

static const char *copy(reader *r, const char *text, size_t length)
{
    char *made = take(r, (int32_t)length, 1);
    return made != NULL ? memcpy(made, text, length) : "";
}

// The name of the experiment and the folder are those of the file.
static void read_path(reader *r, const spot *root, const char *path, exp_experiment *experiment)
{
    const char *base = io_base_name(path);
    const size_t length = strlen(base);
    const bool json = length > 5 && strcmp(base + length - 5, ".json") == 0;
    experiment->name = copy(r, base, length - (json ? 5 : 0));
    experiment->file = copy(r, base, length);
    experiment->folder = copy(r, path, (size_t)(base - path));
    check_text(r, root, "its name", experiment->name, WORD_BYTES, false);
    if (experiment->name[0] == '.')
        refuse(r, root, "", "the name of an experiment must not begin with a dot");
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
        const spot own = within(root, "panels", p, json_array_get(list, (size_t)p));
        spot at = own;
        at.outer = root->object;
        panels[p] = read_panel(r, &at, &own, sets);
        panels[p].place = p;
        for (int32_t q = 0; q < p; q++)
            if (strcmp(panels[q].name, panels[p].name) == 0)
                refuse(r, &own, "name", "a second panel \"%s\"", panels[p].name);
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
    // and mostly says nothing at all then
    if (root == NULL && (json_error_code(&at) == json_error_out_of_memory || at.text[0] == '\0'))
        r.status = io_fail_at(&r.file, LGKT_ERR_NO_MEMORY, "out of memory");
    else if (root == NULL)
        r.status = lgkt_fail(error, LGKT_ERR_FORMAT, "%s:%d:%d: %s", io_short_name(path), at.line,
                             at.column, at.text);
    if (r.status == LGKT_OK) {
        const spot whole = {.object = r.owner->root = root};
        read_path(&r, &whole, path, experiment);
        read_root(&r, &whole, experiment);
    }
    if (r.status != LGKT_OK)
        exp_experiment_free(experiment);
    return r.status;
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

void exp_experiment_quicken(exp_experiment *experiment)
{
    exp_panel *panels = (exp_panel *)experiment->panels; // of one of our blocks
    int32_t kept = 0;
    for (int32_t p = 0; p < experiment->panel_count; p++)
        if (panels[p].quick_instances > 0)
            panels[kept++] = panels[p];
    experiment->panel_count = kept;
}
