// SPDX-License-Identifier: MIT
// Tapes and series from CSV.
//
// Lines end with \n or \r\n. A field may be quoted ("a, b"), which only price files need. The
// number of columns is the same in all lines, numbers are those of specs (lgkt_number_parse), and
// failures name the line, counted from 1.

#include "io/formats/io_tape.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/number.h"
#include "core/text.h"
#include "io/plain/io_text.h"
#include "lgkt/io.h"

#define CSV_BYTES   ((size_t)1 << 30)
#define TAPE_HEADER "u_next,z_reward,u_reward,u_coin"

enum { TAPE_COLUMNS = 4, NUMBER_SIZE = 64 };

// a piece of the text; not zero-terminated
typedef struct slice {
    const char *at;
    size_t size;
} slice;

typedef struct csv {
    io_place at; // the line read last
    slice rest;  // what is not read yet
} csv;

// ---- lines and fields ----

static slice skip(slice text, size_t count)
{
    return (slice){text.at + count, text.size - count};
}

// Takes the next line without its end; false at the end of the file.
static bool next_line(csv *file, slice *line)
{
    file->at.line++;
    if (file->rest.size == 0)
        return false;
    const char *end = memchr(file->rest.at, '\n', file->rest.size);
    *line = file->rest;
    if (end != NULL)
        line->size = (size_t)(end - line->at);
    file->rest = skip(file->rest, line->size + (end != NULL ? 1 : 0));
    if (line->size > 0 && line->at[line->size - 1] == '\r')
        line->size--;
    return true;
}

// Takes the next field of a line and the comma behind it; `line->at` is NULL after the last one.
static slice next_field(slice *line)
{
    const bool quoted = line->size > 0 && line->at[0] == '"';
    const slice inner = quoted ? skip(*line, 1) : *line;
    const char *end = inner.size > 0 ? memchr(inner.at, quoted ? '"' : ',', inner.size) : NULL;
    slice field = inner;
    if (end != NULL)
        field.size = (size_t)(end - inner.at);
    // what follows the field: behind the closing quote only a comma is a separator
    slice after = skip(inner, field.size + (quoted && end != NULL ? 1 : 0));
    if (after.size > 0 && after.at[0] == ',')
        *line = skip(after, 1);
    else
        *line = (slice){NULL, 0};
    return field;
}

static int64_t count_fields(slice line)
{
    int64_t count = 0;
    for (; line.at != NULL; count++)
        next_field(&line);
    return count;
}

static lgkt_status read_field(const csv *file, const char *column, slice field, double *value)
{
    char text[NUMBER_SIZE];
    const size_t size = field.size < sizeof text ? field.size : sizeof text - 1;
    memcpy(text, field.size > 0 ? field.at : "", size);
    text[size] = '\0';
    if (strlen(text) == field.size && lgkt_number_parse(text, value))
        return LGKT_OK;
    return io_fail_at(&file->at, LGKT_ERR_FORMAT, "%s is \"%.*s\"; it must be a number", column,
                      (int)lgkt_text_fit(text, 24), text);
}

static lgkt_status check_fields(const csv *file, slice line, int64_t columns)
{
    const int64_t count = count_fields(line);
    if (count == columns)
        return LGKT_OK;
    return io_fail_at(&file->at, LGKT_ERR_SHAPE, "has %lld columns; it must have %lld",
                      (long long)count, (long long)columns);
}

// An upper bound on how many lines are left.
static size_t lines_left(const csv *file)
{
    size_t lines = 1;
    for (size_t i = 0; i < file->rest.size; i++)
        lines += file->rest.at[i] == '\n';
    return lines;
}

// ---- tapes ----

lgkt_status io_tape_read_text(const char *bytes, size_t size, const char *name, io_tape *tape,
                              lgkt_error *error)
{
    static const char *const names[TAPE_COLUMNS] = {"u_next", "z_reward", "u_reward", "u_coin"};
    csv file = {.at = {.name = name, .error = error}, .rest = {bytes, size}};
    slice line = {NULL, 0};
    if (!next_line(&file, &line) || line.size != strlen(TAPE_HEADER) ||
        memcmp(line.at, TAPE_HEADER, line.size) != 0)
        return io_fail_at(&file.at, LGKT_ERR_FORMAT, "the header must be " TAPE_HEADER);
    io_tape read = {.rows = calloc(lines_left(&file), sizeof(io_tape_row))};
    if (read.rows == NULL)
        return io_fail_at(&file.at, LGKT_ERR_NO_MEMORY, "out of memory");
    lgkt_status status = LGKT_OK;
    while (status == LGKT_OK && next_line(&file, &line)) {
        double values[TAPE_COLUMNS] = {0};
        status = check_fields(&file, line, TAPE_COLUMNS);
        for (int i = 0; status == LGKT_OK && i < TAPE_COLUMNS; i++) {
            status = read_field(&file, names[i], next_field(&line), &values[i]);
            const bool uniform = names[i][0] == 'u';
            if (status == LGKT_OK && uniform && !(values[i] >= 0.0 && values[i] < 1.0))
                status = io_fail_at(&file.at, LGKT_ERR_ARGUMENT, "%s is %g; it must be in [0, 1)",
                                    names[i], values[i]);
        }
        read.rows[read.count++] = (io_tape_row){values[0], values[1], values[2], values[3]};
    }
    if (status == LGKT_OK && read.count == 0)
        status = io_fail_at(&file.at, LGKT_ERR_SHAPE, "the tape has no rows");
    if (status == LGKT_OK)
        *tape = read;
    else
        io_tape_release(&read);
    return status;
}

void io_tape_release(io_tape *tape)
{
    free(tape->rows);
    *tape = (io_tape){0};
}

uint64_t io_tape_hash(const io_tape *tape, int64_t rows)
{
    uint64_t hash = LGKT_HASH_START;
    for (int64_t t = 0; t < rows; t++) {
        const io_tape_row *row = &tape->rows[t];
        const double numbers[] = {row->u_next, row->z_reward, row->u_reward, row->u_coin};
        for (int i = 0; i < 4; i++) {
            uint64_t bits;
            memcpy(&bits, &numbers[i], sizeof bits);
            hash = lgkt_hash_u64(hash, bits);
        }
    }
    return hash;
}

// ---- series ----

// Which column holds the prices, of how many, and whether the first line is a header.
typedef struct layout {
    int64_t column, columns;
    bool header;
} layout;

static lgkt_status find_prices(const csv *file, slice line, layout *found)
{
    *found = (layout){.columns = count_fields(line), .header = true};
    slice rest = line;
    for (int64_t i = 0; i < found->columns; i++) {
        const slice field = next_field(&rest);
        if (field.size == 5 && strncasecmp(field.at, "close", 5) == 0) {
            found->column = i;
            return LGKT_OK;
        }
    }
    if (found->columns != 1)
        return io_fail_at(&file->at, LGKT_ERR_FORMAT, "no column is called Close");
    // a number on top of the only column is a price already, a word is its name
    static const char digits[] = "0123456789+-.";
    found->header = line.size > 0 && memchr(digits, line.at[0], sizeof digits) == NULL;
    return LGKT_OK;
}

lgkt_status lgkt_io_series_parse(const char *bytes, size_t size, const char *name,
                                 const lgkt_allocator *allocator, double **values, size_t *count,
                                 lgkt_error *error)
{
    if (bytes == NULL || name == NULL || values == NULL || count == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                         "bytes, name, values and count must not be NULL");
    csv file = {.at = {.name = name, .error = error}, .rest = {bytes, size}};
    // spreadsheets put this mark before UTF-8 text
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        file.rest = skip(file.rest, 3);
    const lgkt_allocator hooks = lgkt_allocator_resolve(allocator);
    double *read = lgkt_alloc_zeroed(&hooks, lines_left(&file), sizeof *read);
    if (read == NULL)
        return io_fail_at(&file.at, LGKT_ERR_NO_MEMORY, "out of memory");
    layout where = {0};
    size_t n = 0;
    slice line;
    lgkt_status status = LGKT_OK;
    while (status == LGKT_OK && next_line(&file, &line)) {
        if (file.at.line == 1)
            status = find_prices(&file, line, &where);
        if (status != LGKT_OK || (file.at.line == 1 && where.header))
            continue;
        status = check_fields(&file, line, where.columns);
        slice field = {NULL, 0};
        for (int64_t i = 0; status == LGKT_OK && i <= where.column; i++)
            field = next_field(&line);
        if (status == LGKT_OK)
            status = read_field(&file, "the price", field, &read[n]);
        if (status == LGKT_OK && !(read[n++] > 0.0))
            status = io_fail_at(&file.at, LGKT_ERR_ARGUMENT, "the price is %g; it must be positive",
                                read[n - 1]);
    }
    if (status == LGKT_OK && n == 0)
        status = io_fail_at(&file.at, LGKT_ERR_SHAPE, "the file has no prices");
    if (status != LGKT_OK) {
        lgkt_free(&hooks, read);
        return status;
    }
    *values = read;
    *count = n;
    return LGKT_OK;
}

// ---- from files ----

lgkt_status io_tape_read(const char *path, io_tape *tape, lgkt_error *error)
{
    char *bytes;
    size_t size;
    lgkt_status status = io_file_read(path, CSV_BYTES, &bytes, &size, error);
    if (status != LGKT_OK)
        return status;
    status = io_tape_read_text(bytes, size, path, tape, error);
    free(bytes);
    return status;
}

lgkt_status lgkt_io_series_read(const char *path, const lgkt_allocator *allocator, double **values,
                                size_t *count, lgkt_error *error)
{
    char *bytes;
    size_t size;
    if (path == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "path must not be NULL");
    lgkt_status status = io_file_read(path, CSV_BYTES, &bytes, &size, error);
    if (status != LGKT_OK)
        return status;
    status = lgkt_io_series_parse(bytes, size, path, allocator, values, count, error);
    free(bytes);
    return status;
}
