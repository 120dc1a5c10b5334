// SPDX-License-Identifier: MIT
// The version, the names and texts of the status codes (one table, indexed by -status), and how an
// lgkt_error is filled in.

#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

// ---- status ----

typedef struct status_words {
    const char *name;
    const char *text;
} status_words;

#define ERROR_ROW(name, text) [-(int)LGKT_ERR_##name] = {#name, text}

static const status_words statuses[] = {
    [LGKT_OK] = {"OK", "success"},
    ERROR_ROW(ARGUMENT, "a null pointer, or an argument out of its range"),
    ERROR_ROW(CONFIG, "a config struct not made by its default maker, or a bad field in it"),
    ERROR_ROW(SPEC, "a malformed spec string, an unknown key or a bad value"),
    ERROR_ROW(UNKNOWN_NAME, "nothing has that name"),
    ERROR_ROW(SHAPE, "sizes that do not agree, or are too large"),
    ERROR_ROW(PROBABILITY, "a negative probability, or a row that does not sum to 1"),
    ERROR_ROW(NOT_FINITE, "a NaN or an infinity where a number is needed"),
    ERROR_ROW(NO_MEMORY, "an allocation failed"),
    ERROR_ROW(PROTOCOL, "calls out of order"),
    ERROR_ROW(HORIZON, "the run is over"),
    ERROR_ROW(UNSUPPORTED, "this object cannot do that"),
    ERROR_ROW(NO_CONVERGENCE, "an iteration hit its cap"),
    ERROR_ROW(FORMAT, "bytes that are no saved state or no file of that kind, or damaged"),
    ERROR_ROW(NO_FILE, "a file or folder that is not there or may not be opened"),
    ERROR_ROW(IO, "reading or writing stopped half way"),
    ERROR_ROW(SYSTEM, "the system gave no thread, process or lock, or a program failed"),
};

_Static_assert(sizeof statuses / sizeof statuses[0] == LGKT_STATUS_COUNT,
               "the table has one row per status");

// any int can arrive here, so the sign is checked before it is turned
static status_words words_of(lgkt_status status)
{
    const int code = (int)status;
    return code <= 0 && code > -LGKT_STATUS_COUNT ? statuses[-code]
                                                  : (status_words){"UNKNOWN", "not a status code"};
}

const char *lgkt_version(void)
{
    return LGKT_VERSION_STRING;
}

int32_t lgkt_numbers(void)
{
    return LGKT_NUMBERS;
}

const char *lgkt_status_name(lgkt_status status)
{
    return words_of(status).name;
}

const char *lgkt_status_text(lgkt_status status)
{
    return words_of(status).text;
}

// ---- failures ----

lgkt_status lgkt_fail(lgkt_error *error, lgkt_status status, const char *format, ...)
{
    if (error == NULL)
        return status;
    // made aside, since the format may quote error->text
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0)
        text[0] = '\0';
    else if ((size_t)length >= sizeof text)
        strcpy(text + lgkt_text_fit(text, sizeof text - sizeof "..."), "...");
    lgkt_text_clean(error->text, sizeof error->text, text);
    error->status = status;
    return status;
}

lgkt_status lgkt_fail_memory(lgkt_error *error, const char *what)
{
    return lgkt_fail(error, LGKT_ERR_NO_MEMORY, "out of memory for %s", what);
}

lgkt_status lgkt_check_index(const char *what, int64_t value, int64_t count, lgkt_error *error)
{
    if (value >= 0 && value < count)
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s %lld is out of range [0, %lld]", what,
                     (long long)value, (long long)count - 1);
}

lgkt_status lgkt_check_setting(const char *name, int64_t value, int64_t least, int64_t most,
                               lgkt_error *error)
{
    if (value >= least && value <= most)
        return LGKT_OK;
    return lgkt_fail(error, LGKT_ERR_CONFIG,
                     most == INT64_MAX ? "%s = %lld must be at least %lld"
                                       : "%s = %lld must be in [%lld, %lld]",
                     name, (long long)value, (long long)least, (long long)most);
}
