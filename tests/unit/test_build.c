// SPDX-License-Identifier: MIT
// The build is what it says: sanitizers that a preset promises are on, the version is the same
// everywhere, and arithmetic is not relaxed.
// labels: threads
#ifndef LGKT_CORE_ARITHMETIC_H
#error "the build puts core/arithmetic.h before every file"
#endif

#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#define ADDRESS_IS_ON true
#else
#define ADDRESS_IS_ON false
#endif

#if defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
#define THREAD_IS_ON true
#else
#define THREAD_IS_ON false
#endif

// ---- sanitizers ----

// A child process that overflows an int: does it get to its end?
static bool overflow_is_fatal(void)
{
    const pid_t child = fork();
    if (child == 0) {
        // its report would only confuse
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(0);
        volatile int number = INT_MAX;
        number = number + 1;
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// The test presets name the sanitizers that must be on; without a preset nothing is expected.
static bool is_expected(const char *sanitizer)
{
    const char *expected = getenv("LGKT_EXPECT_SANITIZERS");
    return expected != NULL && strstr(expected, sanitizer) != NULL;
}

static void promised_sanitizers_are_on(void **state)
{
    (void)state;
    if (getenv("LGKT_EXPECT_SANITIZERS") == NULL)
        skip();
    assert_true(ADDRESS_IS_ON == is_expected("address"));
    assert_true(THREAD_IS_ON == is_expected("thread"));
    assert_true(overflow_is_fatal() == is_expected("undefined"));
}

// ---- version ----

static void version_is_the_same_everywhere(void **state)
{
    (void)state;
    char parts[32];
    snprintf(parts, sizeof parts, "%d.%d.%d", LGKT_VERSION_MAJOR, LGKT_VERSION_MINOR,
             LGKT_VERSION_PATCH);
    assert_string_equal(parts, LGKT_VERSION_STRING);
    assert_string_equal(LGKT_CMAKE_VERSION, LGKT_VERSION_STRING);
    assert_string_equal(lgkt_version(), LGKT_VERSION_STRING);
}

// ---- arithmetic ----

// (1 + 2^-27)^2 = 1 + 2^-26 + 2^-54 rounds to 1 + 2^-26; one fused step would keep the 2^-54.
static void products_are_rounded_before_sums(void **state)
{
    (void)state;
    volatile double input = 1 + 0x1p-27;
    const double x = input;
    const double difference = x * x - (1 + 0x1p-26);
    assert_true(difference == 0);
}

static void infinities_and_nans_are_kept(void **state)
{
    (void)state;
#ifdef __FAST_MATH__
    fail_msg("built with -ffast-math");
#endif
    volatile double zero = 0;
    const double nan = zero / zero;
    assert_false(nan == nan);
    assert_true(1 / zero > 1e308);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promised_sanitizers_are_on),
        cmocka_unit_test(version_is_the_same_everywhere),
        cmocka_unit_test(products_are_rounded_before_sums),
        cmocka_unit_test(infinities_and_nans_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
