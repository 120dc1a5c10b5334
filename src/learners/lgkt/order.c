// SPDX-License-Identifier: MIT
// The rare parts of order.h: scanning a state, and drawing among equals.

#include "learners/lgkt/order.h"

#include "core/error.h"

// ---- life ----

static size_t per_word(const lgkt_learner *learner, const void *self, size_t states)
{
    (void)learner;
    return states * (size_t)((const lgkt_order *)self)->words;
}

static const lgkt_field fields[] = {
    {LGKT_ARRAY(lgkt_order, choices, lgkt_per_state, SCRATCH)},
    {LGKT_ARRAY(lgkt_order, bounds, lgkt_per_pair, SCRATCH)},
    {LGKT_ARRAY(lgkt_order, untried, per_word, SCRATCH), LGKT_IF(lgkt_order, untried_first)},
};

static bool grow(lgkt_learner *learner, void *part, int32_t before, int32_t after)
{
    (void)learner;
    const lgkt_order *order = part;
    const size_t actions = (size_t)order->actions, words = (size_t)order->words;
    for (size_t s = (size_t)before; s < (size_t)after; s++) {
        order->choices[s].action = LGKT_CHOICE_STALE;
        for (size_t a = 0; a < actions; a++) {
            order->bounds[s * actions + a] =
                (lgkt_bounds){order->untried_first ? INFINITY : -INFINITY, INFINITY};
            if (order->untried_first)
                order->untried[s * words + a / 64] |= UINT64_C(1) << (a % 64);
        }
    }
    return true;
}

const lgkt_part lgkt_order_part = {.fields = fields, .count = LGKT_LENGTH(fields), .grow = grow};

// ---- untried actions ----

static int32_t count_bits(uint64_t word)
{
    int32_t count = 0;
    for (; word != 0; word &= word - 1)
        count++;
    return count;
}

static int32_t highest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return 63 - __builtin_clzll(word);
#else
    int32_t bit = 0;
    while (word >>= 1)
        bit++;
    return bit;
#endif
}

// An untried action, which ranks above all others, or -1 if there is none or they have no right to
// go first. The cache keeps it if there is no draw to be made.
static int32_t choose_untried(lgkt_order *order, int32_t state, double gamma, lgkt_rng *rng)
{
    if (order->untried == NULL)
        return -1;
    const uint64_t *words = order->untried + (size_t)state * (size_t)order->words;
    int32_t w = order->words - 1;
    while (w >= 0 && words[w] == 0)
        w--;
    if (w < 0)
        return -1;
    const int32_t highest = 64 * w + highest_bit(words[w]);
    int32_t count = 0;
    for (w = 0; !order->high && w < order->words; w++)
        count += count_bits(words[w]);
    const lgkt_rank top = {INFINITY, order->rule == LGKT_RULE_RELEASED ? INFINITY : 0};
    order->choices[state] =
        (lgkt_order_choice){.gamma = gamma, .action = highest, .best = top, .others = top};
    if (count <= 1)
        return highest;
    order->choices[state].action = LGKT_CHOICE_STALE;

    // one random number for one of several
    int32_t left = lgkt_rng_below(rng, count);
    w = 0;
    for (int32_t bits; left >= (bits = count_bits(words[w])); w++)
        left -= bits;
    uint64_t word = words[w];
    for (; left > 0; left--)
        word &= word - 1;
    return 64 * w + highest_bit(word & (~word + 1));
}

// ---- a scan ----

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
    if (order->mean(order, z) >= gamma)
        return (lgkt_rank){bounds.lcb, 0};
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
        const int32_t untried = choose_untried(order, state, gamma, rng);
        if (untried >= 0)
            return untried;
        if (order->mean == NULL)
            scan(order, state, gamma);
    }
    if (choice->action >= 0)
        return choice->action;
    if (choice->action == LGKT_CHOICE_NOBODY)
        return lgkt_rng_below(rng, order->actions);
    return lgkt_order_choose_among(order, state, gamma, NULL, rng);
}
