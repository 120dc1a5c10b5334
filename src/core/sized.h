// SPDX-License-Identifier: MIT
// Public structs that may get more fields later, between programs and libraries of other versions.
//
// A config begins with its size in bytes, as the program that made it was compiled with. The
// library reads no more than that, and goes on with a copy of the size that it knows itself.
#pragma once

#include "lgkt/base.h"

// Fills a struct of `size` bytes with the `known` bytes of `source`: what does not fit is left out,
// what the library does not know is 0.
void lgkt_sized_fill(void *place, size_t size, const void *source, size_t known);

// One kind of config: how many bytes this library knows, how many the first version had, the
// argument that it is in messages, and the function that makes it.
typedef struct lgkt_sized_kind {
    size_t known, first;
    const char *argument, *maker;
} lgkt_sized_kind;

// The bytes of a struct up to the end of a field: its size when that field was the last one.
#define LGKT_SIZE_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

// Copies a config of the caller's over the defaults in `own`, which has kind->known bytes.
// LGKT_ERR_ARGUMENT if it is NULL; LGKT_ERR_CONFIG if its size cannot be true, or if it sets what
// this library does not know.
lgkt_status lgkt_sized_take(const lgkt_sized_kind *kind, const void *given, void *own,
                            lgkt_error *error);

// LGKT_ERR_CONFIG if a reserved field is not 0.
lgkt_status lgkt_sized_reserved(const uint64_t *reserved, size_t count, const char *name,
                                lgkt_error *error);
