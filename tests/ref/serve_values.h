// SPDX-License-Identifier: MIT
// Whether a list of values says what a tree of jansson says.
#pragma once

#include <string.h>

#include "serve/values.h"

static inline bool serve_same_letters(const char *a, int32_t a_size, const char *b, int32_t b_size)
{
    return a_size == b_size && (a_size == 0 || memcmp(a, b, (size_t)a_size) == 0);
}

static inline bool serve_values_agree(const srv_values *values, const json_t *tree)
{
    srv_values wanted = {0};
    bool same = tree != NULL && srv_values_of(&wanted, tree) && values->count == wanted.count;
    for (size_t i = 0; i < values->count && same; i++) {
        const srv_value *x = &values->at[i], *y = &wanted.at[i];
        same = x->type == y->type && x->count == y->count && x->length == y->length &&
               x->integer == y->integer && memcmp(&x->real, &y->real, sizeof x->real) == 0 &&
               serve_same_letters(x->name, x->name_size, y->name, y->name_size) &&
               serve_same_letters(x->text, x->size, y->text, y->size);
    }
    srv_values_release(&wanted);
    return same;
}
