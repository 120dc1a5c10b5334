// SPDX-License-Identifier: MIT
// The rows of learners.def and environments.def, which say to builds with some of the learners which
// names there are, against the tables of the classes.

#include "env/env_private.h"
#include "learners/front/learner_private.h"
#include "test.h"

// the names of learners from number *i on that a row says; *i moves behind them
static void check_row(const lgkt_learner_class *class, const char *names, int32_t *i)
{
    const char *at = names;
    for (int32_t n = 0; n < class->name_count; n++, ++*i) {
        const lgkt_entry *entry = NULL;
        assert_ptr_equal(lgkt_learner_class_at(*i, &entry), class);
        const size_t length = strcspn(at, " ");
        assert_int_equal(strlen(entry->name), length);
        assert_memory_equal(entry->name, at, length);
        at += length + (at[length] == ' ');
    }
    assert_string_equal(at, "");
}

static void rows_of_learners_have_their_names(void **state)
{
    (void)state;
    int32_t i = 0;
#define LGKT_CLASS(class_, files_, names_) check_row(&lgkt_##class_##_class, names_, &i);
#include "learners/front/learners.def"
#undef LGKT_CLASS
    assert_null(lgkt_learner_entry(i));
}

static void rows_of_environments_have_their_names(void **state)
{
    (void)state;
    int32_t i = 0;
#define LGKT_CLASS(class_, files_, name_)                                                          \
    assert_ptr_equal(lgkt_env_entry(i), &lgkt_##class_##_class.entry);                             \
    assert_string_equal(lgkt_env_entry(i++)->name, name_);
#include "env/environments.def"
#undef LGKT_CLASS
    assert_null(lgkt_env_entry(i));
}

static void a_whole_build_lacks_no_name(void **state)
{
    (void)state;
    assert_null(lgkt_learner_registry.left_out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_learners_have_their_names),
        cmocka_unit_test(rows_of_environments_have_their_names),
        cmocka_unit_test(a_whole_build_lacks_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
