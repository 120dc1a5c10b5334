// SPDX-License-Identifier: MIT
// Four swinging things that the literature tries learners on: `cartpole`, `mountaincar`,
// `pendulum` and `acrobot`. What a learner sees of their numbers is in numbers.c.
//
// An end that the world makes (a fall, a goal) leads to a fresh start, and tells the learner nothing
// but that: it is a move as others, unless cut=1 tells it as a cut. Each step draws one random
// number, from which all numbers of a fresh start would come.
//
// `cartpole`: a pole on a cart that is pushed left or right, seen through its four numbers.
// Barto, Sutton and Anderson (1983), "Neuronlike adaptive elements that can solve difficult
// learning control problems", appendix. With x the place of the cart, a the angle of the pole from
// upright, F = -10 or 10 N the push, M = 1 kg the cart, m = 0.1 kg the pole, l = 0.5 m half its
// length, g = 9.8 m/s^2, friction c = 0.0005 of the cart and p = 0.000002 of the pole:
//     a'' = (g sin a - cos a (F + m l a'^2 sin a - c sgn x')/(M+m) - p a'/(m l))
//           / (l (4/3 - m cos^2 a/(M+m)))
//     x'' = (F + m l (a'^2 sin a - a'' cos a) - c sgn x')/(M+m)
// Euler's method with steps of 0.02 s: places move by the speeds before the step. With friction=0, as
// in Gymnasium, c = p = 0.
//
// The pole has fallen beyond 12 degrees, the
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
#include "env/numbers.h"

#define PI 3.141592653589793

// The settings of all four.
typedef struct settings {
    lgkt_seen seen;
    int64_t cut;
    int friction;
} settings;

// One of the four. Its numbers are doubles: what is shown first, then what is behind it.
typedef struct machine {
    lgkt_vector vector;
    int32_t actions;
    double reward_min, reward_max;
    const char *note;
    // Moves by one step; returns the reward, and whether it is over: a fall, a goal.
    double (*move)(const settings *set, double *at, int32_t action, bool *over);
    void (*fresh)(double u, double *at);
    bool (*sound)(const double *at); // whether numbers can have come from steps, roughly
} machine;

// All that a step depends on.
typedef struct world {
    settings set;
    const machine *machine;
} world;

static double within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static void step_machine(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    const world *w = trajectory->world;
    double *at = (void *)trajectory->self;
    const double u = lgkt_rng_uniform(&trajectory->rng);
    bool over = false;
    const double reward = w->machine->move(&w->set, at, action, &over);
    if (over)
        w->machine->fresh(u, at);
    lgkt_numbers_step(trajectory, reward, over && w->set.cut, step);
}

static void start_machine(lgkt_trajectory *trajectory, double u)
{
    ((const world *)trajectory->world)->machine->fresh(u, (void *)trajectory->self);
    lgkt_numbers_start(trajectory);
}

static void visit_machine(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    lgkt_numbers_visit(trajectory, archive);
    archive->bad |=
        !((const world *)trajectory->world)->machine->sound((const void *)trajectory->self);
}

static lgkt_status open_machine(lgkt_env *env, const settings *set, const machine *what,
                                lgkt_error *error)
{
    *(world *)env->self = (world){*set, what};
    env->actions = what->actions;
    env->reward_min = what->reward_min;
    env->reward_max = what->reward_max;
    env->reward_sd = (env->reward_max - env->reward_min) / 2;
    snprintf(env->note, sizeof env->note, "%s%s", what->note,
             set->friction ? " without friction" : "");
    return lgkt_numbers_open(env, &set->seen, &what->vector, error);
}

#define MACHINE_CLASS(numbers_, create_)                                                           \
    .self_size = sizeof(world), .run_size = (numbers_) * sizeof(double), .create = create_,        \
    .step = step_machine, .start = start_machine, .observation = lgkt_numbers_observation,         \
    .visit = visit_machine

static const lgkt_param_row PENDULUM_PARAMS[] = {LGKT_RECORD_ROWS(settings)};
static const lgkt_param_row GOAL_PARAMS[] = {
    LGKT_RECORD_ROWS(settings),
    LGKT_ROW_INTEGER(settings, cut, "cut", "0", 0, 1,
                     "1: a goal is told as a cut; 0: the start that follows it as its consequence"),
};

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
// metres, radians, seconds; in the order in which they are shown
enum { PLACE, SPEED, ANGLE, SPIN, POLE_DIMS };

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

static bool pole_stands(const double *at)
{
    // false for a NaN too, which speeds that were made up may lead to
    return fabs(at[PLACE]) <= MOST_PLACE && fabs(at[ANGLE]) <= MOST_ANGLE;
}

static double move_pole(const settings *set, double *at, int32_t action, bool *over)
{
    const double total = CART + POLE, sine = lgkt_sin(at[ANGLE]), cosine = lgkt_cos(at[ANGLE]);
    const double force = action == PUSH_RIGHT ? PUSH : -PUSH;
    const double of_cart = set->friction == NO_FRICTION ? 0 : CART_FRICTION;
    const double of_pole = set->friction == NO_FRICTION ? 0 : POLE_FRICTION;
    const double drag = of_cart * ((at[SPEED] > 0) - (at[SPEED] < 0));
    const double push = force + POLE * HALF * at[SPIN] * at[SPIN] * sine - drag;
    const double turn =
        (GRAVITY * sine - cosine * push / total - of_pole * at[SPIN] / (POLE * HALF)) /
        (HALF * (4.0 / 3 - POLE * cosine * cosine / total));
    const double cart = (push - POLE * HALF * turn * cosine) / total;
    at[PLACE] += SECONDS * at[SPEED];
    at[SPEED] += SECONDS * cart;
    at[ANGLE] += SECONDS * at[SPIN];
    at[SPIN] += SECONDS * turn;
    *over = !pole_stands(at);
    return *over ? 0 : 1;
}

static void fresh_pole(double u, double *at)
{
    lgkt_numbers_spread(u, at, POLE_DIMS);
    for (int d = 0; d < POLE_DIMS; d++)
        at[d] *= START;
}

static lgkt_status create_pole(lgkt_env *env, void *chosen, lgkt_error *error)
{
    static const double HIGH[] = {MOST_PLACE, 2, MOST_ANGLE, 2};
    static const double LOW[] = {-MOST_PLACE, -2, -MOST_ANGLE, -2};
    static const int32_t CUTS[] = {2, 2, 5, 2};
    static const double BOXES[] = {-0.8,         0.8,        -0.5, 0.5, // position, velocity
                                   -6 * DEGREE,  -DEGREE,    0,    DEGREE, 6 * DEGREE, // angle
                                   -50 * DEGREE, 50 * DEGREE};                         // spin
    static const machine pole = {
        .vector = {POLE_DIMS, LOW, HIGH, NULL, {.dims = POLE_DIMS, .cuts = CUTS, .edges = BOXES}},
        .actions = PUSHES,
        .reward_max = 1,
        .note = "cart-pole of Barto, Sutton and Anderson 1983",
        .move = move_pole,
        .fresh = fresh_pole,
        .sound = pole_stands,
    };
    settings *set = chosen;
    if (set->cut == LGKT_UNSET_INTEGER)
        set->cut = !lgkt_numbers_recorded(&set->seen, &pole.vector);
    return open_machine(env, set, &pole, error);
}

const lgkt_env_class lgkt_cartpole_class = {
    LGKT_ENV_ENTRY("cartpole",
                   "a pole on a cart, balanced by pushes, its four numbers seen through bins or as "
                   "a record",
                   "Barto, Sutton and Anderson 1983", "O(bins)", LGKT_PARAMS(POLE_PARAMS)),
    MACHINE_CLASS(POLE_DIMS, create_pole),
};

// ---- mountaincar ----

enum { CAR_PLACE, CAR_SPEED, CAR_DIMS };

static const double CAR_LOW[] = {-1.2, -0.07}, CAR_HIGH[] = {0.6, 0.07};

static double move_car(const settings *set, double *at, int32_t action, bool *over)
{
    (void)set;
    const double push = 0.001 * (action - 1) - 0.0025 * lgkt_cos(3 * at[CAR_PLACE]);
    at[CAR_SPEED] = within(at[CAR_SPEED] + push, CAR_LOW[CAR_SPEED], CAR_HIGH[CAR_SPEED]);
    at[CAR_PLACE] = within(at[CAR_PLACE] + at[CAR_SPEED], CAR_LOW[0], CAR_HIGH[0]);
    if (at[CAR_PLACE] <= CAR_LOW[0] && at[CAR_SPEED] < 0)
        at[CAR_SPEED] = 0;
    *over = at[CAR_PLACE] >= 0.5;
    return *over ? 0 : -1;
}

static void fresh_car(double u, double *at)
{
    lgkt_numbers_spread(u, at, 1);
    at[CAR_PLACE] = -0.5 + 0.1 * at[CAR_PLACE];
    at[CAR_SPEED] = 0;
}

static bool car_drives(const double *at)
{
    return at[CAR_PLACE] >= CAR_LOW[0] && at[CAR_PLACE] < 0.5 &&
           fabs(at[CAR_SPEED]) <= CAR_HIGH[CAR_SPEED];
}

static lgkt_status create_car(lgkt_env *env, void *chosen, lgkt_error *error)
{
    static const machine car = {
        .vector = {.dims = CAR_DIMS, .low = CAR_LOW, .high = CAR_HIGH},
        .actions = 3,
        .reward_min = -1,
        .note = "a car in a valley, with the constants of Gymnasium",
        .move = move_car,
        .fresh = fresh_car,
        .sound = car_drives,
    };
    return open_machine(env, chosen, &car, error);
}

const lgkt_env_class lgkt_mountaincar_class = {
    LGKT_ENV_ENTRY("mountaincar", "a car in a valley that has to swing up to get out",
                   "Moore 1990; Gymnasium", "O(bins)", LGKT_PARAMS(GOAL_PARAMS)),
    MACHINE_CLASS(CAR_DIMS, create_car),
};

// ---- pendulum ----

// the angle, from upright and in +-pi, is behind the others
enum {
    PENDULUM_COSINE,
    PENDULUM_SINE,
    PENDULUM_SPIN,
    PENDULUM_DIMS,
    PENDULUM_ANGLE = PENDULUM_DIMS
};

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

static void put_pendulum(double *at, double angle, double spin)
{
    at[PENDULUM_ANGLE] = turn_back(angle);
    at[PENDULUM_SPIN] = spin;
    at[PENDULUM_COSINE] = lgkt_cos(at[PENDULUM_ANGLE]);
    at[PENDULUM_SINE] = lgkt_sin(at[PENDULUM_ANGLE]);
}

static double move_pendulum(const settings *set, double *at, int32_t action, bool *over)
{
    (void)set, (void)over;
    const double torque = action - 2, angle = at[PENDULUM_ANGLE], before = at[PENDULUM_SPIN];
    const double spin = within(before + 0.05 * (15 * at[PENDULUM_SINE] + 3 * torque),
                               PENDULUM_LOW[PENDULUM_SPIN], PENDULUM_HIGH[PENDULUM_SPIN]);
    put_pendulum(at, angle + 0.05 * spin, spin);
    // from 0, so that no cost at all is no -0.0
    return 0 - (angle * angle + 0.1 * before * before + 0.001 * torque * torque);
}

static void fresh_pendulum(double u, double *at)
{
    double drawn[2];
    lgkt_numbers_spread(u, drawn, 2);
    put_pendulum(at, PI * drawn[0], drawn[1]);
}

static bool pendulum_hangs(const double *at)
{
    return fabs(at[PENDULUM_ANGLE]) <= PI && fabs(at[PENDULUM_SPIN]) <= 8 &&
           fabs(at[PENDULUM_COSINE]) <= 1 && fabs(at[PENDULUM_SINE]) <= 1;
}

static lgkt_status create_pendulum(lgkt_env *env, void *chosen, lgkt_error *error)
{
    static const machine pendulum = {
        .vector = {.dims = PENDULUM_DIMS, .low = PENDULUM_LOW, .high = PENDULUM_HIGH},
        .actions = 5,
        .reward_min = -(PI * PI + 0.1 * 64 + 0.001 * 4),
        .note = "a pendulum, with the constants of Gymnasium",
        .move = move_pendulum,
        .fresh = fresh_pendulum,
        .sound = pendulum_hangs,
    };
    return open_machine(env, chosen, &pendulum, error);
}

const lgkt_env_class lgkt_pendulum_class = {
    LGKT_ENV_ENTRY("pendulum", "a pendulum that has to be swung up and held there", "Gymnasium",
                   "O(bins)", LGKT_PARAMS(PENDULUM_PARAMS)),
    MACHINE_CLASS(PENDULUM_DIMS + 1, create_pendulum),
};

// ---- acrobot ----

// behind the six numbers shown are the angles and speeds of both rods: a, b, a', b'
enum { ACROBOT_DIMS = 6, RODS = 4 };

static const double ACROBOT_LOW[] = {-1, -1, -1, -1, -6, -12}, ACROBOT_HIGH[] = {1, 1, 1, 1, 6, 12};

static void put_acrobot(double *at, const double rods[RODS])
{
    for (int i = 0; i < 2; i++) {
        at[2 * i] = lgkt_cos(rods[i]);
        at[2 * i + 1] = lgkt_sin(rods[i]);
        at[4 + i] = rods[2 + i];
    }
    memcpy(at + ACROBOT_DIMS, rods, RODS * sizeof *rods);
}

static void change_of(const double rods[RODS], double torque, double change[RODS])
{
    const double a = rods[0], b = rods[1], a_speed = rods[2], b_speed = rods[3];
    const double sine = lgkt_sin(b), cosine = lgkt_cos(b);
    const double d1 = 3.5 + cosine, d2 = 1.25 + 0.5 * cosine, f2 = 4.9 * lgkt_sin(a + b);
    const double f1 =
        f2 - 0.5 * b_speed * b_speed * sine - a_speed * b_speed * sine + 14.7 * lgkt_sin(a);
    change[0] = a_speed;
    change[1] = b_speed;
    change[3] =
        (torque + f1 * d2 / d1 - 0.5 * a_speed * a_speed * sine - f2) / (1.25 - d2 * d2 / d1);
    change[2] = -(d2 * change[3] + f1) / d1;
}

static double move_acrobot(const settings *set, double *at, int32_t action, bool *over)
{
    (void)set;
    static const double PART[] = {0, 0.1, 0.1, 0.2}, WEIGHT[] = {1, 2, 2, 1}; // of 0.2 s
    const double *before = at + ACROBOT_DIMS;
    double change[RODS] = {0}, sum[RODS] = {0}, rods[RODS];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < RODS; i++)
            rods[i] = before[i] + PART[k] * change[i];
        change_of(rods, action - 1, change);
        for (int i = 0; i < RODS; i++)
            sum[i] += WEIGHT[k] * change[i];
    }
    for (int i = 0; i < RODS; i++)
        rods[i] = before[i] + 0.2 / 6 * sum[i];
    for (int i = 0; i < 2; i++) {
        rods[i] = turn_back(rods[i]);
        rods[2 + i] = within(rods[2 + i], -(4 + 5 * i) * PI, (4 + 5 * i) * PI);
    }
    put_acrobot(at, rods);
    *over = -at[0] - lgkt_cos(rods[0] + rods[1]) > 1;
    return *over ? 0 : -1;
}

static void fresh_acrobot(double u, double *at)
{
    double rods[RODS];
    lgkt_numbers_spread(u, rods, RODS);
    for (int i = 0; i < RODS; i++)
        rods[i] *= 0.1;
    put_acrobot(at, rods);
}

static bool acrobot_swings(const double *at)
{
    const double *rods = at + ACROBOT_DIMS;
    return fabs(rods[0]) <= PI && fabs(rods[1]) <= PI && fabs(rods[2]) <= 4 * PI &&
           fabs(rods[3]) <= 9 * PI;
}

static lgkt_status create_acrobot(lgkt_env *env, void *chosen, lgkt_error *error)
{
    static const machine acrobot = {
        .vector = {.dims = ACROBOT_DIMS, .low = ACROBOT_LOW, .high = ACROBOT_HIGH},
        .actions = 3,
        .reward_min = -1,
        .note = "an acrobot, with the constants of Gymnasium",
        .move = move_acrobot,
        .fresh = fresh_acrobot,
        .sound = acrobot_swings,
    };
    return open_machine(env, chosen, &acrobot, error);
}

const lgkt_env_class lgkt_acrobot_class = {
    LGKT_ENV_ENTRY("acrobot", "two rods on a nail, swung up by a torque between them",
                   "Sutton 1996; Gymnasium", "O(bins)", LGKT_PARAMS(GOAL_PARAMS)),
    MACHINE_CLASS(ACROBOT_DIMS + RODS, create_acrobot),
};
