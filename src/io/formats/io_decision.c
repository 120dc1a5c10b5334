// SPDX-License-Identifier: MIT
// Writing logs of decisions (docs/decision-log.md): one line each, as CSV or as JSON. The columns
// are those of COLUMNS, in this order, whatever is missing. What has parts, a list or a state with
// names, is JSON in either format, and then quoted as a whole in CSV.

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "core/sized.h"
#include "core/text.h"
#include "lgkt/io.h"

static const char *const COLUMNS[] = {
    "seq",         "time",          "unit",   "decision", "state",       "allowed",    "action",
    "probability", "probabilities", "source", "reward",   "reward_time", "next_state", "cut"};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS };

// ---- bytes ----

// A line as it is written; what there is no room for is counted.
typedef struct line {
    lgkt_io_format format;
    char *text; // (capacity)
    size_t capacity, length;
    bool inside; // a quoted field of CSV
    int column;
} line;

static void put_bytes(line *to, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        for (int twice = to->inside && bytes[i] == '"'; twice >= 0; twice--) {
            if (to->length < to->capacity)
                to->text[to->length] = bytes[i];
            to->length++;
        }
}

static void put(line *to, const char *text)
{
    put_bytes(to, text, strlen(text));
}

// The quotes around a field of CSV.
static void put_edge(line *to)
{
    to->inside = false;
    put(to, "\"");
}

// One character of a text, and where the next one begins. What is not UTF-8 is replaced.
static const char *put_character(line *to, const char *at)
{
    const size_t size = lgkt_utf8_length(at);
    put_bytes(to, size > 0 ? at : "\xef\xbf\xbd", size > 0 ? size : 3);
    return at + (size > 0 ? size : 1);
}

// ---- values ----

static void put_integer(line *to, int64_t value)
{
    char digits[LGKT_NUMBER_SIZE];
    size_t at = sizeof digits;
    digits[--at] = '\0';
    for (uint64_t left = (uint64_t)value; left > 0 || digits[at] == '\0'; left /= 10)
        digits[--at] = (char)('0' + left % 10);
    put(to, &digits[at]);
}

static void put_quoted(line *to, const char *text)
{
    put(to, "\"");
    for (const char *at = text; *at != '\0';) {
        const unsigned char c = (unsigned char)*at;
        const char code[] = {
            '\\', 'u', '0', '0', "0123456789abcdef"[c / 16 % 16], "0123456789abcdef"[c % 16]};
        if (c == '"' || c == '\\')
            put(to, "\\");
        if (c >= ' ') {
            at = put_character(to, at);
        } else {
            put_bytes(to, code, sizeof code);
            at++;
        }
    }
    put(to, "\"");
}

// A text that is a field of CSV.
static void put_field(line *to, const char *text)
{
    const bool quoted = *text == '\0' || strpbrk(text, "\",\r\n") != NULL;
    if (quoted)
        put_edge(to);
    to->inside = quoted;
    for (const char *at = text; *at != '\0';)
        at = put_character(to, at);
    if (quoted)
        put_edge(to);
}

// Nothing in a field of CSV; null in JSON, also within a field.
static void put_missing(line *to)
{
    if (to->format == LGKT_IO_JSON_LINES || to->inside)
        put(to, "null");
}

static void put_number(line *to, double value)
{
    char digits[LGKT_NUMBER_SIZE];
    if (isfinite(value))
        put(to, lgkt_number_print(digits, value));
    else
        put_missing(to);
}

static void put_value(line *to, const lgkt_io_value *value)
{
    if (value->text == NULL)
        put_number(to, value->number);
    else if (to->format == LGKT_IO_CSV && !to->inside)
        put_field(to, value->text);
    else
        put_quoted(to, value->text);
}

// The brackets of a list or an object, and a quote around them in CSV.
static void open_parts(line *to, const char *bracket)
{
    if (to->format == LGKT_IO_CSV)
        put_edge(to);
    to->inside = to->format == LGKT_IO_CSV;
    put(to, bracket);
}

static void close_parts(line *to, const char *bracket)
{
    put(to, bracket);
    if (to->format == LGKT_IO_CSV)
        put_edge(to);
}

static void put_values(line *to, const lgkt_io_value *values, int32_t count)
{
    if (values == NULL) {
        put_missing(to);
        return;
    }
    open_parts(to, "[");
    for (int32_t i = 0; i < count; i++) {
        put(to, i > 0 ? "," : "");
        put_value(to, &values[i]);
    }
    close_parts(to, "]");
}

static void put_law(line *to, const double *p, int32_t count)
{
    if (p == NULL) {
        put_missing(to);
        return;
    }
    open_parts(to, "[");
    for (int32_t i = 0; i < count; i++) {
        put(to, i > 0 ? "," : "");
        put_number(to, p[i]);
    }
    close_parts(to, "]");
}

static void put_state(line *to, const lgkt_io_decision *d, const lgkt_io_value *state)
{
    if (state == NULL) {
        put_missing(to);
        return;
    }
    if (d->names == NULL) {
        put_value(to, state);
        return;
    }
    open_parts(to, "{");
    for (int32_t i = 0; i < d->parts; i++) {
        put(to, i > 0 ? "," : "");
        put_quoted(to, d->names[i]);
        put(to, ":");
        put_value(to, &state[i]);
    }
    close_parts(to, "}");
}

// ---- lines ----

// What comes before the value of the next column.
static void next_column(line *to)
{
    const char *name = COLUMNS[to->column];
    put(to, to->column > 0 ? "," : "");
    if (to->format == LGKT_IO_JSON_LINES) {
        put(to, to->column == 0 ? "{\"" : "\"");
        put(to, name);
        put(to, "\":");
    }
    to->column++;
}

static void put_count(line *to, int64_t count)
{
    next_column(to);
    if (count >= 0)
        put_integer(to, count);
    else
        put_missing(to);
}

static void put_real(line *to, double value)
{
    next_column(to);
    put_number(to, value);
}

static void put_decision(line *to, const lgkt_io_decision *d)
{
    put_count(to, d->seq);
    put_real(to, d->time);
    next_column(to);
    put_value(to, &d->unit);
    put_count(to, d->decision);
    next_column(to);
    put_state(to, d, d->state);
    next_column(to);
    put_values(to, d->allowed, d->allowed_count);
    next_column(to);
    put_value(to, &d->action);
    put_real(to, d->probability);
    next_column(to);
    put_law(to, d->probabilities, d->probability_count);
    next_column(to);
    put_value(to, &(lgkt_io_value){.text = d->source, .number = NAN});
    put_real(to, d->reward);
    put_real(to, d->reward_time);
    next_column(to);
    put_state(to, d, d->next_state);
    next_column(to);
    if (d->cut >= 0)
        put(to, d->cut > 0 ? "true" : "false");
    else
        put_missing(to);
    put(to, to->format == LGKT_IO_JSON_LINES ? "}\n" : "\n");
}

// ---- public ----

static const lgkt_io_decision nothing = {
    .size = sizeof nothing,
    .seq = -1,
    .time = NAN,
    .unit = {.number = NAN},
    .decision = -1,
    .parts = 1,
    .action = {.number = NAN},
    .probability = NAN,
    .reward = NAN,
    .reward_time = NAN,
    .cut = -1,
};

void lgkt_io_decision_init(lgkt_io_decision *decision, size_t size)
{
    lgkt_sized_fill(decision, size, &nothing, sizeof nothing);
}

// Whether a line can be written; begins it.
static lgkt_status open_line(lgkt_io_format format, char *text, size_t capacity,
                             const size_t *length, line *to, lgkt_error *error)
{
    if (length == NULL || (text == NULL && capacity > 0))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "text and length must not be NULL");
    if (format != LGKT_IO_CSV && format != LGKT_IO_JSON_LINES)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "format = %d must be LGKT_IO_CSV (%d) or LGKT_IO_JSON_LINES (%d)",
                         (int)format, (int)LGKT_IO_CSV, (int)LGKT_IO_JSON_LINES);
    *to = (line){.format = format, .text = text, .capacity = capacity};
    return LGKT_OK;
}

static lgkt_status close_line(const line *done, size_t *length, lgkt_error *error)
{
    *length = done->length;
    if (done->length >= done->capacity)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "the line has %zu bytes, the room is for %zu",
                         done->length, done->capacity);
    done->text[done->length] = '\0';
    return LGKT_OK;
}

lgkt_status lgkt_io_decision_header(lgkt_io_format format, char *text, size_t capacity,
                                    size_t *length, lgkt_error *error)
{
    line to = {.capacity = 0};
    LGKT_TRY(open_line(format, text, capacity, length, &to, error));
    for (int i = 0; i < COLUMN_COUNT && format == LGKT_IO_CSV; i++) {
        put(&to, COLUMNS[i]);
        put(&to, i < COLUMN_COUNT - 1 ? "," : "\n");
    }
    return close_line(&to, length, error);
}

static lgkt_status check(const lgkt_io_decision *d, lgkt_error *error)
{
    if (d->parts < 1 || (d->names == NULL && d->parts != 1))
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "parts = %d must be %s", d->parts,
                         d->names == NULL ? "1: there are no names" : "1 or more");
    for (int32_t i = 0; i < d->parts && d->names != NULL; i++)
        if (d->names[i] == NULL)
            return lgkt_fail(error, LGKT_ERR_ARGUMENT, "names[%d] must not be NULL", i);
    if (d->allowed_count < 0 || d->probability_count < 0)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "allowed_count = %d and probability_count = %d must be 0 or more",
                         d->allowed_count, d->probability_count);
    return LGKT_OK;
}

lgkt_status lgkt_io_decision_print(lgkt_io_format format, const lgkt_io_decision *decision,
                                   char *text, size_t capacity, size_t *length, lgkt_error *error)
{
    static const lgkt_sized_kind kind = {sizeof(lgkt_io_decision),
                                         LGKT_SIZE_UP_TO(lgkt_io_decision, cut), "decision",
                                         "lgkt_io_decision_default"};
    lgkt_io_decision own = nothing;
    line to = {.capacity = 0};
    LGKT_TRY(lgkt_sized_take(&kind, decision, &own, error));
    LGKT_TRY(check(&own, error));
    LGKT_TRY(open_line(format, text, capacity, length, &to, error));
    put_decision(&to, &own);
    return close_line(&to, length, error);
}
