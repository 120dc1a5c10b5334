// SPDX-License-Identifier: MIT
// Lines of decision logs, letter by letter: what is missing, quoted, no number or no UTF-8, and what
// is refused. That other programs read them back is tested with Python (python/tests).

#include "test.h"

#include "lgkt/io.h"

static const char HEADER[] = "seq,time,unit,decision,state,allowed,action,probability,"
                             "probabilities,source,reward,reward_time,next_state,cut\n";

static void check_line(lgkt_io_format format, const lgkt_io_decision *decision,
                       const char *expected)
{
    char text[512];
    size_t length = 0;
    lgkt_error error = {0};
    assert_ok(lgkt_io_decision_print(format, decision, text, sizeof text, &length, &error), error);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    // the same in a place that is just large enough, and none in one that is too small
    char tight[512];
    size_t needed = 0;
    assert_ok(lgkt_io_decision_print(format, decision, tight, length + 1, &needed, &error), error);
    assert_string_equal(tight, expected);
    assert_refused(lgkt_io_decision_print(format, decision, tight, length, &needed, &error),
                   LGKT_ERR_SHAPE, error, "bytes, the room is for");
    assert_int_equal(needed, length);
    assert_int_equal(lgkt_io_decision_print(format, decision, NULL, 0, &needed, NULL),
                     LGKT_ERR_SHAPE);
    assert_int_equal(needed, length);
}

static void test_header(void **state)
{
    (void)state;
    char text[256];
    size_t length = 7;
    lgkt_error error = {0};
    assert_ok(lgkt_io_decision_header(LGKT_IO_CSV, text, sizeof text, &length, &error), error);
    assert_string_equal(text, HEADER);
    assert_int_equal(length, sizeof HEADER - 1);
    assert_ok(lgkt_io_decision_header(LGKT_IO_JSON_LINES, text, sizeof text, &length, &error),
              error);
    assert_string_equal(text, "");
    assert_int_equal(length, 0);
    assert_refused(lgkt_io_decision_header(LGKT_IO_CSV, text, 20, &length, &error), LGKT_ERR_SHAPE,
                   error, "the room is for 20");
}

static void test_everything_is_missing(void **state)
{
    (void)state;
    lgkt_io_decision d = lgkt_io_decision_default();
    check_line(LGKT_IO_CSV, &d, ",,,,,,,,,,,,,\n");
    check_line(LGKT_IO_JSON_LINES, &d,
               "{\"seq\":null,\"time\":null,\"unit\":null,\"decision\":null,\"state\":null,"
               "\"allowed\":null,\"action\":null,\"probability\":null,\"probabilities\":null,"
               "\"source\":null,\"reward\":null,\"reward_time\":null,\"next_state\":null,"
               "\"cut\":null}\n");
    // infinities are no numbers of a log
    d.reward = INFINITY;
    d.time = -INFINITY;
    d.unit = lgkt_io_number(NAN);
    check_line(LGKT_IO_CSV, &d, ",,,,,,,,,,,,,\n");
}

static void test_numbers_and_lists(void **state)
{
    (void)state;
    const lgkt_io_value at = lgkt_io_number(3), to = lgkt_io_text("b c");
    const lgkt_io_value allowed[] = {lgkt_io_number(0), lgkt_io_number(2)};
    const double p[] = {0.1, NAN, 0.9};
    lgkt_io_decision d = lgkt_io_decision_default();
    d.seq = INT64_MAX;
    d.time = 1763560800.123456;
    d.unit = lgkt_io_number(7);
    d.decision = 0;
    d.state = &at;
    d.next_state = &to;
    d.allowed = allowed;
    d.allowed_count = 2;
    d.action = lgkt_io_number(2);
    d.probability = 1 / 3.0;
    d.probabilities = p;
    d.probability_count = 3;
    d.source = "floor";
    d.reward = -0.1;
    d.reward_time = 1e300;
    d.cut = 0;
    check_line(LGKT_IO_CSV, &d,
               "9223372036854775807,1763560800.123456,7,0,3,\"[0,2]\",2,0.3333333333333333,"
               "\"[0.1,null,0.9]\",floor,-0.1,1e+300,b c,false\n");
    check_line(LGKT_IO_JSON_LINES, &d,
               "{\"seq\":9223372036854775807,\"time\":1763560800.123456,\"unit\":7,\"decision\":0,"
               "\"state\":3,\"allowed\":[0,2],\"action\":2,\"probability\":0.3333333333333333,"
               "\"probabilities\":[0.1,null,0.9],\"source\":\"floor\",\"reward\":-0.1,"
               "\"reward_time\":1e+300,\"next_state\":\"b c\",\"cut\":false}\n");
    d.allowed_count = 0;
    d.cut = 1;
    d.probability_count = 0;
    check_line(LGKT_IO_CSV, &d,
               "9223372036854775807,1763560800.123456,7,0,3,\"[]\",2,0.3333333333333333,"
               "\"[]\",floor,-0.1,1e+300,b c,true\n");
}

// the fields of a line that has only texts
static void check_texts(const char *text, const char *csv, const char *json)
{
    const lgkt_io_value value = lgkt_io_text(text);
    char expected[512];
    lgkt_io_decision d = lgkt_io_decision_default();
    d.unit = value;
    d.state = &value;
    snprintf(expected, sizeof expected, ",,%s,,%s,,,,,,,,,\n", csv, csv);
    check_line(LGKT_IO_CSV, &d, expected);
    snprintf(expected, sizeof expected,
             "{\"seq\":null,\"time\":null,\"unit\":%s,\"decision\":null,\"state\":%s,"
             "\"allowed\":null,\"action\":null,\"probability\":null,\"probabilities\":null,"
             "\"source\":null,\"reward\":null,\"reward_time\":null,\"next_state\":null,"
             "\"cut\":null}\n",
             json, json);
    check_line(LGKT_IO_JSON_LINES, &d, expected);
}

static void test_texts(void **state)
{
    (void)state;
    check_texts("plain", "plain", "\"plain\"");
    check_texts("", "\"\"", "\"\"");
    check_texts("a,b", "\"a,b\"", "\"a,b\"");
    check_texts("say \"so\"", "\"say \"\"so\"\"\"", "\"say \\\"so\\\"\"");
    check_texts("two\r\nlines", "\"two\r\nlines\"", "\"two\\u000d\\u000alines\"");
    check_texts("back\\slash\t", "back\\slash\t", "\"back\\\\slash\\u0009\"");
    check_texts("\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82",
                "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82\"");
    // a lone byte, a cut character
    check_texts("a\xff,\xe2\x82", "\"a\xef\xbf\xbd,\xef\xbf\xbd\xef\xbf\xbd\"",
                "\"a\xef\xbf\xbd,\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void test_states_of_parts(void **state)
{
    (void)state;
    const char *const names[] = {"mood", "a \"b\"", "hour"};
    const lgkt_io_value from[] = {lgkt_io_text("so, \"so\""), lgkt_io_number(NAN),
                                  lgkt_io_number(9.5)};
    lgkt_io_decision d = lgkt_io_decision_default();
    d.parts = 3;
    d.names = names;
    d.state = from;
    check_line(LGKT_IO_CSV, &d,
               ",,,,\"{\"\"mood\"\":\"\"so, \\\"\"so\\\"\"\"\",\"\"a \\\"\"b\\\"\"\"\":null,"
               "\"\"hour\"\":9.5}\",,,,,,,,,\n");
    check_line(LGKT_IO_JSON_LINES, &d,
               "{\"seq\":null,\"time\":null,\"unit\":null,\"decision\":null,"
               "\"state\":{\"mood\":\"so, \\\"so\\\"\",\"a \\\"b\\\"\":null,\"hour\":9.5},"
               "\"allowed\":null,\"action\":null,\"probability\":null,\"probabilities\":null,"
               "\"source\":null,\"reward\":null,\"reward_time\":null,\"next_state\":null,"
               "\"cut\":null}\n");
}

static void test_refusals(void **state)
{
    (void)state;
    char text[512];
    size_t length;
    lgkt_error error = {0};
    lgkt_io_decision d = lgkt_io_decision_default();
    const char *const names[] = {"mood", NULL};
#define REFUSED(words)                                                                             \
    assert_refused(lgkt_io_decision_print(LGKT_IO_CSV, &d, text, sizeof text, &length, &error),    \
                   LGKT_ERR_ARGUMENT, error, words)
    d.parts = 2;
    REFUSED("parts = 2 must be 1: there are no names");
    d.names = names;
    REFUSED("names[1] must not be NULL");
    d.parts = 0;
    REFUSED("parts = 0 must be 1 or more");
    d.parts = 1;
    d.allowed_count = -1;
    REFUSED("allowed_count = -1");
    d = lgkt_io_decision_default();
    assert_refused(
        lgkt_io_decision_print((lgkt_io_format)7, &d, text, sizeof text, &length, &error),
        LGKT_ERR_ARGUMENT, error, "format = 7 must be LGKT_IO_CSV (0)");
    assert_refused(lgkt_io_decision_print(LGKT_IO_CSV, NULL, text, sizeof text, &length, &error),
                   LGKT_ERR_ARGUMENT, error, "decision");
    assert_refused(lgkt_io_decision_print(LGKT_IO_CSV, &d, NULL, 5, &length, &error),
                   LGKT_ERR_ARGUMENT, error, "must not be NULL");
    assert_refused(lgkt_io_decision_print(LGKT_IO_CSV, &d, text, 5, NULL, &error),
                   LGKT_ERR_ARGUMENT, error, "must not be NULL");
    d.size = 3;
    assert_refused(lgkt_io_decision_print(LGKT_IO_CSV, &d, text, sizeof text, &length, &error),
                   LGKT_ERR_CONFIG, error, "lgkt_io_decision_default");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_everything_is_missing),
        cmocka_unit_test(test_numbers_and_lists),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_states_of_parts),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
