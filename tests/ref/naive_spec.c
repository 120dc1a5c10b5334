// SPDX-License-Identifier: MIT
// The grammar of specs once more. Where the library reads from left to right, this cuts at the
// commas outside of brackets first and judges each part on its own.

#include <string.h>

#include "ref/naive_spec.h"

static void trim(char *text)
{
    size_t skip = 0, length;
    while (text[skip] == ' ')
        skip++;
    memmove(text, text + skip, strlen(text + skip) + 1);
    while ((length = strlen(text)) > 0 && text[length - 1] == ' ')
        text[length - 1] = '\0';
}

static bool word_ok(const char *text)
{
    return *text != '\0' && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

// Depth of brackets after the first n characters; -1 as soon as one closes too early.
static int depth_after(const char *text, size_t n)
{
    int depth = 0;
    for (size_t i = 0; i < n; i++) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth < 0)
            return -1;
    }
    return depth;
}

static bool value_ok(char *value)
{
    trim(value);
    size_t length = strlen(value);
    if (value[0] == '(') {
        // the first bracket is closed by the last character and no earlier one
        for (size_t n = 1; n < length; n++) {
            if (depth_after(value, n) < 1)
                return false;
        }
        if (depth_after(value, length) != 0)
            return false;
        value[length - 1] = '\0';
        memmove(value, value + 1, length - 1);
        trim(value);
    } else if (strpbrk(value, "()") != NULL) {
        return false;
    }
    return value[0] != '\0';
}

static bool add_pair(naive_spec *spec, char *part)
{
    char *equals = strchr(part, '=');
    if (equals == NULL || spec->count == NAIVE_SPEC_PAIRS)
        return false;
    *equals = '\0';
    trim(part);
    if (!word_ok(part) || !value_ok(equals + 1))
        return false;
    for (int i = 0; i < spec->count; i++) {
        if (strcmp(spec->keys[i], part) == 0)
            return false;
    }
    strcpy(spec->keys[spec->count], part);
    strcpy(spec->values[spec->count], equals + 1);
    spec->count++;
    return true;
}

bool naive_spec_parse(const char *text, naive_spec *spec)
{
    char copy[NAIVE_SPEC_LENGTH];
    memset(spec, 0, sizeof *spec);
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < 32 || *c == 127)
            return false;
    }
    strcpy(copy, text);
    char *rest = strchr(copy, ':');
    if (rest != NULL)
        *rest++ = '\0';
    strcpy(spec->name, copy);
    trim(spec->name);
    if (!word_ok(spec->name))
        return false;
    if (rest == NULL)
        return true;
    if (depth_after(rest, strlen(rest)) != 0)
        return false;
    // each comma at depth 0 ends a part
    const size_t length = strlen(rest);
    size_t begin = 0;
    for (size_t i = 0; i <= length; i++) {
        const bool ends = i == length || (rest[i] == ',' && depth_after(rest, i) == 0);
        char part[NAIVE_SPEC_LENGTH] = {0};
        if (!ends)
            continue;
        memcpy(part, rest + begin, i - begin);
        if (!add_pair(spec, part))
            return false;
        begin = i + 1;
    }
    return true;
}
