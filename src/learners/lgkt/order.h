// SPDX-License-Identifier: MIT
// The choice at a threshold step, and its cache.
//
// Each pair has a lower bound and an optimistic index. In state s at threshold gamma:
//
//     G = {a : lcb(s,a) >= gamma}.  If G is not empty: the action of G with the highest lcb.
//     Otherwise the fallback: the highest index, or all actions alike.
//
// As an order by p, then by q:
//
//     here        p = lcb if lcb >= gamma, else -infinity    q = 0 in G, else the index
//     released    p = max(lcb, gamma)                        q = index
//
// The released code breaks ties by the highest action number (`high`, with fallback=index). The two
// orders differ only where a bound hits gamma exactly.
//
// With candidates=mean, G = {a : mean(s,a) >= gamma}, and the rest as above: in G the highest lcb,
// else the fallback. With candidates=michel the highest mean of G is played, and no lcb decides.
//
// The cache keeps per state the best action and an upper bound of all other ranks. Keys change one
// by one (the pair just observed, the pair whose run has ended) and lgkt_order_update tells the
// cache, so a scan of the A actions is needed only when the best one falls to that bound, when it
// is not the only one, or when gamma has changed. What is chosen does not
// depend on the cache: the best of a strict order is unique, and ties are drawn among all who tie.
//
// Random numbers: one for a choice among several equals, one for a fallback to all actions alike.
#pragma once

#include <math.h>

#include "learners/front/learner_private.h"

typedef struct lgkt_bounds {
    double lcb, index;
} lgkt_bounds;

// bounds as seen from a threshold; compared by p, then q
typedef struct lgkt_rank {
    double p, q;
} lgkt_rank;

// in place of an action: nothing is known, or nobody is good enough and the fallback is uniform
enum { LGKT_CHOICE_STALE = -1, LGKT_CHOICE_NOBODY = -2 };

typedef struct lgkt_order_choice {
    double gamma;     // the threshold that the ranks are for
    int32_t action;   // the only best action, or one of the enum above
    lgkt_rank best;   // its rank
    lgkt_rank others; // at least the rank of every other action
} lgkt_order_choice;

typedef enum lgkt_rule {
    LGKT_RULE_INDEX,   // the highest index where nobody is good enough; ties are drawn
    LGKT_RULE_UNIFORM, // all actions alike where nobody is good enough; ties as `high` says
    LGKT_RULE_RELEASED // the released code's order; ties to the highest action number
} lgkt_rule;

typedef struct lgkt_order {
    lgkt_order_choice *choices; // (S)
    lgkt_bounds *bounds;        // (S, A)
    int32_t actions;            // A
    lgkt_rule rule;
    bool high;           // ties to the highest action number, else drawn
    lgkt_bounds untried; // of an action that was never tried; lcb: infinite if it goes first
    double no_gamma;     // NaN
    bool lazy;           // few choices among few actions: a scan each costs less than the cache
    // the mean of pair z where means decide who is good enough, and then it is lazy; else NULL
    double (*mean)(const struct lgkt_order *order, size_t z);
    const void *ctx;   // of mean
    bool highest_mean; // and the highest mean among these is played, else the highest lcb
} lgkt_order;

// Nothing of it is saved: bounds follow from what the learner has counted. States that come up have
// only untried actions.
extern const lgkt_part lgkt_order_part;

// The choice where the cache does not tell: scans the actions, and draws from rng if it must.
int32_t lgkt_order_choose(lgkt_order *order, int32_t state, double gamma, lgkt_rng *rng);
// The choice among the actions with allowed[a] != 0, without a look at the cache; NULL: all.
int32_t lgkt_order_choose_among(const lgkt_order *order, int32_t state, double gamma,
                                const uint8_t *allowed, lgkt_rng *rng);
// The probabilities of that choice, into reasons (A): with probability `other` what they say
// already (it is not read if that is 0), else the choice.
void lgkt_order_law(const lgkt_order *order, int32_t state, double gamma, const uint8_t *allowed,
                    double other, lgkt_reason *reasons);
// Whether the action of pair z belongs to G.
bool lgkt_order_good(const lgkt_order *order, size_t z, double gamma);

static inline bool lgkt_rank_above(lgkt_rank x, lgkt_rank y)
{
    return x.p > y.p || (x.p == y.p && x.q > y.q);
}

static inline bool lgkt_rank_equal(lgkt_rank x, lgkt_rank y)
{
    return x.p == y.p && x.q == y.q;
}

static inline lgkt_rank lgkt_order_rank(const lgkt_order *order, lgkt_bounds bounds, double gamma)
{
    if (order->rule == LGKT_RULE_RELEASED)
        return (lgkt_rank){bounds.lcb > gamma ? bounds.lcb : gamma, bounds.index};
    if (bounds.lcb >= gamma)
        return (lgkt_rank){bounds.lcb, 0};
    return (lgkt_rank){-INFINITY, order->rule == LGKT_RULE_UNIFORM ? 0 : bounds.index};
}

// Action a has a new rank in a state with an only best action.
static inline void lgkt_order_choice_update(lgkt_order_choice *choice, int32_t a, lgkt_rank rank,
                                            bool high)
{
    if (a == choice->action) {
        choice->best = rank;
        if (!lgkt_rank_above(rank, choice->others))
            choice->action = LGKT_CHOICE_STALE;
    } else if (lgkt_rank_above(rank, choice->best)) {
        choice->others = choice->best;
        choice->best = rank;
        choice->action = a;
    } else if (lgkt_rank_equal(rank, choice->best)) {
        choice->others = rank;
        if (!high)
            choice->action = LGKT_CHOICE_STALE;
        else if (a > choice->action)
            choice->action = a;
    } else if (lgkt_rank_above(rank, choice->others)) {
        choice->others = rank;
    }
}

// The new bounds of the pair number z = state A + action.
static inline void lgkt_order_update(lgkt_order *order, size_t z, int32_t state, int32_t action,
                                     lgkt_bounds bounds)
{
    lgkt_order_choice *choice = &order->choices[state];
    order->bounds[z] = bounds;
    if (order->lazy) {
        choice->action = LGKT_CHOICE_STALE;
        return;
    }
    const lgkt_rank rank = lgkt_order_rank(order, bounds, choice->gamma);
    if (choice->action >= 0)
        lgkt_order_choice_update(choice, action, rank, order->high);
    else if (rank.p > -INFINITY)
        choice->action = LGKT_CHOICE_STALE;
}

// The action to play in a state at threshold gamma (not NaN).
static inline int32_t lgkt_order_pick(lgkt_order *order, int32_t state, double gamma, lgkt_rng *rng)
{
    const lgkt_order_choice *choice = &order->choices[state];
    if (choice->action >= 0 && choice->gamma == gamma)
        return choice->action;
    return lgkt_order_choose(order, state, gamma, rng);
}
