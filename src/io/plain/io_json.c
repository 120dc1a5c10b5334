// SPDX-License-Identifier: MIT
// A streaming writer of JSON. Only the brackets that are open are remembered; commas, line ends and
// indents follow from them.

#include "io/plain/io_json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"

// ---- layout ----

static void put(io_json *json, const char *format, ...) LGKT_PRINTF(2, 3);

static void put(io_json *json, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (json->memory != NULL)
        io_memory_print_list(json->memory, format, values);
    else
        vfprintf(json->out, format, values);
    va_end(values);
}

// The line end before an element or a closing bracket of the innermost level, if it has any.
static void break_line(io_json *json, int indent)
{
    if (!(json->level[json->depth - 1].kind & IO_JSON_RECORD))
        put(json, "\n%*s", 2 * indent, "");
}

static void write_quoted(io_json *json, const char *text)
{
    put(json, "\"");
    for (const char *c = text; *c != '\0';) {
        const size_t length = lgkt_utf8_length(c);
        if (*c == '"' || *c == '\\')
            put(json, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            put(json, "\\u%04x", (unsigned)*c);
        else // what is not UTF-8 becomes the replacement character
            put(json, "%.*s", length > 0 ? (int)length : 3, length > 0 ? c : "\xef\xbf\xbd");
        c += length > 0 ? length : 1;
    }
    put(json, "\"");
}

// What comes before every value: the comma after the last one, the line end, the key.
static void begin_value(io_json *json, const char *key)
{
    if (json->depth > 0) {
        if (json->level[json->depth - 1].count++ > 0)
            put(json, json->level[json->depth - 1].kind & IO_JSON_RECORD ? ", " : ",");
        break_line(json, json->depth);
    }
    if (key != NULL) {
        write_quoted(json, key);
        put(json, ": ");
    }
}

// ---- public ----

void io_json_open(io_json *json, const char *key, io_json_kind kind)
{
    assert(json->depth < IO_JSON_DEPTH);
    begin_value(json, key);
    put(json, kind & IO_JSON_ARRAY ? "[" : "{");
    // what is inside a line stays on it
    const unsigned outer = json->depth > 0 ? json->level[json->depth - 1].kind : 0;
    json->level[json->depth].kind = kind | (outer & IO_JSON_RECORD);
    json->level[json->depth++].count = 0;
}

void io_json_close(io_json *json)
{
    assert(json->depth > 0);
    if (json->level[json->depth - 1].count > 0)
        break_line(json, json->depth - 1);
    put(json, json->level[--json->depth].kind & IO_JSON_ARRAY ? "]" : "}");
    if (json->depth == 0)
        put(json, "\n");
}

void io_json_real(io_json *json, const char *key, double value)
{
    char text[LGKT_NUMBER_SIZE];
    begin_value(json, key);
    put(json, "%s", isfinite(value) ? lgkt_number_print(text, value) : "null");
}

void io_json_integer(io_json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    put(json, "%" PRId64, value);
}

void io_json_unsigned(io_json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    put(json, "%" PRIu64, value);
}

void io_json_bool(io_json *json, const char *key, bool value)
{
    begin_value(json, key);
    put(json, value ? "true" : "false");
}

void io_json_text(io_json *json, const char *key, const char *value)
{
    begin_value(json, key);
    if (value == NULL)
        put(json, "null");
    else
        write_quoted(json, value);
}
