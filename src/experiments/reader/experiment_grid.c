// SPDX-License-Identifier: MIT
// Grids of experiment files (experiment_file.h).
#include "experiments/reader/experiment_file.h"

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

// Values from one end to the other.
typedef struct range {
    double from, to;
    int32_t count;
    const char *scale;
} range;

typedef struct axis {
    const char *name;
    exp_value *values; // (count) NULL: they were not asked for
    int32_t count;
    bool used;
} axis;

// Of an object; one cell without names where it has no grid.
typedef struct exp_grid {
    io_at at;
    const io_member *members; // of the object
    const char *label;        // what its first field says, in memory of its own
    axis *axes;               // (axis_count) the first varies slowest
    int32_t axis_count;
    int32_t cells;
} grid;

// ---- values ----

static void fill_list(const io_at *list, exp_value *values)
{
    for (int32_t i = 0; i < (int32_t)list->value.size && list->d->status == LGKT_OK; i++) {
        const io_value item = io_item(list, i).value;
        const bool whole = item.kind == IO_WHOLE, number = whole || item.kind == IO_REAL;
        const double most = whole ? INTEGER_MOST : REAL_MOST;
        values[i].number = number ? item.number : NAN;
        if (item.kind == IO_TEXT)
            // what is wrong with it is said of the list
            values[i].text =
                io_check_text(&(io_at){list->d, list->in, list->key, 0, item}, VALUE_BYTES, false);
        else if (!number)
            io_refuse(list, "entry %d: it must be a number or a text", (int)i);
        else if (!(fabs(item.number) <= most))
            io_refuse(list, "entry %d: it is %.16g; it must be in %.16g .. %.16g", (int)i,
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
static void fill_range(const range *span, exp_value *values)
{
    const bool log = strcmp(span->scale, "log") == 0;
    const double from = span->from, to = span->to;
    const int32_t last = span->count - 1;
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

// A name with its values, of which a grid with so many cells may have `most`; if not `whole`, only
// their number is read.
static axis read_axis(const io_at *at, int32_t most, bool whole)
{
    static const char *const SCALES[] = {"linear", "log", NULL};
    static const io_field FIELDS[] = {
        {"from", IO_REAL_AT(range, from, -REAL_MOST, REAL_MOST), .flags = IO_NEEDED},
        {"to", IO_REAL_AT(range, to, -REAL_MOST, REAL_MOST), .flags = IO_NEEDED},
        {"count", IO_WHOLE_AT(range, count, 2, VALUES_MOST), .flags = IO_NEEDED},
        {"scale", IO_TEXT_AT(range, scale, VALUE_BYTES), .words = SCALES},
        {.key = NULL},
    };
    io_document *d = at->d;
    const char *name = at->key;
    range span = {.count = 1, .scale = SCALES[0]};
    if (strlen(name) < 1 || strlen(name) > NAME_BYTES || name[strspn(name, LETTERS)] != '\0')
        io_refuse(at->in, "the name \"%.*s\" must have 1 to %d letters, digits, _ and -",
                  (int)lgkt_text_fit(name, 40), name, NAME_BYTES);
    if (at->value.kind == IO_LIST) {
        span.count = io_check_list(at, 1, VALUES_MOST);
    } else if (at->value.kind != IO_OBJECT) {
        io_refuse(at, "it must be a list of values or {\"from\", \"to\", \"count\"}");
    } else {
        io_read_fields(at, FIELDS, &span);
        for (int i = 0; i < 2 && strcmp(span.scale, "log") == 0; i++) {
            const io_at end = io_get(at, FIELDS[i].key, 0);
            io_check_number(&end, false, 1.0 / LOG_MOST, LOG_MOST);
        }
    }
    axis made = {.name = name, .count = span.count};
    if (made.count > most || !whole)
        return made;

    exp_value *values = made.values = io_take(d, (size_t)made.count, sizeof *values);
    char(*texts)[LGKT_NUMBER_SIZE] = io_take(d, (size_t)made.count, sizeof *texts);
    if (d->status == LGKT_OK && at->value.kind == IO_LIST)
        fill_list(at, values);
    else if (d->status == LGKT_OK)
        fill_range(&span, values);
    for (int32_t i = 0; i < made.count && d->status == LGKT_OK; i++) {
        values[i].name = name;
        if (values[i].text == NULL)
            values[i].text = lgkt_number_print(texts[i], values[i].number);
        for (int32_t j = 0; j < i; j++)
            if (values[j].number == values[i].number || strcmp(values[j].text, values[i].text) == 0)
                io_refuse(at, "the value %s is there twice", values[i].text);
    }
    return made;
}

// The names of a grid and, if `whole`, their values; the product of their numbers is known before
// these are made.
static grid read_grid(io_at at, const io_field *fields, int32_t most, bool whole)
{
    io_document *d = at.d;
    grid made = {.at = at, .cells = 1};
    const io_at object = io_get(&at, "grid", 0), label = io_get(&at, fields[0].key, 0);
    const size_t count = object.value.size;
    if (object.value.kind == IO_NOTHING)
        return made;
    if (object.value.kind != IO_OBJECT)
        io_refuse(&object, "it must be an object with names and their values");
    else if (count < 1 || count > NAMES_MOST)
        io_refuse(&object, "it has %zu names; it must have 1 to %d", count, NAMES_MOST);
    const io_member *names = io_members(&object);
    made.axes = io_take(d, count, sizeof *made.axes);
    for (size_t i = 0; i < count && d->status == LGKT_OK; i++) {
        const io_at named = {d, &object, names[i].name, 0, names[i].value};
        const axis x = made.axes[made.axis_count++] = read_axis(&named, most / made.cells, whole);
        if (x.count > most / made.cells)
            io_refuse(&object, "it has more than %d cells", (int)most);
        else
            made.cells *= x.count;
    }
    const bool text = label.value.kind == IO_TEXT;
    made.label = text ? io_copy_text(d, label.value.text, strlen(label.value.text)) : "";
    made.members = io_members(&at);
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

// Adds a text with the values of its names; `there` gets which of them it has.
static void fill_names(const io_at *at, const io_field *field, const grid *g,
                       const exp_value *values, line *filled, bool there[NAMES_MOST])
{
    const char *text = at->value.text;
    for (size_t bytes; at->d->status == LGKT_OK; text += bytes) {
        bytes = strcspn(text, "{");
        add(filled, text, bytes);
        text += bytes;
        if (*text == '\0')
            return;
        // the name up to the brace that closes
        bytes = strcspn(text, "}") + 1;
        int32_t a = 0;
        while (a < g->axis_count && (strlen(values[a].name) != bytes - 2 ||
                                     strncmp(values[a].name, text + 1, bytes - 2) != 0))
            a++;
        if (strchr(text, '}') == NULL) {
            io_refuse(at, "a \"{\" has no \"}\"");
        } else if (a == g->axis_count) {
            char name[41];
            const size_t fit = lgkt_text_fit(text + 1, sizeof name - 1);
            snprintf(name, sizeof name, "%.*s", (int)fit, text + 1);
            name[strcspn(name, "}")] = '\0';
            lgkt_hint hint = {.word = name, .size = 100};
            for (a = 0; a < g->axis_count; a++)
                lgkt_hint_add(&hint, values[a].name);
            io_refuse(at, "no name \"%s\" in the grid; %s", name, lgkt_hint_text(&hint));
        } else {
            g->axes[a].used |= (field->flags & IO_MAKES) != 0;
            there[a] = true;
            add(filled, values[a].text, strlen(values[a].text));
        }
    }
}

// The number of the only name that a text has.
static io_value fill_whole(const io_at *at, const grid *g, const exp_value *values,
                           const bool there[NAMES_MOST])
{
    const char *text = at->value.text;
    const exp_value *value = NULL;
    for (int32_t a = 0; a < g->axis_count; a++)
        if (there[a] && text[0] == '{' && strlen(text) == strlen(values[a].name) + 2)
            value = &values[a];
    const double number = value != NULL ? value->number : NAN;
    if (text[0] != '\0' && value == NULL)
        io_refuse(at, "it is \"%.*s\"; it must be a whole number or one name of the grid in braces",
                  (int)lgkt_text_fit(text, 40), text);
    else if (!(fabs(number) <= INTEGER_MOST) || number != floor(number))
        io_refuse(at, "it is \"%s\"; it must be a whole number", value != NULL ? value->text : "");
    const bool good = at->d->status == LGKT_OK;
    return (io_value){.kind = IO_WHOLE, .whole = good ? (int64_t)number : 0, .number = number};
}

// A value of a field in a cell: the names in a text, or in each of an object of texts, become their
// values.
static io_value fill(const io_at *at, const io_field *field, const grid *g, const exp_value *values)
{
    io_document *d = at->d;
    if (at->value.kind == IO_OBJECT) {
        const io_member *from = io_members(at);
        io_member *made = io_take(d, at->value.size, sizeof *made);
        for (size_t i = 0; i < at->value.size && d->status == LGKT_OK; i++) {
            const io_at inner = {d, at->in, at->key, 0, from[i].value};
            made[i] = from[i];
            if (from[i].value.kind == IO_TEXT)
                made[i].value = fill(&inner, field, g, values);
        }
        return (io_value){.kind = IO_OBJECT, .made = true, .node = made, .size = at->value.size};
    }
    if (at->value.kind != IO_TEXT || at->value.flaw != NULL)
        return at->value;
    line filled = {.length = 0};
    bool there[NAMES_MOST] = {false};
    fill_names(at, field, g, values, &filled, there);
    if (field->kind == IO_WHOLE)
        return fill_whole(at, g, values, there);
    for (int32_t a = 0; a < g->axis_count && field->before != NULL; a++)
        if (!there[a] && g->axes[a].count > 1) {
            const char *const parts[] = {field->before, values[a].name, field->between,
                                         values[a].text};
            for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
                add(&filled, parts[p], strlen(parts[p]));
        }
    if (filled.length > (size_t)field->max)
        io_refuse(at, "it has %zu bytes; it must have 1 to %zu", filled.length, (size_t)field->max);
    return (io_value){.kind = IO_TEXT, .text = io_copy_text(d, filled.text, filled.length)};
}

// That every name stands in something that is run.
static void check_use(const io_field *fields, const grid *g)
{
    const io_at object = io_get(&g->at, "grid", 0);
    char where[100] = "";
    for (const io_field *field = fields; field->key != NULL; field++)
        if ((field->flags & IO_MAKES) != 0)
            snprintf(where + strlen(where), sizeof where - strlen(where), "%s%s",
                     where[0] != '\0' ? ", " : "", field->key);
    for (int32_t a = 0; a < g->axis_count; a++) {
        const io_at named = {.d = object.d, .in = &object, .key = g->axes[a].name};
        if (!g->axes[a].used)
            io_refuse(&named, "\"{%s}\" stands nowhere in %s", named.key, where);
    }
}

// A cell as an object without a grid.
static void make_cell(exp_cells *cells, const grid *g, int32_t index)
{
    io_document *d = g->at.d;
    const size_t size = g->at.value.size;
    exp_cell *cell = io_take(d, 1, sizeof *cell);
    exp_value *values = io_take(d, (size_t)g->axis_count, sizeof *values);
    io_member *made = io_take(d, size, sizeof *made);
    size_t count = 0;
    if (d->status != LGKT_OK)
        return;
    for (int32_t a = g->axis_count, rest = index; a-- > 0; rest /= g->axes[a].count)
        values[a] = g->axes[a].values[rest % g->axes[a].count];
    for (size_t i = 0; i < size && d->status == LGKT_OK; i++) {
        const io_at at = {d, &g->at, g->members[i].name, 0, g->members[i].value};
        const io_field *field = cells->fields;
        while (field->key != NULL && strcmp(field->key, at.key) != 0)
            field++;
        if (strcmp(at.key, "grid") == 0)
            continue;
        made[count] = g->members[i];
        if (field->key != NULL && (field->flags & IO_NAMES) != 0)
            made[count].value = fill(&at, field, g, values);
        count++;
    }
    if (index == 0)
        check_use(cells->fields, g);
    *cell = (exp_cell){.grid = g->label, .values = values, .count = g->axis_count};
    cells->at.value = (io_value){.kind = IO_OBJECT, .made = true, .node = made, .size = count};
    cells->cell = cell;
}

exp_cells exp_cells_begin(const io_at *list, const io_field *fields, int32_t most)
{
    io_document *d = list->d;
    exp_cells cells = {.fields = fields};
    const int32_t items = io_check_list(list, 1, (size_t)most);
    cells.grids = io_take(d, (size_t)items, sizeof *cells.grids);
    for (int32_t i = 0; i < items && d->status == LGKT_OK; i++) {
        // of what is refused in any case the number is enough
        cells.grids[i] = read_grid(io_item(list, i), fields, most, cells.count <= most);
        cells.count += cells.grids[i].cells;
    }
    if (cells.count > most)
        io_refuse(list, "it has %d entries with those of grids; it must have 1 to %d",
                  (int)cells.count, (int)most);
    cells.count = d->status == LGKT_OK ? cells.count : 0;
    return cells;
}

void exp_cells_next(exp_cells *cells)
{
    if (cells->next == cells->grids[cells->place].cells) {
        cells->place++;
        cells->next = 0;
    }
    const grid *g = &cells->grids[cells->place];
    cells->at = g->at;
    cells->cell = NULL;
    if (g->axis_count > 0)
        make_cell(cells, g, cells->next);
    cells->next++;
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
