// SPDX-License-Identifier: MIT
// Two stores whose stock is a real number: `stock` and `store`. What a learner sees of their numbers
// is in numbers.c.
//
// `stock`: a store with stock that is a real number and demand that has a memory.
// With x the stock, q = lot times the action (0 .. actions-1) what is ordered, and z_t standard
// normal numbers:
//     y = min(capacity, x + q)                 the order is there before the day begins
//     w <- memory w + sqrt(1 - memory^2) z_t   the mood of the customers
//     d = min(capacity, mean exp(spread w - spread^2/2))   the demand, lognormal
//     x <- y - min(y, d)                       what is not there is not sold
//     reward = -(holding x + shortage (d - min(y, d)) + order [q > 0])
// The vector is x and the last d: with them the process is Markov, but for the rare demand that is
// cut at the capacity. A run begins with half the capacity and w = 0. Each step draws one normal
// number.
//
// view=grid: `bins` equal parts of 0 .. capacity and of 0 .. 3 mean. As reference serves the best
// policy that orders the number of lots that comes closest to a stock of u + v d: with the default
// settings u = 1 and v = 1.1, found by simulation (test_env_stock.c, docs/records.md).
//
// `store`: what is bought has a price of its day, and tomorrow's demand has a forecast. With x the
// stock, q = 4 times the action (0 .. 5) what is ordered, and n standard normal numbers:
//     y = min(30, x + q),   d = forecast exp(0.25 n - 0.03125),   x <- y - min(y, d)
//     reward = min(y, d) - q price - 0.3 [q > 0] - 0.1 x
//     f <- 0.8 f + 0.6 n,   forecast = 6 exp(f/2);   c <- 0.9 c + 0.436 n,   price = 0.5 + 0.12 c
// The vector is x, forecast, price. A run begins with x = 5, f = c = 0. Each step draws three
// normal numbers, of d, f and c. It is seen as a record where no bins are asked for.
#include <math.h>
#include <stdio.h>

#include "core/elementary.h"
#include "core/error.h"
#include "env/numbers.h"

enum { STOCK_DIMS = 2 };

// The settings of both, and all that a step of `stock` depends on: env->self is a copy.
typedef struct settings {
    lgkt_seen seen;
    int64_t actions;
    double capacity, lot;
    double mean, spread, memory; // of the demand
    double holding, shortage, order;
} settings;

// ---- stock ----

// What is shown first, then what is behind the demand.
typedef struct shelf {
    double stock, demand;
    double mood; // standard normal in the long run
} shelf;

static const lgkt_param_row STOCK_PARAMS[] = {
    LGKT_SEEN_ROWS(
        settings, "grid", "grid|quantiles|record", "6",
        "what is seen: equal bins, bins between quantiles, or the two numbers themselves"),
    LGKT_ROW_INTEGER(settings, actions, "actions", "5", 2, 1000, "orders of 0, 1, .. lots"),
    LGKT_ROW_REAL(settings, lot, "lot", "4", 0, 1000000, "what a lot holds, above 0"),
    LGKT_ROW_REAL(settings, capacity, "capacity", "20", 0, 1000000,
                  "what the store holds, above 0"),
    LGKT_ROW_REAL(settings, mean, "mean", "5", 0, 1000000, "mean demand, above 0"),
    LGKT_ROW_REAL(settings, spread, "spread", "0.5", 0, 3, "deviation of the demand's logarithm"),
    LGKT_ROW_REAL(settings, memory, "memory", "0.8", 0, 0.999,
                  "correlation of one day's mood with the next"),
    LGKT_ROW_REAL(settings, holding, "holding", "1", 0, 1000000, "cost of what is left, per unit"),
    LGKT_ROW_REAL(settings, shortage, "shortage", "4", 0, 1000000,
                  "cost of what is asked for and not there, per unit"),
    LGKT_ROW_REAL(settings, order, "order", "4", 0, 1000000, "cost of an order, whatever its size"),
};

// Orders `lots` and meets the demand that a normal number makes; returns the reward.
static double move_shelf(const settings *set, shelf *at, int32_t lots, double normal)
{
    const double full = fmin(set->capacity, at->stock + set->lot * lots);
    at->mood = set->memory * at->mood + sqrt(1 - set->memory * set->memory) * normal;
    const double size = set->spread * at->mood - set->spread * set->spread / 2;
    at->demand = fmin(set->capacity, set->mean * lgkt_exp(size));
    const double sold = fmin(full, at->demand);
    at->stock = full - sold;
    // from 0, so that no cost at all is no -0.0
    return 0 - (set->holding * at->stock + set->shortage * (at->demand - sold) +
                (lots > 0 ? set->order : 0));
}

static void step_stock(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const double reward = move_shelf(trajectory->world, (void *)trajectory->self, action,
                                     lgkt_rng_normal(&trajectory->rng));
    lgkt_numbers_step(trajectory, reward, false, step);
}

static void start_stock(lgkt_trajectory *trajectory, double u)
{
    (void)u; // every run begins alike
    const settings *set = trajectory->world;
    *(shelf *)(void *)trajectory->self =
        (shelf){.stock = set->capacity / 2, .demand = fmin(set->capacity, set->mean)};
    lgkt_numbers_start(trajectory);
}

static lgkt_status create_stock(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    if (!(set->lot > 0 && set->capacity > 0 && set->mean > 0))
        return lgkt_fail(error, LGKT_ERR_SPEC, "lot=%g, capacity=%g and mean=%g must be above 0",
                         set->lot, set->capacity, set->mean);
    env->actions = (int32_t)set->actions;
    // all is left, or all is asked for and nothing there
    env->reward_min = -(set->capacity * fmax(set->holding, set->shortage) + set->order);
    env->reward_sd = -env->reward_min / 2;
    const double low[] = {0, 0}, high[] = {set->capacity, 3 * set->mean};
    *(settings *)env->self = *set;
    snprintf(env->note, sizeof env->note, "a store of %g with demand of mean %g", set->capacity,
             set->mean);
    return lgkt_numbers_open(env, &set->seen,
                             &(lgkt_vector){.dims = STOCK_DIMS, .low = low, .high = high}, error);
}

static void visit_stock(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const double capacity = ((const settings *)trajectory->world)->capacity;
    const shelf *at = (void *)trajectory->self;
    lgkt_numbers_visit(trajectory, archive);
    archive->bad |=
        !(at->stock >= 0 && at->stock <= capacity && at->demand >= 0 && at->demand <= capacity);
}

const lgkt_env_class lgkt_stock_class = {
    LGKT_ENV_ENTRY("stock",
                   "a store with stock and demand that are real numbers, seen through bins or as a "
                   "record",
                   "ours", "O(bins)", LGKT_PARAMS(STOCK_PARAMS)),
    LGKT_NUMBERS_CLASS(settings, shelf),
    .create = create_stock,
    .step = step_stock,
    .start = start_stock,
    .visit = visit_stock,
};

// ---- store ----

enum { STORE_DIMS = 3, STORE_ACTIONS = 6 };

#define STORE_LOT   4.0
#define STORE_FULL  30.0
#define STORE_ORDER 0.3
#define STORE_HOLD  0.1

// What is shown first, then what is behind it.
typedef struct market {
    double stock, forecast, price;
    double f, c;
} market;

static const lgkt_param_row STORE_PARAMS[] = {LGKT_RECORD_ROWS(settings)};

static void put_market(market *at, double stock, double f, double c)
{
    *at = (market){stock, 6 * lgkt_exp(0.5 * f), 0.5 + 0.12 * c, f, c};
}

static void step_store(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    market *at = (void *)trajectory->self;
    const double surprise = lgkt_rng_normal(&trajectory->rng);
    const double f = lgkt_rng_normal(&trajectory->rng), c = lgkt_rng_normal(&trajectory->rng);
    const double lots = STORE_LOT * action, full = fmin(STORE_FULL, at->stock + lots);
    const double sold = fmin(full, at->forecast * lgkt_exp(0.25 * surprise - 0.03125));
    const double left = full - sold;
    const double cost = lots * at->price + (action > 0 ? STORE_ORDER : 0) + STORE_HOLD * left;
    put_market(at, left, 0.8 * at->f + 0.6 * f, 0.9 * at->c + sqrt(1 - 0.9 * 0.9) * c);
    lgkt_numbers_step(trajectory, sold - cost, false, step);
}

static void start_store(lgkt_trajectory *trajectory, double u)
{
    (void)u; // every run begins alike
    put_market((void *)trajectory->self, 5, 0, 0);
    lgkt_numbers_start(trajectory);
}

static lgkt_status create_store(lgkt_env *env, void *chosen, lgkt_error *error)
{
    static const double LOW[] = {0, 0, 0.2}, HIGH[] = {25, 20, 0.8};
    const settings *set = chosen;
    env->actions = STORE_ACTIONS;
    // prices have no bound, nor have rewards
    env->reward_min = env->reward_max = env->reward_sd = NAN;
    snprintf(env->note, sizeof env->note, "a store with a forecast and a price that wander");
    return lgkt_numbers_open(env, &set->seen,
                             &(lgkt_vector){.dims = STORE_DIMS, .low = LOW, .high = HIGH}, error);
}

static void visit_store(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const market *at = (void *)trajectory->self;
    lgkt_numbers_visit(trajectory, archive);
    archive->bad |= !(at->stock >= 0 && at->stock <= STORE_FULL && fabs(at->f) <= 100 &&
                      fabs(at->c) <= 100 && at->forecast >= 0);
}

const lgkt_env_class lgkt_store_class = {
    LGKT_ENV_ENTRY("store", "orders for a store that sees a forecast and a price", "ours",
                   "O(bins)", LGKT_PARAMS(STORE_PARAMS)),
    LGKT_NUMBERS_CLASS(settings, market),
    .create = create_store,
    .step = step_store,
    .start = start_store,
    .visit = visit_store,
};
