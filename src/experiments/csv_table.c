// SPDX-License-Identifier: MIT
// The table is split in place: every field loses its quotes and gets a zero byte at its end.
// Time and memory are linear in the size of the file.

#include "experiments/csv_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "core/text.h"
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
    return io_fail_at(&r->place, LGKT_ERR_FORMAT, "%s", text);
}

// The next field, and whether it is the last of its line. It ends at a comma or the line end; in
// quotes, where two stand for one, it must end on its line.
static lgkt_status next_field(reader *r, char **field, bool *last)
{
    const bool quoted = *r->at == '"';
    bool open = quoted;
    r->at += quoted;
    char *to = *field = r->at;
    for (; r->at < r->end && *r->at != '\n' && (open || (!quoted && *r->at != ',')); r->at++) {
        if (quoted && *r->at == '"' && *++r->at != '"') {
            open = false;
            break;
        }
        *to++ = *r->at;
    }
    if (open)
        return fail_here(r, "a quote that does not end on its line");
    const char after = r->at < r->end ? *r->at : '\n';
    if (after != ',' && after != '\n')
        return fail_here(r, "text after a quoted field");
    *to = '\0';
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

// ---- public ----

lgkt_status exp_csv_read(const char *path, const char *head, exp_csv *csv, lgkt_error *error)
{
    size_t size = 0;
    *csv = (exp_csv){.path = path};
    lgkt_status status = io_file_read(path, LARGEST_FILE, &csv->bytes, &size, error);
    if (status != LGKT_OK)
        return status;
    reader r = {.place = {.name = path, .line = 1, .error = error},
                .at = csv->bytes,
                .end = csv->bytes + size,
                .line = 1};
    char *names[MOST_COLUMNS];
    const size_t length = strcspn(r.at, "\n");
    if (memchr(csv->bytes, '\0', size) != NULL)
        status = fail_here(&r, "is no text");
    else if (length != strlen(head) || memcmp(r.at, head, length) != 0)
        status = io_fail_at(&r.place, LGKT_ERR_FORMAT, "the columns are \"%.*s\", expected \"%s\"",
                            (int)lgkt_text_fit(r.at, length < 80 ? length : 80), r.at, head);
    else if (r.end[-1] != '\n') // its last number may be one, too
        status = lgkt_fail(error, LGKT_ERR_FORMAT, "%s: is cut off, its last line has no end",
                           io_short_name(path));
    else
        status = next_row(&r, names, MOST_COLUMNS, &csv->columns);

    size_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += csv->bytes[i] == '\n';
    if (status == LGKT_OK) {
        csv->cells = calloc(lines, (size_t)csv->columns * sizeof *csv->cells);
        csv->lines = calloc(lines, sizeof *csv->lines);
        if (csv->cells == NULL || csv->lines == NULL)
            status = lgkt_fail_memory(error, "a table");
    }
    while (status == LGKT_OK && r.at < r.end) {
        int32_t count = 0;
        csv->lines[csv->rows] = r.line;
        status = next_row(&r, csv->cells + csv->rows * csv->columns, csv->columns, &count);
        if (status == LGKT_OK && count != csv->columns) {
            r.line--;
            status = fail_here(&r, "too few fields");
        }
        csv->rows++;
    }
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
    return io_fail_at(&place, LGKT_ERR_FORMAT, "%s \"%.*s\"", what, (int)lgkt_text_fit(shown, 60),
                      shown);
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
