// SPDX-License-Identifier: MIT
// Filling in an lgkt_error. The text is always one line: control characters, which can only come
// from a caller's string, become '?', and a text that does not fit ends in "...".

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"

static void make_one_line(char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f)
            *text = '?';
    }
}

// A format may quote error->text itself (a caller that adds words to a failure below it), so the
// text is made aside and copied when it is done.
static void set_text(lgkt_error *error, const char *format, va_list arguments)
{
    char text[sizeof error->text];
    const int length = vsnprintf(text, sizeof text, format, arguments);
    if (length < 0)
        text[0] = '\0';
    else if ((size_t)length >= sizeof text)
        memcpy(text + sizeof text - 4, "...", 4);
    make_one_line(text);
    memcpy(error->text, text, sizeof text);
}

// ---- internal interface ----

lgkt_status lgkt_fail(lgkt_error *error, lgkt_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        set_text(error, format, arguments);
        va_end(arguments);
        error->status = status;
    }
    return status;
}

lgkt_status lgkt_fail_memory(lgkt_error *error, const char *what)
{
    return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory for %s", what);
}
