// SPDX-License-Identifier: MIT
// Failures in words, strict numbers, whole files in, atomic files out.
//
// Everything in io returns lgkt_status and fills a nullable lgkt_error. A file that cannot be
// opened, read or written is LGKT_ERR_ARGUMENT, a full or broken disk LGKT_ERR_NO_MEMORY, a
// malformed text LGKT_ERR_SPEC; sizes, probabilities and numbers have the status of the library.
#ifndef IO_TEXT_H
#define IO_TEXT_H

#include <stdio.h>

#include "lgkt/base.h"

#if defined(__GNUC__)
#define IO_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define IO_PRINTF(text, first)
#endif

// Writes status and text into a nullable error and returns the status. The text becomes one line:
// control characters are shown as '?'.
lgkt_status io_fail(lgkt_error *error, lgkt_status status, const char *format, ...) IO_PRINTF(3, 4);

// Where in which file a failure is: "name: text", or "name:line: text" for a line from 1 on.
typedef struct io_place {
    const char *name;
    int64_t line; // 0: none
    lgkt_error *error;
} io_place;

lgkt_status io_fail_at(const io_place *place, lgkt_status status, const char *format, ...)
    IO_PRINTF(3, 4);

// The failure of a system call on a file, from errno.
lgkt_status io_fail_errno(lgkt_error *error, const char *path);

// The name as messages show it: a long one without its beginning, so that the reason still fits.
const char *io_short_name(const char *name);

// ---- numbers ----

// A decimal number that fills the text, finite; no blanks, no hexadecimal, no words. Locale: C.
bool io_parse_real(const char *text, double *value);
// A whole decimal number that fits.
bool io_parse_integer(const char *text, int64_t *value);
// The same without sign; up to 2^64 - 1.
bool io_parse_seed(const char *text, uint64_t *value);

#define IO_REAL_SIZE 32
// The shortest decimal that reads back as the same double, into text; returns text.
const char *io_print_real(char text[IO_REAL_SIZE], double value);

// ---- files ----

// The whole of a regular file or pipe, at most `limit` bytes; a zero byte follows the last one.
// The caller frees *bytes with free.
lgkt_status io_file_read(const char *path, size_t limit, char **bytes, size_t *size,
                         lgkt_error *error);

// A file that appears under its name only when it is complete: written beside it, then renamed.
typedef struct io_output io_output;

lgkt_status io_output_open(const char *path, io_output **output, lgkt_error *error);
FILE *io_output_stream(io_output *output);
// Flushes, checks for write errors and renames; frees the output in any case. On failure the file
// that was there before is untouched.
lgkt_status io_output_commit(io_output *output, lgkt_error *error);
// Gives up: removes what was written. Accepts NULL.
void io_output_discard(io_output *output);

#endif
