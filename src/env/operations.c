// SPDX-License-Identifier: MIT
// Three textbook problems of operations research: a store, a queue and a machine.
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
// No noise beyond that. Cost and memory: inventory O(M^3), the others O(S).
#include "env/world.h"

#include <stdio.h>

#include "core/elementary.h"
#include "core/error.h"

#define MAX_STOCK  200
#define MAX_DEMAND 500
#define MAX_QUEUE  100000
#define MAX_WEAR   100000

// ---- inventory ----

typedef struct stock_settings {
    int64_t capacity;
    double order_cost, unit_cost, holding_cost, price, demand;
} stock_settings;

static const lgkt_param_row STOCK[] = {
    LGKT_ROW_INTEGER(stock_settings, capacity, "capacity", "20", 1, MAX_STOCK,
                     "pieces M that the store can hold"),
    LGKT_ROW_REAL(stock_settings, order_cost, "order-cost", "4", 0, 1e6,
                  "cost K of an order of any size"),
    LGKT_ROW_REAL(stock_settings, unit_cost, "unit-cost", "2", 0, 1e6, "cost c of a piece"),
    LGKT_ROW_REAL(stock_settings, holding_cost, "holding-cost", "0.5", 0, 1e6,
                  "cost h of each piece in the store, per step"),
    LGKT_ROW_REAL(stock_settings, price, "price", "8", 0, 1e6, "what a piece sells for"),
    LGKT_ROW_REAL(stock_settings, demand, "demand", "5", 1e-6, MAX_DEMAND,
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
    const stock_settings *set = chosen;
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
                if (!(chance > 0))
                    continue;
                lgkt_mdp_builder_edge(env->builder, x, a, next, chance);
                lgkt_mdp_builder_edge_reward(env->builder, x, a, next,
                                             set->price * (z - next) - paid);
            }
        }
    return LGKT_OK;
}

// ---- admission ----

typedef struct queue_settings {
    double arrival_rate, service_rate, fee, holding_cost;
    int64_t capacity;
} queue_settings;

static const lgkt_param_row QUEUE[] = {
    LGKT_ROW_REAL(queue_settings, arrival_rate, "arrival-rate", "0.8", 1e-6, 1e6,
                  "customers that come per unit of time"),
    LGKT_ROW_REAL(queue_settings, service_rate, "service-rate", "1", 1e-6, 1e6,
                  "customers that can be served per unit of time"),
    LGKT_ROW_REAL(queue_settings, fee, "fee", "5", 0, 1e6, "reward W for an admitted customer"),
    LGKT_ROW_REAL(queue_settings, holding_cost, "holding-cost", "1", 0, 1e6,
                  "cost h of each customer in the queue, per unit of time"),
    LGKT_ROW_INTEGER(queue_settings, capacity, "capacity", "20", 1, MAX_QUEUE,
                     "customers N that the queue can hold"),
};

static lgkt_status create_queue(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const queue_settings *set = chosen;
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

typedef struct machine_settings {
    int64_t states;
    double wear, wear_two, cost;
} machine_settings;

static const lgkt_param_row MACHINE[] = {
    LGKT_ROW_INTEGER(machine_settings, states, "states", "10", 2, MAX_WEAR,
                     "degrees of wear, the new machine included"),
    LGKT_ROW_REAL(machine_settings, wear, "wear", "0.3", 0, 1,
                  "probability that the wear grows by one"),
    LGKT_ROW_REAL(machine_settings, wear_two, "wear-two", "0.1", 0, 1,
                  "probability that the wear grows by two"),
    LGKT_ROW_REAL(machine_settings, cost, "cost", "0.5", 0, 1e6, "cost of a new machine"),
};

static lgkt_status create_machine(lgkt_env *env, void *chosen, lgkt_error *error)
{
    const machine_settings *set = chosen;
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
