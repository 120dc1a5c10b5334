// SPDX-License-Identifier: MIT
// Strict reading of documents (io_document.h).
#include "io/formats/io_document.h"

#include <assert.h>
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

// ---- values ----

io_value io_item(io_document *d, io_value list, size_t index)
{
    return list.kind == IO_LIST && index < list.size ? d->backing->item(d, list.node, index)
                                                     : (io_value){.kind = IO_NOTHING};
}

io_value io_member_of(io_document *d, io_value object, const char *key)
{
    if (object.kind != IO_OBJECT)
        return (io_value){.kind = IO_NOTHING};
    if (!object.made)
        return d->backing->find(d, object.node, key);
    const io_member *members = object.node;
    for (size_t i = 0; i < object.size; i++)
        if (strcmp(members[i].name, key) == 0)
            return members[i].value;
    return (io_value){.kind = IO_NOTHING};
}

const io_member *io_members(io_document *d, io_value object)
{
    static const io_member none;
    if (object.kind != IO_OBJECT)
        return &none;
    if (object.made)
        return object.node;
    io_member *members = io_take(d, object.size, sizeof *members);
    if (members == NULL)
        return &none;
    d->backing->members(d, object.node, members);
    return members;
}

// ---- places and failures ----

void io_refuse_memory(io_document *d)
{
    if (d->status == LGKT_OK)
        d->status = io_fail_at(&d->file, LGKT_ERR_NO_MEMORY, "out of memory");
}

// Whether a field is that of the outer object.
static bool is_outer(io_document *d, const io_spot *at, const char *key)
{
    return io_member_of(d, at->object, key).kind == IO_NOTHING &&
           io_member_of(d, at->outer, key).kind != IO_NOTHING;
}

void io_refuse(io_document *d, const io_spot *at, const char *key, const char *format, ...)
{
    char text[200];
    va_list values;
    if (d->status != LGKT_OK)
        return;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    const char *place = is_outer(d, at, key) ? "" : at->place;
    const char *dot = place[0] != '\0' && key[0] != '\0' ? "." : "";
    const char *colon = place[0] != '\0' || key[0] != '\0' ? ": " : "";
    d->status =
        io_fail_at(&d->file, LGKT_ERR_FORMAT, "%s%s%.80s%s%s", place, dot, key, colon, text);
}

io_spot io_within(const io_spot *at, const char *name, int32_t index, io_value object)
{
    io_spot inner = {.object = object};
    char number[16] = "";
    if (index >= 0)
        snprintf(number, sizeof number, "[%d]", (int)index);
    snprintf(inner.place, sizeof inner.place, "%.40s%s%.60s%s", at->place,
             at->place[0] != '\0' ? "." : "", name, number);
    return inner;
}

io_value io_find(io_document *d, const io_spot *at, const char *key, bool needed)
{
    const io_value value = io_member_of(d, is_outer(d, at, key) ? at->outer : at->object, key);
    if (value.kind == IO_NOTHING && needed)
        io_refuse(d, at, key, "it is missing");
    return value;
}

io_spot io_find_group(io_document *d, const io_spot *at, const char *key)
{
    const io_spot file = {.place = ""};
    return io_within(is_outer(d, at, key) ? &file : at, key, -1, io_find(d, at, key, false));
}

// ---- checks ----

void io_check_word(io_document *d, const io_spot *at, const char *key, const char *what,
                   const char *word, const char *const *words)
{
    for (int32_t i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], word) == 0)
            return;
    lgkt_hint hint = {.word = word, .size = 140};
    for (int32_t i = 0; words[i] != NULL; i++)
        lgkt_hint_add(&hint, words[i]);
    io_refuse(d, at, key, "unknown %s\"%.*s\"; %s", what, (int)lgkt_text_fit(word, 40), word,
              lgkt_hint_text(&hint));
}

const char *io_check_text(io_document *d, const io_spot *at, const char *key, io_value value,
                          size_t limit, bool empty)
{
    const char *text = value.kind == IO_TEXT ? value.text : "";
    const size_t size = strlen(text);
    if (value.kind != IO_TEXT)
        io_refuse(d, at, key, "it must be a text");
    else if (value.flaw != NULL)
        io_refuse(d, at, key, "it %s", value.flaw);
    else if (size > limit || (size == 0 && !empty))
        io_refuse(d, at, key, "it has %zu bytes; it must have %d to %zu", size, !empty, limit);
    for (const char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            io_refuse(d, at, key, "it has a control character; it must be one line");
    return d->status == LGKT_OK ? text : "";
}

double io_check_number(io_document *d, const io_spot *at, const char *key, io_value value,
                       bool whole, double min, double max)
{
    if (value.kind != IO_WHOLE && (whole || value.kind != IO_REAL))
        io_refuse(d, at, key, "it must be a %snumber", whole ? "whole " : "");
    else if (value.flaw != NULL)
        io_refuse(d, at, key, "%s", value.flaw);
    else if (!(value.number >= min && value.number <= max))
        io_refuse(d, at, key, "it is %.16g; it must be in %.16g .. %.16g", value.number, min, max);
    return d->status == LGKT_OK ? value.number : min;
}

int32_t io_check_list(io_document *d, const io_spot *at, const char *key, io_value list, size_t min,
                      size_t max)
{
    if (list.kind != IO_LIST)
        io_refuse(d, at, key, "it must be a list [...]");
    else if (list.size < min || list.size > max)
        io_refuse(d, at, key, "it has %zu entries; it must have %zu to %zu", list.size, min, max);
    return d->status == LGKT_OK ? (int32_t)list.size : 0;
}

// ---- fields ----

static void check_keys(io_document *d, const io_spot *at, const io_field *fields,
                       const io_field *inner)
{
    const char *words[FIELDS_MOST + 1] = {NULL};
    size_t count = 0;
    for (const io_field *field = fields; field->key != NULL; field++)
        words[count++] = field->key;
    for (const io_field *field = inner; field != NULL && field->key != NULL; field++)
        if ((field->flags & IO_SHARED) != 0)
            words[count++] = field->key;
    assert(count <= FIELDS_MOST);
    if (at->object.kind != IO_OBJECT)
        io_refuse(d, at, "", "it must be an object {...}");
    const io_member *members = io_members(d, at->object);
    for (size_t i = 0; i < at->object.size && d->status == LGKT_OK; i++)
        io_check_word(d, at, "", "field ", members[i].name, words);
}

static void read_field(io_document *d, const io_spot *at, const io_field *field, io_value value,
                       void *member)
{
    if (field->kind == IO_TEXT) {
        *(const char **)member = io_check_text(d, at, field->key, value, (size_t)field->max,
                                               (field->flags & IO_NEEDED) == 0);
    } else if (field->kind == IO_BOOL) {
        if (value.kind != IO_BOOL)
            io_refuse(d, at, field->key, "it must be true or false");
        *(bool *)member = value.whole != 0;
    } else {
        const bool whole = field->kind == IO_WHOLE;
        const double number =
            io_check_number(d, at, field->key, value, whole, field->min, field->max);
        if (!whole)
            *(double *)member = number;
        else if (field->bytes == sizeof(int32_t))
            *(int32_t *)member = (int32_t)number;
        else
            *(int64_t *)member = (int64_t)number;
    }
}

void io_read_fields(io_document *d, const io_spot *at, const io_field *fields,
                    const io_field *inner, void *into)
{
    io_spot own = *at;
    own.outer = (io_value){.kind = IO_NOTHING};
    check_keys(d, at, fields, inner);
    for (const io_field *field = fields; field->key != NULL && d->status == LGKT_OK; field++) {
        const io_spot *from = (field->flags & IO_SHARED) != 0 ? at : &own;
        if (field->kind == IO_NOTHING)
            continue;
        const io_value value = io_find(d, from, field->key, (field->flags & IO_NEEDED) != 0);
        if (value.kind != IO_NOTHING)
            read_field(d, from, field, value, (char *)into + field->offset);
    }
}
