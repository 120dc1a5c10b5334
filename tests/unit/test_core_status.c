// SPDX-License-Identifier: MIT
// Version, status codes and error texts.

#include <limits.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/text.h"
#include "test.h"

static void version_is_that_of_the_header(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", LGKT_VERSION_MAJOR, LGKT_VERSION_MINOR,
             LGKT_VERSION_PATCH);
    assert_string_equal(lgkt_version(), text);
    assert_string_equal(lgkt_version(), LGKT_VERSION_STRING);
    assert_int_equal(lgkt_numbers(), LGKT_NUMBERS);
    assert_true(LGKT_NUMBERS >= 1);
}

static void every_status_has_its_own_name_and_text(void **state)
{
    (void)state;
    for (int i = 0; i < LGKT_STATUS_COUNT; i++) {
        const lgkt_status status = (lgkt_status)-i;
        const char *name = lgkt_status_name(status), *text = lgkt_status_text(status);
        assert_non_null(name);
        assert_true(strlen(name) > 0 && strlen(text) > 0);
        assert_string_not_equal(name, "UNKNOWN");
        // one lower-case line (but for "NaN"), without a full stop
        assert_true(text[0] >= 'a' && text[0] <= 'z' && text[strlen(text) - 1] != '.');
        assert_null(strchr(text, '\n'));
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(name, lgkt_status_name((lgkt_status)-j));
            assert_string_not_equal(text, lgkt_status_text((lgkt_status)-j));
        }
    }
}

static void names_are_those_of_the_enum(void **state)
{
    (void)state;
#define CHECK(name) assert_string_equal(lgkt_status_name(LGKT_ERR_##name), #name)
    assert_string_equal(lgkt_status_name(LGKT_OK), "OK");
    CHECK(ARGUMENT);
    CHECK(CONFIG);
    CHECK(SPEC);
    CHECK(UNKNOWN_NAME);
    CHECK(SHAPE);
    CHECK(PROBABILITY);
    CHECK(NOT_FINITE);
    CHECK(NO_MEMORY);
    CHECK(PROTOCOL);
    CHECK(HORIZON);
    CHECK(UNSUPPORTED);
    CHECK(NO_CONVERGENCE);
    CHECK(FORMAT);
    CHECK(NO_FILE);
    CHECK(IO);
    CHECK(SYSTEM);
#undef CHECK
    assert_int_equal(LGKT_ERR_SYSTEM, 1 - LGKT_STATUS_COUNT);
}

static void other_numbers_are_unknown(void **state)
{
    (void)state;
    const int wrong[] = {1,     2,      13, INT_MAX, -LGKT_STATUS_COUNT, -LGKT_STATUS_COUNT - 1,
                         -1000, INT_MIN};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_string_equal(lgkt_status_name((lgkt_status)wrong[i]), "UNKNOWN");
        assert_non_null(lgkt_status_text((lgkt_status)wrong[i]));
    }
}

// ---- lgkt_fail ----

static void fail_formats_and_returns_the_status(void **state)
{
    (void)state;
    lgkt_error error = {0};
    assert_int_equal(lgkt_fail(&error, LGKT_ERR_SHAPE, "%s = %d, must be %g", "n", 3, 0.5),
                     LGKT_ERR_SHAPE);
    assert_int_equal(error.status, LGKT_ERR_SHAPE);
    assert_string_equal(error.text, "n = 3, must be 0.5");
    assert_int_equal(lgkt_fail(NULL, LGKT_ERR_SPEC, "nobody reads %d", 1), LGKT_ERR_SPEC);
    assert_int_equal(lgkt_fail_memory(&error, "a thing"), LGKT_ERR_NO_MEMORY);
    assert_string_equal(error.text, "out of memory for a thing");
    assert_int_equal(lgkt_fail_memory(NULL, "a thing"), LGKT_ERR_NO_MEMORY);
}

static void long_texts_are_cut_with_dots(void **state)
{
    (void)state;
    char longer[600];
    lgkt_error error;
    for (size_t length = 250; length < 260; length++) {
        memset(longer, 'x', length);
        longer[length] = '\0';
        lgkt_fail(&error, LGKT_ERR_SPEC, "%s", longer);
        if (length < sizeof error.text)
            assert_string_equal(error.text, longer);
        else
            assert_string_equal(error.text + 250, "xx...");
    }
}

static void texts_are_one_line(void **state)
{
    (void)state;
    lgkt_error error;
    lgkt_fail(&error, LGKT_ERR_SPEC, "a\nb\tc\x7f\x1b[31m\xc3\xa9");
    assert_string_equal(error.text, "a?b?c??[31m\xc3\xa9");
}

// whatever is quoted, and wherever it is cut
static void texts_are_utf8(void **state)
{
    (void)state;
    lgkt_error error;
    lgkt_fail(&error, LGKT_ERR_SPEC, "a\xff\xc3 \xed\xa0\x80\xf0\x9f\x98\x80");
    assert_string_equal(error.text, "a?? ???\xf0\x9f\x98\x80");
    for (int shift = 0; shift < 8; shift++) {
        char longer[600] = "";
        memset(longer, 'x', (size_t)shift);
        for (int i = 0; i < 150; i++)
            strcat(longer, i % 2 ? "\xe2\x82\xac" : "\xc3\xa9");
        lgkt_fail(&error, LGKT_ERR_SPEC, "%s", longer);
        const size_t length = strlen(error.text);
        assert_true(length > 250 && length < 256);
        assert_string_equal(error.text + length - 3, "...");
        assert_memory_equal(error.text, longer, length - 3);
        assert_int_equal(lgkt_text_fit(error.text, length - 3), length - 3);
        assert_null(strchr(error.text, '?'));
    }
    // a value of a spec that is quoted up to a place inside a character
    char spec[200] = "lg2t:threshold=";
    for (int i = 0; i < 60; i++)
        strcat(spec, "\xe2\x82\xac");
    lgkt_learner *learner;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = config.problem.actions = 2;
    config.problem.horizon = 10;
    assert_int_equal(lgkt_learner_create(spec, &config, &learner, &error), LGKT_ERR_SPEC);
    assert_null(strchr(error.text, '?'));
    assert_int_equal(lgkt_spec_value("\xc3\xa9", "a", spec, sizeof spec, &error), LGKT_ERR_SPEC);
    assert_non_null(strstr(error.text, "\xc3\xa9"));
}

static void a_text_may_quote_itself(void **state)
{
    (void)state;
    lgkt_error error;
    lgkt_fail(&error, LGKT_ERR_SPEC, "inner");
    lgkt_fail(&error, LGKT_ERR_CONFIG, "outer: %s, again %s", error.text, error.text);
    assert_string_equal(error.text, "outer: inner, again inner");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_is_that_of_the_header),
        cmocka_unit_test(every_status_has_its_own_name_and_text),
        cmocka_unit_test(names_are_those_of_the_enum),
        cmocka_unit_test(other_numbers_are_unknown),
        cmocka_unit_test(fail_formats_and_returns_the_status),
        cmocka_unit_test(long_texts_are_cut_with_dots),
        cmocka_unit_test(texts_are_one_line),
        cmocka_unit_test(texts_are_utf8),
        cmocka_unit_test(a_text_may_quote_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
