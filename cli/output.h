// SPDX-License-Identifier: MIT
// Aligned tables for people. (JSON is in io/io_json.h.)
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

#include "cli.h"

typedef struct cli_table cli_table;

// A table with one letter per column: 'l' left, 'r' right. NULL when memory is out; all functions
// accept NULL and do nothing, and cli_table_print reports it.
cli_table *cli_table_create(const char *columns);
void cli_table_destroy(cli_table *table);
// The next cell; rows fill from left to right. The first row is the heading.
void cli_table_cell(cli_table *table, const char *format, ...) CLI_PRINTF(2, 3);
// A number with `digits` significant digits; "-" for NaN.
void cli_table_real(cli_table *table, double value, int digits);
// Prints columns two blanks apart, without blanks at line ends. False when memory was out.
bool cli_table_print(const cli_table *table, FILE *out);

// Prints text in lines of at most `width` characters, each behind `indent` blanks; the first one
// begins at column `at` (what is already printed on it).
void cli_print_wrapped(FILE *out, const char *text, int at, int indent, int width);

#endif
