// SPDX-License-Identifier: MIT
// A store with stock that is a real number and demand that has a memory, seen through bins.
//
// With x the stock, q = lot times the action (0 .. actions-1) what is ordered, and z_t standard
// normal numbers:
//     y = min(capacity, x + q)                 the order is there before the day begins
//     w <- memory w + sqrt(1 - memory^2) z_t   the mood of the customers
//     d = min(capacity, mean exp(spread w - spread^2/2))   the demand, lognormal
//     x <- y - min(y, d)                       what is not there is not sold
//     reward = -(holding x + shortage (d - min(y, d)) + order [q > 0])
// The observation behind the state is two doubles, x and the last d: with them the process is
// Markov, but for the rare demand that is cut at the capacity. A run begins with half the capacity
// and w = 0. Each step draws one normal number.
//
// view=grid: `bins` equal parts of 0 .. capacity and of 0 .. 3 mean; view=quantiles as in coarse.c.
//
// There is no model. As reference serves the best policy that orders the number of lots that comes
// closest to a stock of u + v d: with the default settings u = 1 and v = 1.1, found by simulation
// (test_env_stock.c, docs/coarse.md).
//
// Memory O(bins) and a step O(log bins).
#include "env/stock.h"

#include <math.h>
#include <stdio.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/error.h"
#include "core/hash.h"

typedef struct settings {
    int64_t actions;
    double capacity, lot;
    double mean, spread, memory;
    double holding, shortage, order;
    lgkt_coarse_settings coarse;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_COARSE_ROWS(settings, "grid|quantiles",
                     "what is seen: equal bins, or bins between quantiles", "6"),
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

// ---- one day ----

// Orders `lots` and meets the demand that a normal number makes; returns the reward.
static double move_shelf(const lgkt_store *store, lgkt_shelf *shelf, int32_t lots, double normal)
{
    const double full = fmin(store->capacity, shelf->stock + store->lot * lots);
    shelf->mood = store->memory * shelf->mood + sqrt(1 - store->memory * store->memory) * normal;
    const double size = store->spread * shelf->mood - store->spread * store->spread / 2;
    shelf->demand = fmin(store->capacity, store->mean * lgkt_exp(size));
    const double sold = fmin(full, shelf->demand);
    shelf->stock = full - sold;
    // from 0, so that no cost at all is no -0.0
    return 0 - (store->holding * shelf->stock + store->shortage * (shelf->demand - sold) +
                (lots > 0 ? store->order : 0));
}

// ---- functions of the class ----

static int32_t number_of(const lgkt_trajectory *trajectory)
{
    const lgkt_store *store = trajectory->world;
    return lgkt_bins_number(store->bins, (const double *)(const void *)trajectory->self);
}

static void step_store(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    step->reward = move_shelf(trajectory->world, (void *)trajectory->self, action,
                              lgkt_rng_normal(&trajectory->rng));
    step->mean_reward = step->reward;
    step->ended = false;
    step->state = trajectory->state = number_of(trajectory);
}

static void start(lgkt_trajectory *trajectory, double u)
{
    (void)u; // every run begins alike
    const lgkt_store *store = trajectory->world;
    *(lgkt_shelf *)(void *)trajectory->self =
        (lgkt_shelf){.stock = store->capacity / 2, .demand = fmin(store->capacity, store->mean)};
    trajectory->step = step_store;
    trajectory->state = number_of(trajectory);
}

static lgkt_status create(lgkt_env *env, void *chosen, const lgkt_env_config *config,
                          lgkt_error *error)
{
    const settings *set = chosen;
    if (!(set->lot > 0 && set->capacity > 0 && set->mean > 0))
        return lgkt_fail(error, LGKT_ERR_SPEC, "lot=%g, capacity=%g and mean=%g must be above 0",
                         set->lot, set->capacity, set->mean);
    lgkt_status status = lgkt_env_alloc_self(env, sizeof(lgkt_store), error);
    if (status != LGKT_OK)
        return status;
    lgkt_store *store = env->self;
    *store = (lgkt_store){.capacity = set->capacity,
                          .lot = set->lot,
                          .mean = set->mean,
                          .spread = set->spread,
                          .memory = set->memory,
                          .holding = set->holding,
                          .shortage = set->shortage,
                          .order = set->order};
    env->actions = (int32_t)set->actions;
    // all is left, or all is asked for and nothing there
    env->reward_min = -(set->capacity * fmax(set->holding, set->shortage) + set->order);
    env->reward_max = 0;
    env->reward_sd = -env->reward_min / 2;
    const double low[] = {0, 0}, high[] = {set->capacity, 3 * set->mean};
    const lgkt_coarse_range range = {.dims = LGKT_STOCK_DIMS, .low = low, .high = high};
    status = lgkt_coarse_open(env, &set->coarse, &range, config, &store->bins, error);
    snprintf(env->note, sizeof env->note, "a store of %g with demand of mean %g, %s", set->capacity,
             set->mean,
             set->coarse.view == LGKT_VIEW_GRID ? "equal bins" : "bins between quantiles");
    return status;
}

static void destroy(lgkt_env *env)
{
    lgkt_store *store = env->self;
    lgkt_bins_destroy(store->bins, &env->allocator);
    lgkt_free(&env->allocator, store);
}

static const void *observation(const lgkt_trajectory *trajectory, size_t *size)
{
    *size = LGKT_STOCK_DIMS * sizeof(double);
    return trajectory->self;
}

static uint64_t hash_store(const lgkt_env *env, uint64_t hash)
{
    const lgkt_store *store = env->self;
    const double numbers[] = {store->capacity, store->lot,     store->mean,     store->spread,
                              store->memory,   store->holding, store->shortage, store->order};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hash = lgkt_hash_f64(hash, numbers[i]);
    return lgkt_coarse_hash(store->bins, lgkt_hash_u64(hash, (uint64_t)env->actions));
}

static void visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const lgkt_store *store = trajectory->world;
    lgkt_shelf *shelf = (void *)trajectory->self;
    lgkt_visit_f64(archive, &shelf->stock, 1);
    lgkt_visit_f64(archive, &shelf->demand, 1);
    lgkt_visit_f64(archive, &shelf->mood, 1);
    archive->bad |= !(shelf->stock >= 0 && shelf->stock <= store->capacity && shelf->demand >= 0 &&
                      shelf->demand <= store->capacity);
    archive->bad |= trajectory->state != number_of(trajectory);
}

const lgkt_env_class lgkt_stock_class = {
    .entry = {.name = "stock",
              .summary = "a store with stock and demand that are real numbers, seen through bins",
              .source = "ours",
              .memory = "O(bins)",
              LGKT_PARAMS(PARAMS)},
    .run_size = sizeof(lgkt_shelf),
    .create = create,
    .destroy = destroy,
    .start = start,
    .observation = observation,
    .hash = hash_store,
    .visit = visit,
};
