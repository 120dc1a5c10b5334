// SPDX-License-Identifier: MIT
// Rows of successors in blocks of four, against dense arrays; how they are saved and grow.

#include "test.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "learners/model/successors.h"
#include "ref/fault.h"

enum { MOST = 23, ACTIONS = 2 };

// a learner's head is all that is needed
static lgkt_learner head(const lgkt_allocator *allocator, int32_t states, int64_t horizon)
{
    return (lgkt_learner){.allocator = *allocator,
                          .problem = {.states = states, .actions = ACTIONS, .horizon = horizon}};
}

typedef struct dense {
    double moves[MOST * ACTIONS][MOST], n[MOST * ACTIONS], reward[MOST * ACTIONS];
    int32_t order[MOST * ACTIONS][MOST]; // of first sight
    int length[MOST * ACTIONS];
} dense;

static void add_both(lgkt_learner *learner, lgkt_successors *seen, dense *d, lgkt_rng *rng)
{
    const int32_t states = learner->problem.states;
    const size_t z = (size_t)lgkt_rng_below(rng, states * ACTIONS);
    const int32_t next = lgkt_rng_below(rng, states);
    const double reward = lgkt_rng_normal(rng);
    const bool ended = lgkt_rng_bernoulli(rng, 0.1);
    assert_int_equal(lgkt_successors_add(learner, seen, z, reward, next, ended), LGKT_OK);
    d->n[z]++;
    d->reward[z] += reward;
    if (ended)
        return;
    if (d->moves[z][next]++ == 0)
        d->order[z][d->length[z]++] = next;
}

static void compare_row(const lgkt_successors *seen, const dense *d, size_t z)
{
    const lgkt_seen_row *row = &seen->rows[z];
    assert_true(row->n == d->n[z] && row->reward == d->reward[z]);
    int i = 0;
    double moves = 0;
    const lgkt_block *blocks = lgkt_successors_blocks(seen);
    for (int32_t b = row->first; b >= 0; b = blocks[b].other)
        for (int j = 0; j < LGKT_BLOCK; j++, i++) {
            const lgkt_block *block = &blocks[b];
            const bool used = i < d->length[z];
            assert_int_equal(block->next[j], used ? d->order[z][i] : -1);
            assert_true(block->count[j] == (used ? d->moves[z][block->next[j]] : 0));
            moves += block->count[j];
        }
    // no block is empty
    assert_in_range(i, d->length[z], d->length[z] + LGKT_BLOCK - 1);
    assert_true(moves == row->moves);
}

static void compare(const lgkt_learner *learner, const lgkt_successors *seen, const dense *d)
{
    for (int32_t z = 0; z < learner->problem.states * ACTIONS; z++)
        compare_row(seen, d, (size_t)z);
}

// saves one and loads it into another of the same size; false if it was refused
static bool copy(lgkt_learner *learner, lgkt_successors *seen, lgkt_learner *other,
                 lgkt_successors *loaded)
{
    lgkt_archive size = lgkt_archive_save(NULL, 0);
    lgkt_successors_part.visit(learner, seen, &size);
    unsigned char *bytes = malloc(size.at);
    assert_non_null(bytes);
    lgkt_archive save = lgkt_archive_save(bytes, size.at);
    lgkt_successors_part.visit(learner, seen, &save);
    assert_true(lgkt_successors_part.grow(other, loaded, 0, other->problem.states));
    lgkt_archive load = lgkt_archive_load(bytes, size.at);
    lgkt_successors_part.visit(other, loaded, &load);
    assert_true(load.bad || load.at == size.at);
    free(bytes);
    return !load.bad;
}

static void check_saved(const lgkt_allocator *allocator, lgkt_learner *learner,
                        lgkt_successors *seen, const dense *d)
{
    lgkt_learner other = head(allocator, learner->problem.states, learner->problem.horizon);
    lgkt_successors loaded = {.in_blocks = true};
    assert_true(copy(learner, seen, &other, &loaded));
    compare(&other, &loaded, d);
    lgkt_successors_part.release(&other, &loaded);
}

static void check_run(int32_t states, int64_t steps, int64_t horizon)
{
    fault memory;
    fault_init(&memory);
    const lgkt_allocator allocator = fault_allocator(&memory);
    lgkt_learner learner = head(&allocator, states, horizon);
    lgkt_successors seen = {.in_blocks = true};
    assert_true(lgkt_successors_part.grow(&learner, &seen, 0, states));
    const long long calls = memory.calls;
    dense *d = calloc(1, sizeof *d);
    assert_non_null(d);
    lgkt_rng rng = lgkt_rng_stream(1, "steps", (uint64_t)states);
    for (int64_t t = 0; t < steps; t++)
        add_both(&learner, &seen, d, &rng);
    compare(&learner, &seen, d);
    // the pool is large enough for the steps of a run
    assert_true(steps > horizon || memory.calls == calls);
    check_saved(&allocator, &learner, &seen, d);
    lgkt_successors_part.release(&learner, &seen);
    free(d);
    assert_true(fault_is_clean(&memory));
}

static void test_against_dense_arrays(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 3, 4, 5, 8, 9, MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_run(sizes[i], 40, 40);
        // every pair leads everywhere: all blocks are used
        check_run(sizes[i], 20000, 20000);
        // fed beyond the horizon
        check_run(sizes[i], 5000, 3);
    }
}

// once every pair leads everywhere there is nothing to make room for
static void test_a_full_pool_is_enough(void **state)
{
    (void)state;
    fault memory;
    fault_init(&memory);
    const lgkt_allocator allocator = fault_allocator(&memory);
    lgkt_learner learner = head(&allocator, 5, 3);
    lgkt_successors seen = {.in_blocks = true};
    assert_true(lgkt_successors_part.grow(&learner, &seen, 0, 5));
    for (int32_t i = 0; i < 5 * ACTIONS * 5; i++)
        assert_int_equal(lgkt_successors_add(&learner, &seen, (size_t)(i / 5), 1, i % 5, false),
                         LGKT_OK);
    assert_int_equal(seen.used, 5 * ACTIONS * 2);
    assert_int_equal(seen.capacity, seen.used);
    fault_fail_at(&memory, 1, true);
    assert_true(lgkt_successors_prepare(&learner, &seen));
    assert_int_equal(lgkt_successors_add(&learner, &seen, 0, 1, 4, false), LGKT_OK);
    lgkt_successors_part.release(&learner, &seen);
    assert_true(fault_is_clean(&memory));
}

// nothing is counted when memory is out
static void test_out_of_memory(void **state)
{
    (void)state;
    fault memory;
    fault_init(&memory);
    const lgkt_allocator allocator = fault_allocator(&memory);
    lgkt_learner learner = head(&allocator, 3, 100);
    learner.grows = true;
    lgkt_successors seen = {.in_blocks = true};
    assert_true(lgkt_successors_part.grow(&learner, &seen, 0, 3));
    fault_fail_at(&memory, 1, true);
    assert_false(lgkt_successors_prepare(&learner, &seen));
    assert_int_equal(lgkt_successors_add(&learner, &seen, 1, 5, 2, false), LGKT_ERR_NO_MEMORY);
    assert_true(seen.rows[1].n == 0 && seen.rows[1].reward == 0 && seen.rows[1].first == -1);
    // a cut needs no room
    assert_int_equal(lgkt_successors_add(&learner, &seen, 1, 5, 2, true), LGKT_OK);
    fault_fail_at(&memory, 0, false);
    assert_int_equal(lgkt_successors_add(&learner, &seen, 1, 5, 2, false), LGKT_OK);
    assert_true(seen.rows[1].n == 2 && seen.rows[1].moves == 1);
    lgkt_successors_part.release(&learner, &seen);
    assert_true(fault_is_clean(&memory));
}

// each may be in range and their sum not: whoever adds them up must not overflow
static void test_too_many_visits_are_refused(void **state)
{
    (void)state;
    fault memory;
    fault_init(&memory);
    const lgkt_allocator allocator = fault_allocator(&memory);
    for (int more = 0; more < 2; more++) {
        lgkt_learner learner = head(&allocator, 2, 100), other = learner;
        lgkt_successors seen = {.in_blocks = true}, loaded = {.in_blocks = true};
        assert_true(lgkt_successors_part.grow(&learner, &seen, 0, 2));
        seen.rows[0].n = seen.rows[3].n = 0x1p52;
        seen.rows[2].n = more;
        assert_true(copy(&learner, &seen, &other, &loaded) == (more == 0));
        lgkt_successors_part.release(&learner, &seen);
        lgkt_successors_part.release(&other, &loaded);
    }
    assert_true(fault_is_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_dense_arrays),
        cmocka_unit_test(test_a_full_pool_is_enough),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_too_many_visits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
