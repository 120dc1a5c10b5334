// SPDX-License-Identifier: MIT
// Grids of experiment files (experiment_grid.h). python/lgkt/_experiment_grid.py does the same with
// the same arithmetic, so that both make the same texts.
#include "experiments/studies/experiment_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "core/settings.h"
#include "core/text.h"

#define NAME_BYTES   16
#define NAMES_MOST   16 // of a grid
#define VALUES_MOST  1000
#define VALUE_BYTES  64
#define REAL_MOST    1e300
#define LOG_MOST     1e150              // so that quotients are finite
#define INTEGER_MOST 9007199254740991.0 // 2^53 - 1, which every reader of JSON keeps

typedef struct axis {
    const char *name;
    exp_value *values; // (count)
    int32_t count;
    bool used;
} axis;

// Of an object; one cell without names where it has no grid.
typedef struct exp_grid {
    io_spot at;
    axis *axes; // (axis_count) the first varies slowest
    int32_t axis_count;
    int32_t cells;
} grid;

// ---- values ----

// How many values a name has.
static int32_t count_values(io_document *d, const io_spot *at, const char *name, json_t *value)
{
    static const char *const KEYS[] = {"from", "to", "count", "scale", NULL};
    if (json_is_array(value))
        return io_check_list(d, at, name, value, 1, VALUES_MOST);
    if (!json_is_object(value)) {
        io_refuse(d, at, name, "it must be a list of values or {\"from\", \"to\", \"count\"}");
        return 1;
    }
    const io_spot range = io_within(at, name, -1, value);
    io_check_keys(d, &range, KEYS);
    return (int32_t)io_get_number(d, &range, "count", true, 2, VALUES_MOST, NAN);
}

static void read_list(io_document *d, const io_spot *at, const char *name, const json_t *list,
                      exp_value *values)
{
    size_t i;
    const json_t *item;
    json_array_foreach(list, i, item)
    {
        const double number = json_number_value(item);
        const double most = json_is_integer(item) ? INTEGER_MOST : REAL_MOST;
        values[i].number = json_is_number(item) ? number : NAN;
        if (json_is_string(item))
            values[i].text =
                io_check_text(d, at, name, json_string_value(item), VALUE_BYTES, false);
        else if (!json_is_number(item))
            io_refuse(d, at, name, "entry %zu: it must be a number or a text", i);
        else if (!(fabs(number) <= most))
            io_refuse(d, at, name, "entry %zu: it is %.16g; it must be in %.16g .. %.16g", i,
                      number, -most, most);
    }
}

// The number whose power is q, by halving: products only, which are the same everywhere.
static double find_root(double q, int32_t power)
{
    double low = q < 1.0 ? q : 1.0, high = q < 1.0 ? 1.0 : q;
    for (;;) {
        const double middle = low + 0.5 * (high - low);
        double product = 1.0;
        if (middle <= low || middle >= high)
            return high;
        for (int32_t i = 0; i < power; i++)
            product *= middle;
        if (product < q)
            low = middle;
        else
            high = middle;
    }
}

// From one end to the other in equal steps or factors. What lies between is rounded to 12 digits:
// 0.1 to 0.9 in 9 has a 0.3, and not 0.30000000000000004.
static void read_range(io_document *d, const io_spot *at, const char *name, json_t *value,
                       exp_value *values, int32_t count)
{
    static const char *const SCALES[] = {"linear", "log", NULL};
    const io_spot range = io_within(at, name, -1, value);
    const char *scale = io_get_text(d, &range, "scale", VALUE_BYTES, SCALES[0]);
    io_check_word(d, &range, "scale", "", scale, SCALES);
    const bool log = strcmp(scale, "log") == 0;
    const double least = log ? 1.0 / LOG_MOST : -REAL_MOST, most = log ? LOG_MOST : REAL_MOST;
    const double from = io_get_number(d, &range, "from", false, least, most, NAN);
    const double to = io_get_number(d, &range, "to", false, least, most, NAN);
    if (d->status != LGKT_OK)
        return;
    const int32_t last = count - 1;
    const double largest = fabs(from) > fabs(to) ? fabs(from) : fabs(to);
    const double factor = log ? find_root(to / from, last) : 0.0;
    values[0].number = from;
    values[last].number = to;
    double grown = from;
    for (int32_t i = 1; i < last; i++) {
        char text[LGKT_NUMBER_SIZE];
        grown *= factor;
        double number = log ? grown : (from * (last - i) + to * i) / last;
        if (fabs(number) < 1e-12 * largest && !log)
            number = 0.0; // what is left of a sum that is none
        snprintf(text, sizeof text, "%.12g", number);
        values[i].number = strtod(text, NULL);
    }
}

static void read_values(io_document *d, const io_spot *at, axis *x, json_t *value)
{
    exp_value *values = x->values = io_take(d, x->count, sizeof *values);
    char(*texts)[LGKT_NUMBER_SIZE] = io_take(d, x->count, sizeof *texts);
    if (d->status != LGKT_OK)
        return;
    if (json_is_array(value))
        read_list(d, at, x->name, value, values);
    else
        read_range(d, at, x->name, value, values, x->count);
    for (int32_t i = 0; i < x->count && d->status == LGKT_OK; i++) {
        values[i].name = x->name;
        if (values[i].text == NULL)
            values[i].text = lgkt_number_print(texts[i], values[i].number);
        for (int32_t j = 0; j < i; j++)
            if (values[j].number == values[i].number || strcmp(values[j].text, values[i].text) == 0)
                io_refuse(d, at, x->name, "the value %s is there twice", values[i].text);
    }
}

// ---- names ----

static const char *axis_name(const void *ctx, int32_t i)
{
    const axis *axes = ctx;
    return axes[i].name;
}

// The name in braces that a text begins with, and the bytes of it with these; NULL: the grid has no
// such name.
static axis *find_axis(const grid *g, const char *text, size_t *bytes)
{
    *bytes = strcspn(text, "}") + 1;
    for (int32_t a = 0; a < g->axis_count; a++)
        if (strlen(g->axes[a].name) == *bytes - 2 &&
            strncmp(g->axes[a].name, text + 1, *bytes - 2) == 0)
            return &g->axes[a];
    return NULL;
}

// That the names in a text are those of the grid.
static void check_names(io_document *d, const io_spot *at, const exp_field *field,
                        const json_t *value, const grid *g)
{
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    size_t bytes = 0;
    for (const char *open = strchr(text, '{'); open != NULL; open = strchr(open + bytes, '{')) {
        if (strchr(open, '}') == NULL) {
            io_refuse(d, at, field->key, "a \"{\" has no \"}\"");
            return;
        }
        axis *found = find_axis(g, open, &bytes);
        if (found == NULL) {
            char name[41], hint[100];
            const size_t fit = lgkt_text_fit(open + 1, sizeof name - 1);
            snprintf(name, sizeof name, "%.*s", (int)fit, open + 1);
            name[strcspn(name, "}")] = '\0';
            lgkt_suggest(hint, sizeof hint, name, axis_name, g->axes);
            io_refuse(d, at, field->key, "no name \"%s\" in the grid; %s", name, hint);
            return;
        }
        found->used |= field->makes;
    }
    if (field->limit == 0 && text[0] != '\0' && (text[0] != '{' || text[bytes] != '\0'))
        io_refuse(d, at, field->key,
                  "it is \"%.*s\"; it must be a whole number or one name of the grid in braces",
                  (int)lgkt_text_fit(text, 40), text);
}

// The names of a grid and, if `whole`, their values; the product of their numbers is known before
// these are made.
static grid read_grid(io_document *d, const io_spot *at, const exp_field *fields, int32_t most,
                      bool whole)
{
    static const char LETTERS[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    grid made = {.at = *at, .cells = 1};
    json_t *object = io_find(d, at, "grid", false), *value;
    if (object == NULL)
        return made;
    const io_spot inner = io_within(at, "grid", -1, object);
    const size_t names = json_object_size(object);
    const char *name;
    if (!json_is_object(object))
        io_refuse(d, at, "grid", "it must be an object with names and their values");
    else if (names < 1 || names > NAMES_MOST)
        io_refuse(d, at, "grid", "it has %zu names; it must have 1 to %d", names, NAMES_MOST);
    made.axes = io_take(d, d->status == LGKT_OK ? (int32_t)names : 0, sizeof *made.axes);
    json_object_foreach(object, name, value)
    {
        if (strlen(name) < 1 || strlen(name) > NAME_BYTES || name[strspn(name, LETTERS)] != '\0')
            io_refuse(d, at, "grid", "the name \"%.*s\" must have 1 to %d letters, digits, _ and -",
                      (int)lgkt_text_fit(name, 40), name, NAME_BYTES);
        const int32_t count = count_values(d, &inner, name, value);
        if (d->status == LGKT_OK && made.cells * count > most)
            io_refuse(d, at, "grid", "it has more than %d cells", (int)most);
        if (d->status != LGKT_OK)
            return made;
        made.axes[made.axis_count++] = (axis){.name = name, .count = count};
        made.cells *= count;
    }
    if (!whole)
        return made;
    for (int32_t a = 0; a < made.axis_count && d->status == LGKT_OK; a++)
        read_values(d, &inner, &made.axes[a], json_object_get(object, made.axes[a].name));
    for (const exp_field *field = fields; field->key != NULL; field++) {
        json_t *texts = json_object_get(at->object, field->key);
        check_names(d, at, field, texts, &made);
        json_object_foreach(texts, name, value) check_names(d, at, field, value, &made);
    }
    for (int32_t a = 0; a < made.axis_count; a++)
        if (!made.axes[a].used) {
            char where[100] = "";
            for (const exp_field *field = fields; field->key != NULL; field++)
                if (field->makes)
                    snprintf(where + strlen(where), sizeof where - strlen(where), "%s%s",
                             where[0] != '\0' ? ", " : "", field->key);
            io_refuse(d, &inner, made.axes[a].name, "\"{%s}\" stands nowhere in %s",
                      made.axes[a].name, where);
        }
    return made;
}

// ---- cells ----

typedef struct line {
    char text[LGKT_MAX_SPEC + 1];
    size_t length; // what it would have; beyond its room it is cut
} line;

static void add(line *to, const char *text, size_t length)
{
    if (to->length + length < sizeof to->text)
        memcpy(to->text + to->length, text, length);
    to->length += length;
}

// A field of a cell: the names of a text become their values. Below `object` it has the key `key`.
static void fill(io_document *d, const io_spot *at, const exp_field *field, const json_t *value,
                 const grid *g, const exp_value *values, json_t *object, const char *key)
{
    line filled = {.length = 0};
    bool there[NAMES_MOST] = {false};
    const exp_value *only = NULL;
    if (!json_is_string(value))
        return;
    for (const char *text = json_string_value(value); *text != '\0';) {
        size_t bytes = strcspn(text, "{");
        add(&filled, text, bytes);
        text += bytes;
        if (*text == '\0')
            break;
        const ptrdiff_t a = find_axis(g, text, &bytes) - g->axes;
        there[a] = true;
        only = &values[a];
        add(&filled, only->text, strlen(only->text));
        text += bytes;
    }
    for (int32_t a = 0; a < g->axis_count && field->before != NULL; a++)
        if (!there[a] && g->axes[a].count > 1) {
            const char *const parts[] = {field->before, values[a].name, field->between,
                                         values[a].text};
            for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
                add(&filled, parts[p], strlen(parts[p]));
        }
    json_t *made = NULL;
    if (field->limit > 0 && filled.length > field->limit)
        io_refuse(d, at, field->key, "it has %zu bytes; it must have 1 to %zu", filled.length,
                  field->limit);
    else if (field->limit > 0)
        made = json_stringn(filled.text, filled.length);
    else if (only == NULL || !(fabs(only->number) <= INTEGER_MOST) ||
             only->number != floor(only->number))
        io_refuse(d, at, field->key, "it is \"%s\"; it must be a whole number", filled.text);
    else
        made = json_integer((json_int_t)only->number);
    if (d->status == LGKT_OK && json_object_set_new(object, key, made) != 0)
        io_refuse_memory(d);
}

// A cell as an object without a grid.
static void make_cell(io_document *d, const exp_field *fields, const grid *g, int32_t index,
                      exp_object *part)
{
    const json_t *whole = part->at.object;
    exp_cell *cell = io_take(d, 1, sizeof *cell);
    exp_value *values = io_take(d, g->axis_count, sizeof *values);
    json_t *object = io_copy(d, part->at.object);
    if (d->status != LGKT_OK)
        return;
    for (int32_t a = g->axis_count; a-- > 0; index /= g->axes[a].count)
        values[a] = g->axes[a].values[index % g->axes[a].count];
    json_object_del(object, "grid");
    for (const exp_field *field = fields; field->key != NULL && d->status == LGKT_OK; field++) {
        const json_t *value = json_object_get(whole, field->key);
        fill(d, &part->at, field, value, g, values, object, field->key);
        if (json_is_object(value)) {
            json_t *inner = io_copy(d, (json_t *)value), *text;
            const char *name;
            json_object_foreach((json_t *)value, name, text) if (d->status == LGKT_OK)
                fill(d, &part->at, field, text, g, values, inner, name);
            if (json_object_set(object, field->key, inner) != 0)
                io_refuse_memory(d);
        }
    }
    const char *label = json_string_value(json_object_get(whole, fields[0].key));
    *cell =
        (exp_cell){.grid = label != NULL ? label : "", .values = values, .count = g->axis_count};
    part->at.object = object;
    part->cell = cell;
}

exp_cells exp_cells_begin(io_document *d, const io_spot *at, const char *key, const json_t *list,
                          const exp_field *fields, int32_t most)
{
    exp_cells parts = {.fields = fields};
    const int32_t items = io_check_list(d, at, key, list, 1, (size_t)most);
    parts.grids = io_take(d, items, sizeof *parts.grids);
    for (int32_t i = 0; i < items && d->status == LGKT_OK; i++) {
        const io_spot one = io_within(at, key, i, json_array_get(list, (size_t)i));
        // of what is refused in any case the number is enough
        parts.grids[i] = read_grid(d, &one, fields, most, parts.count <= most);
        parts.count += parts.grids[i].cells;
    }
    if (parts.count > most)
        io_refuse(d, at, key, "it has %d entries with those of grids; it must have 1 to %d",
                  (int)parts.count, (int)most);
    return parts;
}

exp_object exp_cells_next(io_document *d, exp_cells *parts)
{
    if (parts->cell == parts->grids[parts->place].cells) {
        parts->place++;
        parts->cell = 0;
    }
    const grid *g = &parts->grids[parts->place];
    exp_object part = {.at = g->at, .place = parts->place};
    if (g->axis_count > 0)
        make_cell(d, parts->fields, g, parts->cell, &part);
    parts->cell++;
    return part;
}

bool exp_cells_clash(const exp_cell *a, const exp_cell *b)
{
    // those of one object have the very same text
    if (a == NULL || b == NULL || a->grid == b->grid || strcmp(a->grid, b->grid) != 0)
        return false;
    int32_t names = 0, values = 0;
    for (int32_t i = 0; i < a->count && i < b->count; i++) {
        names += strcmp(a->values[i].name, b->values[i].name) == 0;
        values += strcmp(a->values[i].text, b->values[i].text) == 0;
    }
    return a->count != b->count || names < a->count || values == a->count;
}
