// SPDX-License-Identifier: MIT
// Trading one asset: the rules of gym-anytrading's forex-v0, with the learner kept over the passes.
//
// Closing prices c[lo-W .. hi-1] make N = hi-lo+W ticks. Seen of tick i are its price as a float
// and the change c[i]-c[i-1], differenced in double and then made a float. The state at a tick is
// the window of the last W ticks, oldest first; equal windows are one state, numbered in order of
// first tick. A pass goes from tick W to N-1, where it is cut: the next state is that of tick W
// again, `ended` is set, and the position and totals start anew. The window of the last tick is
// never acted in and has no number. With cut=kept the same happens, but `ended` is not set, and what
// is observed at the end of a pass is the window of its last tick, which has a number then.
//
// With view=record what is seen of a tick i is a record in double: c[i], and its change over 1, 2, 4,
// .. ticks (below half a window) and over W - 1 ticks. Such states have no number.
//
// Actions 0 = sell, 1 = buy; the position is short or long and starts short. Step from tick-1 to
// tick, last = tick of the last trade (W-1 at first), p = price, f = fee:
//     trade  = action differs from position
//     reward = trade ? +-10^4 (p[tick] - p[last]) : 0, + for a long position, - for a short one
//     profit changes on a trade or at the cut, by the position before it:
//       side=right and long:  profit <- profit / p[last] * (p[tick] - f)
//       side=left and short:  profit <- profit * (p[last] - f) / p[tick]
//     a trade flips the position and sets last = tick
// Price differences are float. The rest is double (as with NumPy 1), or float for numpy2=1.
//
// The reward depends on position and entry price, which are not seen, so there is no model. Rewards
// are within +-10^4 (max p - min p), which a learner is told as range and as noise scale.
//
// With no prices given the world makes its own: a geometric random walk p <- p (1 + 0.001 z).
//
// Memory O(hi - lo + W) and O(1) per step; finding equal windows costs O(N W).
#include "env/trading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/error.h"
#include "core/hash.h"

#define FEE             0.0003
#define PIPS            10000
#define MAX_TICKS       (1 << 24)
#define MAX_PRICE       1e30
#define WALK_START      1.05
#define WALK_VOLATILITY 0.001

typedef struct settings {
    int64_t window;
    int64_t frame_lo;
    int64_t frame_hi;
    int side;
    const char *file;
    int64_t numpy2;
    int cut;
    int view;
} settings;

enum { CUT_TOLD, CUT_KEPT };
enum { VIEW_WINDOW, VIEW_RECORD };

static const lgkt_param_row PARAMS[] = {
    LGKT_ROW_INTEGER(settings, window, "window", "10", 1, MAX_TICKS,
                     "ticks that are seen at a time"),
    LGKT_ROW_INTEGER(settings, frame_lo, "frame-lo", "10", 1, MAX_TICKS,
                     "row of the prices where a pass begins, at least the window"),
    LGKT_ROW_INTEGER(settings, frame_hi, "frame-hi", "300", 3, MAX_TICKS,
                     "row of the prices before which a pass ends, at least frame-lo + 2"),
    LGKT_ROW_CHOICE(settings, side, "side", "right", "right|left",
                    "currency of the pair that the profit is counted in"),
    LGKT_ROW_TEXT(settings, file, "file", "@a generated random walk",
                  "CSV file with a column Close, in parentheses if its path has a comma; the "
                  "command reads it, a program gives the prices in its config"),
    LGKT_ROW_INTEGER(settings, numpy2, "numpy2", "0", 0, 1,
                     "1: rewards and profit in float, as gym-anytrading has them under NumPy 2"),
    LGKT_ROW_CHOICE(settings, cut, "cut", "told", "told|kept",
                    "the end of a pass: told to the learner, or kept from it, as in the released "
                    "code: the last window is then observed as if the run went on there",
                    .since = 1, .before = "told"),
    LGKT_ROW_CHOICE(settings, view, "view", "window", "window|record",
                    "what is seen: the window of prices, or the last price and how it changed over "
                    "1, 2, 4, .. ticks and a window, as a record",
                    .since = 1, .before = "window"),
};

// ---- rules ----

// Pips between two prices, in the arithmetic of the market.
static double pips(const lgkt_market *market, float difference)
{
    return market->single ? (double)(difference * (float)PIPS) : (double)difference * PIPS;
}

// The profit after closing a position that was opened at price `from`, at price `to`.
static double close_position(const lgkt_market *market, double profit, float from, float to)
{
    const bool right = market->side == LGKT_SIDE_RIGHT;
    if (market->single) {
        const float fee = (float)FEE, before = (float)profit;
        return right ? before / from * (to - fee) : before * (from - fee) / to;
    }
    return right ? profit / from * (to - FEE) : profit * (from - FEE) / to;
}

lgkt_session lgkt_session_start(const lgkt_market *market)
{
    return (lgkt_session){.tick = market->window,
                          .last = market->window - 1,
                          .position = LGKT_SHORT,
                          .total_profit = 1};
}

double lgkt_session_step(const lgkt_market *market, lgkt_session *session, int32_t action,
                         bool *truncated)
{
    session->tick++;
    *truncated = session->tick == market->ticks - 1;
    const float from = market->quote[session->last].price;
    const float to = market->quote[session->tick].price;
    const bool trade = action != session->position;

    // adding 0 turns -0.0 into 0.0
    const float difference = session->position == LGKT_LONG ? to - from : -(to - from);
    const double reward = trade ? 0 + pips(market, difference) : 0;
    const double total = session->total_reward + reward;
    session->total_reward = market->single ? (double)(float)total : total;

    const int paying = market->side == LGKT_SIDE_RIGHT ? LGKT_LONG : LGKT_SHORT;
    if ((trade || *truncated) && session->position == paying)
        session->total_profit = close_position(market, session->total_profit, from, to);
    if (trade) {
        session->position = action;
        session->last = session->tick;
    }
    return reward;
}

// ---- functions of the class ----

// Numbers the windows that are acted in, in order of first tick.
static lgkt_status number_windows(lgkt_env *env, lgkt_error *error)
{
    const lgkt_market *market = env->self;
    const size_t size = (size_t)market->window * sizeof(lgkt_quote);
    size_t capacity = 2;
    while (capacity < 2 * (size_t)market->ticks)
        capacity *= 2;
    // an open hash table of ticks; 0: free
    int32_t *table = lgkt_alloc_zeroed(&env->allocator, capacity, sizeof(int32_t));
    if (table == NULL)
        return lgkt_fail_memory(error, "the windows of prices");
    for (int32_t tick = market->window; tick < market->ticks - !market->kept; tick++) {
        const lgkt_quote *window = lgkt_market_window(market, tick);
        size_t slot = (size_t)lgkt_hash_bytes(LGKT_HASH_START, window, size) & (capacity - 1);
        while (table[slot] != 0 &&
               memcmp(lgkt_market_window(market, table[slot]), window, size) != 0)
            slot = (slot + 1) & (capacity - 1);
        const bool seen = table[slot] != 0;
        market->state[tick] = seen ? market->state[table[slot]] : env->states++;
        table[slot] = seen ? table[slot] : tick;
    }
    lgkt_free(&env->allocator, table);
    return LGKT_OK;
}

// The ticks that the price is compared with in records; returns how many.
static int32_t lags_of(int32_t window, int32_t lags[32])
{
    int32_t count = 0;
    for (int32_t lag = 1; 2 * lag < window; lag *= 2)
        lags[count++] = lag;
    if (window > 1)
        lags[count++] = window - 1;
    return count;
}

// Writes the record of each tick that is seen, from the prices c of all ticks.
static lgkt_status write_records(lgkt_env *env, const double *c, lgkt_error *error)
{
    lgkt_market *market = env->self;
    int32_t lags[32];
    market->dims = 1 + lags_of(market->window, lags);
    const size_t dims = (size_t)market->dims;
    market->record = lgkt_env_alloc(env, (size_t)market->ticks * dims, sizeof(double));
    double *range = lgkt_env_alloc(env, 2 * dims, sizeof(double));
    if (!market->record || !range)
        return lgkt_fail_memory(error, "the records of prices");
    for (int32_t tick = market->window - 1; tick < market->ticks; tick++) {
        double *at = market->record + (size_t)tick * dims;
        for (int32_t d = 0; d < market->dims; d++) {
            at[d] = d == 0 ? c[tick] : c[tick] - c[tick - lags[d - 1]];
            const bool first = tick < market->window;
            range[d] = first ? at[d] : fmin(range[d], at[d]);
            range[dims + (size_t)d] = first ? at[d] : fmax(range[dims + (size_t)d], at[d]);
        }
    }
    // other than cut=kept, which is hashed as the second value of a choice, too
    env->hash = lgkt_hash_bytes(env->hash, "record", 6);
    env->vector = (lgkt_view){.dims = market->dims};
    env->low = range;
    env->high = range + dims;
    return LGKT_OK;
}

// Fills the market from all prices, of which the frame is used.
static lgkt_status open_market(lgkt_env *env, const settings *set, const double *prices,
                               lgkt_error *error)
{
    lgkt_market *market = env->self;
    market->window = (int32_t)set->window;
    market->ticks = (int32_t)(set->frame_hi - set->frame_lo + set->window);
    market->side = set->side;
    market->single = set->numpy2 != 0;
    env->jumps = market->kept = set->cut == CUT_KEPT;
    market->quote = lgkt_env_alloc(env, (size_t)market->ticks, sizeof(lgkt_quote));
    market->state = lgkt_env_alloc(env, (size_t)market->ticks, sizeof(int32_t));
    if (!market->quote || !market->state)
        return lgkt_fail_memory(error, "the prices");
    const double *c = prices + (set->frame_lo - set->window);
    float low = INFINITY, high = 0;
    for (int32_t i = 0; i < market->ticks; i++) {
        const float price = (float)c[i];
        if (!(price > 0 && price <= MAX_PRICE))
            return lgkt_fail(error, LGKT_ERR_CONFIG,
                             "price %d of the frame is %g, must be above 0 and at most %g", (int)i,
                             c[i], MAX_PRICE);
        market->quote[i] =
            (lgkt_quote){.price = price, .change = i > 0 ? (float)(c[i] - c[i - 1]) : 0};
        env->hash = lgkt_hash_f64(env->hash, c[i]);
        low = fminf(low, price);
        high = fmaxf(high, price);
    }
    env->actions = LGKT_TRADING_ACTIONS;
    env->reward_max = env->reward_sd = pips(market, high - low);
    env->reward_min = -env->reward_max;
    return set->view == VIEW_RECORD ? write_records(env, c, error) : number_windows(env, error);
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const lgkt_data *data = &env->config->data;
    const settings *set = chosen;
    if (set->frame_lo < set->window)
        return lgkt_fail(error, LGKT_ERR_SPEC, "frame-lo=%lld, must be at least the window of %lld",
                         (long long)set->frame_lo, (long long)set->window);
    if (set->frame_hi < set->frame_lo + 2)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "frame-hi=%lld, must be at least frame-lo + 2 = %lld",
                         (long long)set->frame_hi, (long long)set->frame_lo + 2);
    if (set->view == VIEW_RECORD && set->cut == CUT_KEPT)
        return lgkt_fail(error, LGKT_ERR_SPEC,
                         "cut=kept is there for windows: not with view=record");
    if (data->kind == LGKT_DATA_NONE && set->file != NULL)
        return lgkt_fail(error, LGKT_ERR_CONFIG,
                         "file=%.100s: the library reads no files, give the prices in "
                         "lgkt_env_config.data",
                         set->file);
    if (data->kind == LGKT_DATA_SERIES && (uint64_t)set->frame_hi > data->count)
        return lgkt_fail(error, LGKT_ERR_SHAPE, "frame-hi=%lld, but there are only %llu prices",
                         (long long)set->frame_hi, (unsigned long long)data->count);

    if (data->kind == LGKT_DATA_SERIES) {
        snprintf(env->note, sizeof env->note, "prices as given%s%.100s, rows %lld to %lld",
                 set->file ? ", from " : "", set->file ? set->file : "",
                 (long long)(set->frame_lo - set->window), (long long)set->frame_hi - 1);
        return open_market(env, set, data->series, error);
    }
    double *walk = lgkt_alloc_zeroed(&env->allocator, (size_t)set->frame_hi, sizeof(double));
    if (walk == NULL)
        return lgkt_fail_memory(error, "a random walk");
    double price = WALK_START;
    for (int64_t i = 0; i < set->frame_hi; i++) {
        walk[i] = price;
        price *= 1 + WALK_VOLATILITY * lgkt_rng_normal(&env->rng);
    }
    snprintf(env->note, sizeof env->note,
             "no prices given: a generated random walk, seed %llu, instance %llu",
             (unsigned long long)env->config->seed, (unsigned long long)env->config->instance);
    const lgkt_status status = open_market(env, set, walk, error);
    lgkt_free(&env->allocator, walk);
    return status;
}

static void step_market(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const lgkt_market *market = trajectory->world;
    lgkt_session *session = (void *)trajectory->self;
    step->reward = lgkt_session_step(market, session, action, &step->ended);
    step->mean_reward = step->reward;
    const bool cut = step->ended;
    if (cut)
        *session = lgkt_session_start(market);
    session->cut = cut;
    step->ended = cut && !market->kept;
    trajectory->state = market->state[session->tick];
    step->state = trajectory->state;
}

static void start(lgkt_trajectory *trajectory, double u)
{
    (void)u; // every pass begins at the same tick
    const lgkt_market *market = trajectory->world;
    lgkt_session *session = (void *)trajectory->self;
    *session = lgkt_session_start(market);
    trajectory->state = market->state[session->tick];
}

// What is seen of a tick.
static const void *see(const lgkt_market *market, int32_t tick, size_t *size)
{
    if (market->record != NULL) {
        *size = (size_t)market->dims * sizeof(double);
        return market->record + (size_t)tick * (size_t)market->dims;
    }
    *size = (size_t)market->window * sizeof(lgkt_quote);
    return lgkt_market_window(market, tick);
}

static const void *observation(const lgkt_trajectory *trajectory, size_t *size)
{
    return see(trajectory->world, ((const lgkt_session *)(const void *)trajectory->self)->tick,
               size);
}

static int32_t shown(const lgkt_trajectory *trajectory, const void **bytes, size_t *size)
{
    const lgkt_market *market = trajectory->world;
    const lgkt_session *session = (const void *)trajectory->self;
    const int32_t tick = session->cut ? market->ticks - 1 : session->tick;
    *bytes = see(market, tick, size);
    return market->state[tick];
}

static void visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const lgkt_market *market = trajectory->world;
    lgkt_session *session = (void *)trajectory->self;
    lgkt_visit_i32(archive, &session->tick, 1, market->window, market->ticks - 2);
    lgkt_visit_i32(archive, &session->last, 1, market->window - 1, session->tick);
    lgkt_visit_i32(archive, &session->position, 1, LGKT_SHORT, LGKT_LONG);
    // the totals steer nothing, and with odd prices they may overflow
    lgkt_visit_real(archive, &session->total_reward, 1);
    lgkt_visit_real(archive, &session->total_profit, 1);
    archive->bad |= trajectory->state != market->state[session->tick];
    if (market->kept) {
        int32_t cut = session->cut;
        lgkt_visit_i32(archive, &cut, 1, 0, session->tick == market->window);
        session->cut = cut != 0;
    }
}

const lgkt_env_class lgkt_trading_class = {
    LGKT_ENV_ENTRY("trading", "buying and selling one asset, seen through its last prices",
                   "gym-anytrading forex-v0; paper, section 5.2", "O(ticks)", LGKT_PARAMS(PARAMS),
                   .data = LGKT_DATA_SERIES),
    .self_size = sizeof(lgkt_market),
    .run_size = sizeof(lgkt_session),
    .create = create,
    .step = step_market,
    .start = start,
    .observation = observation,
    .shown = shown,
    .visit = visit,
};
