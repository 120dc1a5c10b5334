// SPDX-License-Identifier: MIT
// A streaming writer of JSON: values are printed as they come, numbers so that they read back
// exactly, NaN and infinities as null, bytes that are not UTF-8 as U+FFFD. Write errors stay in the
// FILE (ferror) or in the text in memory.
#pragma once

#include "io/plain/io_text.h"

#define IO_JSON_DEPTH 16

// The bit 1 says array, the bit 2 that it is on one line.
typedef enum io_json_kind {
    IO_JSON_OBJECT = 0, // one member per line
    IO_JSON_ARRAY = 1,  // one element per line
    IO_JSON_RECORD = 2, // an object on one line
    IO_JSON_LIST = 3    // an array on one line
} io_json_kind;

// Begins as {.out = ..} or {.memory = ..}.
typedef struct io_json {
    FILE *out;         // where it goes, or
    io_memory *memory; // if not NULL
    int depth;
    struct {
        unsigned kind; // an io_json_kind
        int64_t count;
    } level[IO_JSON_DEPTH];
} io_json;

// `key` is NULL at the top level and inside arrays. Inside a record or list all is on one line.
void io_json_open(io_json *json, const char *key, io_json_kind kind);
// Closes the innermost object or array; a line end follows the outermost.
void io_json_close(io_json *json);
void io_json_real(io_json *json, const char *key, double value);
void io_json_integer(io_json *json, const char *key, int64_t value);
void io_json_unsigned(io_json *json, const char *key, uint64_t value);
void io_json_bool(io_json *json, const char *key, bool value);
// NULL is written as null.
void io_json_text(io_json *json, const char *key, const char *value);
