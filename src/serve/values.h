// SPDX-License-Identifier: MIT
// What a request says: the values of a JSON text in one list, in the order in which they stand.
//
// Most requests are plain: no escapes, nothing but ASCII, numbers of at most 15 digits. These are
// read here, without a tree. What is not plain, whether it is JSON or not, is left to jansson, whose
// trees become the same list: there is one judge of what JSON is, and of what is wrong with a text.
#pragma once

#include <jansson.h>

#include "lgkt/base.h"

typedef enum srv_type {
    SRV_OBJECT = JSON_OBJECT,
    SRV_LIST = JSON_ARRAY,
    SRV_TEXT = JSON_STRING,
    SRV_INTEGER = JSON_INTEGER,
    SRV_REAL = JSON_REAL,
    SRV_TRUE = JSON_TRUE,
    SRV_FALSE = JSON_FALSE,
    SRV_NULL = JSON_NULL
} srv_type;

// Texts are borrowed, from the text that was read or from the tree, and have no zero behind them.
typedef struct srv_value {
    srv_type type;
    int32_t count;    // list, object: values directly within
    int32_t length;   // of this and all within: where the next one begins
    int32_t size;     // text: its bytes
    const char *text; // (size)
    const char *name; // (name_size) of a member of an object
    int32_t name_size;
    int64_t integer;
    double real; // of integers, too
} srv_value;

typedef struct srv_values {
    srv_value *at; // (count) owned
    size_t count, capacity;
} srv_values;

// False for what is not plain, or where memory is out.
bool srv_values_read(srv_values *values, const char *text, size_t size);
// The values of a tree; false if memory is out. Whole numbers are integers only where the tree says so.
bool srv_values_of(srv_values *values, const json_t *tree);
void srv_values_release(srv_values *values);
// The tree of a text; NULL with a line if it is no JSON.
enum { SRV_WHY = 300 };
json_t *srv_tree_read(const char *text, size_t size, char why[SRV_WHY]);

// The member of an object; NULL if there is none, or it is no object. Nullable: object.
const srv_value *srv_value_in(const srv_value *object, const char *name);
static inline bool srv_is(const srv_value *value, srv_type type)
{
    return value != NULL && value->type == type;
}
// Not there, or null.
static inline bool srv_is_none(const srv_value *value)
{
    return value == NULL || value->type == SRV_NULL;
}
static inline bool srv_is_number(const srv_value *value)
{
    return srv_is(value, SRV_INTEGER) || srv_is(value, SRV_REAL);
}
static inline const srv_value *srv_after(const srv_value *value)
{
    return value + value->length;
}
bool srv_equals(const char *text, int32_t size, const char *word);
// A text with a zero behind it, cut to the room, for messages.
enum { SRV_QUOTED = 256 };
const char *srv_quoted(const char *text, int32_t size, char room[SRV_QUOTED]);
