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
#include "env/coarse.h"

#include <math.h>
#include <stdio.h>

#include "core/elementary.h"
#include "core/error.h"
#include "core/hash.h"

enum { DIMS = 2 };

// All that a step depends on, so env->self is a copy.
typedef struct settings {
    int64_t actions;
    double capacity, lot;
    double mean, spread, memory;
    double holding, shortage, order;
    lgkt_coarse_settings coarse;
} settings;

// What is shown first, then what is behind the demand.
typedef struct shelf {
    double stock, demand;
    double mood; // standard normal in the long run
} shelf;

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

// ---- functions of the class ----

static void step_store(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    step->reward = move_shelf(trajectory->world, (void *)trajectory->self, action,
                              lgkt_rng_normal(&trajectory->rng));
    step->mean_reward = step->reward;
    step->ended = false;
    step->state = trajectory->state = lgkt_coarse_state(trajectory);
}

static void start(lgkt_trajectory *trajectory, double u)
{
    (void)u; // every run begins alike
    const settings *set = trajectory->world;
    *(shelf *)(void *)trajectory->self =
        (shelf){.stock = set->capacity / 2, .demand = fmin(set->capacity, set->mean)};
    trajectory->step = step_store;
    trajectory->state = lgkt_coarse_state(trajectory);
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    if (!(set->lot > 0 && set->capacity > 0 && set->mean > 0))
        return lgkt_fail(error, LGKT_ERR_SPEC, "lot=%g, capacity=%g and mean=%g must be above 0",
                         set->lot, set->capacity, set->mean);
    *(settings *)env->self = *set;
    env->actions = (int32_t)set->actions;
    // all is left, or all is asked for and nothing there
    env->reward_min = -(set->capacity * fmax(set->holding, set->shortage) + set->order);
    env->reward_sd = -env->reward_min / 2;
    const double low[] = {0, 0}, high[] = {set->capacity, 3 * set->mean};
    const lgkt_coarse_range range = {.dims = DIMS, .low = low, .high = high};
    snprintf(env->note, sizeof env->note, "a store of %g with demand of mean %g, %s", set->capacity,
             set->mean,
             set->coarse.view == LGKT_VIEW_GRID ? "equal bins" : "bins between quantiles");
    return lgkt_coarse_open(env, &set->coarse, &range, error);
}

static uint64_t hash_store(const lgkt_env *env, uint64_t hash)
{
    const settings *set = env->self;
    const double numbers[] = {set->capacity, set->lot,     set->mean,     set->spread,
                              set->memory,   set->holding, set->shortage, set->order};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hash = lgkt_hash_f64(hash, numbers[i]);
    return lgkt_hash_u64(hash, (uint64_t)env->actions);
}

static void visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const double capacity = ((const settings *)trajectory->world)->capacity;
    const shelf *at = (void *)trajectory->self;
    lgkt_coarse_visit(trajectory, archive);
    archive->bad |=
        !(at->stock >= 0 && at->stock <= capacity && at->demand >= 0 && at->demand <= capacity);
}

const lgkt_env_class lgkt_stock_class = {
    LGKT_ENV_ENTRY("stock",
                   "a store with stock and demand that are real numbers, seen through bins", "ours",
                   "O(bins)", LGKT_PARAMS(PARAMS)),
    .self_size = sizeof(settings),
    .run_size = sizeof(shelf),
    .create = create,
    .start = start,
    .observation = lgkt_coarse_observation,
    .hash = hash_store,
    .visit = visit,
};
