// SPDX-License-Identifier: MIT
// The rare parts of order.h: scanning a state, and drawing among equals.

#include "learners/lgkt/order.h"

// ---- life ----

// the first choice of a state has no threshold yet
static const lgkt_field fields[] = {
    {LGKT_COLUMN(lgkt_order, choices, PER_STATE, lgkt_order_choice, gamma, SCRATCH),
     LGKT_FROM(lgkt_order, no_gamma)},
    {LGKT_COLUMN(lgkt_order, bounds, PER_PAIR, lgkt_bounds, lcb, SCRATCH),
     LGKT_FROM(lgkt_order, untried.lcb)},
    {LGKT_COLUMN(lgkt_order, bounds, PER_PAIR, lgkt_bounds, index, SCRATCH),
     LGKT_FROM(lgkt_order, untried.index)},
};

const lgkt_part lgkt_order_part = {.fields = fields, .count = LGKT_LENGTH(fields)};

// ---- a scan ----

// An untried action that goes first, as its infinite lower bound says, or -1 if there is none. The
// cache keeps it if there is no draw to be made.
static int32_t choose_untried(lgkt_order *order, int32_t state, double gamma, lgkt_rng *rng)
{
    const lgkt_bounds *bounds = order->bounds + (size_t)state * (size_t)order->actions;
    int32_t action = order->actions - 1, count = 0;
    while (action >= 0 && bounds[action].lcb < INFINITY)
        action--;
    if (action < 0)
        return -1;
    for (int32_t a = 0; !order->high && a <= action; a++)
        count += bounds[a].lcb == INFINITY;
    if (count > 1) {
        int32_t left = lgkt_rng_below(rng, count);
        for (action = 0; bounds[action].lcb < INFINITY || left-- > 0;)
            action++;
    }
    const lgkt_rank top = lgkt_order_rank(order, bounds[action], gamma);
    order->choices[state] =
        (lgkt_order_choice){gamma, count > 1 ? LGKT_CHOICE_STALE : action, top, top};
    return action;
}

typedef struct top_two {
    double first, second;
} top_two;

static top_two push(top_two top, double x)
{
    const double lesser = x < top.first ? x : top.first;
    top.first = x > top.first ? x : top.first;
    top.second = lesser > top.second ? lesser : top.second;
    return top;
}

// Refills the cache of a state. Nothing branches on the numbers until the two highest bounds and
// indices are known: a running maximum would be mispredicted several times a scan. Where those two
// are equal the cache stays stale: there may be a tie.
static void scan(lgkt_order *order, int32_t state, double gamma)
{
    const lgkt_bounds *bounds = order->bounds + (size_t)state * (size_t)order->actions;
    top_two lcb = {-INFINITY, -INFINITY}, index = {-INFINITY, -INFINITY};
    for (int32_t a = 0; a < order->actions; a++) {
        lcb = push(lcb, bounds[a].lcb);
        index = push(index, bounds[a].index);
    }
    const bool good = order->rule == LGKT_RULE_RELEASED ? lcb.first > gamma : lcb.first >= gamma;
    const top_two *top = good ? &lcb : &index;
    const bool only = order->actions == 1 || top->first > top->second;
    int32_t a = only ? order->actions - 1 : LGKT_CHOICE_STALE;
    while (a > 0 && (good ? bounds[a].lcb : bounds[a].index) != top->first)
        a--;
    // nobody else is above the second bound with the highest index, or the second index
    const lgkt_bounds second = {lcb.second, good ? index.first : index.second};
    order->choices[state] = (lgkt_order_choice){
        .gamma = gamma,
        .action = a,
        .best = only ? lgkt_order_rank(order, bounds[a], gamma) : (lgkt_rank){INFINITY, INFINITY},
        .others = lgkt_order_rank(order, second, gamma)};
    if (order->rule == LGKT_RULE_UNIFORM && !good)
        order->choices[state].action = LGKT_CHOICE_NOBODY;
}

bool lgkt_order_good(const lgkt_order *order, size_t z, double gamma)
{
    const double worth = order->mean != NULL ? order->mean(order, z) : order->bounds[z].lcb;
    return order->rule == LGKT_RULE_RELEASED && order->mean == NULL ? worth > gamma
                                                                    : worth >= gamma;
}

// ---- without the cache ----

// the rank of an action, also where means decide
static lgkt_rank rank_of(const lgkt_order *order, size_t z, double gamma)
{
    const lgkt_bounds bounds = order->bounds[z];
    if (order->mean == NULL)
        return lgkt_order_rank(order, bounds, gamma);
    const double mean = order->mean(order, z);
    if (mean >= gamma)
        return (lgkt_rank){order->highest_mean ? mean : bounds.lcb, 0};
    return (lgkt_rank){-INFINITY, order->rule == LGKT_RULE_UNIFORM ? 0 : bounds.index};
}

// who may be chosen: all that are allowed, or those of the best rank
typedef struct order_contest {
    const lgkt_order *order;
    size_t row; // first pair of the state
    double gamma;
    const uint8_t *allowed;
    lgkt_rank best;
    int32_t count; // of those who may
    bool even;     // nobody is good enough: all alike
} order_contest;

static bool is_in(const order_contest *contest, int32_t action)
{
    return contest->allowed == NULL || contest->allowed[action] != 0;
}

static order_contest hold(const lgkt_order *order, int32_t state, double gamma,
                          const uint8_t *allowed)
{
    order_contest contest = {.order = order,
                             .row = (size_t)state * (size_t)order->actions,
                             .gamma = gamma,
                             .allowed = allowed,
                             .even = order->rule == LGKT_RULE_UNIFORM};
    int32_t all = 0;
    for (int32_t a = 0; a < order->actions; a++) {
        if (!is_in(&contest, a))
            continue;
        all++;
        contest.even = contest.even && !lgkt_order_good(order, contest.row + (size_t)a, gamma);
        const lgkt_rank rank = rank_of(order, contest.row + (size_t)a, gamma);
        if (all == 1 || lgkt_rank_above(rank, contest.best)) {
            contest.best = rank;
            contest.count = 0;
        }
        contest.count += lgkt_rank_equal(rank, contest.best);
    }
    if (contest.even)
        contest.count = all;
    return contest;
}

static bool wins(const order_contest *contest, int32_t action)
{
    const size_t z = contest->row + (size_t)action;
    return is_in(contest, action) &&
           (contest->even ||
            lgkt_rank_equal(rank_of(contest->order, z, contest->gamma), contest->best));
}

// ties go to the last of them, or one random number is for one of them
static bool takes_last(const order_contest *contest)
{
    return contest->order->high && !contest->even;
}

int32_t lgkt_order_choose_among(const lgkt_order *order, int32_t state, double gamma,
                                const uint8_t *allowed, lgkt_rng *rng)
{
    const order_contest contest = hold(order, state, gamma, allowed);
    int32_t left = contest.count - 1, a = 0;
    if (contest.even || (left > 0 && !takes_last(&contest)))
        left = lgkt_rng_below(rng, contest.count);
    while (a < order->actions - 1 && (!wins(&contest, a) || left-- > 0))
        a++;
    return a;
}

void lgkt_order_law(const lgkt_order *order, int32_t state, double gamma, const uint8_t *allowed,
                    double other, lgkt_reason *reasons)
{
    const order_contest contest = hold(order, state, gamma, allowed);
    int32_t last = order->actions - 1;
    while (last > 0 && !wins(&contest, last))
        last--;
    for (int32_t a = 0; a < order->actions; a++) {
        const double law = takes_last(&contest) ? a == last
                           : wins(&contest, a)  ? 1 / (double)contest.count
                                                : 0;
        double *p = &reasons[a].probability;
        *p = other > 0 ? other * *p + (1 - other) * law : law;
    }
}

// ---- with the cache ----

// apart, so that a choice that the cache has saves no registers for this
LGKT_APART int32_t lgkt_order_choose(lgkt_order *order, int32_t state, double gamma, lgkt_rng *rng)
{
    const lgkt_order_choice *choice = &order->choices[state];
    if (choice->action != LGKT_CHOICE_NOBODY || choice->gamma != gamma) {
        const int32_t untried =
            order->untried.lcb == INFINITY ? choose_untried(order, state, gamma, rng) : -1;
        if (untried >= 0)
            return untried;
        if (order->mean != NULL)
            return lgkt_order_choose_among(order, state, gamma, NULL, rng);
        scan(order, state, gamma);
    }
    if (choice->action >= 0)
        return choice->action;
    if (choice->action == LGKT_CHOICE_NOBODY)
        return lgkt_rng_below(rng, order->actions);
    return lgkt_order_choose_among(order, state, gamma, NULL, rng);
}
