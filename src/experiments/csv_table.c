// SPDX-License-Identifier: MIT
// The table is split in place: every field loses its quotes and gets a zero byte at its end.
// Time and memory are linear in the size of the file.

#include "experiments/csv_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "io/io_text.h"

#define LARGEST_FILE ((size_t)1 << 30)
#define MOST_COLUMNS 32

// ---- fields ----

typedef struct reader {
    io_place place;
    char *at; // the next byte
    char *end;
    int64_t line; // of `at`, from 1 on
} reader;

static lgkt_status fail_here(reader *r, const char *text)
{
    r->place.line = r->line;
    return io_fail_at(&r->place, LGKT_ERR_SPEC, "%s", text);
}

// a field without quotes ends at the comma or the line end
static char *plain_field(reader *r)
{
    char *const begin = r->at;
    while (r->at < r->end && *r->at != ',' && *r->at != '\n')
        r->at++;
    return begin;
}

// a field in quotes; two quotes inside stand for one. NULL if it does not end on its line.
static char *quoted_field(reader *r, char **stop)
{
    char *const begin = ++r->at;
    char *to = begin;
    for (; r->at < r->end && *r->at != '\n'; r->at++) {
        if (*r->at == '"' && *++r->at != '"') {
            *stop = to;
            return begin;
        }
        *to++ = *r->at;
    }
    return NULL;
}

// The next field, and whether it is the last of its line.
static lgkt_status next_field(reader *r, char **field, bool *last)
{
    char *stop = NULL;
    *field = *r->at == '"' ? quoted_field(r, &stop) : plain_field(r);
    if (*field == NULL)
        return fail_here(r, "a quote that does not end on its line");
    const char after = r->at < r->end ? *r->at : '\n';
    if (after != ',' && after != '\n')
        return fail_here(r, "text after a quoted field");
    *(stop != NULL ? stop : r->at) = '\0';
    *last = after == '\n';
    r->at += r->at < r->end;
    return LGKT_OK;
}

// One line of at most `capacity` fields.
static lgkt_status next_row(reader *r, char **fields, int32_t capacity, int32_t *count)
{
    bool last = false;
    for (*count = 0; !last; ++*count) {
        if (*count == capacity)
            return fail_here(r, "too many fields");
        const lgkt_status status = next_field(r, &fields[*count], &last);
        if (status != LGKT_OK)
            return status;
    }
    r->line++;
    return LGKT_OK;
}

// ---- the table ----

static int64_t count_lines(const char *bytes, size_t size)
{
    int64_t lines = size > 0 && bytes[size - 1] != '\n';
    for (size_t i = 0; i < size; i++)
        lines += bytes[i] == '\n';
    return lines;
}

static lgkt_status read_head(reader *r, const char *head, exp_csv *csv)
{
    const size_t length = strcspn(r->at, "\n");
    if (length != strlen(head) || memcmp(r->at, head, length) != 0) {
        r->place.line = 1;
        return io_fail_at(&r->place, LGKT_ERR_SPEC, "the columns are \"%.*s\", expected \"%s\"",
                          (int)(length < 80 ? length : 80), r->at, head);
    }
    char *names[MOST_COLUMNS];
    return next_row(r, names, MOST_COLUMNS, &csv->columns);
}

static lgkt_status read_rows(reader *r, exp_csv *csv, int64_t capacity)
{
    const size_t cells = (size_t)capacity * (size_t)csv->columns;
    csv->cells = calloc(cells + 1, sizeof *csv->cells);
    csv->lines = calloc((size_t)capacity + 1, sizeof *csv->lines);
    if (csv->cells == NULL || csv->lines == NULL)
        return lgkt_fail(r->place.error, LGKT_ERR_NO_MEMORY, "out of memory");
    while (r->at < r->end) {
        int32_t count = 0;
        csv->lines[csv->rows] = r->line;
        const lgkt_status status =
            next_row(r, csv->cells + csv->rows * csv->columns, csv->columns, &count);
        if (status != LGKT_OK)
            return status;
        if (count != csv->columns) {
            r->line--;
            return fail_here(r, "too few fields");
        }
        csv->rows++;
    }
    return LGKT_OK;
}

// ---- public ----

lgkt_status exp_csv_read(const char *path, const char *head, exp_csv *csv, lgkt_error *error)
{
    size_t size = 0;
    *csv = (exp_csv){.path = path};
    lgkt_status status = io_file_read(path, LARGEST_FILE, &csv->bytes, &size, error);
    if (status != LGKT_OK)
        return status;
    reader r = {.place = {.name = path, .error = error},
                .at = csv->bytes,
                .end = csv->bytes + size,
                .line = 1};
    const int64_t lines = count_lines(csv->bytes, size);
    if (memchr(csv->bytes, '\0', size) != NULL)
        status = fail_here(&r, "is no text");
    if (status == LGKT_OK)
        status = read_head(&r, head, csv);
    if (status == LGKT_OK)
        status = read_rows(&r, csv, lines);
    if (status != LGKT_OK)
        exp_csv_free(csv);
    return status;
}

void exp_csv_free(exp_csv *csv)
{
    free(csv->bytes);
    free(csv->cells);
    free(csv->lines);
    *csv = (exp_csv){0};
}

const char *exp_csv_text(const exp_csv *csv, int64_t row, int32_t column)
{
    return csv->cells[row * csv->columns + column];
}

lgkt_status exp_csv_fail(const exp_csv *csv, int64_t row, lgkt_error *error, const char *what,
                         const char *shown)
{
    const io_place place = {.name = csv->path, .line = csv->lines[row], .error = error};
    return io_fail_at(&place, LGKT_ERR_SPEC, "%s \"%.60s\"", what, shown);
}

lgkt_status exp_csv_real(const exp_csv *csv, int64_t row, int32_t column, double *value,
                         lgkt_error *error)
{
    const char *text = exp_csv_text(csv, row, column);
    if (text[0] == '\0')
        *value = NAN;
    else if (!lgkt_number_parse(text, value))
        return exp_csv_fail(csv, row, error, "is no number:", text);
    return LGKT_OK;
}

lgkt_status exp_csv_count(const exp_csv *csv, int64_t row, int32_t column, int64_t *value,
                          lgkt_error *error)
{
    const char *text = exp_csv_text(csv, row, column);
    if (!lgkt_integer_parse(text, value) || *value < 0)
        return exp_csv_fail(csv, row, error, "is no whole number from 0 on:", text);
    return LGKT_OK;
}
