// SPDX-License-Identifier: MIT
// A comma-separated table read strictly: known columns, full rows, numbers that are numbers.
#ifndef EXPERIMENTS_CSV_TABLE_H
#define EXPERIMENTS_CSV_TABLE_H

#include <stdint.h>

#include "lgkt/base.h"

typedef struct exp_csv {
    const char *path; // borrowed from the caller, for messages
    char *bytes;      // the file; cells point into it
    int32_t columns;
    int64_t rows;
    char **cells;   // (rows, columns) row-major, without quotes
    int64_t *lines; // (rows) where each row stands in the file
} exp_csv;

// Reads a table whose first line is `head`. A field with a comma or a quote stands in quotes; a
// line end inside a field is refused. Nullable: error.
lgkt_status exp_csv_read(const char *path, const char *head, exp_csv *csv, lgkt_error *error);
void exp_csv_free(exp_csv *csv);

const char *exp_csv_text(const exp_csv *csv, int64_t row, int32_t column);
// A number; an empty field is NaN (nothing was measured).
lgkt_status exp_csv_real(const exp_csv *csv, int64_t row, int32_t column, double *value,
                         lgkt_error *error);
// A whole number from 0 on.
lgkt_status exp_csv_count(const exp_csv *csv, int64_t row, int32_t column, int64_t *value,
                          lgkt_error *error);
// A failure that names the file and the line of a row.
lgkt_status exp_csv_fail(const exp_csv *csv, int64_t row, lgkt_error *error, const char *what,
                         const char *shown);

#endif
