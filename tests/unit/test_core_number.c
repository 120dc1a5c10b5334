// SPDX-License-Identifier: MIT
// Numbers from and to text, in every locale.

#include <float.h>
#include <locale.h>
#include <stdlib.h>

#include "core/number.h"
#include "test.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void numbers_are_read(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double value;
    } cases[] = {{"0", 0.0},
                 {"1", 1.0},
                 {"-1", -1.0},
                 {"+2.5", 2.5},
                 {"0.1", 0.1},
                 {".5", 0.5},
                 {"5.", 5.0},
                 {"1e3", 1000.0},
                 {"1E-3", 0.001},
                 {"1.5e+2", 150.0},
                 {"007", 7.0},
                 {"1/2", 0.5},
                 {"1/3", 1.0 / 3.0},
                 {"-3/4", -0.75},
                 {"1e-2/5", 0.002},
                 {"1/-4", -0.25},
                 {"0/5", 0.0},
                 {"1.7976931348623157e308", DBL_MAX},
                 {"5e-324", 0x1p-1074},
                 {"1e-400", 0.0},
                 {"0.1000000000000000055511151231257827021181583404541015625", 0.1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        double value = -99.0;
        assert_true(lgkt_number_parse(cases[i].text, &value));
        assert_true(value == cases[i].value);
    }
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    const char *wrong[] = {"",         " ",      " 1",           "1 ",    "abc",   "1a",
                           "a1",       "nan",    "NaN",          "inf",   "-inf",  "INFINITY",
                           "0x10",     "0x1p3",  "1e",           "1e+",   "e5",    ".",
                           "-",        "+",      "--1",          "+-1",   "1.2.3", "1,5",
                           "1e400",    "-1e400", "1/0",          "0/0",   "1/",    "/2",
                           "1/2/3",    "1/ 2",   "1e300/1e-300", "1'000", "1_000", "1e5.5",
                           "\xd9\xa1", "1/nan",  "1d5",          "1f"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        double value = 77.0;
        if (lgkt_number_parse(wrong[i], &value))
            fail_msg("\"%s\" was read as %g", wrong[i], value);
        assert_true(value == 77.0);
    }
    // no more than a hundred characters
    char longer[120];
    double value;
    memset(longer, '1', sizeof longer);
    longer[100] = '\0';
    assert_true(lgkt_number_parse(longer, &value));
    longer[100] = '1';
    longer[101] = '\0';
    assert_false(lgkt_number_parse(longer, &value));
}

static void whole_numbers_are_read_exactly(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int64_t value;
    } cases[] = {{"0", 0},
                 {"-0", 0},
                 {"42", 42},
                 {"+7", 7},
                 {"-13", -13},
                 {"0012", 12},
                 {"1e6", 1000000},
                 {"2.5e1", 25},
                 {"1.0", 1},
                 {"6/2", 3},
                 {"9007199254740993", INT64_C(9007199254740993)}, // 2^53 + 1 is no double
                 {"9223372036854775807", INT64_MAX},
                 {"-9223372036854775807", -INT64_MAX},
                 {"9007199254740991.0", (INT64_C(1) << 53) - 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t value = -99;
        assert_true(lgkt_integer_parse(cases[i].text, &value));
        assert_true(value == cases[i].value);
    }
}

static void what_is_no_whole_number_is_refused(void **state)
{
    (void)state;
    const char *wrong[] = {"",
                           "1.5",
                           "1/2",
                           "0.1",
                           "1e-1",
                           "9223372036854775808",
                           "-9223372036854775808",
                           "99999999999999999999",
                           "1e16",
                           "9007199254740992.0",
                           "1e400",
                           "abc",
                           "0x10",
                           "1 ",
                           " 1",
                           "-",
                           "+",
                           "--1",
                           "12a",
                           "nan"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        int64_t value = 77;
        if (lgkt_integer_parse(wrong[i], &value))
            fail_msg("\"%s\" was read as %lld", wrong[i], (long long)value);
        assert_true(value == 77);
    }
}

static void seeds_go_up_to_all_bits(void **state)
{
    (void)state;
    const struct {
        const char *text;
        uint64_t value;
    } cases[] = {{"0", 0},     {"7", 7},
                 {"+7", 7},    {"1e3", 1000},
                 {"6/2", 3},   {"18446744073709551615", UINT64_MAX},
                 {"0012", 12}, {"9223372036854775808", UINT64_C(1) << 63},
                 {"-0", 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t value = 99;
        assert_true(lgkt_seed_parse(cases[i].text, &value));
        assert_true(value == cases[i].value);
    }
    const char *wrong[] = {
        "",    "-1",   "1.5", "18446744073709551616", "99999999999999999999", "1 ",
        "0x1", "1e16", "one"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        uint64_t value = 77;
        if (lgkt_seed_parse(wrong[i], &value))
            fail_msg("\"%s\" was read as %llu", wrong[i], (unsigned long long)value);
        assert_true(value == 77);
    }
}

// ---- printing ----

static void check_round_trip(double value)
{
    char text[LGKT_NUMBER_SIZE];
    double back;
    lgkt_number_print(text, value);
    assert_true(lgkt_number_parse(text, &back));
    assert_true(memcmp(&back, &value, sizeof back) == 0);
    // no shorter text of %g would do
    char shorter[LGKT_NUMBER_SIZE];
    for (int digits = 15; digits < 17; digits++) {
        snprintf(shorter, sizeof shorter, "%.*g", digits, value);
        if (strtod(shorter, NULL) == value) {
            assert_true(strlen(text) <= strlen(shorter));
            break;
        }
    }
}

static void numbers_print_so_that_they_read_back(void **state)
{
    (void)state;
    const double edges[] = {
        0.0,           -0.0,         1.0,       0.1,  1.0 / 3.0, 0.9,    DBL_MAX,
        -DBL_MAX,      DBL_MIN,      0x1p-1074, 1e22, 1e23,      0x1p53, 123456789012345678.0,
        1.0 - 0x1p-53, 1.0 + 0x1p-52};
    for (size_t i = 0; i < COUNT(edges); i++)
        check_round_trip(edges[i]);
    lgkt_rng rng = lgkt_rng_stream(1, "number", 0);
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = lgkt_rng_next(&rng);
        double any;
        memcpy(&any, &bits, sizeof any);
        if (isfinite(any))
            check_round_trip(any);
        check_round_trip(lgkt_rng_uniform(&rng));
        check_round_trip(lgkt_rng_below(&rng, 1000) / 1000.0);
    }
}

static void numbers_print_short(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {0.9, "0.9"},
                 {1.0, "1"},
                 {-2.5, "-2.5"},
                 {1e6, "1000000"},
                 {1e100, "1e+100"},
                 {1.0 / 3.0, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {(double)INFINITY, "inf"},
                 {-(double)INFINITY, "-inf"},
                 {(double)NAN, "nan"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[LGKT_NUMBER_SIZE];
        lgkt_number_print(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
}

// a program that uses a decimal comma reads and prints the same; needs such a locale to be
// installed
static void the_locale_makes_no_difference(void **state)
{
    (void)state;
    const char *locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE"};
    bool found = false;
    for (size_t i = 0; i < COUNT(locales) && !found; i++)
        found = setlocale(LC_NUMERIC, locales[i]) != NULL && localeconv()->decimal_point[0] == ',';
    if (!found) {
        setlocale(LC_NUMERIC, "C");
        skip();
    }
    double value = 0.0;
    char text[LGKT_NUMBER_SIZE];
    const bool read = lgkt_number_parse("1234.5e-1", &value);
    const bool comma = lgkt_number_parse("0,5", &(double){0.0});
    lgkt_number_print(text, 0.1 + 0.2);
    const bool kept = localeconv()->decimal_point[0] == ',';
    setlocale(LC_NUMERIC, "C");
    assert_true(read && kept);
    assert_false(comma);
    assert_true(value == 123.45);
    assert_string_equal(text, "0.30000000000000004");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(whole_numbers_are_read_exactly),
        cmocka_unit_test(what_is_no_whole_number_is_refused),
        cmocka_unit_test(seeds_go_up_to_all_bits),
        cmocka_unit_test(numbers_print_so_that_they_read_back),
        cmocka_unit_test(numbers_print_short),
        cmocka_unit_test(the_locale_makes_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
