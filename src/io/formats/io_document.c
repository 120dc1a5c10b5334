// SPDX-License-Identifier: MIT
// Strict reading of JSON documents (io_document.h).
#include "io/formats/io_document.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

typedef struct io_block {
    struct io_block *next;
    max_align_t data[];
} block;

void io_document_parse(io_document *d, const char *bytes, size_t size)
{
    json_error_t at = {.line = 0}; // jansson leaves parts of it unset when memory is out
    d->root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &at);
    // and mostly says nothing at all then
    if (d->root == NULL && (json_error_code(&at) == json_error_out_of_memory || at.text[0] == '\0'))
        d->status = io_fail_at(&d->file, LGKT_ERR_NO_MEMORY, "out of memory");
    else if (d->root == NULL)
        d->status = lgkt_fail(d->file.error, LGKT_ERR_FORMAT, "%s:%d:%d: %s",
                              io_short_name(d->file.name), at.line, at.column, at.text);
}

void io_document_release(io_document *d)
{
    json_decref(d->root);
    json_decref(d->made);
    for (block *b = d->blocks, *next; b != NULL; b = next) {
        next = b->next;
        free(b);
    }
    d->root = d->made = NULL;
    d->blocks = NULL;
}

void io_refuse_memory(io_document *d)
{
    if (d->status == LGKT_OK)
        d->status = io_fail_at(&d->file, LGKT_ERR_NO_MEMORY, "out of memory");
}

void *io_take(io_document *d, int32_t count, size_t size)
{
    block *b = calloc(1, sizeof *b + ((size_t)count + 1) * size);
    if (b == NULL) {
        io_refuse_memory(d);
        return NULL;
    }
    b->next = d->blocks;
    d->blocks = b;
    return b->data;
}

json_t *io_copy(io_document *d, json_t *object)
{
    json_t *copy = json_copy(object);
    if (d->made == NULL)
        d->made = json_array();
    // jansson leaves out what it has no memory for
    const bool whole = copy != NULL && json_object_size(copy) == json_object_size(object);
    if (json_array_append_new(d->made, copy) == 0 && whole)
        return copy;
    io_refuse_memory(d);
    return NULL;
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
    const bool outer = json_object_get(at->object, key) == NULL && json_object_get(at->outer, key);
    const char *place = outer ? "" : at->place;
    const char *dot = place[0] != '\0' && key[0] != '\0' ? "." : "";
    const char *colon = place[0] != '\0' || key[0] != '\0' ? ": " : "";
    d->status =
        io_fail_at(&d->file, LGKT_ERR_FORMAT, "%s%s%.80s%s%s", place, dot, key, colon, text);
}

io_spot io_within(const io_spot *at, const char *name, int32_t index, json_t *object)
{
    io_spot inner = {.object = object};
    char number[16] = "";
    if (index >= 0)
        snprintf(number, sizeof number, "[%d]", (int)index);
    snprintf(inner.place, sizeof inner.place, "%.40s%s%.60s%s", at->place,
             at->place[0] != '\0' ? "." : "", name, number);
    return inner;
}

static const char *word_at(const void *ctx, int32_t i)
{
    const char *const *words = ctx;
    return words[i];
}

void io_check_word(io_document *d, const io_spot *at, const char *key, const char *what,
                   const char *word, const char *const *words)
{
    char hint[100];
    for (int32_t i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], word) == 0)
            return;
    lgkt_suggest(hint, sizeof hint, word, word_at, words);
    io_refuse(d, at, key, "unknown %s\"%.*s\"; %s", what, (int)lgkt_text_fit(word, 40), word, hint);
}

void io_check_keys(io_document *d, const io_spot *at, const char *const *keys)
{
    const char *key;
    json_t *value;
    if (!json_is_object(at->object))
        io_refuse(d, at, "", "it must be an object {...}");
    json_object_foreach(at->object, key, value) io_check_word(d, at, "", "field ", key, keys);
}

json_t *io_find(io_document *d, const io_spot *at, const char *key, bool needed)
{
    json_t *value = json_object_get(at->object, key);
    value = value != NULL ? value : json_object_get(at->outer, key);
    if (value == NULL && needed)
        io_refuse(d, at, key, "it is missing");
    return value;
}

const char *io_check_text(io_document *d, const io_spot *at, const char *key, const char *text,
                          size_t limit, bool empty)
{
    if (text == NULL)
        io_refuse(d, at, key, "it must be a text");
    else if (strlen(text) > limit || (text[0] == '\0' && !empty))
        io_refuse(d, at, key, "it has %zu bytes; it must have %d to %zu", strlen(text), !empty,
                  limit);
    for (const char *c = text; c != NULL && *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            io_refuse(d, at, key, "it has a control character; it must be one line");
    return d->status == LGKT_OK ? text : "";
}

const char *io_get_text(io_document *d, const io_spot *at, const char *key, size_t limit,
                        const char *fallback)
{
    const json_t *value = io_find(d, at, key, fallback == NULL);
    if (value == NULL)
        return fallback != NULL ? fallback : "";
    return io_check_text(d, at, key, json_string_value(value), limit, fallback != NULL);
}

double io_get_number(io_document *d, const io_spot *at, const char *key, bool whole, double min,
                     double max, double fallback)
{
    const json_t *value = io_find(d, at, key, isnan(fallback));
    const double number = json_number_value(value);
    // a caller may turn it into an integer, which cannot be done with a NaN
    if (value == NULL)
        return isnan(fallback) ? min : fallback;
    if (whole ? !json_is_integer(value) : !json_is_number(value))
        io_refuse(d, at, key, "it must be a %snumber", whole ? "whole " : "");
    else if (!(number >= min && number <= max))
        io_refuse(d, at, key, "it is %.16g; it must be in %.16g .. %.16g", number, min, max);
    return d->status == LGKT_OK ? number : min;
}

bool io_get_bool(io_document *d, const io_spot *at, const char *key)
{
    const json_t *value = io_find(d, at, key, false);
    if (value != NULL && !json_is_boolean(value))
        io_refuse(d, at, key, "it must be true or false");
    return json_is_true(value);
}

int32_t io_check_list(io_document *d, const io_spot *at, const char *key, const json_t *list,
                      size_t min, size_t max)
{
    const size_t size = json_array_size(list);
    if (!json_is_array(list))
        io_refuse(d, at, key, "it must be a list [...]");
    else if (size < min || size > max)
        io_refuse(d, at, key, "it has %zu entries; it must have %zu to %zu", size, min, max);
    return d->status == LGKT_OK ? (int32_t)size : 0;
}
