// SPDX-License-Identifier: MIT
// Tasks over threads (pool.h), learners over an instance (instance.h), outcomes to a sink.
//
// Threads take tasks in their order, so that of most panels nothing is made at a time: those of
// which a task is being played are about as many as threads.
//
// Memory where outcomes are to come in order: 8 bytes for each task, and the outcomes that wait for
// one before them.
#include "experiments/runner/runner.h"

#include <stdlib.h>

#include "core/error.h"

// What the tasks of a panel share while one of them is played.
typedef struct slot {
    pthread_mutex_t lock; // guards the rest
    bool made;
    lgkt_error failure; // why it could not be made, for all that ask for it; status LGKT_OK: none
    int64_t left;       // tasks that have not ended
    exp_shared shared;
} slot;

// A run under way, shared by its threads.
typedef struct session {
    const exp_runner *runner;
    slot *slots; // (panel_count)
    double begin, steps;
    exp_pool pool;
    pthread_mutex_t lock; // guards the rest, and the sink
    int64_t played;       // outcomes that the sink took
    exp_outcome **early;  // (count) if they are to come in order: those that wait
    int64_t next;         // whose turn it is
} session;

static int64_t number_of(const exp_runner *runner, int64_t i)
{
    return runner->numbers != NULL ? runner->numbers[i] : i;
}

// ---- outcomes to the sink ----

static lgkt_status give(session *s, int64_t i, const exp_outcome *outcome, lgkt_error *error)
{
    const exp_sink *sink = &s->runner->sink;
    const lgkt_status status = sink->take(sink->ctx, number_of(s->runner, i), outcome, error);
    s->played += status == LGKT_OK;
    return status;
}

static void drop(exp_outcome *outcome)
{
    if (outcome != NULL)
        exp_outcome_free(outcome);
    free(outcome);
}

// takes the outcome over, until its turn comes
static lgkt_status give_in_order(session *s, int64_t i, exp_outcome *outcome, lgkt_error *error)
{
    lgkt_status status = LGKT_OK;
    exp_outcome *kept = malloc(sizeof *kept);
    if (kept == NULL)
        return lgkt_fail_memory(error, "the results of an instance");
    *kept = *outcome;
    *outcome = (exp_outcome){0};
    s->early[i] = kept;
    while (s->next < s->runner->count && s->early[s->next] != NULL && status == LGKT_OK) {
        status = give(s, s->next, s->early[s->next], error);
        drop(s->early[s->next]);
        s->early[s->next++] = NULL;
    }
    return status;
}

// ---- tasks ----

// What a task of a panel needs, made by the first that asks for it; NULL after a failure.
static const exp_shared *enter(session *s, int32_t panel, lgkt_error *error)
{
    const exp_sink *sink = &s->runner->sink;
    slot *here = &s->slots[panel];
    pthread_mutex_lock(&here->lock);
    if (!here->made && here->failure.status == LGKT_OK) {
        const exp_setup *setup = &s->runner->tasks->setups[panel];
        lgkt_status status = exp_shared_make(&here->shared, setup, &here->failure);
        if (status == LGKT_OK && sink->begin != NULL) {
            pthread_mutex_lock(&s->lock);
            status = sink->begin(sink->ctx, panel, &here->shared.facts, &here->failure);
            pthread_mutex_unlock(&s->lock);
        }
        here->made = status == LGKT_OK;
        if (!here->made)
            exp_shared_free(&here->shared, setup);
    }
    if (!here->made)
        *error = here->failure;
    const exp_shared *shared = here->made ? &here->shared : NULL;
    pthread_mutex_unlock(&here->lock);
    return shared;
}

static void leave(session *s, int32_t panel)
{
    slot *here = &s->slots[panel];
    pthread_mutex_lock(&here->lock);
    if (--here->left == 0 && here->made) {
        exp_shared_free(&here->shared, &s->runner->tasks->setups[panel]);
        here->made = false;
    }
    pthread_mutex_unlock(&here->lock);
}

static lgkt_status play_task(session *s, int64_t i, int32_t panel, lgkt_error *error)
{
    const exp_tasks *tasks = s->runner->tasks;
    const exp_setup *setup = &tasks->setups[panel];
    const int64_t instance = number_of(s->runner, i) - tasks->first[panel];
    exp_outcome outcome;
    lgkt_status status = exp_outcome_create(&outcome, setup, error);
    if (status != LGKT_OK)
        return status;
    // the status of a failure is in the error, which is never NULL here
    const exp_shared *shared = enter(s, panel, error);
    status = shared != NULL
                 ? exp_instance_play(setup, shared, instance, &s->pool, i, &outcome, error)
                 : error->status;
    // what was cut short is void
    if (status == LGKT_OK && !exp_pool_halted(&s->pool, i)) {
        pthread_mutex_lock(&s->lock);
        status =
            s->early != NULL ? give_in_order(s, i, &outcome, error) : give(s, i, &outcome, error);
        pthread_mutex_unlock(&s->lock);
    }
    exp_outcome_free(&outcome);
    return status;
}

static lgkt_status work(void *ctx, int64_t i, lgkt_error *error)
{
    session *s = ctx;
    const int32_t panel = exp_tasks_panel(s->runner->tasks, number_of(s->runner, i));
    const bool late = i > 0 && s->runner->limit > 0.0 && exp_clock() - s->begin > s->runner->limit;
    const lgkt_status status = late ? LGKT_OK : play_task(s, i, panel, error);
    leave(s, panel);
    return status;
}

static lgkt_status tick(void *ctx, lgkt_error *error)
{
    session *s = ctx;
    const exp_runner *runner = s->runner;
    const exp_tasks *tasks = runner->tasks;
    const int64_t next = atomic_load(&s->pool.next);
    const int64_t last = next < runner->count ? next : runner->count - 1;
    const int32_t panel = last >= 0 ? exp_tasks_panel(tasks, number_of(runner, last)) : 0;
    pthread_mutex_lock(&s->lock);
    const int64_t played = s->played;
    pthread_mutex_unlock(&s->lock);
    const exp_progress progress = {
        .name = tasks->setups[panel].panel->name,
        .learner = atomic_load(&s->pool.learner),
        .instances = runner->found + runner->count,
        .instances_done = runner->found + played,
        .steps = s->steps,
        .steps_done = (double)atomic_load(&s->pool.steps),
        .seconds = exp_clock() - s->begin,
    };
    if (runner->progress != NULL)
        runner->progress(runner->progress_ctx, &progress);
    return runner->tick != NULL ? runner->tick(runner->sink.ctx, error) : LGKT_OK;
}

// ---- the run ----

static lgkt_status open_session(session *s, lgkt_error *error)
{
    const exp_runner *runner = s->runner;
    const exp_tasks *tasks = runner->tasks;
    if (runner->jobs < 1 || runner->jobs > EXP_MAX_JOBS)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "jobs: %d is not in 1 .. %d", (int)runner->jobs,
                         EXP_MAX_JOBS);
    s->slots = calloc((size_t)tasks->panel_count, sizeof *s->slots);
    if (s->slots == NULL)
        return lgkt_fail_memory(error, "the panels of a run");
    if (runner->ordered && (s->early = calloc((size_t)runner->count + 1, sizeof *s->early)) == NULL)
        return lgkt_fail_memory(error, "the results of a run");
    for (int32_t p = 0; p < tasks->panel_count; p++)
        pthread_mutex_init(&s->slots[p].lock, NULL);
    for (int64_t i = 0; i < runner->count; i++) {
        const int32_t p = exp_tasks_panel(tasks, number_of(runner, i));
        const exp_panel *panel = tasks->setups[p].panel;
        s->steps += (double)panel->entry_count * (double)panel->horizon;
        s->slots[p].left++;
    }
    return LGKT_OK;
}

lgkt_status exp_runner_run(const exp_runner *runner, int64_t *played, lgkt_error *error)
{
    const exp_tasks *tasks = runner->tasks;
    session s = {.runner = runner,
                 .begin = exp_clock(),
                 .pool = {.tasks = runner->count,
                          .jobs = runner->jobs,
                          .stop = runner->stop,
                          .work = work,
                          .tick = tick,
                          .ctx = &s}};
    pthread_mutex_init(&s.lock, NULL);
    lgkt_status status = open_session(&s, error);
    if (status == LGKT_OK) {
        status = exp_pool_run(&s.pool, error);
        for (int32_t p = 0; p < tasks->panel_count; p++) {
            if (s.slots[p].made)
                exp_shared_free(&s.slots[p].shared, &tasks->setups[p]);
            pthread_mutex_destroy(&s.slots[p].lock);
        }
        for (int64_t i = s.next; i < runner->count && runner->ordered; i++)
            drop(s.early[i]);
    }
    pthread_mutex_destroy(&s.lock);
    free(s.slots);
    free(s.early);
    if (played != NULL)
        *played = s.played;
    return status;
}
