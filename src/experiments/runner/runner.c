// SPDX-License-Identifier: MIT
// Tasks over threads, learners over an instance (instance.h), outcomes to a sink.
//
// Threads take task numbers from one counter, so a task that takes long holds up nobody. They take
// them in their order, so that of most panels nothing is made at a time: those of which a task is
// being played are about as many as threads. Tasks before a failing one were all taken before it and
// run to their end, so the first failure is the same one for any count of threads.
//
// Memory: 8 bytes for each task and, where outcomes are to come in order, those that wait for one
// before them.
#include "experiments/runner/runner.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/error.h"
#include "experiments/runner/threads.h"

// What the tasks of a panel share while one of them is played.
typedef struct slot {
    pthread_mutex_t lock; // guards the rest
    lgkt_error failure;   // why it could not be made, for all that ask for it; status LGKT_OK: none
    int64_t left;         // tasks that have not ended
    exp_shared shared;    // empty: not made
} slot;

// A run under way, shared by its threads.
typedef struct session {
    const exp_runner *runner;
    slot *slots; // (panel_count)
    double begin, steps;
    exp_signals signals;
    atomic_int_fast64_t next;   // task to take
    atomic_int_fast64_t played; // outcomes that the sink took
    pthread_mutex_t lock;       // guards the rest, and the sink
    lgkt_error failure;         // of the task that `signals` says
    exp_outcome **waiting;      // (count) for the sink
    int64_t turn;               // if they are to come in order: whose it is
} session;

static int64_t number_of(const exp_runner *runner, int64_t i)
{
    return runner->numbers != NULL ? runner->numbers[i] : i;
}

// ---- one task ----

// What a task of a panel needs, made by the first that asks for it. A failure is that of all.
static lgkt_status enter(session *s, int32_t panel, lgkt_error *error)
{
    const exp_runner *runner = s->runner;
    slot *here = &s->slots[panel];
    pthread_mutex_lock(&here->lock);
    if (here->shared.runs == NULL && here->failure.status == LGKT_OK) {
        const exp_setup *setup = &runner->tasks->setups[panel];
        lgkt_status status = exp_shared_make(&here->shared, setup, &here->failure);
        if (status == LGKT_OK && runner->begin != NULL) {
            pthread_mutex_lock(&s->lock);
            status = runner->begin(runner->ctx, panel, &here->shared.facts, &here->failure);
            pthread_mutex_unlock(&s->lock);
        }
        if (status != LGKT_OK)
            exp_shared_free(&here->shared, setup);
        here->failure.status = status;
    }
    *error = here->failure;
    pthread_mutex_unlock(&here->lock);
    return error->status;
}

// takes an outcome over, and gives the sink all whose turn has come
static lgkt_status give(session *s, int64_t i, exp_outcome *outcome, lgkt_error *error)
{
    const exp_runner *runner = s->runner;
    lgkt_status status = LGKT_OK;
    pthread_mutex_lock(&s->lock);
    s->waiting[i] = outcome;
    int64_t at = runner->ordered ? s->turn : i;
    while (at < runner->count && s->waiting[at] != NULL && status == LGKT_OK) {
        status = runner->take(runner->ctx, number_of(runner, at), s->waiting[at], error);
        atomic_fetch_add(&s->played, status == LGKT_OK);
        free(s->waiting[at]);
        s->waiting[at] = NULL;
        at = runner->ordered ? ++s->turn : runner->count;
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}

static lgkt_status play_task(session *s, int64_t i, int32_t panel, lgkt_error *error)
{
    const exp_tasks *tasks = s->runner->tasks;
    const exp_setup *setup = &tasks->setups[panel];
    const int64_t instance = number_of(s->runner, i) - tasks->first[panel];
    LGKT_TRY(enter(s, panel, error));
    exp_outcome *outcome = exp_outcome_new(setup);
    if (outcome == NULL)
        return lgkt_fail_memory(error, "the results of an instance");
    const lgkt_status status =
        exp_instance_play(setup, &s->slots[panel].shared, instance, &s->signals, i, outcome, error);
    // what was cut short is void
    if (status == LGKT_OK && !exp_halted(&s->signals, i))
        return give(s, i, outcome, error);
    free(outcome);
    return status;
}

// ---- threads ----

// a task, or what is called between tasks, has failed; `place` is as in exp_signals
static void fail(session *s, int64_t place, lgkt_status status, const lgkt_error *error)
{
    pthread_mutex_lock(&s->lock);
    if (place < atomic_load(&s->signals.failed)) {
        s->failure = *error;
        s->failure.status = status;
        atomic_store(&s->signals.failed, place);
    }
    pthread_mutex_unlock(&s->lock);
}

static void work(void *ctx)
{
    session *s = ctx;
    const exp_runner *runner = s->runner;
    for (;;) {
        const int64_t i = atomic_fetch_add(&s->next, 1);
        if (i >= runner->count || exp_halted(&s->signals, i))
            break;
        const int32_t panel = exp_tasks_panel(runner->tasks, number_of(runner, i));
        const bool late = i > 0 && runner->limit > 0.0 && exp_clock() - s->begin > runner->limit;
        lgkt_error error = {0};
        const lgkt_status status = late ? LGKT_OK : play_task(s, i, panel, &error);
        // the last task of a panel leaves nothing of it
        slot *here = &s->slots[panel];
        pthread_mutex_lock(&here->lock);
        if (--here->left == 0)
            exp_shared_free(&here->shared, &runner->tasks->setups[panel]);
        pthread_mutex_unlock(&here->lock);
        if (status != LGKT_OK)
            fail(s, i + 1, status, &error);
    }
}

// what is called between tasks, on the thread that began the run
static void tick(void *ctx)
{
    session *s = ctx;
    const exp_runner *runner = s->runner;
    const exp_tasks *tasks = runner->tasks;
    const int64_t next = atomic_load(&s->next);
    const int64_t last = next < runner->count ? next : runner->count - 1;
    const int32_t panel = last >= 0 ? exp_tasks_panel(tasks, number_of(runner, last)) : 0;
    const exp_progress progress = {
        .name = tasks->setups[panel].panel->name,
        .learner = atomic_load(&s->signals.learner),
        .instances = runner->found + runner->count,
        .instances_done = runner->found + atomic_load(&s->played),
        .steps = s->steps,
        .steps_done = (double)atomic_load(&s->signals.steps),
        .seconds = exp_clock() - s->begin,
    };
    if (runner->progress != NULL)
        runner->progress(runner->progress_ctx, &progress);
    lgkt_error error = {0};
    const lgkt_status status = runner->tick != NULL ? runner->tick(runner->ctx, &error) : LGKT_OK;
    if (status != LGKT_OK)
        fail(s, 0, status, &error);
}

static lgkt_status run_threads(session *s, lgkt_error *error)
{
    const int64_t most = s->runner->count > 1 ? s->runner->count : 1;
    const int32_t jobs = s->runner->jobs < most ? s->runner->jobs : (int32_t)most;
    LGKT_TRY(exp_threads_run(&(exp_threads){jobs, work, tick, s}, error));
    if (atomic_load(&s->signals.failed) != INT64_MAX)
        return lgkt_fail(error, s->failure.status, "%s", s->failure.text);
    return LGKT_OK;
}

// ---- the run ----

lgkt_status exp_runner_run(const exp_runner *runner, int64_t *played, lgkt_error *error)
{
    const exp_tasks *tasks = runner->tasks;
    LGKT_TRY(exp_threads_check(runner->jobs, error));
    session s = {.runner = runner,
                 .begin = exp_clock(),
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .signals = {.stop = runner->stop, .failed = INT64_MAX},
                 .slots = calloc((size_t)tasks->panel_count, sizeof *s.slots),
                 .waiting = calloc((size_t)runner->count + 1, sizeof *s.waiting)};
    const bool made = s.slots != NULL && s.waiting != NULL;
    for (int32_t p = 0; p < tasks->panel_count && made; p++)
        pthread_mutex_init(&s.slots[p].lock, NULL);
    for (int64_t i = 0; i < runner->count && made; i++) {
        const int32_t p = exp_tasks_panel(tasks, number_of(runner, i));
        const exp_panel *panel = tasks->setups[p].panel;
        s.steps += (double)panel->entry_count * (double)panel->horizon;
        s.slots[p].left++;
    }
    const lgkt_status status = made ? run_threads(&s, error) : lgkt_fail_memory(error, "a run");
    for (int32_t p = 0; p < tasks->panel_count && made; p++) {
        exp_shared_free(&s.slots[p].shared, &tasks->setups[p]);
        pthread_mutex_destroy(&s.slots[p].lock);
    }
    for (int64_t i = 0; i < runner->count && made; i++)
        free(s.waiting[i]);
    free(s.slots);
    free(s.waiting);
    if (played != NULL)
        *played = atomic_load(&s.played);
    return status;
}
