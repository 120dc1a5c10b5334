// SPDX-License-Identifier: MIT
// Verdicts: the side follows from the numbers, whatever the test expects; what is in the file; and
// that none is there without a folder.

#include "ref/verdict.h"

#include <stdlib.h>
#include <unistd.h>

#include "test.h"

static char folder[] = "/tmp/verdict-XXXXXX";
static char path[64];

// the whole file into text; the number of characters, or -1 without a file
static int read_all(char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    const size_t length = fread(text, 1, size - 1, file);
    text[length] = '\0';
    assert_int_equal(fclose(file), 0);
    return (int)length;
}

static void a_line_for_each_verdict(void **state)
{
    (void)state;
    char text[1024], expected[1024];
    verdict_begin();
    assert_int_equal(read_all(text, sizeof text), 0);
    verdict_at_most("gap", 2.5, 0, 0);
    verdict_at_least("share", 0.75, 0.01, 0.5);
    verdict_expect(VERDICT_AGAINST, "%d models", 3);
    verdict_cannot_fail();
    verdict_at_least("way up", INFINITY, 0, 1);
    verdict_expect(VERDICT_FOR, "one model");
    snprintf(expected, sizeof expected,
             "{\"file\": \"tests/unit/test_verdict.c\", \"test\": \"a_line_for_each_verdict\", "
             "\"holds\": false, \"shown\": \"3 models\", \"comparisons\": [{\"what\": \"gap\", "
             "\"measured\": 2.5, \"error\": 0, \"relation\": \"<=\", \"bound\": 0, \"holds\": "
             "false}, {\"what\": \"share\", \"measured\": 0.75, \"error\": 0.01, \"relation\": "
             "\">=\", \"bound\": 0.5, \"holds\": true}], \"could_fail\": true, \"version\": "
             "\"%s\"}\n"
             "{\"file\": \"tests/unit/test_verdict.c\", \"test\": \"a_line_for_each_verdict\", "
             "\"holds\": true, \"shown\": \"one model\", \"comparisons\": [{\"what\": \"way up\", "
             "\"measured\": null, \"error\": 0, \"relation\": \">=\", \"bound\": 1, \"holds\": "
             "true}], \"could_fail\": false, \"version\": \"%s\"}\n",
             lgkt_version(), lgkt_version());
    assert_true(read_all(text, sizeof text) > 0);
    assert_string_equal(text, expected);
    // a new run begins anew
    verdict_begin();
    assert_int_equal(read_all(text, sizeof text), 0);
}

// one comparison, closed; the side is the one in the file, too
static verdict_side side_of(double measured, double error, bool at_most, double bound)
{
    char text[1024];
    verdict_begin();
    verdict_compare(__func__, "number", measured, error, at_most, bound);
    const verdict_side side = verdict_write(__FILE__, __func__, "a number");
    verdict_check(side, side, __FILE__, __LINE__);
    assert_true(read_all(text, sizeof text) > 0);
    static const char *const words[] = {"\"holds\": false, \"shown\"", "\"holds\": null, \"shown\"",
                                        "\"holds\": true, \"shown\""};
    assert_non_null(strstr(text, words[side]));
    return side;
}

static void the_side_follows_from_the_number(void **state)
{
    (void)state;
    assert_int_equal(side_of(1, 0, true, 2), VERDICT_FOR);
    assert_int_equal(side_of(3, 0, true, 2), VERDICT_AGAINST);
    assert_int_equal(side_of(1, 0, false, 2), VERDICT_AGAINST);
    assert_int_equal(side_of(3, 0, false, 2), VERDICT_FOR);
    assert_int_equal(side_of(2, 0, true, 2), VERDICT_FOR);
    // five standard errors are asked for on either side
    assert_int_equal(side_of(1, 0.19, true, 2), VERDICT_FOR);
    assert_int_equal(side_of(1, 0.21, true, 2), VERDICT_OPEN);
    assert_int_equal(side_of(3, 0.21, true, 2), VERDICT_OPEN);
    assert_int_equal(side_of(3, 0.19, true, 2), VERDICT_AGAINST);
    // what is no number is on no side
    assert_int_equal(side_of(NAN, 0, true, 2), VERDICT_OPEN);
    assert_int_equal(side_of(1, NAN, true, 2), VERDICT_OPEN);
    assert_int_equal(side_of(-INFINITY, 0, true, 2), VERDICT_FOR);
}

// one that is against is enough; what a test left that failed before its end counts for no other
static void one_number_on_the_other_side_is_enough(void **state)
{
    (void)state;
    verdict_compare("failed before its end", "number", 3, 0, true, 2);
    verdict_at_most("first", 1, 0, 2);
    verdict_at_most("second", 1, 1, 2);
    verdict_expect(VERDICT_OPEN, "two numbers");
    verdict_at_most("first", 1, 0, 2);
    verdict_at_most("second", 1, 1, 2);
    verdict_at_most("third", 3, 0, 2);
    verdict_expect(VERDICT_AGAINST, "three numbers");
    verdict_at_most("first", 1, 0, 2);
    verdict_expect(VERDICT_FOR, "one number");
}

static void nothing_without_a_folder(void **state)
{
    (void)state;
    char text[64];
    assert_int_equal(remove(path), 0);
    assert_int_equal(unsetenv("LGKT_VERDICTS"), 0);
    verdict_begin();
    verdict_at_most("nothing", 0, 0, 0);
    verdict_expect(VERDICT_FOR, "nothing");
    assert_int_equal(read_all(text, sizeof text), -1);
}

int main(void)
{
    if (mkdtemp(folder) == NULL || setenv("LGKT_VERDICTS", folder, 1) != 0)
        return 2;
    snprintf(path, sizeof path, "%s/test_verdict.jsonl", folder);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_for_each_verdict),
        cmocka_unit_test(the_side_follows_from_the_number),
        cmocka_unit_test(one_number_on_the_other_side_is_enough),
        cmocka_unit_test(nothing_without_a_folder),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return rmdir(folder) != 0 || failed != 0;
}
