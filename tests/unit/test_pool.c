// SPDX-License-Identifier: MIT
// The allocator of examples/embedded, which others are told to copy: blocks do not overlap and are
// aligned, what is given back can be had again, and learners leave nothing in it.

#include "../../examples/embedded/pool.c"

#include <lgkt/lgkt.h>

#include "test.h"

enum { SIZE = 4096, BLOCKS = 24, ROUNDS = 20000 };

static alignas(max_align_t) unsigned char memory[64 * 1024];

typedef struct block {
    unsigned char *at;
    size_t size;
    unsigned char mark;
} block;

static void check_block(const block *b)
{
    assert_int_equal((uintptr_t)b->at % alignof(max_align_t), 0);
    assert_true(b->at > memory && b->at + b->size <= memory + SIZE);
    for (size_t i = 0; i < b->size; i++)
        assert_int_equal(b->at[i], b->mark);
}

static void blocks_are_apart_and_come_back(void **state)
{
    (void)state;
    pool p;
    pool_open(&p, memory, SIZE);
    const lgkt_allocator hooks = pool_allocator(&p);
    block blocks[BLOCKS] = {{0}};
    lgkt_rng rng = lgkt_rng_stream(1, "pool", 0);
    int refused = 0;
    for (int i = 0; i < ROUNDS; i++) {
        block *b = &blocks[lgkt_rng_below(&rng, BLOCKS)];
        if (b->at != NULL) {
            check_block(b);
            hooks.free(hooks.ctx, b->at);
            *b = (block){0};
            continue;
        }
        b->size = (size_t)lgkt_rng_below(&rng, 600);
        b->mark = (unsigned char)lgkt_rng_below(&rng, 256);
        b->at = hooks.alloc(hooks.ctx, b->size);
        refused += b->at == NULL;
        if (b->at != NULL)
            memset(b->at, b->mark, b->size);
        assert_true(p.held <= p.peak && p.peak <= SIZE);
    }
    assert_true(refused > 0); // it was full at times
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].at != NULL)
            hooks.free(hooks.ctx, blocks[i].at);
    assert_int_equal(p.held, 0);
    // all gaps have become one
    assert_non_null(hooks.alloc(hooks.ctx, SIZE - sizeof(head)));
    assert_null(hooks.alloc(hooks.ctx, 0));
}

static void what_is_too_large_is_refused(void **state)
{
    (void)state;
    pool p;
    pool_open(&p, memory, SIZE + 5); // the end is cut to whole heads
    const lgkt_allocator hooks = pool_allocator(&p);
    assert_null(hooks.alloc(hooks.ctx, SIZE - sizeof(head) + 1));
    assert_null(hooks.alloc(hooks.ctx, SIZE_MAX));
    assert_null(hooks.alloc(hooks.ctx, SIZE_MAX - sizeof(head)));
    assert_int_equal(p.peak, 0);
}

static void learners_leave_nothing_in_it(void **state)
{
    (void)state;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem.states = 6;
    config.problem.actions = 3;
    config.problem.horizon = 100;
    pool p;
    int made = 0;
    // in more and more memory, so that creation fails at every place
    for (size_t size = 256; size <= sizeof memory; size += 256) {
        lgkt_learner *learner = NULL;
        lgkt_error error;
        pool_open(&p, memory, size);
        config.allocator = pool_allocator(&p);
        const lgkt_status status = lgkt_learner_create("lg1t-rl", &config, &learner, &error);
        assert_true(status == LGKT_OK || status == LGKT_ERR_NO_MEMORY);
        if (status == LGKT_OK)
            assert_true(p.held >= lgkt_learner_bytes(learner));
        made += status == LGKT_OK;
        lgkt_learner_destroy(learner);
        assert_int_equal(p.held, 0);
    }
    assert_true(made > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_apart_and_come_back),
        cmocka_unit_test(what_is_too_large_is_refused),
        cmocka_unit_test(learners_leave_nothing_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
