// SPDX-License-Identifier: MIT
// Memory: hooks, zeroing, overflow, growth; and the counting allocator that other tests rely on.

#include <pthread.h>

#include "core/alloc.h"
#include "core/error.h"
#include "ref/fault.h"
#include "test.h"

static bool is_zero(const void *memory, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (((const unsigned char *)memory)[i] != 0)
            return false;
    }
    return true;
}

// The hooks of an allocator with nothing counted yet.
static lgkt_allocator fresh(fault *f)
{
    fault_init(f);
    return fault_allocator(f);
}

// ---- hooks ----

static void hooks_resolve_to_malloc_unless_both_are_given(void **state)
{
    (void)state;
    fault f;
    const lgkt_allocator given = fresh(&f), empty = {0};
    const lgkt_allocator plain = lgkt_allocator_resolve(NULL);
    assert_true(plain.alloc != NULL && plain.free != NULL);
    assert_true(lgkt_allocator_resolve(&empty).alloc == plain.alloc);
    assert_true(lgkt_allocator_resolve(&given).alloc == given.alloc);
    assert_true(lgkt_allocator_resolve(&given).ctx == &f);
    lgkt_allocator half = given;
    half.free = NULL;
    assert_true(lgkt_allocator_resolve(&half).alloc == plain.alloc);
    void *memory = plain.alloc(plain.ctx, 10);
    assert_non_null(memory);
    plain.free(plain.ctx, memory);
}

static void memory_is_zeroed_and_counted(void **state)
{
    (void)state;
    fault f;
    const lgkt_allocator hooks = fresh(&f);
    double *numbers = lgkt_alloc_zeroed(&hooks, 1000, sizeof *numbers);
    assert_true(is_zero(numbers, 1000 * sizeof *numbers));
    assert_int_equal(f.bytes, 8000);
    assert_int_equal(f.outstanding, 1);
    lgkt_free(&hooks, numbers);
    lgkt_free(&hooks, NULL);
    assert_true(fault_is_clean(&f));
    assert_int_equal(f.peak, 8000);
    // with malloc itself
    char *bytes = lgkt_alloc_zeroed(NULL, 1, 100000);
    assert_true(is_zero(bytes, 100000));
    lgkt_free(NULL, bytes);
    lgkt_free(NULL, NULL);
}

static void a_count_of_zero_gives_one_element(void **state)
{
    (void)state;
    fault f;
    const lgkt_allocator hooks = fresh(&f);
    void *memory = lgkt_alloc_zeroed(&hooks, 0, 24);
    assert_non_null(memory);
    assert_int_equal(f.bytes, 24);
    lgkt_free(&hooks, memory);
    assert_true(fault_is_clean(&f));
}

static void products_that_overflow_are_refused_without_asking(void **state)
{
    (void)state;
    fault f;
    const lgkt_allocator hooks = fresh(&f);
    const size_t pairs[][2] = {{SIZE_MAX, 2},
                               {2, SIZE_MAX},
                               {SIZE_MAX / 2 + 1, 2},
                               {(size_t)1 << 32, (size_t)1 << 32},
                               {SIZE_MAX, SIZE_MAX},
                               {SIZE_MAX, 1},
                               {(size_t)PTRDIFF_MAX + 1, 1},
                               {3, 0}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        assert_null(lgkt_alloc_zeroed(&hooks, pairs[i][0], pairs[i][1]));
        assert_null(lgkt_alloc_zeroed(NULL, pairs[i][0], pairs[i][1]));
    }
    assert_int_equal(f.calls, 0);
}

// ---- growth ----

static void growing_keeps_what_was_there(void **state)
{
    (void)state;
    fault f;
    const lgkt_allocator hooks = fresh(&f);
    void *array = NULL;
    size_t capacity = 0;
    for (size_t n = 0; n < 10000; n++) {
        const size_t before = capacity;
        assert_true(lgkt_grow(&hooks, &array, &capacity, n, n + 1, sizeof(int32_t)));
        assert_true(capacity >= n + 1);
        int32_t *numbers = array;
        // slots that are new are zero
        if (capacity > before)
            assert_true(is_zero(numbers + n, (capacity - n) * sizeof *numbers));
        numbers[n] = (int32_t)(7 * n + 1);
    }
    for (size_t n = 0; n < 10000; n++)
        assert_int_equal(((int32_t *)array)[n], 7 * n + 1);
    // geometric: far fewer allocations than elements
    assert_true(f.calls < 30);
    assert_int_equal(f.outstanding, 1);
    lgkt_free(&hooks, array);
    assert_true(fault_is_clean(&f));
}

static void growing_within_the_capacity_does_nothing(void **state)
{
    (void)state;
    int32_t slots[4] = {1, 2, 3, 4};
    void *array = slots;
    size_t capacity = 4;
    assert_true(lgkt_grow(NULL, &array, &capacity, 3, 4, sizeof slots[0]));
    assert_ptr_equal(array, slots);
    assert_int_equal(capacity, 4);
}

static void growing_that_fails_changes_nothing(void **state)
{
    (void)state;
    fault f;
    const lgkt_allocator hooks = fresh(&f);
    void *array = NULL;
    size_t capacity = 0;
    assert_true(lgkt_grow(&hooks, &array, &capacity, 0, 5, sizeof(double)));
    const size_t capacity_before = capacity;
    void *before = array;
    ((double *)array)[4] = 2.5;
    fault_fail_at(&f, 1, false);
    assert_false(lgkt_grow(&hooks, &array, &capacity, 5, 100, sizeof(double)));
    assert_false(lgkt_grow(&hooks, &array, &capacity, 5, SIZE_MAX / 4, sizeof(double)));
    assert_false(lgkt_grow(&hooks, &array, &capacity, 5, SIZE_MAX, sizeof(double)));
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, capacity_before);
    assert_close(((double *)array)[4], 2.5, 0.0);
    lgkt_free(&hooks, array);
    assert_true(fault_is_clean(&f));
}

// ---- the counting allocator itself ----

static void faults_come_when_they_are_asked_for(void **state)
{
    (void)state;
    fault f;
    const lgkt_allocator hooks = fresh(&f);
    void *blocks[6];
    fault_fail_at(&f, 2, false);
    for (int i = 0; i < 3; i++)
        blocks[i] = lgkt_alloc_zeroed(&hooks, 1, 8);
    fault_fail_at(&f, 2, true);
    for (int i = 3; i < 6; i++)
        blocks[i] = lgkt_alloc_zeroed(&hooks, 1, 8);
    const bool made[6] = {true, false, true, true, false, false};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(blocks[i] != NULL, made[i]);
        lgkt_free(&hooks, blocks[i]);
    }
    assert_int_equal(f.calls, 6);
    assert_true(fault_is_clean(&f));
    int32_t foreign[32] = {0};
    hooks.free(hooks.ctx, foreign + 16);
    assert_false(fault_is_clean(&f));
}

// Makes and frees one block, then two at once; ctx counts how often it is called.
static lgkt_status make_blocks(void *ctx, const lgkt_allocator *hooks, lgkt_error *error)
{
    *(int *)ctx += 1;
    void *first = lgkt_alloc_zeroed(hooks, 1, 8), *second = NULL, *third = NULL;
    const bool started = first != NULL;
    lgkt_free(hooks, first);
    if (started)
        second = lgkt_alloc_zeroed(hooks, 1, 8);
    if (second != NULL)
        third = lgkt_alloc_zeroed(hooks, 1, 8);
    const bool ok = third != NULL;
    lgkt_free(hooks, second);
    lgkt_free(hooks, third);
    return ok ? LGKT_OK : lgkt_fail_memory(error, "blocks");
}

static void a_sweep_walks_all_allocations(void **state)
{
    (void)state;
    int runs = 0;
    assert_int_equal(fault_sweep(make_blocks, &runs), 3);
    assert_int_equal(runs, 1 + 2 * 3); // once in peace, then each failing once and for good
}

static void *churn(void *ctx)
{
    const lgkt_allocator *hooks = ctx;
    for (int i = 0; i < 2000; i++) {
        void *memory = lgkt_alloc_zeroed(hooks, 3, 5);
        lgkt_free(hooks, memory);
    }
    return NULL;
}

static void counts_are_right_with_threads(void **state)
{
    (void)state;
    fault f;
    lgkt_allocator hooks = fresh(&f);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, churn, &hooks), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(f.calls, 6000);
    assert_true(fault_is_clean(&f));
    assert_between((double)f.peak, 15, 45);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hooks_resolve_to_malloc_unless_both_are_given),
        cmocka_unit_test(memory_is_zeroed_and_counted),
        cmocka_unit_test(a_count_of_zero_gives_one_element),
        cmocka_unit_test(products_that_overflow_are_refused_without_asking),
        cmocka_unit_test(growing_keeps_what_was_there),
        cmocka_unit_test(growing_within_the_capacity_does_nothing),
        cmocka_unit_test(growing_that_fails_changes_nothing),
        cmocka_unit_test(faults_come_when_they_are_asked_for),
        cmocka_unit_test(a_sweep_walks_all_allocations),
        cmocka_unit_test(counts_are_right_with_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
