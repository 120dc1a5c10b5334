// SPDX-License-Identifier: MIT
// The file of verdicts: what is in it, and that none is there without a folder.

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
    verdict(true, "gap %g", 2.5);
    verdict(false, "%d of %d", 3, 4);
    snprintf(expected, sizeof expected,
             "{\"file\": \"tests/unit/test_verdict.c\", \"test\": \"a_line_for_each_verdict\", "
             "\"holds\": true, \"shown\": \"gap 2.5\", \"version\": \"%s\"}\n"
             "{\"file\": \"tests/unit/test_verdict.c\", \"test\": \"a_line_for_each_verdict\", "
             "\"holds\": false, \"shown\": \"3 of 4\", \"version\": \"%s\"}\n",
             lgkt_version(), lgkt_version());
    assert_true(read_all(text, sizeof text) > 0);
    assert_string_equal(text, expected);
    // a new run begins anew
    verdict_begin();
    assert_int_equal(read_all(text, sizeof text), 0);
}

static void nothing_without_a_folder(void **state)
{
    (void)state;
    char text[64];
    assert_int_equal(remove(path), 0);
    assert_int_equal(unsetenv("LGKT_VERDICTS"), 0);
    verdict_begin();
    verdict(true, "nothing");
    assert_int_equal(read_all(text, sizeof text), -1);
}

int main(void)
{
    if (mkdtemp(folder) == NULL || setenv("LGKT_VERDICTS", folder, 1) != 0)
        return 2;
    snprintf(path, sizeof path, "%s/test_verdict.jsonl", folder);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_for_each_verdict),
        cmocka_unit_test(nothing_without_a_folder),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return rmdir(folder) != 0 || failed != 0;
}
