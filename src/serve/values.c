// SPDX-License-Identifier: MIT
// Requests as lists of values (values.h).

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "serve/values.h"

enum { DEPTH = 6, MEMBERS = 24 }; // deeper or wider is not plain

// ---- lists ----

static srv_value *add(srv_values *values)
{
    if (values->count == values->capacity) {
        const size_t room = values->capacity > 0 ? 2 * values->capacity : 64;
        srv_value *at = realloc(values->at, room * sizeof *at);
        if (at == NULL)
            return NULL;
        values->at = at;
        values->capacity = room;
    }
    srv_value *value = &values->at[values->count++];
    *value = (srv_value){.length = 1};
    return value;
}

void srv_values_release(srv_values *values)
{
    free(values->at);
    *values = (srv_values){0};
}

bool srv_equals(const char *text, int32_t size, const char *word)
{
    return strlen(word) == (size_t)size && memcmp(text, word, (size_t)size) == 0;
}

const srv_value *srv_value_in(const srv_value *object, const char *name)
{
    if (!srv_is(object, SRV_OBJECT))
        return NULL;
    const srv_value *value = object + 1;
    for (int32_t i = 0; i < object->count; i++, value = srv_after(value))
        if (srv_equals(value->name, value->name_size, name))
            return value;
    return NULL;
}

const char *srv_quoted(const char *text, int32_t size, char room[SRV_QUOTED])
{
    const size_t kept = size < SRV_QUOTED ? (size_t)size : SRV_QUOTED - 1;
    memcpy(room, text, kept);
    room[kept] = '\0';
    room[lgkt_text_fit(room, kept)] = '\0';
    return room;
}

// ---- plain texts ----

typedef struct reader {
    srv_values *values;
    const char *at, *end;
} reader;

static bool read_value(reader *r, int depth);

static char skip_blanks(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
    if (r->at == r->end)
        return '\0';
    return *r->at;
}

// The letters between two quotes.
static bool read_text(reader *r, const char **text, int32_t *size)
{
    if (skip_blanks(r) != '"')
        return false;
    const char *from = ++r->at;
    while (r->at < r->end && *r->at >= ' ' && *r->at < 127 && *r->at != '"' && *r->at != '\\')
        r->at++;
    if (r->at == r->end || *r->at != '"' || r->at - from > INT32_MAX)
        return false;
    *text = from;
    *size = (int32_t)(r->at++ - from);
    return true;
}

static bool is_digit(const reader *r)
{
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

// At most 15 digits, of which the decimals are a power of ten that is exact: one division then
// rounds as it must.
static bool read_number(reader *r, srv_value *value)
{
    static const double tens[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool is_minus = *r->at == '-';
    r->at += is_minus;
    const char *from = r->at;
    int64_t digits = 0;
    int count = 0, decimals = 0;
    for (; is_digit(r) && count <= 15; count++)
        digits = 10 * digits + (*r->at++ - '0');
    const bool is_whole = r->at == r->end || *r->at != '.';
    if (count == 0 || (count > 1 && *from == '0'))
        return false;
    r->at += !is_whole;
    for (; !is_whole && is_digit(r) && count <= 15; count++, decimals++)
        digits = 10 * digits + (*r->at++ - '0');
    const bool goes_on = r->at < r->end && (is_digit(r) || *r->at == 'e' || *r->at == 'E');
    if (count > 15 || goes_on || (!is_whole && decimals == 0))
        return false;
    value->type = is_whole ? SRV_INTEGER : SRV_REAL;
    value->integer = !is_whole ? 0 : is_minus ? -digits : digits;
    value->real = (double)digits / tens[decimals];
    if (is_minus && (!is_whole || digits > 0))
        value->real = -value->real;
    return true;
}

static bool read_word(reader *r, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0)
        return false;
    r->at += size;
    return true;
}

static bool is_twice(const srv_values *values, size_t object, const char *name, int32_t size)
{
    const srv_value *one = &values->at[object + 1];
    for (int32_t i = 0; i < values->at[object].count; i++, one = srv_after(one))
        if (one->name_size == size && memcmp(one->name, name, (size_t)size) == 0)
            return true;
    return false;
}

// What is within brackets. The list may move while it grows: values are named by their numbers.
static bool read_within(reader *r, size_t whole, bool is_object, int depth)
{
    const char close = is_object ? '}' : ']';
    r->at++;
    char next = skip_blanks(r);
    while (next != close) {
        const char *name = NULL;
        int32_t size = 0;
        if (is_object && (r->values->at[whole].count == MEMBERS || !read_text(r, &name, &size) ||
                          is_twice(r->values, whole, name, size) || skip_blanks(r) != ':'))
            return false;
        r->at += is_object;
        const size_t own = r->values->count;
        if (!read_value(r, depth + 1))
            return false;
        r->values->at[own].name = name;
        r->values->at[own].name_size = size;
        r->values->at[whole].count++;
        next = skip_blanks(r);
        if (next != ',' && next != close)
            return false;
        if (next == ',') {
            r->at++;
            if (skip_blanks(r) == close)
                return false;
        }
    }
    r->at++;
    r->values->at[whole].length = (int32_t)(r->values->count - whole);
    return true;
}

static bool read_value(reader *r, int depth)
{
    const char first = skip_blanks(r);
    const size_t number = r->values->count;
    srv_value *value = depth < DEPTH ? add(r->values) : NULL;
    if (value == NULL)
        return false;
    switch (first) {
    case '{':
    case '[':
        value->type = first == '{' ? SRV_OBJECT : SRV_LIST;
        return read_within(r, number, first == '{', depth);
    case '"':
        value->type = SRV_TEXT;
        return read_text(r, &value->text, &value->size);
    case 't':
        value->type = SRV_TRUE;
        return read_word(r, "true");
    case 'f':
        value->type = SRV_FALSE;
        return read_word(r, "false");
    case 'n':
        value->type = SRV_NULL;
        return read_word(r, "null");
    default:
        return (first == '-' || (first >= '0' && first <= '9')) && read_number(r, value);
    }
}

bool srv_values_read(srv_values *values, const char *text, size_t size)
{
    reader r = {.values = values, .at = text, .end = text + size};
    values->count = 0;
    return size <= INT32_MAX && read_value(&r, 0) && skip_blanks(&r) == '\0' && r.at == r.end;
}

// ---- trees ----

static bool add_tree(srv_values *values, const json_t *tree, const char *name)
{
    const size_t number = values->count;
    srv_value *value = add(values);
    if (value == NULL)
        return false;
    value->name = name;
    value->name_size = name != NULL ? (int32_t)strlen(name) : 0;
    value->real = json_number_value(tree);
    value->type = (srv_type)json_typeof(tree);
    bool good = true;
    const char *own;
    json_t *one;
    switch (value->type) {
    case SRV_OBJECT:
        value->count = (int32_t)json_object_size(tree);
        json_object_foreach((json_t *)(uintptr_t)tree, own, one) good =
            good && add_tree(values, one, own);
        break;
    case SRV_LIST:
        value->count = (int32_t)json_array_size(tree);
        for (size_t i = 0; i < json_array_size(tree) && good; i++)
            good = add_tree(values, json_array_get(tree, i), NULL);
        break;
    case SRV_TEXT:
        value->text = json_string_value(tree);
        value->size = (int32_t)json_string_length(tree);
        break;
    case SRV_INTEGER:
        value->integer = json_integer_value(tree);
        break;
    default:
        break;
    }
    values->at[number].length = (int32_t)(values->count - number);
    return good;
}

bool srv_values_of(srv_values *values, const json_t *tree)
{
    values->count = 0;
    return add_tree(values, tree, NULL);
}

json_t *srv_tree_read(const char *text, size_t size, char why[SRV_WHY])
{
    json_error_t where = {.line = 0};
    json_t *tree = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
    if (tree == NULL)
        snprintf(why, SRV_WHY, "the body is no JSON: line %d: %s", where.line, where.text);
    return tree;
}
