// SPDX-License-Identifier: MIT
// test_tag [record FOLDER]: states that were saved at the tag, in tests/tag-0.1.0/states, load and
// go on. With "record" it writes such states instead, which is done once, for a tag.

#include "ref/tag_states.h"
#include "test.h"

static const char *record_folder = NULL;

static void test_states_of_the_tag(void **state)
{
    (void)state;
    const int count = tag_states_check(LGKT_TAG "/states", NULL);
    print_message("%d states\n", count);
    assert_int_equal(count, 63);
}

static void record(void **state)
{
    (void)state;
    tag_states_record(record_folder);
    print_message("%d states\n", tag_states_check(record_folder, NULL));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_states_of_the_tag)};
    const struct CMUnitTest recording[] = {cmocka_unit_test(record)};
    record_folder = argc == 3 && strcmp(argv[1], "record") == 0 ? argv[2] : NULL;
    return record_folder != NULL ? cmocka_run_group_tests(recording, NULL, NULL)
                                 : cmocka_run_group_tests(tests, NULL, NULL);
}
