// SPDX-License-Identifier: MIT
// A text in memory that grows as it is written.
//
// A stream of the C library that is out of memory drops what it was given and keeps no error. This
// one remembers that something was lost, and its text is then refused as a whole.
#ifndef IO_MEMORY_H
#define IO_MEMORY_H

#include <stdio.h>

#include "core/error.h"

typedef struct io_memory {
    FILE *stream;
    char *text; // (size), with a zero behind it; owned
    size_t size;
    bool lost;
} io_memory;

// Must stay where it is until it is closed.
void io_memory_open(io_memory *memory);
void io_memory_print(io_memory *memory, const char *format, ...) LGKT_PRINTF(2, 3);
void io_memory_write(io_memory *memory, const void *bytes, size_t size);
// The text, which the caller frees with free; NULL if memory was out at any time. Nullable: size.
char *io_memory_close(io_memory *memory, size_t *size);

#endif
