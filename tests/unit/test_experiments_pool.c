// SPDX-License-Identifier: MIT
// labels: threads
// The pool: every unit once, the first failure whatever the count of threads, stopping.
#define _GNU_SOURCE // pthread_setattr_default_np
#include "test.h"

#include <time.h>

#include "experiments/runner/pool.h"

enum { UNITS = 200 };

typedef struct counts {
    exp_pool pool;
    atomic_int done[UNITS]; // how often
    int64_t fails_from;     // units from here on fail
    atomic_bool stop;
    int64_t stop_at; // this unit stops all; -1: none
    int ticks, tick_fails_at;
} counts;

static void sleep_ms(long ms)
{
    const struct timespec time = {.tv_nsec = 1000000 * ms};
    nanosleep(&time, NULL);
}

static lgkt_status work(void *ctx, int64_t unit, lgkt_error *error)
{
    counts *c = ctx;
    atomic_fetch_add(&c->done[unit], 1);
    if (unit == c->stop_at)
        atomic_store(&c->stop, true);
    if (unit < c->fails_from)
        return LGKT_OK;
    // the later ones are the quicker ones
    if (unit == c->fails_from)
        sleep_ms(2);
    snprintf(error->text, sizeof error->text, "unit %d", (int)unit);
    return LGKT_ERR_SHAPE;
}

static lgkt_status slow_work(void *ctx, int64_t unit, lgkt_error *error)
{
    counts *c = ctx;
    for (int i = 0; i < 5000 && !exp_pool_halted(&c->pool, unit); i++)
        sleep_ms(1);
    return work(ctx, unit, error);
}

static lgkt_status tick(void *ctx, lgkt_error *error)
{
    counts *c = ctx;
    if (c->ticks++ != c->tick_fails_at)
        return LGKT_OK;
    snprintf(error->text, sizeof error->text, "tick");
    return LGKT_ERR_HORIZON;
}

static void begin(counts *c, int64_t units, int32_t jobs)
{
    memset(c, 0, sizeof *c);
    c->pool = (exp_pool){
        .tasks = units, .jobs = jobs, .stop = &c->stop, .work = work, .tick = tick, .ctx = c};
    c->fails_from = UNITS;
    c->stop_at = c->tick_fails_at = -1;
}

static void test_every_unit_once(void **state)
{
    (void)state;
    static counts c;
    const int32_t jobs[] = {1, 2, 7, 300};
    for (int i = 0; i < 4; i++) {
        begin(&c, UNITS, jobs[i]);
        lgkt_error error = {0};
        assert_ok(exp_pool_run(&c.pool, &error), error);
        for (int u = 0; u < UNITS; u++)
            assert_int_equal(atomic_load(&c.done[u]), 1);
        assert_int_equal(atomic_load(&c.pool.done), UNITS);
        assert_true(c.ticks >= 1);
    }
    begin(&c, 0, 3);
    c.pool.tick = NULL;
    lgkt_error error = {0};
    assert_ok(exp_pool_run(&c.pool, &error), error);
    assert_int_equal(atomic_load(&c.pool.done), 0);
}

static void test_the_first_failure_is_told(void **state)
{
    (void)state;
    static counts c;
    for (int i = 0; i < 20; i++) {
        begin(&c, UNITS, 1 + i % 8);
        c.fails_from = 30;
        lgkt_error error = {0};
        assert_refused(exp_pool_run(&c.pool, &error), LGKT_ERR_SHAPE, error, "unit 30");
        for (int u = 0; u < 30; u++)
            assert_int_equal(atomic_load(&c.done[u]), 1);
        assert_int_equal(atomic_load(&c.pool.done), 30);
        assert_int_equal(atomic_load(&c.done[UNITS - 1]), 0);
    }
}

static void test_a_failing_tick_ends_the_work(void **state)
{
    (void)state;
    static counts c;
    begin(&c, 50, 2);
    c.pool.work = slow_work;
    c.tick_fails_at = 1;
    lgkt_error error = {0};
    assert_refused(exp_pool_run(&c.pool, &error), LGKT_ERR_HORIZON, error, "tick");
    assert_int_equal(atomic_load(&c.pool.done), 0);
}

static void test_stopping_is_no_failure(void **state)
{
    (void)state;
    static counts c;
    begin(&c, UNITS, 1);
    c.stop_at = 40;
    lgkt_error error = {0};
    assert_ok(exp_pool_run(&c.pool, &error), error);
    assert_int_equal(atomic_load(&c.done[40]), 1);
    assert_int_equal(atomic_load(&c.done[41]), 0);
    // a unit that ends after the stop may have been cut short
    assert_int_equal(atomic_load(&c.pool.done), 40);
}

// stacks that no machine has room for
static void test_no_thread_at_all(void **state)
{
    (void)state;
    pthread_attr_t usual, huge;
    assert_int_equal(pthread_getattr_default_np(&usual), 0);
    pthread_attr_init(&huge);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 48), 0);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    static counts c;
    begin(&c, UNITS, 2);
    lgkt_error error = {0};
    const lgkt_status status = exp_pool_run(&c.pool, &error);
    assert_int_equal(pthread_setattr_default_np(&usual), 0);
    pthread_attr_destroy(&huge);
    assert_refused(status, LGKT_ERR_SYSTEM, error, "no thread could be started");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_unit_once),
        cmocka_unit_test(test_the_first_failure_is_told),
        cmocka_unit_test(test_a_failing_tick_ends_the_work),
        cmocka_unit_test(test_stopping_is_no_failure),
        cmocka_unit_test(test_no_thread_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
