// SPDX-License-Identifier: MIT
// Grids of experiment files (experiment_grid.h).
#include "experiments/reader/experiment_grid.h"

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
#define LETTERS      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

typedef struct axis {
    const char *name;
    exp_value *values; // (count)
    int32_t count;
    bool used;
} axis;

// Of an object; one cell without names where it has no grid.
typedef struct exp_grid {
    io_spot at;
    const io_member *members; // of the object
    const char *label;        // what its first field says, in memory of its own
    axis *axes;               // (axis_count) the first varies slowest
    int32_t axis_count;
    int32_t cells;
} grid;

// ---- values ----

typedef struct range {
    int32_t count;
    const char *scale;
    double from, to;
} range;

// How many values a name has.
static int32_t count_values(io_document *d, const io_spot *at, const char *name, io_value value)
{
    static const io_field FIELDS[] = {
        {.key = "from"},
        {.key = "to"},
        {"count", IO_WHOLE_AT(range, count, 2, VALUES_MOST), .flags = IO_NEEDED},
        {.key = "scale"},
        {.key = NULL},
    };
    range read = {.count = 1};
    if (value.kind == IO_LIST)
        return io_check_list(d, at, name, value, 1, VALUES_MOST);
    const io_spot inner = io_within(at, name, -1, value);
    if (value.kind != IO_OBJECT)
        io_refuse(d, at, name, "it must be a list of values or {\"from\", \"to\", \"count\"}");
    io_read_fields(d, &inner, FIELDS, NULL, &read);
    return read.count;
}

static void read_list(io_document *d, const io_spot *at, const char *name, io_value list,
                      exp_value *values)
{
    for (size_t i = 0; i < list.size && d->status == LGKT_OK; i++) {
        const io_value item = io_item(d, list, i);
        const bool whole = item.kind == IO_WHOLE, number = whole || item.kind == IO_REAL;
        const double most = whole ? INTEGER_MOST : REAL_MOST;
        values[i].number = number ? item.number : NAN;
        if (item.kind == IO_TEXT)
            values[i].text = io_check_text(d, at, name, item, VALUE_BYTES, false);
        else if (!number)
            io_refuse(d, at, name, "entry %zu: it must be a number or a text", i);
        else if (!(fabs(item.number) <= most))
            io_refuse(d, at, name, "entry %zu: it is %.16g; it must be in %.16g .. %.16g", i,
                      item.number, -most, most);
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
static void read_range(io_document *d, const io_spot *at, exp_value *values, int32_t count)
{
    static const char *const SCALES[] = {"linear", "log", NULL};
    const io_value word = io_find(d, at, "scale", false);
    const char *scale = word.kind == IO_NOTHING
                            ? SCALES[0]
                            : io_check_text(d, at, "scale", word, VALUE_BYTES, true);
    io_check_word(d, at, "scale", "", scale, SCALES);
    const bool log = strcmp(scale, "log") == 0;
    const double least = log ? 1.0 / LOG_MOST : -REAL_MOST, most = log ? LOG_MOST : REAL_MOST;
    const double from =
        io_check_number(d, at, "from", io_find(d, at, "from", true), false, least, most);
    const double to = io_check_number(d, at, "to", io_find(d, at, "to", true), false, least, most);
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

static void read_values(io_document *d, const io_spot *at, axis *x, io_value value)
{
    exp_value *values = x->values = io_take(d, (size_t)x->count, sizeof *values);
    char(*texts)[LGKT_NUMBER_SIZE] = io_take(d, (size_t)x->count, sizeof *texts);
    const io_spot inner = io_within(at, x->name, -1, value);
    if (d->status != LGKT_OK)
        return;
    if (value.kind == IO_LIST)
        read_list(d, at, x->name, value, values);
    else
        read_range(d, &inner, values, x->count);
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
static void check_names(io_document *d, const io_spot *at, const io_field *field, io_value value,
                        const grid *g)
{
    const char *text = value.kind == IO_TEXT ? value.text : "";
    size_t bytes = 0;
    for (const char *open = strchr(text, '{'); open != NULL; open = strchr(open + bytes, '{')) {
        if (strchr(open, '}') == NULL) {
            io_refuse(d, at, field->key, "a \"{\" has no \"}\"");
            return;
        }
        axis *named = find_axis(g, open, &bytes);
        if (named == NULL) {
            char name[41], hint[100];
            const size_t fit = lgkt_text_fit(open + 1, sizeof name - 1);
            snprintf(name, sizeof name, "%.*s", (int)fit, open + 1);
            name[strcspn(name, "}")] = '\0';
            lgkt_suggest(hint, sizeof hint, name, axis_name, g->axes);
            io_refuse(d, at, field->key, "no name \"%s\" in the grid; %s", name, hint);
            return;
        }
        named->used |= (field->flags & IO_MAKES) != 0;
    }
    if (field->type == IO_FIELD_WHOLE && text[0] != '\0' && (text[0] != '{' || text[bytes] != '\0'))
        io_refuse(d, at, field->key,
                  "it is \"%.*s\"; it must be a whole number or one name of the grid in braces",
                  (int)lgkt_text_fit(text, 40), text);
}

// That every name stands in something that is run.
static void check_use(io_document *d, const io_spot *inner, const io_field *fields, const grid *g)
{
    char where[100] = "";
    for (const io_field *field = fields; field->key != NULL; field++)
        if ((field->flags & IO_MAKES) != 0)
            snprintf(where + strlen(where), sizeof where - strlen(where), "%s%s",
                     where[0] != '\0' ? ", " : "", field->key);
    for (int32_t a = 0; a < g->axis_count; a++)
        if (!g->axes[a].used)
            io_refuse(d, inner, g->axes[a].name, "\"{%s}\" stands nowhere in %s", g->axes[a].name,
                      where);
}

// The names of a grid and, if `whole`, their values; the product of their numbers is known before
// these are made.
static grid read_grid(io_document *d, const io_spot *at, const io_field *fields, int32_t most,
                      bool whole)
{
    grid made = {.at = *at, .cells = 1};
    const io_value object = io_member_of(d, at->object, "grid");
    if (object.kind == IO_NOTHING)
        return made;
    const io_spot inner = io_within(at, "grid", -1, object);
    if (object.kind != IO_OBJECT)
        io_refuse(d, at, "grid", "it must be an object with names and their values");
    else if (object.size < 1 || object.size > NAMES_MOST)
        io_refuse(d, at, "grid", "it has %zu names; it must have 1 to %d", object.size, NAMES_MOST);
    const io_member *members = io_members(d, object);
    made.axes = io_take(d, object.size, sizeof *made.axes);
    for (size_t i = 0; i < object.size && d->status == LGKT_OK; i++) {
        const char *name = members[i].name;
        if (strlen(name) < 1 || strlen(name) > NAME_BYTES || name[strspn(name, LETTERS)] != '\0')
            io_refuse(d, at, "grid", "the name \"%.*s\" must have 1 to %d letters, digits, _ and -",
                      (int)lgkt_text_fit(name, 40), name, NAME_BYTES);
        const int32_t count = count_values(d, &inner, name, members[i].value);
        if (made.cells * count > most)
            io_refuse(d, at, "grid", "it has more than %d cells", (int)most);
        if (d->status != LGKT_OK)
            return made;
        made.axes[made.axis_count++] = (axis){.name = name, .count = count};
        made.cells *= count;
    }
    if (!whole)
        return made;
    for (int32_t a = 0; a < made.axis_count && d->status == LGKT_OK; a++)
        read_values(d, &inner, &made.axes[a], members[a].value);
    for (const io_field *field = fields; field->key != NULL && d->status == LGKT_OK; field++) {
        const io_value texts = io_member_of(d, at->object, field->key);
        const io_member *several = (field->flags & IO_NAMES) != 0 ? io_members(d, texts) : NULL;
        if ((field->flags & IO_NAMES) == 0)
            continue;
        check_names(d, at, field, texts, &made);
        for (size_t i = 0; texts.kind == IO_OBJECT && i < texts.size && d->status == LGKT_OK; i++)
            check_names(d, at, field, several[i].value, &made);
    }
    check_use(d, &inner, fields, &made);
    made.members = io_members(d, at->object);
    const io_value label = io_member_of(d, at->object, fields[0].key);
    const size_t bytes = label.kind == IO_TEXT ? strlen(label.text) : 0;
    char *copy = io_take(d, bytes, 1);
    if (copy != NULL && bytes > 0)
        memcpy(copy, label.text, bytes);
    made.label = copy;
    return made;
}

// ---- cells ----

typedef struct line {
    char text[LGKT_MAX_SPEC + 1];
    size_t length; // what it would have; beyond its size it is cut
} line;

static void add(line *to, const char *text, size_t length)
{
    if (to->length + length < sizeof to->text)
        memcpy(to->text + to->length, text, length);
    to->length += length;
}

// A text of a field in a cell, whose names become their values.
static io_value fill_text(io_document *d, const io_spot *at, const io_field *field,
                          const char *text, const grid *g, const exp_value *values)
{
    line filled = {.length = 0};
    bool there[NAMES_MOST] = {false};
    const exp_value *only = NULL;
    while (*text != '\0') {
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
    if (field->type != IO_FIELD_WHOLE) {
        const size_t limit = (size_t)field->max;
        if (filled.length > limit)
            io_refuse(d, at, field->key, "it has %zu bytes; it must have 1 to %zu", filled.length,
                      limit);
        char *made = io_take(d, filled.length, 1);
        if (made != NULL)
            memcpy(made, filled.text, filled.length);
        return (io_value){.kind = IO_TEXT, .text = made != NULL ? made : ""};
    }
    if (only == NULL || !(fabs(only->number) <= INTEGER_MOST) ||
        only->number != floor(only->number)) {
        io_refuse(d, at, field->key, "it is \"%s\"; it must be a whole number", filled.text);
        return (io_value){.kind = IO_NULL};
    }
    return (io_value){.kind = IO_WHOLE, .whole = (int64_t)only->number, .number = only->number};
}

// A value of a field in a cell: a text, or an object of texts, is filled in.
static io_value fill(io_document *d, const io_spot *at, const io_field *field, io_value value,
                     const grid *g, const exp_value *values)
{
    if (value.kind == IO_TEXT && value.flaw == NULL)
        return fill_text(d, at, field, value.text, g, values);
    if (value.kind != IO_OBJECT)
        return value;
    const io_member *from = io_members(d, value);
    io_member *made = io_take(d, value.size, sizeof *made);
    for (size_t i = 0; i < value.size && d->status == LGKT_OK; i++) {
        const bool text = from[i].value.kind == IO_TEXT;
        made[i] = (io_member){from[i].name,
                              text ? fill(d, at, field, from[i].value, g, values) : from[i].value};
    }
    return (io_value){.kind = IO_OBJECT, .made = true, .node = made, .size = value.size};
}

// A cell as an object without a grid.
static void make_cell(io_document *d, const io_field *fields, const grid *g, int32_t index,
                      exp_object *object)
{
    const size_t size = object->at.object.size;
    exp_cell *cell = io_take(d, 1, sizeof *cell);
    exp_value *values = io_take(d, (size_t)g->axis_count, sizeof *values);
    io_member *made = io_take(d, size, sizeof *made);
    size_t count = 0;
    if (d->status != LGKT_OK)
        return;
    for (int32_t a = g->axis_count; a-- > 0; index /= g->axes[a].count)
        values[a] = g->axes[a].values[index % g->axes[a].count];
    for (size_t i = 0; i < size && d->status == LGKT_OK; i++) {
        const io_field *field = fields;
        while (field->key != NULL && strcmp(field->key, g->members[i].name) != 0)
            field++;
        if (strcmp(g->members[i].name, "grid") == 0)
            continue;
        made[count] = g->members[i];
        if (field->key != NULL && (field->flags & IO_NAMES) != 0)
            made[count].value = fill(d, &object->at, field, made[count].value, g, values);
        count++;
    }
    *cell = (exp_cell){.grid = g->label, .values = values, .count = g->axis_count};
    object->at.object = (io_value){.kind = IO_OBJECT, .made = true, .node = made, .size = count};
    object->cell = cell;
}

exp_cells exp_cells_begin(io_document *d, const io_spot *at, const char *key, io_value list,
                          const io_field *fields, int32_t most)
{
    exp_cells cells = {.fields = fields};
    const int32_t items = io_check_list(d, at, key, list, 1, (size_t)most);
    cells.grids = io_take(d, (size_t)items, sizeof *cells.grids);
    for (int32_t i = 0; i < items && d->status == LGKT_OK; i++) {
        const io_spot object = io_within(at, key, i, io_item(d, list, (size_t)i));
        // of what is refused in any case the number is enough
        cells.grids[i] = read_grid(d, &object, fields, most, cells.count <= most);
        cells.count += cells.grids[i].cells;
    }
    if (cells.count > most)
        io_refuse(d, at, key, "it has %d entries with those of grids; it must have 1 to %d",
                  (int)cells.count, (int)most);
    cells.count = d->status == LGKT_OK ? cells.count : 0;
    return cells;
}

exp_object exp_cells_next(io_document *d, exp_cells *cells)
{
    if (cells->cell == cells->grids[cells->place].cells) {
        cells->place++;
        cells->cell = 0;
    }
    const grid *g = &cells->grids[cells->place];
    exp_object object = {.at = g->at, .place = cells->place};
    if (g->axis_count > 0)
        make_cell(d, cells->fields, g, cells->cell, &object);
    cells->cell++;
    return object;
}

bool exp_cells_clash(const exp_cell *a, const exp_cell *b)
{
    // those of one grid have the very same text
    if (a == NULL || b == NULL || a->grid == b->grid || strcmp(a->grid, b->grid) != 0)
        return false;
    int32_t names = 0, values = 0;
    for (int32_t i = 0; i < a->count && i < b->count; i++) {
        names += strcmp(a->values[i].name, b->values[i].name) == 0;
        values += strcmp(a->values[i].text, b->values[i].text) == 0;
    }
    return a->count != b->count || names < a->count || values == a->count;
}
