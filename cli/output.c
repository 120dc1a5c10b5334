// SPDX-License-Identifier: MIT
// Failure lines, aligned tables and wrapped text.

#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- failures ----

int cli_fail(const char *command, int code, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    // what the user typed may hold anything; the failure is still one line
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "lgkt: %s%s%s\n", command != NULL ? command : "", command != NULL ? ": " : "",
            text);
    return code;
}

int cli_fail_error(const char *command, const lgkt_error *error)
{
    const lgkt_status status = error->status;
    const bool failed = status == LGKT_ERR_NO_MEMORY || status == LGKT_ERR_PROTOCOL ||
                        status == LGKT_ERR_HORIZON || status == LGKT_ERR_NO_CONVERGENCE;
    return cli_fail(command, failed ? CLI_FAILED : CLI_USAGE, "%s", error->text);
}

int cli_finish(const char *command, int code)
{
    errno = 0;
    bool good = fflush(stdout) == 0 && !ferror(stdout);
    const int why = errno;
    good = fclose(stdout) == 0 && good;
    if (good)
        return code;
    return cli_fail(command, CLI_FAILED, "cannot write the output: %s",
                    why != 0 ? strerror(why) : "write error");
}

// ---- tables ----

struct cli_table {
    char *columns; // 'l' or 'r' each
    size_t width;  // number of columns
    char **cells;  // (count) row by row, owned
    size_t count, capacity;
    bool failed; // memory was out
};

cli_table *cli_table_create(const char *columns)
{
    cli_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    table->width = strlen(columns);
    table->columns = strdup(columns);
    if (table->columns == NULL) {
        free(table);
        return NULL;
    }
    return table;
}

void cli_table_destroy(cli_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
    free(table->columns);
    free(table);
}

// Takes over `text`; NULL means that memory was out.
static void add_cell(cli_table *table, char *text)
{
    if (text != NULL && table->count == table->capacity) {
        const size_t capacity = 2 * table->capacity + 64;
        char **grown = realloc(table->cells, capacity * sizeof *grown);
        if (grown != NULL) {
            table->cells = grown;
            table->capacity = capacity;
        }
    }
    if (text == NULL || table->count == table->capacity) {
        table->failed = true;
        free(text);
        return;
    }
    table->cells[table->count++] = text;
}

void cli_table_cell(cli_table *table, const char *format, ...)
{
    if (table == NULL || table->failed)
        return;
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (text != NULL) {
        va_start(list, format);
        vsnprintf(text, (size_t)length + 1, format, list);
        va_end(list);
    }
    add_cell(table, text);
}

void cli_table_real(cli_table *table, double value, int digits)
{
    if (isnan(value))
        cli_table_cell(table, "-");
    else
        cli_table_cell(table, "%.*g", digits, value);
}

static int column_width(const cli_table *table, size_t column)
{
    size_t widest = 0;
    for (size_t i = column; i < table->count; i += table->width) {
        const size_t length = strlen(table->cells[i]);
        widest = length > widest ? length : widest;
    }
    return (int)widest;
}

bool cli_table_print(const cli_table *table, FILE *out)
{
    if (table == NULL || table->failed)
        return false;
    int *widths = calloc(table->width + 1, sizeof *widths); // (columns)
    if (widths == NULL)
        return false;
    for (size_t j = 0; j < table->width; j++)
        widths[j] = column_width(table, j);
    for (size_t i = 0; i < table->count; i++) {
        const size_t j = i % table->width;
        const bool last = j + 1 == table->width || i + 1 == table->count;
        const bool right = table->columns[j] == 'r';
        // no blanks behind the last cell of a line
        const int width = right ? widths[j] : last ? 0 : -widths[j];
        fprintf(out, "%*s%s", width, table->cells[i], last ? "\n" : "  ");
    }
    free(widths);
    return true;
}

// ---- text ----

void cli_print_wrapped(FILE *out, const char *text, int at, int indent, int width)
{
    bool line_start = true;
    fprintf(out, "%*s", indent > at ? indent - at : 0, "");
    int column = indent > at ? indent : at;
    while (*(text += strspn(text, " ")) != '\0') {
        const int length = (int)strcspn(text, " ");
        if (!line_start && column + 1 + length > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            line_start = true;
        }
        column += fprintf(out, "%s%.*s", line_start ? "" : " ", length, text);
        line_start = false;
        text += length;
    }
    fputc('\n', out);
}
