// SPDX-License-Identifier: MIT
// States between JSON and bytes. Values of a part are numbered; texts that may be any are kept as
// they are. Numbers of records have one form each: 0 has no sign, and there is one NaN.
//
//     numbered   4 bytes: all values as the digits of one number, the last part the lowest
//     keyed      per part 2 bytes, the number of the value; a text: 2 bytes of length, then the text
//     records    8 bytes per feature: a double

#include <math.h>
#include <string.h>

#include "core/text.h"
#include "serve/programme.h"

static lgkt_status refuse_name(const srv_programme *p, const srv_value *state, lgkt_error *error)
{
    const srv_value *value = state + 1;
    for (int32_t v = 0; v < state->count; v++, value = srv_after(value)) {
        char room[SRV_QUOTED];
        const char *name = srv_quoted(value->name, value->name_size, room);
        lgkt_hint hint = {.word = name, .size = 160};
        bool known = false;
        for (int32_t i = 0; i < p->parts; i++) {
            known |= srv_equals(value->name, value->name_size, p->part[i].name);
            lgkt_hint_add(&hint, p->part[i].name);
        }
        if (!known)
            return lgkt_fail(error, LGKT_ERR_ARGUMENT, "the state has no \"%.*s\": %s",
                             (int)lgkt_text_fit(name, 40), name,
                             p->parts > 0 ? lgkt_hint_text(&hint) : "it has no parts");
    }
    return LGKT_OK;
}

// The number of a value of a part that has a list or a number of them; -1 if it is none.
static int32_t value_of(const srv_part *part, const srv_value *value)
{
    if (part->texts == NULL)
        return srv_is_number(value) && value->real >= 0 && value->real < part->count &&
                       value->real == floor(value->real)
                   ? (int32_t)value->real
                   : -1;
    for (int32_t i = 0; i < part->count && srv_is(value, SRV_TEXT); i++)
        if (srv_equals(value->text, value->size,
                       json_string_value(json_array_get(part->texts, (size_t)i))))
            return i;
    return -1;
}

static lgkt_status refuse_value(const srv_programme *p, const srv_part *part,
                                const srv_value *value, lgkt_error *error)
{
    char given[60] = "missing", wanted[120], room[SRV_QUOTED] = "";
    if (srv_is(value, SRV_TEXT)) {
        srv_quoted(value->text, value->size, room);
        snprintf(given, sizeof given, "\"%.*s\"", (int)lgkt_text_fit(room, 40), room);
    } else if (srv_is_number(value)) {
        snprintf(given, sizeof given, "%.15g", value->real);
    } else if (value != NULL) {
        snprintf(given, sizeof given, "%s",
                 value->type == SRV_NULL ? "null" : "no text and no number");
    }
    if (part->texts != NULL && srv_is(value, SRV_TEXT)) {
        lgkt_hint hint = {.word = room, .size = 160};
        for (int32_t i = 0; i < part->count; i++)
            lgkt_hint_add(&hint, json_string_value(json_array_get(part->texts, (size_t)i)));
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "\"%s\" is %s: %s", part->name, given,
                         lgkt_hint_text(&hint));
    }
    if (part->texts != NULL)
        snprintf(wanted, sizeof wanted, "one of its texts");
    else if (part->count > 0)
        snprintf(wanted, sizeof wanted, "a whole number, 0 .. %d", part->count - 1);
    else
        snprintf(wanted, sizeof wanted,
                 p->kind == SRV_RECORDS ? "a number, or null" : "a text of at most 1024 bytes");
    return lgkt_fail(error, LGKT_ERR_ARGUMENT, "\"%s\" is %s, and must be %s", part->name, given,
                     wanted);
}

static size_t put_number(const srv_part *part, const srv_value *value, unsigned char *at,
                         bool *good)
{
    double number = NAN;
    const bool is_missing = srv_is_none(value);
    if (!is_missing && part->count > 0) {
        const int32_t index = value_of(part, value);
        *good = index >= 0;
        number = index;
    } else if (!is_missing) {
        *good = srv_is_number(value);
        number = *good ? value->real : NAN;
    }
    number = number == 0 ? 0 : number;
    memcpy(at, &number, sizeof number);
    return sizeof number;
}

static size_t put_value(const srv_part *part, const srv_value *value, unsigned char *at,
                        size_t room, bool *good)
{
    const bool is_text = part->count == 0, has_text = srv_is(value, SRV_TEXT);
    const size_t length = is_text && has_text ? (size_t)value->size : 0;
    const int32_t index = is_text ? (int32_t)length : value_of(part, value);
    *good = index >= 0 && (!is_text || (has_text && length <= 1024)) && room >= 2 + length;
    if (!*good)
        return 0;
    at[0] = (unsigned char)index;
    at[1] = (unsigned char)(index >> 8);
    if (length > 0)
        memcpy(at + 2, value->text, length);
    return 2 + length;
}

size_t srv_state_read(const srv_programme *p, const srv_value *state,
                      unsigned char bytes[SRV_MAX_STATE], lgkt_error *error)
{
    if (!srv_is(state, SRV_OBJECT)) {
        lgkt_fail(error, LGKT_ERR_ARGUMENT, "the state must be an object with its parts by name");
        return 0;
    }
    size_t size = 0, found = 0;
    uint32_t number = 0;
    for (int32_t i = 0; i < p->parts; i++) {
        const srv_part *part = &p->part[i];
        const srv_value *value = srv_value_in(state, part->name);
        bool good = true;
        found += value != NULL;
        if (p->kind == SRV_RECORDS) {
            size += put_number(part, value, bytes + size, &good);
        } else if (p->kind == SRV_KEYED) {
            size += put_value(part, value, bytes + size, SRV_MAX_STATE - size, &good);
        } else {
            const int32_t index = value_of(part, value);
            good = index >= 0;
            number = number * (uint32_t)part->count + (uint32_t)index;
        }
        if (!good) {
            refuse_value(p, part, value, error);
            return 0;
        }
    }
    if (found < (size_t)state->count) {
        refuse_name(p, state, error);
        return 0;
    }
    if (p->kind == SRV_NUMBERED) {
        for (int i = 0; i < 4; i++)
            bytes[size++] = (unsigned char)(number >> (8 * i));
    } else if (size == 0) { // keyed, without parts
        bytes[size++] = 0;
    }
    return size;
}

static json_t *value_json(const srv_part *part, int32_t index)
{
    return part->texts != NULL ? json_incref(json_array_get(part->texts, (size_t)index))
                               : json_integer(index);
}

static json_t *number_json(const srv_part *part, const unsigned char *at)
{
    double number;
    memcpy(&number, at, sizeof number);
    if (isnan(number))
        return json_null();
    return part->count > 0 ? value_json(part, (int32_t)number) : json_real(number);
}

json_t *srv_state_json(const srv_programme *p, const unsigned char *bytes, size_t size)
{
    json_t *state = json_object();
    uint32_t number = 0;
    for (size_t i = 4; p->kind == SRV_NUMBERED && size == 4 && i-- > 0;)
        number = number << 8 | bytes[i];
    uint32_t digits[SRV_MAX_PARTS] = {0};
    for (int32_t i = p->parts; p->kind == SRV_NUMBERED && i-- > 0;) {
        digits[i] = number % (uint32_t)p->part[i].count;
        number /= (uint32_t)p->part[i].count;
    }
    bool good = state != NULL;
    for (int32_t i = 0, at = 0; i < p->parts && good; i++) {
        const srv_part *part = &p->part[i];
        json_t *value = NULL;
        if (p->kind == SRV_NUMBERED) {
            value = value_json(part, (int32_t)digits[i]);
        } else if (p->kind == SRV_RECORDS && (size_t)at + 8 <= size) {
            value = number_json(part, bytes + at);
            at += 8;
        } else if (p->kind == SRV_KEYED && (size_t)at + 2 <= size) {
            const int32_t index = bytes[at] | bytes[at + 1] << 8;
            const int32_t length = part->count > 0 ? 0 : index;
            if ((size_t)(at + 2 + length) <= size)
                value = part->count > 0
                            ? value_json(part, index)
                            : json_stringn((const char *)bytes + at + 2, (size_t)length);
            at += 2 + length;
        }
        good = value != NULL && json_object_set_new(state, part->name, value) == 0;
    }
    if (!good) {
        json_decref(state);
        return NULL;
    }
    return state;
}
