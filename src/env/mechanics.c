// SPDX-License-Identifier: MIT
// Four swinging things that the literature tries learners on: `cartpole`, `mountaincar`,
// `pendulum` and `acrobot`. What a learner sees of their numbers is in numbers.c.
//
// An end that the world makes (a fall, a goal) leads to a fresh start, and tells the learner nothing
// but that: it is a move as others, unless cut=1 tells it as a cut. Each step draws one random number, from which all numbers of a
// fresh start would come; `pendulum` has no ends, and draws none.
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
// and c = p = 0 with friction=0, as Gymnasium has it. The pole has fallen beyond 12 degrees, the
// cart has left the track beyond 2.4 m. That step earns 0, all others 1, and the next pole starts
// with all four numbers uniform in +-0.05. So an average of 1 - f means f falls per step. With
// cut=1, the default of all views but view=record, a fall is told as a cut.
//
// view=grid: `bins` equal parts of +-2.4 m, +-2 m/s, +-12 degrees and +-2 rad/s; beyond these are
// the end bins. view=boxes: the 162 boxes of the paper, with edges at +-0.8 m, +-0.5 m/s, 0, +-1
// and +-6 degrees, +-50 degrees/s.
//
// The vector is x, x', a, a'. The best that is known is not to fall at all, which a controller that
// pushes by the sign of a + 0.5 a' + 0.05 x + 0.1 x' does (test_env_cartpole.c).
//
//
// The three others have the constants of Gymnasium, and are seen as records where no bins are asked
// for.
//
// `mountaincar` (Moore 1990; Sutton and Barto, example 10.1): place p, speed v, a push a = -1, 0, 1:
//     v <- v + 0.001 a - 0.0025 cos 3p, within +-0.07;   p <- p + v, within -1.2 .. 0.6
// and v = 0 at the left end. A step earns -1, the one that reaches p >= 0.5 earns 0, and the next
// car starts at rest with p uniform in -0.6 .. -0.4. The vector is p, v.
//
// `pendulum`: angle a from upright, spin w, torque u = -2, -1, .. 2:
//     reward = -(a^2 + 0.1 w^2 + 0.001 u^2), of the numbers before the step, a in +-pi
//     w <- w + 0.05 (15 sin a + 3 u), within +-8;   a <- a + 0.05 w
// The vector is cos a, sin a, w. It starts anywhere, with a spin in +-1.
//
// `acrobot` (Sutton 1996, as in the book): two rods of length 1, mass 1, their middles in the
// middle, inertia 1 each; a torque u = -1, 0, 1 between them. Angles a of the first from hanging, b
// of the second from the first:
//     d1 = 3.5 + cos b,  d2 = 1.25 + 0.5 cos b,  f2 = 4.9 sin(a + b)
//     f1 = f2 - 0.5 b'^2 sin b - a' b' sin b + 14.7 sin a
//     b'' = (u + f1 d2/d1 - 0.5 a'^2 sin b - f2) / (1.25 - d2^2/d1),   a'' = -(d2 b'' + f1)/d1
// One step of 0.2 s of the method of Runge and Kutta; then a' is within +-4 pi, b' within +-9 pi. A
// step earns -1, the one after which the tip is above 1, -cos a - cos(a + b) > 1, earns 0, and all
// four start in +-0.1. The vector is cos a, sin a, cos b, sin b, a', b'.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/elementary.h"
#include "core/error.h"
#include "core/hash.h"
#include "env/numbers.h"

#define PI 3.141592653589793

// The settings of all four, and all that a step depends on: env->self is a copy.
typedef struct settings {
    lgkt_seen seen;
    int64_t cut;
    int friction;
} settings;

static const lgkt_param_row PENDULUM_PARAMS[] = {LGKT_RECORD_ROWS(settings)};
static const lgkt_param_row GOAL_PARAMS[] = {
    LGKT_RECORD_ROWS(settings),
    LGKT_ROW_INTEGER(settings, cut, "cut", "0", 0, 1,
                     "1: a goal is told as a cut; 0: the start that follows it as its consequence"),
};

// Makes what is seen of a world whose head is filled but for that.
static lgkt_status open_world(lgkt_env *env, const settings *set, const lgkt_vector *numbers,
                              lgkt_error *error)
{
    *(settings *)env->self = *set;
    env->reward_sd = (env->reward_max - env->reward_min) / 2;
    return lgkt_numbers_open(env, &set->seen, numbers, error);
}

static double within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
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
enum { FRICTION, NO_FRICTION };
enum { POLE_DIMS = 4 };

// metres, radians, seconds; in the order in which they are shown
typedef struct pole {
    double position, velocity, angle, spin;
} pole;

static const lgkt_param_row POLE_PARAMS[] = {
    LGKT_SEEN_ROWS(settings, "grid", "grid|quantiles|boxes|record", "4",
                   "what is seen: equal bins, bins between quantiles, the 162 boxes of Barto, "
                   "Sutton and Anderson, or the four numbers themselves"),
    LGKT_ROW_INTEGER(settings, cut, "cut", "@1, or 0 with view=record", 0, 1,
                     "1: a fall is told as a cut; 0: the start that follows it as its consequence"),
    LGKT_ROW_CHOICE(settings, friction, "friction", "1", "1|0",
                    "0: cart and pole move without friction, as in Gymnasium", .since = 1,
                    .before = "1"),
};

// Moves by one step; true if it has fallen or left the track.
static bool move_pole(pole *at, int32_t action, int friction)
{
    const double total = CART + POLE, sine = lgkt_sin(at->angle), cosine = lgkt_cos(at->angle);
    const double force = action == PUSH_RIGHT ? PUSH : -PUSH;
    const double of_cart = friction == NO_FRICTION ? 0 : CART_FRICTION;
    const double of_pole = friction == NO_FRICTION ? 0 : POLE_FRICTION;
    const double drag = of_cart * ((at->velocity > 0) - (at->velocity < 0));
    const double push = force + POLE * HALF * at->spin * at->spin * sine - drag;
    const double turn =
        (GRAVITY * sine - cosine * push / total - of_pole * at->spin / (POLE * HALF)) /
        (HALF * (4.0 / 3 - POLE * cosine * cosine / total));
    const double cart = (push - POLE * HALF * turn * cosine) / total;
    at->position += SECONDS * at->velocity;
    at->velocity += SECONDS * cart;
    at->angle += SECONDS * at->spin;
    at->spin += SECONDS * turn;
    // true for a NaN too, which speeds that were made up may lead to
    return !(fabs(at->position) <= MOST_PLACE && fabs(at->angle) <= MOST_ANGLE);
}

static pole fresh_pole(double u)
{
    double at[POLE_DIMS];
    lgkt_numbers_spread(u, at, POLE_DIMS);
    return (pole){START * at[0], START * at[1], START * at[2], START * at[3]};
}

static void step_pole(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const settings *set = trajectory->world;
    pole *at = (void *)trajectory->self;
    const double u = lgkt_rng_uniform(&trajectory->rng);
    const bool fell = move_pole(at, action, set->friction);
    if (fell)
        *at = fresh_pole(u);
    lgkt_numbers_step(trajectory, fell ? 0 : 1, fell && set->cut, step);
}

static void start_pole(lgkt_trajectory *trajectory, double u)
{
    *(pole *)(void *)trajectory->self = fresh_pole(u);
    lgkt_numbers_start(trajectory);
}

static lgkt_status create_pole(lgkt_env *env, void *chosen, lgkt_error *error)
{
    static const double HIGH[] = {MOST_PLACE, 2, MOST_ANGLE, 2};
    static const double LOW[] = {-MOST_PLACE, -2, -MOST_ANGLE, -2};
    static const int32_t CUTS[] = {2, 2, 5, 2};
    static const double BOXES[] = {-0.8,         0.8,        -0.5, 0.5, // position, velocity
                                   -6 * DEGREE,  -DEGREE,    0,    DEGREE, 6 * DEGREE, // angle
                                   -50 * DEGREE, 50 * DEGREE};                         // spin
    settings *set = chosen;
    const lgkt_vector numbers = {.dims = POLE_DIMS,
                                 .low = LOW,
                                 .high = HIGH,
                                 .own = {.dims = POLE_DIMS, .cuts = CUTS, .edges = BOXES}};
    if (set->cut == LGKT_UNSET_INTEGER)
        set->cut = !lgkt_numbers_recorded(&set->seen, &numbers);
    env->actions = PUSHES;
    env->reward_max = 1;
    snprintf(env->note, sizeof env->note, "cart-pole of Barto, Sutton and Anderson 1983%s",
             set->friction == NO_FRICTION ? " without friction" : "");
    return open_world(env, set, &numbers, error);
}

static void visit_pole(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const pole *at = (void *)trajectory->self;
    lgkt_numbers_visit(trajectory, archive);
    archive->bad |= !(fabs(at->position) <= MOST_PLACE && fabs(at->angle) <= MOST_ANGLE);
}

const lgkt_env_class lgkt_cartpole_class = {
    LGKT_ENV_ENTRY("cartpole",
                   "a pole on a cart, balanced by pushes, its four numbers seen through bins or as "
                   "a record",
                   "Barto, Sutton and Anderson 1983", "O(bins)", LGKT_PARAMS(POLE_PARAMS)),
    LGKT_NUMBERS_CLASS(settings, pole),
    .create = create_pole,
    .step = step_pole,
    .start = start_pole,
    .visit = visit_pole,
};

// ---- mountaincar ----

enum { CAR_DIMS = 2, CAR_ACTIONS = 3 };

typedef struct car {
    double place, speed;
} car;

static const double CAR_LOW[] = {-1.2, -0.07}, CAR_HIGH[] = {0.6, 0.07};

static car fresh_car(double u)
{
    double at;
    lgkt_numbers_spread(u, &at, 1);
    return (car){-0.5 + 0.1 * at, 0};
}

static void step_car(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const settings *set = trajectory->world;
    car *at = (void *)trajectory->self;
    const double u = lgkt_rng_uniform(&trajectory->rng);
    const double push = 0.001 * (action - 1) - 0.0025 * lgkt_cos(3 * at->place);
    at->speed = within(at->speed + push, CAR_LOW[1], CAR_HIGH[1]);
    at->place = within(at->place + at->speed, CAR_LOW[0], CAR_HIGH[0]);
    if (at->place <= CAR_LOW[0] && at->speed < 0)
        at->speed = 0;
    const bool there = at->place >= 0.5;
    if (there)
        *at = fresh_car(u);
    lgkt_numbers_step(trajectory, there ? 0 : -1, there && set->cut, step);
}

static void start_car(lgkt_trajectory *trajectory, double u)
{
    *(car *)(void *)trajectory->self = fresh_car(u);
    lgkt_numbers_start(trajectory);
}

static lgkt_status create_car(lgkt_env *env, void *chosen, lgkt_error *error)
{
    env->actions = CAR_ACTIONS;
    env->reward_min = -1;
    snprintf(env->note, sizeof env->note, "a car in a valley, with the constants of Gymnasium");
    return open_world(env, chosen,
                      &(lgkt_vector){.dims = CAR_DIMS, .low = CAR_LOW, .high = CAR_HIGH}, error);
}

static void visit_car(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const car *at = (void *)trajectory->self;
    lgkt_numbers_visit(trajectory, archive);
    archive->bad |= !(at->place >= CAR_LOW[0] && at->place < 0.5 && fabs(at->speed) <= CAR_HIGH[1]);
}

const lgkt_env_class lgkt_mountaincar_class = {
    LGKT_ENV_ENTRY("mountaincar", "a car in a valley that has to swing up to get out",
                   "Moore 1990; Gymnasium", "O(bins)", LGKT_PARAMS(GOAL_PARAMS)),
    LGKT_NUMBERS_CLASS(settings, car),
    .create = create_car,
    .step = step_car,
    .start = start_car,
    .visit = visit_car,
};

// ---- pendulum ----

enum { PENDULUM_DIMS = 3, PENDULUM_ACTIONS = 5 };

// What is shown first, then what is behind it.
typedef struct pendulum {
    double cosine, sine, spin;
    double angle; // from upright, in +-pi
} pendulum;

static const double PENDULUM_LOW[] = {-1, -1, -8}, PENDULUM_HIGH[] = {1, 1, 8};

// the same angle in +-pi; finite
static double turn_back(double angle)
{
    while (angle > PI)
        angle -= 2 * PI;
    while (angle < -PI)
        angle += 2 * PI;
    return angle;
}

static void put_pendulum(pendulum *at, double angle, double spin)
{
    at->angle = turn_back(angle);
    at->spin = spin;
    at->cosine = lgkt_cos(at->angle);
    at->sine = lgkt_sin(at->angle);
}

static void step_pendulum(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    pendulum *at = (void *)trajectory->self;
    const double torque = action - 2;
    const double cost = at->angle * at->angle + 0.1 * at->spin * at->spin + 0.001 * torque * torque;
    const double spin =
        within(at->spin + 0.05 * (15 * at->sine + 3 * torque), PENDULUM_LOW[2], PENDULUM_HIGH[2]);
    put_pendulum(at, at->angle + 0.05 * spin, spin);
    // from 0, so that no cost at all is no -0.0
    lgkt_numbers_step(trajectory, 0 - cost, false, step);
}

static void start_pendulum(lgkt_trajectory *trajectory, double u)
{
    double at[2];
    lgkt_numbers_spread(u, at, 2);
    put_pendulum((void *)trajectory->self, PI * at[0], at[1]);
    lgkt_numbers_start(trajectory);
}

static lgkt_status create_pendulum(lgkt_env *env, void *chosen, lgkt_error *error)
{
    env->actions = PENDULUM_ACTIONS;
    env->reward_min = -(PI * PI + 0.1 * 64 + 0.001 * 4);
    snprintf(env->note, sizeof env->note, "a pendulum, with the constants of Gymnasium");
    return open_world(
        env, chosen,
        &(lgkt_vector){.dims = PENDULUM_DIMS, .low = PENDULUM_LOW, .high = PENDULUM_HIGH}, error);
}

static void visit_pendulum(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    pendulum *at = (void *)trajectory->self;
    lgkt_numbers_visit(trajectory, archive);
    archive->bad |= !(fabs(at->angle) <= PI && fabs(at->spin) <= PENDULUM_HIGH[2] &&
                      fabs(at->cosine) <= 1 && fabs(at->sine) <= 1);
}

const lgkt_env_class lgkt_pendulum_class = {
    LGKT_ENV_ENTRY("pendulum", "a pendulum that has to be swung up and held there", "Gymnasium",
                   "O(bins)", LGKT_PARAMS(PENDULUM_PARAMS)),
    LGKT_NUMBERS_CLASS(settings, pendulum),
    .create = create_pendulum,
    .step = step_pendulum,
    .start = start_pendulum,
    .visit = visit_pendulum,
};

// ---- acrobot ----

enum { ACROBOT_DIMS = 6, ACROBOT_ACTIONS = 3, RODS = 4 };

// angles and speeds of both rods: a, b, a', b'
typedef struct rods {
    double at[RODS];
} rods;

// What is shown first, then what is behind it; the speeds are the last two of the first.
typedef struct acrobot {
    double shown[ACROBOT_DIMS];
    rods rods;
} acrobot;

static const double ACROBOT_LOW[] = {-1, -1, -1, -1, -6, -12}, ACROBOT_HIGH[] = {1, 1, 1, 1, 6, 12};

static rods change_of(const rods *r, double torque)
{
    const double b = r->at[1], a_speed = r->at[2], b_speed = r->at[3];
    const double sine = lgkt_sin(b), cosine = lgkt_cos(b);
    const double d1 = 3.5 + cosine, d2 = 1.25 + 0.5 * cosine;
    const double f2 = 4.9 * lgkt_sin(r->at[0] + b);
    const double f1 =
        f2 - 0.5 * b_speed * b_speed * sine - a_speed * b_speed * sine + 14.7 * lgkt_sin(r->at[0]);
    const double b_change =
        (torque + f1 * d2 / d1 - 0.5 * a_speed * a_speed * sine - f2) / (1.25 - d2 * d2 / d1);
    return (rods){{a_speed, b_speed, -(d2 * b_change + f1) / d1, b_change}};
}

static rods moved(const rods *r, const rods *change, double seconds)
{
    rods to;
    for (int i = 0; i < RODS; i++)
        to.at[i] = r->at[i] + seconds * change->at[i];
    return to;
}

static void put_acrobot(acrobot *at, const rods *r)
{
    at->rods = *r;
    for (int i = 0; i < 2; i++) {
        at->shown[2 * i] = lgkt_cos(r->at[i]);
        at->shown[2 * i + 1] = lgkt_sin(r->at[i]);
        at->shown[4 + i] = r->at[2 + i];
    }
}

static void start_acrobot(lgkt_trajectory *trajectory, double u)
{
    rods r;
    lgkt_numbers_spread(u, r.at, RODS);
    for (int i = 0; i < RODS; i++)
        r.at[i] *= 0.1;
    put_acrobot((void *)trajectory->self, &r);
    lgkt_numbers_start(trajectory);
}

static void step_acrobot(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const settings *set = trajectory->world;
    acrobot *at = (void *)trajectory->self;
    const double torque = action - 1, seconds = 0.2, u = lgkt_rng_uniform(&trajectory->rng);
    rods k[4] = {change_of(&at->rods, torque)};
    for (int i = 1; i < 4; i++) {
        const rods between = moved(&at->rods, &k[i - 1], i < 3 ? seconds / 2 : seconds);
        k[i] = change_of(&between, torque);
    }
    rods r;
    for (int i = 0; i < RODS; i++)
        r.at[i] = at->rods.at[i] +
                  seconds / 6 * (k[0].at[i] + 2 * k[1].at[i] + 2 * k[2].at[i] + k[3].at[i]);
    for (int i = 0; i < 2; i++) {
        const double fastest = i == 0 ? 4 * PI : 9 * PI;
        r.at[i] = turn_back(r.at[i]);
        r.at[2 + i] = within(r.at[2 + i], -fastest, fastest);
    }
    put_acrobot(at, &r);
    const bool there = -at->shown[0] - lgkt_cos(r.at[0] + r.at[1]) > 1;
    if (there)
        start_acrobot(trajectory, u);
    lgkt_numbers_step(trajectory, there ? 0 : -1, there && set->cut, step);
}

static lgkt_status create_acrobot(lgkt_env *env, void *chosen, lgkt_error *error)
{
    env->actions = ACROBOT_ACTIONS;
    env->reward_min = -1;
    snprintf(env->note, sizeof env->note, "an acrobot, with the constants of Gymnasium");
    return open_world(
        env, chosen, &(lgkt_vector){.dims = ACROBOT_DIMS, .low = ACROBOT_LOW, .high = ACROBOT_HIGH},
        error);
}

static void visit_acrobot(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    acrobot *at = (void *)trajectory->self;
    lgkt_numbers_visit(trajectory, archive);
    const rods *r = &at->rods;
    archive->bad |= !(fabs(r->at[0]) <= PI && fabs(r->at[1]) <= PI && fabs(r->at[2]) <= 4 * PI &&
                      fabs(r->at[3]) <= 9 * PI);
}

const lgkt_env_class lgkt_acrobot_class = {
    LGKT_ENV_ENTRY("acrobot", "two rods on a nail, swung up by a torque between them",
                   "Sutton 1996; Gymnasium", "O(bins)", LGKT_PARAMS(GOAL_PARAMS)),
    LGKT_NUMBERS_CLASS(settings, acrobot),
    .create = create_acrobot,
    .step = step_acrobot,
    .start = start_acrobot,
    .visit = visit_acrobot,
};
