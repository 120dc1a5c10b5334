// SPDX-License-Identifier: MIT
// Replay (replay.h).
//
//   queues     one per pair: the learner acts, the first row of the queue of (state, action) is what
//              comes of it, and is used up
//   rejection  one stream of rows per state, where the law b of who logged is known: with p the law of
//              the learner in the state, a row with action a is taken with probability
//              p(a) / (M b(a)), M = max_a p(a) / b(a), else it is thrown away; what is taken has
//              law p, and the learner is told it as an action that another chose (lgkt_units_take)
//
// A run begins in the first start state; after a row that is cut it goes on in the next one. It ends
// where there is no row or no start state left. Rows and start states come in an order drawn for each
// run, so that rows of one state or pair are exchangeable.
//
// What is unbiased, if rows of a pair are independent draws given the pair: everything that is
// measured over the first t steps, for a t that no run can miss. Whether a run ends early depends on
// what it did, so a mean over those that lasted, or over each as long as it lasted, is biased.
// Queues use fewer rows and ask nothing of the log; but where the log's author chose by what is not
// in the state, only rejection with his true law is right. A learner that acts in one of many ways
// may run out of rows of one pair long before the others.
//
// Run i: the learner has seed and instance i, the order is drawn from stream ("order", i), the coins
// of rejection from ("accept", i).
//
// Memory: 8 bytes a row and thread for its order, and one number for each pair or state.
#include "experiments/runner/replay.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "experiments/runner/threads.h"
#include "lgkt/rng.h"

#define BLOCK 512 // steps between two looks at the signals

// Rows by the queue that they are in.
typedef struct queues {
    int64_t count;  // of queues
    int64_t *begin; // (count + 1)
    int64_t *rows;  // (rows) numbers of rows, those of queue q at begin[q] .. begin[q+1]-1
} queues;

typedef struct session {
    const exp_replay *replay;
    queues queues;
    exp_replayed *runs;
    double *sums;
    exp_signals signals;
    atomic_int_fast64_t next;
    pthread_mutex_t lock; // guards the failure
    lgkt_error failure;   // of the run that `signals` says
    double begin;
} session;

// What a thread has for one run after the other.
typedef struct player {
    session *s;
    int64_t *rows;         // (rows) as those of the queues, in the order of this run
    int64_t *at;           // (queues) the next place in each
    int32_t *starts;       // (start_count) in the order of this run
    int64_t started;       // of these
    double *law;           // (A) of the learner
    lgkt_reason *reasons;  // (A)
    lgkt_learner *learner; // with queues
    lgkt_units *units;     // with rejection, of one unit
    lgkt_rng accept;
} player;

static int64_t queue_of(const exp_replay *r, int32_t state, int32_t action)
{
    return r->law != NULL ? state : (int64_t)state * r->actions + action;
}

// ---- checks ----

static lgkt_status check_law(const exp_replay *r, lgkt_error *error)
{
    const int64_t rows = r->by_row ? r->count : r->states;
    for (int64_t i = 0; i < rows && r->law != NULL; i++) {
        const double *law = r->law + i * r->actions;
        double sum = 0.0;
        bool good = true;
        for (int32_t a = 0; a < r->actions; a++) {
            good &= law[a] >= 0.0 && law[a] <= 1.0 + 1e-6;
            sum += law[a];
        }
        if (!good || !(fabs(sum - 1.0) <= 1e-6))
            return lgkt_fail(error, LGKT_ERR_PROBABILITY,
                             "probabilities[%lld] are no law: they sum to %.9g", (long long)i, sum);
    }
    for (int64_t i = 0; i < r->count && r->by_row && r->law != NULL; i++)
        if (!(r->law[i * r->actions + r->action[i]] > 0.0))
            return lgkt_fail(error, LGKT_ERR_PROBABILITY,
                             "row %lld has an action with probability 0", (long long)i);
    return LGKT_OK;
}

static lgkt_status check_rows(const exp_replay *r, lgkt_error *error)
{
    for (int64_t i = 0; i < r->start_count; i++)
        if (r->starts[i] < 0 || r->starts[i] >= r->states)
            return lgkt_fail(error, LGKT_ERR_ARGUMENT, "starts[%lld] = %d is not in 0 .. %d",
                             (long long)i, r->starts[i], r->states - 1);
    for (int64_t i = 0; i < r->count; i++) {
        const bool good = r->state[i] >= 0 && r->state[i] < r->states && r->action[i] >= 0 &&
                          r->action[i] < r->actions && r->next[i] >= -1 && r->next[i] < r->states;
        if (!good)
            return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                             "row %lld: state %d, action %d, next state %d are not in 0 .. %d, "
                             "0 .. %d, -1 .. %d",
                             (long long)i, r->state[i], r->action[i], r->next[i], r->states - 1,
                             r->actions - 1, r->states - 1);
        if (!(fabs(r->reward[i]) <= LGKT_MAX_REWARD))
            return lgkt_fail(error, LGKT_ERR_NOT_FINITE,
                             "row %lld: the reward %g is not in [-%g, %g]: leave out rows without",
                             (long long)i, r->reward[i], LGKT_MAX_REWARD, LGKT_MAX_REWARD);
    }
    return check_law(r, error);
}

static lgkt_status check(const exp_replay *r, lgkt_error *error)
{
    if (r->runs < 1 || r->runs > EXP_MAX_REPLICATES)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "runs = %lld is not in 1 .. %d",
                         (long long)r->runs, EXP_MAX_REPLICATES);
    if (r->problem.horizon < 1 || r->problem.horizon > EXP_MAX_HORIZON)
        return lgkt_fail(error, LGKT_ERR_ARGUMENT, "horizon = %lld is not in 1 .. %lld",
                         (long long)r->problem.horizon, (long long)EXP_MAX_HORIZON);
    if (r->states < 1 || r->actions < 1 || (int64_t)r->states * r->actions > LGKT_MAX_PAIRS)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "%d states and %d actions are not 1 .. %d pairs",
                         r->states, r->actions, LGKT_MAX_PAIRS);
    for (int32_t i = 0; i < r->checkpoint_count; i++)
        if (r->checkpoints[i] <= (i > 0 ? r->checkpoints[i - 1] : 0))
            return lgkt_fail(error, LGKT_ERR_ARGUMENT,
                             "checkpoints[%d] = %lld: they increase, from 1 on", i,
                             (long long)r->checkpoints[i]);
    LGKT_TRY(exp_threads_check(r->jobs, error));
    return check_rows(r, error);
}

// ---- making ----

static lgkt_status sort_rows(queues *q, const exp_replay *r, lgkt_error *error)
{
    q->count = (int64_t)r->states * (r->law != NULL ? 1 : r->actions);
    q->begin = calloc((size_t)q->count + 2, sizeof *q->begin);
    q->rows = calloc((size_t)r->count + 1, sizeof *q->rows);
    if (q->begin == NULL || q->rows == NULL)
        return lgkt_fail_memory(error, "the rows of a log");
    // one place further on until they are filled, so that each ends up where its queue begins
    for (int64_t i = 0; i < r->count; i++)
        q->begin[queue_of(r, r->state[i], r->action[i]) + 2]++;
    for (int64_t k = 2; k <= q->count; k++)
        q->begin[k] += q->begin[k - 1];
    for (int64_t i = 0; i < r->count; i++)
        q->rows[q->begin[queue_of(r, r->state[i], r->action[i]) + 1]++] = i;
    return LGKT_OK;
}

static lgkt_status make_player(player *p, session *s, lgkt_error *error)
{
    const exp_replay *r = s->replay;
    *p = (player){.s = s,
                  .rows = calloc((size_t)r->count + 1, sizeof *p->rows),
                  .at = calloc((size_t)s->queues.count, sizeof *p->at),
                  .starts = calloc((size_t)r->start_count + 1, sizeof *p->starts),
                  .reasons = calloc((size_t)r->actions, sizeof *p->reasons)};
    return p->rows != NULL && p->at != NULL && p->starts != NULL && p->reasons != NULL
               ? LGKT_OK
               : lgkt_fail_memory(error, "a replay");
}

static void close_run(player *p)
{
    lgkt_learner_destroy(p->learner);
    lgkt_units_destroy(p->units);
    p->learner = NULL;
    p->units = NULL;
}

static void free_player(player *p)
{
    close_run(p);
    free(p->rows);
    free(p->at);
    free(p->starts);
    free(p->reasons);
}

static lgkt_status open_learner(player *p, int64_t run, lgkt_error *error)
{
    const exp_replay *r = p->s->replay;
    lgkt_learner_config config = lgkt_learner_config_default();
    config.problem = r->problem;
    config.problem.states = r->states;
    config.problem.actions = r->actions;
    config.problem.masked = r->allowed != NULL;
    config.seed = r->seed;
    config.instance = (uint64_t)run;
    if (r->law == NULL)
        return lgkt_learner_create(r->spec, &config, &p->learner, error);
    lgkt_units_config units = lgkt_units_config_default();
    units.unit_limit = 1;
    units.patience = 1;
    return lgkt_units_create(r->spec, &config, &units, &p->units, error);
}

// The order of a run: a fair shuffle of each queue, one after the other, and of the start states.
static lgkt_status open_run(player *p, int64_t run, lgkt_error *error)
{
    const exp_replay *r = p->s->replay;
    const queues *q = &p->s->queues;
    lgkt_rng order = lgkt_rng_stream(r->seed, "order", (uint64_t)run);
    memcpy(p->rows, q->rows, (size_t)r->count * sizeof *p->rows);
    memcpy(p->at, q->begin, (size_t)q->count * sizeof *p->at);
    if (r->start_count > 0)
        memcpy(p->starts, r->starts, (size_t)r->start_count * sizeof *p->starts);
    for (int64_t k = 0; k < q->count && !r->in_order; k++) {
        int64_t *rows = p->rows + q->begin[k];
        for (int64_t i = q->begin[k + 1] - q->begin[k] - 1; i > 0; i--) {
            const int64_t j = (int64_t)(lgkt_rng_uniform(&order) * (double)(i + 1)), kept = rows[j];
            rows[j] = rows[i];
            rows[i] = kept;
        }
    }
    for (int64_t i = r->start_count - 1; i > 0 && !r->in_order; i--) {
        const int64_t j = (int64_t)(lgkt_rng_uniform(&order) * (double)(i + 1));
        const int32_t kept = p->starts[j];
        p->starts[j] = p->starts[i];
        p->starts[i] = kept;
    }
    p->started = 0;
    p->accept = lgkt_rng_stream(r->seed, "accept", (uint64_t)run);
    return open_learner(p, run, error);
}

// ---- one step ----

// The next row of a queue, or -1.
static int64_t next_row(player *p, int64_t queue)
{
    return p->at[queue] < p->s->queues.begin[queue + 1] ? p->rows[p->at[queue]++] : -1;
}

// The largest p(a) / b(a); infinite where b is 0 and p is not. NaN: there is no law p.
static double most_of(const player *p, const double *law)
{
    double most = 0.0;
    for (int32_t a = 0; a < p->s->replay->actions; a++) {
        const double wanted = p->reasons[a].probability;
        if (isnan(wanted))
            return NAN;
        if (wanted > most * law[a])
            most = law[a] > 0.0 ? wanted / law[a] : INFINITY;
    }
    return most;
}

// The row that is taken in a state, or -1 and why.
static lgkt_status accept_row(player *p, int32_t state, const uint8_t *allowed, int64_t *row,
                              exp_replayed *out, lgkt_error *error)
{
    const exp_replay *r = p->s->replay;
    lgkt_status status = lgkt_units_settle(p->units, 0, state);
    if (status != LGKT_OK)
        return lgkt_fail(error, status, "%s", lgkt_units_message(p->units));
    LGKT_TRY(
        lgkt_units_explain(p->units, 0, state, allowed, p->reasons, sizeof *p->reasons, error));
    while ((*row = next_row(p, state)) >= 0) {
        out->used++;
        const double *law = r->law + (r->by_row ? *row : state) * r->actions;
        const int32_t a = r->action[*row];
        const double most = most_of(p, law);
        if (isnan(most))
            return lgkt_fail(error, LGKT_ERR_UNSUPPORTED,
                             "rejection needs the law of the learner, and \"%s\" has none here",
                             r->spec);
        if (isinf(most)) {
            out->stopped = EXP_REPLAY_LAW;
            *row = -1;
            return LGKT_OK;
        }
        if (lgkt_rng_uniform(&p->accept) * most * law[a] < p->reasons[a].probability)
            break;
    }
    return LGKT_OK;
}

// Tells the learner what a row has brought; with rejection it has still to be told the action.
static lgkt_status tell(player *p, int32_t state, const uint8_t *allowed, int64_t row, int32_t next,
                        bool cut, lgkt_error *error)
{
    const exp_replay *r = p->s->replay;
    lgkt_status status;
    if (p->learner != NULL) {
        status = lgkt_learner_observe(p->learner, r->reward[row], next, cut);
        return status == LGKT_OK ? LGKT_OK
                                 : lgkt_fail(error, status, "%s", lgkt_learner_message(p->learner));
    }
    int64_t decision = 0;
    status = lgkt_units_take(p->units, 0, state, allowed, r->action[row], &decision);
    if (status == LGKT_OK)
        status = lgkt_units_reward(p->units, decision, r->reward[row]);
    if (status == LGKT_OK)
        status = lgkt_units_next(p->units, decision, next, cut);
    return status == LGKT_OK ? LGKT_OK
                             : lgkt_fail(error, status, "%s", lgkt_units_message(p->units));
}

// One step; *going is false where the run has ended instead.
static lgkt_status play_step(player *p, int32_t *state, exp_replayed *out, bool *going,
                             lgkt_error *error)
{
    const exp_replay *r = p->s->replay;
    const uint8_t *allowed = r->allowed != NULL ? r->allowed + (int64_t)*state * r->actions : NULL;
    int32_t action = -1;
    int64_t row = -1;
    out->stopped = EXP_REPLAY_ROWS;
    if (p->learner != NULL) {
        const lgkt_status status = lgkt_learner_act(p->learner, *state, allowed, &action);
        if (status != LGKT_OK)
            return lgkt_fail(error, status, "%s", lgkt_learner_message(p->learner));
        row = next_row(p, queue_of(r, *state, action));
        out->used += row >= 0;
    } else {
        LGKT_TRY(accept_row(p, *state, allowed, &row, out, error));
    }
    *going = row >= 0;
    out->state = *state;
    out->action = action;
    if (!*going)
        return LGKT_OK;
    const bool cut = r->next[row] < 0;
    out->reward += r->reward[row];
    out->steps++;
    // the last start state is gone: the learner need not be told of another
    if (cut && p->started >= r->start_count) {
        out->stopped = EXP_REPLAY_STARTS;
        *going = false;
        return LGKT_OK;
    }
    const int32_t next = cut ? p->starts[p->started++] : r->next[row];
    LGKT_TRY(tell(p, *state, allowed, row, next, cut, error));
    *state = next;
    return LGKT_OK;
}

// ---- runs ----

static lgkt_status play_run(player *p, int64_t run, lgkt_error *error)
{
    session *s = p->s;
    const exp_replay *r = s->replay;
    exp_replayed out = {.stopped = EXP_REPLAY_STARTS, .state = -1, .action = -1};
    double *sums = s->sums != NULL ? s->sums + run * r->checkpoint_count : NULL;
    int32_t c = 0;
    LGKT_TRY(open_run(p, run, error));
    bool going = r->start_count > 0;
    int32_t state = going ? p->starts[p->started++] : -1;
    while (going && out.steps < r->problem.horizon) {
        if (out.steps % BLOCK == 0 && exp_halted(&s->signals, run))
            return LGKT_OK;
        const int64_t before = out.steps;
        LGKT_TRY(play_step(p, &state, &out, &going, error));
        if (out.steps == before)
            continue;
        if (c < r->checkpoint_count && sums != NULL && out.steps == r->checkpoints[c])
            sums[c++] = out.reward;
        if (out.steps % BLOCK == 0)
            atomic_fetch_add_explicit(&s->signals.steps, BLOCK, memory_order_relaxed);
    }
    atomic_fetch_add_explicit(&s->signals.steps, out.steps % BLOCK, memory_order_relaxed);
    for (; c < r->checkpoint_count && sums != NULL; c++)
        sums[c] = NAN;
    if (going) {
        out.stopped = EXP_REPLAY_HORIZON;
        out.state = out.action = -1;
    }
    s->runs[run] = out;
    return LGKT_OK;
}

static void fail(session *s, int64_t run, lgkt_status status, const lgkt_error *error)
{
    pthread_mutex_lock(&s->lock);
    if (run + 1 < atomic_load(&s->signals.failed)) {
        s->failure = *error;
        s->failure.status = status;
        atomic_store(&s->signals.failed, run + 1);
    }
    pthread_mutex_unlock(&s->lock);
}

static void work(void *ctx)
{
    session *s = ctx;
    player p;
    lgkt_error error = {0};
    const lgkt_status made = make_player(&p, s, &error);
    for (;;) {
        const int64_t run = atomic_fetch_add(&s->next, 1);
        if (run >= s->replay->runs || exp_halted(&s->signals, run))
            break;
        const lgkt_status status = made != LGKT_OK ? made : play_run(&p, run, &error);
        close_run(&p);
        if (status != LGKT_OK)
            fail(s, run, status, &error);
    }
    free_player(&p);
}

static void look(void *ctx)
{
    session *s = ctx;
    const exp_replay *r = s->replay;
    const int64_t next = atomic_load(&s->next);
    const exp_progress progress = {.name = "replay",
                                   .learner = r->spec,
                                   .instances = r->runs,
                                   .instances_done = next < r->runs ? next : r->runs,
                                   .steps = (double)r->runs * (double)r->problem.horizon,
                                   .steps_done = (double)atomic_load(&s->signals.steps),
                                   .seconds = exp_clock() - s->begin};
    if (r->progress != NULL)
        r->progress(r->progress_ctx, &progress);
}

lgkt_status exp_replay_run(const exp_replay *replay, exp_replayed *runs, double *sums,
                           lgkt_error *error)
{
    LGKT_TRY(check(replay, error));
    session s = {.replay = replay,
                 .runs = runs,
                 .sums = sums,
                 .signals = {.stop = replay->stop, .failed = INT64_MAX},
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .begin = exp_clock()};
    memset(runs, 0, (size_t)replay->runs * sizeof *runs);
    lgkt_status status = sort_rows(&s.queues, replay, error);
    const int64_t jobs = replay->jobs < replay->runs ? replay->jobs : replay->runs;
    if (status == LGKT_OK)
        status = exp_threads_run(&(exp_threads){(int32_t)jobs, work, look, &s}, error);
    if (status == LGKT_OK && atomic_load(&s.signals.failed) != INT64_MAX)
        status = lgkt_fail(error, s.failure.status, "%s", s.failure.text);
    free(s.queues.begin);
    free(s.queues.rows);
    return status;
}
