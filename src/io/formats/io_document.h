// SPDX-License-Identifier: MIT
// Strict reading of a JSON document: fields by name, each failure with the place and the nearest
// word. The first failure is kept; after it every function returns something harmless, so that only
// loops need to look at it.
#ifndef IO_DOCUMENT_H
#define IO_DOCUMENT_H

#include <jansson.h>

#include "io/plain/io_text.h"

// {.file = ...} is one that was not read yet.
typedef struct io_document {
    io_place file;
    lgkt_status status; // of the first failure
    json_t *root;
    json_t *made; // list of what was made from it, or NULL
    struct io_block *blocks;
} io_document;

// An object of the document and where it is: "", "panels[2]", "learners.mine[0]". What it does not
// have may be in an outer one.
typedef struct io_spot {
    json_t *object;
    char place[128];
    const json_t *outer; // nullable
} io_spot;

// Fills `root`; duplicate keys are a failure.
void io_document_parse(io_document *d, const char *bytes, size_t size);
// (count + 1) zeroed elements that live as long as the document; NULL after a failure.
void *io_take(io_document *d, int32_t count, size_t size);
// A copy of an object that lives as long as the document, with the same values; NULL after a
// failure.
json_t *io_copy(io_document *d, json_t *object);
void io_document_release(io_document *d);

void io_refuse_memory(io_document *d);
// "file: place.key: text"; place, key or both may be empty.
void io_refuse(io_document *d, const io_spot *at, const char *key, const char *format, ...)
    LGKT_PRINTF(4, 5);
// What is within an object: "place.name", or "place.name[index]" from index 0 on.
io_spot io_within(const io_spot *at, const char *name, int32_t index, json_t *object);

// That a word is one of these, with NULL behind the last; `what` says what it would be.
void io_check_word(io_document *d, const io_spot *at, const char *key, const char *what,
                   const char *word, const char *const *words);
// That it is an object of these keys only.
void io_check_keys(io_document *d, const io_spot *at, const char *const *keys);
// That a text is one line of at most `limit` bytes; "" after a failure. Nullable: text.
const char *io_check_text(io_document *d, const io_spot *at, const char *key, const char *text,
                          size_t limit, bool empty);
// How many entries a list has; 0 for what is no such list.
int32_t io_check_list(io_document *d, const io_spot *at, const char *key, const json_t *list,
                      size_t min, size_t max);

// The value of a key; NULL if there is none.
json_t *io_find(io_document *d, const io_spot *at, const char *key, bool needed);
// The same as a text or a number. Without a fallback (NULL, NaN) it is needed.
const char *io_get_text(io_document *d, const io_spot *at, const char *key, size_t limit,
                        const char *fallback);
double io_get_number(io_document *d, const io_spot *at, const char *key, bool whole, double min,
                     double max, double fallback);
bool io_get_bool(io_document *d, const io_spot *at, const char *key);

#endif
