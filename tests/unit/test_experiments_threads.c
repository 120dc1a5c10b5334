// SPDX-License-Identifier: MIT
// labels: threads
// Tasks over threads: every one once, the first failure whatever the count of threads, stopping.
#define _GNU_SOURCE // pthread_setattr_default_np
#include "test.h"

#include <pthread.h>
#include <time.h>

#include "experiments/runner/runner.h"

enum { TASKS = 200 };

// A sink that counts.
typedef struct counts {
    exp_runner runner;
    int taken[TASKS];   // how often
    int64_t fails_from; // tasks from here on fail
    atomic_bool stop;
    int64_t stop_at; // this task stops all; -1: none
    int begun, ticks, tick_fails_at;
} counts;

// An experiment of one panel, whose tasks are short or have no end.
typedef struct work {
    exp_panel panel;
    exp_experiment experiment;
    exp_tasks tasks;
} work;

static const exp_entry learner = {.label = "random", .spec = "random"};

static lgkt_status read_nothing(const exp_files *files, const char *before, const char *spec,
                                io_data *data, lgkt_error *error)
{
    (void)files, (void)before, (void)spec, (void)error;
    *data = (io_data){0};
    return LGKT_OK;
}

static const exp_files no_files = {read_nothing};

static void make(work *w, int64_t horizon)
{
    w->panel = (exp_panel){.name = "panel",
                           .env = "riverswim",
                           .horizon = horizon,
                           .instances = TASKS,
                           .measures = exp_usual_measures,
                           .measure_count = 1,
                           .entries = &learner,
                           .entry_count = 1};
    w->experiment = (exp_experiment){.name = "pool", .panels = &w->panel, .panel_count = 1};
    const exp_asked asked = {.experiment = &w->experiment, .files = &no_files};
    lgkt_error error = {0};
    assert_ok(exp_tasks_make(&w->tasks, &asked, &error), error);
}

static void sleep_ms(long ms)
{
    const struct timespec time = {.tv_nsec = 1000000 * ms};
    nanosleep(&time, NULL);
}

static lgkt_status begin_panel(void *ctx, int32_t panel, exp_facts *facts, lgkt_error *error)
{
    (void)panel, (void)facts, (void)error;
    ((counts *)ctx)->begun++;
    return LGKT_OK;
}

static lgkt_status take(void *ctx, int64_t task, const exp_outcome *outcome, lgkt_error *error)
{
    counts *c = ctx;
    (void)outcome;
    c->taken[task]++;
    if (task == c->stop_at)
        atomic_store(&c->stop, true);
    if (task < c->fails_from)
        return LGKT_OK;
    // those that come later have to wait for it
    if (task == c->fails_from)
        sleep_ms(2);
    snprintf(error->text, sizeof error->text, "task %d", (int)task);
    return LGKT_ERR_SHAPE;
}

static lgkt_status tick(void *ctx, lgkt_error *error)
{
    counts *c = ctx;
    if (c->ticks++ != c->tick_fails_at)
        return LGKT_OK;
    snprintf(error->text, sizeof error->text, "tick");
    return LGKT_ERR_HORIZON;
}

static void begin(counts *c, const work *w, int64_t tasks, int32_t jobs)
{
    memset(c, 0, sizeof *c);
    c->runner = (exp_runner){.tasks = &w->tasks,
                             .count = tasks,
                             .jobs = jobs,
                             .stop = &c->stop,
                             .tick = tick,
                             .sink = {.begin = begin_panel, .take = take, .ctx = c}};
    c->fails_from = TASKS;
    c->stop_at = c->tick_fails_at = -1;
}

static void test_every_task_once(void **state)
{
    const work *w = *state;
    static counts c;
    const int32_t jobs[] = {1, 2, 7, 300};
    for (int i = 0; i < 8; i++) {
        begin(&c, w, TASKS, jobs[i / 2]);
        c.runner.ordered = i % 2 == 0;
        int64_t played = -1;
        lgkt_error error = {0};
        assert_ok(exp_runner_run(&c.runner, &played, &error), error);
        for (int u = 0; u < TASKS; u++)
            assert_int_equal(c.taken[u], 1);
        assert_int_equal(played, TASKS);
        assert_int_equal(c.begun, 1);
        assert_true(c.ticks >= 1);
    }
    begin(&c, w, 0, 3);
    c.runner.tick = NULL;
    int64_t played = -1;
    lgkt_error error = {0};
    assert_ok(exp_runner_run(&c.runner, &played, &error), error);
    assert_int_equal(played, 0);
    c.runner.jobs = 0;
    assert_refused(exp_runner_run(&c.runner, NULL, &error), LGKT_ERR_ARGUMENT, error, "jobs: 0");
}

static void test_the_first_failure_is_told(void **state)
{
    const work *w = *state;
    static counts c;
    for (int i = 0; i < 20; i++) {
        begin(&c, w, TASKS, 1 + i % 8);
        c.fails_from = 30;
        int64_t played = -1;
        lgkt_error error = {0};
        assert_refused(exp_runner_run(&c.runner, &played, &error), LGKT_ERR_SHAPE, error,
                       "task 30");
        for (int u = 0; u < 30; u++)
            assert_int_equal(c.taken[u], 1);
        assert_int_equal(played, 30);
        assert_int_equal(c.taken[TASKS - 1], 0);
    }
}

static void test_a_failing_tick_ends_the_work(void **state)
{
    (void)state;
    static counts c;
    work endless;
    make(&endless, EXP_MAX_HORIZON);
    begin(&c, &endless, 50, 2);
    c.tick_fails_at = 1;
    int64_t played = -1;
    lgkt_error error = {0};
    assert_refused(exp_runner_run(&c.runner, &played, &error), LGKT_ERR_HORIZON, error, "tick");
    assert_int_equal(played, 0);
    exp_tasks_free(&endless.tasks);
}

static void test_stopping_is_no_failure(void **state)
{
    const work *w = *state;
    static counts c;
    begin(&c, w, TASKS, 1);
    c.stop_at = 40;
    int64_t played = -1;
    lgkt_error error = {0};
    assert_ok(exp_runner_run(&c.runner, &played, &error), error);
    assert_int_equal(c.taken[40], 1);
    assert_int_equal(c.taken[41], 0);
    assert_int_equal(played, 41);
}

// stacks that no machine has room for
static void test_no_thread_at_all(void **state)
{
    const work *w = *state;
    pthread_attr_t usual, huge;
    assert_int_equal(pthread_getattr_default_np(&usual), 0);
    pthread_attr_init(&huge);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 48), 0);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    static counts c;
    begin(&c, w, TASKS, 2);
    lgkt_error error = {0};
    const lgkt_status status = exp_runner_run(&c.runner, NULL, &error);
    assert_int_equal(pthread_setattr_default_np(&usual), 0);
    pthread_attr_destroy(&huge);
    assert_refused(status, LGKT_ERR_SYSTEM, error, "no thread could be started");
}

static int set_up(void **state)
{
    static work w;
    make(&w, 3);
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    exp_tasks_free(&((work *)*state)->tasks);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_task_once),
        cmocka_unit_test(test_the_first_failure_is_told),
        cmocka_unit_test(test_a_failing_tick_ends_the_work),
        cmocka_unit_test(test_stopping_is_no_failure),
        cmocka_unit_test(test_no_thread_at_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
