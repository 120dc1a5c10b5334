// SPDX-License-Identifier: MIT
// `glucose`: insulin for somebody with diabetes, by Bergman's minimal model (Bergman, Ider, Bowden
// and Cobelli 1979).
//
// Every 30 minutes a bolus of u = 0, 1, 2 or 4 units is chosen by the action. It adds u to the
// insulin on board and 8 u to the insulin I in the blood. Then 30 steps of a minute, each changing all
// four numbers by what they were before it, with n standard normal:
//     G += -(p1 + X) G + p1 140 + D + 0.3 n    glucose, then within 30 .. 450
//     X += -p2 X + p3 max(0, I - 7)            what insulin does, late
//     I += -0.09 0.35 (I - 7)
//     D += -0.03 D                             what a meal brings
// p1 = 0.02, p2 = 0.025; p3 = 1.3e-5 exp(0.2 n) is the patient's, drawn from the stream "instance".
// Then the insulin on board loses a share of 1 - exp(-0.36), a time of day h (half hours) begins,
// and somebody eats m: 40 to 80, uniform, at 7:00, 12:30 and 19:00, else 20 with probability 0.03.
// D += 0.055 m, and the carbohydrates of the last hour are halved and rise by m. The reward is minus a
// tenth of the risk of Kovatchev et al. (1997), which is at most 100:
//     risk = 10 (1.509 (log(G)^1.084 - 5.381))^2
// The vector is G with noise of scale 5, its change since the last vector but without noise, the
// insulin on board, the carbohydrates, and the hour. A run begins at midnight with G = 150, I = 7
// and nothing else. Each step draws 31 normal numbers and, before the last, a uniform one.
#include <math.h>
#include <stdio.h>

#include "core/elementary.h"
#include "core/hash.h"
#include "core/normal.h"
#include "env/numbers.h"

enum { DIMS = 5, ACTIONS = 4, MINUTES = 30, DAY = 48 };

#define LEAST 30.0
#define MOST  450.0
#define BASE  7.0 // insulin

typedef struct settings {
    lgkt_seen seen;
} settings;

// What a step depends on.
typedef struct patient {
    double sensitivity; // p3
    double left;        // share of the insulin on board after half an hour
} patient;

// What is shown first, then what is behind it.
typedef struct body {
    double sensor, trend, on_board, carbohydrates, hour;
    double glucose, action, insulin, meal; // G, X, I, D
} body;

static const lgkt_param_row PARAMS[] = {LGKT_RECORD_ROWS(settings)};

static void pass_minute(body *at, double sensitivity, double normal)
{
    const double p1 = 0.02, p2 = 0.025, above = at->insulin - BASE;
    const double glucose =
        at->glucose - (p1 + at->action) * at->glucose + p1 * 140 + at->meal + 0.3 * normal;
    at->action += -p2 * at->action + sensitivity * (above > 0 ? above : 0);
    at->insulin -= 0.09 * 0.35 * above;
    at->meal -= 0.03 * at->meal;
    at->glucose = glucose < LEAST ? LEAST : glucose > MOST ? MOST : glucose;
}

// carbohydrates eaten at a time of day
static double eaten(int time, double u)
{
    if (time == 14 || time == 25 || time == 38)
        return 40 + 40 * u;
    return u < 0.03 ? 20 : 0;
}

static void step(lgkt_trajectory *trajectory, int32_t action, lgkt_step *step)
{
    static const double UNITS[ACTIONS] = {0, 1, 2, 4};
    const patient *who = trajectory->world;
    body *at = (void *)trajectory->self;
    lgkt_rng *rng = &trajectory->rng;
    const double before = at->glucose;
    at->insulin += 8 * UNITS[action];
    at->on_board = (at->on_board + UNITS[action]) * who->left;
    for (int i = 0; i < MINUTES; i++)
        pass_minute(at, who->sensitivity, lgkt_normal_fast(rng));
    const int time = (int)((trajectory->time + 1) % DAY);
    const double meal = eaten(time, lgkt_rng_uniform(rng));
    at->meal += 0.055 * meal;
    at->carbohydrates = 0.5 * at->carbohydrates + meal;
    at->hour = 0.5 * time;
    at->trend = at->glucose - before;
    at->sensor = at->glucose + 5 * lgkt_normal_fast(rng);
    const double z = 1.509 * (lgkt_pow(lgkt_log(at->glucose), 1.084) - 5.381);
    lgkt_numbers_step(trajectory, -fmin(10 * z * z, 100) / 10, false, step);
}

static void start(lgkt_trajectory *trajectory, double u)
{
    lgkt_rng rng = lgkt_numbers_rng(u, "start");
    *(body *)(void *)trajectory->self =
        (body){.sensor = 150 + 5 * lgkt_rng_normal(&rng), .glucose = 150, .insulin = BASE};
    lgkt_numbers_start(trajectory);
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    static const double LOW[] = {40, -60, 0, 0, 0}, HIGH[] = {350, 60, 8, 80, 24};
    const settings *set = chosen;
    patient *who = env->self;
    who->sensitivity = 1.3e-5 * lgkt_exp(0.2 * lgkt_rng_normal(&env->rng));
    who->left = lgkt_exp(-0.012 * MINUTES);
    env->hash = lgkt_hash_f64(env->hash, who->sensitivity);
    env->actions = ACTIONS;
    env->reward_min = -10;
    env->reward_sd = 5;
    snprintf(env->note, sizeof env->note, "a patient of Bergman's minimal model, p3 = %.3g",
             who->sensitivity);
    return lgkt_numbers_open(env, &set->seen,
                             &(lgkt_vector){.dims = DIMS, .low = LOW, .high = HIGH}, error);
}

static void visit(lgkt_trajectory *trajectory, lgkt_archive *archive)
{
    const body *at = (void *)trajectory->self;
    lgkt_numbers_visit(trajectory, archive);
    // made-up numbers must not grow beyond all bounds
    archive->bad |= !(at->glucose >= LEAST && at->glucose <= MOST && fabs(at->action) <= 1e3 &&
                      fabs(at->insulin) <= 1e6 && fabs(at->meal) <= 1e6);
}

const lgkt_env_class lgkt_glucose_class = {
    LGKT_ENV_ENTRY("glucose", "insulin every half hour, by Bergman's minimal model",
                   "Bergman et al. 1979; Kovatchev et al. 1997", "O(bins)", LGKT_PARAMS(PARAMS)),
    LGKT_NUMBERS_CLASS(patient, body),
    .create = create,
    .step = step,
    .start = start,
    .visit = visit,
};
