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

enum { LEVELS = 5, LOADS = 3, STATES = 2 * LEVELS * LOADS, ACTIONS = 4, CALL = 3 };

typedef struct settings {
    double spread, noise;
} settings;

static const lgkt_param_row PARAMS[] = {
    LGKT_ROW_REAL(settings, spread, "spread", "0.2", 0, 10,
                  "how much people differ in what contacts do for them; 0: not at all"),
    LGKT_ROW_REAL(settings, noise, "noise", "0.3", 0, 1e6, "scale of the noise of a report"),
};

typedef struct person {
    const settings *set;
    double response[ACTIONS]; // w
} person;

static int32_t state_of(int32_t level, int32_t load, int32_t evening)
{
    return (level * LOADS + load) * 2 + evening;
}

// f(a,e,b): what a contact does
static double effect_of(const person *who, int32_t action, int32_t level, int32_t load)
{
    const double gain[ACTIONS] = {0, 0.15, 0.08 * level, level <= 1 ? 0.5 : 0.2};
    return who->response[action] * gain[action] * (1 - 0.45 * load);
}

// all moves of one pair: the day turns, load and engagement move independently of each other
static void fill_pair(const person *who, lgkt_draft *draft, int32_t level, int32_t load,
                      int32_t evening, int32_t action)
{
    const double effect = effect_of(who, action, level, load);
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
                lgkt_draft_edge(draft, state_of(level, load, evening), action,
                                state_of(level + step, change ? other : load, 1 - evening), p);
        }
}

static void fill(lgkt_draft *draft, void *ctx)
{
    static const double cost[ACTIONS] = {0, 0.02, 0.04, 0.2};
    const person *who = ctx;
    lgkt_draft_noise(draft, LGKT_NOISE_NORMAL, who->set->noise);
    lgkt_draft_start(draft, state_of(2, 0, 0));
    for (int32_t s = 0; s < STATES; s++)
        for (int32_t a = 0; a < ACTIONS; a++) {
            const int32_t evening = s % 2, load = s / 2 % LOADS, level = s / (2 * LOADS);
            if (evening == 1 && a == CALL) {
                lgkt_draft_forbid(draft, s, a);
                continue;
            }
            const double mean = 0.15 * level + effect_of(who, a, level, load) - cost[a];
            lgkt_draft_reward(draft, s, a, mean);
            fill_pair(who, draft, level, load, evening, a);
        }
}

static lgkt_status create(lgkt_env *env, void *chosen, const lgkt_env_config *config,
                          lgkt_error *error)
{
    person who = {.set = chosen};
    lgkt_rng rng = lgkt_rng_stream(config->seed, "instance", config->instance);
    for (int32_t a = 1; a < ACTIONS; a++)
        who.response[a] = fmax(0, 1 + who.set->spread * lgkt_rng_normal(&rng));
    snprintf(env->note, sizeof env->note,
             "a participant who answers to messages, plans and calls with %.3g, %.3g and %.3g of "
             "what is usual",
             who.response[1], who.response[2], who.response[CALL]);
    return lgkt_world_make(env, STATES, ACTIONS, fill, &who, error);
}

const lgkt_env_class lgkt_programme_class = {
    .entry = {.name = "programme",
              .summary = "a participant of a health programme, contacted twice a day; no calls in "
                         "the evening",
              .source = "ours",
              .memory = "O(1)",
              LGKT_PARAMS(PARAMS)},
    .create = create,
    LGKT_WORLD_CLASS,
};
