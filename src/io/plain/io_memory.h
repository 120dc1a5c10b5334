// SPDX-License-Identifier: MIT
// A text in memory that grows as it is written.
//
// A stream of the C library that is out of memory drops what it was given and keeps no error. This
// one remembers that something was lost, and its text is then refused as a whole.
#ifndef IO_MEMORY_H
#define IO_MEMORY_H

#include <stdarg.h>
#include <stdio.h>

#include "core/error.h"

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

#endif
