// SPDX-License-Identifier: MIT
// The grammar of spec strings, and finding the entry that a spec names.
//
//     spec  = name [ ":" pair { "," pair } ]        pair = key "=" value
//     name, key = letters a-z, digits and '-', at least one
//     value = text without , ( ), or "(" any text with balanced brackets ")"; not empty
//
// Blanks around names, keys and values are dropped, control characters are refused, and so are
// specs of more than 4096 characters. A scanner walks the text and yields pieces (views into it)
// without memory; lgkt_spec_parse copies the text once and cuts it at the ends of the pieces.

#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/settings.h"
#include "core/text.h"

// ---- pieces ----

typedef struct piece {
    const char *begin;
    size_t length;
} piece;

#define SHOWN       60 // characters of a piece that a message quotes
#define QUOTE(p)    shown((p).begin, (p).length), (p).begin
#define WHOLE(text) shown((text), SHOWN), (text)

static int shown(const char *text, size_t length)
{
    return (int)lgkt_text_fit(text, length < SHOWN ? length : SHOWN);
}

static piece trimmed(const char *begin, const char *end)
{
    while (begin < end && *begin == ' ')
        begin++;
    while (begin < end && end[-1] == ' ')
        end--;
    return (piece){begin, (size_t)(end - begin)};
}

static bool same_text(piece a, piece b)
{
    return a.length == b.length && memcmp(a.begin, b.begin, a.length) == 0;
}

// Copies a piece to a text of its own.
static lgkt_status copy_out(piece p, char *text, size_t size, lgkt_error *error)
{
    if (p.length >= size)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "\"%.*s\" needs room for %zu characters, got %zu",
                         QUOTE(p), p.length + 1, size);
    memcpy(text, p.begin, p.length);
    text[p.length] = '\0';
    return LGKT_OK;
}

// ---- scanner ----

typedef struct scanner {
    const char *spec;
    const char *at;    // the next character to read
    const char *pairs; // where the first pair begins
    piece name, key, value;
} scanner;

// Checks a name or a key.
static lgkt_status check_word(const scanner *scan, piece word, const char *what, lgkt_error *error)
{
    if (word.length == 0)
        return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": empty %s at place %zu",
                         WHOLE(scan->spec), what, (size_t)(word.begin - scan->spec) + 1);
    if (strspn(word.begin, "abcdefghijklmnopqrstuvwxyz0123456789-") < word.length)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "spec \"%.*s\": %s \"%.*s\" has other characters than a-z, 0-9 and -",
                         WHOLE(scan->spec), what, QUOTE(word));
    return LGKT_OK;
}

// Reads the name and stops at the first pair, or at the end.
static lgkt_status scan_name(scanner *scan, const char *spec, lgkt_error *error)
{
    *scan = (scanner){.spec = spec};
    if (spec == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "spec is NULL");
    for (size_t n = 0; spec[n] != '\0'; n++) {
        const unsigned char c = (unsigned char)spec[n];
        if (n == LGKT_MAX_SPEC)
            return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s...\" has more than %d characters",
                             WHOLE(spec), LGKT_MAX_SPEC);
        if (c < 0x20 || c == 0x7f)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "spec \"%.*s\" has a control character (number %d) at place %zu",
                             WHOLE(spec), (int)c, n + 1);
    }
    const char *end = spec + strcspn(spec, ":");
    scan->name = trimmed(spec, end);
    LGKT_TRY(check_word(scan, scan->name, "name", error));
    scan->pairs = scan->at = end + (*end == ':');
    if (*end == ':' && trimmed(scan->at, scan->at + strlen(scan->at)).length == 0)
        return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": nothing after ':'", WHOLE(spec));
    return LGKT_OK;
}

// Reads one pair and what separates it from the next; only called before the end.
static lgkt_status scan_pair(scanner *scan, lgkt_error *error)
{
    // the key
    const char *end = scan->at + strcspn(scan->at, "=,()");
    scan->key = trimmed(scan->at, end);
    if (*end != '=' && scan->key.length > 0)
        return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": missing '=' after \"%.*s\"",
                         WHOLE(scan->spec), QUOTE(scan->key));
    LGKT_TRY(check_word(scan, scan->key, "key", error));
    scan->at = end + 1 + strspn(end + 1, " ");

    // the value, in brackets or plain
    if (*scan->at == '(') {
        const char *close = scan->at;
        for (int depth = 1; depth > 0 && *close != '\0';) {
            close++;
            depth += (*close == '(') - (*close == ')');
        }
        if (*close == '\0')
            return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": '(' of \"%.*s\" is not closed",
                             WHOLE(scan->spec), QUOTE(scan->key));
        scan->value = trimmed(scan->at + 1, close);
        scan->at = close + 1 + strspn(close + 1, " ");
        if (*scan->at != ',' && *scan->at != '\0')
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "spec \"%.*s\": '%.*s' after the ')' of \"%.*s\"", WHOLE(scan->spec),
                             (int)lgkt_utf8_length(scan->at), scan->at, QUOTE(scan->key));
    } else {
        end = scan->at + strcspn(scan->at, ",()");
        if (*end == '(' || *end == ')')
            return lgkt_fail(
                error, LGKT_ERR_SPEC,
                "spec \"%.*s\": '%c' within the value of \"%.*s\"; put all of it in ( )",
                WHOLE(scan->spec), *end, QUOTE(scan->key));
        scan->value = trimmed(scan->at, end);
        scan->at = end;
    }
    if (scan->value.length == 0)
        return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": no value after \"%.*s=\"",
                         WHOLE(scan->spec), QUOTE(scan->key));

    if (*scan->at == ',') {
        scan->at++;
        // a comma at the very end announces a pair that is not there
        if (trimmed(scan->at, scan->at + strlen(scan->at)).length == 0)
            return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": nothing after the last ','",
                             WHOLE(scan->spec));
    }
    return LGKT_OK;
}

// ---- one piece of a spec ----

// Scans the whole spec; finds its name, and the value of `key` (a NULL begin if it is not set).
static lgkt_status scan_all(const char *spec, const char *key, piece *name, piece *value,
                            int32_t *pairs, lgkt_error *error)
{
    scanner scan;
    const piece wanted = {key, strlen(key)};
    *value = (piece){NULL, 0};
    *pairs = 0;
    lgkt_status status = scan_name(&scan, spec, error);
    *name = scan.name;
    while (status == LGKT_OK && *scan.at != '\0') {
        status = scan_pair(&scan, error);
        // an earlier pair with this key? a second scan, which cannot fail
        scanner again = scan;
        again.at = scan.pairs;
        while (status == LGKT_OK && scan_pair(&again, NULL) == LGKT_OK &&
               again.key.begin < scan.key.begin) {
            if (same_text(again.key, scan.key))
                status = lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": \"%.*s\" is set twice",
                                   WHOLE(spec), QUOTE(scan.key));
        }
        *pairs += 1;
        if (same_text(scan.key, wanted))
            *value = scan.value;
    }
    return status;
}

lgkt_status lgkt_spec_value(const char *spec, const char *key, char *value, size_t size,
                            lgkt_error *error)
{
    if (key == NULL || value == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s is NULL", key == NULL ? "key" : "value");
    piece name, found;
    int32_t pairs;
    LGKT_TRY(scan_all(spec, key, &name, &found, &pairs, error));
    if (found.begin == NULL)
        return lgkt_fail(error, LGKT_ERR_UNKNOWN_NAME, "spec \"%.*s\" does not set \"%.*s\"",
                         WHOLE(spec), WHOLE(key));
    return copy_out(found, value, size, error);
}

lgkt_status lgkt_spec_name(const char *spec, char *name, size_t size, lgkt_error *error)
{
    if (name == NULL)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "name is NULL");
    piece found, value;
    int32_t pairs;
    const lgkt_status status = scan_all(spec, "", &found, &value, &pairs, error);
    return status == LGKT_OK ? copy_out(found, name, size, error) : status;
}

// ---- a whole spec ----

// Cuts the copy at the end of a piece of the original and returns the piece in the copy.
static const char *cut(lgkt_spec *spec, const char *original, piece p)
{
    char *begin = spec->text + (p.begin - original);
    begin[p.length] = '\0';
    return begin;
}

lgkt_status lgkt_spec_parse(const char *text, const lgkt_allocator *allocator, lgkt_spec *spec,
                            lgkt_error *error)
{
    piece name, value;
    int32_t pairs;
    LGKT_TRY(scan_all(text, "", &name, &value, &pairs, error));

    lgkt_spec made = {.allocator = lgkt_allocator_resolve(allocator)};
    made.text = lgkt_alloc_zeroed(&made.allocator, strlen(text) + 1, 1);
    made.keys = lgkt_alloc_zeroed(&made.allocator, 2 * (size_t)pairs, sizeof *made.keys);
    if (made.text == NULL || made.keys == NULL)
        goto fail;
    made.values = made.keys + pairs;
    memcpy(made.text, text, strlen(text));

    // the text has been checked: this second walk cannot fail
    scanner scan;
    scan_name(&scan, text, NULL);
    made.name = cut(&made, text, scan.name);
    while (made.count < pairs && scan_pair(&scan, NULL) == LGKT_OK) {
        made.keys[made.count] = cut(&made, text, scan.key);
        made.values[made.count] = cut(&made, text, scan.value);
        made.count++;
    }
    *spec = made;
    return LGKT_OK;
fail:
    lgkt_spec_release(&made);
    return lgkt_fail_memory(error, "a spec");
}

void lgkt_spec_release(lgkt_spec *spec)
{
    if (spec == NULL)
        return;
    const lgkt_allocator hooks = spec->allocator;
    lgkt_free(&hooks, spec->text);
    lgkt_free(&hooks, spec->keys);
    *spec = (lgkt_spec){.allocator = hooks};
}

// ---- registry ----

// a function pointer is no object, so the context is a struct with one in it
typedef struct registry {
    const lgkt_entry *(*entry)(int32_t);
} registry;

static const char *entry_name(const void *ctx, int32_t i)
{
    const lgkt_entry *entry = ((const registry *)ctx)->entry(i);
    return entry != NULL ? entry->name : NULL;
}

lgkt_status lgkt_spec_find(const lgkt_spec *spec, const char *what,
                           const lgkt_entry *(*entry)(int32_t), int32_t *index, lgkt_error *error)
{
    const registry all = {entry};
    for (int32_t i = 0; entry(i) != NULL; i++) {
        if (strcmp(entry(i)->name, spec->name) == 0) {
            *index = i;
            return LGKT_OK;
        }
    }
    char hint[160];
    lgkt_suggest(hint, sizeof hint, spec->name, entry_name, &all);
    return lgkt_fail(error, LGKT_ERR_UNKNOWN_NAME, "unknown %s \"%.*s\"; %s", what,
                     WHOLE(spec->name), hint);
}
