// SPDX-License-Identifier: MIT
// A participant of a health programme, who is written to, called, or left alone, twice a day.
//
// Made up by us to try out decisions for many people at once; no data are behind its numbers.
//
//   state   engagement e = 0 .. 4, load b = 0 .. 2 (how often contacted lately), evening d = 0, 1;
//           number (3 e + b) 2 + d; start e = 2, b = 0, d = 0
//   action  0 nothing, 1 a message, 2 a plan for the day, 3 a call; no call in the evening
//   reward  how active the half day was, less what the contact costs:
//             0.15 e + f(a,e,b) - cost(a),   cost = 0, 0.02, 0.04, 0.2
//           f(a,e,b) = w(a) g(a,e) (1 - 0.45 b),   g(1,.) = 0.15, g(2,e) = 0.08 e,
//           g(3,e) = 0.5 for e <= 1, else 0.2;   and normal noise of scale `noise`
//   moves   d turns. b rises after a contact (after a message with probability 0.6), and falls
//           without one with probability 0.7. e rises with probability 0.04 + 0.5 f(a,e,b), and
//           falls with probability 0.08 + 0.12 [b = 2 and a > 0], where it can.
//
// People differ: w(a) = max(0, 1 + spread z(a)), z(1), z(2), z(3) normal from the stream
// "instance". With spread=0 all are the same.
//
// Who contacts always gets ignored, who never does loses people; it takes some days to see.
#include "env/world.h"

#include <math.h>
#include <stdio.h>

#include "core/error.h"

enum { LEVELS = 5, LOADS = 3, STATES = 2 * LEVELS * LOADS, ACTIONS = 4, CALL = 3 };

typedef struct settings {
    double spread, noise;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_ROW_REAL(settings, spread, "spread", "0.2", 0, 10,
                  "how much people differ in what contacts do for them; 0: not at all"),
    LGKT_ROW_REAL(settings, noise, "noise", "0.3", 0, 1e6, "scale of the noise of a report"),
};

static int32_t state_of(int32_t level, int32_t load, int32_t evening)
{
    return (level * LOADS + load) * 2 + evening;
}

// f(a,e,b): what a contact does for somebody with these w
static double effect_of(const double *response, int32_t action, int32_t level, int32_t load)
{
    const double gain[ACTIONS] = {0, 0.15, 0.08 * level, level <= 1 ? 0.5 : 0.2};
    return response[action] * gain[action] * (1 - 0.45 * load);
}

// all moves of one pair: the day turns, load and engagement move independently of each other
static void fill_pair(lgkt_mdp_builder *builder, int32_t state, int32_t action, double effect)
{
    const int32_t evening = state % 2, load = state / 2 % LOADS, level = state / (2 * LOADS);
    const double tired = action > 0 && load == LOADS - 1 ? 0.12 : 0;
    const double up = level < LEVELS - 1 ? fmin(0.7, 0.04 + 0.5 * effect) : 0;
    const double down = level > 0 ? 0.08 + tired : 0;
    const double moves[] = {down, 1 - up - down, up};
    const int32_t heavier = load < LOADS - 1 ? load + 1 : load, lighter = load > 0 ? load - 1 : 0;
    const int32_t other = action > 0 ? heavier : lighter;
    const double changes = action == 0 ? 0.7 : action == 1 ? 0.6 : 1;
    for (int32_t step = -1; step <= 1; step++)
        for (int32_t change = 0; change < 2; change++) {
            const double p = moves[step + 1] * (change ? changes : 1 - changes);
            if (p > 0)
                lgkt_mdp_builder_edge(builder, state, action,
                                      state_of(level + step, change ? other : load, 1 - evening),
                                      p);
        }
}

static lgkt_status create(lgkt_env *env, void *chosen, lgkt_error *error)
{
    static const double cost[ACTIONS] = {0, 0.02, 0.04, 0.2};
    const settings *set = chosen;
    double response[ACTIONS] = {0}; // w
    for (int32_t a = 1; a < ACTIONS; a++)
        response[a] = fmax(0, 1 + set->spread * lgkt_rng_normal(&env->rng));
    snprintf(env->note, sizeof env->note,
             "a participant who answers to messages, plans and calls with %.3g, %.3g and %.3g of "
             "what is usual",
             response[1], response[2], response[CALL]);
    LGKT_TRY(lgkt_env_begin_model(env, STATES, ACTIONS, error));
    lgkt_mdp_builder_noise(env->builder, LGKT_NOISE_NORMAL, set->noise);
    lgkt_mdp_builder_start(env->builder, state_of(2, 0, 0));
    for (int32_t s = 0; s < STATES; s++)
        for (int32_t a = 0; a < ACTIONS; a++) {
            const int32_t evening = s % 2, load = s / 2 % LOADS, level = s / (2 * LOADS);
            const double effect = effect_of(response, a, level, load);
            if (evening == 1 && a == CALL) {
                lgkt_mdp_builder_forbid(env->builder, s, a);
                continue;
            }
            lgkt_mdp_builder_reward(env->builder, s, a, 0.15 * level + effect - cost[a]);
            fill_pair(env->builder, s, a, effect);
        }
    return LGKT_OK;
}

const lgkt_env_class lgkt_programme_class = {
    LGKT_ENV_ENTRY("programme",
                   "a participant of a health programme, contacted twice a day; no calls in the "
                   "evening",
                   "ours", "O(1)", LGKT_PARAMS(PARAMS)),
    LGKT_WORLD_CLASS(create),
};
