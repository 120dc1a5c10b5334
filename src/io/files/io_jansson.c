// SPDX-License-Identifier: MIT
// Documents from JSON text (io_document.h), and model files, which are such. jansson takes no
// duplicate keys, no zero characters and no numbers beyond those of C, and bounds the nesting.
#include <jansson.h>
#include <stdlib.h>

#include "io/formats/io_document.h"
#include "io/formats/io_model.h"

#define MODEL_BYTES ((size_t)1 << 30)

// ---- values ----

static io_value look(const json_t *node)
{
    static const io_kind kinds[] = {
        [JSON_OBJECT] = IO_OBJECT, [JSON_ARRAY] = IO_LIST, [JSON_STRING] = IO_TEXT,
        [JSON_INTEGER] = IO_WHOLE, [JSON_REAL] = IO_REAL,  [JSON_TRUE] = IO_BOOL,
        [JSON_FALSE] = IO_BOOL,    [JSON_NULL] = IO_NULL,
    };
    if (node == NULL)
        return (io_value){.kind = IO_NOTHING};
    // what is asked of a value of another kind is 0
    return (io_value){.kind = kinds[json_typeof(node)],
                      .node = node,
                      .size = json_array_size(node) + json_object_size(node),
                      .text = json_string_value(node),
                      .whole = json_is_true(node) ? 1 : json_integer_value(node),
                      .number = json_number_value(node)};
}

static io_value item(io_document *d, const void *list, size_t index)
{
    (void)d;
    return look(json_array_get(list, index));
}

static io_value find(io_document *d, const void *object, const char *key)
{
    (void)d;
    return look(json_object_get(object, key));
}

static void members(io_document *d, const void *object, io_member *into)
{
    (void)d;
    json_t *whole = (json_t *)object;
    for (void *i = json_object_iter(whole); i != NULL; i = json_object_iter_next(whole, i))
        *into++ = (io_member){json_object_iter_key(i), look(json_object_iter_value(i))};
}

static void release(void *owner)
{
    json_decref(owner);
}

void io_document_parse(io_document *d, const char *bytes, size_t size)
{
    static const io_backing backing = {item, find, members, release};
    json_error_t where = {.line = 0}; // jansson leaves parts of it unset when memory is out
    json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &where);
    d->backing = &backing;
    d->owner = root;
    d->root = look(root);
    // and mostly says nothing at all then
    if (root == NULL &&
        (json_error_code(&where) == json_error_out_of_memory || where.text[0] == '\0'))
        io_refuse_memory(d);
    else if (root == NULL)
        d->status = lgkt_fail(d->file.error, LGKT_ERR_FORMAT, "%s:%d:%d: %s",
                              io_short_name(d->file.name), where.line, where.column, where.text);
}

// ---- model files ----

// Of a text or of a file; what the document says is checked by io_model_fill.

lgkt_status lgkt_io_model_parse(const char *bytes, size_t size, const char *name,
                                const lgkt_allocator *allocator, lgkt_io_model **model,
                                lgkt_error *error)
{
    if (bytes == NULL || name == NULL || model == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "bytes, name and model must not be NULL");
    io_document d = {.file = {.name = name, .error = error}};
    io_document_parse(&d, bytes, size);
    io_model_fill(&d, allocator, model);
    io_document_release(&d);
    return d.status;
}

lgkt_status lgkt_io_model_read(const char *path, const lgkt_allocator *allocator,
                               lgkt_io_model **model, lgkt_error *error)
{
    char *bytes;
    size_t size;
    if (path == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "path must not be NULL");
    LGKT_TRY(io_file_read(path, MODEL_BYTES, &bytes, &size, error));
    const lgkt_status status = lgkt_io_model_parse(bytes, size, path, allocator, model, error);
    free(bytes);
    return status;
}
