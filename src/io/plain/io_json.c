// SPDX-License-Identifier: MIT
// A streaming writer of JSON. Only the brackets that are open are remembered; commas, line ends and
// indents follow from them.

#include "io/plain/io_json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "core/number.h"
#include "core/text.h"

// ---- layout ----

static bool one_line(io_json_kind kind)
{
    return kind == IO_JSON_RECORD || kind == IO_JSON_LIST;
}

// The line end before an element or a closing bracket of the innermost level, if it has any.
static void break_line(const io_json *json, int indent)
{
    if (one_line(json->level[json->depth - 1].kind))
        return;
    fprintf(json->out, "\n%*s", 2 * indent, "");
}

static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *c = text; *c != '\0';) {
        const size_t length = lgkt_utf8_length(c);
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            fprintf(out, "\\u%04x", (unsigned)*c);
        else if (length > 0)
            fwrite(c, 1, length, out);
        else // not UTF-8: the replacement character
            fputs("\xef\xbf\xbd", out);
        c += length > 0 ? length : 1;
    }
    fputc('"', out);
}

// What comes before every value: the comma after the last one, the line end, the key.
static void begin_value(io_json *json, const char *key)
{
    if (json->depth > 0) {
        const bool first = json->level[json->depth - 1].count++ == 0;
        const bool inside = one_line(json->level[json->depth - 1].kind);
        if (!first)
            fputs(inside ? ", " : ",", json->out);
        break_line(json, json->depth);
    }
    if (key != NULL) {
        write_quoted(json->out, key);
        fputs(": ", json->out);
    }
}

// ---- public ----

io_json io_json_start(FILE *out)
{
    return (io_json){.out = out};
}

void io_json_open(io_json *json, const char *key, io_json_kind kind)
{
    assert(json->depth < IO_JSON_DEPTH);
    begin_value(json, key);
    const bool object = kind == IO_JSON_OBJECT || kind == IO_JSON_RECORD;
    // what is inside a line stays on it
    if (json->depth > 0 && one_line(json->level[json->depth - 1].kind))
        kind = object ? IO_JSON_RECORD : IO_JSON_LIST;
    fputc(object ? '{' : '[', json->out);
    json->level[json->depth].kind = kind;
    json->level[json->depth].count = 0;
    json->depth++;
}

void io_json_close(io_json *json)
{
    assert(json->depth > 0);
    const io_json_kind kind = json->level[json->depth - 1].kind;
    if (json->level[json->depth - 1].count > 0)
        break_line(json, json->depth - 1);
    fputc(kind == IO_JSON_OBJECT || kind == IO_JSON_RECORD ? '}' : ']', json->out);
    json->depth--;
    if (json->depth == 0)
        fputc('\n', json->out);
}

void io_json_real(io_json *json, const char *key, double value)
{
    char text[LGKT_NUMBER_SIZE];
    begin_value(json, key);
    fputs(isfinite(value) ? lgkt_number_print(text, value) : "null", json->out);
}

void io_json_integer(io_json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void io_json_unsigned(io_json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void io_json_bool(io_json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

void io_json_text(io_json *json, const char *key, const char *value)
{
    begin_value(json, key);
    if (value == NULL)
        fputs("null", json->out);
    else
        write_quoted(json->out, value);
}
