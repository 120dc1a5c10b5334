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

// ---- choices ----

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

// The choice at a position: a view of *length characters, NULL if there is none.
static const char *choice_at(const char *choices, int index, size_t *length)
{
    for (const char *at = choices; at != NULL; index--) {
        *length = strcspn(at, "|");
        if (index == 0)
            return at;
        at = at[*length] == '|' ? at + *length + 1 : NULL;
    }
    return NULL;
}

// ---- fields ----

static void *field_of(const lgkt_param *param, void *settings)
{
    return (char *)settings + param->offset;
}

static const void *field_read(const lgkt_param *param, const void *settings)
{
    return (const char *)settings + param->offset;
}

static void set_unset(const lgkt_param *param, void *field)
{
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
}

// ---- one value ----

// What a value is checked for: names both sides in messages.
typedef struct setting {
    const lgkt_entry *entry;
    const lgkt_param *param;
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

static lgkt_status set_integer(const setting *set, int64_t *field, lgkt_error *error)
{
    int64_t whole;
    if (!lgkt_integer_parse(set->value, &whole))
        return refuse(set, error, "is not a whole number");
    const lgkt_status status = check_range(set, (double)whole, error);
    if (status == LGKT_OK)
        *field = whole;
    return status;
}

static lgkt_status set_real(const setting *set, double *field, lgkt_error *error)
{
    double number;
    if (!lgkt_number_parse(set->value, &number))
        return refuse(set, error, "is not a number");
    const lgkt_status status = check_range(set, number, error);
    if (status == LGKT_OK)
        *field = number;
    return status;
}

static lgkt_status set_choice(const setting *set, int *field, lgkt_error *error)
{
    const int index = lgkt_choice_index(set->param->choices, set->value);
    if (index >= 0) {
        *field = index;
        return LGKT_OK;
    }
    char reason[160];
    snprintf(reason, sizeof reason, "is not one of %s", set->param->choices);
    return refuse(set, error, reason);
}

static lgkt_status set_field(const setting *set, void *field, lgkt_error *error)
{
    switch (set->param->type) {
    case LGKT_PARAM_INTEGER:
        return set_integer(set, field, error);
    case LGKT_PARAM_REAL:
        return set_real(set, field, error);
    case LGKT_PARAM_CHOICE:
        return set_choice(set, field, error);
    case LGKT_PARAM_TEXT:
        *(const char **)field = set->value;
        return LGKT_OK;
    }
    return refuse(set, error, "has an unknown type of parameter");
}

// ---- a whole table ----

static const char *param_name(const void *ctx, int32_t i)
{
    const lgkt_entry *entry = ctx;
    return i < entry->param_count ? entry->params[i].name : NULL;
}

static const lgkt_param *find_param(const lgkt_entry *entry, const char *key)
{
    for (int32_t i = 0; i < entry->param_count; i++) {
        if (strcmp(entry->params[i].name, key) == 0)
            return &entry->params[i];
    }
    return NULL;
}

static lgkt_status fill_fallbacks(const lgkt_entry *entry, void *settings, lgkt_error *error)
{
    for (int32_t i = 0; i < entry->param_count; i++) {
        const lgkt_param *param = &entry->params[i];
        void *field = field_of(param, settings);
        set_unset(param, field);
        if (param->fallback == NULL || param->fallback[0] == '@')
            continue;
        const setting set = {entry, param, param->fallback};
        const lgkt_status status = set_field(&set, field, error);
        if (status != LGKT_OK)
            return status;
    }
    return LGKT_OK;
}

lgkt_status lgkt_settings_fill(const lgkt_entry *entry, const lgkt_spec *spec, void *settings,
                               lgkt_error *error)
{
    lgkt_status status = fill_fallbacks(entry, settings, error);
    for (int32_t i = 0; i < spec->count && status == LGKT_OK; i++) {
        const lgkt_param *param = find_param(entry, spec->keys[i]);
        if (param == NULL) {
            char hint[160];
            lgkt_suggest(hint, sizeof hint, spec->keys[i], param_name, entry);
            return lgkt_fail(error, LGKT_ERR_SPEC, "%.*s: unknown parameter \"%.*s\"; %s", SHOWN,
                             entry->name, SHOWN, spec->keys[i], hint);
        }
        const setting set = {entry, param, spec->values[i]};
        status = set_field(&set, field_of(param, settings), error);
    }
    return status;
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

// The text of a field as a user would type it, made in `number` if need be; NULL if it is unset.
static const char *field_text(const lgkt_param *param, const void *field,
                              char number[LGKT_NUMBER_SIZE], size_t *length)
{
    const char *text = NULL;
    switch (param->type) {
    case LGKT_PARAM_INTEGER:
        snprintf(number, LGKT_NUMBER_SIZE, "%lld", (long long)*(const int64_t *)field);
        text = *(const int64_t *)field != LGKT_UNSET_INTEGER ? number : NULL;
        break;
    case LGKT_PARAM_REAL:
        lgkt_number_print(number, *(const double *)field);
        text = isnan(*(const double *)field) ? NULL : number;
        break;
    case LGKT_PARAM_CHOICE:
        return choice_at(param->choices, *(const int *)field, length);
    case LGKT_PARAM_TEXT:
        text = *(const char *const *)field;
        break;
    }
    *length = text != NULL ? strlen(text) : 0;
    return *length > 0 ? text : NULL;
}

size_t lgkt_settings_print(const lgkt_entry *entry, const void *settings, char *text, size_t size)
{
    sink out = {text, size, 0};
    put_text(&out, entry->name);
    const char *gap = ":";
    for (int32_t i = 0; i < entry->param_count; i++) {
        const lgkt_param *param = &entry->params[i];
        char number[LGKT_NUMBER_SIZE];
        size_t length;
        const char *value = field_text(param, field_read(param, settings), number, &length);
        if (value == NULL)
            continue;
        const bool brackets = param->type == LGKT_PARAM_TEXT && strpbrk(value, ",()") != NULL;
        put_text(&out, gap);
        put_text(&out, param->name);
        put_text(&out, brackets ? "=(" : "=");
        put(&out, value, length);
        put_text(&out, brackets ? ")" : "");
        gap = ",";
    }
    if (size > 0)
        text[out.length < size ? out.length : size - 1] = '\0';
    return out.length;
}
