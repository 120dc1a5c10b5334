// SPDX-License-Identifier: MIT
// Single values of a spec.

#include "ref/spec_read.h"

#include <stdlib.h>
#include <string.h>

#include "lgkt/spec.h"

bool spec_read_text(const char *spec, const char *key, char *text, size_t size)
{
    return lgkt_spec_value(spec, key, text, size, NULL) == LGKT_OK;
}

double spec_read_number(const char *spec, const char *key, double otherwise)
{
    char text[64];
    return spec_read_text(spec, key, text, sizeof text) ? strtod(text, NULL) : otherwise;
}

bool spec_read_choice(const char *spec, const char *key, const char *word, bool otherwise)
{
    char text[64];
    return spec_read_text(spec, key, text, sizeof text) ? strcmp(text, word) == 0 : otherwise;
}
