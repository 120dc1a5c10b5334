// SPDX-License-Identifier: MIT
// From a parsed spec to a settings struct and back to text, driven by the parameter table.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "core/settings.h"
#include "core/text.h"

#define SHOWN 60 // characters of a name or value that a message quotes

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

// ---- one value ----

// What a value is checked for: names both sides in messages.
typedef struct setting {
    const lgkt_entry *entry;
    const lgkt_param *param;
    size_t offset; // of the field
    const char *value;
} setting;

static lgkt_status refuse(const setting *set, lgkt_error *error, const char *reason)
{
    return lgkt_fail(error, LGKT_ERR_SPEC, "%.*s: %.*s=%.*s %s", SHOWN, set->entry->name, SHOWN,
                     set->param->name, (int)lgkt_text_fit(set->value, SHOWN), set->value, reason);
}

static lgkt_status check_range(const setting *set, double number, lgkt_error *error)
{
    const lgkt_param *param = set->param;
    if (number >= param->min && number <= param->max)
        return LGKT_OK;
    char low[LGKT_NUMBER_SIZE], high[LGKT_NUMBER_SIZE], reason[128];
    lgkt_number_print(low, param->min);
    lgkt_number_print(high, param->max);
    snprintf(reason, sizeof reason, "is out of range %c%s, %s%c", isinf(param->min) ? '(' : '[',
             low, high, isinf(param->max) ? ')' : ']');
    return refuse(set, error, reason);
}

static lgkt_status set_field(const setting *set, void *settings, lgkt_error *error)
{
    void *field = (char *)settings + set->offset;
    lgkt_status status = LGKT_OK;
    int64_t whole;
    double number;
    int index;
    char reason[160];
    switch (set->param->type) {
    case LGKT_PARAM_INTEGER:
        if (!lgkt_integer_parse(set->value, &whole))
            return refuse(set, error, "is not a whole number");
        status = check_range(set, (double)whole, error);
        if (status == LGKT_OK)
            *(int64_t *)field = whole;
        return status;
    case LGKT_PARAM_REAL:
        if (!lgkt_number_parse(set->value, &number))
            return refuse(set, error, "is not a number");
        status = check_range(set, number, error);
        if (status == LGKT_OK)
            *(double *)field = number;
        return status;
    case LGKT_PARAM_CHOICE:
        index = lgkt_choice_index(set->param->choices, set->value);
        if (index < 0) {
            snprintf(reason, sizeof reason, "is not one of %s", set->param->choices);
            return refuse(set, error, reason);
        }
        *(int *)field = index;
        return LGKT_OK;
    case LGKT_PARAM_TEXT:
        *(const char **)field = set->value;
        return LGKT_OK;
    }
    return refuse(set, error, "has an unknown type of parameter");
}

// ---- a whole table ----

const lgkt_param *lgkt_entry_param(const lgkt_entry *entry, int32_t i)
{
    return entry != NULL && i >= 0 && i < entry->param_count ? &entry->params[i].param : NULL;
}

static const char *param_name(const void *ctx, int32_t i)
{
    const lgkt_entry *entry = ctx;
    return i < entry->param_count ? entry->params[i].param.name : NULL;
}

lgkt_status lgkt_settings_fill(const lgkt_entry *entry, const lgkt_spec *spec, int32_t born,
                               void *settings, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    // unset, or the fallback
    for (int32_t i = 0; i < entry->param_count && status == LGKT_OK; i++) {
        const lgkt_param_row *row = &entry->params[i];
        const lgkt_param *param = &row->param;
        void *field = (char *)settings + row->offset;
        switch (param->type) {
        case LGKT_PARAM_INTEGER:
            *(int64_t *)field = LGKT_UNSET_INTEGER;
            break;
        case LGKT_PARAM_REAL:
            *(double *)field = NAN;
            break;
        case LGKT_PARAM_CHOICE:
            *(int *)field = LGKT_UNSET_CHOICE;
            break;
        case LGKT_PARAM_TEXT:
            *(const char **)field = NULL;
            break;
        }
        const char *fallback = born < row->since ? row->before : param->fallback;
        if (fallback != NULL && fallback[0] != '@')
            status = set_field(&(setting){entry, param, row->offset, fallback}, settings, error);
    }
    // then what the spec says
    for (int32_t i = 0; i < spec->count && status == LGKT_OK; i++) {
        int32_t j = 0;
        while (j < entry->param_count && strcmp(entry->params[j].param.name, spec->keys[i]) != 0)
            j++;
        if (j == entry->param_count) {
            char hint[160];
            lgkt_suggest(hint, sizeof hint, spec->keys[i], param_name, entry);
            return lgkt_fail(error, LGKT_ERR_SPEC, "%.*s: unknown parameter \"%.*s\"; %s", SHOWN,
                             entry->name, SHOWN, spec->keys[i], hint);
        }
        const lgkt_param_row *row = &entry->params[j];
        status = set_field(&(setting){entry, &row->param, row->offset, spec->values[i]}, settings,
                           error);
    }
    return status;
}

// ---- specs of older states ----

// The length of "key=value" of a full spec, up to the next comma that is not in parentheses.
static size_t pair_length(const char *text)
{
    int depth = 0;
    size_t length = 0;
    for (; text[length] != '\0' && (depth > 0 || text[length] != ','); length++)
        depth += (text[length] == '(') - (text[length] == ')');
    return length;
}

static bool is_added(const lgkt_entry *entry, const char *pair, int32_t born)
{
    const size_t length = strcspn(pair, "=");
    for (int32_t i = 0; i < entry->param_count; i++)
        if (strncmp(entry->params[i].param.name, pair, length) == 0 &&
            entry->params[i].param.name[length] == '\0')
            return born < entry->params[i].since;
    return false;
}

bool lgkt_settings_agree(const lgkt_entry *entry, const char *spec, const char *older, int32_t born)
{
    const size_t name = strlen(entry->name);
    if (strncmp(spec, entry->name, name) != 0 || strncmp(older, entry->name, name) != 0)
        return false;
    // both are at the sign before a pair of key and value, or at their end
    spec += name;
    older += name;
    for (size_t length; *spec != '\0'; spec += 1 + length) {
        length = pair_length(spec + 1);
        if (*older != '\0' && pair_length(older + 1) == length &&
            memcmp(spec + 1, older + 1, length) == 0)
            older += 1 + length;
        else if (!is_added(entry, spec + 1, born))
            return false;
    }
    return *older == '\0';
}

// ---- printing ----

// A text that is filled as far as it goes, while the length it needs is counted.
typedef struct sink {
    char *text; // (size), nullable if size is 0
    size_t size, length;
} sink;

static void put(sink *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++, out->length++) {
        if (out->length + 1 < out->size)
            out->text[out->length] = text[i];
    }
}

static void put_text(sink *out, const char *text)
{
    put(out, text, strlen(text));
}

size_t lgkt_settings_print(const lgkt_entry *entry, const void *settings, char *text, size_t size)
{
    sink out = {text, size, 0};
    put_text(&out, entry->name);
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
        put_text(&out, gap);
        put_text(&out, param->name);
        put_text(&out, brackets ? "=(" : "=");
        put(&out, value, is_text ? strlen(value) : strcspn(value, "|"));
        put_text(&out, brackets ? ")" : "");
        gap = ",";
    }
    if (size > 0)
        text[out.length < size ? out.length : size - 1] = '\0';
    return out.length;
}
