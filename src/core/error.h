// SPDX-License-Identifier: MIT
// Filling in an lgkt_error: every failure goes through here.
#pragma once

#include "core/arithmetic.h"
#include "lgkt/base.h"

#if defined(__GNUC__)
#define LGKT_PRINTF(string, first) __attribute__((__format__(__printf__, string, first)))
// a function that is hardly ever called: not worth inlining into one that is called often
#define LGKT_COLD __attribute__((__cold__, __noinline__))
// one that every step calls, from more than one place: a call would cost more than its copy
#define LGKT_HOT   inline __attribute__((__always_inline__))
#define LGKT_APART __attribute__((__noinline__))
#else
#define LGKT_COLD
#define LGKT_HOT inline
#define LGKT_APART
#define LGKT_PRINTF(string, first)
#endif

// Writes status and text into a nullable error and returns the status, so that a check reads:
// return lgkt_fail(error, LGKT_ERR_SHAPE, "...", ...). The text is one line of UTF-8 whatever it
// quotes: control characters and other bytes become '?', and what does not fit ends in "...". It
// may quote error->text itself.
lgkt_status lgkt_fail(lgkt_error *error, lgkt_status status, const char *format, ...)
    LGKT_PRINTF(3, 4);

// Passes a failure on to the caller. For a call after which nothing has to be released.
#define LGKT_TRY(call)                                                                             \
    do {                                                                                           \
        const lgkt_status lgkt_try_status = (call);                                                \
        if (lgkt_try_status != LGKT_OK)                                                            \
            return lgkt_try_status;                                                                \
    } while (0)

// The common case of a failed allocation; `what` says for what.
lgkt_status lgkt_fail_memory(lgkt_error *error, const char *what);

// Numbers in a range: one of `count` things, from 0 on, and a setting.
lgkt_status lgkt_check_index(const char *what, int64_t value, int64_t count, lgkt_error *error);
lgkt_status lgkt_check_setting(const char *name, int64_t value, int64_t least, int64_t most,
                               lgkt_error *error);

// An argument that must not be NULL; `name` is its name.
static inline lgkt_status lgkt_check_given(const void *argument, const char *name,
                                           lgkt_error *error)
{
    return argument != NULL ? LGKT_OK : lgkt_fail(error, LGKT_ERR_ARGUMENT, "%s is NULL", name);
}
