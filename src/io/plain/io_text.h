// SPDX-License-Identifier: MIT
// Failures in files, whole files in, atomic files out, and texts in memory.
//
// Everything in io returns lgkt_status and fills a nullable lgkt_error. A file that is not there or
// may not be opened is LGKT_ERR_NO_FILE, a read or write that stops half way LGKT_ERR_IO, a text
// that is no such file LGKT_ERR_FORMAT; sizes, probabilities and numbers have the status of the
// library.
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "core/error.h"

// Where in which file a failure is: "name: text", or "name:line: text" for a line from 1 on.
typedef struct io_place {
    const char *name;
    int64_t line; // 0: none
    lgkt_error *error;
} io_place;

lgkt_status io_fail_at(const io_place *place, lgkt_status status, const char *format, ...)
    LGKT_PRINTF(3, 4);

// The failure of a system call on a file, from errno.
lgkt_status io_fail_errno(lgkt_error *error, const char *path);

// The name as messages show it: a long one without its beginning, so that the reason still fits.
const char *io_short_name(const char *name);

// ---- files ----

// The whole of a regular file or pipe, at most `limit` bytes; a zero byte follows the last one.
// Without the mark EF BB BF of UTF-8 at its beginning. The caller frees *bytes with free.
lgkt_status io_file_read(const char *path, size_t limit, char **bytes, size_t *size,
                         lgkt_error *error);

// A file that appears under its name only when it is complete: written beside it, then renamed. {0}
// is none.
typedef struct io_output {
    FILE *stream;
    char *target;    // the name it gets in the end
    char *temporary; // the name it has until then; NULL if written directly
} io_output;

lgkt_status io_output_open(const char *path, io_output *output, lgkt_error *error);
// Flushes, checks for write errors and renames. The output is closed in any case. On failure
// the file that was there before is untouched.
lgkt_status io_output_commit(io_output *output, lgkt_error *error);
// Gives up: removes what was written, if there is anything.
void io_output_discard(io_output *output);

// ---- texts in memory ----

// A text that grows as it is written. A stream of the C library that is out of memory drops what it
// was given and keeps no error. This one remembers that something was lost, and its text is then
// refused as a whole.
//
// {0} is an empty one. Must stay where it is from the first piece until it is closed.
typedef struct io_memory {
    FILE *stream;
    char *text; // (size), with a zero behind it; owned
    size_t size;
    bool lost;
} io_memory;

void io_memory_print(io_memory *memory, const char *format, ...) LGKT_PRINTF(2, 3);
void io_memory_print_list(io_memory *memory, const char *format, va_list values) LGKT_PRINTF(2, 0);
void io_memory_write(io_memory *memory, const void *bytes, size_t size);
// The text, which the caller frees with free; NULL if memory was out at any time, or nothing was
// written. Nullable: size.
char *io_memory_close(io_memory *memory, size_t *size);
