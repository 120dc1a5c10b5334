// SPDX-License-Identifier: MIT
// Strict reading of a document, whoever parsed its text: values with their kinds, fields of objects
// by tables, each failure with the place and the nearest word. The first failure is kept; after it
// every function returns something harmless, so that only loops need to look at it.
#pragma once

#include <stddef.h>

#include "io/plain/io_text.h"

// ---- values ----

typedef enum io_kind {
    IO_NOTHING, // there is no such value
    IO_NULL,
    IO_BOOL,
    IO_WHOLE,
    IO_REAL,
    IO_TEXT,
    IO_LIST,
    IO_OBJECT
} io_kind;

typedef struct io_value {
    io_kind kind;
    bool made;        // an object of ours: `node` is an array of io_member
    const void *node; // of a list or an object: what its backing knows it by
    size_t size;      // of a list or an object: how many entries
    const char *text; // of a text: UTF-8, zero-terminated
    int64_t whole;    // of a whole number; 0 or 1 for false and true
    double number;    // of a number
    // Why the number or text cannot be used, as "too big integer"; NULL: it can. A number of this
    // kind is infinite, so that no range has it.
    const char *flaw;
} io_value;

typedef struct io_member {
    const char *name;
    io_value value;
} io_member;

typedef struct io_document io_document;

// What holds the values: jansson's for the command (io_jansson.c), Python's for the extension. The
// index and the sizes are those of values it handed out.
typedef struct io_backing {
    io_value (*item)(io_document *d, const void *list, size_t index);
    // kind IO_NOTHING: there is no such key
    io_value (*find)(io_document *d, const void *object, const char *key);
    // all of an object, in the order of the text
    void (*members)(io_document *d, const void *object, io_member *members);
    void (*release)(void *owner);
} io_backing;

// {.file = ...} is one that was not read yet.
struct io_document {
    io_place file;
    lgkt_status status; // of the first failure
    bool is_model;      // sizes and numbers out of range have statuses of their own, not FORMAT
    const io_backing *backing;
    void *owner; // of what the values point to, for `release`; nullable
    io_value root;
    struct io_block *blocks;
};

// Fills it from JSON text, by jansson (io_jansson.c); duplicate keys are a failure.
void io_document_parse(io_document *d, const char *bytes, size_t size);
void io_document_release(io_document *d);
// (count + 1) zeroed elements that live as long as the document; NULL after a failure.
void *io_take(io_document *d, size_t count, size_t size);
// So many bytes of a text as one that lives as long; "" after a failure.
const char *io_copy_text(io_document *d, const char *text, size_t length);

// ---- values in their places ----

// A value and where it is, e.g. "panels[2].name" or "learners.mine[0]".
typedef struct io_at {
    io_document *d;
    const struct io_at *in; // the list or object that has it, which lives as long; NULL: the root
    const char *key;        // of an object; NULL: of a list, or the root itself
    int64_t index;          // of a list
    io_value value;         // kind IO_NOTHING: there is none
} io_at;

enum {
    IO_NEEDED = 1, // a text may then not be empty
    IO_SHARED = 2, // it may be in the root
    // of grids (experiment_file.h): names may stand in it; it is part of what is run, and each name
    // must stand in such a field
    IO_NAMES = 4,
    IO_MAKES = 8
};

// Entry of a list; nothing beyond its end and for what is no list.
io_at io_item(const io_at *list, int64_t index);
// Value of a key; nothing where there is none and for what is no object. Flags: IO_NEEDED,
// IO_SHARED.
io_at io_get(const io_at *object, const char *key, int flags);
// All members of an object, (size); empty after a failure and for what is no object.
const io_member *io_members(const io_at *object);

void io_refuse_memory(io_document *d);
// "file: place" and the text; of ": text" without a place "file: text".
void io_refuse_as(const io_at *at, lgkt_status status, const char *format, ...) LGKT_PRINTF(3, 4);
// "file: place: text"
#define io_refuse(at, ...) io_refuse_as(at, LGKT_ERR_FORMAT, ": " __VA_ARGS__)

// That a word is one of these, with NULL behind the last; `what` says what it would be.
void io_check_word(const io_at *at, const char *what, const char *word, const char *const *words);
// That it is a text, one line of at most `limit` bytes; "" after a failure.
const char *io_check_text(const io_at *at, size_t limit, bool empty);
// That it is a number, or a whole one, of a range; `min` after a failure.
double io_check_number(const io_at *at, bool whole, double min, double max);
// How many entries a list has; 0 for what is no such list.
int32_t io_check_list(const io_at *at, size_t min, size_t max);

// ---- fields ----

// A field of an object and where in a struct it goes.
typedef struct io_field {
    const char *key;      // NULL: behind the last
    io_kind kind;         // IO_NOTHING: the caller reads it
    size_t offset, bytes; // of the member; 0 bytes: it is only checked
    double min, max;      // of a number; `max` is the most bytes of a text
    int flags;
    const char *const *words; // of a text: what it may be, and NULL; NULL: any
    // of an object; behind the last: of those within, whose shared fields may be here
    const struct io_field *fields;
    // of a grid's names: what goes before one that the field lacks, and between it and its value;
    // NULL: it may lack names
    const char *before, *between;
} io_field;

// The columns from `kind` to `max`; the compiler refuses a member of another type.
#define IO_MEMBER(object, member)                                                                  \
    .offset = offsetof(object, member), .bytes = sizeof(((object *)0)->member)
#define IO_KIND(object, member, c_type, field_kind)                                                \
    .kind = _Generic(&((object *)0)->member, c_type * : IO_##field_kind)
#define IO_TEXT_AT(object, member, most)                                                           \
    IO_KIND(object, member, const char *, TEXT), IO_MEMBER(object, member), .max = most
#define IO_REAL_AT(object, member, least, most)                                                    \
    IO_KIND(object, member, double, REAL), IO_MEMBER(object, member), .min = least, .max = most
#define IO_BOOL_AT(object, member) IO_KIND(object, member, bool, BOOL), IO_MEMBER(object, member)
// of 4 or 8 bytes
#define IO_WHOLE_AT(object, member, least, most)                                                   \
    .kind = IO_WHOLE, IO_MEMBER(object, member), .min = least, .max = most

#define IO_OBJECT_AT(object, member, rows)                                                         \
    .kind = IO_OBJECT, IO_MEMBER(object, member), .fields = rows

// Checks that an object has these fields only and reads them into a struct. Where one is missing
// that is not needed the struct stays as it is.
void io_read_fields(const io_at *at, const io_field *fields, void *into);
