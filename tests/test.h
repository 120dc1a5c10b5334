// SPDX-License-Identifier: MIT
// cmocka with comparisons that a NaN cannot pass, and a few checks used everywhere.
#ifndef LGKT_TEST_H
#define LGKT_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lgkt/lgkt.h"

// Whether to do fewer rounds of the same: under valgrind and the address sanitizer, where each
// takes many times as long and one is as good as ten.
static inline bool test_short(void)
{
    return getenv("LGKT_TEST_SHORT") != NULL;
}

// |actual - expected| <= tolerance; both printed on failure. Two equal infinities are equal.
#define assert_close(actual, expected, tolerance)                                                  \
    test_assert_close((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

static inline void test_assert_close(double actual, double expected, double tolerance,
                                     const char *text, const char *file, int line)
{
    if (actual == expected)
        return;
    if (!(fabs(actual - expected) <= tolerance)) {
        print_error("%s = %.17g, expected %.17g within %g\n", text, actual, expected, tolerance);
        _fail(file, line);
    }
}

// lo <= actual <= hi; false for a NaN.
#define assert_between(actual, lo, hi)                                                             \
    test_assert_between((actual), (lo), (hi), #actual, __FILE__, __LINE__)

static inline void test_assert_between(double actual, double lo, double hi, const char *text,
                                       const char *file, int line)
{
    if (!(actual >= lo && actual <= hi)) {
        print_error("%s = %.17g, expected in [%.17g, %.17g]\n", text, actual, lo, hi);
        _fail(file, line);
    }
}

// A call that must succeed; `error` is the lgkt_error it was given.
#define assert_ok(call, error)                                                                     \
    do {                                                                                           \
        const lgkt_status test_status_ = (call);                                                   \
        if (test_status_ != LGKT_OK) {                                                             \
            print_error("%s: %s: %s\n", #call, lgkt_status_name(test_status_), (error).text);      \
            _fail(__FILE__, __LINE__);                                                             \
        }                                                                                          \
    } while (0)

// A call that must be refused with this status and a text that contains `words`.
#define assert_refused(call, expected, error, words)                                               \
    do {                                                                                           \
        const lgkt_status test_status_ = (call);                                                   \
        if (test_status_ != (expected) || strstr((error).text, (words)) == NULL) {                 \
            print_error("%s: %s: \"%s\", expected %s with \"%s\"\n", #call,                        \
                        lgkt_status_name(test_status_), (error).text, lgkt_status_name(expected),  \
                        (words));                                                                  \
            _fail(__FILE__, __LINE__);                                                             \
        }                                                                                          \
    } while (0)

#endif
