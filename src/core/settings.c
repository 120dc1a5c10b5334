// SPDX-License-Identifier: MIT
// From a spec to a settings struct and back to text, driven by the parameter table.
//
//     spec  = name [ ":" pair { "," pair } ]        pair = key "=" value
//     name, key = letters a-z, digits and '-', at least one
//     value = text without , ( ), or "(" any text with balanced brackets ")"; not empty
//
// Blanks around names, keys and values are dropped, control characters are refused, and so are
// specs of more than 4096 characters. What is left are pieces, one behind the other, each with a
// zero behind it in the place of the sign that ended it: no more bytes than the spec has.

#include "core/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/number.h"
#include "core/text.h"

#define SHOWN       60 // characters of a name or value that a message quotes
#define QUOTE(text) (int)lgkt_text_fit((text), SHOWN), (text)

// ---- grammar ----

typedef struct pieces {
    char text[LGKT_MAX_SPEC + 1]; // name, key, value, key, value ..
    size_t size;
    int32_t pairs;
} pieces;

// The piece that follows another one: they lie one behind the other, each with a zero byte.
static const char *next(const char *piece)
{
    return piece + strlen(piece) + 1;
}

// The value of a key; NULL if it is not set.
static const char *value_of(const pieces *made, const char *key)
{
    const char *at = next(made->text);
    for (int32_t i = 0; i < made->pairs; i++, at = next(next(at)))
        if (strcmp(at, key) == 0)
            return next(at);
    return NULL;
}

// Adds the text from `begin` to `end` as a piece, without the blanks around it.
static const char *take(pieces *made, const char *begin, const char *end)
{
    while (begin < end && *begin == ' ')
        begin++;
    while (begin < end && end[-1] == ' ')
        end--;
    const size_t length = (size_t)(end - begin);
    char *piece = memcpy(made->text + made->size, begin, length);
    piece[length] = '\0';
    made->size += length + 1;
    return piece;
}

// Checks a name or a key, which ends at `end`.
static lgkt_status check_word(const char *spec, const char *word, const char *end, const char *what,
                              lgkt_error *error)
{
    if (word[0] == '\0')
        return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": empty %s at place %zu", QUOTE(spec),
                         what, (size_t)(end - spec) + 1);
    if (word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0')
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "spec \"%.*s\": %s \"%.*s\" has other characters than a-z, 0-9 and -",
                         QUOTE(spec), what, QUOTE(word));
    return LGKT_OK;
}

// Reads one pair and what separates it from the next; *at is before the end.
static lgkt_status scan_pair(const char *spec, const char **at, pieces *made, lgkt_error *error)
{
    const char *end = *at + strcspn(*at, "=,()");
    const char *key = take(made, *at, end), *value;
    if (*end != '=' && key[0] != '\0')
        return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": missing '=' after \"%.*s\"",
                         QUOTE(spec), QUOTE(key));
    LGKT_TRY(check_word(spec, key, end, "key", error));

    // the value, in brackets or plain
    const char *begin = end + 1 + strspn(end + 1, " ");
    if (*begin == '(') {
        end = begin;
        for (int depth = 1; depth > 0 && *end != '\0';) {
            end++;
            depth += (*end == '(') - (*end == ')');
        }
        if (*end == '\0')
            return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": '(' of \"%.*s\" is not closed",
                             QUOTE(spec), QUOTE(key));
        value = take(made, begin + 1, end);
        end += 1 + strspn(end + 1, " ");
        if (*end != ',' && *end != '\0')
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "spec \"%.*s\": '%.*s' after the ')' of \"%.*s\"", QUOTE(spec),
                             (int)lgkt_utf8_length(end), end, QUOTE(key));
    } else {
        end = begin + strcspn(begin, ",()");
        if (*end == '(' || *end == ')')
            return lgkt_fail(
                error, LGKT_ERR_SPEC,
                "spec \"%.*s\": '%c' within the value of \"%.*s\"; put all of it in ( )",
                QUOTE(spec), *end, QUOTE(key));
        value = take(made, begin, end);
    }
    if (value[0] == '\0')
        return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": no value after \"%.*s=\"",
                         QUOTE(spec), QUOTE(key));
    // a comma at the very end announces a pair that is not there
    if (*end == ',' && end[1 + strspn(end + 1, " ")] == '\0')
        return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": nothing after the last ','",
                         QUOTE(spec));
    if (value_of(made, key) != NULL)
        return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": \"%.*s\" is set twice", QUOTE(spec),
                         QUOTE(key));
    made->pairs++;
    *at = end + (*end == ',');
    return LGKT_OK;
}

static lgkt_status scan(const char *spec, pieces *made, lgkt_error *error)
{
    made->size = 0;
    made->pairs = 0;
    LGKT_TRY(lgkt_check_given(spec, "spec", error));
    for (size_t n = 0; spec[n] != '\0'; n++) {
        const unsigned char c = (unsigned char)spec[n];
        if (n == LGKT_MAX_SPEC)
            return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s...\" has more than %d characters",
                             QUOTE(spec), LGKT_MAX_SPEC);
        if (c < 0x20 || c == 0x7f)
            return lgkt_fail(error, LGKT_ERR_SPEC,
                             "spec \"%.*s\" has a control character (number %d) at place %zu",
                             QUOTE(spec), (int)c, n + 1);
    }
    const char *at = spec + strcspn(spec, ":");
    LGKT_TRY(check_word(spec, take(made, spec, at), at, "name", error));
    if (*at == ':' && at[1 + strspn(at + 1, " ")] == '\0')
        return lgkt_fail(error, LGKT_ERR_SPEC, "spec \"%.*s\": nothing after ':'", QUOTE(spec));
    at += *at == ':';
    while (*at != '\0')
        LGKT_TRY(scan_pair(spec, &at, made, error));
    return LGKT_OK;
}

// ---- specs ----

// Copies the value of a key, or the name where there is no key.
static lgkt_status copy_piece(const char *spec, const char *key, char *text, size_t size,
                              lgkt_error *error)
{
    pieces made;
    LGKT_TRY(scan(spec, &made, error));
    const char *piece = key != NULL ? value_of(&made, key) : made.text;
    if (piece == NULL)
        return lgkt_fail(error, LGKT_ERR_UNKNOWN_NAME, "spec \"%.*s\" does not set \"%.*s\"",
                         QUOTE(spec), QUOTE(key));
    const size_t length = strlen(piece);
    if (length >= size)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "\"%.*s\" needs room for %zu characters, got %zu",
                         QUOTE(piece), length + 1, size);
    memcpy(text, piece, length + 1);
    return LGKT_OK;
}

lgkt_status lgkt_spec_value(const char *spec, const char *key, char *value, size_t size,
                            lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(key, "key", error));
    LGKT_TRY(lgkt_check_given(value, "value", error));
    return copy_piece(spec, key, value, size, error);
}

lgkt_status lgkt_spec_name(const char *spec, char *name, size_t size, lgkt_error *error)
{
    LGKT_TRY(lgkt_check_given(name, "name", error));
    return copy_piece(spec, NULL, name, size, error);
}

// ---- filling ----

int lgkt_choice_index(const char *choices, const char *word)
{
    const size_t length = strlen(word);
    int index = 0;
    for (const char *at = choices; at != NULL; index++) {
        const size_t size = strcspn(at, "|");
        if (size == length && memcmp(at, word, length) == 0)
            return index;
        at = at[size] == '|' ? at + size + 1 : NULL;
    }
    return -1;
}

// Puts a value into its field; NULL unsets it.
static lgkt_status set_field(const lgkt_entry *entry, const lgkt_param_row *row, const char *value,
                             void *values, lgkt_error *error)
{
    const lgkt_param *param = &row->param;
    void *field = (char *)values + row->offset;
    const bool given = value != NULL, choice = param->type == LGKT_PARAM_CHOICE,
               integer = param->type == LGKT_PARAM_INTEGER, real = param->type == LGKT_PARAM_REAL;
    int64_t whole = LGKT_UNSET_INTEGER;
    double number = NAN;
    int index = LGKT_UNSET_CHOICE;
    char reason[160] = "";
    if (given && integer && !lgkt_integer_parse(value, &whole))
        strcpy(reason, "is not a whole number");
    else if (given && real && !lgkt_number_parse(value, &number))
        strcpy(reason, "is not a number");
    else if (given && choice && (index = lgkt_choice_index(param->choices, value)) < 0)
        snprintf(reason, sizeof reason, "is not one of %s", param->choices);
    if (integer)
        number = (double)whole;
    if (given && (integer || real) && reason[0] == '\0' &&
        !(number >= param->min && number <= param->max)) {
        char low[LGKT_NUMBER_SIZE], high[LGKT_NUMBER_SIZE];
        snprintf(reason, sizeof reason, "is out of range %c%s, %s%c", isinf(param->min) ? '(' : '[',
                 lgkt_number_print(low, param->min), lgkt_number_print(high, param->max),
                 isinf(param->max) ? ')' : ']');
    }
    if (reason[0] != '\0')
        return lgkt_fail(error, LGKT_ERR_SPEC, "%.*s: %.*s=%.*s %s", SHOWN, entry->name, SHOWN,
                         param->name, QUOTE(value), reason);
    if (integer)
        *(int64_t *)field = whole;
    else if (real)
        *(double *)field = number;
    else if (choice)
        *(int *)field = index;
    else
        *(const char **)field = value;
    return LGKT_OK;
}

const lgkt_param *lgkt_entry_param(const lgkt_entry *entry, int32_t i)
{
    return entry != NULL && i >= 0 && i < entry->param_count ? &entry->params[i].param : NULL;
}

// The row of a parameter; NULL: there is none of this name.
static const lgkt_param_row *find_row(const lgkt_entry *entry, const char *name)
{
    for (int32_t i = 0; i < entry->param_count; i++)
        if (strcmp(entry->params[i].param.name, name) == 0)
            return &entry->params[i];
    return NULL;
}

// Fills the settings from the fallbacks of the table and then from the pairs behind the name.
static lgkt_status fill(const lgkt_entry *entry, const char *name, int32_t pairs, int32_t born,
                        void *values, lgkt_error *error)
{
    for (int32_t i = 0; i < entry->param_count; i++) {
        const lgkt_param_row *row = &entry->params[i];
        const char *fallback = born < row->since ? row->before : row->param.fallback;
        const bool computed = fallback == NULL || fallback[0] == '@';
        LGKT_TRY(set_field(entry, row, computed ? NULL : fallback, values, error));
    }
    const char *key = next(name);
    for (int32_t i = 0; i < pairs; i++, key = next(next(key))) {
        const lgkt_param_row *row = find_row(entry, key);
        if (row == NULL) {
            lgkt_hint hint = {.word = key, .size = 160};
            for (int32_t p = 0; p < entry->param_count; p++)
                lgkt_hint_add(&hint, entry->params[p].param.name);
            return lgkt_fail(error, LGKT_ERR_SPEC, "%.*s: unknown parameter \"%.*s\"; %s", SHOWN,
                             entry->name, SHOWN, key, lgkt_hint_text(&hint));
        }
        LGKT_TRY(set_field(entry, row, next(key), values, error));
    }
    return LGKT_OK;
}

// Refuses a name that no entry has.
static lgkt_status fail_name(const char *name, const lgkt_registry *registry, lgkt_error *error)
{
    // what was left out is no slip of the pen: all names are shown, and not the nearest
    const bool left_out = lgkt_choice_index(registry->left_out, name) >= 0;
    lgkt_hint hint = {.word = left_out ? "" : name, .size = 160};
    for (int32_t i = 0; registry->entry(i) != NULL; i++)
        lgkt_hint_add(&hint, registry->entry(i)->name);
    if (left_out)
        return lgkt_fail(error, LGKT_ERR_UNKNOWN_NAME, "%s \"%s\" is not in this build; %s",
                         registry->what, name, lgkt_hint_text(&hint));
    return lgkt_fail(error, LGKT_ERR_UNKNOWN_NAME, "unknown %s \"%.*s\"; %s", registry->what,
                     QUOTE(name), lgkt_hint_text(&hint));
}

lgkt_status lgkt_settings_read(const char *spec, const lgkt_registry *registry, int32_t born,
                               const lgkt_allocator *allocator, lgkt_settings *settings,
                               lgkt_error *error)
{
    pieces made;
    int32_t index = 0;
    const lgkt_entry *entry;
    LGKT_TRY(scan(spec, &made, error));
    while ((entry = registry->entry(index)) != NULL && strcmp(entry->name, made.text) != 0)
        index++;
    if (entry == NULL)
        return fail_name(made.text, registry, error);
    *settings = (lgkt_settings){.index = index, .text = lgkt_alloc_zeroed(allocator, made.size, 1)};
    if (settings->text == NULL)
        return lgkt_fail_memory(error, "a spec");
    memcpy(settings->text, made.text, made.size);
    const lgkt_status status =
        fill(entry, settings->text, made.pairs, born, settings->values, error);
    if (status != LGKT_OK)
        lgkt_free(allocator, settings->text);
    return status;
}

bool lgkt_settings_agree(const lgkt_entry *entry, const char *spec, const char *older, int32_t born)
{
    pieces now, then;
    if (scan(spec, &now, NULL) != LGKT_OK || scan(older, &then, NULL) != LGKT_OK ||
        strcmp(now.text, then.text) != 0)
        return false;
    const char *key = next(now.text), *before = next(then.text);
    for (int32_t i = 0; i < now.pairs; i++, key = next(next(key))) {
        const lgkt_param_row *row = find_row(entry, key);
        const bool same = then.pairs > 0 && strcmp(key, before) == 0;
        if (same && strcmp(next(key), next(before)) != 0)
            return false;
        if (!same && (row == NULL || born >= row->since))
            return false;
        before = same ? next(next(before)) : before;
        then.pairs -= same;
    }
    return then.pairs == 0;
}

// ---- printing ----

size_t lgkt_settings_print(const lgkt_entry *entry, const void *settings, char *text, size_t size)
{
    size_t length = (size_t)snprintf(text, size, "%s", entry->name);
    const char *gap = ":";
    for (int32_t i = 0; i < entry->param_count; i++) {
        const lgkt_param *param = &entry->params[i].param;
        const void *field = (const char *)settings + entry->params[i].offset;
        // the value as a user would type it; NULL or "" if it is unset
        const char *value = NULL;
        char number[LGKT_NUMBER_SIZE];
        int index;
        switch (param->type) {
        case LGKT_PARAM_INTEGER:
            snprintf(number, sizeof number, "%lld", (long long)*(const int64_t *)field);
            value = *(const int64_t *)field != LGKT_UNSET_INTEGER ? number : NULL;
            break;
        case LGKT_PARAM_REAL:
            lgkt_number_print(number, *(const double *)field);
            value = isnan(*(const double *)field) ? NULL : number;
            break;
        case LGKT_PARAM_CHOICE:
            index = *(const int *)field;
            for (value = index >= 0 ? param->choices : NULL; value != NULL && index > 0; index--) {
                value = strchr(value, '|');
                value += value != NULL;
            }
            break;
        case LGKT_PARAM_TEXT:
            value = *(const char *const *)field;
            break;
        }
        if (value == NULL || *value == '\0')
            continue;
        const bool is_text = param->type == LGKT_PARAM_TEXT;
        const bool brackets = is_text && strpbrk(value, ",()") != NULL;
        const bool room = length < size;
        length += (size_t)snprintf(room ? text + length : NULL, room ? size - length : 0,
                                   "%s%s=%s%.*s%s", gap, param->name, brackets ? "(" : "",
                                   (int)(is_text ? strlen(value) : strcspn(value, "|")), value,
                                   brackets ? ")" : "");
        gap = ",";
    }
    return length;
}
