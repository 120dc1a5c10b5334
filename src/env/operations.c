// SPDX-License-Identifier: MIT
// Three textbook problems of operations research, a store, a queue and a machine; and a programme
// of contacts with people.
//
// `inventory` (Szepesvari 2010, Poisson demand): stock x in 0 .. M; action a orders a pieces, of
// which what fits arrives at once: z = min(x + a, M). Then D ~ Poisson(lambda) are asked for, and
//     next = max(z - D, 0),   reward = -K [a > 0] - c (z - x) - h x + p min(z, D)
// with M = capacity, K = order-cost, c = unit-cost, h = holding-cost, p = price, lambda = demand.
// What is sold is z - next, so the reward observed is one of the move; demands of z and more are
// one move. Orders beyond M - x are equal to the last bit: ties. S = A = M + 1, start 0.
//
// `admission` (M/M/1 queue, uniformised): n in 0 .. N customers. With q = lambda/(lambda + mu) the
// next event is an arrival, else a departure (none from an empty queue). Action 1 admits an arrival
// if n < N, action 0 turns it away:
//     reward = W [admitted] - h n/(lambda + mu)
// with lambda = arrival-rate, mu = service-rate, W = fee, h = holding-cost, N = capacity. It
// depends on the move. The best policies are thresholds: admit if n < k. A threshold k has the gain
// q W (1 - pi(k)) - h/(lambda + mu) sum_n n pi(n), pi(n) prop. to (lambda/mu)^n on 0 .. k.
//
// `replacement`: a machine of wear s in 0 .. S-1. Action 0 keeps it and pays 1 - (s/(S-1))^2; the
// wear grows by 1 with probability wear and by 2 with wear-two, up to S-1. Action 1 replaces it:
// pays -cost, leads to 0. Rewards are those of the pair.
//
// `programme`: a participant of a health programme, who is written to, called, or left alone, twice
// a day. Made up by us to try out decisions for many people at once; no data are behind its
// numbers.
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
// "instance". With spread=0 all are the same. Who contacts always gets ignored, who never does
// loses people; it takes some days to see.
//
// No noise beyond that. Cost and memory: inventory O(M^3), the others O(S).
#include "env/world.h"

#include <math.h>
#include <stdio.h>

#include "core/elementary.h"
#include "core/error.h"

#define MAX_STOCK  200
#define MAX_DEMAND 500
#define MAX_QUEUE  100000
#define MAX_WEAR   100000

// The settings of all four worlds; each has parameters for some of them.
typedef struct settings {
    int64_t capacity, states;
    double order_cost, unit_cost, holding_cost, price, demand;
    double arrival_rate, service_rate, fee;
    double wear, wear_two, cost;
    double spread, noise;
} settings;

// ---- inventory ----

static const lgkt_param_row STOCK[] = {
    LGKT_ROW_INTEGER(settings, capacity, "capacity", "20", 1, MAX_STOCK,
                     "pieces M that the store can hold"),
    LGKT_ROW_REAL(settings, order_cost, "order-cost", "4", 0, 1e6,
                  "cost K of an order of any size"),
    LGKT_ROW_REAL(settings, unit_cost, "unit-cost", "2", 0, 1e6, "cost c of a piece"),
    LGKT_ROW_REAL(settings, holding_cost, "holding-cost", "0.5", 0, 1e6,
                  "cost h of each piece in the store, per step"),
    LGKT_ROW_REAL(settings, price, "price", "8", 0, 1e6, "what a piece sells for"),
    LGKT_ROW_REAL(settings, demand, "demand", "5", 1e-6, MAX_DEMAND,
                  "mean of the Poisson demand per step"),
};

// exactly[d] = P(D = d), at_least[d] = P(D >= d), for d = 0 .. top. Sums go from small to large, so
// that the tail is right to its last digits however small it is.
static void fill_poisson(double mean, int32_t top, double *exactly, double *at_least)
{
    double p = lgkt_exp(-mean), beyond = 0;
    for (int32_t d = 0; d <= top; d++) {
        exactly[d] = p;
        p *= mean / (d + 1);
    }
    for (int32_t d = top + 1; d < mean || beyond + p > beyond; d++) {
        beyond += p;
        p *= mean / (d + 1);
    }
    for (int32_t d = top; d >= 0; d--)
        at_least[d] = beyond += exactly[d];
}

static lgkt_status create_stock(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    const int32_t capacity = (int32_t)set->capacity;
    double exactly[MAX_STOCK + 1], at_least[MAX_STOCK + 1];
    fill_poisson(set->demand, capacity, exactly, at_least);
    snprintf(env->note, sizeof env->note, "inventory of up to %d pieces, demand of mean %g",
             (int)capacity, set->demand);
    LGKT_TRY(lgkt_env_begin_model(env, capacity + 1, capacity + 1, error));
    for (int32_t x = 0; x <= capacity; x++)
        for (int32_t a = 0; a <= capacity; a++) {
            const int32_t z = x + a < capacity ? x + a : capacity;
            const double paid =
                (a > 0 ? set->order_cost : 0) + set->unit_cost * (z - x) + set->holding_cost * x;
            for (int32_t next = 0; next <= z; next++) {
                const double chance = next > 0 ? exactly[z - next] : at_least[z];
                lgkt_mdp_builder_edge(env->builder, x, a, next, chance);
                lgkt_mdp_builder_edge_reward(env->builder, x, a, next,
                                             set->price * (z - next) - paid);
            }
        }
    return LGKT_OK;
}

// ---- admission ----

static const lgkt_param_row QUEUE[] = {
    LGKT_ROW_REAL(settings, arrival_rate, "arrival-rate", "0.8", 1e-6, 1e6,
                  "customers that come per unit of time"),
    LGKT_ROW_REAL(settings, service_rate, "service-rate", "1", 1e-6, 1e6,
                  "customers that can be served per unit of time"),
    LGKT_ROW_REAL(settings, fee, "fee", "5", 0, 1e6, "reward W for an admitted customer"),
    LGKT_ROW_REAL(settings, holding_cost, "holding-cost", "1", 0, 1e6,
                  "cost h of each customer in the queue, per unit of time"),
    LGKT_ROW_INTEGER(settings, capacity, "capacity", "20", 1, MAX_QUEUE,
                     "customers N that the queue can hold"),
};

static lgkt_status create_queue(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    const double rate = set->arrival_rate + set->service_rate, arrives = set->arrival_rate / rate;
    snprintf(env->note, sizeof env->note, "queue of up to %d customers, arrivals %g, service %g",
             (int)set->capacity, set->arrival_rate, set->service_rate);
    LGKT_TRY(lgkt_env_begin_model(env, set->capacity + 1, 2, error));
    for (int32_t n = 0; n <= (int32_t)set->capacity; n++)
        for (int32_t a = 0; a < 2; a++) {
            const bool admits = a == 1 && n < (int32_t)set->capacity;
            const double held = set->holding_cost * n / rate;
            lgkt_mdp_builder_reward(env->builder, n, a, -held);
            lgkt_mdp_builder_edge(env->builder, n, a, n + admits, arrives);
            if (admits)
                lgkt_mdp_builder_edge_reward(env->builder, n, a, n + 1, set->fee - held);
            lgkt_mdp_builder_edge(env->builder, n, a, n > 0 ? n - 1 : 0, set->service_rate / rate);
        }
    return LGKT_OK;
}

// ---- replacement ----

static const lgkt_param_row MACHINE[] = {
    LGKT_ROW_INTEGER(settings, states, "states", "10", 2, MAX_WEAR,
                     "degrees of wear, the new machine included"),
    LGKT_ROW_REAL(settings, wear, "wear", "0.3", 0, 1, "probability that the wear grows by one"),
    LGKT_ROW_REAL(settings, wear_two, "wear-two", "0.1", 0, 1,
                  "probability that the wear grows by two"),
    LGKT_ROW_REAL(settings, cost, "cost", "0.5", 0, 1e6, "cost of a new machine"),
};

static lgkt_status create_machine(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const settings *set = chosen;
    const int32_t last = (int32_t)set->states - 1;
    if (set->wear + set->wear_two > 1)
        return lgkt_fail(error, LGKT_ERR_SPEC, "wear=%g and wear-two=%g: they sum to %g, above 1",
                         set->wear, set->wear_two, set->wear + set->wear_two);
    snprintf(env->note, sizeof env->note, "machine of %d degrees of wear, a new one costs %g",
             (int)set->states, set->cost);
    LGKT_TRY(lgkt_env_begin_model(env, set->states, 2, error));
    // in this order: 0.7 and 0.3 leave nothing
    const double grows[] = {1 - (set->wear + set->wear_two), set->wear, set->wear_two};
    for (int32_t s = 0; s <= last; s++) {
        const double worn = (double)s / last;
        for (int32_t k = 0; k < 3; k++)
            lgkt_mdp_builder_edge(env->builder, s, 0, s + k < last ? s + k : last, grows[k]);
        lgkt_mdp_builder_reward(env->builder, s, 0, 1 - worn * worn);
        lgkt_mdp_builder_edge(env->builder, s, 1, 0, 1);
        lgkt_mdp_builder_reward(env->builder, s, 1, -set->cost);
    }
    return LGKT_OK;
}

// ---- programme ----

enum { LEVELS = 5, LOADS = 3, STATES = 2 * LEVELS * LOADS, ACTIONS = 4, CALL = 3 };

static const lgkt_param_row PEOPLE[] = {
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

static lgkt_status create_people(lgkt_env *env, void *chosen, lgkt_error *error)
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

// ---- classes ----

const lgkt_env_class lgkt_inventory_class = {
    LGKT_ENV_ENTRY("inventory", "a store under Poisson demand: how much to order at each stock",
                   "Szepesvari 2010, example 1", "O(M^3)", LGKT_PARAMS(STOCK)),
    LGKT_WORLD_CLASS(create_stock),
};

const lgkt_env_class lgkt_admission_class = {
    LGKT_ENV_ENTRY("admission", "a queue with one server: which customers to admit",
                   "M/M/1 admission control, uniformised", "O(N)", LGKT_PARAMS(QUEUE)),
    LGKT_WORLD_CLASS(create_queue),
};

const lgkt_env_class lgkt_replacement_class = {
    LGKT_ENV_ENTRY("replacement", "a machine that wears out: when to replace it",
                   "textbook machine replacement", "O(S)", LGKT_PARAMS(MACHINE)),
    LGKT_WORLD_CLASS(create_machine),
};

const lgkt_env_class lgkt_programme_class = {
    LGKT_ENV_ENTRY("programme",
                   "a participant of a health programme, contacted twice a day; no calls in the "
                   "evening",
                   "ours", "O(1)", LGKT_PARAMS(PEOPLE)),
    LGKT_WORLD_CLASS(create_people),
};
