// SPDX-License-Identifier: MIT
// Tapes, series and laws of actions from CSV.
//
// Lines end with \n or \r\n. A field may be quoted ("a, b"), which only price files need. The
// number of columns is the same in all lines, numbers are those of specs (lgkt_number_parse), and
// failures name the line, counted from 1.

#include "io/formats/io_tape.h"

#include <float.h>
#include <math.h>
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

// An upper bound on how many lines are left.
static size_t lines_left(const csv *file)
{
    size_t lines = 1;
    for (size_t i = 0; i < file->rest.size; i++)
        lines += file->rest.at[i] == '\n';
    return lines;
}

// What messages call the numbers of a column, and what these must be.
typedef struct column {
    const char *name, *range;
    double least, below;
} column;

static lgkt_status read_field(const csv *file, const column *c, slice field, double *value)
{
    char text[NUMBER_SIZE];
    const size_t size = field.size < sizeof text ? field.size : sizeof text - 1;
    memcpy(text, field.size > 0 ? field.at : "", size);
    text[size] = '\0';
    if (strlen(text) != field.size || !lgkt_number_parse(text, value))
        return io_fail_at(&file->at, LGKT_ERR_FORMAT, "%s is \"%.*s\"; it must be a number",
                          c->name, (int)lgkt_text_fit(text, 24), text);
    if (!(*value >= c->least && *value < c->below))
        return io_fail_at(&file->at, LGKT_ERR_ARGUMENT, "%s is %g; it must be %s", c->name, *value,
                          c->range);
    return LGKT_OK;
}

// The numbers of `count` columns behind the first `skipped` of `all`, of all lines that are left.
static lgkt_status read_rows(csv *file, const column *columns, int64_t skipped, int64_t count,
                             int64_t all, double *into, int64_t *rows)
{
    for (slice line; next_line(file, &line); ++*rows) {
        const int64_t there = count_fields(line);
        if (there != all)
            return io_fail_at(&file->at, LGKT_ERR_SHAPE, "has %lld columns; it must have %lld",
                              (long long)there, (long long)all);
        for (int64_t i = 0; i < skipped; i++)
            next_field(&line);
        for (int64_t i = 0; i < count; i++)
            LGKT_TRY(read_field(file, &columns[i], next_field(&line), into++));
    }
    return LGKT_OK;
}

// ---- tapes ----

lgkt_status io_tape_read_text(const char *bytes, size_t size, const char *name, io_tape *tape,
                              lgkt_error *error)
{
    static const column columns[TAPE_COLUMNS] = {{"u_next", "in [0, 1)", 0.0, 1.0},
                                                 {"z_reward", "", -INFINITY, INFINITY},
                                                 {"u_reward", "in [0, 1)", 0.0, 1.0},
                                                 {"u_coin", "in [0, 1)", 0.0, 1.0}};
    csv file = {.at = {.name = name, .error = error}, .rest = {bytes, size}};
    slice line = {NULL, 0};
    if (!next_line(&file, &line) || line.size != strlen(TAPE_HEADER) ||
        memcmp(line.at, TAPE_HEADER, line.size) != 0)
        return io_fail_at(&file.at, LGKT_ERR_FORMAT, "the header must be " TAPE_HEADER);
    io_tape read = {.rows = calloc(lines_left(&file), sizeof(io_tape_row))};
    if (read.rows == NULL)
        return io_fail_at(&file.at, LGKT_ERR_NO_MEMORY, "out of memory");
    lgkt_status status =
        read_rows(&file, columns, 0, TAPE_COLUMNS, TAPE_COLUMNS, (double *)read.rows, &read.count);
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
    uint64_t hash = LGKT_HASH_START, bits[TAPE_COLUMNS];
    for (int64_t t = 0; t < rows; t++) {
        memcpy(bits, &tape->rows[t], sizeof bits);
        for (int i = 0; i < TAPE_COLUMNS; i++)
            hash = lgkt_hash_u64(hash, bits[i]);
    }
    return hash;
}

// ---- series ----

// Finds the column that holds the prices, and whether the first line is a header.
static lgkt_status find_prices(const csv *file, slice line, int64_t *column_of, bool *header)
{
    *header = true;
    slice rest = line;
    for (*column_of = 0; rest.at != NULL; ++*column_of) {
        const slice field = next_field(&rest);
        if (field.size == 5 && strncasecmp(field.at, "close", 5) == 0)
            return LGKT_OK;
    }
    if (*column_of != 1)
        return io_fail_at(&file->at, LGKT_ERR_FORMAT, "no column is called Close");
    // a number on top of the only column is a price already, a word is its name
    static const char digits[] = "0123456789+-.";
    *header = line.size > 0 && memchr(digits, line.at[0], sizeof digits) == NULL;
    *column_of = 0;
    return LGKT_OK;
}

static lgkt_status read_series(csv *file, double *into, int64_t *count)
{
    static const column price = {"the price", "positive", DBL_TRUE_MIN, INFINITY};
    const csv begin = *file;
    slice line;
    if (next_line(file, &line)) {
        int64_t place;
        bool header;
        LGKT_TRY(find_prices(file, line, &place, &header));
        if (!header)
            *file = begin;
        LGKT_TRY(read_rows(file, &price, place, 1, count_fields(line), into, count));
    }
    return *count > 0 ? LGKT_OK : io_fail_at(&file->at, LGKT_ERR_SHAPE, "the file has no prices");
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
    double *read = lgkt_alloc_zeroed(allocator, lines_left(&file), sizeof *read);
    if (read == NULL)
        return io_fail_at(&file.at, LGKT_ERR_NO_MEMORY, "out of memory");
    int64_t rows = 0;
    const lgkt_status status = read_series(&file, read, &rows);
    if (status != LGKT_OK) {
        lgkt_free(allocator, read);
        return status;
    }
    *values = read;
    *count = (size_t)rows;
    return LGKT_OK;
}

// ---- laws of actions ----

enum { STATE, ACTION, PROBABILITY, LAW_COLUMNS };

// Where the columns are, -1: nowhere; and how many there are in all.
static lgkt_status find_columns(const csv *file, slice header, int64_t place[LAW_COLUMNS],
                                int64_t *all)
{
    static const char *const names[LAW_COLUMNS] = {"state", "action", "probability"};
    for (int i = 0; i < LAW_COLUMNS; i++)
        place[i] = -1;
    for (*all = 0; header.at != NULL; ++*all) {
        const slice field = next_field(&header);
        for (int i = 0; i < LAW_COLUMNS; i++)
            if (field.size == strlen(names[i]) && memcmp(field.at, names[i], field.size) == 0)
                place[i] = *all;
    }
    for (int i = 0; i < PROBABILITY; i++)
        if (place[i] < 0)
            return io_fail_at(&file->at, LGKT_ERR_FORMAT,
                              "no column is called %s; there must be state and action, and "
                              "probability where it is not 1",
                              names[i]);
    return LGKT_OK;
}

// the number of a state or an action below `limit`
static lgkt_status read_index(const csv *file, const char *name, slice field, int32_t limit,
                              int32_t *index)
{
    char range[48];
    double value;
    snprintf(range, sizeof range, "a whole number in 0 .. %d", (int)limit - 1);
    const column c = {name, range, 0, limit};
    LGKT_TRY(read_field(file, &c, field, &value));
    *index = (int32_t)value;
    if (*index == value)
        return LGKT_OK;
    return io_fail_at(&file->at, LGKT_ERR_ARGUMENT, "%s is %g; it must be %s", name, value, range);
}

static lgkt_status read_law(csv *file, int32_t states, int32_t actions, double *law, uint8_t *seen)
{
    static const column chance = {"probability", "in 0 .. 1", 0, 1 + 0x1p-20};
    int64_t place[LAW_COLUMNS], all;
    slice line = {NULL, 0};
    if (!next_line(file, &line))
        return io_fail_at(&file->at, LGKT_ERR_FORMAT, "the file is empty");
    LGKT_TRY(find_columns(file, line, place, &all));
    while (next_line(file, &line)) {
        slice fields[LAW_COLUMNS] = {{NULL, 0}};
        const int64_t there = count_fields(line);
        if (there != all)
            return io_fail_at(&file->at, LGKT_ERR_SHAPE, "has %lld columns; it must have %lld",
                              (long long)there, (long long)all);
        for (int64_t at = 0; at < all; at++) {
            const slice field = next_field(&line);
            for (int i = 0; i < LAW_COLUMNS; i++)
                fields[i] = place[i] == at ? field : fields[i];
        }
        int32_t s = 0, a = 0;
        double p = 1;
        LGKT_TRY(read_index(file, "state", fields[STATE], states, &s));
        LGKT_TRY(read_index(file, "action", fields[ACTION], actions, &a));
        if (place[PROBABILITY] >= 0)
            LGKT_TRY(read_field(file, &chance, fields[PROBABILITY], &p));
        double *const entry = law + (size_t)s * (size_t)actions + (size_t)a;
        if (*entry > 0)
            return io_fail_at(&file->at, LGKT_ERR_ARGUMENT,
                              "action %d of state %d was there before", (int)a, (int)s);
        *entry = p;
        seen[s] = 1;
    }
    const io_place whole = {.name = file->at.name, .error = file->at.error};
    for (int32_t s = 0; s < states; s++)
        if (!seen[s])
            return io_fail_at(&whole, LGKT_ERR_SHAPE,
                              "no line is about state %d; the model has the states 0 .. %d", (int)s,
                              (int)states - 1);
    return LGKT_OK;
}

// ---- from files ----

lgkt_status io_law_read(const char *path, int32_t states, int32_t actions, double *law,
                        lgkt_error *error)
{
    char *bytes;
    size_t size;
    LGKT_TRY(io_file_read(path, CSV_BYTES, &bytes, &size, error));
    csv file = {.at = {.name = path, .error = error}, .rest = {bytes, size}};
    uint8_t *const seen = calloc((size_t)states, 1);
    memset(law, 0, (size_t)states * (size_t)actions * sizeof *law);
    const lgkt_status status = seen == NULL
                                   ? io_fail_at(&file.at, LGKT_ERR_NO_MEMORY, "out of memory")
                                   : read_law(&file, states, actions, law, seen);
    free(seen);
    free(bytes);
    return status;
}

lgkt_status io_tape_read(const char *path, io_tape *tape, lgkt_error *error)
{
    char *bytes;
    size_t size;
    LGKT_TRY(io_file_read(path, CSV_BYTES, &bytes, &size, error));
    const lgkt_status status = io_tape_read_text(bytes, size, path, tape, error);
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
    LGKT_TRY(io_file_read(path, CSV_BYTES, &bytes, &size, error));
    const lgkt_status status =
        lgkt_io_series_parse(bytes, size, path, allocator, values, count, error);
    free(bytes);
    return status;
}
