// SPDX-License-Identifier: MIT
// A pole on a cart that is pushed left or right, seen through bins of its four numbers.
//
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
// and +-6 degrees, +-50 degrees/s. The observation behind the state is four doubles: x, x', a, a'.
//
// There is no model: what a bin does next depends on where in it the pole is. The best that is
// known is not to fall at all, which a controller that pushes by the sign of
// a + 0.5 a' + 0.05 x + 0.1 x' does (test_env_cartpole.c).
//
// Memory O(bins) and a step O(log bins).
#include "env/coarse.h"

#include <math.h>
#include <stdio.h>

#include "core/elementary.h"
#include "core/hash.h"

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

enum { PUSH_LEFT, PUSH_RIGHT, ACTIONS };
enum { DIMS = 4 };

// metres, radians, seconds; in the order in which they are shown
typedef struct pole {
    double position, velocity, angle, spin;
} pole;

typedef struct settings {
    lgkt_coarse_settings coarse;
    int64_t cut;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_COARSE_ROWS(settings, "grid|quantiles|boxes",
                     "what is seen: equal bins, bins between quantiles, or the 162 boxes of Barto, "
                     "Sutton and Anderson",
                     "4"),
    LGKT_ROW_INTEGER(settings, cut, "cut", "1", 0, 1,
                     "0: the start that follows a fall is told as its consequence"),
};

// ---- mechanics ----

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
    double at[DIMS];
    for (int d = 0; d < DIMS; d++)
        at[d] = START * (2 * ((double)(lgkt_splitmix(&state) >> 11) * 0x1p-53) - 1);
    return (pole){at[0], at[1], at[2], at[3]};
}

// ---- functions of the class ----

static void step_pole(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    pole *at = (void *)trajectory->self;
    const double u = lgkt_rng_uniform(&trajectory->rng);
    const bool fell = move_pole(at, action);
    if (fell)
        *at = fresh_pole(u);
    step->reward = step->mean_reward = fell ? 0 : 1;
    step->ended = fell && ((const settings *)trajectory->world)->cut;
    step->state = trajectory->state = lgkt_coarse_state(trajectory);
}

static void start(lgkt_trajectory *trajectory, double u)
{
    *(pole *)(void *)trajectory->self = fresh_pole(u);
    trajectory->step = step_pole;
    trajectory->state = lgkt_coarse_state(trajectory);
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    static const double HIGH[] = {MOST_PLACE, 2, MOST_ANGLE, 2};
    static const double LOW[] = {-MOST_PLACE, -2, -MOST_ANGLE, -2};
    static const int32_t CUTS[] = {2, 2, 5, 2};
    static const double BOXES[] = {-0.8,         0.8,        -0.5, 0.5, // position, velocity
                                   -6 * DEGREE,  -DEGREE,    0,    DEGREE, 6 * DEGREE, // angle
                                   -50 * DEGREE, 50 * DEGREE};                         // spin
    static const char *const NAMES[] = {"equal bins", "bins between quantiles", "boxes"};
    const settings *set = chosen;
    *(settings *)env->self = *set;
    env->actions = ACTIONS;
    env->reward_max = 1;
    env->reward_sd = 0.5;
    const lgkt_coarse_range range = {.dims = DIMS,
                                     .low = LOW,
                                     .high = HIGH,
                                     .own = {.dims = DIMS, .cuts = CUTS, .edges = BOXES}};
    snprintf(env->note, sizeof env->note, "cart-pole of Barto, Sutton and Anderson 1983, %s",
             NAMES[set->coarse.view]);
    return lgkt_coarse_open(env, &set->coarse, &range, error);
}

static uint64_t hash_cut(const lgkt_env *env, uint64_t hash)
{
    return lgkt_hash_u64(hash, (uint64_t)((const settings *)env->self)->cut);
}

static void visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const pole *at = (void *)trajectory->self;
    lgkt_coarse_visit(trajectory, archive);
    archive->bad |= !(fabs(at->position) <= MOST_PLACE && fabs(at->angle) <= MOST_ANGLE);
}

const lgkt_env_class lgkt_cartpole_class = {
    LGKT_ENV_ENTRY("cartpole",
                   "a pole on a cart, balanced by pushes, its four numbers seen through bins",
                   "Barto, Sutton and Anderson 1983", "O(bins)", LGKT_PARAMS(PARAMS)),
    .self_size = sizeof(settings),
    .run_size = sizeof(pole),
    .create = create,
    .start = start,
    .observation = lgkt_coarse_observation,
    .hash = hash_cut,
    .visit = visit,
};
