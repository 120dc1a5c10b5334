// SPDX-License-Identifier: MIT
// Strict reading of documents (io_document.h).
#include "io/formats/io_document.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

enum { FIELDS_MOST = 40 }; // of an object with those of inner ones

typedef struct io_block {
    struct io_block *next;
    max_align_t data[];
} block;

void io_document_release(io_document *d)
{
    if (d->owner != NULL)
        d->backing->release(d->owner);
    for (block *b = d->blocks, *next; b != NULL; b = next) {
        next = b->next;
        free(b);
    }
    d->owner = NULL;
    d->blocks = NULL;
}

void *io_take(io_document *d, size_t count, size_t size)
{
    block *b = d->status == LGKT_OK ? calloc(1, sizeof *b + (count + 1) * size) : NULL;
    if (b == NULL) {
        io_refuse_memory(d);
        return NULL;
    }
    b->next = d->blocks;
    d->blocks = b;
    return b->data;
}

const char *io_copy_text(io_document *d, const char *text, size_t length)
{
    char *made = io_take(d, length, 1);
    return made != NULL ? memcpy(made, text, length) : "";
}

// ---- values in their places ----

io_at io_item(const io_at *list, int64_t index)
{
    io_at item = {.d = list->d, .in = list, .index = index};
    if (list->value.kind == IO_LIST && (size_t)index < list->value.size)
        item.value = item.d->backing->item(item.d, list->value.node, (size_t)index);
    return item;
}

static io_value find(io_document *d, const io_value *object, const char *key)
{
    if (object->kind == IO_OBJECT && !object->made)
        return d->backing->find(d, object->node, key);
    const io_member *members = object->node;
    for (size_t i = 0; object->kind == IO_OBJECT && i < object->size; i++)
        if (strcmp(members[i].name, key) == 0)
            return members[i].value;
    return (io_value){.kind = IO_NOTHING};
}

io_at io_get(const io_at *object, const char *key, int flags)
{
    io_document *d = object->d;
    const io_at own = {.d = d, .in = object, .key = key, .value = find(d, &object->value, key)};
    if (own.value.kind != IO_NOTHING)
        return own;
    const io_at outer = {.d = d, .key = key, .value = find(d, &d->root, key)};
    if ((flags & IO_SHARED) != 0 && outer.value.kind != IO_NOTHING)
        return outer;
    if ((flags & IO_NEEDED) != 0)
        io_refuse(&own, "it is missing");
    return own;
}

const io_member *io_members(const io_at *object)
{
    static const io_member none;
    const io_value *value = &object->value;
    if (value->kind != IO_OBJECT)
        return &none;
    if (value->made)
        return value->node;
    io_member *members = io_take(object->d, value->size, sizeof *members);
    if (members == NULL)
        return &none;
    object->d->backing->members(object->d, value->node, members);
    return members;
}

// ---- failures ----

void io_refuse_memory(io_document *d)
{
    if (d->status == LGKT_OK)
        d->status = io_fail_at(&d->file, LGKT_ERR_NO_MEMORY, "out of memory");
}

// Writes the place and returns its length; what does not fit is cut.
static size_t print_place(const io_at *at, char *text, size_t size)
{
    const size_t before = at->in != NULL ? print_place(at->in, text, size) : 0;
    if (at->key != NULL)
        snprintf(text + before, size - before, "%s%.80s", before > 0 ? "." : "", at->key);
    else if (at->in != NULL)
        snprintf(text + before, size - before, "[%lld]", (long long)at->index);
    return strlen(text);
}

void io_refuse_as(const io_at *at, lgkt_status status, const char *format, ...)
{
    char place[256] = "", text[200];
    io_document *d = at->d;
    va_list values;
    if (d->status != LGKT_OK)
        return;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    const bool bare = print_place(at, place, sizeof place) == 0 && text[0] == ':';
    d->status = io_fail_at(&d->file, status, "%s%s", place, bare ? text + 2 : text);
}

// ---- checks ----

void io_check_word(const io_at *at, const char *what, const char *word, const char *const *words)
{
    for (int32_t i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], word) == 0)
            return;
    lgkt_hint hint = {.word = word, .size = 140};
    for (int32_t i = 0; words[i] != NULL; i++)
        lgkt_hint_add(&hint, words[i]);
    io_refuse(at, "unknown %s\"%.*s\"; %s", what, (int)lgkt_text_fit(word, 40), word,
              lgkt_hint_text(&hint));
}

const char *io_check_text(const io_at *at, size_t limit, bool empty)
{
    const char *text = at->value.kind == IO_TEXT ? at->value.text : "";
    const size_t size = strlen(text);
    if (at->value.kind != IO_TEXT)
        io_refuse(at, "it must be a text");
    else if (at->value.flaw != NULL)
        io_refuse(at, "it %s", at->value.flaw);
    else if (size > limit || (size == 0 && !empty))
        io_refuse(at, "it has %zu bytes; it must have %d to %zu", size, !empty, limit);
    for (const char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            io_refuse(at, "it has a control character; it must be one line");
    return at->d->status == LGKT_OK ? text : "";
}

double io_check_number(const io_at *at, bool whole, double min, double max)
{
    const io_value *value = &at->value;
    if (value->kind != IO_WHOLE && (whole || value->kind != IO_REAL))
        io_refuse(at, "it must be a %snumber", whole ? "whole " : "");
    else if (value->flaw != NULL)
        io_refuse(at, "%s", value->flaw);
    else if (!(value->number >= min && value->number <= max))
        io_refuse_as(at,
                     !at->d->is_model ? LGKT_ERR_FORMAT
                     : whole          ? LGKT_ERR_SHAPE
                                      : LGKT_ERR_ARGUMENT,
                     isinf(max) ? ": it is %.16g; it must be at least %.16g"
                                : ": it is %.16g; it must be in %.16g .. %.16g",
                     value->number, min, max);
    return at->d->status == LGKT_OK ? value->number : min;
}

int32_t io_check_list(const io_at *at, size_t min, size_t max)
{
    const size_t size = at->value.size;
    if (at->value.kind != IO_LIST)
        io_refuse(at, "it must be a list [...]");
    else if (size < min || size > max)
        io_refuse_as(at, at->d->is_model ? LGKT_ERR_SHAPE : LGKT_ERR_FORMAT,
                     min == max ? ": it has %zu entries; it must have %zu"
                                : ": it has %zu entries; it must have %zu to %zu",
                     size, min, max);
    return at->d->status == LGKT_OK ? (int32_t)size : 0;
}

// ---- fields ----

static void check_keys(const io_at *at, const io_field *fields)
{
    const char *words[FIELDS_MOST + 1] = {NULL};
    size_t count = 0;
    const io_field *field = fields;
    for (; field->key != NULL; field++)
        words[count++] = field->key;
    for (field = field->fields; field != NULL && field->key != NULL; field++)
        if ((field->flags & IO_SHARED) != 0)
            words[count++] = field->key;
    assert(count <= FIELDS_MOST);
    if (at->value.kind != IO_OBJECT)
        io_refuse(at, "it must be an object {...}");
    const io_member *members = io_members(at);
    for (size_t i = 0; i < at->value.size && at->d->status == LGKT_OK; i++)
        io_check_word(at, "field ", members[i].name, words);
}

static void read_field(const io_at *at, const io_field *field, void *member)
{
    if (field->kind == IO_OBJECT) {
        io_read_fields(at, field->fields, member);
    } else if (field->kind == IO_TEXT) {
        const char *text = io_check_text(at, (size_t)field->max, (field->flags & IO_NEEDED) == 0);
        if (field->words != NULL)
            io_check_word(at, "", text, field->words);
        if (field->bytes > 0)
            *(const char **)member = text;
    } else if (field->kind == IO_BOOL) {
        if (at->value.kind != IO_BOOL)
            io_refuse(at, "it must be true or false");
        *(bool *)member = at->value.whole != 0;
    } else {
        const bool whole = field->kind == IO_WHOLE;
        const double number = io_check_number(at, whole, field->min, field->max);
        if (!whole)
            *(double *)member = number;
        else if (field->bytes == sizeof(int32_t))
            *(int32_t *)member = (int32_t)number;
        else
            *(int64_t *)member = (int64_t)number;
    }
}

void io_read_fields(const io_at *at, const io_field *fields, void *into)
{
    check_keys(at, fields);
    for (const io_field *field = fields; field->key != NULL && at->d->status == LGKT_OK; field++) {
        if (field->kind == IO_NOTHING)
            continue;
        const io_at found = io_get(at, field->key, field->flags);
        if (found.value.kind != IO_NOTHING)
            read_field(&found, field, (char *)into + field->offset);
    }
}
