// SPDX-License-Identifier: MIT
// Worlds of real numbers, seen through bins: `cartpole` and `stock`.
//
// States are bins of a vector of numbers: of equal width (view=grid), between quantiles
// (view=quantiles), or the environment's own. Quantiles are those of a run with uniform actions,
// which is made with the environment, from the stream "instance": all learners on one instance see
// the same states. They are numbered with the last number of the vector changing fastest. The
// observation behind the state is the vector. There is no model: what a bin does next depends on
// where in it one is. Memory O(bins) and a step O(log bins).
//
// `cartpole`: a pole on a cart that is pushed left or right, seen through its four numbers.
// Barto, Sutton and Anderson (1983), "Neuronlike adaptive elements that can solve difficult
// learning control problems", appendix. With x the place of the cart, a the angle of the pole from
// upright, F = -10 or 10 N the push, M = 1 kg the cart, m = 0.1 kg the pole, l = 0.5 m half its
// length, g = 9.8 m/s^2, friction c = 0.0005 of the cart and p = 0.000002 of the pole:
//     a'' = (g sin a - cos a (F + m l a'^2 sin a - c sgn x')/(M+m) - p a'/(m l))
//           / (l (4/3 - m cos^2 a/(M+m)))
//     x'' = (F + m l (a'^2 sin a - a'' cos a) - c sgn x')/(M+m)
// Euler's method with steps of 0.02 s: places move by the speeds before the step.
//
// The pole has fallen beyond 12 degrees, the cart has left the track beyond 2.4 m. That step earns
// 0, all others 1; it is a cut (unless cut=0), and the next pole starts with all four numbers
// uniform in +-0.05. Each step draws one random number, from which the four would come. So an
// average of 1 - f means f falls per step.
//
// view=grid: `bins` equal parts of +-2.4 m, +-2 m/s, +-12 degrees and +-2 rad/s; beyond these are
// the end bins. view=boxes: the 162 boxes of the paper, with edges at +-0.8 m, +-0.5 m/s, 0, +-1
// and +-6 degrees, +-50 degrees/s.
//
// The vector is x, x', a, a'. The best that is known is not to fall at all, which a controller that
// pushes by the sign of a + 0.5 a' + 0.05 x + 0.1 x' does (test_env_cartpole.c).
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
// settings u = 1 and v = 1.1, found by simulation (test_env_stock.c, docs/coarse.md).
#include "env/env_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/error.h"
#include "core/hash.h"

// ---- bins ----

enum { VIEW_GRID, VIEW_QUANTILES, VIEW_OWN };
static const char *const VIEWS[] = {"equal bins", "bins between quantiles", "boxes"};

// The settings of both, and all that a step depends on: env->self is a copy.
typedef struct settings {
    int view;
    int64_t bins, warmup, cut, actions;
    double capacity, lot;
    double mean, spread, memory; // of the demand
    double holding, shortage, order;
} settings;

#define VIEW_ROWS(choices, of_view, bins_default)                                                  \
    LGKT_ROW_CHOICE(settings, view, "view", "grid", choices, of_view),                             \
        LGKT_ROW_INTEGER(settings, bins, "bins", bins_default, 1, 1000, "bins of each number"),    \
        LGKT_ROW_INTEGER(settings, warmup, "warmup", "1000", 1, 1000000,                           \
                         "steps of a run with uniform actions that the quantiles come from")

// A range of each number for equal bins, or edges of its own.
typedef struct coarse_range {
    int32_t dims;
    const double *low, *high; // (dims)
    lgkt_view own;            // for VIEW_OWN
} coarse_range;

// equal parts of each range
static lgkt_status make_grid(lgkt_env *env, int32_t bins, const coarse_range *range,
                             lgkt_error *error)
{
    int32_t cuts[LGKT_BINS_DIMS];
    double *edges = lgkt_alloc_zeroed(&env->allocator, (size_t)(range->dims * bins), sizeof *edges);
    if (edges == NULL)
        return lgkt_fail_memory(error, "a grid");
    double *edge = edges;
    for (int32_t d = 0; d < range->dims; d++) {
        cuts[d] = bins - 1;
        for (int32_t j = 1; j < bins; j++)
            *edge++ = range->low[d] + (range->high[d] - range->low[d]) * j / bins;
    }
    const lgkt_view view = {.dims = range->dims, .cuts = cuts, .edges = edges};
    const lgkt_status status = lgkt_bins_create(&view, &env->allocator, &env->bins, error);
    lgkt_free(&env->allocator, edges);
    return status;
}

// of what uniform actions lead to
static lgkt_status make_quantiles(lgkt_env *env, const settings *set, int32_t dims,
                                  lgkt_error *error)
{
    if (set->warmup < set->bins)
        return lgkt_fail(error, LGKT_ERR_SPEC, "warmup=%lld, must be at least bins=%lld",
                         (long long)set->warmup, (long long)set->bins);
    int32_t cuts[LGKT_BINS_DIMS];
    for (int32_t d = 0; d < dims; d++)
        cuts[d] = (int32_t)set->bins - 1;
    const lgkt_view view = {.dims = dims, .cuts = cuts, .warmup = set->warmup};
    lgkt_trajectory *run = NULL;
    LGKT_TRY(lgkt_bins_create(&view, &env->allocator, &env->bins, error));
    LGKT_TRY(lgkt_trajectory_create(env, set->warmup, lgkt_rng_next(&env->rng), 0, &env->allocator,
                                    &run, error));
    lgkt_status status = LGKT_OK;
    for (int64_t t = 0; t < set->warmup && status == LGKT_OK; t++) {
        lgkt_step step;
        // the step before, since with the last vector the edges are there
        double values[LGKT_BINS_DIMS];
        memcpy(values, run->self, (size_t)dims * sizeof *values);
        status = lgkt_trajectory_step(run, lgkt_rng_below(&env->rng, env->actions), &step);
        lgkt_bins_note(env->bins, values);
    }
    lgkt_trajectory_destroy(run);
    return status;
}

// Makes env->bins and sets env->self and env->states. Steps show state 0 while edges are to come;
// all the rest of the environment is there.
static lgkt_status open_bins(lgkt_env *env, const settings *set, const coarse_range *range,
                             lgkt_error *error)
{
    lgkt_status status;
    *(settings *)env->self = *set;
    if (set->view == VIEW_GRID)
        status = make_grid(env, (int32_t)set->bins, range, error);
    else if (set->view == VIEW_QUANTILES)
        status = make_quantiles(env, set, range->dims, error);
    else
        status = lgkt_bins_create(&range->own, &env->allocator, &env->bins, error);
    if (status != LGKT_OK)
        return status;
    const int64_t limit = LGKT_MAX_PAIRS / env->actions;
    const int64_t states = lgkt_bins_count(env->bins, LGKT_MAX_STATES);
    if (states > LGKT_MAX_STATES || states > limit)
        return lgkt_fail(error, LGKT_ERR_SPEC, "bins=%lld: that is more than %d states",
                         (long long)set->bins,
                         (int)(limit < LGKT_MAX_STATES ? limit : LGKT_MAX_STATES));
    env->states = (int32_t)states;
    return LGKT_OK;
}

// The state of a run, whose own state begins with the vector.
static int32_t state_of(const lgkt_trajectory *trajectory)
{
    return lgkt_bins_number(trajectory->env->bins, (const double *)(const void *)trajectory->self);
}

static const void *observation(const lgkt_trajectory *trajectory, size_t *size)
{
    *size = (size_t)trajectory->env->bins->dims * sizeof(double);
    return trajectory->self;
}

// What a run keeps are doubles and nothing else, so that they are saved in one go.
static void visit_numbers(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    lgkt_visit_f64(archive, (void *)trajectory->self, trajectory->env->run_size / sizeof(double));
    archive->bad |= trajectory->state != state_of(trajectory);
}

// ---- cartpole ----

#define GRAVITY       9.8
#define CART          1.0
#define POLE          0.1
#define HALF          0.5
#define PUSH          10.0
#define CART_FRICTION 0.0005
#define POLE_FRICTION 0.000002
#define SECONDS       0.02
#define DEGREE        0.017453292519943295
#define MOST_ANGLE    (12 * DEGREE)
#define MOST_PLACE    2.4
#define START         0.05

enum { PUSH_LEFT, PUSH_RIGHT, PUSHES };
enum { POLE_DIMS = 4, STOCK_DIMS = 2 };

// metres, radians, seconds; in the order in which they are shown
typedef struct pole {
    double position, velocity, angle, spin;
} pole;

static const lgkt_param_row POLE_PARAMS[] = {
    VIEW_ROWS("grid|quantiles|boxes",
              "what is seen: equal bins, bins between quantiles, or the 162 boxes of Barto, "
              "Sutton and Anderson",
              "4"),
    LGKT_ROW_INTEGER(settings, cut, "cut", "1", 0, 1,
                     "0: the start that follows a fall is told as its consequence"),
};

// Moves by one step; true if it has fallen or left the track.
static bool move_pole(pole *at, int32_t action)
{
    const double total = CART + POLE, sine = lgkt_sin(at->angle), cosine = lgkt_cos(at->angle);
    const double force = action == PUSH_RIGHT ? PUSH : -PUSH;
    const double drag = CART_FRICTION * ((at->velocity > 0) - (at->velocity < 0));
    const double push = force + POLE * HALF * at->spin * at->spin * sine - drag;
    const double turn =
        (GRAVITY * sine - cosine * push / total - POLE_FRICTION * at->spin / (POLE * HALF)) /
        (HALF * (4.0 / 3 - POLE * cosine * cosine / total));
    const double cart = (push - POLE * HALF * turn * cosine) / total;
    at->position += SECONDS * at->velocity;
    at->velocity += SECONDS * cart;
    at->angle += SECONDS * at->spin;
    at->spin += SECONDS * turn;
    // true for a NaN too, which speeds that were made up may lead to
    return !(fabs(at->position) <= MOST_PLACE && fabs(at->angle) <= MOST_ANGLE);
}

// four numbers from one, which is 53 random bits
static pole fresh_pole(double u)
{
    uint64_t state = (uint64_t)(u * 0x1p53);
    double at[POLE_DIMS];
    for (int d = 0; d < POLE_DIMS; d++)
        at[d] = START * (2 * ((double)(lgkt_splitmix(&state) >> 11) * 0x1p-53) - 1);
    return (pole){at[0], at[1], at[2], at[3]};
}

static void step_pole(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    pole *at = (void *)trajectory->self;
    const double u = lgkt_rng_uniform(&trajectory->rng);
    const bool fell = move_pole(at, action);
    if (fell)
        *at = fresh_pole(u);
    step->reward = step->mean_reward = fell ? 0 : 1;
    step->ended = fell && ((const settings *)trajectory->world)->cut;
    step->state = trajectory->state = state_of(trajectory);
}

static void start_pole(lgkt_trajectory *trajectory, double u)
{
    *(pole *)(void *)trajectory->self = fresh_pole(u);
    trajectory->state = state_of(trajectory);
}

static lgkt_status create_pole(lgkt_env *env, void *chosen, lgkt_error *error)
{
    static const double HIGH[] = {MOST_PLACE, 2, MOST_ANGLE, 2};
    static const double LOW[] = {-MOST_PLACE, -2, -MOST_ANGLE, -2};
    static const int32_t CUTS[] = {2, 2, 5, 2};
    static const double BOXES[] = {-0.8,         0.8,        -0.5, 0.5, // position, velocity
                                   -6 * DEGREE,  -DEGREE,    0,    DEGREE, 6 * DEGREE, // angle
                                   -50 * DEGREE, 50 * DEGREE};                         // spin
    const settings *set = chosen;
    env->actions = PUSHES;
    env->reward_max = 1;
    env->reward_sd = 0.5;
    const coarse_range range = {.dims = POLE_DIMS,
                                .low = LOW,
                                .high = HIGH,
                                .own = {.dims = POLE_DIMS, .cuts = CUTS, .edges = BOXES}};
    snprintf(env->note, sizeof env->note, "cart-pole of Barto, Sutton and Anderson 1983, %s",
             VIEWS[set->view]);
    return open_bins(env, set, &range, error);
}

static void visit_pole(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const pole *at = (void *)trajectory->self;
    visit_numbers(trajectory, archive);
    archive->bad |= !(fabs(at->position) <= MOST_PLACE && fabs(at->angle) <= MOST_ANGLE);
}

const lgkt_env_class lgkt_cartpole_class = {
    LGKT_ENV_ENTRY("cartpole",
                   "a pole on a cart, balanced by pushes, its four numbers seen through bins",
                   "Barto, Sutton and Anderson 1983", "O(bins)", LGKT_PARAMS(POLE_PARAMS)),
    .self_size = sizeof(settings),
    .run_size = sizeof(pole),
    .create = create_pole,
    .step = step_pole,
    .start = start_pole,
    .observation = observation,
    .visit = visit_pole,
};

// ---- stock ----

// What is shown first, then what is behind the demand.
typedef struct shelf {
    double stock, demand;
    double mood; // standard normal in the long run
} shelf;

static const lgkt_param_row STOCK_PARAMS[] = {
    VIEW_ROWS("grid|quantiles", "what is seen: equal bins, or bins between quantiles", "6"),
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

static void step_store(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    step->reward = move_shelf(trajectory->world, (void *)trajectory->self, action,
                              lgkt_rng_normal(&trajectory->rng));
    step->mean_reward = step->reward;
    step->ended = false;
    step->state = trajectory->state = state_of(trajectory);
}

static void start_stock(lgkt_trajectory *trajectory, double u)
{
    (void)u; // every run begins alike
    const settings *set = trajectory->world;
    *(shelf *)(void *)trajectory->self =
        (shelf){.stock = set->capacity / 2, .demand = fmin(set->capacity, set->mean)};
    trajectory->state = state_of(trajectory);
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
    const coarse_range range = {.dims = STOCK_DIMS, .low = low, .high = high};
    snprintf(env->note, sizeof env->note, "a store of %g with demand of mean %g, %s", set->capacity,
             set->mean, VIEWS[set->view]);
    return open_bins(env, set, &range, error);
}

static void visit_stock(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const double capacity = ((const settings *)trajectory->world)->capacity;
    const shelf *at = (void *)trajectory->self;
    visit_numbers(trajectory, archive);
    archive->bad |=
        !(at->stock >= 0 && at->stock <= capacity && at->demand >= 0 && at->demand <= capacity);
}

const lgkt_env_class lgkt_stock_class = {
    LGKT_ENV_ENTRY("stock",
                   "a store with stock and demand that are real numbers, seen through bins", "ours",
                   "O(bins)", LGKT_PARAMS(STOCK_PARAMS)),
    .self_size = sizeof(settings),
    .run_size = sizeof(shelf),
    .create = create_stock,
    .step = step_store,
    .start = start_stock,
    .observation = observation,
    .visit = visit_stock,
};
